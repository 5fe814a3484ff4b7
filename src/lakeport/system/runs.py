"""The system tables about models: what ran, what came of it, which column feeds which, what is wrong.

A row is about a table, and is seen by who may read that table; an edge is about two. What was said about a
model may name tables that are nobody else's business: those words are for who may read all of the catalog.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from lakeport.state import ModelRecord
from lakeport.system.edges import EDGE, edge_row
from lakeport.system.form import MOMENT, PLACE, Known, Row, known, moment
from lakeport.system.view import View


def _runs(view: View) -> Iterator[Row]:
    for run, models, is_whole, _ in view.runs():
        statuses = [model.status for model in models]
        row = {
            "run_id": run.run_id,
            "environment": run.environment,
            "command": run.command,
            "status": run.status,
            **_times(run.started_ns, run.ended_ns),
            "models": len(models),
            "succeeded": statuses.count("succeeded") + statuses.count("recovered"),
            "failed": statuses.count("failed"),
            "blocked": statuses.count("blocked"),
            "skipped": statuses.count("skipped"),
        }
        if is_whole:
            row |= {
                "actor": run.actor,
                "host": run.owner.host,
                "pid": run.owner.pid,
                "request": run.request,
                "error": run.error,
            }
        yield row


def _model_runs(view: View) -> Iterator[Row]:
    for run, models, _, tells in view.runs():
        for model in models:
            row = {
                "run_id": run.run_id,
                "environment": run.environment,
                "model": model.model,
                "namespace": model.table.namespace,
                "table": model.table.table,
                "status": model.status,
                "strategy": model.strategy,
                "rows": model.rows,
                "counts": list(model.counts.items()),
                **_times(model.started_ns, model.ended_ns),
                "snapshot_id": model.snapshot_id,
                "version": model.version,
                "created": model.created,
                "attempts": model.attempts,
                "fingerprint": model.fingerprint,
                "interval": model.interval,
                "code": model.code,
            }
            yield row | (_told(model) if tells else {})


def _told(model: ModelRecord) -> dict[str, object]:
    return {"error": model.error, "hint": model.hint, "warnings": list(model.warnings)}


def _times(started_ns: int | None, ended_ns: int | None) -> dict[str, object]:
    took = None if started_ns is None or ended_ns is None else (ended_ns - started_ns) / 1e9
    return {
        "started_at": None if started_ns is None else moment(started_ns),
        "ended_at": None if ended_ns is None else moment(ended_ns),
        "seconds": took,
    }


def _edges(view: View) -> Iterator[Row]:
    for environment, edge in view.edges():
        yield edge_row(environment, edge)


def _issues(view: View) -> Iterator[Row]:
    for environment, issue, tells in view.issues():
        row = {
            "environment": environment,
            "namespace": issue.table.namespace,
            "table": issue.table.table,
            "code": issue.code,
            "severity": issue.severity,
            "path": issue.path,
            "line": issue.line,
            "column": issue.column,
        }
        yield row | ({"message": issue.message, "hint": issue.hint} if tells else {})


_TIMES = (("started_at", MOMENT), ("ended_at", MOMENT), ("seconds", pa.float64()))

RUN_TABLES: Mapping[str, Known] = {
    "runs": known(
        "Runs of models that you may read; who ran them, and where, is for an admin.",
        (
            ("run_id", pa.string()),
            ("environment", pa.string()),
            ("command", pa.string()),
            ("status", pa.string()),
            *_TIMES,
            ("models", pa.int64()),
            ("succeeded", pa.int64()),
            ("failed", pa.int64()),
            ("blocked", pa.int64()),
            ("skipped", pa.int64()),
            ("actor", pa.string()),
            ("host", pa.string()),
            ("pid", pa.int64()),
            ("request", pa.string()),
            ("error", pa.string()),
        ),
        _runs,
    ),
    "model_runs": known(
        "What each run did to the tables that you may read.",
        (
            ("run_id", pa.string()),
            ("environment", pa.string()),
            ("model", pa.string()),
            *PLACE,
            ("status", pa.string()),
            ("strategy", pa.string()),
            ("rows", pa.int64()),
            ("counts", pa.map_(pa.string(), pa.int64())),
            *_TIMES,
            ("snapshot_id", pa.int64()),
            ("version", pa.int64()),
            ("created", pa.bool_()),
            ("attempts", pa.int64()),
            ("fingerprint", pa.string()),
            ("interval", pa.string()),
            ("code", pa.string()),
            ("error", pa.string()),
            ("hint", pa.string()),
            ("warnings", pa.list_(pa.string())),
        ),
        _model_runs,
    ),
    "lineage_edges": known(
        "Which column feeds which, of tables that you may read, as the last run knew it.",
        EDGE,
        _edges,
    ),
    "issues": known(
        "What the last run found wrong in the SQL of models that you may read.",
        (
            ("environment", pa.string()),
            *PLACE,
            ("code", pa.string()),
            ("severity", pa.string()),
            ("message", pa.string()),
            ("hint", pa.string()),
            ("path", pa.string()),
            ("line", pa.int64()),
            ("column", pa.int64()),
        ),
        _issues,
    ),
}
