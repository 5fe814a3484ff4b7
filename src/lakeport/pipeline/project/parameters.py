"""`[pipeline.parameters]`: values that queries use as `:name`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

from lakeport.core.names import quoted
from lakeport.pipeline.project.model import BUILT_IN_PARAMETERS
from lakeport.pipeline.project.problems import Place, Problem

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def wrong_parameters(given: Mapping[str, Any], place: Callable[[str], Place]) -> Iterator[Problem]:
    for name, value in given.items():
        if _NAME.fullmatch(name) is None:
            message = f"a parameter cannot be called {quoted(name)}"
            hint = "use letters without accents, digits and _; SQL names it as :name"
            yield Problem("parameter", message, hint, place(name))
        elif name in BUILT_IN_PARAMETERS:
            message = f"every run gives {quoted(f':{name}')} itself"
            yield Problem("parameter", message, "give it another name", place(name))
        elif not isinstance(value, str | int | float | bool | date):
            message = f"the parameter {quoted(name)} is no plain value"
            hint = "write a text, a number, true or false, a date or a point in time"
            yield Problem("parameter", message, hint, place(name))
