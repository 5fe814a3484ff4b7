"""A project of any number of models, the same for every engine: staging, intermediate and mart queries.

Queries are plain SELECTs of ten to twenty columns with CTEs, joins, windows and stars. How a table is
named is the engine's: `Generated.sql(named)` asks for each one, so that dbt gets its `ref()`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SOURCE_COLUMNS = {
    "id": "bigint",
    "parent_id": "bigint",
    "status": "string",
    "region": "string",
    "amount": "decimal(12,2)",
    "quantity": "int",
    "score": "double",
    "is_active": "boolean",
    "created_at": "timestamp",
    "updated_at": "timestamp",
}
_TABLE = re.compile(r"<<(\w+)\.(\w+)>>")


@dataclass(frozen=True, slots=True)
class Generated:
    namespace: str
    name: str
    text: str

    def sql(self, named: Callable[[str, str], str]) -> str:
        return _TABLE.sub(lambda found: named(found[1], found[2]), self.text)

    @property
    def reads(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys(_TABLE.findall(self.text)))


def generated(count: int) -> list[Generated]:
    """So many models in layers: a fifth staging, the rest reads earlier ones."""
    staging = max(1, count // 5)
    models = [_staging(number) for number in range(staging)]
    for number in range(count - staging):
        models.append(_later(number, models))
    return models


def sources(count: int) -> list[str]:
    """The tables in `raw` that the models read."""
    return [f"source_{number}" for number in range(max(1, count // 5))]


def write_project(folder: Path, count: int) -> None:
    """As a project of Lakeport."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lakeport.toml").write_text("[pipeline.parameters]\nleast = 3\n", encoding="utf-8")
    columns = "".join(f'{name} = "{type_}"\n' for name, type_ in SOURCE_COLUMNS.items())
    declared = "\n".join(f"[raw.{name}.columns]\n{columns}" for name in sources(count))
    (folder / "sources.toml").write_text(declared, encoding="utf-8")
    for model in generated(count):
        path = folder / "models" / model.namespace / f"{model.name}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        query = model.sql(lambda namespace, name: f"{namespace}.{name}")
        settings = '/* lakeport\nunique_key = "id"\ntags = ["nightly"]\n*/\n'
        path.write_text(settings + query, encoding="utf-8")


def _staging(number: int) -> Generated:
    return Generated(
        "staging",
        f"stg_{number}",
        f"""WITH source AS (
  SELECT * FROM <<raw.source_{number}>>
),
renamed AS (
  SELECT
    id,
    parent_id,
    upper(trim(status)) AS status,
    coalesce(region, 'none') AS region,
    amount,
    quantity,
    amount * quantity AS total_{number},
    score,
    is_active,
    created_at,
    CAST(updated_at AS DATE) AS updated_on,
    row_number() OVER (PARTITION BY id ORDER BY updated_at DESC) AS place
  FROM source
  WHERE status <> 'deleted'
)
SELECT id, parent_id, status, region, amount, quantity, total_{number}, score, is_active, created_at, updated_on
FROM renamed
WHERE place = 1
""",
    )


def _later(number: int, before: list[Generated]) -> Generated:
    first = before[(number * 7) % len(before)]
    second = before[(number * 13 + 5) % len(before)]
    third = before[(number * 3 + 11) % len(before)]
    namespace = "intermediate" if number % 5 < 2 else "marts"
    name = f"{'int' if namespace == 'intermediate' else 'mart'}_{number}"
    return Generated(
        namespace,
        name,
        f"""WITH base AS (
  SELECT one.id, one.region, one.status, one.amount, one.quantity, one.created_at, two.score AS other_score,
    two.updated_on
  FROM <<{first.namespace}.{first.name}>> AS one
  LEFT JOIN <<{second.namespace}.{second.name}>> AS two ON two.id = one.parent_id
),
totals AS (
  SELECT id, sum(amount) AS total_amount, count(*) AS entries, max(updated_on) AS last_on
  FROM <<{third.namespace}.{third.name}>>
  GROUP BY id
)
SELECT
  base.*,
  base.id AS parent_id,
  other_score AS score,
  totals.total_amount AS total_{number},
  CASE WHEN totals.entries > 3 THEN 'many' ELSE 'few' END AS size_{number},
  coalesce(totals.last_on, base.updated_on) AS seen_on_{number},
  base.quantity > 1 AS is_active,
  sum(base.amount) OVER (PARTITION BY base.region ORDER BY base.created_at) AS running_{number}
FROM base
LEFT JOIN totals ON totals.id = base.id
WHERE base.status IN ('NEW', 'PAID')
""",
    )
