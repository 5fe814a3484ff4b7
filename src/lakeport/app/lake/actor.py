"""Who works with the lake from this machine, as the history of its tables will say."""

from __future__ import annotations

import getpass


def current_actor() -> str | None:
    """The user's name; None in a container that has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return None
