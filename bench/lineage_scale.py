"""How lineage grows: doubled workloads, one edit among many, very wide and very deep SQL, memory.

Everything here must be linear and must not recurse; the soak shows that nothing is kept for ever.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.lineage_parts import retail, texts
from bench.lineage_parts.clock import Line, best_cpu, show
from lakeport.lineage import Analyzer, AnalyzeResult, analyze

SOAK_ROUNDS = 25
SETTLED_AFTER = 3


def main() -> int:
    bars = [*_doublings(), _edit(), *_shapes(), _soak()]
    return 0 if show(bars) else 1


def _run(sql: str, **schema: object) -> AnalyzeResult:
    return analyze({"sql": sql, "dialect": "spark", **schema})


def _doublings() -> list[Line]:
    sizes = (250, 500, 1000, 2000)
    seconds = best_cpu(*(partial(_workload, size) for size in sizes), rounds=9)
    return [
        Line(f"{small} → {large} statements", after / before, 2.2)
        for small, large, before, after in zip(sizes, sizes[1:], seconds, seconds[1:], strict=False)
    ]


def _workload(size: int, number: int) -> None:
    _run(";\n".join(texts.fresh(texts.workload(size), number)))


def _edit() -> Line:
    """What an editor pays for a change in the middle of a long workload."""
    statements = texts.workload(1000)
    analyzer = Analyzer()
    analyzer.analyze({"sql": ";\n".join(statements), "dialect": "spark"})

    def edited(number: int) -> None:
        changed = [*statements[:505], f"{statements[505]} /* {number} */", *statements[506:]]
        analyzer.analyze({"sql": ";\n".join(changed), "dialect": "spark"})

    edit, whole = best_cpu(edited, partial(_workload, 1000))
    return Line("edit one of 1,000 / full run", edit / whole, 0.1)


def _shapes() -> list[Line]:
    """Each shape ten times larger must cost about ten times as much."""
    lines = []
    for name, make, small, large in (
        ("column star", _star, 1_000, 10_000),
        ("term OR", _or_chain, 1_000, 10_000),
        ("nested CTEs", _nested_ctes, 5, 50),
        ("branch UNION", _union, 100, 1_000),
    ):
        before, after = best_cpu(partial(make, small), partial(make, large))
        lines.append(Line(f"{large:,}-{name}: seconds", after, 2.0))
        lines.append(Line(f"{small:,} → {large:,} {name}", after / max(before, 1e-3), 15.0))
    return lines


def _star(width: int, number: int) -> None:
    columns = [{"name": f"c{number}", "dataType": "int"} for number in range(width)]
    result = _run(
        f"SELECT * FROM wide /* {number} */",
        schema={"tables": [{"name": "wide", "columns": columns}]},
    )
    _require(result.summary.column_count >= width, result)


def _or_chain(terms: int, number: int) -> None:
    condition = " OR ".join(f"a = {term}" for term in range(terms))
    _require(not _run(f"SELECT a FROM t WHERE {condition} /* {number} */").summary.has_errors)


def _nested_ctes(depth: int, number: int) -> None:
    inner = f"SELECT a FROM t /* {number} */"
    for level in range(depth):
        inner = f"WITH c{level} AS ({inner}) SELECT a FROM c{level}"
    _require(not _run(inner).summary.has_errors)


def _union(branches: int, number: int) -> None:
    sql = " UNION ALL ".join(f"SELECT a{branch} AS a FROM t{branch}" for branch in range(branches))
    _require(not _run(f"{sql} /* {number} */").summary.has_errors)


def _soak() -> Line:
    """Python memory after every round over the queries, as growth since it settled."""
    schema = retail.schema()
    queries = texts.queries()
    tracemalloc.start()
    settled = 0
    for number in range(SOAK_ROUNDS):
        for sql in queries:
            _run(f"{sql} /* round {number} */", schema=schema)
        gc.collect()
        if number + 1 == SETTLED_AFTER:
            settled = tracemalloc.get_traced_memory()[0]
    grown = tracemalloc.get_traced_memory()[0] / max(settled, 1)
    tracemalloc.stop()
    return Line(f"memory after {SOAK_ROUNDS} rounds / after {SETTLED_AFTER}", grown, 1.2)


def _require(holds: object, result: AnalyzeResult | None = None) -> None:
    if not holds:
        raise AssertionError(
            f"the bench's SQL was not understood: {result.issues if result else ''}"
        )


if __name__ == "__main__":
    sys.exit(main())
