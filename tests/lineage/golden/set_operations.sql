-- Set operations and VALUES (spec 2.8).

-- case: union_feeds_from_every_branch
-- table: a(x int)
-- table: b(y int)
SELECT x FROM a UNION SELECT y FROM b;
--> out.x <- a.x, b.y
--> stmt 0 UNION reads a, b

-- case: union_all
-- table: a(x int)
-- table: b(y int)
-- table: c(z int)
SELECT x FROM a UNION ALL SELECT y FROM b UNION ALL SELECT z FROM c;
--> out.x <- a.x, b.y, c.z

-- case: names_from_the_first_branch
-- table: a(x int, y int)
-- table: b(p int, q int)
SELECT x AS one, y AS two FROM a UNION ALL SELECT p, q FROM b;
--> out.one <- a.x, b.p
--> out.two <- a.y, b.q

-- case: position_not_name
-- table: a(x int, y int)
-- table: b(x int, y int)
SELECT x, y FROM a UNION ALL SELECT y, x FROM b;
--> out.x <- a.x, b.y
--> out.y <- a.y, b.x

-- case: union_by_name
-- dialect: duckdb
-- table: a(x int, y int)
-- table: b(y int, x int)
SELECT x, y FROM a UNION ALL BY NAME SELECT y, x FROM b;
--> out.x <- a.x, b.x
--> out.y <- a.y, b.y

-- case: union_by_name_adds_missing_columns
-- dialect: duckdb
-- table: a(x int)
-- table: b(y int)
SELECT x FROM a UNION ALL BY NAME SELECT y FROM b;
--> out.x <- a.x
--> out.y <- b.y

-- case: intersect_takes_both
-- table: a(x int)
-- table: b(y int)
SELECT x FROM a INTERSECT SELECT y FROM b;
--> out.x <- a.x, b.y
--> stmt 0 INTERSECT reads a, b

-- case: except_right_side_filters
-- table: a(x int)
-- table: b(y int)
SELECT x FROM a EXCEPT SELECT y FROM b;
--> out.x <- a.x <= b.y[FILTER]
--> stmt 0 EXCEPT reads a, b

-- case: minus_in_oracle
-- dialect: oracle
-- table: A(X int)
-- table: B(Y int)
SELECT x FROM a MINUS SELECT y FROM b;
--> out.x <- A.X <= B.Y[FILTER]

-- case: width_mismatch
-- table: a(x int, y int)
-- table: b(z int)
SELECT x, y FROM a UNION ALL SELECT z FROM b;
--> out.x <- a.x, b.z
--> out.y <- a.y?
--> issue COLUMN_COUNT_MISMATCH

-- case: union_of_stars
-- table: a(x int, y int)
-- table: b(p int, q int)
SELECT * FROM a UNION ALL SELECT * FROM b;
--> out.x <- a.x, b.p
--> out.y <- a.y, b.q

-- case: union_in_a_derived_table
-- table: a(x int)
-- table: b(y int)
SELECT v + 1 AS w FROM (SELECT x AS v FROM a UNION ALL SELECT y FROM b) AS u;
--> out.w <= a.x, b.y

-- case: values_in_spark
SELECT * FROM VALUES (1, 'a'), (2, 'b');
--> out.col1 <- ()
--> out.col2 <- ()

-- case: values_in_postgres
-- dialect: postgres
SELECT * FROM (VALUES (1, 'a')) AS v;
--> out.column1 <- ()
--> out.column2 <- ()

-- case: values_with_column_names
-- dialect: postgres
SELECT n FROM (VALUES (1, 'a')) AS v (id, n);
--> out.n <- ()

-- case: bare_values_statement
-- dialect: postgres
VALUES (1, 2);
--> stmt 0 VALUES
--> out.column1 <- ()
--> out.column2 <- ()

-- case: parenthesised_branches
-- table: a(x int)
-- table: b(y int)
(SELECT x FROM a) UNION ALL (SELECT y FROM b ORDER BY y LIMIT 1);
--> out.x <- a.x, b.y

-- case: union_with_an_unknown_star_is_approximate
-- table: a(x int)
SELECT x FROM a UNION ALL SELECT * FROM mystery;
--> out.x <- a.x, mystery.x?
--> out <- mystery?
--> issue UNKNOWN_TABLE relation=mystery
--> issue APPROXIMATE_LINEAGE severity=warning relation=mystery

-- case: view_of_values_with_names
CREATE TEMPORARY VIEW v AS VALUES (1, 2), (3, 4) AS t(a, b);
SELECT * FROM v;
--> @1 out.a <- v.a
--> @1 out.b <- v.b

-- case: view_column_list_over_values
CREATE VIEW v(a, b) AS VALUES (1, 2);
SELECT b FROM v;
--> @1 out.b <- v.b

-- case: a_later_branch_may_sort_by_a_name_that_was_made_up
-- dialect: spark
-- table: t(a int)
-- table: u(b int)
SELECT a + 1 AS a FROM t UNION ALL (SELECT b + 1 FROM u ORDER BY `(b + 1)` LIMIT 3);
--> out.a <= t.a, u.b

