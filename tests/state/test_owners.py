"""Owners: a process is known by more than its number, and called dead only where that is certain."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from lakeport.state import Owner

PROGRAM = """
import sys
from lakeport.state import Owner
owner = Owner.here("run")
print(owner.host, owner.place, owner.pid, owner.process, sep="\\t", flush=True)
sys.stdin.read()
"""


def test_this_process_lives() -> None:
    owner = Owner.here("run")
    assert owner.pid == os.getpid()
    assert not owner.is_dead
    assert owner == Owner.here("run") != Owner.here("other")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody is known to be dead")
def test_a_process_is_dead_when_it_was_killed_though_nobody_asked_how() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        host, place, pid, started = process.stdout.readline().rstrip("\n").split("\t")
        owner = Owner("run", host, place, int(pid), started)
        assert not owner.is_dead
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is not reaped
        assert owner.is_dead
        process.wait()
        assert owner.is_dead


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody is known to be dead")
def test_another_process_with_the_same_number_is_not_it() -> None:
    assert replace(Owner.here("run"), process="1").is_dead


def test_what_cannot_be_known_is_not_dead() -> None:
    here = Owner.here("run")
    nobody = 2**22 + 1
    assert not replace(here, place="another boot", pid=nobody).is_dead
    assert not replace(here, place="", pid=nobody).is_dead
    assert not replace(here, process="", pid=nobody).is_dead
