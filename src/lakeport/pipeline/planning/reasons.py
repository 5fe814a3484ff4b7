"""What is different about a model since it was built last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from lakeport.catalog.history import MODEL
from lakeport.core.names import TableName, quoted
from lakeport.pipeline.graph.model import Node
from lakeport.pipeline.planning.model import Reason
from lakeport.pipeline.planning.staged import StagedColumns
from lakeport.pipeline.target.head import Commit
from lakeport.pipeline.target.run import FINGERPRINT, UNFINISHED

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class LastBuilt:
    """What is known of a model's last commit."""

    fingerprint: str | None
    columns: StagedColumns | None = None
    end: datetime | None = None
    """Of the interval that it was about."""


def last_in_table(model: TableName, commits: Iterable[Commit]) -> LastBuilt | None:
    """What the table itself says, newest first, for whoever lost the store of runs."""
    for commit in commits:
        if commit.summary.get(MODEL) == str(model) and UNFINISHED not in commit.summary:
            return LastBuilt(commit.summary.get(FINGERPRINT))
    return None


def own_reasons(node: Node, last: LastBuilt | None, *, exists: bool) -> Iterator[Reason]:
    """Changes of the file itself."""
    if last is None:
        adopted = "the table is there, and no run of this model is known"
        yield Reason("never_run", adopted if exists else "it was never run")
        return
    now = node.model.fingerprint
    if last.fingerprint == now:
        return
    yield from _differences(last.fingerprint, now)


def _differences(was: str | None, now: str) -> Iterator[Reason]:
    """A fingerprint is `QUERY-SETTINGS`, so that it can be said which of the two it was."""
    before, after = (text.split("-") for text in (was or "", now))
    if len(before) != len(after) or len(after) < _PARTS:
        yield Reason("model_changed", "the file changed")
        return
    if before[0] != after[0]:
        yield Reason("sql_changed", "its query changed")
    if before[1:] != after[1:]:
        yield Reason("settings_changed", "its settings changed")


_PARTS = 2


def upstream_reason(changed: Sequence[TableName]) -> Iterator[Reason]:
    if changed:
        names = ", ".join(quoted(str(name)) for name in changed[:_SHOWN])
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        verb = "changes" if len(changed) == 1 else "change"
        yield Reason("upstream_changed", f"{names}{more} {verb} before it")
