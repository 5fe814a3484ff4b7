-- Columns inferred from usage (spec 2.11).

-- case: usage_gives_a_partial_entry
SELECT a FROM t WHERE b > 1;
--> out.a <- t.a
--> schema t(a, b, ...) implied usage
--> issue INFERRED_SCHEMA severity=info relation=t

-- case: usage_accumulates_over_statements
SELECT a FROM t;
SELECT b FROM t;
--> @0 out.a <- t.a
--> @1 out.b <- t.b
--> schema t(a, b, ...) implied usage
--> issue INFERRED_SCHEMA @0 relation=t

-- case: usage_never_makes_a_star_exact
SELECT a FROM t;
SELECT * FROM t;
--> @0 out.a <- t.a
--> @1 out.a <- t.a?
--> issue APPROXIMATE_LINEAGE @1 severity=info relation=t

-- case: usage_never_overwrites_ddl
CREATE TABLE t (a INT);
SELECT a FROM t;
--> @1 out.a <- t.a
--> schema t(a int) implied ddl @0

-- case: through_a_chain_of_open_tails
WITH one AS (SELECT * FROM t), two AS (SELECT * FROM one) SELECT deep FROM two;
--> out.deep <- t.deep
--> issue APPROXIMATE_LINEAGE severity=warning relation=t
--> schema t(deep, ...) implied usage

-- case: allow_implied_false_stores_nothing
-- schema: {"allowImplied": false}
-- options: {"unknownTablePolicy": "never"}
SELECT a FROM t;
--> out.a <- t.a
--> schema nothing

-- case: qualified_usage_of_two_unknown_tables
SELECT x.a, y.b FROM x JOIN y ON x.k = y.k;
--> out.a <- x.a
--> out.b <- y.b
--> schema x(a, k, ...) implied usage
--> schema y(b, k, ...) implied usage

-- case: a_table_made_of_a_star_has_its_columns_from_behind_it
CREATE TABLE copy AS SELECT *, 1 AS one FROM t;
CREATE VIEW v AS SELECT * FROM copy;
SELECT a, one FROM v;
--> @2 out.a <- v.a
--> @2 out.one <- v.one
--> global out.a <- v.a
--> global v.a <- copy.a
--> global copy.a <- t.a
--> issue APPROXIMATE_LINEAGE @0 relation=t
--> partial

-- case: what_a_star_leaves_out_is_not_behind_it
-- dialect: bigquery
CREATE TABLE d.copy AS WITH c AS (SELECT * EXCEPT (secret) FROM d.t) SELECT *, x AS y FROM c;
SELECT secret, y, x, z FROM d.copy;
--> global d.copy.secret <- ()
--> global d.copy.y <- d.t.x
--> global d.copy.z <- d.t.z
--> issue APPROXIMATE_LINEAGE @0 relation=d.t
--> partial

-- case: of_several_stars_any_may_be_meant
CREATE TABLE both AS SELECT * FROM s UNION ALL SELECT * FROM t;
SELECT a FROM both;
--> global both.a <- s.a?, t.a?
--> issue APPROXIMATE_LINEAGE @0 relation=s
--> issue APPROXIMATE_LINEAGE @0 relation=t
--> partial

-- case: rows_that_are_inserted_go_by_position
INSERT INTO copy SELECT * FROM t;
SELECT a FROM copy;
--> global copy.a <- t.a?
--> issue APPROXIMATE_LINEAGE @0 relation=t
--> partial

-- case: a_table_made_anew_is_of_what_it_was_made_last
CREATE OR REPLACE TABLE copy AS SELECT * FROM s;
CREATE OR REPLACE TABLE copy AS SELECT * FROM t;
SELECT a FROM copy;
--> global copy.a <- t.a
--> issue APPROXIMATE_LINEAGE @0 relation=s
--> issue APPROXIMATE_LINEAGE @1 relation=t
--> partial

-- case: a_column_that_was_added_is_not_behind_the_star
CREATE TABLE copy AS SELECT * FROM t;
ALTER TABLE copy ADD COLUMN b INT;
UPDATE copy SET b = a + 1;
SELECT b FROM copy;
--> global copy.a <- t.a
--> global copy.b <= copy.a
--> issue APPROXIMATE_LINEAGE @0 relation=t
--> partial

-- case: a_clone_and_a_table_by_another_name_keep_their_columns
-- dialect: snowflake
CREATE TABLE twin CLONE t;
ALTER TABLE twin RENAME TO other;
SELECT a FROM other;
--> global OTHER.a <- TWIN.a
--> global TWIN.a <- T.a
--> partial

-- case: a_merge_of_whole_rows_may_have_filled_a_column
-- dialect: databricks
MERGE INTO goal AS g USING s ON g.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT a FROM goal;
--> global goal.a <- s.a?
--> partial

-- case: names_of_the_engine_are_no_columns_of_an_unknown_target
-- dialect: postgres
INSERT INTO t VALUES (1, 'x');
INSERT INTO t SELECT a, b + 1, count(*) FROM s GROUP BY 1, 2;
SELECT * FROM t;
--> @0 t.column1 <- ()
--> @0 t.column2 <- ()
--> @1 t.a <- s.a
--> @1 t.?column? <= s.b?
--> @1 t.count <= s[COUNT_ALL]?
--> @2 out.a <- t.a?
--> schema s(a, b, ...) implied usage
--> schema t(a, ...) implied usage
--> issue APPROXIMATE_LINEAGE @2
