"""Which lake a command is about: options that several commands share, and the lake they choose.

@command
@about_a_lake
def history(call: Call, lake: Lake, table: …) -> Answer[…]:
    with lake.open(call) as source:
        …
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, TypeVar, get_type_hints

import typer

from lakeport.app import wiring
from lakeport.cli.frame import Call, with_parameters
from lakeport.core.errors import InvalidRequestError

if TYPE_CHECKING:
    from lakeport.app.lake.source import Source

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Lake:
    """What was chosen on the command line; the settings may say the rest."""

    server: str | None = None
    token: str | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    catalog: str | None = None

    @contextmanager
    def open(self, call: Call) -> Iterator[Source]:
        proofs = {"token": self.token, "ca": self.ca, "cert": self.cert, "key": self.key}
        given = {name: value for name, value in proofs.items() if value is not None}
        flags = {f"remote.{name}": str(value) for name, value in given.items()}
        settings = call.settings({"remote.url": self.server, **flags})
        if given and settings.remote.url is None:
            raise InvalidRequestError(
                f"--{next(iter(given))} is for a server, and none is named", hint="add --server URL"
            )
        # gRPC's core logs what fails on stderr by itself; what it means is said by our own error.
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")
        with closing(wiring.open_source(settings, self.catalog)) as source:
            yield source


_OPTIONS: dict[str, Any] = {
    "server": Annotated[
        str | None,
        typer.Option(metavar="URL", help="Ask this server instead: grpc://HOST:PORT, grpc+tls://…"),
    ],
    "token": Annotated[
        str | None,
        typer.Option(help="To show the server; LAKEPORT_TOKEN hides it from lists of processes."),
    ],
    "ca": Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The authority that signed the server's TLS."),
    ],
    "cert": Annotated[
        Path | None, typer.Option(metavar="FILE", help="A certificate to show the server.")
    ],
    "key": Annotated[Path | None, typer.Option(metavar="FILE", help="The certificate's key.")],
    "catalog": Annotated[
        str | None, typer.Option(metavar="NAME", help="In this catalog [default: the first].")
    ],
}


def about_a_lake(function: Callable[Concatenate[Call, Lake, P], R]) -> Callable[..., R]:
    """Give a command these options, and hand it their values as its second argument."""
    hints = get_type_hints(function, include_extras=True)
    call, _, *own = inspect.signature(function).parameters.values()
    parameters = (
        call.replace(annotation=hints[call.name]),
        *(parameter.replace(annotation=hints[parameter.name]) for parameter in own),
        *(
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
            )
            for name, annotation in _OPTIONS.items()
        ),
    )

    @functools.wraps(function)
    def run(call: Call, **given: Any) -> R:
        lake = Lake(**{field.name: given.pop(field.name) for field in fields(Lake)})
        return function(call, lake, **given)  # type: ignore[call-arg]  # typer checked them

    return with_parameters(run, parameters)
