"""How fast lineage is, beside sqlglot alone, sqlglot's own lineage, sqllineage and FlowScope.

CPU time, everything in one run on one machine, so that only the ratios matter. The peers that are
not ours to install are fetched once into a cache folder, or skipped with the reason. A look at every
node from Python, and nothing else, shows where the floor of any analyzer on these trees is.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import msgspec

from bench.lineage_parts import peers, texts
from bench.lineage_parts.clock import Line, best_cpu, show
from lakeport.lineage import AnalyzeRequest, AnalyzeResult, analyze, encode_result
from lakeport.lineage.request import SchemaMetadata

# Many: the least counts, a busy machine spoils most, and FlowScope's compiler is warm after eight.
ROUNDS = 12


def main() -> int:
    queries = texts.queries()
    statements = texts.workload(1000)
    schema = peers.mapping_schema()

    parse, floor, ours, ours_json, theirs = best_cpu(
        lambda n: peers.parse_all(texts.fresh(queries, n)),
        lambda n: peers.parse_and_look(texts.fresh(queries, n)),
        lambda n: _answers(queries, n),
        lambda n: [encode_result(answer) for answer in _answers(queries, n)],
        lambda n: peers.lineage_of_all(texts.fresh(queries, n), schema),
        rounds=ROUNDS,
    )
    parse_workload, floor_workload, workload, workload_json, theirs_workload = best_cpu(
        lambda n: peers.parse_all(texts.fresh(statements, n)),
        lambda n: peers.parse_and_look(texts.fresh(statements, n)),
        lambda n: _answer(statements, n),
        lambda n: encode_result(_answer(statements, n)),
        lambda n: peers.lineage_of_all(texts.fresh(statements, n), schema),
        rounds=ROUNDS,
    )
    flowscope = peers.flowscope(queries, statements, ROUNDS)
    sqllineage = peers.sqllineage(queries, statements)

    print(f"  {'':<26}{'ms per query':>14}{'s per 1,000 statements':>26}")
    for name, on_queries, on_workload, skipped in (
        ("sqlglot parse", parse, parse_workload, None),
        ("parse + a look per node", floor, floor_workload, None),
        ("lakeport", ours, workload, None),
        ("lakeport to JSON", ours_json, workload_json, None),
        ("sqlglot qualify + lineage", theirs, theirs_workload, None),
        ("FlowScope 0.3.1 (WASM)", flowscope.queries, flowscope.workload, flowscope.skipped),
        ("sqllineage 1.5.9 (sample)", sqllineage.queries, sqllineage.workload, sqllineage.skipped),
    ):
        if skipped:
            print(f"  {name:<26}skipped: {skipped}")
        else:
            print(f"  {name:<26}{on_queries / len(queries) * 1000:>14.2f}{on_workload:>26.2f}")
    print()
    bars = [
        Line("queries: lakeport / sqlglot parse", ours / parse, 2.2),
        Line("queries: qualify + lineage / lakeport", theirs / ours, 2.0, at_least=True),
        Line("workload: seconds", workload, 0.6),
    ]
    if not flowscope.skipped:
        bars += [
            Line("queries: lakeport to JSON / FlowScope", ours_json / flowscope.queries, 1.0),
            Line("workload: lakeport to JSON / FlowScope", workload_json / flowscope.workload, 1.5),
        ]
    return 0 if show(bars) else 1


def _answers(queries: list[str], number: int) -> list[AnalyzeResult]:
    """Query by query, with the schema decoded once, as a server holds it."""
    return [
        analyze(AnalyzeRequest(sql=sql, dialect=peers.DIALECT, schema=_SCHEMA))
        for sql in texts.fresh(queries, number)
    ]


def _answer(statements: list[str], number: int) -> AnalyzeResult:
    """All statements in one request; their schema is what they create."""
    sql = ";\n".join(texts.fresh(statements, number))
    return analyze(AnalyzeRequest(sql=sql, dialect=peers.DIALECT))


_SCHEMA = msgspec.convert(texts.schema(), SchemaMetadata)

if __name__ == "__main__":
    sys.exit(main())
