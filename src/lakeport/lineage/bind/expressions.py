"""What an expression reads: one loop over its tree with an explicit stack.

Every input carries its role: value, aggregate argument, condition, window or sort key. Names bind in
document order. What has a meaning of its own is in `constructs`. Ten thousand OR terms are as good as ten, since nothing here recurses but subqueries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlglot import exp

from lakeport.lineage.bind.columns import bind_column
from lakeport.lineage.bind.constructs import HANDLERS, scalar_subquery
from lakeport.lineage.bind.scope import AGGREGATE, VALUE
from lakeport.lineage.bind.subqueries import MASK, stronger

if TYPE_CHECKING:
    from lakeport.lineage.bind.binder import Binder
    from lakeport.lineage.bind.constructs import Work
    from lakeport.lineage.bind.scope import Ref, Scope

_GENERIC, _LEAF, _COLUMN, _AGGREGATE, _MASKING, _SPECIAL, _LOGIC, _OPERATOR = range(8)
# Two operands and nothing else that could read a column: most nodes of most expressions.
_OPERATORS: tuple[type[exp.Expr], ...] = (
    exp.EQ,
    exp.NEQ,
    exp.GT,
    exp.GTE,
    exp.LT,
    exp.LTE,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.Mod,
    exp.NullSafeEQ,
)
_LEAVES: tuple[type[exp.Expr], ...] = (
    exp.Literal,
    exp.Identifier,
    exp.DataType,
    exp.Var,
    exp.Null,
    exp.Boolean,
    exp.Placeholder,
    exp.Parameter,
    exp.SessionParameter,
    exp.JSONPath,
    exp.HexString,
    exp.BitString,
    exp.National,
    exp.RawString,
    exp.TableAlias,
)
_MASKING_FUNCTIONS: tuple[type[exp.Expr], ...] = tuple(
    getattr(exp, name)
    for name in (
        "MD5",
        "MD5Digest",
        "MD5NumberLower64",
        "MD5NumberUpper64",
        "SHA",
        "SHA1Digest",
        "SHA2",
        "SHA2Digest",
        "FarmFingerprint",
        "StandardHash",
        "Encrypt",
        "AesEncrypt",
    )
    if hasattr(exp, name)
)
_classes: dict[type, int] = {
    exp.Column: _COLUMN,
    exp.And: _LOGIC,
    exp.Or: _LOGIC,
    **dict.fromkeys(_OPERATORS, _OPERATOR),
    type(None): _LEAF,
    bool: _LEAF,
    str: _LEAF,
}


def collect(binder: Binder, root: exp.Expr, scope: Scope, role: int = VALUE) -> list[Ref]:
    """Every input of an expression, each once, in its strongest role."""
    if root.__class__ is exp.Column:
        return bind_column(binder, root, scope, role)
    if role == VALUE and _classes.get(root.__class__) == _AGGREGATE:
        # `sum(c)`, as most select items of a grouped query are.
        inner = root.args.get("this")
        if inner.__class__ is exp.Column and len(root.args) == 1:
            return bind_column(binder, inner, scope, AGGREGATE)
    refs = occurrences(binder, root, scope, role)
    return _distinct(refs) if len(refs) > 1 else refs


def occurrences(  # noqa: C901, PLR0912 - the hot loop of the binder, in one piece on purpose
    binder: Binder, root: exp.Expr, scope: Scope, role: int
) -> list[Ref]:
    """The inputs of an expression as often as they occur in it."""
    refs: list[Ref] = []
    work: Work = []
    push, kind_of, node = work.append, _classes.get, root
    while True:
        cls = node.__class__
        kind = kind_of(cls)
        if kind is None:
            kind = _classify(cls)
        if kind == _COLUMN:
            if role >= MASK:
                found = bind_column(binder, node, scope, role - MASK)
                refs += [replace(ref, masking=True) for ref in found]
            else:
                refs += bind_column(binder, node, scope, role)
        elif kind >= _LOGIC:
            if kind == _OPERATOR:
                binder.operations.append(node)
            args = node.args
            left, node = args["this"], args["expression"]
            if left.__class__ is exp.Column and role < MASK:
                refs += bind_column(binder, left, scope, role)
            elif kind_of(left.__class__) != _LEAF:
                push((node, role))
                node = left
            continue
        elif kind == _SPECIAL:
            HANDLERS[cls](binder, node, scope, role, work, refs)
        elif kind != _LEAF:
            if kind == _AGGREGATE:
                role = stronger(role, AGGREGATE)
            elif kind == _MASKING and role < MASK:
                role += MASK
            # Pushed from right to left: names bind in document order.
            for value in reversed(node.args.values()):
                if value.__class__ is list:
                    for item in reversed(value):
                        if kind_of(item.__class__) != _LEAF:
                            push((item, role))
                elif kind_of(value.__class__) != _LEAF:
                    push((value, role))
        if not work:
            return refs
        node, role = work.pop()


def _distinct(refs: list[Ref]) -> list[Ref]:
    best: dict[tuple[int, str | None], Ref] = {}
    for ref in refs:
        key = (id(ref.origin), ref.path)
        held = best.get(key)
        if held is None:
            best[key] = ref
        elif ref.role < held.role or (held.masking and not ref.masking):
            best[key] = replace(
                ref, masking=ref.masking and held.masking, role=min(ref.role, held.role)
            )
    return list(best.values())


def _classify(cls: type) -> int:
    if not issubclass(cls, exp.Expr):
        # Words and switches beside the nodes of a tree.
        kind = _LEAF
    elif cls in HANDLERS:
        kind = _SPECIAL
    elif issubclass(cls, exp.Query):
        HANDLERS[cls] = scalar_subquery
        kind = _SPECIAL
    elif issubclass(cls, _LEAVES):
        kind = _LEAF
    elif issubclass(cls, exp.AggFunc):
        kind = _AGGREGATE
    elif issubclass(cls, _MASKING_FUNCTIONS):
        kind = _MASKING
    else:
        kind = _GENERIC
    _classes[cls] = kind
    return kind
