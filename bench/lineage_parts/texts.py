"""SQL to measure with: decision-support queries over a retail schema, and long workloads.

The queries have the shape and the size of the well-known decision-support suite: star joins by commas, names
without their tables, CTEs, windows, rollups, unions of three sales channels, correlated subqueries, a line for
each item. On average there are 8 tables, 4 SELECTs, 45 columns and 230 tokens in one, as there. The texts are our own.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

from bench.lineage_parts.retail import CHANNELS

_YEARS = (1999, 2000, 2002)
_FOLDER = Path(__file__).parent


def fresh(statements: list[str], number: int) -> list[str]:
    """The same statements as texts nobody has seen before."""
    return [f"{sql} /* {number} */" for sql in statements]


def queries() -> list[str]:
    """About a hundred queries: some of each channel, some of all, in several years."""
    per_channel = [
        template.format(c=channel, s=sales, r=returns, place=place, l=short, y=_YEARS[number % 3])
        for (number, template), (channel, (sales, returns, place, short)) in product(
            enumerate(_templates("per_channel.sql")), CHANNELS.items()
        )
    ]
    return per_channel + [
        template.format(y=year)
        for template, year in product(_templates("all_channels.sql"), _YEARS)
    ]


def _templates(name: str) -> list[str]:
    """The texts of a file; its first line says what may stand in braces."""
    _, _, texts = (_FOLDER / name).read_text(encoding="utf-8").partition("\n")
    return [text.strip() for text in texts.split(";\n")]


def workload(count: int) -> list[str]:
    """A chain of statements: tables by DDL, views and tables over them, appends, reports."""
    return [_statement(number) for number in range(count)]


def _statement(number: int) -> str:
    batch, step = divmod(number, 10)
    base = f"stage_{batch}"
    match step:
        case 0:
            return f"CREATE TABLE {base} (id BIGINT, customer_id BIGINT, product_id INT, amount DECIMAL(12,2), quantity INT, placed_at TIMESTAMP, region STRING)"
        case 1:
            return f"CREATE OR REPLACE VIEW {base}_recent AS SELECT id, customer_id, amount, quantity, region FROM {base} WHERE placed_at >= DATE '2024-01-01' AND amount > 0"
        case 2:
            return f"CREATE TABLE {base}_daily AS SELECT date_trunc('day', placed_at) AS day, region, sum(amount) AS revenue, count(*) AS orders, avg(quantity) AS basket FROM {base} GROUP BY date_trunc('day', placed_at), region"
        case 3:
            return f"INSERT INTO {base} (id, customer_id, amount, region) SELECT id + 1000, customer_id, amount * 1.1, upper(region) FROM {base}_recent WHERE region IN ('north', 'south')"
        case 4:
            return f"CREATE TABLE {base}_ranked AS SELECT *, row_number() OVER (PARTITION BY customer_id ORDER BY amount DESC) AS position FROM {base}_recent"
        case 5:
            return f"WITH top AS (SELECT customer_id, sum(amount) AS total FROM {base}_ranked WHERE position <= 3 GROUP BY customer_id) SELECT t.customer_id, t.total, r.region FROM top AS t JOIN {base}_recent AS r ON t.customer_id = r.customer_id"
        case 6:
            return f"CREATE VIEW {base}_all AS SELECT id, amount, region FROM {base} UNION ALL SELECT id, amount, region FROM {base}_recent"
        case 7:
            return f"UPDATE {base} SET amount = amount * 2, region = coalesce(region, 'none') WHERE quantity > 10"
        case 8:
            return f"MERGE INTO {base}_daily AS t USING (SELECT region, sum(amount) AS revenue FROM {base}_all GROUP BY region) AS s ON t.region = s.region WHEN MATCHED THEN UPDATE SET revenue = s.revenue WHEN NOT MATCHED THEN INSERT (region, revenue) VALUES (s.region, s.revenue)"
        case _:
            return f"SELECT d.day, d.revenue, CASE WHEN d.orders > 10 THEN 'busy' ELSE 'calm' END AS mood, d.revenue / nullif(d.orders, 0) AS per_order FROM {base}_daily AS d LEFT JOIN {base}_all AS a ON d.region = a.region ORDER BY d.day"
