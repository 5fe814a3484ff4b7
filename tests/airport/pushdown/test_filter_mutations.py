"""Documents that no client would send: nothing but InvalidRequestError, and mostly not even that."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

import pyarrow as pa
import pytest

from lakeport.airport.pushdown import parse_filters
from lakeport.core.errors import InvalidRequestError
from tests.airport.pushdown.recorded import kept, recordings, rows_for

JUNK: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        2**64,
        10**40,
        0.5,
        float("nan"),
        float("inf"),
        "",
        "x",
        "\0",
        "\ud800",
    ),
    *([], {}, [[]], {"id": "INTEGER"}, {"base64": "!"}, {"children": [None]}, "BIGINT", "VARCHAR"),
    *(
        "DECIMAL",
        "ENUM",
        "STRUCT",
        "OPERATOR_NOT",
        "CONJUNCTION_OR",
        "BOUND_CONSTANT",
        "BOUND_CAST",
    ),
    *("lower", "repeat", "random", "' OR 1=1 --", {"upper": 2**70, "lower": -1}, {"id": "LIST"}),
)


def _places(found: Any) -> list[tuple[Any, Any]]:
    """Every member and element, with what holds it."""
    pending, places = [found], []
    while pending:
        holder = pending.pop()
        keys = holder.keys() if isinstance(holder, dict) else range(len(holder))
        for key in list(keys):
            places.append((holder, key))
            if isinstance(holder[key], dict | list):
                pending.append(holder[key])
    return places


def _mutated(text: str, chance: random.Random) -> str:
    found = json.loads(text)
    for _ in range(chance.randint(1, 3)):
        places = _places(found)
        if not places:
            break
        holder, key = chance.choice(places)
        action = chance.randrange(4)
        if action == 0:
            del holder[key]
        elif action == 1:
            other_holder, other_key = chance.choice(places)
            holder[key] = deepcopy(other_holder[other_key])
        else:
            holder[key] = deepcopy(chance.choice(JUNK))
    return json.dumps(found)


def _check(text: str, table: pa.Table) -> None:
    try:
        found = parse_filters(text, table.schema)
        kept(found, table)
    except InvalidRequestError:
        return


def _campaign(count: int, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - repeatable on purpose
    tables = {r.condition: rows_for(r).slice(0, 40) for r in recordings()}
    for _ in range(count):
        recorded = chance.choice(recordings())
        _check(_mutated(recorded.text, chance), tables[recorded.condition])


def test_mutated_documents_raise_nothing_else() -> None:
    _campaign(2_000, seed=6)


@pytest.mark.long
def test_many_mutated_documents_raise_nothing_else() -> None:
    _campaign(20_000, seed=66)


def test_broken_text_raises_nothing_else() -> None:
    chance = random.Random(7)  # noqa: S311 - repeatable on purpose
    table = pa.table({"i32": pa.array([1, 2, None], pa.int32())})
    for _ in range(500):
        text = chance.choice(recordings()).text
        start = chance.randrange(len(text))
        broken = text[:start] + chance.choice('"{}[]:,\\x\0') + text[start + chance.randrange(9) :]
        _check(broken, table)
