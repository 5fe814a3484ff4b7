"""Reading ahead: in order, within bytes, and gone the moment it is closed."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.iceberg.parts import Chunk
from lakeport.catalog.iceberg.scan.ahead import Chunks, ClosedError, ReadAhead
from lakeport.core.errors import CorruptDataError
from tests.strategies import seeded

CHUNK = 80  # bytes: ten int64
SOON = 30  # seconds, for what must happen at all


def chunk(start: int) -> Chunk:
    return Chunk(start, pa.record_batch({"x": pa.array(range(start, start + 10))}))


def plain(first: int, count: int) -> Chunks:
    for index in range(count):
        yield chunk(first + 10 * index)


def taken(ahead: ReadAhead, part: int, lane: int = 0) -> Iterator[int]:
    while (found := ahead.take(part, lane)) is not None:
        yield found.start


def scan_threads() -> list[str]:
    names = (thread.name for thread in threading.enumerate())
    return [name for name in names if name.startswith("lakeport-scan")]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    assert scan_threads() == []


class Gated:
    """A lane that makes a chunk only when told to, and knows whether it was closed."""

    def __init__(self, failure: BaseException | None = None) -> None:
        self.begun = threading.Event()
        self.gate = threading.Semaphore(0)
        self.closed = threading.Event()
        self._failure = failure

    def __call__(self) -> Chunks:
        try:
            for index in range(1000):
                self.begun.set()
                assert self.gate.acquire(timeout=SOON)
                if self._failure is not None:
                    raise self._failure
                yield chunk(10 * index)
        finally:
            self.closed.set()


# -- what comes out ------------------------------------------------------------------------------


@settings(derandomize=True, deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_every_chunk_of_every_lane_comes_in_order(seed: int) -> None:
    rng = seeded(seed)
    sizes = [
        [rng.choice([0, 1, 5, 30]) for _ in range(rng.randint(1, 3))]
        for _ in range(rng.randint(0, 6))
    ]
    ahead = ReadAhead(
        [[partial(plain, 0, size) for size in lanes] for lanes in sizes],
        threads=rng.randint(1, 4),
        most=rng.choice([0, 1, 500, 10_000]),
    )
    for part, lanes in enumerate(sizes):
        left = list(lanes)
        while any(left):
            for lane, count in enumerate(left):
                if count:
                    found = ahead.take(part, lane)
                    assert found is not None
                    assert found.start == 10 * (lanes[lane] - count)
                    left[lane] -= 1
        assert [ahead.take(part, lane) for lane in range(len(lanes))] == [None] * len(lanes)
    ahead.close()


def test_without_threads_the_reader_makes_what_it_asks_for() -> None:
    second = Gated()
    ahead = ReadAhead([[partial(plain, 0, 3)], [second]], threads=0, most=10_000)
    assert list(taken(ahead, 0)) == [0, 10, 20]
    assert scan_threads() == []
    assert not second.begun.is_set()
    ahead.close()


def test_no_thread_starts_before_the_first_chunk_is_asked_for() -> None:
    ahead = ReadAhead([[partial(plain, 0, 3)]], threads=2, most=1000)
    assert scan_threads() == []
    assert ahead.take(0, 0) is not None
    ahead.close()


def test_a_part_is_read_while_the_one_before_is_being_taken() -> None:
    second = Gated()
    ahead = ReadAhead([[partial(plain, 0, 1)], [second]], threads=2, most=1000)
    assert ahead.take(0, 0) is not None
    assert second.begun.wait(SOON)
    second.gate.release(1000)
    ahead.close()


def test_a_reader_makes_other_chunks_while_its_own_is_being_made() -> None:
    slow = Gated()

    def other() -> Chunks:
        yield chunk(0)
        slow.gate.release()  # by the reader: the only thread is in the slow lane, which waits for this
        yield chunk(10)

    ahead = ReadAhead([[slow, other]], threads=1, most=1000)
    assert ahead.take(0, 1) is not None
    assert slow.begun.wait(SOON)
    assert ahead.take(0, 0) is not None
    assert list(taken(ahead, 0, 1)) == [10]
    slow.gate.release(1000)
    ahead.close()


# -- bytes ---------------------------------------------------------------------------------------


class Counting:
    """Counts what was made and not yet taken, and fails where more is made than may be."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._outstanding = 0

    def made(self) -> None:
        with self._lock:
            self._outstanding += CHUNK
            assert self._outstanding <= self._most

    def take(self, ahead: ReadAhead, part: int, lane: int) -> Chunk | None:
        with self._lock:
            self._outstanding -= CHUNK
        return ahead.take(part, lane)

    def lane(self, count: int) -> Chunks:
        for index in range(count):
            self.made()
            yield chunk(10 * index)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("most", [0, 3 * CHUNK, 10 * CHUNK])
