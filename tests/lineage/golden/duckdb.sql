-- DuckDB: what its FROM clauses see, and what it calls columns.

-- case: a_query_in_from_is_lateral_without_the_word
-- dialect: duckdb
-- table: t(a int, b int)
SELECT x.k, y.m FROM t, (SELECT t.a + 1 AS k) x JOIN (SELECT x.k + b AS m) y ON true;
--> out.k <= t.a
--> out.m <= t.a, t.b
--> no issues

-- case: the_tables_of_the_query_itself_come_first
-- dialect: duckdb
-- table: t(a int)
-- table: u(a int)
SELECT x.k FROM t, (SELECT a AS k FROM u) x;
--> out.k <- u.a
--> out <+ t
--> no issues

-- case: the_second_column_of_a_name_has_a_number
-- dialect: duckdb
-- table: t(a int, b int, c int)
WITH w AS (SELECT a, c AS a FROM t)
SELECT x.a, a_1, a_2, (SELECT max(a_1) FROM w) AS m FROM (SELECT a, b AS a, c AS a FROM t) x;
--> out.a <- t.a
--> out.a_1 <- t.b
--> out.a_2 <- t.c
--> out.m <= t.c
--> no issues

-- case: counted_rows_have_a_name_of_their_own
-- dialect: duckdb
-- table: t(a int)
SELECT "count_star()" AS n, "sum(a)" AS s FROM (SELECT COUNT(*), SUM(a) FROM t);
--> out.n <= t
--> out.s <= t.a
--> no issues

-- case: the_right_side_of_an_asof_semi_join_is_not_seen
-- dialect: duckdb
-- table: t(a int, b int)
-- table: u(a int, c int)
SELECT * FROM t ASOF SEMI JOIN u ON t.a = u.a AND t.b >= u.c;
--> out.a <- t.a
--> out.b <- t.b
--> out <+ u
--> no issues

-- case: a_sort_key_named_by_any_branch
-- dialect: duckdb
-- table: t(a int)
-- table: u(c int)
SELECT a FROM t UNION ALL SELECT c FROM u ORDER BY c;
--> out.a <- t.a, u.c
--> no issues

-- case: a_sorted_pivot
-- dialect: duckdb
-- table: t(a int, b int, c int)
PIVOT t ON a IN (1, 2) USING sum(b) ORDER BY c LIMIT 3;
--> out.c <- t.c
--> out.1 <= t.a[CONDITIONAL], t.b
--> out.2 <= t.a[CONDITIONAL], t.b
--> no issues

-- case: stars_that_match_or_do_not
-- dialect: duckdb
-- table: t(ab int, b int, c int)
SELECT * ~ 'b' FROM t;
SELECT * NOT SIMILAR TO 'b|c' FROM t;
--> @0 out.ab <- t.ab
--> @0 out.b <- t.b
--> @1 out.ab <- t.ab
--> no issues

-- case: a_comprehension_with_places_and_one_inside_another
-- dialect: duckdb
-- table: t(l int[], m int[])
SELECT [x + i FOR x, i IN l IF i > 2] AS p, [[x + y FOR y IN m] FOR x IN l] AS q FROM t;
--> out.p <= t.l
--> out.q <= t.l, t.m
--> no issues

-- case: rows_with_their_number
-- dialect: duckdb
-- table: t(n int)
SELECT r.o, s.o AS p, s.x FROM range(3) WITH ORDINALITY AS r(x, o), t, LATERAL range(t.n) WITH ORDINALITY AS s(x, o);
--> out.o <- ()
--> out.p <- ()
--> out.x <= t.n
--> no issues

-- case: parts_of_a_document
-- dialect: duckdb
-- table: t(j json)
SELECT e.fullkey, e.atom FROM t, json_tree(t.j) e;
--> out.fullkey <= t.j
--> out.atom <= t.j
--> no issues

-- case: days_in_a_row_are_no_numbers
-- dialect: duckdb
SELECT d FROM generate_series(DATE '2024-01-01', DATE '2024-02-01', INTERVAL 1 DAY) g(d) WHERE d = '2024-01-03' AND [1] + [2] IS NOT NULL;
--> out.d <- ()
--> no issues

-- case: a_macro_with_a_value_to_fall_back_on
-- dialect: duckdb
-- table: t(a int, c int)
CREATE MACRO plus(x, y := 2) AS x + y;
SELECT plus(a) AS one, plus(a, y := c) AS two FROM t;
--> @1 out.one <= t.a
--> @1 out.two <= t.a, t.c
--> no issues

-- case: a_table_macro_with_a_value_to_fall_back_on
-- dialect: duckdb
-- table: t(a int, c int)
CREATE OR REPLACE MACRO some(y := 2) AS TABLE SELECT a FROM t WHERE c > y;
SELECT * FROM some();
--> @1 out.a <- t.a
--> no issues

-- case: tables_by_their_names_as_values
-- dialect: duckdb
-- table: t(a int, b int)
SELECT q.a, b FROM query_table('t') AS q;
--> out.a <- t.a
--> out.b <- t.b
--> stmt 0 SELECT reads t
--> no issues

-- case: several_tables_by_their_names_are_one_below_the_other
-- dialect: duckdb
-- table: t(a int, b int)
-- table: u(a int, b int)
SELECT * FROM query_table(['t', 'u']);
--> out.a <- t.a, u.a
--> out.b <- t.b, u.b
--> no issues

-- case: several_tables_by_their_names_and_by_the_names_of_their_columns
-- dialect: duckdb
-- table: t(a int, b int)
-- table: u(b int, c int)
SELECT * FROM query_table(['t', 'u'], true);
--> out.a <- t.a
--> out.b <- t.b, u.b
--> out.c <- u.c
--> no issues

-- case: a_query_as_a_value
-- dialect: duckdb
-- table: t(a int, b int)
SELECT q.a, twice FROM query('SELECT a, b * 2 AS twice FROM t') AS q;
--> out.a <- t.a
--> out.twice <= t.b
--> no issues

-- case: widths_in_bits_name_types
-- dialect: duckdb
-- table: t(a int)
CREATE TABLE n AS SELECT a::int128 AS h, a::int8 AS b, CAST(a AS uint128) AS u FROM t;
--> n.h <= t.a
--> n.b <= t.a
--> n.u <= t.a
--> schema t(a int) imported
--> schema n(h int128, b bigint, u uint128) implied

-- case: columns_whose_names_pass_a_condition
-- dialect: duckdb
-- table: t(amount int, at date, b int, total int)
SELECT COLUMNS(c -> c LIKE 'a%' AND NOT c = 'at') FROM t;
SELECT max(COLUMNS(lambda c: lower(c) IN ('b', 'total') OR starts_with(c, 'x'))) FROM t;
SELECT COLUMNS(c -> length(c) > 2 AND c <> 'b') FROM t;
--> @0 out.amount <- t.amount
--> @1 out.b <= t.b
--> @1 out.total <= t.total
--> @2 out.amount <- t.amount?
--> @2 out.at <- t.at?
--> @2 out.total <- t.total?
