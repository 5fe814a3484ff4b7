"""Where files of a catalog may be: below its warehouse, unless somebody who may do anything says otherwise.

An engine that could name any place would have this process read and write there with its own rights.
"""

from __future__ import annotations

import posixpath

from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted


def require_within(profile: Profile, location: str, *, anywhere: bool = False) -> str:
    """The location without a slash at its end."""
    place = location.rstrip("/")
    if set("?#") & set(place) or ".." in place.split("/"):
        raise InvalidRequestError(f"{quoted(location)} is no place that a table or view can be at")
    if anywhere or is_within(profile, place):
        return place
    raise InvalidRequestError(
        f"{quoted(location)} is outside the warehouse of catalog {quoted(profile.name)}",
        hint="leave the location out; only an admin may choose one elsewhere",
    )


def is_within(profile: Profile, location: str) -> bool:
    warehouse = profile.warehouse
    if not warehouse:
        return False
    return f"{_plain(location)}/".startswith(f"{_plain(warehouse)}/")


def _plain(location: str) -> str:
    """`file:/x`, `file:///x` and `/x` are one place."""
    scheme, colon, path = location.partition(":")
    if not colon or scheme == "file":
        return posixpath.normpath("/" + (path if colon else location).lstrip("/"))
    return location.rstrip("/")
