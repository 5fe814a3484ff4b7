"""Questions about a model's rows before anybody sees them."""

from __future__ import annotations

from lakeport.pipeline.running.audits.ask import Asking, ask
from lakeport.pipeline.running.audits.failure import AuditError, require_passed
from lakeport.pipeline.running.audits.questions import Question, question_of
from lakeport.pipeline.running.audits.storing import AUDITS, failure_table

__all__ = [
    "AUDITS",
    "Asking",
    "AuditError",
    "Question",
    "ask",
    "failure_table",
    "question_of",
    "require_passed",
]
