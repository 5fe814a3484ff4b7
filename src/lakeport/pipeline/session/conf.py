"""Settings of a session, many at a time: each question to a Spark Connect server is a way there and back.

PySpark's client asks one by one, though its protocol takes any number; a write has a dozen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from lakeport.pipeline.session.ports import Session

_WITHOUT_DEFAULT = "spark.sql.iceberg."  # to ask for one is an error


def settings_of(session: Session, keys: Iterable[str]) -> dict[str, str | None]:
    """As they are in effect, whether or not somebody has set them."""
    wanted = list(keys)
    if not wanted:
        return {}
    client = _connect(session)
    if client is None:
        return {key: _setting(session, key) for key in wanted}
    request: Any = _requests()
    asked = request.Operation(get_option=request.GetOption(keys=wanted))
    return dict.fromkeys(wanted) | dict(client.config(asked).pairs)


def said_settings(session: Session, keys: Iterable[str]) -> dict[str, str | None]:
    """As somebody has set them; None where a default holds."""
    wanted = list(keys)
    if not wanted:
        return {}
    client = _connect(session)
    if client is None:
        return {key: session.conf.get(key, None) for key in wanted}
    request: Any = _requests()
    pairs = [_pair(key) for key in wanted]
    asked = request.Operation(get_with_default=request.GetWithDefault(pairs=pairs))
    return dict.fromkeys(wanted) | dict(client.config(asked).pairs)


def set_all(session: Session, settings: Mapping[str, str]) -> None:
    if not settings:
        return
    if _connect(session) is None:
        for key, value in settings.items():
            session.conf.set(key, value)
        return
    conf: Any = session.conf
    conf._set_all(dict(settings), silent=False)  # noqa: SLF001  what `set` is made of


def unset_all(session: Session, keys: Iterable[str]) -> None:
    wanted = list(keys)
    client = _connect(session)
    if client is None or not wanted:
        for key in wanted:
            session.conf.unset(key)
        return
    request: Any = _requests()
    client.config(request.Operation(unset=request.Unset(keys=wanted)))


def is_connect(session: Any) -> bool:
    """Whether a session is one of Spark Connect, and not of an own JVM."""
    return ".connect." in type(session).__module__


def _connect(session: Any) -> Any:
    """The client of a session of Spark Connect; None for one of an own JVM."""
    return session.client if is_connect(session) else None


def _requests() -> Any:
    return import_module("pyspark.sql.connect.proto").ConfigRequest


def _pair(key: str) -> Any:
    return import_module("pyspark.sql.connect.proto").KeyValue(key=key)


def _setting(session: Session, key: str) -> str | None:
    if key.startswith(_WITHOUT_DEFAULT):
        return session.conf.get(key, None)
    return session.conf.get(key)
