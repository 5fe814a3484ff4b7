"""Runs a piece of a test where the disk is small or read-only: in a process and a mount of its own.

A private mount namespace ends with the process, so nothing stays mounted however it ends. Where the
machine permits no such thing, `cannot_mount` says why.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]

# Without root's rights a user namespace gives them, inside of it only.
_UNSHARE = (
    ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--map-root-user", "--mount")
)


@functools.cache
def cannot_mount() -> str | None:
    try:
        done = subprocess.run(
            [*_UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return "there is no unshare"
    return done.stderr.strip().splitlines()[0] if done.returncode else None


def run_on_small_disk(folder: Path, size: str, module: str, *arguments: str) -> str:
    """The module's output, run where `folder` is a file system of its own with so much room."""
    mount = f"mount -t tmpfs -o size={size} none {folder}"
    command = [*_UNSHARE, "sh", "-c", f'{mount} && exec "$@"', "sh"]
    return run([*command, sys.executable, "-m", module, *arguments])


def run(command: list[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
