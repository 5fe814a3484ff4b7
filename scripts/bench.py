"""Runs every program under bench/, or the ones named; each prints its ratios by itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent / "bench"


def main(wanted: list[str]) -> int:
    programs = sorted(path for path in BENCH.glob("*.py") if not wanted or path.stem in wanted)
    missing = set(wanted) - {path.stem for path in programs}
    if missing:
        print(f"no such bench: {', '.join(sorted(missing))}", file=sys.stderr)
        return 2
    failed = []
    for path in programs:
        print(f"\n== {path.stem} ==", flush=True)
        if subprocess.run([sys.executable, str(path)], check=False).returncode:
            failed.append(path.stem)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
