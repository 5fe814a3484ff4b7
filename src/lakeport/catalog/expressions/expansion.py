"""How large DuckDB's tree of a text will be, known before it is built.

Its parser writes the operand of `CASE operand WHEN …` once for each WHEN. Operands within operands
multiply: a text of one kilobyte makes a tree of gigabytes, and no limit of DuckDB's stops it. Nothing
else in its grammar copies. So the words are counted first, with its own tokenizer.
"""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.catalog.expressions import engine
from lakeport.core.errors import LimitError

MAX_WORDS = 60_000
"""More than a text of the allowed length has without any such CASE."""


@dataclass(slots=True)
class _Case:
    """A CASE that is still open; the whole text is one without WHEN."""

    operand: int = 0
    rest: int = 0
    branches: int = 0

    def count(self, words: int) -> None:
        if self.branches:
            self.rest += words
        else:
            self.operand += words

    @property
    def words(self) -> int:
        return self.rest + self.operand * max(1, self.branches)


def check_expansion(sql: str) -> None:
    """LimitError when the text, with every operand written out, has too many words."""
    cases = [_Case()]
    for keyword in engine.keywords(sql):
        cases[-1].count(1)
        if keyword == "case":
            cases.append(_Case())
        elif keyword == "when":
            cases[-1].branches += 1
        elif keyword == "end" and len(cases) > 1:
            inner = cases.pop()
            cases[-1].count(inner.words)
    if max(case.words for case in cases) > MAX_WORDS:
        raise LimitError(
            "the CASE expressions have too many branches inside each other",
            hint="write CASE WHEN x = 1 THEN … instead of CASE x WHEN 1 THEN …",
        )
