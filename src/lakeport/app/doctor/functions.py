"""The project's functions: each module is imported, as a server would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lakeport.app.doctor.report import Check, fail, ok
from lakeport.core.errors import LakeportError

if TYPE_CHECKING:
    from lakeport.app.settings import Settings


def checks(settings: Settings) -> Iterator[Check]:
    """Nothing for a project without any."""
    folder = settings.root / settings.functions.folder
    if not folder.is_dir():
        return
    from lakeport.app.functions import list_functions  # noqa: PLC0415  loads Arrow

    try:
        found = list_functions(settings)
    except LakeportError as error:
        yield fail("functions", error.message, error.hint or "`lakeport config functions`")
        return
    for problem in found.problems:
        line = "" if problem.line is None else f":{problem.line}"
        yield fail("functions", f"{problem.path}{line}: {problem.message}", problem.hint)
    if not found.problems:
        plural = "function" if len(found.functions) == 1 else "functions"
        yield ok("functions", f"{len(found.functions)} {plural} in {folder.name}/")
