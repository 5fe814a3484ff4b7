-- Star expansion (spec 2.6).

-- case: several_relations_in_order
-- table: a(x int)
-- table: b(y int, z int)
SELECT * FROM b CROSS JOIN a;
--> out.y <- b.y
--> out.z <- b.z
--> out.x <- a.x

-- case: qualified
-- table: a(x int)
-- table: b(y int)
SELECT b.* FROM a CROSS JOIN b;
--> out.y <- b.y
--> out <+ a

-- case: in_parentheses
-- dialect: spark
-- table: a(x int, y string)
SELECT (*), ((a.*)), (a.x) FROM a;
--> out.x <- a.x
--> out.y <- a.y
--> out.x <- a.x
--> out.y <- a.y
--> out.x <- a.x

-- case: schema_qualified
-- table: s.a(x int)
SELECT s.a.* FROM s.a;
--> out.x <- s.a.x

-- case: struct_star
-- table: t(id int, info struct<city:string,zip:string>)
SELECT info.* FROM t;
--> out.city <= t.info
--> out.zip <= t.info

-- case: except
-- table: t(a int, b int, c int)
-- dialect: databricks
SELECT * EXCEPT (b) FROM t;
--> out.a <- t.a
--> out.c <- t.c

-- case: exclude_in_duckdb
-- dialect: duckdb
-- table: t(a int, b int)
SELECT * EXCLUDE (a) FROM t;
--> out.b <- t.b

-- case: replace_keeps_the_position
-- dialect: bigquery
-- table: d.t(a int64, b int64, c int64)
SELECT * REPLACE (b + c AS b) FROM d.t;
--> out.a <- d.t.a
--> out.b <= d.t.b, d.t.c
--> out.c <- d.t.c

-- case: rename_in_snowflake
-- dialect: snowflake
-- table: T(A int, B int)
SELECT * RENAME (a AS z) FROM t;
--> out.z <- T.A
--> out.B <- T.B

-- case: except_of_a_missing_column
-- dialect: bigquery
-- table: d.t(a int64)
SELECT * EXCEPT (nope) FROM d.t;
--> out.a <- d.t.a
--> issue UNKNOWN_COLUMN column=nope

-- case: columns_regex
-- dialect: duckdb
-- table: t(price_a int, price_b int, name varchar)
SELECT COLUMNS('price_.*') FROM t;
--> out.price_a <- t.price_a
--> out.price_b <- t.price_b

-- case: columns_inside_an_expression
-- dialect: duckdb
-- table: t(a int, b int, c varchar)
SELECT max(COLUMNS('a|b')), COLUMNS(* EXCLUDE (b))::varchar FROM t;
--> out.a <= t.a[AGGREGATION]
--> out.b <= t.b[AGGREGATION]
--> out.a <= t.a
--> out.c <= t.c

-- case: columns_under_an_alias
-- dialect: duckdb
-- table: t(a_x int, b int)
SELECT COLUMNS('(.)_x') AS 'only_\1' FROM t;
--> out.only_a <- t.a_x

-- case: columns_by_name_and_unpacked
-- dialect: duckdb
-- table: t(a int, b int, c int)
SELECT COLUMNS(['b', 'a']), coalesce(*COLUMNS(*), 0) AS d FROM t;
--> out.a <- t.a
--> out.b <- t.b
--> out.d <= t.a, t.b, t.c

-- case: columns_in_a_condition
-- dialect: duckdb
-- options: {"includeIndirect": true}
-- table: t(a int, b int)
SELECT a FROM t WHERE COLUMNS(*) > 3;
--> out.a <- t.a
--> out <~ t.a[FILTER]
--> out <~ t.b[FILTER]

-- case: a_pseudo_column_in_a_condition_is_in_no_star
-- dialect: bigquery
SELECT * FROM d.events WHERE _TABLE_SUFFIX > '2024';
--> issue APPROXIMATE_LINEAGE relation=d.events

-- case: ilike_filter
-- dialect: snowflake
-- table: T(USER_ID int, AMOUNT int)
SELECT * ILIKE '%id%' FROM t;
--> out.USER_ID <- T.USER_ID

-- case: exists_star_is_ignored
-- table: a(x int)
-- table: b(y int)
SELECT x FROM a WHERE EXISTS (SELECT * FROM b WHERE b.y = a.x);
--> out.x <- a.x
--> no issue APPROXIMATE_LINEAGE

