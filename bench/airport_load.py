"""How much memory `lakeport load --server` takes, here and there, while a file goes over the wire: rows
are read, sent and written as they come, so the end of a file should take what its beginning did.

CSV, because its reader maps no file, into a table that a small file has made. Command and server are
processes of their own, whose resident memory is looked at while the file is loaded; medians of the second
quarter of that time, when all is under way, and of the last, the peaks beside them.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a program, from anywhere

import pyarrow.csv as pacsv

from bench.airport_parts import writing
from bench.flight_parts.programs import running
from bench.iceberg_parts import lineitem
from bench.iceberg_parts.race import QUICK_ROWS, finish, is_quick
from bench.lineage_parts.clock import Line

ROWS = 2_000_000
FEW = 10_000
FLAT = 1.15
_PAUSE = 0.05


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="lakeport-bench-") as name:
        folder = Path(name)
        file = _written(folder, "rows.csv", QUICK_ROWS if is_quick() else ROWS)
        small = _written(folder, "few.csv", FEW)
        with running(writing.__file__, folder) as server:
            _loaded(small, server.ready, server.pid)
            client, served = _loaded(file, server.ready, server.pid)
        size = file.stat().st_size / 2**20
    return finish([_line("command", client, size), _line("server", served, size)])


def _line(who: str, resident: Sequence[float], size: float) -> Line:
    quarter = len(resident) // 4
    early = statistics.median(resident[quarter : 2 * quarter])
    late = statistics.median(resident[-quarter:])
    print(
        f"  {who} of a load of {size:.0f} MiB: {early:.0f} MiB, later {late:.0f} MiB,"
        f" {max(resident):.0f} MiB at most",
        flush=True,
    )
    return Line(f"load --server: memory of the {who}, later / earlier", late / early, FLAT)


def _written(folder: Path, name: str, rows: int) -> Path:
    path = folder / name
    with pacsv.CSVWriter(path, lineitem.SCHEMA) as writer:
        for part in lineitem.parts(rows):
            writer.write_table(part)
    return path


def _loaded(file: Path, address: str, server: int) -> tuple[list[float], list[float]]:
    """MiB of the command and of the server, from moment to moment."""
    program = "import sys; from lakeport.cli.main import run; sys.exit(run(sys.argv[1:]))"
    command = ["load", "bench.rows", str(file), "--server", address]
    found: tuple[list[float], list[float]] = ([], [])
    with subprocess.Popen([sys.executable, "-c", program, *command]) as process:
        while process.poll() is None:
            for each, pid in zip(found, (process.pid, server), strict=True):
                each.append(_resident(pid))
            time.sleep(_PAUSE)
    if process.returncode:
        raise SystemExit("the load failed")
    return found


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    told = (line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    return int(next(told, "0")) / 1024


if __name__ == "__main__":
    sys.exit(main())
