from __future__ import annotations

import json
import re
import typing
from pathlib import Path

import pytest
import typer

from lakeport.cli import failure
from lakeport.core.errors import ConflictError, NotFoundError, UnavailableError

if typing.TYPE_CHECKING:
    from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "err"),
    [
        (
            ("confg",),
            "error: no such command 'confg'. Did you mean 'config'?\nhint: lakeport --help\n",
        ),
        (("config", "--jso"), None),
        (("init", "a", "b"), None),
        (("init", "--example", "nothing"), None),
        (("--project",), None),
        (("config", "--set", "a.b=1"), None),
        (("config", "--log-level", "loud"), None),
    ],
)
def test_wrong_use_exits_2_and_says_where_help_is(
    lakeport: Run, arguments: tuple[str, ...], err: str | None
) -> None:
    shown = lakeport(*arguments)
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.startswith("error: ")
    assert "\nhint: " in shown.err
    assert err is None or shown.err == err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("run", "-s", "a", "b"), "write -s a -s b, or -s 'a b'"),
        (("plan", "--select", "a", "+b", "c"), "write -s a -s +b -s c, or -s 'a +b c'"),
        (("test", "--exclude", "a", "b"), "write --exclude a --exclude b, or --exclude 'a b'"),
        (("run", "orders"), "write -s orders"),
        (
            ("run", "-s", "a", "--exclude", "b", "c"),
            "each option takes one word: write -s or --exclude before c, too",
        ),
        (("tables", "a", "b"), None),
    ],
)
def test_models_that_no_option_names_are_told_how(
    lakeport: Run, arguments: tuple[str, ...], meant: str | None
) -> None:
    shown = lakeport(*arguments)
    assert (shown.code, shown.out) == (2, "")
    hint = meant or f"lakeport {arguments[0]} --help"
    assert shown.err.endswith(f"\nhint: {hint}\n")


def test_no_command_at_all_shows_the_help_on_stderr(lakeport: Run) -> None:
    shown = lakeport()
    assert (shown.code, shown.out) == (2, "")
    assert shown.err.startswith("Usage: lakeport [OPTIONS] COMMAND [ARGS]...")


def test_with_json_an_error_is_one_line_on_stdout_too(lakeport: Run) -> None:
    shown = lakeport("config", "nothing.at.all", "--json")
    assert shown.code == 1
    assert shown.out.count("\n") == 1
    error = json.loads(shown.out)["error"]
    assert (error["code"], error["message"]) == (
        "not_found",
        "there is no setting `nothing.at.all`",
    )
    assert shown.err.startswith("error: there is no setting `nothing.at.all`\nhint: settings: ")


def test_a_usage_error_is_json_too(lakeport: Run) -> None:
    shown = lakeport("--json", "confg")
    assert json.loads(shown.out) == {
        "error": {
            "code": "usage",
            "message": "no such command 'confg'. Did you mean 'config'?",
            "hint": "lakeport --help",
        }
    }


def test_json_after_two_dashes_is_an_argument(lakeport: Run) -> None:
    shown = lakeport("config", "--", "--json")
    assert (shown.code, shown.out) == (1, "")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFoundError("x"), 1),
        (ConflictError("x"), 3),
        (UnavailableError("x"), 3),
        (KeyboardInterrupt(), 130),
        (typer.Abort(), 130),
    ],
)
def test_errors_have_their_exit_code(error: BaseException, code: int) -> None:
    assert failure.report(error, []) == code


def bug() -> Exception:
    try:
        {"a": 1}["row data"]
    except KeyError as error:
        return error
    raise AssertionError


def test_a_bug_is_one_sentence_and_a_private_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert failure.report(bug(), []) == 3
    err = capsys.readouterr().err
    found = re.fullmatch(
        r"error: an internal error: KeyError\n"
        r"hint: this is a bug of Lakeport; see (?P<log>\S+); --debug shows the traceback\n",
        err,
    )
    assert found is not None
    log = Path(found["log"])
    assert "KeyError: 'row data'" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0
    log.unlink()


def test_debug_shows_a_bugs_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert failure.report(bug(), ["--debug"]) == 3
    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last):")
    assert err.endswith("error: an internal error: KeyError\nhint: this is a bug of Lakeport\n")


def test_a_command_that_needs_a_project_says_how_to_make_one(lakeport: Run) -> None:
    shown = lakeport("config", "--project", "nowhere")
    assert (shown.code, shown.out) == (1, "")
    assert re.fullmatch(
        r"error: there is no lakeport.toml in \S+/nowhere\n"
        r"hint: `lakeport init \S+/nowhere` makes a project there\n",
        shown.err,
    )
