-- Subqueries in expressions and predicates (spec 2.9).

-- case: scalar_subquery_contributes_its_output
-- table: a(id int)
-- table: b(v int)
SELECT (SELECT max(v) FROM b) AS m FROM a;
--> out.m <= b.v[AGGREGATION]
--> stmt 0 SELECT reads a, b

-- case: scalar_subquery_sources
-- table: a(id int)
-- table: b(v int)
SELECT a.id, (SELECT max(v) FROM b) AS m FROM a;
--> out.id <- a.id
--> out.m <= b.v

-- case: correlation_is_not_a_value_source
-- table: a(id int, x int)
-- table: b(id int, v int)
-- options: {"includeIndirect": true}
SELECT a.x, (SELECT max(b.v) FROM b WHERE b.id = a.id) AS m FROM a;
--> out.x <- a.x
--> out.m <= b.v[AGGREGATION]
--> out <~ a.id

-- case: exists_adds_no_columns
-- table: a(id int)
-- table: b(id int, v int)
SELECT a.id FROM a WHERE EXISTS (SELECT b.v FROM b WHERE b.id = a.id);
--> out.id <- a.id
--> stmt 0 SELECT reads a, b

-- case: exists_ignores_stars_and_values
-- table: a(id int)
-- table: b(id int, v int)
-- options: {"includeIndirect": true}
SELECT a.id FROM a WHERE EXISTS (SELECT * FROM b WHERE b.id = a.id);
SELECT a.id FROM a WHERE EXISTS (SELECT v FROM b WHERE b.id = a.id);
SELECT a.id FROM a WHERE NOT EXISTS (SELECT u.* FROM unlisted AS u UNION ALL SELECT * FROM b);
--> @0 out.id <- a.id
--> @0 out <~ a.id[FILTER]
--> @0 out <~ b.id[FILTER]
--> @1 out.id <- a.id
--> @1 out <~ a.id[FILTER]
--> @1 out <~ b.id[FILTER]
--> @2 out.id <- a.id
--> issue UNKNOWN_TABLE @2 relation=unlisted

-- case: exists_over_rows_compared_by_value
-- table: a(id int)
-- table: b(id int, v int)
-- options: {"includeIndirect": true}
SELECT id FROM a WHERE EXISTS (SELECT * FROM b EXCEPT SELECT 1, 2);
--> out.id <- a.id
--> out <~ b.id[FILTER]
--> out <~ b.v[FILTER]

-- case: in_subquery_is_indirect
-- table: a(id int)
-- table: b(v int)
-- options: {"includeIndirect": true}
SELECT id FROM a WHERE id IN (SELECT v FROM b);
--> out.id <- a.id
--> out <~ a.id[FILTER]
--> out <~ b.v[FILTER]

-- case: subquery_inside_an_expression
-- table: a(x int)
-- table: b(v int)
SELECT x * (SELECT avg(v) FROM b) AS w FROM a;
--> out.w <= a.x, b.v

-- case: exists_in_the_select_list
-- table: a(id int)
-- table: b(id int)
SELECT id, EXISTS (SELECT 1 FROM b WHERE b.id = a.id) AS has FROM a;
--> out.id <- a.id
--> out.has <- ()
--> stmt 0 SELECT reads a, b

-- case: derived_table_in_from
-- table: a(x int, y int)
SELECT s FROM (SELECT x + y AS s FROM a WHERE x > 0) AS q WHERE s > 1;
--> out.s <= a.x, a.y

-- case: spark_sees_no_further_than_the_query_around
-- dialect: spark
-- table: t(a int)
-- table: u(b int)
-- table: w(c int)
SELECT a FROM t WHERE EXISTS (SELECT b FROM u WHERE b IN (SELECT c FROM w WHERE c = t.a));
SELECT a FROM t WHERE EXISTS (SELECT b FROM u WHERE b = t.a AND b IN (SELECT c FROM w WHERE c = b));
--> @0 out.a <- t.a
--> @1 out.a <- t.a
--> issue UNKNOWN_COLUMN @0 column=a

