"""The page about growth: its code prints what it shows, its tables name what there is."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest

from lakeport.pipeline.growth import policy
from lakeport.pipeline.strategies import STRATEGIES
from lakeport.pipeline.strategies.write import NullKeys

PAGE = (Path(__file__).parents[3] / "docs" / "concepts" / "growth.md").read_text()
BLOCKS: list[tuple[str, str]] = re.findall(r"(?ms)^```(\w+)\n(.*?)^```", PAGE)
EXAMPLES = [(one[1], other[1]) for one, other in pairwise(BLOCKS) if one[0] == "python"]


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_code_on_the_page_prints_what_is_shown(
    code: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(code, "growth.md", "exec"), {})  # noqa: S102 our own page
    assert capsys.readouterr().out == output


@pytest.mark.parametrize(
    "word",
    [
        *get_args(policy.OnTypeChange),
        *get_args(policy.OnRemovedRequired),
        *get_args(policy.OnUnmappableType),
        *get_args(NullKeys),
        *STRATEGIES,
    ],
)
def test_every_choice_is_on_the_page(word: str) -> None:
    assert f"`{word}`" in PAGE or f'"{word}"' in PAGE
