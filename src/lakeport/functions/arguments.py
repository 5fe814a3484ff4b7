"""The arguments of one call, from the one row they come in to what a Python function is called with."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from lakeport.catalog.parameters import is_any
from lakeport.catalog.rows.convert import convert
from lakeport.catalog.scan import Scan
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted
from lakeport.core.request import Request, current_request
from lakeport.functions.declared import MISSING, Declared
from lakeport.functions.values.plain import python_values


def python_arguments(told: Declared, arguments: pa.RecordBatch, what: str) -> dict[str, Any]:
    """By Python's names. What was left out, which is NULL, has its default."""
    found: dict[str, Any] = {}
    for each, column in zip(told.parameters, arguments.columns, strict=True):
        name = each.field.name
        values = column if is_any(each.field) else convert(column, each.field.type, name)
        (value,) = python_values(values, name)
        if value is not None:
            found[each.name] = value
        elif each.default is not MISSING:
            continue
        elif each.optional:
            found[each.name] = None
        else:
            raise InvalidRequestError(f"parameter {quoted(name)} of {what} cannot be NULL")
    return found


def injected(told: Declared, scan: Scan | None = None) -> dict[str, Any]:
    known: dict[Any, Any] = {Request: current_request(), Scan: scan}
    return {name: known.get(kind) for name, kind in told.injected.items()}


def call_with(function: Callable[..., Any], *first: object, known: Mapping[str, Any]) -> Any:
    """`first` by position, and those of `known` that the function has parameters for.

    `schema=lambda columns: …` need not take what it does not use.
    """
    parameters = inspect.signature(function).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return function(*first, **known)
    taken = list(parameters)[len(first) :]
    return function(*first, **{name: known[name] for name in taken if name in known})
