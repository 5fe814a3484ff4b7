"""Names that the blocks of a script give to the statements inside them.

A loop's row is bound as a derived table of the loop's query, on first use and once per statement, so
that what it is made of reaches what the statement writes. `NEW` and `OLD` are rows of the trigger's
table. Variables and parameters are plain values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakeport.lineage.bind.fragments import Fragments
from lakeport.lineage.bind.scope import Ref, Relation
from lakeport.lineage.bind.tables import trigger_table
from lakeport.lineage.parse import parsed_fragment
from lakeport.lineage.types import field_type
from lakeport.lineage.variables import is_session_qualifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from lakeport.lineage.bind.binder import Binder


def script_refs(binder: Binder, chain: Sequence[exp.Expr], role: int) -> list[Ref] | None:
    """What a name means in the blocks around the statement, the innermost first; None if nothing."""
    first = chain[0].name.lower()
    for position in reversed(range(len(binder.blocks))):
        block = binder.blocks[position]
        if first in block.names:
            return []
        if block.table and first in _ROWS and len(chain) > 1:
            return _changed_row(binder, position, chain[1:], role)
        if first == block.label and len(chain) > 1:
            return script_refs(binder, chain[1:], role) or []
        if block.query is None:
            continue
        columns = chain[1:] if first == block.variable else chain
        column = None
        if columns:
            column = loop_relation(binder, position).find(binder.key(columns[0]))
        if column is not None:
            path = ".".join(part.name for part in columns[1:]) or None
            return [Ref(column, role, path=path)]
        if first == block.variable:
            return []
    return None


# The row that changes, as triggers for each row call it after and before.
_ROWS = frozenset({"new", "old"})


def _changed_row(
    binder: Binder, position: int, columns: Sequence[exp.Expr], role: int
) -> list[Ref] | None:
    relation = binder.loops.get(position) or trigger_table(binder)
    if relation is None:
        return None
    binder.loops[position] = relation
    key = binder.key(columns[0])
    column = relation.find(key)
    if column is None and not relation.complete:
        column = binder.inferred(relation, columns[0].name, key)
    path = ".".join(part.name for part in columns[1:]) or None
    return [Ref(column, role, path=path)] if column is not None else []


def means_variable(binder: Binder, chain: Sequence[exp.Expr]) -> bool:
    """`x`, and `session.x` or `system.session.x` in Spark, after a DECLARE; or a field of such a one."""
    for end in range(len(chain), 0, -1) if binder.variables else ():
        held = binder.variables.get(binder.key(chain[end - 1]))
        if held is None or not is_session_qualifier([part.name for part in chain[: end - 1]]):
            continue
        if end == len(chain):
            return True
        field = field_type(held.type, [part.name for part in chain[end:]])
        if field is not None:
            binder.types.memo[id(chain[-1].parent)] = field
            return True
    return False


def loop_relation(binder: Binder, position: int) -> Relation:
    """The rows of the loop at that place among the blocks."""
    block = binder.blocks[position]
    found = binder.loops.get(position)
    if found is not None or block.query is None:
        return found or Relation("cte", "", ("",))
    tokens = list(block.query.tokens)
    tree = parsed_fragment(tokens, binder.text, binder.dialect.parser)
    surroundings = binder.blocks, binder.fragments, len(binder.session.issues)
    binder.blocks, binder.fragments = binder.blocks[:position], Fragments(tokens, binder.text)
    output = binder.query(tree, None, {}) if tree is not None else None
    binder.blocks, binder.fragments, reported = surroundings
    # The header is a statement of its own, and says what is wrong with the query there.
    del binder.session.issues[reported:]
    relation = binder.derived(block.variable, local_kind="derived")
    if output is not None:
        relation.receive(output)
    binder.loops[position] = relation
    return relation
