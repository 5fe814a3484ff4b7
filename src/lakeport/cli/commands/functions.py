"""`lakeport functions`: what of the project's Python can be called from SQL, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.app.functions import Functions, list_functions
from lakeport.cli.frame import Answer, Call, command
from lakeport.core.status import ExitCode

if TYPE_CHECKING:
    from lakeport.cli.output.text import Page


@command
def functions(call: Call) -> Answer[Functions]:
    """List the project's functions that SQL can call.

    The modules in the folder of functions are imported for it, in a process of their own. The exit
    code is 1 if something is wrong with one of them.
    """
    found = list_functions(call.settings())
    return Answer(found, _show, ExitCode.NO if found.problems else ExitCode.DONE)


def _show(found: Functions, page: Page) -> None:
    if found.functions:
        page.table(
            ("function", "returns", "kind", "where"),
            [
                (
                    page.name(each.signature),
                    each.returns or "told by the arguments",
                    each.kind.replace("_", "/"),
                    page.faint(each.place),
                )
                for each in found.functions
            ],
        )
    elif not found.problems:
        page.line(f"there are no functions in {found.folder}")
    for problem in found.problems:
        line = "" if problem.line is None else f":{problem.line}"
        page.line(page.bad("problem: "), f"{problem.path}{line}: {problem.message}")
        page.line(page.faint(f"  {problem.hint}"))
