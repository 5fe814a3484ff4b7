from __future__ import annotations

import json
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command

from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.output.text import Page
from lakeport.cli.registry import COMMANDS, family, load_command
from lakeport.core.errors import NotFoundError, UnavailableError
from lakeport.core.status import ExitCode

if typing.TYPE_CHECKING:
    from tests.cli.conftest import Run


@dataclass(frozen=True, slots=True)
class Greeting:
    words: tuple[str, ...]


def show(greeting: Greeting, page: Page) -> None:
    page.line(" ".join(greeting.words))


@command
def greet(
    _call: Call,
    names: Annotated[list[str] | None, typer.Argument()] = None,
    *,
    loud: bool = False,
) -> Answer[Greeting]:
    """Greet people."""
    words = ("hello", *(names or ()))
    shown = tuple(word.upper() for word in words) if loud else words
    return Answer(Greeting(shown), show, ExitCode.DONE if names else ExitCode.NO)


@command
def leave(call: Call, after: int) -> None:
    """Say it several times, then go."""
    for count in range(after):
        call.show(Answer(Greeting((f"bye {count}",)), show))


@command
def need(call: Call) -> Answer[Greeting]:
    """Need a project."""
    return Answer(
        Greeting((call.project({"log.level": "info", "log.format": None}).log.level,)), show
    )


@command
def break_(_call: Call) -> None:
    """Lose a connection."""
    raise BrokenPipeError


@command
def raw(call: Call) -> None:
    """Write bytes."""
    call.write(b"\xff\x00")


def invoke(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[Any, str]:
    group = get_command(family("greet", greet, leave, need, break_, raw, summary="Be polite."))
    group.name = "greet"
    code = group.main(list(arguments), prog_name="greet", standalone_mode=False)
    return code, capsys.readouterr().out


def test_text_and_json_draw_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(capsys, "ada", "--loud") == (0, "HELLO ADA\n")
    code, out = invoke(capsys, "ada", "--loud", "--json")
    assert (code, json.loads(out)) == (0, {"words": ["HELLO", "ADA"]})


def test_the_answer_decides_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(capsys) == (1, "hello\n")


def test_a_command_may_show_several_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(capsys, "leave", "2") == (0, "bye 0\nbye 1\n")


def test_the_first_word_chooses_among_a_familys_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert invoke(capsys, "./leave")[1] == "hello ./leave\n"
    assert invoke(capsys, "--loud", "leave")[1] == "HELLO LEAVE\n"


def test_a_command_may_demand_a_project(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        NotFoundError, match=r"there is no lakeport\.toml here or in any folder above"
    ):
        invoke(capsys, "need")
    (tmp_path / "lakeport.toml").touch()
    assert invoke(capsys, "need") == (0, "info\n")


def test_a_connection_that_breaks_is_no_closed_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnavailableError, match="the other side closed the connection"):
        invoke(capsys, "break")


def test_a_command_may_write_bytes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    group = get_command(family("formats", raw, summary="Formats."))
    group.main(["raw"], prog_name="formats", standalone_mode=False)
    assert capfdbinary.readouterr().out == b"\xff\x00"


def test_the_default_commands_help_is_the_familys(capsys: pytest.CaptureFixture[str]) -> None:
    _, out = invoke(capsys, "--help")
    assert out.startswith("Usage: greet [OPTIONS] [names]...\n\n  Greet people.\n")
    assert out.endswith("\n  Commands of its own: leave, need, break, raw.\n")
    assert invoke(capsys, "leave", "--help")[1].startswith("Usage: greet leave [OPTIONS] ")


def test_a_family_without_a_default_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    group = get_command(family("manners", greet, leave, summary="Be polite."))
    group.main(["--help"], prog_name="manners", standalone_mode=False)
    out = capsys.readouterr().out
    assert "Be polite." in out
    assert "leave  Say it several times, then go." in out


@pytest.mark.parametrize("name", COMMANDS)
def test_summaries_are_the_first_line_of_the_commands_own_help(name: str) -> None:
    assert load_command(name).help.partition("\n")[0] == COMMANDS[name]


def test_shared_options_stand_before_or_after_the_command(lakeport: Run) -> None:
    before = lakeport("--json", "--set", "log.level=info", "config", "log.level")
    after = lakeport("config", "log.level", "--set", "log.level=info", "--json")
    assert before == after
    assert json.loads(after.out)["settings"][0]["value"] == "info"


def test_the_later_of_two_options_wins(lakeport: Run) -> None:
    shown = lakeport("--log-level", "debug", "config", "log.level", "--log-level", "error")
    assert shown.out == 'setting    value    from\nlog.level  "error"  command line\n'


def test_settings_set_in_both_places_add_up(lakeport: Run) -> None:
    shown = lakeport("--set", "log.level=info", "config", "log", "--set", "log.format=json")
    assert shown.out.splitlines()[1:] == [
        'log.level   "info"  command line',
        'log.format  "json"  command line',
    ]


def test_a_set_without_a_value_is_wrong_use(lakeport: Run) -> None:
    shown = lakeport("config", "--set", "log.level")
    assert (shown.code, shown.err) == (
        2,
        "error: --set 'log.level' sets nothing\nhint: write --set SECTION.KEY=VALUE\n",
    )
