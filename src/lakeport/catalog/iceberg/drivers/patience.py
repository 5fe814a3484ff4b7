"""How long a catalog may keep us waiting. The defaults can be overridden by properties of the catalog."""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import ConfigurationError

_PREFIX = "lakeport."


@dataclass(frozen=True, slots=True)
class Patience:
    """In seconds: for a lock of SQLite, for a connection, and for the next bytes of an answer;
    for a commit while others commit, too, and to find out what became of one.
    """

    busy: float = 30.0
    connect: float = 10.0
    answer: float = 60.0
    commit: float = 60.0
    settle: float = 15.0

    @classmethod
    def of(cls, profile: Profile) -> Patience:
        """Properties `lakeport.busy-seconds`, `lakeport.connect-seconds` and so on."""
        return cls(
            busy=_seconds(profile, "busy-seconds", cls().busy),
            connect=_seconds(profile, "connect-seconds", cls().connect),
            answer=_seconds(profile, "answer-seconds", cls().answer),
            commit=_seconds(profile, "commit-seconds", cls().commit),
            settle=_seconds(profile, "settle-seconds", cls().settle),
        )


def _seconds(profile: Profile, name: str, default: float) -> float:
    text = profile.properties.get(_PREFIX + name)
    if text is None:
        return default
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < 86_400:
        raise ConfigurationError(
            f"`{_PREFIX}{name}` of {profile} must be a number of seconds, got {text!r}",
            hint=f"leave it out for {default:g}",
        )
    return seconds
