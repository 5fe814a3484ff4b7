"""Tools that we are measured beside, each in an environment of its own, made by `--install` and kept.

Packages are those of `requirements/NAME.txt`, pinned and hashed; the folder's name changes with them.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from bench.iceberg_parts.lake import CACHE

_PINNED = Path(__file__).resolve().parent.parent.parent / "requirements"


class NotInstalledError(Exception):
    """It is not there, or could not be made."""


def environment(name: str, *, install: bool) -> Path:
    """The folder of its programs."""
    packages = _PINNED / f"{name}.txt"
    folder = CACHE / f"{name}-{hashlib.sha256(packages.read_bytes()).hexdigest()[:12]}"
    if (folder / "ready").exists():
        return folder / "bin"
    if not install:
        raise NotInstalledError(f"{name} is not installed: run this once with --install")
    print(f"  installing {name} below {CACHE} …", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    _run(name, sys.executable, "-m", "venv", str(folder))
    # The list is complete, and pip's resolver stumbles over the extras of pinned packages.
    pip = (str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps")
    _run(name, *pip, "--require-hashes", "-r", str(packages))
    (folder / "ready").touch()
    return folder / "bin"


def _run(name: str, *command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NotInstalledError(f"{name} could not be installed: {said[-1] if said else ''}")