-- case: postgres_sees_all_queries_around
-- dialect: postgres
-- table: t(a int)
-- table: u(b int)
-- table: w(c int)
SELECT a FROM t WHERE EXISTS (SELECT b FROM u WHERE b IN (SELECT c FROM w WHERE c = t.a));
--> out.a <- t.a

-- case: a_clause_of_a_subquery_may_use_a_name_that_was_made_up
-- dialect: spark
-- table: t(a int, b int)
SELECT (SELECT max(a) FROM t ORDER BY `max(a)` LIMIT 1) AS top,
       (SELECT a + 1 FROM t GROUP BY `(a + 1)` LIMIT 1) AS next
FROM t;
--> out.top <= t.a[AGGREGATION]
--> out.next <= t.a

-- case: pipe_groups_by_sets
-- dialect: bigquery
-- table: d.t(a int64, b int64, c int64)
FROM d.t |> AGGREGATE sum(c) AS s GROUP BY ROLLUP (a, b);
FROM d.t |> AGGREGATE sum(c) AS s GROUP BY GROUPING SETS ((a, b), (b), ()) |> WHERE b > 1;
FROM d.t |> AGGREGATE sum(c) AS s GROUP BY ();
--> @0 out.a <- d.t.a
--> @0 out.b <- d.t.b
--> @0 out.s <= d.t.c
--> @1 out.a <- d.t.a
--> @1 out.b <- d.t.b
--> @1 out.s <= d.t.c
--> @2 out.s <= d.t.c

-- case: pipe_leaves_joined_tables_their_names
-- dialect: bigquery
-- table: d.t(id int64, a int64)
-- table: d.u(id int64, b int64)
FROM d.t JOIN d.u USING (id) |> EXTEND t.a + u.b AS total |> WHERE u.b > 1 |> DROP a |> SELECT t.a, total, u.b;
--> out.a <- d.t.a
--> out.total <= d.t.a, d.u.b
--> out.b <- d.u.b

-- case: pipe_that_selects_takes_the_names_away
-- dialect: bigquery
-- table: d.t(id int64, a int64)
-- table: d.u(id int64, b int64)
FROM d.t JOIN d.u USING (id) |> SELECT t.a |> WHERE u.b > 1;
--> out.a <- d.t.a
--> issue UNRESOLVED_REFERENCE

-- case: in_asks_a_table
-- dialect: sqlite
-- table: t(a integer, b integer)
-- table: allowed(id integer)
-- options: {"includeIndirect": true}
SELECT b FROM t WHERE a IN allowed AND b NOT IN (a);
--> out.b <- t.b
--> out <~ t.a[FILTER], t.b[FILTER], allowed.id[FILTER]
--> stmt 0 SELECT reads allowed, t

-- case: in_asks_a_cte
-- dialect: sqlite
-- table: t(a integer, b integer)
-- options: {"includeIndirect": true}
WITH few AS (SELECT b FROM t LIMIT 5) SELECT a FROM t WHERE a IN few;
--> out.a <- t.a
--> out <~ t.a[FILTER], few.b[FILTER]

-- case: clickhouse_in_asks_a_table_of_a_database
-- dialect: clickhouse
-- table: d.hits(user UInt64, url String)
-- table: d.robots(user UInt64)
-- options: {"includeIndirect": true}
SELECT url FROM d.hits WHERE user GLOBAL NOT IN d.robots;
--> out.url <- d.hits.url
--> out <~ d.hits.user[FILTER], d.robots.user[FILTER]

-- case: clickhouse_in_takes_a_named_value
-- dialect: clickhouse
-- table: d.hits(user UInt64, url String)
WITH [1, 2] AS robots SELECT url FROM d.hits WHERE user IN robots;
--> out.url <- d.hits.url
