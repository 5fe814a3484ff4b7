"""Jinja for texts we do not trust: no way out, no endless loop, no text without end.

The sandbox routes calls, attributes and operators through the environment, where a deadline, a
depth and sizes are checked. Two node types escape it, loops and `~`: the tree is rewritten so that
they do not. At the top level each piece of output is marked with its line, which `lines` reads back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from jinja2 import StrictUndefined, TemplateRuntimeError, nodes
from jinja2.runtime import Context, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

SECONDS = 5.0
SIZE = 10 * 1024 * 1024
DEPTH = 100
# Noncharacters: no valid text has them.
OPEN, CLOSE = "\ufdd0", "\ufdd1"
_DIGITS = 4000
# A width of six digits or more, or one that is itself an argument, in either style of format.
_WIDE_FORMAT = re.compile(r"%[-+ #0]*(?:\*|\d{6,}|\d*\.\d{6,})|\{[^{}]*:[^{}]*(?:\d{6,}|\{)")
_WIDENING_FILTERS = ("center", "format", "indent", "wordwrap")


class LimitError(TemplateRuntimeError):
    """A template asked for more time, text or depth than it may have."""


class ReturnSignal(Exception):  # noqa: N818 - it is control flow, not an error
    """`return(value)` of a dbt macro."""

    def __init__(self, value: object) -> None:
        # Whoever is told of it called `return` where no macro is there to catch it.
        super().__init__("`return` stands outside of a macro")
        self.value = value


@dataclass(slots=True)
class Budget:
    """What is left for one rendering."""

    clock: Callable[[], float]
    deadline: float
    depth: int = 0

    @classmethod
    def start(cls, clock: Callable[[], float]) -> Budget:
        return cls(clock, clock() + SECONDS)

    def tick(self) -> None:
        if self.clock() > self.deadline:
            raise LimitError(f"the template runs for more than {SECONDS:g} seconds")


def bounded(length: int) -> None:
    if length > SIZE:
        raise LimitError(f"the template makes a text of more than {SIZE // 1024 // 1024} MB")


class Sandbox(ImmutableSandboxedEnvironment):
    """An environment whose templates cannot run away."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(
        self,
        clock: Callable[[], float],
        undefined: type[Undefined] = StrictUndefined,
        **options: Any,
    ) -> None:
        super().__init__(undefined=undefined, **{"finalize": unmarked_value, **options})
        self.budget = Budget.start(clock)
        self.globals.pop("lipsum", None)
        for name in _WIDENING_FILTERS:
            self.filters[name] = _guarded(self.filters[name])

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.budget.tick()
        # The sandbox wraps `str.format` to look inside it.
        method_of = getattr(getattr(obj, "__wrapped__", obj), "__self__", None)
        if isinstance(method_of, str):
            _check_widths(method_of, *args, *kwargs.values())
        self.budget.depth += 1
        try:
            if self.budget.depth > DEPTH:
                raise LimitError(f"macros call each other more than {DEPTH} deep")
            return super().call(context, obj, *args, **kwargs)
        except ReturnSignal as signal:
            if not isinstance(obj, Macro):
                raise
            return signal.value
        finally:
            self.budget.depth -= 1

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        self.budget.tick()
        if operator == "**" and not (_is_small(left) and _is_small(right)):
            raise LimitError("the template computes too large a power")
        if operator == "*":
            bounded(_product(left, right))
        if operator == "+" and hasattr(left, "__len__") and hasattr(right, "__len__"):
            bounded(len(left) + len(right))
        if operator == "%":
            _check_widths(left)
        return super().call_binop(context, operator, left, right)

    def getattr(self, obj: Any, attribute: str) -> Any:
        self.budget.tick()
        return super().getattr(obj, attribute)

    def joined(self, parts: Iterable[Any]) -> str:
        """What `~` does."""
        texts = [str(part) for part in parts]
        bounded(sum(map(len, texts)))
        return "".join(texts)

    def pulse(self) -> str:
        """Called at the start of every turn of a loop."""
        self.budget.tick()
        return ""

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        if OPEN not in source and CLOSE not in source:
            _mark(tree.body)
        guarded = _Guard().visit(tree)
        guarded.set_environment(self)
        return guarded  # type: ignore[no-any-return] # the visitor is not typed


def unmarked_value(value: Any) -> Any:
    """What an expression prints cannot pass for a mark."""
    if isinstance(value, str) and (OPEN in value or CLOSE in value):
        return value.replace(OPEN, "").replace(CLOSE, "")
    return value


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose widths are checked; what jinja passes by decoration stays in front."""

    def checked(*args: Any, **kwargs: Any) -> Any:
        _check_widths(*args, *kwargs.values())
        return function(*args, **kwargs)

    checked.__dict__.update(vars(function))
    return checked


def _check_widths(*values: Any) -> None:
    for value in values:
        if isinstance(value, int) and abs(value) > SIZE:
            raise LimitError("the template pads a text beyond its limit")
        if isinstance(value, str) and _WIDE_FORMAT.search(value):
            raise LimitError("the template pads a text beyond its limit")


def _is_small(number: Any) -> bool:
    return isinstance(number, int | float) and abs(number) < _DIGITS


def _product(left: Any, right: Any) -> int:
    for text, times in ((left, right), (right, left)):
        if hasattr(text, "__len__") and isinstance(times, int):
            return len(text) * max(times, 0)
    if isinstance(left, int) and isinstance(right, int):
        return (left.bit_length() + right.bit_length()) // 8
    return 0


class _Guard(NodeTransformer):
    """Loops and concatenations call back into the environment."""

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802 - the visitor's naming
        self.generic_visit(node)
        pulse = nodes.Call(
            nodes.EnvironmentAttribute("pulse"), [], [], None, None, lineno=node.lineno
        )
        node.body.insert(0, nodes.ExprStmt(pulse, lineno=node.lineno))
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Call:  # noqa: N802 - the same
        self.generic_visit(node)
        parts = nodes.Tuple(node.nodes, "load", lineno=node.lineno)
        return nodes.Call(
            nodes.EnvironmentAttribute("joined"), [parts], [], None, None, lineno=node.lineno
        )


def _mark(body: list[nodes.Node]) -> None:
    """Put its line before each piece of output, except where output is captured as a value."""
    for node in body:
        if isinstance(node, nodes.Output):
            node.nodes = [piece for child in node.nodes for piece in (_marker(child), child)]
        elif isinstance(node, nodes.If):
            _mark(node.body)
            _mark(node.elif_)  # type: ignore[arg-type] # a list of If, which is a Node
            _mark(node.else_)
        elif isinstance(node, nodes.For):
            _mark(node.body)
            _mark(node.else_)
        elif isinstance(node, nodes.With | nodes.Scope | nodes.Block):
            _mark(node.body)


def _marker(node: nodes.Node) -> nodes.TemplateData:
    kind = "D" if isinstance(node, nodes.TemplateData) else "E"
    return nodes.TemplateData(f"{OPEN}{kind}{node.lineno}{CLOSE}", lineno=node.lineno)
