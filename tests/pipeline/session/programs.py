"""Programs that stand for a foreign Java: they tell a version, and play the part of Spark's JVM."""

from __future__ import annotations

import sys
from pathlib import Path


def make_java(home: Path, *, version: str = "17.0.15", then: str = "", shares: bool = True) -> Path:
    """The home of a Java that tells its version; started with anything else it runs `then` in Python."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        f"#!{sys.executable}\n"
        "import os, struct, sys\n"
        "if sys.argv[1:] == ['-version']:\n"
        f"    print('openjdk version \"{version}\" 2025-04-15', file=sys.stderr)\n"
        f"    print('OpenJDK (mixed mode{', sharing' if shares else ''})', file=sys.stderr)\n"
        "    sys.exit()\n"
        f"{then}\n"
    )
    program.chmod(0o755)
    return home


UP = """
told = os.environ['_PYSPARK_DRIVER_CONN_INFO_PATH']
with open(told + '.part', 'wb') as out:
    out.write(struct.pack('>ii', 4321, 6) + b'hushed')
os.rename(told + '.part', told)
"""
"""As PySpark's gateway does when it listens."""

LIVE = "sys.stdin.read()"
"""As long as its standard input is open."""
