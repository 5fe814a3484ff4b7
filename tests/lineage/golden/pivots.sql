-- PIVOT and UNPIVOT (spec 2.9).

-- case: spark_pivot
-- table: sales(region string, quarter string, amount int)
SELECT * FROM sales PIVOT (sum(amount) FOR quarter IN ('q1' AS q1, 'q2' AS q2));
--> out.region <- sales.region
--> out.q1 <= sales.amount, sales.quarter[CONDITIONAL]
--> out.q2 <= sales.amount, sales.quarter[CONDITIONAL]

-- case: pivot_values_name_the_columns
-- table: sales(region string, quarter string, amount int)
SELECT q1 FROM (SELECT region, quarter, amount FROM sales) PIVOT (sum(amount) FOR quarter IN ('q1', 'q2'));
--> out.q1 <= sales.amount, sales.quarter[CONDITIONAL]

-- case: pivot_with_two_aggregates
-- table: sales(region string, quarter string, amount int)
SELECT * FROM sales PIVOT (sum(amount) AS total, max(amount) AS top FOR quarter IN ('q1' AS q1));
--> out.region <- sales.region
--> out.q1_total <= sales.amount, sales.quarter
--> out.q1_top <= sales.amount, sales.quarter

-- case: spark_unpivot
-- table: wide(id int, q1 int, q2 int)
SELECT * FROM wide UNPIVOT (amount FOR quarter IN (q1, q2));
--> out.id <- wide.id
--> out.quarter <- ()
--> out.amount <= wide.q1, wide.q2

-- case: tsql_unpivot
-- dialect: tsql
-- table: wide(id int, q1 int, q2 int)
SELECT id, quarter, amount FROM wide UNPIVOT (amount FOR quarter IN (q1, q2)) AS u;
--> out.id <- wide.id
--> out.quarter <- ()
--> out.amount <= wide.q1, wide.q2

-- case: names_of_a_pivot_over_an_unknown_table
-- dialect: snowflake
SELECT jan FROM t PIVOT (SUM(amount) FOR month IN ('JAN', 'FEB')) AS p (emp, jan, feb);
--> out.jan <= T.AMOUNT, T.MONTH

-- case: pivot_statement
-- dialect: duckdb
-- table: t(y int, v int, c int, z int)
PIVOT t ON y IN (2023, 2024) USING sum(v) GROUP BY c;
--> out.c <- t.c
--> out.2023 <= t.v, t.y
--> out.2024 <= t.v, t.y

-- case: pivot_statement_over_unlisted_values
-- dialect: duckdb
-- table: t(y int, v int, c int)
WITH p AS (PIVOT t ON y USING sum(v)) SELECT c, "2024" AS now FROM p;
--> out.c <- t.c?
--> out.now <= t.v[AGGREGATION], t.y[CONDITIONAL]

-- case: unpivot_statement
-- dialect: duckdb
-- table: t(a int, b int, c int)
UNPIVOT t ON a, b INTO NAME month VALUE sales;
--> out.c <- t.c
--> out.month <- ()
--> out.sales <= t.a, t.b

-- case: a_bare_word_among_pivot_values_is_a_name_in_spark
-- table: t(year int, course string, earnings int)
SELECT * FROM t PIVOT (sum(earnings) FOR year IN (s, 2013));
--> partial
--> issue UNKNOWN_COLUMN column=s

-- case: pivot_of_computed_aggregates_in_spark
-- table: t(year int, course string, earnings int)
SELECT * FROM t PIVOT (ceil(sum(earnings)) AS c, avg(earnings) + 1 AS a FOR course IN ('x', 'y'));
--> out.year <- t.year
--> out.x_c <= t.earnings, t.course[CONDITIONAL]
--> out.x_a <= t.earnings, t.course[CONDITIONAL]
--> out.y_c <= t.earnings, t.course[CONDITIONAL]
--> out.y_a <= t.earnings, t.course[CONDITIONAL]

-- case: pivot_behind_a_join_takes_the_whole_join
-- table: sales(shop int, month string, item int)
-- table: items(id int, price int)
SELECT * FROM sales JOIN items ON sales.item = items.id PIVOT (sum(items.price) AS total FOR month IN ('jan', 'feb'));
--> out.shop <- sales.shop
--> out.item <- sales.item
--> out.id <- items.id
--> out.jan <= items.price[AGGREGATION], sales.month[CONDITIONAL]
--> out.feb <= items.price[AGGREGATION], sales.month[CONDITIONAL]

-- case: pivot_behind_a_join_leaves_the_tables_their_names
-- table: sales(shop int, month string, item int)
-- table: items(id int, price int)
SELECT s.shop, jan FROM sales s JOIN items i ON s.item = i.id PIVOT (sum(price) FOR month IN ('jan'));
--> out.shop <- sales.shop
--> out.jan <= items.price[AGGREGATION], sales.month[CONDITIONAL]

-- case: pivot_of_a_join_in_parentheses
-- dialect: tsql
-- table: sales(shop int, month int, item int)
-- table: items(id int, price int)
-- table: shops(shop int, city int)
SELECT p.shop, p.[1], city
FROM (sales JOIN items ON item = id) PIVOT (sum(price) FOR month IN ([1], [2])) AS p JOIN shops ON shops.shop = p.shop;
--> out.shop <- sales.shop
--> out.1 <= items.price[AGGREGATION], sales.month[CONDITIONAL]
--> out.city <- shops.city

