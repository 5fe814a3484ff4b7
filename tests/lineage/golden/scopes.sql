-- Scopes, CTEs and derived tables (spec 2.3).

-- case: cte_chain
-- table: t(a int)
WITH one AS (SELECT a FROM t), two AS (SELECT a FROM one) SELECT a FROM two;
--> out.a <- t.a
--> one.a <- t.a
--> two.a <- t.a
--> stmt 0 WITH reads t
--> local one(a) cte
--> local two(a) cte

-- case: later_cte_is_not_visible_to_an_earlier_one
-- table: two(a int)
WITH one AS (SELECT a FROM two), two AS (SELECT 1 AS a) SELECT one.a FROM one;
--> out.a <- two.a
--> stmt 0 WITH reads two

-- case: cte_named_like_its_table_reads_the_table
-- table: t(a int)
WITH t AS (SELECT a FROM t) SELECT a FROM t;
--> out.a <- t.a
--> stmt 0 WITH reads t

-- case: cte_column_list_renames_by_position
-- table: t(a int, b int)
WITH c (x, y) AS (SELECT a, b FROM t) SELECT y, x FROM c;
--> out.y <- t.b
--> out.x <- t.a

-- case: derived_column_list_renames_by_position
-- table: t(a int, b int)
SELECT d.y FROM (SELECT a, b FROM t) AS d (x, y);
--> out.y <- t.b
--> local d(x, y) derived

-- case: unused_cte_still_reads
-- table: t(a int)
-- table: u(b int)
WITH c AS (SELECT b FROM u) SELECT a FROM t;
--> out.a <- t.a
--> node c metadata.unused=true
--> stmt 0 WITH reads t, u

-- case: derived_table_without_alias
-- table: t(a int)
SELECT a FROM (SELECT a FROM t);
--> out.a <- t.a

-- case: nested_derived_tables
-- table: t(a int)
SELECT z FROM (SELECT y + 1 AS z FROM (SELECT a AS y FROM t) AS i) AS o;
--> out.z <= t.a

-- case: view_column_list
-- table: t(a int, b int)
CREATE VIEW v (x, y) AS SELECT a, b FROM t;
--> v.x <- t.a
--> v.y <- t.b
--> schema t(a int, b int) imported
--> schema v(x int, y int) implied view @0

-- case: derived_node_is_marked
-- table: t(a int)
SELECT a FROM (SELECT a FROM t) AS d;
--> out.a <- t.a
--> node d nodeType=cte metadata.derived=true

-- case: table_alias_hides_the_table_name
-- table: t(a int)
SELECT t.a FROM t AS x;
--> out.a <- ()
--> issue UNRESOLVED_REFERENCE

-- case: inner_cte_shadows_outer_only_inside
-- table: a(x int)
-- table: b(x int)
WITH c AS (SELECT x FROM a)
SELECT d.x AS inner_x, c.x AS outer_x
FROM (WITH c AS (SELECT x FROM b) SELECT x FROM c) AS d CROSS JOIN c;
--> out.inner_x <- b.x
--> out.outer_x <- a.x

-- case: scalar_with_in_clickhouse
-- dialect: clickhouse
-- table: t(bytes Int64)
WITH sum(bytes) AS total SELECT total FROM t;
--> out.total <= t.bytes

-- case: pipe_alias_in_bigquery
-- dialect: bigquery
-- table: d.t(a int64, b int64)
FROM d.t |> AS u |> WHERE u.a > 0 |> SELECT u.b;
--> out.b <- d.t.b

-- case: names_for_parts_of_a_value_hide_columns
-- dialect: bigquery
-- table: d.t(a int64, b int64, c int64)
SELECT WITH(x AS a + 1, y AS x * b, y - 1) AS z, WITH(c AS 'x', CONCAT(c, c)) AS n, c FROM d.t WHERE WITH(x AS a + b, x > 0);
SELECT WITH(x AS WITH(y AS a, y + 1), (SELECT MAX(u.c + x) FROM d.t AS u)) AS m FROM d.t;
--> @0 out.z <= d.t.a, d.t.b
--> @0 out.n <- ()
--> @0 out.c <- d.t.c
--> @1 out.m <= d.t.a, d.t.c

-- case: a_pipe_may_name_queries_for_what_follows
-- dialect: bigquery
-- table: d.t(a int64, b int64)
-- table: d.u(k int64, v int64)
FROM d.t |> WITH s AS (SELECT k, v FROM d.u) |> JOIN s ON t.a = s.k |> SELECT t.b, s.v;
CREATE TABLE d.n AS WITH z AS (SELECT a FROM d.t) FROM z |> WITH s AS (SELECT v FROM d.u) |> CROSS JOIN s |> SELECT a, v;
--> @0 out.b <- d.t.b
--> @0 out.v <- d.u.v
--> @1 d.n.a <- d.t.a
--> @1 d.n.v <- d.u.v

-- case: windows_in_pipes
-- dialect: bigquery
-- table: d.t(a int64, b int64, c int64)
FROM d.t |> WINDOW SUM(a) OVER (PARTITION BY b) AS s |> SELECT s, c;
FROM d.t |> EXTEND SUM(a) OVER w AS s WINDOW w AS (PARTITION BY b) |> SELECT s;
--> @0 out.s <= d.t.a, d.t.b
--> @0 out.c <- d.t.c
--> @1 out.s <= d.t.a, d.t.b
-- case: a_column_list_is_where_its_columns_are_named
-- dialect: postgres
-- table: t(a int, b int)
WITH c (x, y) AS (SELECT a, b FROM t) SELECT d.p FROM c AS d (p, q);
--> out.p <- t.a
--> node c.x span.start=8 span.end=9
--> node d.q span.start=65 span.end=66

-- case: comments_between_the_words_of_a_keyword
-- dialect: postgres
-- table: t(a int, b int)
SELECT a, sum(b) OVER (PARTITION /* by what? */ BY a ORDER -- how?
  BY b) AS s FROM t GROUP /* 1 */ BY a, b ORDER /* 2 */ -- 3
  BY a;
--> out.a <- t.a
--> out.s <= t.b[AGGREGATION], t.a[WINDOW]
--> no issue DIALECT_FALLBACK

-- case: comments_between_the_words_of_a_type
-- dialect: postgres
CREATE TABLE u (id INT PRIMARY /* the only one */ KEY, x DOUBLE -- both words
  PRECISION);
--> schema u(id INT, x DOUBLE PRECISION) implied @0
--> no issue DIALECT_FALLBACK

-- case: comments_in_settings
-- dialect: postgres
-- table: app.t(a int)
SET /* where */ search_path /* is it */ TO /* found */ app;
SELECT a FROM t;
--> @1 out.a <- app.t.a

-- case: comments_between_the_words_that_end_a_block
-- dialect: bigquery
-- table: d.t(a int64)
-- table: d.s(x int64)
IF 1 = 1 THEN INSERT INTO d.s (x) SELECT a FROM d.t; END /* of it */ IF;
--> d.s.x <- d.t.a

-- case: comments_in_a_command
MSCK /* 1 */ REPAIR /* 2 */ TABLE t;
--> stmt 0 REPAIR
--> no issue PARSE_ERROR