-- case: one_unknown_relation_does_not_spoil_the_other
-- table: a(x int)
SELECT * FROM a CROSS JOIN mystery;
--> out.x <- a.x
--> out <- mystery?
--> issue UNKNOWN_TABLE relation=mystery
--> issue APPROXIMATE_LINEAGE severity=warning relation=mystery

-- case: star_beside_columns
-- table: t(a int, b int)
SELECT a + b AS c, * FROM t;
--> out.c <= t.a, t.b
--> out.a <- t.a
--> out.b <- t.b

-- case: star_through_a_cte
-- table: t(a int, b int)
WITH c AS (SELECT * FROM t) SELECT * FROM c;
--> out.a <- t.a
--> out.b <- t.b

-- case: name_binds_through_an_open_tail
WITH c AS (SELECT * FROM mystery) SELECT price FROM c;
--> out.price <- mystery.price
--> issue APPROXIMATE_LINEAGE severity=warning relation=mystery
--> schema mystery(price, ...) implied usage

-- case: ctas_over_an_unknown_star_is_partial
CREATE TABLE copied AS SELECT *, 1 AS one FROM mystery;
SELECT * FROM copied;
--> copied.one <- ()
--> copied <- mystery?
--> @1 out.one <- copied.one?
--> issue APPROXIMATE_LINEAGE @0 severity=warning
--> issue APPROXIMATE_LINEAGE @1 severity=info
--> column copied.one origin=implied

-- case: exclusion_on_an_open_tail_is_remembered
-- dialect: bigquery
WITH c AS (SELECT * EXCEPT (secret) FROM d.mystery) SELECT secret FROM c;
--> out.secret <- ()
--> issue APPROXIMATE_LINEAGE severity=warning
--> issue UNKNOWN_COLUMN column=secret

-- case: insert_is_exact_up_to_the_open_tail
-- table: target(a int, b int, c int)
INSERT INTO target SELECT 1 AS one, s.* FROM s;
--> issue UNKNOWN_TABLE relation=s
--> issue APPROXIMATE_LINEAGE severity=warning relation=s
--> no issue COLUMN_COUNT_MISMATCH

-- case: star_over_conflicting_import_through_a_cte
-- table: t(a int)
CREATE TABLE t (a INT, b INT);
WITH c AS (SELECT * FROM t) SELECT a FROM c;
--> @1 out.a <- t.a?
--> issue SCHEMA_CONFLICT @0 relation=t

-- case: count_star_is_not_a_star
SELECT count(*) AS n FROM mystery;
--> out.n <= mystery[COUNT_ALL]
--> no issue APPROXIMATE_LINEAGE

-- case: except_a_field_of_a_struct
-- table: t(id int, data struct<f1:int,s2:struct<f2:int,f3:string>>)
SELECT * EXCEPT (data.f1) FROM t;
SELECT * EXCEPT (id, data.s2.f2) FROM t;
--> @0 out.id <- t.id
--> @0 out.data <= t.data
--> @1 out.data <= t.data

-- case: except_a_field_that_is_not_there
-- table: t(data struct<f1:int>)
SELECT * EXCEPT (data.f9) FROM t;
--> out.data <- t.data
--> issue UNKNOWN_COLUMN column=f9

-- case: replace_and_rename_of_what_is_not_there
-- dialect: duckdb
-- table: t(a int)
SELECT * REPLACE (1 AS z) FROM t;
SELECT * RENAME (z AS y) FROM t;
--> @0 out.a <- t.a
--> @1 out.a <- t.a
--> issue UNKNOWN_COLUMN @0 column=z
--> issue UNKNOWN_COLUMN @1 column=z

-- case: replace_in_an_open_star_may_be_right
SELECT * REPLACE (1 AS z) FROM mystery;
--> partial
--> issue APPROXIMATE_LINEAGE severity=warning

-- case: modifiers_of_the_star_over_a_struct
-- dialect: bigquery
-- table: d.t(a int64, s struct<x int64, y int64, z int64>)
SELECT s.* EXCEPT (y) REPLACE (a + 1 AS x) FROM d.t;
SELECT s.* REPLACE (1 AS nope) FROM d.t;
--> @0 out.x <= d.t.a
--> @0 out.z <= d.t.s
--> @1 out.x <= d.t.s
--> @1 out.y <= d.t.s
--> @1 out.z <= d.t.s
--> issue UNKNOWN_COLUMN @1 column=nope

-- case: replace_in_the_star_over_a_struct_nobody_knows
-- dialect: bigquery
-- table: d.t(s)
SELECT s.* REPLACE (1 AS x) FROM d.t;
--> partial

