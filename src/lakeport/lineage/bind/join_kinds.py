"""What kind of join a JOIN clause is, in one word of the result's vocabulary."""

from __future__ import annotations

from sqlglot import exp


def join_type(join: exp.Expr) -> str:
    """The kind of join in one word."""
    args = join.args
    node = args.get("this")
    if len(args) == 2 and args.get("kind") == "CROSS" and node.__class__ is exp.Table:
        # A comma, or CROSS JOIN.
        return "CROSS"
    if node.__class__ is exp.Lateral and node.args.get("cross_apply") is not None:
        return "CROSS_APPLY" if node.args["cross_apply"] else "OUTER_APPLY"
    plain = args.get("on") is None and not args.get("using")
    if not (args.get("side") or args.get("kind") or args.get("method")):
        return "CROSS" if plain else "INNER"
    side = (args.get("side") or "").upper()
    kind = (args.get("kind") or "").upper()
    method = (args.get("method") or "").upper()
    if "ASOF" in {method, kind} and kind not in {"SEMI", "ANTI"}:
        # ClickHouse's is a kind.
        return "AS_OF"
    if kind in {"SEMI", "ANTI"}:
        return f"{side if side in {'LEFT', 'RIGHT'} else 'LEFT'}_{kind}"
    if side in {"LEFT", "RIGHT", "FULL"}:
        return side
    if kind == "CROSS":
        return "CROSS"
    return "CROSS" if plain and not (kind or method) else "INNER"
