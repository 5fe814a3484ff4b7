"""What every command is made of: a `Call` comes in, an `Answer` goes out.

A command parses, calls one use case and returns an `Answer`: the result object and the function that
draws it as text. JSON is the same object, so neither face can know more than the other. The shared
options (`--json`, `--project`, …) are added to every command here; before or after the command's name
makes no difference, and the later one wins.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    TypeVar,
    get_type_hints,
)

import typer

from lakeport.app import logs
from lakeport.app.settings import Settings, load
from lakeport.cli.output import json
from lakeport.cli.output.pipe import tolerate_a_closed_pipe
from lakeport.core.errors import ConfigurationError, NotFoundError, UnavailableError
from lakeport.core.status import ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakeport.cli.output.text import Page

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What a command found out, how it reads, and how the process ends."""

    value: T
    show: Callable[[T, Page], None]
    exit: ExitCode = ExitCode.DONE


@dataclass(frozen=True, slots=True)
class Shared:
    """The options every command has. None means: not given here."""

    json: bool | None = None
    project: Path | None = None
    set: tuple[str, ...] = ()
    log_level: str | None = None
    log_format: str | None = None
    debug: bool | None = None

    def over(self, earlier: Shared) -> Shared:
        given = {name: value for name in _OPTIONS if (value := getattr(self, name)) is not None}
        return replace(earlier, **given | {"set": earlier.set + self.set})


class Call:
    """One invocation: what was asked beside the command's own options, and where the answer goes."""

    def __init__(self, shared: Shared) -> None:
        self.json = bool(shared.json)
        self._shared = shared
        logs.configure(level=shared.log_level or "warning", format=shared.log_format or "text")

    def settings(self, flags: Mapping[str, object] | None = None) -> Settings:
        """The settings, with the command's own flags (`{"server.grpc": grpc}`) on top.

        A flag that is None was not given. Without a lakeport.toml the defaults stand, for commands
        that need no project.
        """
        own = {name: value for name, value in (flags or {}).items() if value is not None}
        settings = load(project=self._shared.project, flags=self._settings_flags() | own)
        logs.configure(level=settings.log.level, format=settings.log.format)
        return settings

    def project(self, flags: Mapping[str, object] | None = None) -> Settings:
        """The settings of a project that must exist."""
        settings = self.settings(flags)
        if settings.file is None:
            raise NotFoundError(
                "there is no lakeport.toml here or in any folder above",
                hint="`lakeport init` makes a project; `--project DIR` names one",
            )
        return settings

    def show(self, answer: Answer[Any]) -> None:
        """Put an answer on stdout. Commands that go on for long show one after the other."""
        with tolerate_a_closed_pipe():
            if self.json:
                json.write(answer.value)
            else:
                # rich costs more start-up time than most commands take; `--json` never pays it
                from lakeport.cli.output.text import Page  # noqa: PLC0415

                answer.show(answer.value, Page())

    def write(self, data: bytes) -> None:
        """Put bytes on stdout that are an answer by themselves: a file format, a drawing."""
        with tolerate_a_closed_pipe():
            sys.stdout.flush()
            sys.stdout.buffer.write(data)

    def _settings_flags(self) -> dict[str, object]:
        given: dict[str, object] = {}
        for assignment in self._shared.set:
            name, equals, value = assignment.partition("=")
            if not equals:
                raise ConfigurationError(
                    f"--set {assignment!r} sets nothing", hint="write --set SECTION.KEY=VALUE"
                )
            given[name.strip()] = value
        for name in ("level", "format"):
            value = getattr(self._shared, f"log_{name}")
            if value is not None:
                given[f"log.{name}"] = value
        return given


_OPTIONS: dict[str, Any] = {
    "json": Annotated[
        bool | None, typer.Option("--json", help="The whole answer as JSON on stdout.")
    ],
    "project": Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The project's folder [default: found upward from here]."),
    ],
    "set": Annotated[
        list[str] | None,
        typer.Option(metavar="SECTION.KEY=VALUE", help="Override one setting; may be repeated."),
    ],
    "log_level": Annotated[
        Literal["debug", "info", "warning", "error"] | None,
        typer.Option(help="How much to log on stderr."),
    ],
    "log_format": Annotated[
        Literal["text", "json"] | None, typer.Option(help="How a log line looks.")
    ],
    # Only `failure.py` wants to know, and looks for it itself: parsing may be what failed.
    "debug": Annotated[
        bool | None, typer.Option("--debug", help="Show the traceback of an internal error.")
    ],
}

SHARED_PARAMETERS = tuple(
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
    for name, annotation in _OPTIONS.items()
)


def shared_from(given: dict[str, Any], earlier: Shared | None) -> Shared:
    """Takes the shared options out of `given`."""
    options = {name: given.pop(name) for name in _OPTIONS}
    return Shared(**options | {"set": tuple(options["set"] or ())}).over(earlier or Shared())


def command(
    function: Callable[Concatenate[Call, P], Answer[Any] | None],
) -> Callable[..., int]:
    """Make a typer command of a function `(call, own options…) -> Answer`.

    A function that showed its answers itself (`call.show`) returns None.
    """
    hints = get_type_hints(function, include_extras=True)
    _, *own = inspect.signature(function).parameters.values()
    parameters = (
        inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        *(
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
            for parameter in own
        ),
        *SHARED_PARAMETERS,
    )

    @functools.wraps(function)
    def run(*, context: typer.Context, **given: Any) -> int:
        call = Call(shared_from(given, context.obj))
        try:
            answer = function(call, **given)  # type: ignore[call-arg]  # typer checked them against the signature
        except BrokenPipeError as error:
            # typer takes any for our own stdout, and would end the process without a word
            raise UnavailableError("the other side closed the connection") from error
        if answer is None:
            return ExitCode.DONE
        call.show(answer)
        return answer.exit

    return with_parameters(run, parameters)


def with_parameters(
    run: Callable[..., T], parameters: tuple[inspect.Parameter, ...]
) -> Callable[..., T]:
    """Show typer these parameters instead of `**given`."""
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by inspect
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