-- case: unpivot_behind_a_join
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT * FROM a JOIN b USING (id) UNPIVOT (v FOR which IN (x, y));
--> out.id <- a.id <= b.id[CONDITIONAL]
--> out.which <- ()
--> out.v <= a.x, b.y

-- case: bigquery_spells_values_as_names
-- dialect: bigquery
-- table: d.t(id int64, n numeric, v int64)
SELECT * FROM d.t PIVOT (sum(v) FOR n IN (1, -2, 2.5, NULL, 7 AS seven));
--> out.id <- d.t.id
--> out._1 <= d.t.v, d.t.n[CONDITIONAL]
--> out.minus_2 <= d.t.v, d.t.n[CONDITIONAL]
--> out._2_point_5 <= d.t.v, d.t.n[CONDITIONAL]
--> out.NULL <= d.t.v, d.t.n[CONDITIONAL]
--> out.seven <= d.t.v, d.t.n[CONDITIONAL]

-- case: bigquery_spells_days_behind_the_aggregate
-- dialect: bigquery
-- table: d.t(id int64, day date, done bool, v int64)
SELECT p._2024_01_31, q.total_true
FROM (SELECT id, day, v FROM d.t) PIVOT (sum(v) FOR day IN (DATE '2024-01-31')) AS p
JOIN (SELECT id, done, v FROM d.t) PIVOT (sum(v) AS total FOR done IN (TRUE, FALSE)) AS q ON p.id = q.id;
--> out._2024_01_31 <= d.t.v, d.t.day[CONDITIONAL]
--> out.total_true <= d.t.v, d.t.done[CONDITIONAL]

-- case: bigquery_unpivots_into_values_and_then_names
-- dialect: bigquery
-- table: d.t(id int64, q1 int64, q2 int64)
SELECT * FROM d.t UNPIVOT (sales FOR quarter IN (q1, q2));
--> out.id <- d.t.id
--> out.sales <= d.t.q1, d.t.q2
--> out.quarter <- ()

-- case: bigquery_unpivot_puts_values_before_the_name
-- dialect: bigquery
-- table: wide(id int64, a1 int64, b1 int64, a2 int64, b2 int64)
SELECT * FROM wide UNPIVOT ((a, b) FOR half IN ((a1, b1) AS 'first', (a2, b2) AS 'second'));
--> out.id <- wide.id
--> out.a <= wide.a1, wide.a2
--> out.b <= wide.b1, wide.b2
--> out.half <- ()

-- case: a_star_over_the_pivot_of_an_unknown_table_is_told
-- dialect: databricks
SELECT * FROM t PIVOT (sum(x) FOR y IN (1, 2));
--> out.1 <= t.x?, t.y?
--> out.2 <= t.x?, t.y?
--> partial
--> issue APPROXIMATE_LINEAGE relation=t

-- case: a_column_of_the_pivot_of_an_unknown_table_is_no_star
-- dialect: databricks
SELECT `1` FROM t PIVOT (sum(x) FOR y IN (1, 2));
--> out.1 <= t.x, t.y
--> no issue APPROXIMATE_LINEAGE

-- case: columns_a_pivot_groups_by_pass_though_it_aggregates_them
-- dialect: duckdb
-- table: t(a int, b int, c int)
PIVOT t ON b IN (1, 2) USING sum(a) AS s, max(c) AS m GROUP BY c, a;
--> out.c <- t.c
--> out.a <- t.a
--> out.1_s <= t.a, t.b
--> out.1_m <= t.c, t.b
--> out.2_s <= t.a, t.b
--> out.2_m <= t.c, t.b
--> no issues

-- case: columns_a_pivot_clause_groups_by_pass_in_their_order
-- dialect: duckdb
-- table: t(a int, b int, c int)
SELECT * FROM t PIVOT (max(c) AS m FOR b IN (1) GROUP BY c, a);
--> out.c <- t.c
--> out.a <- t.a
--> out.1_m <= t.c, t.b
--> no issues

-- case: a_pivot_statement_over_the_values_of_a_query
-- dialect: duckdb
-- table: t(a int, b int, c int)
-- table: u(d int)
WITH p AS (PIVOT t ON b IN (SELECT d FROM u) USING sum(a)) SELECT c, "7" AS seven FROM p;
--> out.c <- t.c?
--> out.seven <= t.a[AGGREGATION], t.b[CONDITIONAL]
--> stmt 0 WITH reads t, u
-- case: duckdb_pivot_statement_has_its_groups_in_the_order_they_are_written
-- dialect: duckdb
-- table: t(g int, h int, f int, v int)
PIVOT t ON f IN (1) USING sum(v) GROUP BY h, g;
--> out.h <- t.h
--> out.g <- t.g
--> out.1 <= t.v, t.f[CONDITIONAL]

-- case: duckdb_pivot_clause_groups_by_what_nobody_knows
-- dialect: duckdb
-- table: t(f int, ...)
SELECT * FROM t PIVOT (sum(v) FOR f IN (1) GROUP BY h, g);
--> out.h <- t.h
--> out.g <- t.g
--> out.1 <= t.v, t.f[CONDITIONAL]
