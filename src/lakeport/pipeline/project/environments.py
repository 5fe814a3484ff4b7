"""Environments: the same models in other namespaces. `[pipeline.environments.dev]` with `prefix = "dev_"`.

An environment may also have parameters, vars and defaults of its own, laid over those of the project. All
environments are looked at, whichever is used: two that would write one table are a trap for whoever uses
the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lakeport.core.names import fold, nearest, quoted, why_unsafe_namespace
from lakeport.pipeline.project.model import Environment
from lakeport.pipeline.project.problems import Place, Problem

KEYS = ("prefix", "namespaces", "parameters", "vars", "defaults")
_TABLES = ("namespaces", "parameters", "vars", "defaults")
_EXAMPLE = 'write prefix = "dev_", or namespaces = { marts = "dev_marts" }'


@dataclass(frozen=True, slots=True)
class Overrides:
    """An environment with what it lays over the project's own settings."""

    environment: Environment
    place: Place
    parameters: Mapping[str, Any] = field(default_factory=dict)
    vars: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)


def read_environments(
    given: Mapping[str, Any], place: Callable[[str], Place]
) -> tuple[dict[str, Overrides], list[Problem]]:
    found: dict[str, Overrides] = {}
    problems: list[Problem] = []
    for name, facts in given.items():
        here = place(name)
        if not isinstance(facts, dict):
            message = f"the environment {quoted(name)} is no table"
            problems.append(Problem("environment", message, _EXAMPLE, here))
            continue
        problems += _wrong(name, facts, here)
        prefix = facts.get("prefix", "")
        namespaces = facts.get("namespaces", {})
        environment = Environment(
            name,
            prefix if isinstance(prefix, str) else "",
            namespaces if isinstance(namespaces, dict) else {},
        )
        laid = {key: facts[key] for key in _TABLES[1:] if isinstance(facts.get(key), dict)}
        found[name] = Overrides(environment, here, **laid)
    return found, problems


def _wrong(name: str, facts: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    for message, hint in (*_wrong_keys(facts), *_wrong_names(facts)):
        yield Problem("environment", f"environment {quoted(name)}: {message}", hint, place)


def _wrong_keys(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in facts:
        if key not in KEYS:
            close = nearest(key, KEYS)
            hint = f"did you mean {quoted(close)}? " if close else ""
            yield f"there is no setting {quoted(key)}", f"{hint}settings: {', '.join(KEYS)}"
    for key in _TABLES:
        if key in facts and not isinstance(facts[key], dict):
            yield f"{quoted(key)} is no table", _EXAMPLE


def _wrong_names(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    prefix = facts.get("prefix", "x")
    if not isinstance(prefix, str) or not prefix:
        yield "`prefix` is no text", _EXAMPLE
    elif (reason := why_unsafe_namespace(f"{prefix}x")) is not None:
        yield f"no namespace can begin with {quoted(prefix)}: {reason}", "choose another prefix"
    namespaces = facts.get("namespaces")
    for namespace, mapped in namespaces.items() if isinstance(namespaces, dict) else ():
        reason = why_unsafe_namespace(mapped) if isinstance(mapped, str) else "it is no text"
        if reason is not None:
            message = f"{quoted(namespace)} cannot be mapped to {mapped!r}: {reason}"
            yield message, "choose another name"


def collisions(
    environments: Mapping[str, Overrides], models: Iterable[str], sources: Iterable[str]
) -> Iterator[Problem]:
    """Namespaces that would be written from two sides. `models` and `sources` are namespaces."""
    own = {fold(namespace): namespace for namespace in models}
    foreign = {fold(namespace): namespace for namespace in sources}
    taken: dict[str, tuple[str, str]] = {}
    for name, overrides in environments.items():
        environment, place = overrides.environment, overrides.place
        unknown = next((n for n in environment.namespaces if fold(n) not in own), None)
        if unknown is not None:
            close = nearest(unknown, own.values())
            hint = f"did you mean {quoted(close)}? " if close else ""
            yield Problem(
                "environment",
                f"environment {quoted(name)} maps {quoted(unknown)}, where no model is",
                f"{hint}namespaces: {', '.join(sorted(own.values()))}",
                place,
            )
        for key, namespace in own.items():
            mapped = environment.namespace(namespace)
            target = fold(mapped)
            if target == key:
                continue  # it shares these tables with the project itself, on purpose
            clash = _clash(target, own, foreign, taken)
            if clash is not None:
                yield Problem(
                    "collision",
                    f"environment {quoted(name)} maps {quoted(namespace)} to {quoted(mapped)}, {clash}",
                    "map it to a namespace of its own",
                    place,
                )
            taken.setdefault(target, (name, namespace))


def _clash(
    target: str,
    own: Mapping[str, str],
    foreign: Mapping[str, str],
    taken: Mapping[str, tuple[str, str]],
) -> str | None:
    if target in foreign:
        return "where sources are"
    if target in own:
        return f"where the models of {quoted(own[target])} are without an environment"
    if target in taken:
        other, namespace = taken[target]
        return f"and environment {quoted(other)} maps {quoted(namespace)} there"
    return None
