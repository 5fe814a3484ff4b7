"""The variables that `var` finds: those of the request, then those of the project's YAML files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

NOT_GIVEN: Any = object()


class Variables:
    """A text among them is a template of its own, with the words of the model that asks."""

    def __init__(
        self,
        context: Mapping[str, Any],
        project: Mapping[str, Any],
        rendered: Callable[[str], str] = str,
    ) -> None:
        given = context.get("vars")
        self._given = (given if isinstance(given, Mapping) else {}, context)
        self._own: dict[str, Any] = {}
        self._project = project
        self._rendered = rendered

    def value(self, name: str) -> Any:
        """What a variable is, or `NOT_GIVEN`."""
        if name in self._project and name not in self._own:
            # What a template does to a list of the project's is gone with it.
            self._own[name] = deepcopy(self._project[name])
        for level in (*self._given, self._own):
            if name in level:
                value = level[name]
                return self._rendered(value) if is_template(value) else value
        return NOT_GIVEN


def is_template(value: object) -> bool:
    return isinstance(value, str) and ("{{" in value or "{%" in value)
