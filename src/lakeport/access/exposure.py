"""May a server listen there? Rules over plain values, for every door.

Loopback is this machine: without tokens everyone on it is admin. Beyond it there are tokens and
encryption, or somebody said in so many words that they want neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address
from typing import Literal

from lakeport.core.errors import ConfigurationError
from lakeport.core.names import quoted


def is_loopback(host: str) -> bool:
    """By the text alone: a name that is not `localhost` may mean another machine tomorrow."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def opens_at_first(auth: Literal["auto", "required"], hosts: Iterable[str]) -> bool:
    """Whether everyone is admin until a token is made."""
    return auth == "auto" and all(map(is_loopback, hosts))


def check_exposure(
    hosts: Iterable[str], *, has_tokens: bool, has_tls: bool, insecure: bool
) -> None:
    """Refuse to listen beyond loopback without tokens and TLS, unless told so."""
    beyond = next((host for host in hosts if not is_loopback(host)), None)
    if beyond is None or insecure or (has_tokens and has_tls):
        return
    if not has_tls:
        raise ConfigurationError(
            f"{quoted(beyond)} is beyond this machine, and the connection would not be encrypted",
            hint="set `server.tls.cert` and `server.tls.key`, listen on 127.0.0.1, "
            "or say --insecure if something before the server encrypts",
        )
    raise ConfigurationError(
        f"{quoted(beyond)} is beyond this machine, and there is no token yet: nobody could come in",
        hint="`lakeport token create NAME` makes one, or say --insecure",
    )
