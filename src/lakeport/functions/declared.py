"""What a Python function says about itself: its parameters with their Arrow types, and what it returns.

A schema that the author gives wins over annotations. Whatever neither tells is a mistake, with the words to
write instead.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NewType, TypeAlias

import pyarrow as pa

from lakeport.catalog.arrow import Field
from lakeport.catalog.parameters import any_parameter, is_any, is_named, parameter
from lakeport.catalog.scan import Scan
from lakeport.core.names import quoted
from lakeport.core.request import Request
from lakeport.functions.annotations import Annotation, UnclearError, read
from lakeport.functions.mistakes import mistake
from lakeport.functions.styles import Style

RowCount = NewType("RowCount", int)
"""A parameter of this type gets the number of rows: for functions of whole arrays that take nothing else."""

AnyFunction: TypeAlias = Callable[..., Any]

MISSING = inspect.Parameter.empty
_INJECTED = (Request, Scan, RowCount)


@dataclass(frozen=True, slots=True)
class Parameter:
    """`name` is Python's, the field's name SQL's. `default` is MISSING where there is none."""

    name: str
    field: Field
    optional: bool = False
    default: Any = MISSING


@dataclass(frozen=True, slots=True)
class Declared:
    """`injected` are Python parameters that callers know nothing of, with the type they ask for."""

    function: AnyFunction
    parameters: tuple[Parameter, ...]
    style: Style | None
    returned: Any = MISSING
    injected: Mapping[str, Any] = field(default_factory=dict)

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([each.field for each in self.parameters])


def declared(
    function: AnyFunction,
    schema: pa.Schema | None,
    *,
    names_defaults: bool = False,
    but: frozenset[str] = frozenset(),
) -> Declared:
    """`names_defaults`: parameters with a default are named ones. `but` those that are the caller's own."""
    hints = hints_of(function)
    signature = inspect.signature(function)
    own: list[inspect.Parameter] = []
    injected: dict[str, Any] = {}
    for each in signature.parameters.values():
        if each.kind in {each.VAR_POSITIONAL, each.VAR_KEYWORD}:
            raise mistake(
                function,
                f"takes `{'*' if each.kind is each.VAR_POSITIONAL else '**'}{each.name}`, and functions of SQL have a fixed list of parameters",
                "name each of its parameters, or declare one function per number of them",
            )
        wanted = _injected(hints.get(each.name))
        if wanted is not None:
            injected[each.name] = wanted
        elif each.name not in but:
            own.append(each)
    if schema is not None and len(schema) != len(own):
        raise mistake(
            function,
            f"has {len(own)} parameters, and `parameters=` declares {len(schema)}",
            "declare one field per parameter, in their order",
        )
    parameters: list[Parameter] = []
    styles: list[Style] = []
    for index, each in enumerate(own):
        given = None if schema is None else schema.field(index)
        made, style = _parameter(function, each, hints, given, named=names_defaults)
        parameters.append(made)
        styles += [] if style is None else [style]
    return Declared(
        function,
        tuple(parameters),
        _one_style(function, styles),
        hints.get("return", MISSING),
        injected,
    )


def hints_of(function: AnyFunction) -> dict[str, Any]:
    target: Any = getattr(function, "__init__") if isinstance(function, type) else function  # noqa: B009  mypy
    try:
        local = dict(inspect.getclosurevars(target).nonlocals)
    except (TypeError, ValueError):
        local = {}
    try:
        return typing.get_type_hints(target, localns=local, include_extras=True)
    except NameError as error:
        raise mistake(
            function,
            f"has an annotation that means nothing: {error}",
            "import that name at the top of the file, not under TYPE_CHECKING",
        ) from error
    except TypeError as error:
        raise mistake(
            function, f"has an annotation that Python refuses: {error}", "correct the annotation"
        ) from error


def arrow_type(function: AnyFunction, annotation: Any, what: str) -> Annotation:
    """`what` is being declared: "parameter `x`", "its result"."""
    try:
        return read(annotation)
    except UnclearError as error:
        raise mistake(function, f"is unclear about {what}", str(error)) from error


def _parameter(
    function: AnyFunction,
    each: inspect.Parameter,
    hints: Mapping[str, Any],
    given: Field | None,
    *,
    named: bool,
) -> tuple[Parameter, Style | None]:
    what = f"parameter {quoted(each.name)}"
    annotation = hints.get(each.name, MISSING)
    if annotation is MISSING and given is None:
        raise mistake(
            function,
            f"does not say of which type its {what} is",
            f"write `{each.name}: int` (or float, str, pa.Int64Array, …), or declare all of them with"
            " `parameters=pa.schema([…])`",
        )
    found = Annotation(None) if annotation is MISSING else _read(function, annotation, given, what)
    is_named_one = named and each.default is not MISSING
    if given is None:
        if found.is_any:
            made = any_parameter(each.name, named=is_named_one)
        elif found.type is None:
            raise mistake(function, f"is unclear about its {what}", found.reason)
        else:
            made = parameter(each.name, found.type, named=is_named_one)
    elif is_named_one and not is_named(given):
        maker = any_parameter(given.name, named=True) if is_any(given) else None
        made = maker or parameter(given.name, given.type, named=True)
    else:
        made = given
    optional = found.optional or each.default is None
    return Parameter(each.name, made, optional, each.default), found.style


def _read(function: AnyFunction, annotation: Any, given: Field | None, what: str) -> Annotation:
    """Where a schema tells the type, an annotation may say what it likes."""
    if given is None:
        return arrow_type(function, annotation, f"its {what}")
    try:
        return read(annotation)
    except UnclearError:
        return Annotation(None)


def _one_style(function: AnyFunction, styles: list[Style]) -> Style | None:
    found = dict.fromkeys(styles)
    if len(found) > 1:
        shown = " and ".join(found)
        raise mistake(
            function,
            f"takes its parameters in several forms ({shown})",
            "take all of them as plain values, or all as arrays of one library",
        )
    return next(iter(found), None)


def _injected(annotation: Any) -> Any:
    for each in _INJECTED:
        if annotation is each or each in typing.get_args(annotation):
            return each
    return None


def require_plain(told: Declared, why: str) -> None:
    if told.style is not None and told.style.is_whole:
        raise mistake(
            told.function,
            f"takes an array as a parameter, and {why}",
            "take plain values: int, float, str, …",
        )


def described(function: AnyFunction) -> str | None:
    """The first paragraph of its docstring, on one line."""
    text = inspect.getdoc(function) if function.__doc__ else None
    return " ".join(text.split("\n\n")[0].split()) if text else None
