"""Options that `plan` and `run` share: which models, where, and what stretch of time.

Both say the same words, so that a plan is of the run that follows it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal, TypeAlias

import typer

from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted

Select: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        "-s",
        metavar="SELECTOR",
        help="Models by name, glob, tag:NAME, path:FOLDER or state:modified; + takes along what is up- or"
        " downstream (+orders, orders+, 2+orders); may be repeated [default: all].",
    ),
]
Exclude: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="SELECTOR", help="Leave these out; may be repeated."),
]
Env: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--env", metavar="NAME", help="Build in the tables of `[pipeline.environments.NAME]`."
    ),
]
FullRefresh: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--full-refresh", help="Replace all rows of incremental models; columns stay as ever."
    ),
]
From: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="TIME", help="Where `:start` is, in UTC [where the last run ended]."
    ),
]
To: TypeAlias = Annotated[
    str | None, typer.Option("--to", metavar="TIME", help="Where `:end` is, in UTC [now].")
]

Publish: TypeAlias = Annotated[
    Literal["direct", "branch", "run-atomic"] | None,
    typer.Option(
        "--publish",
        help="How rows reach readers: at once, written and audited aside first, or all models together"
        " [as each model says, else `pipeline.publish`].",
    ),
]

NoDaemon: TypeAlias = Annotated[
    bool,
    typer.Option("--no-daemon", help="Start a Spark of its own, although a daemon is there."),
]


def without_daemon(*, wanted: bool) -> dict[str, object]:
    """The flag as a setting."""
    return {"pipeline.daemon.use": "never"} if wanted else {}


def moment(option: str, text: str | None) -> datetime | None:
    """A date or a point in time as ISO 8601 writes it; without a zone it is UTC's."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidRequestError(
            f"{option} {quoted(text)} is no point in time",
            hint=f"write {option} 2026-03-01 or {option} 2026-03-01T12:30:00",
        ) from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
