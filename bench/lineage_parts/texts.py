"""SQL to measure with: decision-support queries over a retail schema, and long workloads.

The queries have the shape of the well-known decision-support suite (star joins, CTEs, windows,
rollups, unions of three sales channels, correlated subqueries) but are written by templates here.
"""

from __future__ import annotations

from itertools import product
from typing import Any

CHANNELS = ("shop", "mail", "online")
DIMENSIONS = {
    "day": ("day_key", "day_date", "year", "quarter", "month", "week", "weekday", "is_holiday"),
    "item": (
        "item_key",
        "item_id",
        "name",
        "brand",
        "class",
        "category",
        "maker",
        "colour",
        "size",
        "price",
    ),
    "customer": (
        "customer_key",
        "customer_id",
        "address_key",
        "household_key",
        "first_name",
        "last_name",
        "birth_year",
        "country",
        "mail",
    ),
    "address": (
        "address_key",
        "street",
        "city",
        "county",
        "state",
        "zip",
        "country",
        "offset_hours",
    ),
    "household": ("household_key", "income_band", "buy_potential", "dependants", "vehicles"),
    "store": ("store_key", "store_id", "name", "manager", "market", "city", "state", "floor_space"),
    "promotion": (
        "promotion_key",
        "promotion_id",
        "item_key",
        "cost",
        "by_mail",
        "by_tv",
        "by_event",
    ),
    "depot": ("depot_key", "name", "square_feet", "city", "state", "country"),
}
_SALES = (
    "day_key",
    "item_key",
    "customer_key",
    "address_key",
    "household_key",
    "store_key",
    "promotion_key",
    "depot_key",
    "ticket",
    "quantity",
    "wholesale_cost",
    "list_price",
    "sales_price",
    "discount",
    "ext_sales_price",
    "ext_cost",
    "tax",
    "coupon",
    "net_paid",
    "net_profit",
)
_RETURNS = (
    "day_key",
    "item_key",
    "customer_key",
    "address_key",
    "store_key",
    "ticket",
    "quantity",
    "amount",
    "tax",
    "fee",
    "net_loss",
)

_COUNTS = frozenset(
    {"year", "quarter", "month", "week", "quantity", "ticket", "on_hand", "dependants", "vehicles"}
)


def tables() -> dict[str, tuple[str, ...]]:
    """Every table with its columns; keys are integers, the rest is typed by name."""
    facts: dict[str, tuple[str, ...]] = {f"{channel}_sales": _SALES for channel in CHANNELS}
    facts |= {f"{channel}_returns": _RETURNS for channel in CHANNELS}
    return {**facts, **DIMENSIONS, "stock": ("day_key", "item_key", "depot_key", "on_hand")}


def column_type(name: str) -> str:
    if name.endswith("_key") or name in _COUNTS:
        return "int"
    if name.endswith("_date"):
        return "date"
    money = (
        "price",
        "cost",
        "tax",
        "paid",
        "profit",
        "discount",
        "coupon",
        "amount",
        "fee",
        "loss",
    )
    return "decimal(7,2)" if name.endswith(money) else "string"


def schema() -> dict[str, Any]:
    """The schema as an AnalyzeRequest wants it."""
    return {
        "tables": [
            {"name": name, "columns": [{"name": c, "dataType": column_type(c)} for c in columns]}
            for name, columns in tables().items()
        ]
    }


def fresh(statements: list[str], number: int) -> list[str]:
    """The same statements as texts nobody has seen before."""
    return [f"{sql} /* {number} */" for sql in statements]


def queries() -> list[str]:
    """About a hundred queries, each template with several parameters."""
    made = [
        template.format(c=channel, y=year)
        for template, channel, year in product(_PER_CHANNEL, CHANNELS, (1999, 2001, 2002))
    ]
    return made + [
        template.format(y=year) for template, year in product(_ACROSS, (1999, 2000, 2001, 2002))
    ]


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


