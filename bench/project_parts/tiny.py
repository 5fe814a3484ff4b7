"""Twenty tiny models, or the first of them, for `lakeport run` and for dbt: the same queries and keys.

Eight read nothing, eight join two of them, four count. Spark's `range` is DuckDB's, but for its column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

Named = Callable[[str, str], str]

COUNT = 20


@dataclass(frozen=True, slots=True)
class Tiny:
    namespace: str
    name: str
    query: str
    reads: tuple[tuple[str, str], ...] = ()
    keyed: bool = True

    def sql(self, named: Named) -> str:
        return self.query.format(*(named(*table) for table in self.reads))


def tiny(count: int) -> list[Tiny]:
    return list(_all())[:count]


def _all() -> Iterator[Tiny]:
    for n in range(8):
        query = f"SELECT id, id * {n} AS v, concat('n', id) AS name FROM range(20) AS rows (id)"
        yield Tiny("plain", f"s{n}", query)
    for n in range(8):
        query = "SELECT a.id, a.v + b.v AS v FROM {} AS a JOIN {} AS b ON b.id = a.id"
        yield Tiny("joined", f"m{n}", query, (("plain", f"s{n}"), ("plain", f"s{(n + 1) % 8}")))
    for n in range(4):
        query = "SELECT v % 3 AS k, count(*) AS n FROM {} GROUP BY v % 3"
        yield Tiny("counted", f"o{n}", query, (("joined", f"m{n}"),), keyed=False)


def write_lakeport(root: Path, count: int) -> None:
    root.mkdir(parents=True, exist_ok=True)
    (root / "lakeport.toml").touch()
    for model in tiny(count):
        setting = "unique_key = 'id'" if model.keyed else "materialized = 'table'"
        text = model.sql(lambda namespace, name: f"{namespace}.{name}")
        _put(root, model, f"/* lakeport\n{setting}\n*/\n{text}\n")


def write_dbt(root: Path, count: int, profile: str, config: str) -> None:
    """`config` is what each keyed model says beside its key."""
    root.mkdir(parents=True)
    (root / "dbt_project.yml").write_text(
        'name: bench\nversion: "1.0"\nprofile: bench\nmodel-paths: [models]\n'
        "flags: {send_anonymous_usage_stats: false}\n"
    )
    outputs = f"bench:\n  target: here\n  outputs:\n    here: {profile}\n"
    (root / "profiles.yml").write_text(outputs)
    for model in tiny(count):
        kind = "'incremental', unique_key='id'" if model.keyed else "'table'"
        head = f"{{{{ config(materialized={kind}{config}) }}}}\n"
        _put(root, model, head + model.sql(lambda _, name: "{{ ref('" + name + "') }}") + "\n")


def _put(root: Path, model: Tiny, text: str) -> None:
    file = root / "models" / model.namespace / f"{model.name}.sql"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
