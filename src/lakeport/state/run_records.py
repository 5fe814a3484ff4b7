"""A run and its models, as they are remembered.

The truth about what was committed is in the tables' own snapshots; these records say what was asked for, what
came of it, and what to compare the next run with. A lost one loses no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from lakeport.core.names import TableName
from lakeport.state.owners import Owner

RunStatus: TypeAlias = Literal[
    "running", "succeeded", "failed", "interrupted", "stopped", "rolled_back"
]
"""`interrupted`: its process ended before it could say anything; `stopped`: somebody asked it to."""

ModelStatus: TypeAlias = Literal[
    "waiting",
    "running",
    "succeeded",
    "failed",
    "blocked",
    "skipped",
    "recovered",
    "interrupted",
    "rolled_back",
]
"""`recovered`: the run had committed it, and was killed before it could say so."""

COMMITTED: tuple[ModelStatus, ...] = ("succeeded", "recovered")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """`request` is what was asked for, as JSON: equal texts are equal requests.

    `until_ns` is how long the run is believed to live without another beat.
    """

    owner: Owner
    catalog: str
    started_ns: int
    environment: str | None = None
    command: str = "run"
    request: str = "{}"
    fingerprint: str | None = None
    actor: str | None = None
    status: RunStatus = "running"
    error: str | None = None
    ended_ns: int | None = None
    until_ns: int = 0

    @property
    def run_id(self) -> str:
        return self.owner.run_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord:
    """One model in one run. `table` is where its rows are, which an environment may have moved.

    `rows` were staged; `counts` are those of the commit. `columns` is the staged schema as JSON, in the
    words of who wrote it. `created` says that the table was not there before.
    """

    model: str
    table: TableName
    status: ModelStatus
    strategy: str | None = None
    rows: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    started_ns: int | None = None
    ended_ns: int | None = None
    snapshot_id: int | None = None
    version: int | None = None
    created: bool = False
    attempts: int = 1
    fingerprint: str | None = None
    interval: str | None = None
    code: str | None = None
    error: str | None = None
    hint: str | None = None
    columns: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelRun:
    """A model's record with the run it is of; `changed_ns` is when it was written down."""

    run_id: str
    environment: str | None
    record: ModelRecord
    changed_ns: int
