"""Reads manifest lists and manifests, once each: neither ever changes, so the path is the key.

A remote store answers each request after tens of milliseconds, so a few threads ask it at a time; they
are gone when the call returns. Local files are there at once, and decoding is one thread's work.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from pyiceberg.table.snapshots import Snapshot

from lakeport.catalog.iceberg.failures import last_name, reading
from lakeport.catalog.iceberg.manifests.container import DamagedError
from lakeport.catalog.iceberg.manifests.entries import Manifest, decode_manifest
from lakeport.catalog.iceberg.manifests.listing import Listed, Listing, decode_listing
from lakeport.catalog.iceberg.parts import Source
from lakeport.catalog.iceberg.storage import open_file
from lakeport.core.names import quoted

_THREADS = 8

# What decoding damaged bytes may end in besides a `ValueError`.
_NONSENSE = (TypeError, IndexError, AttributeError, OverflowError, MemoryError, RecursionError)


def load_listing(source: Source, snapshot: Snapshot) -> Listing:
    return source.caches.listings.get(
        snapshot.manifest_list, lambda: _read_listing(source, snapshot)
    )


def load_manifest(source: Source, listed: Listed) -> Manifest:
    return source.caches.manifests.get(listed.path, lambda: _read_manifest(source, listed))


def load_manifests(source: Source, listed: Sequence[Listed]) -> list[Manifest]:
    remote = [each for each in listed if not _is_local(each.path)]
    if sum(source.caches.manifests.peek(each.path) is None for each in remote) <= 1:
        return [load_manifest(source, each) for each in listed]
    pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="lakeport-manifests")
    try:
        return list(pool.map(partial(load_manifest, source), listed))
    finally:
        pool.shutdown(cancel_futures=True)


def _read_listing(source: Source, snapshot: Snapshot) -> Listing:
    path = snapshot.manifest_list
    with reading(_called("manifest list", path, source)):
        data = _content(source, path)
        try:
            listing = decode_listing(data)
        except _NONSENSE as error:
            raise _damaged() from error
        if not listing.data and _promises_files(snapshot):
            # A list that was cut between two entries is a valid, shorter list.
            message = "it lists no files, but its snapshot has some"
            raise DamagedError(message)
        return listing


def _promises_files(snapshot: Snapshot) -> bool:
    summary = snapshot.summary
    files = None if summary is None else summary.additional_properties.get("total-data-files")
    return files is not None and files.isdigit() and int(files) > 0


def _read_manifest(source: Source, listed: Listed) -> Manifest:
    with reading(_called("manifest", listed.path, source)):
        data = _content(source, listed.path)
        if len(data) < listed.length:
            message = "it ends too early"
            raise DamagedError(message)
        try:
            return decode_manifest(data, listed)
        except _NONSENSE as error:
            raise _damaged() from error


def _is_local(path: str) -> bool:
    scheme, separator, _ = path.partition("://")
    return not separator or scheme == "file"


def _content(source: Source, path: str) -> bytes:
    with open_file(source.io, path) as opened:
        return opened.handle.read()


def _called(kind: str, path: str, source: Source) -> str:
    return f"{kind} {quoted(last_name(path))} of table {quoted(str(source.name))}"


def _damaged() -> DamagedError:
    return DamagedError("it does not hold what it should")