-- case: except_a_field_of_a_field
-- table: t(data struct<f1:int,s2:struct<f2:int,f3:string>>)
SELECT data.* EXCEPT (s2.f2) FROM t;
--> out.f1 <= t.data
--> out.s2 <= t.data

-- case: star_with_a_pattern_of_names
-- dialect: duckdb
-- table: t(amount int, amount_eur int, note string)
SELECT * LIKE 'amount%' FROM t;
SELECT t.* NOT ILIKE 'AMOUNT%' FROM t;
SELECT * SIMILAR TO 'n.*' FROM t;
--> @0 out.amount <- t.amount
--> @0 out.amount_eur <- t.amount_eur
--> @1 out.note <- t.note
--> @2 out.note <- t.note

-- case: a_function_applied_to_a_star
-- dialect: clickhouse
-- table: o(id int, amount int, ts int)
SELECT * EXCEPT (ts) APPLY(sum) FROM o;
--> out.sum(id) <= o.id
--> out.sum(amount) <= o.amount

-- case: what_a_star_replaces_is_known_although_the_rest_is_not
-- dialect: bigquery
WITH c AS (SELECT * EXCEPT (z) REPLACE (a + 1 AS v) FROM ds.t) SELECT v, w FROM c;
--> out.v <= ds.t.a
--> out.w <- ds.t.w
--> issue APPROXIMATE_LINEAGE relation=ds.t

-- case: what_a_star_renames_is_known_although_the_rest_is_not
-- dialect: snowflake
WITH c AS (SELECT * RENAME (a AS b) FROM t) SELECT b, w FROM c;
--> out.b <- T.A
--> out.w <- T.W
--> issue APPROXIMATE_LINEAGE relation=T

-- case: a_star_over_the_changes_of_an_unknown_table_is_told
-- dialect: databricks
SELECT * FROM table_changes('t', 1);
SELECT a, _change_type FROM table_changes('u', 1);
--> @0 out._change_type <- ()
--> @0 out._commit_version <- ()
--> @0 out._commit_timestamp <- ()
--> @0 out <- table_changes?
--> @0 table_changes <- t?
--> @1 out.a <- u.a
--> @1 out._change_type <- ()
--> issue APPROXIMATE_LINEAGE @0 relation=t

-- case: a_model_applied_to_an_unknown_table_is_no_star
-- dialect: bigquery
SELECT predicted_x FROM ML.PREDICT(MODEL d.m, TABLE d.t);
--> out.predicted_x <= d.t?
--> no issue APPROXIMATE_LINEAGE
-- case: a_star_that_is_not_written_is_reported_at_the_name
-- dialect: duckdb
SELECT 1 AS one;
FROM elsewhere;
--> @0 out.one <- ()
--> @1 out <- elsewhere?
--> issue APPROXIMATE_LINEAGE @1 relation=elsewhere span.start=22 span.end=31

-- case: a_star_of_what_names_nothing
-- table: t(a int, s struct<x:int>)
SELECT zz.*, a FROM t;
SELECT s.* FROM t;
SELECT (SELECT count(zz.*) FROM t u) AS n FROM t zz;
SELECT zz.* EXCEPT (b) FROM t;
--> @0 out.a <- t.a
--> @1 out.x <= t.s
--> partial
--> issue UNRESOLVED_REFERENCE @0 relation=zz
--> issue UNRESOLVED_REFERENCE @3 relation=zz

-- case: a_star_of_what_may_be_a_column
-- table: t(a int, ...)
SELECT zz.* FROM t;
--> partial
--> no issue UNRESOLVED_REFERENCE
-- case: duckdb_columns_of_a_comprehension_are_a_guess
-- dialect: duckdb
-- table: t(a int, b int)
SELECT COLUMNS([c FOR c IN (*) IF c <> 'a']) FROM t;
--> out.a <- t.a?
--> out.b <- t.b?

-- case: duckdb_columns_that_a_function_names_are_a_guess
-- dialect: duckdb
-- table: t(a int, b int)
SELECT COLUMNS(list_concat(['a'], ['a'])) FROM t;
--> out.a <- t.a?
--> out.b <- t.b?

-- case: duckdb_columns_of_one_table_but_some
-- dialect: duckdb
-- table: t(id int, a int, b int)
-- table: u(id int, c int)
SELECT abs(COLUMNS(t.* EXCLUDE (id))) FROM t JOIN u USING (id);
--> out.a <= t.a
--> out.b <= t.b