_PER_CHANNEL = (
    """
WITH yearly AS (
  SELECT c.customer_id AS customer_id, c.first_name AS first_name, c.last_name AS last_name, c.country AS country,
         d.year AS year, sum((s.list_price - s.wholesale_cost - s.discount + s.sales_price) / 2) AS total
  FROM customer AS c JOIN {c}_sales AS s ON c.customer_key = s.customer_key JOIN day AS d ON s.day_key = d.day_key
  GROUP BY c.customer_id, c.first_name, c.last_name, c.country, d.year
)
SELECT later.customer_id, later.first_name, later.last_name, later.country, later.total / earlier.total AS growth
FROM yearly AS earlier JOIN yearly AS later ON earlier.customer_id = later.customer_id
WHERE earlier.year = {y} AND later.year = {y} + 1 AND earlier.total > 0
ORDER BY later.customer_id, later.first_name, later.last_name LIMIT 100
""",
    """
SELECT i.item_id, i.name, i.category, i.class, i.price, sum(s.ext_sales_price) AS revenue,
       sum(s.ext_sales_price) * 100 / sum(sum(s.ext_sales_price)) OVER (PARTITION BY i.class) AS share
FROM {c}_sales AS s, item AS i, day AS d
WHERE s.item_key = i.item_key AND i.category IN ('Sports', 'Books', 'Home') AND s.day_key = d.day_key
  AND d.day_date BETWEEN CAST('{y}-02-22' AS DATE) AND CAST('{y}-03-24' AS DATE)
GROUP BY i.item_id, i.name, i.category, i.class, i.price
ORDER BY i.category, i.class, i.item_id, i.name, share
""",
    """
SELECT a.state, count(*) AS customers, min(h.dependants), max(h.dependants), avg(h.vehicles),
       sum(CASE WHEN h.buy_potential = '>10000' THEN s.net_paid ELSE 0 END) AS rich,
       sum(CASE WHEN h.buy_potential <> '>10000' THEN s.net_paid ELSE 0 END) AS others
FROM {c}_sales AS s
JOIN customer AS c ON s.customer_key = c.customer_key
JOIN address AS a ON c.address_key = a.address_key
JOIN household AS h ON c.household_key = h.household_key
WHERE EXISTS (SELECT * FROM day AS d WHERE d.day_key = s.day_key AND d.year = {y} AND d.quarter < 4)
  AND s.sales_price > (SELECT 1.2 * avg(p.price) FROM item AS p WHERE p.item_key = s.item_key)
GROUP BY a.state HAVING count(*) >= 10 ORDER BY customers, a.state LIMIT 100
""",
    """
WITH sold AS (
  SELECT i.category, i.brand, st.name AS store, d.year, d.month, sum(s.sales_price) AS total,
         avg(sum(s.sales_price)) OVER (PARTITION BY i.category, i.brand, st.name, d.year) AS mean,
         rank() OVER (PARTITION BY i.category, i.brand, st.name ORDER BY d.year, d.month) AS position
  FROM item AS i, {c}_sales AS s, day AS d, store AS st
  WHERE s.item_key = i.item_key AND s.day_key = d.day_key AND s.store_key = st.store_key AND d.year IN ({y}, {y} + 1)
  GROUP BY i.category, i.brand, st.name, d.year, d.month
), neighbours AS (
  SELECT one.category, one.brand, one.store, one.year, one.month, one.total, one.mean, before.total AS previous, after.total AS following
  FROM sold AS one, sold AS before, sold AS after
  WHERE one.category = before.category AND one.category = after.category AND one.brand = before.brand
    AND one.brand = after.brand AND one.position = before.position + 1 AND one.position = after.position - 1
)
SELECT * FROM neighbours WHERE year = {y} AND mean > 0 AND abs(total - mean) / mean > 0.1 ORDER BY total - mean, month LIMIT 100
""",
    """
SELECT i.category, i.class, grouping(i.category) + grouping(i.class) AS level, sum(s.net_profit) / sum(s.ext_sales_price) AS margin,
       rank() OVER (PARTITION BY grouping(i.category) + grouping(i.class), CASE WHEN grouping(i.class) = 0 THEN i.category END
                    ORDER BY sum(s.net_profit) / sum(s.ext_sales_price)) AS position
FROM {c}_sales AS s JOIN day AS d ON d.day_key = s.day_key JOIN item AS i ON i.item_key = s.item_key JOIN store AS st ON st.store_key = s.store_key
WHERE d.year = {y} AND st.state IN ('TN', 'SD', 'AL')
GROUP BY ROLLUP (i.category, i.class) ORDER BY level DESC, position LIMIT 100
""",
    """
SELECT d.week, st.name, st.store_id,
       sum(CASE WHEN d.weekday = 'Sunday' THEN s.sales_price ELSE NULL END) AS sunday,
       sum(CASE WHEN d.weekday = 'Monday' THEN s.sales_price ELSE NULL END) AS monday,
       sum(CASE WHEN d.weekday = 'Tuesday' THEN s.sales_price ELSE NULL END) AS tuesday,
       sum(CASE WHEN d.weekday = 'Friday' THEN s.sales_price ELSE NULL END) AS friday,
       sum(CASE WHEN d.weekday = 'Saturday' THEN s.sales_price ELSE NULL END) AS saturday
FROM {c}_sales AS s, day AS d, store AS st
WHERE d.day_key = s.day_key AND s.store_key = st.store_key AND d.year = {y} AND st.state = 'TN'
GROUP BY d.week, st.name, st.store_id ORDER BY st.name, st.store_id, d.week
""",
    """
WITH back AS (
  SELECT r.customer_key AS customer_key, r.store_key AS store_key, sum(r.amount) AS total
  FROM {c}_returns AS r, day AS d WHERE r.day_key = d.day_key AND d.year = {y} GROUP BY r.customer_key, r.store_key
)
SELECT c.customer_id FROM back AS one, store AS st, customer AS c
WHERE one.total > (SELECT avg(total) * 1.2 FROM back AS two WHERE one.store_key = two.store_key)
  AND st.store_key = one.store_key AND st.state = 'TN' AND one.customer_key = c.customer_key
ORDER BY c.customer_id LIMIT 100
""",
    """
SELECT dp.name, i.item_id,
       sum(CASE WHEN d.day_date < CAST('{y}-03-11' AS DATE) THEN coalesce(s.sales_price, 0) - coalesce(r.amount, 0) ELSE 0 END) AS before_change,
       sum(CASE WHEN d.day_date >= CAST('{y}-03-11' AS DATE) THEN coalesce(s.sales_price, 0) - coalesce(r.amount, 0) ELSE 0 END) AS after_change
FROM {c}_sales AS s LEFT OUTER JOIN {c}_returns AS r ON s.ticket = r.ticket AND s.item_key = r.item_key,
     depot AS dp, item AS i, day AS d
WHERE i.price BETWEEN 0.99 AND 1.49 AND i.item_key = s.item_key AND s.depot_key = dp.depot_key AND s.day_key = d.day_key
GROUP BY dp.name, i.item_id ORDER BY dp.name, i.item_id LIMIT 100
""",
)
_ACROSS = (
    """
WITH flows AS (
  SELECT 'shop' AS channel, item_key, day_key, ext_sales_price AS sold, net_profit AS profit, 0 AS returned, 0 AS lost FROM shop_sales
  UNION ALL SELECT 'mail', item_key, day_key, ext_sales_price, net_profit, 0, 0 FROM mail_sales
  UNION ALL SELECT 'online', item_key, day_key, ext_sales_price, net_profit, 0, 0 FROM online_sales
  UNION ALL SELECT 'shop', item_key, day_key, 0, 0, amount, net_loss FROM shop_returns
  UNION ALL SELECT 'mail', item_key, day_key, 0, 0, amount, net_loss FROM mail_returns
  UNION ALL SELECT 'online', item_key, day_key, 0, 0, amount, net_loss FROM online_returns
)
SELECT f.channel, i.category, sum(f.sold) AS sales, sum(f.returned) AS returned, sum(f.profit - f.lost) AS profit
FROM flows AS f JOIN item AS i ON f.item_key = i.item_key JOIN day AS d ON f.day_key = d.day_key
WHERE d.year = {y} GROUP BY ROLLUP (f.channel, i.category) ORDER BY f.channel, i.category LIMIT 100
""",
    """
WITH shop AS (SELECT i.item_id, sum(s.ext_sales_price) AS total FROM shop_sales AS s, day AS d, address AS a, item AS i
     WHERE s.item_key = i.item_key AND s.day_key = d.day_key AND d.year = {y} AND s.address_key = a.address_key
       AND i.item_id IN (SELECT item_id FROM item WHERE colour IN ('slate', 'blanched')) GROUP BY i.item_id),
   mail AS (SELECT i.item_id, sum(s.ext_sales_price) AS total FROM mail_sales AS s, day AS d, address AS a, item AS i
     WHERE s.item_key = i.item_key AND s.day_key = d.day_key AND d.year = {y} AND s.address_key = a.address_key
       AND i.item_id IN (SELECT item_id FROM item WHERE colour IN ('slate', 'blanched')) GROUP BY i.item_id),
   online AS (SELECT i.item_id, sum(s.ext_sales_price) AS total FROM online_sales AS s, day AS d, address AS a, item AS i
     WHERE s.item_key = i.item_key AND s.day_key = d.day_key AND d.year = {y} AND s.address_key = a.address_key
       AND i.item_id IN (SELECT item_id FROM item WHERE colour IN ('slate', 'blanched')) GROUP BY i.item_id)
SELECT item_id, sum(total) AS total FROM (SELECT * FROM shop UNION ALL SELECT * FROM mail UNION ALL SELECT * FROM online) AS x
GROUP BY item_id ORDER BY total, item_id LIMIT 100
""",
    """
SELECT s.item_key, st.state, count(s.quantity) AS sold_count, avg(s.quantity) AS sold_mean, stddev_samp(s.quantity) AS sold_deviation,
       count(r.quantity) AS returned_count, avg(r.quantity) AS returned_mean, count(m.quantity) AS mailed_count, avg(m.quantity) AS mailed_mean
FROM shop_sales AS s, shop_returns AS r, mail_sales AS m, day AS d1, day AS d2, day AS d3, store AS st, item AS i
WHERE d1.quarter = 1 AND d1.year = {y} AND d1.day_key = s.day_key AND i.item_key = s.item_key AND st.store_key = s.store_key
  AND s.customer_key = r.customer_key AND s.item_key = r.item_key AND s.ticket = r.ticket AND r.day_key = d2.day_key AND d2.quarter IN (1, 2, 3)
  AND r.customer_key = m.customer_key AND r.item_key = m.item_key AND m.day_key = d3.day_key AND d3.quarter IN (1, 2, 3)
GROUP BY s.item_key, st.state ORDER BY s.item_key, st.state LIMIT 100
""",
    """
SELECT count(*) AS common FROM (
  SELECT DISTINCT c.last_name, c.first_name, d.day_date FROM shop_sales AS s, day AS d, customer AS c
   WHERE s.day_key = d.day_key AND s.customer_key = c.customer_key AND d.year = {y}
  INTERSECT
  SELECT DISTINCT c.last_name, c.first_name, d.day_date FROM mail_sales AS s, day AS d, customer AS c
   WHERE s.day_key = d.day_key AND s.customer_key = c.customer_key AND d.year = {y}
  EXCEPT
  SELECT DISTINCT c.last_name, c.first_name, d.day_date FROM online_sales AS s, day AS d, customer AS c
   WHERE s.day_key = d.day_key AND s.customer_key = c.customer_key AND d.year = {y}
) AS hot LIMIT 100
""",
    """
SELECT * FROM (
  SELECT depot, item, sum(CASE WHEN day_date < CAST('{y}-03-11' AS DATE) THEN on_hand ELSE 0 END) AS before_change,
         sum(CASE WHEN day_date >= CAST('{y}-03-11' AS DATE) THEN on_hand ELSE 0 END) AS after_change
  FROM (SELECT dp.name AS depot, i.item_id AS item, d.day_date, k.on_hand FROM stock AS k JOIN depot AS dp USING (depot_key)
        JOIN item AS i USING (item_key) JOIN day AS d USING (day_key)) AS joined
  GROUP BY depot, item
) AS x WHERE CASE WHEN before_change > 0 THEN after_change / before_change ELSE NULL END BETWEEN 0.66 AND 1.5 ORDER BY depot, item LIMIT 100
""",
    """
WITH ranked AS (
  SELECT p.promotion_id, i.brand, s.net_profit, s.quantity, s.list_price,
         dense_rank() OVER (PARTITION BY i.brand ORDER BY s.net_profit DESC) AS best,
         lag(s.list_price) OVER (PARTITION BY i.brand ORDER BY d.day_date) AS earlier_price
  FROM online_sales AS s JOIN promotion AS p ON s.promotion_key = p.promotion_key
  JOIN item AS i ON s.item_key = i.item_key JOIN day AS d ON s.day_key = d.day_key WHERE d.year = {y} AND p.by_mail = 'Y'
)
SELECT promotion_id, brand, max(net_profit) AS top, avg(list_price - earlier_price) AS drift, sum(quantity) FILTER (WHERE best <= 10) AS top_quantity
FROM ranked GROUP BY promotion_id, brand HAVING sum(quantity) > 3 ORDER BY top DESC
""",
    """
SELECT i.brand, i.maker, st.market, sum(s.ext_sales_price) AS total, min(s.coupon) AS least, max(s.tax) AS most
FROM day AS d, shop_sales AS s, item AS i, customer AS c, address AS a, store AS st
WHERE d.day_key = s.day_key AND s.item_key = i.item_key AND d.month = 11 AND d.year = {y} AND s.customer_key = c.customer_key
  AND c.address_key = a.address_key AND substr(a.zip, 1, 5) <> substr(st.city, 1, 5) AND s.store_key = st.store_key
GROUP BY i.brand, i.maker, st.market ORDER BY total DESC, i.brand LIMIT 100
""",
)
