"""The byte-bounded cache: what is kept, what goes first, and who loads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from lakeport.catalog.cache import Cache


def loaded(cache: Cache[str, str], key: str, value: str) -> str:
    return cache.get(key, lambda: value)


def test_a_value_is_loaded_once() -> None:
    cache: Cache[str, str] = Cache(100, len)
    assert loaded(cache, "a", "first") == "first"
    assert loaded(cache, "a", "second") == "first"


def test_the_least_recently_used_goes_first() -> None:
    cache: Cache[str, str] = Cache(3, len)
    for key in ("a", "b", "c", "a", "d"):
        loaded(cache, key, "x")
    assert [cache.peek(key) for key in "abcd"] == ["x", None, "x", "x"]
    assert (len(cache), cache.weight) == (3, 3)


def test_what_alone_is_too_heavy_is_given_but_not_kept() -> None:
    cache: Cache[str, str] = Cache(3, len)
    assert loaded(cache, "a", "heavy") == "heavy"
    assert (len(cache), cache.weight) == (0, 0)


def test_a_failed_load_is_not_remembered() -> None:
    cache: Cache[str, str] = Cache(100, len)

    def fail() -> str:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        cache.get("a", fail)
    assert loaded(cache, "a", "back") == "back"


def test_putting_again_replaces_the_weight() -> None:
    cache: Cache[str, str] = Cache(100, len)
    cache.put("a", "long text")
    cache.put("a", "x")
    assert (cache.peek("a"), cache.weight) == ("x", 1)


def test_threads_that_ask_together_share_one_load() -> None:
    cache: Cache[str, str] = Cache(100, len)
    together = threading.Barrier(4)
    loads: list[int] = []

    def load() -> str:
        loads.append(1)
        return "x"

    def ask() -> str:
        together.wait(timeout=30)
        return cache.get("a", load)

    with ThreadPoolExecutor(4) as pool:
        assert [task.result() for task in [pool.submit(ask) for _ in range(4)]] == ["x"] * 4
    assert len(loads) == 1
