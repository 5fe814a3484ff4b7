"""Locks on files that are held for a moment, or for good."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lakeport.pipeline.session.daemon.locks import is_shared, take, take_within

_PATIENCE = 60.0


def test_one_that_is_held_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "users"
    with ThreadPoolExecutor(1) as others:
        look = take(file)
        coming = others.submit(take_within, file, _PATIENCE, shared=True)
        assert not coming.done()
        look.close()
        lock = coming.result()
    assert lock is not None
    assert is_shared(file)
    lock.close()
    assert not is_shared(file)


def test_one_that_is_not_given_back_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    with take(tmp_path / "users"):
        assert take_within(tmp_path / "users", 0.0, shared=True) is None


def test_several_share_it_at_once(tmp_path: Path) -> None:
    with take(tmp_path / "users", shared=True):
        second = take_within(tmp_path / "users", 0.0, shared=True)
        assert second is not None
        second.close()