def test_no_more_than_the_bytes_and_a_chunk_per_thread_are_ready(
    threads: int, lanes: int, most: int
) -> None:
    # Each thread may be making a chunk when the last byte is used up, and the reader waits for one.
    counting = Counting(most + CHUNK * (threads + lanes))
    parts = [[partial(counting.lane, 40) for _ in range(lanes)] for _ in range(3)]
    ahead = ReadAhead(parts, threads=threads, most=most)
    for part in range(3):
        for _ in range(40):
            for lane in range(lanes):
                assert counting.take(ahead, part, lane) is not None
        for lane in range(lanes):
            assert ahead.take(part, lane) is None
    ahead.close()


def test_chunks_are_made_until_the_bytes_are_used_up() -> None:
    enough = threading.Event()

    def lane() -> Chunks:
        for index in range(100):
            if index == 3:
                enough.set()
            yield chunk(10 * index)

    ahead = ReadAhead([[lane]], threads=1, most=3 * CHUNK)
    assert ahead.take(0, 0) is not None
    assert enough.wait(SOON)
    ahead.close()


def test_a_chunk_larger_than_all_bytes_still_comes() -> None:
    ahead = ReadAhead([[partial(plain, 0, 3), partial(plain, 0, 3)]], threads=1, most=1)
    for _ in range(3):
        assert ahead.take(0, 0) is not None
        assert ahead.take(0, 1) is not None
    ahead.close()


# -- failures ------------------------------------------------------------------------------------


def failing(count: int, failure: Exception) -> Chunks:
    yield from plain(0, count)
    raise failure


@pytest.mark.parametrize("before", [0, 1, 5])
def test_a_failure_comes_after_the_chunks_before_it(before: int) -> None:
    failure = CorruptDataError("broken")
    ahead = ReadAhead([[partial(failing, before, failure)]], threads=2, most=10_000)
    seen: list[int] = []
    with pytest.raises(CorruptDataError, match="broken"):
        seen.extend(taken(ahead, 0))
    assert seen == [10 * index for index in range(before)]
    ahead.close()


def test_a_failure_of_a_later_part_waits_for_its_turn() -> None:
    failure = CorruptDataError("broken")
    ahead = ReadAhead(
        [[partial(plain, 0, 20)], [partial(failing, 0, failure)]], threads=2, most=10_000
    )
    assert len(list(taken(ahead, 0))) == 20
    with pytest.raises(CorruptDataError, match="broken"):
        ahead.take(1, 0)
    ahead.close()


def test_a_failure_that_nobody_reads_is_no_failure() -> None:
    failed = Gated(CorruptDataError("broken"))
    failed.gate.release()
    ahead = ReadAhead([[partial(plain, 0, 2)], [failed]], threads=2, most=10_000)
    assert list(taken(ahead, 0)) == [0, 10]
    assert failed.closed.wait(SOON)
    ahead.close()


def test_a_failure_to_begin() -> None:
    def start() -> Chunks:
        raise CorruptDataError("no such file")

    ahead = ReadAhead([[start]], threads=1, most=1)
    with pytest.raises(CorruptDataError, match="no such file"):
        ahead.take(0, 0)
    ahead.close()


# -- closing -------------------------------------------------------------------------------------


def test_closing_what_nobody_read() -> None:
    lane = Gated()
    ahead = ReadAhead([[lane]], threads=2, most=100)
    ahead.close()
    assert not lane.begun.is_set()
    with pytest.raises(ClosedError):
        ahead.take(0, 0)


