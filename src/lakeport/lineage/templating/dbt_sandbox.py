"""The sandbox of dbt mode: templates change the lists and mappings they make, as dbt's do, but not without end.

What a macro that is not known may have printed is marked on its way out.
"""

from __future__ import annotations

import re
from typing import Any

from jinja2 import nodes
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment

from lakeport.lineage.templating.guesses import Guess, printed
from lakeport.lineage.templating.sandbox import LimitError, Sandbox, unmarked_value
from lakeport.lineage.templating.unknown import Absent

_ITEMS = 1_000_000
_ASSIGNMENT = re.compile(r"\{%[-+]?\s*set\s+(\w+)")


class DbtSandbox(Sandbox):
    """An environment for one project; `assigned` collects the names that its templates set."""

    def __init__(self, *given: Any, assigned: set[str], **options: Any) -> None:
        super().__init__(*given, finalize=_finalized, **options)
        self._assigned = assigned

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        self._assigned.update(_ASSIGNMENT.findall(source))
        return super()._parse(source, name, filename)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return SandboxedEnvironment.is_safe_attribute(self, obj, attr, value)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        holder = getattr(obj, "__self__", None)
        if isinstance(holder, list | dict | set):
            added = sum(len(value) for value in args if hasattr(value, "__len__"))
            if len(holder) + added > _ITEMS:
                raise LimitError(f"the template makes a list of more than {_ITEMS} items")
        return super().call(context, obj, *args, **kwargs)


def _finalized(value: Any) -> Any:
    if isinstance(value, Absent) and value.is_assigned:
        return printed("", Guess())
    return printed(unmarked_value(value), value)