-- case: a_later_branch_beside_an_unknown_star_is_matched_by_the_name_made_up
-- dialect: spark
-- table: u(b int)
SELECT * FROM somewhere UNION ALL SELECT b + 1 FROM u;
--> out.(b + 1) <= u.b?
--> partial
--> issue UNKNOWN_TABLE relation=somewhere
--> issue APPROXIMATE_LINEAGE relation=somewhere

-- case: mysql_rows_of_values
-- dialect: mysql
-- table: t(a int)
SELECT v.* FROM (VALUES ROW(1, 'x'), ROW((SELECT max(a) FROM t), 'y')) AS v;
--> out.column_0 <= t.a
--> out.column_1 <- ()

-- case: trino_rows_of_values
-- dialect: trino
VALUES ROW(1, 'x'), ROW(2, 'y');
--> out._col0 <- ()
--> out._col1 <- ()

-- case: postgres_row_in_values_is_one_value
-- dialect: postgres
VALUES (ROW(1, 'x')), (ROW(2, 'y'));
--> out.column1 <- ()

-- case: a_pipe_may_unite_several_queries
-- dialect: bigquery
-- table: d.t(a int64)
-- table: d.u(b int64, c int64)
FROM d.t |> UNION ALL (SELECT b FROM d.u), (SELECT c FROM d.u) |> ASSERT a > 0, 'none' |> WHERE a > 1;
--> out.a <- d.t.a, d.u.b, d.u.c

-- case: sqlite_sorts_by_names_of_any_branch
-- dialect: sqlite
-- table: t(a integer, b integer)
-- table: u(c integer, d integer)
-- options: {"includeIndirect": true}
SELECT a, b FROM t UNION ALL SELECT c, d FROM u ORDER BY d;
--> out.a <- t.a, u.c
--> out.b <- t.b, u.d
--> out <~ t.b[SORT], u.d[SORT]
-- case: every_branch_says_which_operation_it_passes
-- dialect: duckdb
-- table: t(a int, b int)
-- table: u(a int, c int)
SELECT a FROM t UNION ALL SELECT a FROM u;
SELECT b FROM t INTERSECT SELECT c FROM u;
SELECT a + 1 AS a FROM t EXCEPT SELECT c FROM u;
SELECT a FROM t UNION SELECT a FROM u UNION ALL SELECT b FROM t;
SELECT a, b FROM t UNION ALL BY NAME SELECT a, c FROM u;
SELECT count(*) AS n FROM t UNION ALL SELECT c + 1 FROM u;
--> @0 out.a <- t.a[UNION_ALL], u.a[UNION_ALL]
--> @1 out.b <- t.b[INTERSECT], u.c[INTERSECT]
--> @2 out.a <= t.a[EXCEPT], u.c[EXCEPT]
--> @3 out.a <- t.a[UNION], u.a[UNION], t.b[UNION_ALL]
--> @4 out.a <- t.a[UNION_ALL], u.a[UNION_ALL]
--> @4 out.b <- t.b[UNION_ALL]
--> @4 out.c <- u.c[UNION_ALL]
--> @5 out.n <= t[COUNT_ALL], u.c[UNION_ALL]
-- case: rows_that_begin_a_query_behind_from
-- table: t(a int, b int)
SELECT * FROM (VALUES (1, 2), (3, 4) UNION ALL SELECT a, b FROM t) AS q(x, y);
SELECT * FROM t JOIN (VALUES (1, (SELECT 2)) ORDER BY 1 LIMIT 3) AS q(c, d) ON t.a = q.c;
--> @0 out.x <- t.a
--> @0 out.y <- t.b
--> @1 out.a <- t.a
--> @1 out.b <- t.b
--> @1 out.c <- ()
--> @1 out.d <- ()

-- case: rows_that_begin_a_query_inside_others
-- table: t(a int)
SELECT * FROM (VALUES ((SELECT max(x) FROM (VALUES (1) UNION SELECT a FROM t) AS i(x))) UNION SELECT a FROM t) AS o(y);
--> out.y <= t.a

-- case: rows_that_begin_a_query_behind_from_in_postgres
-- dialect: postgres
-- table: t(a int, b int)
SELECT * FROM (VALUES (1, 2) EXCEPT SELECT a, b FROM t) AS q;
--> partial
--> out.column1 <= t.a
--> out.column2 <= t.b

-- case: a_star_that_gives_the_names_is_asked_for_them
-- table: b(x int)
SELECT x FROM (SELECT * FROM mystery UNION ALL SELECT x FROM b) AS u;
--> out.x <- mystery.x?, b.x?
--> u <- mystery?
--> issue UNKNOWN_TABLE relation=mystery
--> issue APPROXIMATE_LINEAGE relation=mystery

-- case: names_guessed_of_a_star_are_not_remembered
-- dialect: generic
SELECT 'web' AS channel, id FROM one UNION ALL SELECT * EXCEPT (id) FROM two;
SELECT * FROM two;
--> @0 out.channel <- two.channel?
--> @0 out.id <- one.id
--> @0 out <- two?
--> @1 out <- two?
--> issue APPROXIMATE_LINEAGE @0 relation=two
--> issue APPROXIMATE_LINEAGE @1 relation=two
--> schema one(id, ...) implied
