"""The macros of a project: each file is compiled once, and run again for every model that needs it.

Jinja looks up the names a macro uses when its file is run, not when the macro is called. A macro
would keep the `this` and `ref` of the first model forever, and could not call one of a later file;
so the files a model needs are run anew for it, and macros call each other through `Late`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import Template, nodes
from jinja2.runtime import Macro

from lakeport.lineage.templating.sandbox import ReturnSignal, Sandbox

_WORD = re.compile(r"\w+")


class Late:
    """A macro by its name, found when it is called."""

    def __init__(self, name: str, loaded: Mapping[str, Macro]) -> None:
        self._name = name
        self._loaded = loaded

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._loaded[self._name](*args, **kwargs)
        except ReturnSignal as signal:
            return signal.value


@dataclass(frozen=True, slots=True)
class _File:
    template: Template
    words: frozenset[str]


class Macros:
    """All macro files, and the macros of those that are loaded."""

    def __init__(self, environment: Sandbox) -> None:
        self._environment = environment
        self._loaded: dict[str, Macro] = {}
        self._home: dict[str, _File] = {}
        # `adapter.dispatch('x')` means `spark__x`: the part behind the last `__` finds it.
        self._by_base: dict[str, set[str]] = defaultdict(set)
        self.named: dict[str, Late] = {}

    def add(self, content: str) -> None:
        """Compile a file; a macro defined twice is the later one."""
        tree = self._environment.parse(content)
        file = _File(self._environment.from_string(content), frozenset(_WORD.findall(content)))
        for macro in tree.find_all(nodes.Macro):
            self._home[macro.name] = file
            self._by_base[macro.name.rpartition("__")[2]].add(macro.name)
            self.named[macro.name] = Late(macro.name, self._loaded)

    def load(self, text: str) -> None:
        """Run the files whose macros a text may call, directly or through others."""
        self._loaded.clear()
        run: list[_File] = []
        frontier = [frozenset(_WORD.findall(text))]
        while frontier:
            words = frontier.pop()
            wanted = {name for word in words for name in self._by_base.get(word, ())}
            wanted |= words & self._home.keys()
            for name in sorted(wanted):
                file = self._home[name]
                if file not in run:
                    run.append(file)
                    frontier.append(file.words)
        for file in run:
            self._loaded.update(defined(file.template))


def defined(template: Template) -> dict[str, Macro]:
    """Run a template for the macros it defines."""
    module = template.make_module()
    return {name: value for name, value in vars(module).items() if isinstance(value, Macro)}
