"""How much one statement may write: what the server allows everybody, and a token's own limits.

A token's limit takes the place of the server's, whichever is larger. Reading is never limited.
"""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.core.errors import LimitError
from lakeport.core.names import quoted


@dataclass(frozen=True, slots=True)
class StatementLimits:
    """None is no limit. Bytes are those received, as the audit counts them."""

    rows: int | None = None
    bytes: int | None = None

    def or_else(self, default: StatementLimits) -> StatementLimits:
        return StatementLimits(
            default.rows if self.rows is None else self.rows,
            default.bytes if self.bytes is None else self.bytes,
        )

    def check(self, who: str, rows: int, size: int) -> None:
        """`LimitError` as soon as a statement has sent more."""
        for sent, most, unit in ((rows, self.rows, "rows"), (size, self.bytes, "bytes")):
            if most is not None and sent > most:
                raise LimitError(
                    f"the statement has more than {most:,} {unit}, the most that {quoted(who)}"
                    " may write at once",
                    hint=f"write in smaller statements, or raise `server.limits.statement_{unit}`"
                    f" or the token's own limit (`--max-{unit}`)",
                )


NO_LIMITS = StatementLimits()
