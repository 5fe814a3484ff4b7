"""What Spark says against a model's query, told where its author can put it right: file, line, caret.

Spark counts in the text it was given. There the tables have other names than in the file, ephemeral models
stand as the queries they are, and a template has been rendered; so a position is walked back through all
of that, into the file of whichever model wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakeport.core.errors import (
    AlreadyExistsError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PreconditionError,
    UnsupportedError,
)
from lakeport.pipeline.graph import Node
from lakeport.pipeline.graph.model import Reference
from lakeport.pipeline.graph.renaming import edits_for
from lakeport.pipeline.graph.texts import Located
from lakeport.pipeline.project.problems import Place, Problem, excerpt
from lakeport.pipeline.project.template import Templates, is_template
from lakeport.pipeline.queries.reading import Reading
from lakeport.pipeline.queries.sentences import in_short
from lakeport.pipeline.session import Position
from lakeport.pipeline.writing.failures import OF_QUERY, QueryError

_HEAD = 1
"""Lines that stand before a query that is computed (`staging.Query.text`)."""

_OPENED = "(\n"
"""What stands before a query in another one (`Reading.name`)."""

_JOINED = re.compile(r"\w\w")
"""A name and a word that would grow together: a blank was put between them."""

_NO_MODULE = "ModuleNotFoundError: "
_ELSEWHERE = (
    "import modules of the project at the top of the file: functions run in other processes, where they are"
    " not to be found; everything else must be installed there"
)

_OF_SETTINGS = ("unique_key", "time_column", "partitioned_by", "properties")

_AUTHORS = (
    AlreadyExistsError,
    InvalidRequestError,
    NotFoundError,
    PreconditionError,
    UnsupportedError,
)


def placed(
    error: LakeportError, node: Node, reading: Reading | None = None, head: int = _HEAD
) -> LakeportError:
    """With the file; by `reading` also with the line, if Spark told it. `head` lines stood before the query."""
    if not isinstance(error, QueryError):
        return _in_file(error, node)
    message, near = in_short(error.message.removeprefix(OF_QUERY))
    if near is None:
        message = f"{OF_QUERY}{message}"
    place, text = Place(node.model.path), node.model.text
    if reading is not None and error.position is not None and node.model.language == "sql":
        found = _origin(reading, node, error.position, head)
        if found is not None:
            place, text = _place(reading, *found), found[0].model.text
    shown = excerpt(text, place.line, place.column) if place.line is not None else None
    lines = [f"{place}: {message}", *(f"  {each}" for each in (shown or "").split("\n") if each)]
    hint = _ELSEWHERE if _NO_MODULE in message else near or error.hint
    return InvalidRequestError("\n".join(lines), hint=hint)


def _in_file(error: LakeportError, node: Node) -> LakeportError:
    """What a model's rows or settings are refused for, with its file; a setting has its line."""
    model = node.model
    if not isinstance(error, _AUTHORS) or model.path in error.message:
        return error
    said = (name for name in _OF_SETTINGS if name in error.message)
    line = next((model.setting_lines.get(name) for name in said), None)
    error.message = f"{Place(model.path, line)}: {error.message}"
    error.args = (error.message,)
    return error


# -- the way back --------------------------------------------------------------------------------


def _origin(reading: Reading, node: Node, position: Position, head: int) -> tuple[Node, int] | None:
    """The model and the offset in its query; None if the position is in no text of an author."""
    lines = reading.rewritten(node.query).split("\n")
    row = position.line - 1 - head
    if not 0 <= row < len(lines):
        return None
    if not lines[row][position.column - 1 :].startswith(position.fragment):
        return None  # it is in another statement, about rows that the query gave
    offset = sum(len(line) + 1 for line in lines[:row]) + position.column - 1
    return _inside(reading, node, offset)


def _inside(reading: Reading, node: Node, offset: int) -> tuple[Node, int] | None:
    """From an offset in the text without blanks around it."""
    query, whole = node.query, node.query.rewritten(reading.name)
    at = offset + len(whole) - len(whole.lstrip())
    there = here = 0  # what was walked of the text that Spark has, and of the author's
    for start, end, new, reference in _edits(reading, node):
        plain = start - here
        if at < there + plain:
            break
        there = whole.find(new, there + plain)  # a blank may come before it
        if there < 0:
            return None
        if at < there + len(new):
            is_query = new.startswith(f"{reference.lead}{_OPENED}")
            found = _in_query(reading, reference, at - there) if is_query else None
            return found or (node, start)
        there += len(new)
        here = end
        if _JOINED.fullmatch(new[-1:] + query.sql[end : end + 1]):
            there += 1  # and one after it
    return node, min(here + at - there, len(query.sql))


def _in_query(reading: Reading, reference: Reference, at: int) -> tuple[Node, int] | None:
    """In the query of a model that stands in the place of its name."""
    offset = at - len(reference.lead) - len(_OPENED)
    return _inside(reading, reading.graph.node(reference.table), offset) if offset >= 0 else None


def _edits(reading: Reading, node: Node) -> Iterator[tuple[int, int, str, Reference]]:
    """As `Query.rewritten` makes them, in the order of the text."""
    found = [
        (*edit, reference)
        for reference in node.query.references
        for edit in edits_for(reference, reading.name(reference))
    ]
    yield from sorted(found, key=lambda edit: edit[:3])


def _place(reading: Reading, node: Node, offset: int) -> Place:
    model = node.model
    if not is_template(model.body):
        return Located(node.query.sql, model).place(offset)
    templates = Templates(reading.graph.project)
    for incremental in (True, False):  # whichever it was that gave this text
        rendered = templates.render(model, incremental=incremental)
        if not isinstance(rendered, Problem) and rendered.sql == node.query.sql:
            return Located(rendered.sql, model, rendered.lines).place(offset)
    return Place(model.path)
