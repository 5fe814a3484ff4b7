"""What somebody asks `plan` and `run` for; equal requests are known again after a crash."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from lakeport.pipeline.project.model import PublishMode


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRequest:
    """What is to be built, where, and from which rows."""

    select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    environment: str | None = None
    full_refresh: bool = False
    start: datetime | None = None
    end: datetime | None = None
    publish: PublishMode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest(BuildRequest):
    """`spark` says whether it may be started for what nobody else knows."""

    spark: bool = True
    with_sql: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest(BuildRequest):
    """`retry` goes on with the last run, whatever that was asked for; `new` with none."""

    jobs: int | None = None
    retry: bool = False
    new: bool = False

    @property
    def text(self) -> str:
        """What decides what is built, as the state store keeps it."""
        return msgspec.json.encode(_of(self), order="deterministic").decode()

    @property
    def is_plain(self) -> bool:
        """Whether nothing was said about what to build."""
        return _of(self) == _Asked()

    def like(self, text: str) -> RunRequest:
        """Another one's words about what to build, and the rest of this one."""
        asked = msgspec.json.decode(text, type=_Asked)
        return replace(self, **{name: getattr(asked, name) for name in _Asked.__struct_fields__})


class _Asked(msgspec.Struct, frozen=True):
    select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    full_refresh: bool = False
    start: datetime | None = None
    end: datetime | None = None
    publish: PublishMode | None = None


def _of(request: RunRequest) -> _Asked:
    return _Asked(**{name: getattr(request, name) for name in _Asked.__struct_fields__})
