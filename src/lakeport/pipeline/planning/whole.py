"""The plans of all selected models together, with what is the same for several of them, and their sum.

The shape of `as_dict` is versioned, as that of each model's plan is: fields are added to it, and what is there
keeps its meaning.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lakeport.core.names import TableName, fold
from lakeport.pipeline.planning.model import ModelPlan
from lakeport.pipeline.project.problems import Place

VERSION = 1


@dataclass(frozen=True, slots=True)
class MissingSource:
    """A source that is declared and not loaded, the models that read it themselves, and where."""

    source: TableName
    read_by: tuple[TableName, ...]
    places: tuple[Place, ...]
    file: str | None = None
    """One of the project that is called like it."""

    @property
    def command(self) -> str:
        file = "FILE" if self.file is None else shlex.quote(self.file)
        return f"lakeport load {self.source} {file}"

    def as_dict(self) -> dict[str, object]:
        return {
            "source": str(self.source),
            "read_by": [str(name) for name in self.read_by],
            "places": [str(place) for place in self.places],
            "hint": f"load it: {self.command}",
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """`waiting` models are refused or blocked for want of sources and for nothing else."""

    models: int
    changed: int
    created: int
    added: int
    padded: int
    widened: int
    relaxed: int
    refused: int
    blocked: int
    affected: int
    rows_affected: int
    waiting: int
    missing_sources: int

    def as_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectPlan:
    """The selected models in the order in which they would run. `total` counts those of the project."""

    project: str
    environment: str | None
    catalog: str
    full_refresh: bool
    models: tuple[ModelPlan, ...]
    total: int
    asked_spark: bool = False
    notes: tuple[str, ...] = ()
    files: Mapping[TableName, str] = field(default_factory=dict)
    """Where the rows of sources may be that are not loaded yet."""

    def __iter__(self) -> Iterator[ModelPlan]:
        return iter(self.models)

    @property
    def is_refused(self) -> bool:
        return any(model.status == "refused" for model in self.models)

    @property
    def has_changes(self) -> bool:
        return any(model.status != "unchanged" for model in self.models)

    @property
    def missing_sources(self) -> tuple[MissingSource, ...]:
        """Each once, in the order in which models come to them."""
        found: dict[TableName, list[tuple[TableName, Place]]] = {}
        for model in self.models:
            for each in model.obstacles:
                if each.source is not None and each.place is not None:
                    found.setdefault(each.source, []).append((model.model, each.place))
        return tuple(
            MissingSource(
                source,
                tuple(model for model, _ in reads),
                tuple(place for _, place in reads),
                self.files.get(source),
            )
            for source, reads in found.items()
        )

    @property
    def summary(self) -> Summary:
        grown = [model.growth for model in self.models if model.growth is not None]
        affected = {
            (each.model.folded, fold(each.column))
            for model in self.models
            for each in model.downstream
        }
        # The columns of a new table are its definition and no change of it.
        old = [m.growth for m in self.models if m.growth is not None and not m.creates]
        return Summary(
            models=len(self.models),
            changed=sum(model.status != "unchanged" for model in self.models),
            created=sum(model.creates for model in self.models),
            added=sum(len(plan.added) for plan in old if not plan.refused),
            padded=sum(len(model.newly_padded) for model in self.models if not _is_refused(model)),
            widened=sum(len(plan.widened) for plan in old if not plan.refused),
            relaxed=sum(len(plan.relaxed) for plan in old if not plan.refused),
            refused=sum(len(plan.refused) for plan in grown)
            + sum(len(model.obstacles) for model in self.models),
            blocked=sum(model.status == "blocked" for model in self.models),
            affected=len(affected),
            rows_affected=len(
                {each.model.folded for model in self.models for each in model.downstream_rows}
            ),
            waiting=sum(model.only_waits for model in self.models),
            missing_sources=len(self.missing_sources),
        )

    def as_dict(self) -> dict[str, object]:
        return {
            "version": VERSION,
            "project": self.project,
            "environment": self.environment,
            "catalog": self.catalog,
            "full_refresh": self.full_refresh,
            "asked_spark": self.asked_spark,
            "notes": list(self.notes),
            "missing_sources": [each.as_dict() for each in self.missing_sources],
            "models": [model.as_dict() for model in self.models],
            "summary": self.summary.as_dict(),
        }


def _is_refused(model: ModelPlan) -> bool:
    return model.growth is not None and bool(model.growth.refused)
