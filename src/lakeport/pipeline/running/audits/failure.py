"""What to say of audits that fail, so that their author sees at once which rows, and where the rest is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lakeport.core.errors import PreconditionError
from lakeport.core.names import quoted
from lakeport.pipeline.graph import Node
from lakeport.pipeline.running.result import AuditResult

_SHOWN = 3
_COLUMNS = 6


class AuditError(PreconditionError):
    """Rows do not keep what the model promises; nothing was published."""

    code = "audit_failed"


def require_passed(node: Node, results: Sequence[AuditResult]) -> None:
    failed = [each for each in results if not each.passed and each.severity == "error"]
    if not failed:
        return
    lines = [told(node, each) for each in failed]
    stored = [each.stored for each in failed if each.stored is not None]
    where = f"; `lakeport read {stored[0]}` shows them" if stored else ""
    raise AuditError(
        "\n".join(lines),
        hint=f'correct the rows or the audit, or set severity = "warn"; nothing was published{where}',
        details={"audits": ", ".join(each.name for each in failed)},
    )


def warnings_of(node: Node, results: Sequence[AuditResult]) -> Iterator[str]:
    return (told(node, each) for each in results if not each.passed and each.severity == "warn")


def told(node: Node, result: AuditResult) -> str:
    sample = "".join(f"\n    {_row(row)}" for row in result.sample[:_SHOWN])
    return f"{node.model.path}:{result.line}: audit {quoted(result.name)}: {result.message}{sample}"


def _row(row: object) -> str:
    assert isinstance(row, dict)  # noqa: S101  of `ask`
    pairs = [f"{name} = {'NULL' if value is None else value}" for name, value in row.items()]
    more = [] if len(pairs) <= _COLUMNS else ["…"]
    return ", ".join([*pairs[:_COLUMNS], *more])
