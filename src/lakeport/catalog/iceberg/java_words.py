"""How files in S3 are reached, in the words of Iceberg's Java library: settings say it in PyIceberg's.

Loads no library. What is left out Java finds where every AWS client does: variables, profiles, the role
of a machine. Roles to be assumed and other stores than S3 have no words here.
"""

from __future__ import annotations

from collections.abc import Mapping

_KEYS = ("access-key-id", "secret-access-key", "session-token")
_ENDPOINT_REGION = "us-east-1"
_ENCRYPTIONS = {"AES256": "s3", "aws:kms": "kms", "aws:kms:dsse": "dsse-kms"}


def storage_for_java(properties: Mapping[str, str]) -> dict[str, str]:
    """Properties of `S3FileIO` and its clients; empty where nothing is said about S3."""
    endpoint = properties.get("s3.endpoint")
    # A store elsewhere has no regions, but requests are signed for one.
    region = _first(properties, "s3.region", "client.region") or (endpoint and _ENDPOINT_REGION)
    # A bucket is part of the host only at Amazon's, as PyArrow has it.
    is_path = endpoint and properties.get("s3.force-virtual-addressing", "").lower() != "true"
    sealed = _ENCRYPTIONS.get(properties.get("s3.server-side-encryption", ""))
    wanted = {
        "s3.endpoint": endpoint,
        **{f"s3.{key}": _first(properties, f"s3.{key}", f"client.{key}") for key in _KEYS},
        "client.region": region,
        "s3.path-style-access": "true" if is_path else None,
        "http-client.proxy-endpoint": properties.get("s3.proxy-uri"),
        "s3.sse.type": sealed,
        "s3.sse.key": properties.get("s3.sse-kms-key-id") if sealed else None,
    }
    return {key: value for key, value in wanted.items() if value}


def signing_for_java(properties: Mapping[str, str]) -> dict[str, str]:
    """The keys that requests to a REST service are signed with, where they are."""
    if properties.get("rest.sigv4-enabled", "").lower() != "true":
        return {}
    found = {f"rest.{key}": properties.get(f"client.{key}") for key in _KEYS}
    return {key: value for key, value in found.items() if value}


def _first(properties: Mapping[str, str], *names: str) -> str | None:
    return next((properties[name] for name in names if properties.get(name)), None)