def test_closing_twice() -> None:
    ahead = ReadAhead([[partial(plain, 0, 3)]], threads=2, most=100)
    assert ahead.take(0, 0) is not None
    ahead.close()
    ahead.close()


def test_closing_half_way_ends_every_lane_that_was_begun() -> None:
    lanes = [Gated(), Gated(), Gated()]
    ahead = ReadAhead([[lanes[0], lanes[1]], [lanes[2]]], threads=2, most=1)
    for lane in lanes:
        lane.gate.release(1000)
    assert ahead.take(0, 0) is not None
    assert ahead.take(0, 1) is not None
    ahead.close()
    assert all(lane.closed.is_set() for lane in lanes if lane.begun.is_set())
    assert lanes[0].begun.is_set()


def test_closing_wakes_a_reader_that_waits() -> None:
    lane = Gated()
    ahead = ReadAhead([[partial(plain, 0, 1), lane]], threads=1, most=100)
    with ThreadPoolExecutor(2) as pool:
        assert ahead.take(0, 0) is not None
        assert lane.begun.wait(SOON)
        reading = pool.submit(ahead.take, 0, 1)
        closing = pool.submit(ahead.close)
        # The reader is woken at once; closing itself waits for the chunk that is being made.
        with pytest.raises(ClosedError):
            reading.result(SOON)
        assert not closing.done()
        lane.gate.release()
        closing.result(SOON)
    assert lane.closed.is_set()


def test_closing_waits_for_a_reader_that_works_itself() -> None:
    lane = Gated()
    ahead = ReadAhead([[lane]], threads=1, most=100)
    with ThreadPoolExecutor(2) as pool:
        reading = pool.submit(ahead.take, 0, 0)
        assert lane.begun.wait(SOON)
        closing = pool.submit(ahead.close)
        lane.gate.release(1000)
        closing.result(SOON)
        assert lane.closed.is_set()
        # It was first, or it noticed.
        error = reading.exception(SOON)
        assert error is None or isinstance(error, ClosedError)


def test_a_reader_without_threads_ends_after_the_chunk_it_is_making() -> None:
    lane = Gated()
    ahead = ReadAhead([[lane]], threads=0, most=0)
    with ThreadPoolExecutor(2) as pool:
        reading = pool.submit(lambda: list(taken(ahead, 0)))
        assert lane.begun.wait(SOON)
        closing = pool.submit(ahead.close)
        lane.gate.release(1000)
        closing.result(SOON)
        assert lane.closed.is_set()
        # The lane may have come to its end before it was closed.
        error = reading.exception(SOON)
        assert error is None or isinstance(error, ClosedError)


def test_closing_while_work_is_queued_but_not_begun() -> None:
    lanes = [Gated() for _ in range(4)]
    ahead = ReadAhead([list(lanes)], threads=4, most=100)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(ahead.take, 0, 3)
        assert lanes[0].begun.wait(SOON)
        for lane in lanes:
            lane.gate.release(10)
        ahead.close()
        if reading.exception(SOON) is not None:
            assert isinstance(reading.exception(), ClosedError)
    assert all(lane.closed.is_set() for lane in lanes if lane.begun.is_set())


def test_the_interpreter_ends_with_a_reader_left_open() -> None:
    program = """
import pyarrow as pa
from lakeport.catalog.iceberg.parts import Chunk
from lakeport.catalog.iceberg.scan.ahead import ReadAhead
def lane():
    while True:
        yield Chunk(0, pa.record_batch({"x": [1]}))
ahead = ReadAhead([[lane, lane]], threads=2, most=1000)
ahead.take(0, 0)
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=60, check=False)
    assert done.returncode == 0


def test_a_reader_that_is_dropped_leaves_no_thread() -> None:
    ahead: ReadAhead | None = ReadAhead([[partial(plain, 0, 50)]], threads=2, most=100)
    assert ahead is not None
    assert ahead.take(0, 0) is not None
    threads = [thread for thread in threading.enumerate() if thread.name in scan_threads()]
    del ahead
    for thread in threads:
        thread.join(SOON)
        assert not thread.is_alive()
