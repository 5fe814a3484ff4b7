"""A workload in which nothing repeats, beside sqlglot's parse and FlowScope.

`bench/lineage.py` measures the workload that has a bar; its statements repeat a few shapes, as generated ones do, and
answers to such are told again for other tables. Here each statement is bound for itself, so this is what a
workload costs that somebody wrote by hand. It has no bar of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

from bench.lineage_parts import peers
from bench.lineage_parts.clock import best_cpu
from bench.lineage_parts.flowscope import FlowScope
from bench.lineage_parts.texts import fresh
from bench.lineage_parts.varied import varied
from lakeport.lineage import AnalyzeRequest, analyze

ROUNDS = 12


def main() -> int:
    statements = varied(1000)
    with FlowScope([], statements) as its:
        parse, ours = best_cpu(
            lambda n: peers.parse_all(fresh(statements, n)),
            lambda n: analyze(
                AnalyzeRequest(sql=";\n".join(fresh(statements, n)), dialect=peers.DIALECT)
            ),
            rounds=ROUNDS,
            beside=lambda: its.turn("workload"),
        )
    flowscope = its.measured("objects")
    print(f"  {'':<24}{'s per 1,000 statements':>24}{'in parses':>12}")
    print(f"  {'sqlglot parse':<24}{parse:>24.3f}{1:>12.2f}")
    print(f"  {'lakeport':<24}{ours:>24.3f}{ours / parse:>12.2f}")
    if flowscope.skipped:
        print(f"  FlowScope 0.3.1 skipped: {flowscope.skipped}")
        return 0
    its_own = flowscope.workload
    print(f"  {'FlowScope 0.3.1 (WASM)':<24}{its_own:>24.3f}{its_own / parse:>12.2f}")
    print(f"\n  lakeport / FlowScope  {ours / its_own:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
