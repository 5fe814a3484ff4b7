from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from lakeport.app import logs


@pytest.fixture(autouse=True)
def _leave_logging_as_it_was() -> Iterator[None]:
    root, own = logging.getLogger(), logging.getLogger(logs.ROOT)
    handlers, level = list(root.handlers), own.level
    yield
    root.handlers[:] = handlers
    own.setLevel(level)


def logged(form: str, *, level: str = "info", **values: Any) -> str:
    stream = io.StringIO()
    logs.configure(level=level, format=form, stream=stream)
    logging.getLogger("lakeport.flight").info("scan.done", extra=values)
    return stream.getvalue()


def test_a_text_line_is_time_level_event_and_values() -> None:
    line = logged("text", table="shop.orders", rows=12, note="two words", empty="")
    time, rest = line.rstrip("\n").split(" ", 1)
    assert time.endswith("Z")
    assert rest == 'INFO scan.done table=shop.orders rows=12 note="two words" empty=""'


def test_a_json_line_is_one_object() -> None:
    line = logged("json", table="shop.orders", rows=12, event="mine")
    shown = json.loads(line)
    assert shown.pop("time").endswith("Z")
    assert shown == {
        "level": "info",
        "logger": "lakeport.flight",
        "event": "scan.done",
        "table": "shop.orders",
        "rows": 12,
        "event_": "mine",
    }


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_never_get_into_a_line(form: str) -> None:
    secrets: dict[str, Any] = {"token": "hidden-1", "nested": {"password": "hidden-2"}}
    line = logged(form, uri="http://u:hidden-3@h/", **secrets)
    assert "hidden" not in line
    assert "***" in line


@pytest.mark.parametrize("form", ["text", "json"])
def test_one_event_is_one_line_whatever_its_values_hold(form: str) -> None:
    assert logged(form, text="a\nb\r\u2028c").count("\n") == 1


def test_less_than_the_level_is_silent() -> None:
    assert logged("text", level="warning") == ""


def test_configuring_again_replaces_the_earlier_handler() -> None:
    first = io.StringIO()
    logs.configure(level="info", format="text", stream=first)
    assert logged("text").count("scan.done") == 1
    assert first.getvalue() == ""


def test_a_traceback_is_masked_too() -> None:
    stream = io.StringIO()
    logs.configure(level="info", format="json", stream=stream)
    try:
        int("http://u:hidden@h/")
    except ValueError:
        logging.getLogger("lakeport.flight").exception("call.failed")
    shown = json.loads(stream.getvalue())
    assert shown["traceback"].endswith("invalid literal for int() with base 10: 'http://u:***@h/'")


def test_libraries_are_heard_from_warnings_on() -> None:
    stream = io.StringIO()
    logs.configure(level="debug", format="text", stream=stream)
    logging.getLogger("somebody.else").info("chatter")
    logging.getLogger("somebody.else").warning("trouble")
    assert "chatter" not in stream.getvalue()
    assert "WARNING trouble" in stream.getvalue()
