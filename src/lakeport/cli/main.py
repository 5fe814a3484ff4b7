"""The entry point of `lakeport`, which loads next to nothing itself.

A command that a daemon's Spark does most of is handed to a process that has loaded everything already, where one
stands by (`standby`); every other one is done here (`line`).
"""

from __future__ import annotations

import gc
import os
import sys

# Loading a thousand modules makes objects that all stay: looking for garbage among them every 700 objects
# was a tenth of what a small command does.
_THRESHOLDS = (50_000, 20, 50)


def main() -> None:
    arguments = sys.argv[1:]
    code = None
    if os.name == "posix":
        from lakeport.cli.standby.front import handed_over  # noqa: PLC0415  Windows lacks what it needs

        code = handed_over(arguments)
    if code is None:
        gc.set_threshold(*_THRESHOLDS)
        from lakeport.cli.line import carried_out  # noqa: PLC0415  loads typer

        code = carried_out(arguments)
        # What is left is freed with the process: looking for garbage among all of it was a fifth of a small command.
        gc.freeze()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command line in this process and give its exit code; never raises."""
    from lakeport.cli.line import run as run_line  # noqa: PLC0415  as above

    return run_line(arguments)
