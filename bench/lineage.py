"""How fast lineage is, beside sqlglot alone, sqlglot's own lineage, sqllineage and FlowScope.

CPU time, everything in one run on one machine, so that only the ratios matter. The peers that are
not ours to install are fetched once into a cache folder, or skipped with the reason.

FlowScope is asked in two ways: as its package is called, with objects in and out, which is what `analyze` does; and by
the function inside, which takes JSON and gives JSON. Ours to JSON is measured beside that one, with the schema decoded
once, as a server holds it.

Where the limit is, is measured as well, in units of sqlglot's parse: a look at every node from
Python, the least that binds the queries at all, and the answer itself, made from its own JSON and
written again by C. Whatever the binder, an answer of this contract from a sqlglot tree for each statement costs parse,
look and answer: 1.4 to 1.6 on the queries and 1.3 to 1.9 on the workload, which has no schema.

The parser is compiled and the binder is not, so the queries depend on the machine: 1.96 and 2.12 parses on one, 2.38 to 2.44 on
the fastest so far (parse 0.40 ms per query, ours 0.96), with the same code. By instructions, which move by a
fiftieth, it is 1.81 parses (`valgrind --tool=cachegrind`).

Statements of the workload that repeat each other are parsed once, and told again where they differ in names of tables alone: 1.6 parses,
0.99 to 1.07 times FlowScope's package; without both it was 2.4 parses. `bench/lineage_varied.py` has a workload where nothing repeats.

The ratios to FlowScope, which is another process, move more than others do: 20 runs on one day, most of them
beside other work, gave 0.68 to 1.72 for the queries JSON to JSON; on a quiet machine it was 0.72 and 0.76.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import msgspec

from bench.lineage_parts import peers, retail, texts
from bench.lineage_parts.clock import Line, best_cpu, best_cpu_of, show
from bench.lineage_parts.floor import Floor
from bench.lineage_parts.flowscope import FlowScope
from lakeport.lineage import AnalyzeRequest, AnalyzeResult, analyze, encode_result
from lakeport.lineage.request import SchemaMetadata

# Many: the least counts, a busy machine spoils most, and FlowScope's compiler is warm after eight.
ROUNDS = 12


def main() -> int:
    queries = texts.queries()
    statements = texts.workload(1000)
    schema = peers.mapping_schema()
    floor = Floor(retail.tables())

    with FlowScope(queries, statements) as its:
        parse, look, least, ours, ours_json, theirs = best_cpu_of(
            queries,
            peers.parse_all,
            peers.parse_and_look,
            lambda few: [floor.answer_json(sql, peers.DIALECT) for sql in few],
            _answers,
            _answers_json,
            lambda few: peers.lineage_of_all(few, schema),
            rounds=ROUNDS,
            beside=lambda: its.turn("queries"),
        )
        parse_workload, look_workload, workload, workload_json, theirs_workload = best_cpu(
            lambda n: peers.parse_all(texts.fresh(statements, n)),
            lambda n: peers.parse_and_look(texts.fresh(statements, n)),
            lambda n: _answer(";\n".join(texts.fresh(statements, n))),
            lambda n: encode_result(_answer(";\n".join(texts.fresh(statements, n)))),
            lambda n: peers.lineage_of_all(texts.fresh(statements, n), schema),
            rounds=ROUNDS,
            beside=lambda: its.turn("workload"),
        )
    answer, answer_workload = _answers_alone(queries, statements)
    flowscope, its_json = its.measured("objects"), its.measured("text")
    sqllineage = peers.sqllineage(queries, statements)

    print(f"  {'':<26}{'ms per query':>14}{'s per 1,000 statements':>26}")
    for name, on_queries, on_workload, skipped in (
        ("sqlglot parse", parse, parse_workload, None),
        ("parse + a look per node", look, look_workload, None),
        ("lakeport", ours, workload, None),
        ("lakeport to JSON", ours_json, workload_json, None),
        ("sqlglot qualify + lineage", theirs, theirs_workload, None),
        ("FlowScope 0.3.1 (WASM)", flowscope.queries, flowscope.workload, flowscope.skipped),
        ("FlowScope, JSON to JSON", its_json.queries, its_json.workload, its_json.skipped),
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
            Line("queries: lakeport / FlowScope", ours / flowscope.queries, 1.0),
            Line("workload: lakeport / FlowScope", workload / flowscope.workload, 1.5),
            Line("queries: to JSON / its JSON", ours_json / its_json.queries, 1.0),
            Line("workload: to JSON / its JSON", workload_json / its_json.workload, 1.5),
        ]
    kept = show(bars)
    print(f"\n  {'limits, in parses of sqlglot':<44}{'queries':>10}{'workload':>10}")
    for name, on_queries, on_workload in (
        ("a look per node", look - parse, look_workload - parse_workload),
        ("the answer, made and written in C", answer, answer_workload),
        ("parse + look + answer: nothing bound", look + answer, look_workload + answer_workload),
        ("parse + the least that binds, to JSON", least, 0.0),
        ("FlowScope", flowscope.queries, flowscope.workload),
        ("FlowScope, JSON to JSON", its_json.queries, its_json.workload),
    ):
        shown = f"{on_workload / parse_workload:>10.2f}" if on_workload else ""
        print(f"  {name:<44}{on_queries / parse:>10.2f}{shown}")
    print("  (the least: names to columns alone, no types, spans, texts, checks, workload graph)")
    return 0 if kept else 1


def _answers_alone(queries: list[str], statements: list[str]) -> tuple[float, float]:
    """What the objects and the JSON of our answers cost without any analysis."""
    some = [encode_result(_answer(sql, _SCHEMA)) for sql in queries]
    whole = encode_result(_answer(";\n".join(statements)))
    decode = msgspec.json.Decoder(AnalyzeResult).decode
    first, second = best_cpu(
        lambda _: [encode_result(decode(answer)) for answer in some],
        lambda _: encode_result(decode(whole)),
        rounds=ROUNDS,
    )
    return first, second


def _answers(queries: list[str]) -> None:
    for sql in queries:
        _answer(sql, _SCHEMA)


def _answers_json(queries: list[str]) -> None:
    for sql in queries:
        encode_result(_answer(sql, _SCHEMA))


def _answer(sql: str, schema: SchemaMetadata | None = None) -> AnalyzeResult:
    """One request; a schema is decoded once, as a server holds it."""
    return analyze(AnalyzeRequest(sql=sql, dialect=peers.DIALECT, schema=schema))


_SCHEMA = msgspec.convert(retail.schema(), SchemaMetadata)

if __name__ == "__main__":
    sys.exit(main())
