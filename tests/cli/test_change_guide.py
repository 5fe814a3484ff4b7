"""The guide to changing a lake is followed with a real server, and shows what comes."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

from tests.cli.test_serve_guide import following

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "change.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", GUIDE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def of(wanted: str) -> list[str]:
    return [text for language, text in BLOCKS if language == wanted]


def plain(text: str) -> str:
    return re.sub(r"snapshot_id=\d+", "snapshot_id=1", text)


def test_the_guide_to_changing_shows_what_comes(tmp_path: Path) -> None:
    *before, after = of("console")
    with following(tmp_path) as follower:
        for text in before:
            follower.console(text)
        assert [plain(text) for text in follower.python(of("python"))] == of("text")
        follower.console(after)
    assert [server.returncode for server in follower.servers] == [0]


def test_its_sql_is_duckdbs() -> None:
    (text,) = of("sql")
    assert len(duckdb.extract_statements(text)) == 9
