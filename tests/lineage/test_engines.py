"""What a thread keeps of the parser's machinery must not be seen in what it answers."""

from __future__ import annotations

import pytest
from sqlglot import exp

from lakeport.lineage.engines import text_of


def test_made_up_names_are_counted_anew_in_every_text() -> None:
    alias = exp.TableAlias(columns=[exp.to_identifier("a")])

    assert [text_of(alias, "spark"), text_of(alias, "spark")] == ["_t0(a)", "_t0(a)"]


def test_a_text_after_one_that_failed_is_as_if_nothing_had_happened() -> None:
    unknown = exp.Paren(this=exp.Expression())
    with pytest.raises(ValueError, match="Unsupported expression type"):
        text_of(unknown, "spark")

    assert text_of(exp.column("a", table="t"), "spark") == "t.a"
