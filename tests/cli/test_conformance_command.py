"""`lakeport conformance` against real servers: what it prints, and how it ends."""

from __future__ import annotations

import json

from tests.airport.airport_server import shop
from tests.cli.conftest import Run
from tests.conformance import relay

ONLY = ("--catalog", "lake", "--only", "scans.full-width", "--only", "scans.rows")


def test_a_good_server_is_told_in_a_table(lakeport: Run) -> None:
    with relay.serving(relay.good(shop())) as target:
        outcome = lakeport("conformance", str(target), *ONLY)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].split() == ["rule", "check", "result", "ms", "what", "is", "asked"]
    assert [line.split()[:3] for line in lines[1:4]] == [
        ["0.3", "scans.rows", "passed"],
        ["0.3", "scans.full-width", "passed"],
        ["4", "cleanup.removed", "passed"],
    ]
    assert "3 passed; schema conformance_" in lines[-1]


def test_a_broken_rule_says_what_was_seen_and_what_duckdb_does(lakeport: Run) -> None:
    broken = relay.Narrow(relay.good(shop()), relay.without_last)
    with relay.serving(broken) as target:
        outcome = lakeport("conformance", str(target), *ONLY)
    assert outcome.code == 1
    assert "failed scans.rows: all rows come, as they were inserted" in outcome.out
    assert "  rule 0.3: DoGet carries the full declared schema" in outcome.out
    assert "has 3 columns of 4 declared" in outcome.out
    assert "  DuckDB: too few columns: a segmentation fault" in outcome.out
    assert "scans.full-width  for what scans.rows shows" in outcome.out


def test_json_has_all_of_it(lakeport: Run) -> None:
    broken = relay.Narrow(relay.good(shop()), relay.without_last)
    with relay.serving(broken) as target:
        outcome = lakeport("conformance", str(target), *ONLY, "--json")
    assert outcome.code == 1
    told = json.loads(outcome.out)
    assert told["counts"] == {"passed": 1, "advice": 0, "failed": 1, "skipped": 1}
    failure = told["results"][0]
    assert failure["rule"] == "0.3"
    assert failure["outcome"] == "failed"
    assert failure["seen"]
    assert failure["client"]
    assert told["results"][1]["reason"] == "for what scans.rows shows"


def test_a_server_that_is_not_there_is_a_failure(lakeport: Run) -> None:
    with relay.serving(relay.good(shop())) as target:
        gone = str(target)
    assert lakeport("conformance", gone).code == 3


def test_wrong_use_is_told_apart(lakeport: Run) -> None:
    with relay.serving(relay.good(shop(), guarded=True)) as target:
        assert lakeport("conformance", str(target)).code == 2
        none = lakeport("conformance", str(target), "--token", relay.TOKEN, "--only", "nothing")
    assert none.code == 2
    assert "no check is called so" in none.err
    assert lakeport("conformance", "http://127.0.0.1:1").code == 2
