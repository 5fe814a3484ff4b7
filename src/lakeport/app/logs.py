"""Logs on stderr: an event's name and its values, one line each, as text or as JSON.

    logging.getLogger(__name__).info("scan.done", extra={"table": "shop.orders", "rows": 12})

Never a token: values that go under a secret's name and secrets that show by their shape are masked
here, whatever a caller hands over. stdout stays free for data.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from typing import TYPE_CHECKING

from lakeport.core.secrets import mask_text, mask_value
from lakeport.core.timepoint import format_time

if TYPE_CHECKING:
    from typing import TextIO

ROOT = "lakeport"

# What every record has; the rest came through `extra`.
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def configure(*, level: str, format: str, stream: TextIO | None = None) -> None:  # noqa: A002  the setting's name
    """Send our events, and warnings of the libraries we use, to stderr. May be called again."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if format == "json" else TextLines())
    handler.set_name(ROOT)
    root = logging.getLogger()
    for earlier in [known for known in root.handlers if known.get_name() == ROOT]:
        root.removeHandler(earlier)
    root.addHandler(handler)
    logging.getLogger(ROOT).setLevel(level.upper())


class TextLines(logging.Formatter):
    """`2024-01-15T10:30:00.123Z INFO scan.done table=shop.orders rows=12`."""

    def format(self, record: logging.LogRecord) -> str:
        pairs = "".join(f" {name}={_quoted(value)}" for name, value in _values(record).items())
        line = f"{_time(record)} {record.levelname} {_event(record)}{pairs}"
        return f"{line}\n{_trace(record)}" if record.exc_info else line


class JsonLines(logging.Formatter):
    """One object per line: `time`, `level`, `logger`, `event`, then the values."""

    def format(self, record: logging.LogRecord) -> str:
        shown: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
        }
        # An event's own value must not replace who said it and when.
        shown |= {
            f"{name}_" if name in shown else name: value for name, value in _values(record).items()
        }
        if record.exc_info:
            shown["traceback"] = _trace(record)
        return json.dumps(shown, default=lambda value: mask_text(str(value)), ensure_ascii=False)


def _time(record: logging.LogRecord) -> str:
    return format_time(int(record.created * 1000) * 1_000_000)


def _event(record: logging.LogRecord) -> str:
    return mask_text(record.getMessage())


def _values(record: logging.LogRecord) -> dict[str, object]:
    return {
        name: mask_value(name, value) for name, value in vars(record).items() if name not in _OWN
    }


def _trace(record: logging.LogRecord) -> str:
    if not record.exc_info or record.exc_info[1] is None:
        return ""
    return mask_text("".join(traceback.format_exception(record.exc_info[1])).rstrip())


def _quoted(value: object) -> str:
    text = mask_text(str(value))
    is_plain = text.isprintable() and text and not any(mark in text for mark in ' "=')
    return text if is_plain else json.dumps(text, ensure_ascii=False)
