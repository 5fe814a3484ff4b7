"""Every allowed function against extreme arguments: no crash, no flood, nothing slow, no bound broken."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from lakeport.catalog.expressions.functions import FUNCTIONS

_ATTACK = Path(__file__).with_name("attack.py")
_GROUPS = sorted({function.group for function in FUNCTIONS.values()})
_SECONDS = 20.0  # far above anything measured (2 s), far below what a quadratic function needs
_MEMORY = 256 * 1024 * 1024
_NAMED_LIKE_A_FIELD = {"map_contains_entry"}  # its parameters `key` and `value` name fields as well


@pytest.mark.long  # DuckDB is pinned exactly: what its functions cost changes with the pin alone
@pytest.mark.parametrize("group", _GROUPS)
def test_no_allowed_function_costs_more_than_its_input_explains(group: str) -> None:
    names = [name for name, function in FUNCTIONS.items() if function.group == group]
    attack = subprocess.run(
        [sys.executable, str(_ATTACK), *names], capture_output=True, text=True, check=False
    )
    reports = [json.loads(line) for line in attack.stdout.splitlines()]
    assert attack.returncode == 0, attack.stderr[-2000:]
    assert [report["function"].lower() for report in reports] == names
    assert [r["function"] for r in reports if not r["values"]] == [], "never answered: not attacked"
    assert [r["beyond_bound"] for r in reports if r["beyond_bound"]] == []
    assert [r["function"] for r in reports if r["seconds"] > _SECONDS] == []
    assert [r["function"] for r in reports if r["memory"] > 64 * r["input"] + _MEMORY] == []


def test_every_allowed_function_is_stable_by_duckdbs_own_account() -> None:
    rows = duckdb.execute(
        "SELECT DISTINCT lower(function_name), stability FROM duckdb_functions()"
        " WHERE database_name = 'system' AND function_type = 'scalar'"
    ).fetchall()
    unstable = {name for name, stability in rows if stability != "CONSISTENT"}
    assert FUNCTIONS.keys() & unstable == set()


def test_every_allowed_name_is_a_plain_function_and_never_an_aggregate() -> None:
    rows = duckdb.execute(
        "SELECT DISTINCT lower(function_name), function_type FROM duckdb_functions()"
        " WHERE database_name = 'system'"
    ).fetchall()
    kinds: dict[str, set[str]] = {}
    for name, kind in rows:
        kinds.setdefault(name, set()).add(kind)
    odd = {
        name: kinds.get(name)
        for name in FUNCTIONS
        if not kinds.get(name, set()) <= {"scalar", "macro"}
    }
    assert odd == {}
    assert [name for name in FUNCTIONS if name not in kinds] == []


def test_macros_copy_their_arguments_no_more_often_than_declared() -> None:
    macros = duckdb.execute(
        "SELECT lower(function_name), parameters, macro_definition FROM duckdb_functions()"
        " WHERE database_name = 'system' AND function_type = 'macro'"
    ).fetchall()
    for name, parameters, definition in macros:
        if name not in FUNCTIONS or name == "roundbankers":  # a call of round_even
            continue
        words = duckdb.tokenize(definition)
        ends = [*(start for start, _ in words[1:]), len(definition)]
        texts = [
            definition[start:end].strip().strip('"')
            for (start, _), end in zip(words, ends, strict=True)
        ]
        most = max(texts.count(parameter) for parameter in parameters)
        assert most <= FUNCTIONS[name].copies or name in _NAMED_LIKE_A_FIELD, (name, definition)
