"""`lakeport token`: who may come in, and what for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from lakeport.access.grants import Ability, Grant
from lakeport.access.limits import StatementLimits
from lakeport.app import tokens, wiring
from lakeport.app.lake.actor import current_actor
from lakeport.cli.frame import Answer, Call, command
from lakeport.cli.output.sizes import counted
from lakeport.cli.registry import COMMANDS, family

if TYPE_CHECKING:
    from lakeport.cli.output.text import Cell, Page

_ABILITIES = ",".join(Ability)


@command
def create(  # noqa: PLR0913  each is an option of its own on the command line
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose it is, as the audit says.")],
    *,
    grant: Annotated[
        str, typer.Option("--grant", metavar="GRANT,...", help=f"Some of: {_ABILITIES}.")
    ] = "read",
    on: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Tables, like 'sales.*'; repeatable [default: all]."),
    ] = None,
    catalog: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Only in these catalogs; repeatable [default: all]."),
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="AGE", help="Good for so long, like 12h [default: ever].")
    ] = None,
    max_rows: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Rows one statement may write [default: the server's limit]."
        ),
    ] = None,
    max_bytes: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Bytes one statement may send [default: the server's limit]."
        ),
    ] = None,
    max_calls: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Calls in a minute [default: any number]."),
    ] = None,
    growth: Annotated[
        bool,
        typer.Option("--growth", help="For a pipeline's run: tables may grow by it, never lose."),
    ] = False,
) -> Answer[tokens.CreatedToken]:
    """Make a token; it alone is printed, and never again.

    Abilities do not imply each other, except that admin is all of them: UPDATE and DELETE need read
    and write. Once there is a token, every call needs one.
    """
    wish = tokens.Wish(
        name=name,
        abilities=grant,
        on=tuple(on or ()),
        catalogs=tuple(catalog or ()),
        lifetime=expires,
        limits=StatementLimits(max_rows, max_bytes),
        pace=max_calls,
        growth=growth,
    )
    with wiring.open_state(call.settings()) as store:
        return Answer(tokens.create(store, wish, by=current_actor()), _show_created)


@command
def list_(call: Call) -> Answer[tuple[tokens.ListedToken, ...]]:
    """List all tokens there ever were; none is shown itself."""
    with wiring.open_state(call.settings()) as store:
        return Answer(tokens.listed(store), _show_listed)


@command
def revoke(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose to end.")],
) -> Answer[tokens.ListedToken]:
    """End a token at once.

    A server refuses it within a second, ends the streams it opened and commits nothing more of what it
    began. Nothing is opened by it: even without any token left, every call needs one.
    """
    with wiring.open_state(call.settings()) as store:
        return Answer(tokens.revoke(store, name), _show_revoked)


def _show_created(made: tokens.CreatedToken, page: Page) -> None:
    page.line(made.token)
    if made.is_first:
        from lakeport.cli.output.text import Page  # noqa: PLC0415  loads rich, as its caller did

        Page(sys.stderr).line("this is the first token: from now on every call needs one")


def _show_listed(found: tuple[tokens.ListedToken, ...], page: Page) -> None:
    if not found:
        page.line("there are no tokens yet; `lakeport token create NAME` makes one")
        return
    page.table(
        ("name", "state", "grants", "created", "by", "expires"),
        [_row(token, page) for token in found],
    )
    active = sum(token.state == "active" for token in found)
    page.line(f"{counted(len(found), 'token')}, {active} active")


def _row(token: tokens.ListedToken, page: Page) -> tuple[Cell, ...]:
    is_active = token.state == "active"
    return (
        page.name(token.name),
        page.good(token.state) if is_active else page.faint(token.state),
        grants_text(token.grants) + _limits_text(token),
        token.created,
        token.created_by,
        token.expires or "never",
    )


def _limits_text(token: tokens.ListedToken) -> str:
    limits = (
        (token.max_rows, "rows"),
        (token.max_bytes, "bytes"),
        (token.max_calls, "calls a minute"),
    )
    growth = "; growth only" if token.growth else ""
    return growth + "".join(
        f"; at most {most:,} {unit}" for most, unit in limits if most is not None
    )


def _show_revoked(ended: tokens.ListedToken, page: Page) -> None:
    page.line("revoked ", page.name(ended.name))


def grants_text(grants: tuple[Grant, ...]) -> str:
    """Abilities on the same tables together: `read,write on sales.*`."""
    together: dict[tuple[str, str], list[str]] = {}
    for grant in sorted(grants, key=lambda grant: list(Ability).index(grant.ability)):
        together.setdefault((grant.catalog, grant.on), []).append(grant.ability)
    return "; ".join(
        f"{','.join(abilities)} on {on}" + ("" if catalog == "*" else f" in {catalog}")
        for (catalog, on), abilities in sorted(together.items())
    )


app = family("token", create, list_, revoke, summary=COMMANDS["token"])
