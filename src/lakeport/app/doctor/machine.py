"""The machine: Python, the ports to listen on, certificates, room on the disk."""

from __future__ import annotations

import platform
import shutil
import socket
from typing import TYPE_CHECKING

from lakeport.app.doctor.report import Check, fail, ok, warn

if TYPE_CHECKING:
    from pathlib import Path

    from lakeport.app.settings import Address, Server, Tls

_GIB = 1 << 30


def python() -> Check:
    """Always fine: an older one could not have installed us. People still ask which one it is."""
    return ok("python", f"{platform.python_implementation()} {platform.python_version()}")


def ports(server: Server) -> tuple[Check, ...]:
    if server.grpc == server.http and server.grpc.port:
        remedy = "give `server.http` another port"
        return (fail("ports", f"`server.grpc` and `server.http` are both {server.grpc}", remedy),)
    return _port("grpc port", "grpc", server.grpc), _port("http port", "http", server.http)


def _port(name: str, setting: str, address: Address) -> Check:
    if not address.port:
        return ok(name, f"{address}: any free one")
    trouble = _why_not_free(address)
    if trouble is None:
        return ok(name, f"{address} is free")
    if isinstance(trouble, socket.gaierror):
        return fail(name, f"{address.host} is no address", f"correct `server.{setting}`")
    if isinstance(trouble, PermissionError):
        return fail(
            name,
            f"{address} is not allowed for this user",
            f"set `server.{setting}` to a port above 1023",
        )
    # Not a failure: the one who holds it may be our own server.
    remedy = f"if it is not `lakeport serve`, set `server.{setting}`; port 0 picks a free one"
    return warn(
        name, f"{address} cannot be bound: {(trouble.strerror or 'unknown reason').lower()}", remedy
    )


def _why_not_free(address: Address) -> OSError | None:
    try:
        resolved = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, kind, protocol, _, place in resolved[:1]:
            with socket.socket(family, kind, protocol) as probe:
                # A server that has just ended leaves the port waiting; the next one may take it.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(place)
    except OSError as error:
        return error
    return None


def certificates(tls: Tls) -> tuple[Check, ...]:
    """One check when TLS is on, none when it is off."""
    files = {
        f"server.tls.{name}": path
        for name in ("cert", "key", "client_ca")
        if (path := getattr(tls, name)) is not None
    }
    if not files:
        return ()
    for setting, path in files.items():
        try:
            text = path.read_bytes()
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            return (fail("tls", f"{path} cannot be read: {reason}", f"correct `{setting}`"),)
        if b"-----BEGIN " not in text:
            return (fail("tls", f"{path} is not a PEM file", f"correct `{setting}`"),)
    return (ok("tls", f"{len(files)} PEM files"),)


def disk(root: Path) -> Check:
    free = shutil.disk_usage(nearest_folder(root)).free
    found = f"{free / _GIB:,.1f} GiB free"
    if free < _GIB // 10:
        return fail("disk", found, "make room: commits will fail")
    if free < _GIB:
        return warn("disk", found, "make room before loading much")
    return ok("disk", found)


def nearest_folder(path: Path) -> Path:
    """The folder itself, or the one above it that exists."""
    return next(folder for folder in (path, *path.parents) if folder.is_dir())
