"""The macros of a project: each file is compiled once, and run again for every model that needs it.

Jinja looks up the names a macro uses when its file is run, not when the macro is called. A macro
would keep the `this` and `ref` of the first model forever, and could not call one of a later file;
so a file is run anew for a model at the first call of one of its macros, and every call finds its
macro by name.
"""

from __future__ import annotations

from typing import Any

from jinja2 import Template, nodes
from jinja2.runtime import Macro

from lakeport.lineage.templating.sandbox import ReturnSignal, Sandbox


class Macros:
    """All macro files, and those macros that the current model has called for."""

    def __init__(self, environment: Sandbox) -> None:
        self._environment = environment
        self._home: dict[str, Template] = {}
        self._loaded: dict[str, Macro] = {}
        self.named: dict[str, Late] = {}

    def add(self, content: str) -> None:
        """Compile a file; a macro defined twice is the later one."""
        template = self._environment.from_string(content)
        for macro in self._environment.parse(content).find_all(nodes.Macro):
            self._home[macro.name] = template
            self.named[macro.name] = Late(macro.name, self)

    def begin(self) -> None:
        """Another model: what the last one loaded has the wrong `this`."""
        self._loaded.clear()

    def find(self, name: str) -> Macro:
        if name not in self._loaded:
            home = self._home[name]
            mine = {key: macro for key, macro in defined(home).items() if self._home[key] is home}
            self._loaded.update(mine)
        return self._loaded[name]


class Late:
    """A macro by its name, found when it is called."""

    def __init__(self, name: str, macros: Macros) -> None:
        self._name = name
        self._macros = macros

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._macros.find(self._name)(*args, **kwargs)
        except ReturnSignal as signal:
            return signal.value


def defined(template: Template) -> dict[str, Macro]:
    """Run a template for the macros it defines."""
    module = template.make_module()
    return {name: value for name, value in vars(module).items() if isinstance(value, Macro)}
