"""Tables as they go out: the metadata's own text inside the protocol's envelope, and what it is known by.

Every change of a table writes another metadata file, so the file's location tells whether what a client
has is still the newest, without opening it.
"""

from __future__ import annotations

import hashlib

import msgspec

from lakeport.catalog.engines import Described
from lakeport.rest.answers import NOT_MODIFIED, Answer

_REFS = "refs"


class _Ref(msgspec.Struct, rename="kebab"):
    snapshot_id: int


class _Snapshot(msgspec.Struct, rename="kebab"):
    snapshot_id: int


def shown(table: Described, mode: str = "all") -> Answer:
    """With `refs` only the snapshots that a branch or a tag is at."""
    metadata = _trimmed(table.metadata) if mode == _REFS else table.metadata
    body = envelope(table.location, metadata)
    headers = {} if table.location is None else {"etag": _tag(table.location, mode)}
    return Answer(body=body, headers=headers)


def envelope(location: str | None, metadata: bytes) -> bytes:
    """The text of the metadata of a table or view, as it is, in what the protocol puts around it."""
    return b'{"metadata-location":%b,"metadata":%b,"config":{}}' % (
        msgspec.json.encode(location),
        metadata,
    )


def unchanged(location: str, mode: str, known: str | None) -> Answer | None:
    """The answer to who has that already, by the header `if-none-match`."""
    if known is None or not location:
        return None
    tag = _tag(location, mode)
    tags = {each.strip().removeprefix("W/") for each in known.split(",")}
    if tag not in tags and "*" not in tags:
        return None
    return Answer(NOT_MODIFIED, headers={"etag": tag})


def _tag(location: str, mode: str) -> str:
    digest = hashlib.sha256(f"{mode} {location}".encode()).hexdigest()
    return f'"{digest[:32]}"'


def _trimmed(metadata: bytes) -> bytes:
    parts = msgspec.json.decode(metadata, type=dict[str, msgspec.Raw])
    refs = msgspec.json.decode(parts.get("refs", b"{}"), type=dict[str, _Ref])
    wanted = {ref.snapshot_id for ref in refs.values()}
    if "current-snapshot-id" in parts:
        wanted.add(msgspec.json.decode(parts["current-snapshot-id"]))
    snapshots = msgspec.json.decode(parts.get("snapshots", b"[]"), type=list[msgspec.Raw])
    kept = [
        text
        for text in snapshots
        if msgspec.json.decode(text, type=_Snapshot).snapshot_id in wanted
    ]
    return msgspec.json.encode({**parts, "snapshots": kept})
