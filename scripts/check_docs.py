"""Keeps the prose true: links lead somewhere, Python in it compiles, nothing names this machine.

What the prose *does* (README commands, generated reference pages) is run by tests/house.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)\s]*)?\)")
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def problems() -> Iterator[str]:
    for path in _tracked("*.md"):
        text = path.read_text()
        name = path.relative_to(ROOT)
        for target, _ in _LINK.findall(text):
            if "://" not in target and not (path.parent / target).exists():
                yield f"{name}: the link to {target} leads nowhere"
        for code in _PYTHON.findall(text):
            try:
                compile(code, str(name), "exec")
            except SyntaxError as error:
                yield f"{name}: a Python block does not compile: {error.msg}: {(error.text or '').strip()}"
    home, here = str(Path.home()) + "/", str(ROOT)
    for path in _tracked():
        try:
            text = path.read_text()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        if here in text or home in text:
            yield f"{path.relative_to(ROOT)}: names a path of this machine"


def _tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def main() -> int:
    found = list(problems())
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
