-- Hiding CTEs and temporary tables (spec 2.17).

-- case: hide_ctes
-- table: t(a int, b int)
-- options: {"hideCtes": true}
WITH c AS (SELECT a + b AS s FROM t) SELECT s FROM c;
--> out.s <= t.a, t.b
--> summary tableCount=1

-- case: hide_chain_of_ctes
-- table: t(a int)
-- options: {"hideCtes": true}
WITH c AS (SELECT a FROM t), d AS (SELECT a AS b FROM c), e AS (SELECT b FROM d) SELECT b FROM e;
--> out.b <- t.a

-- case: hide_keeps_approximate
-- options: {"hideCtes": true}
-- table: t(a int, ...)
WITH c AS (SELECT * FROM t) SELECT a FROM c;
--> out.a <- t.a?
--> issue APPROXIMATE_LINEAGE severity=info

-- case: hide_derived_tables_too
-- table: t(a int)
-- options: {"hideCtes": true}
SELECT d.a FROM (SELECT a FROM t) AS d;
--> out.a <- t.a

-- case: hidden_ctes_still_count_reads
-- table: t(a int)
-- options: {"hideCtes": true}
WITH c AS (SELECT a FROM t) SELECT a FROM c;
--> out.a <- t.a
--> stmt 0 WITH reads t

-- case: collapse_temporary
-- table: s(a int)
-- options: {"collapseTemporary": true}
CREATE TEMPORARY VIEW w AS SELECT a + 1 AS b FROM s;
CREATE TABLE t AS SELECT b AS c FROM w;
--> @0 w.b <= s.a
--> @1 t.c <- w.b
--> global t.c <= s.a

-- case: temporary_stays_by_default
-- table: s(a int)
CREATE TEMPORARY VIEW w AS SELECT a + 1 AS b FROM s;
CREATE TABLE t AS SELECT b AS c FROM w;
--> w.b <= s.a
--> t.c <- w.b
--> global t.c <- w.b
--> global w.b <= s.a

-- case: collapse_by_pattern
-- table: s(a int)
-- options: {"collapseTemporary": true, "collapsePattern": "stg_*"}
CREATE TABLE stg_one AS SELECT a FROM s;
CREATE TABLE t AS SELECT a + 1 AS b FROM stg_one;
--> @0 stg_one.a <- s.a
--> @1 t.b <= stg_one.a
--> global t.b <= s.a

-- case: collapse_a_chain_of_temporaries
-- dialect: tsql
-- table: s(a int)
-- options: {"collapseTemporary": true}
SELECT a INTO #one FROM s;
SELECT a INTO #two FROM #one;
INSERT INTO t (x) SELECT a FROM #two;
--> @0 #one.a <- s.a
--> @1 #two.a <- #one.a
--> @2 t.x <- #two.a
--> issue UNKNOWN_TABLE relation=t
--> global t.x <- s.a

-- case: bypass_keeps_both_sides_of_a_join
-- table: a(id int, x int)
-- table: b(id int, y int)
-- options: {"hideCtes": true}
WITH j AS (SELECT a.x, b.y FROM a JOIN b ON a.id = b.id) SELECT x + y AS z FROM j;
--> out.z <= a.x, b.y

-- case: collapse_tells_lives_of_a_temporary_apart
-- dialect: spark
-- table: x(a int)
-- table: y(b int)
-- options: {"collapseTemporary": true}
CREATE OR REPLACE TEMP VIEW t AS SELECT a FROM x;
CREATE TABLE one AS SELECT a FROM t;
CREATE OR REPLACE TEMP VIEW t AS SELECT b AS a FROM y;
CREATE TABLE two AS SELECT a FROM t;
--> @0 t.a <- x.a
--> @1 one.a <- t.a
--> @2 t.a <- y.b
--> @3 two.a <- t.a
--> global one.a <- x.a
--> global two.a <- y.b

-- case: collapse_a_temporary_made_of_itself
-- dialect: duckdb
-- table: x(a int)
-- options: {"collapseTemporary": true}
CREATE TEMP TABLE t AS SELECT a FROM x;
CREATE OR REPLACE TEMP TABLE t AS SELECT a + 1 AS a FROM t;
CREATE TABLE one AS SELECT a FROM t;
--> @0 t.a <- x.a
--> @1 t.a <= t.a
--> @2 one.a <- t.a
--> global one.a <= x.a

-- case: collapse_keeps_what_was_appended
-- dialect: postgres
-- table: x(a int)
-- table: y(b int)
-- options: {"collapseTemporary": true}
CREATE TEMP TABLE t (a int);
INSERT INTO t SELECT a FROM x;
INSERT INTO t SELECT b FROM y;
CREATE TABLE one AS SELECT a FROM t;
--> @1 t.a <- x.a
--> @2 t.a <- y.b
--> @3 one.a <- t.a
--> global one.a <- x.a, y.b

-- case: a_column_gets_its_own_value_back_through_a_cte
-- dialect: tsql
-- table: t(a int, b int)
-- options: {"hideCtes": true}
WITH c AS (SELECT a, b FROM t) UPDATE c SET a = a + 1, b = a;
--> t.a <= t.a
--> t.b <- t.a
--> global t.a <= t.a
--> global t.b <- t.a
--> stmt 0 UPDATE reads t writes t

-- case: a_table_gets_its_own_rows_back_through_a_temporary
-- dialect: postgres
-- table: t(a int)
-- options: {"collapseTemporary": true}
CREATE TEMP TABLE x AS SELECT a FROM t;
INSERT INTO t SELECT a FROM x;
--> @0 x.a <- t.a
--> @1 t.a <- x.a
--> global t.a <- t.a

-- case: columns_pass_temporary_tables_that_nobody_listed
-- dialect: tsql
-- options: {"collapseTemporary": true}
SELECT * INTO #work FROM one;
INSERT INTO first (a) SELECT x + 1 FROM #work;
DROP TABLE #work;
SELECT * INTO #work FROM two;
INSERT INTO second (a) SELECT x FROM #work;
--> global first.a <= one.x
--> global second.a <- two.x
--> issue APPROXIMATE_LINEAGE @0 relation=one
--> issue APPROXIMATE_LINEAGE @3 relation=two
--> partial

-- case: collapse_takes_no_row_that_came_after_the_reader
-- spec: 2.14, a read sees what was appended before it
-- dialect: postgres
-- table: x(a int)
-- table: y(b int, c int)
-- options: {"collapseTemporary": true}
CREATE TEMP TABLE s (k int, v int);
INSERT INTO s (k) SELECT a FROM x;
CREATE TABLE one AS SELECT k, v FROM s;
INSERT INTO s SELECT b, c FROM y;
CREATE TABLE two AS SELECT k, v FROM s;
--> global one.k <- x.a
--> global two.k <- x.a, y.b
--> global two.v <- y.c
--> partial

-- case: collapse_reads_a_column_as_it_was_before_its_update
-- dialect: postgres
-- table: x(a int, b int)
-- table: y(q int)
-- options: {"collapseTemporary": true}
CREATE TEMP TABLE s AS SELECT a, b FROM x;
UPDATE s SET a = b;
UPDATE s SET b = q FROM y;
CREATE TABLE one AS SELECT a, b FROM s;
--> global one.a <- x.a, x.b
--> global one.b <- x.b, y.q
--> partial

-- case: collapse_takes_a_merge_after_the_first_reader_apart
-- dialect: snowflake
-- table: x(a int, b int)
-- table: y(a int, c int)
-- options: {"collapseTemporary": true}
CREATE TEMP TABLE s AS SELECT a, b FROM x;
CREATE TABLE one AS SELECT b FROM s;
MERGE INTO s USING y ON s.a = y.a WHEN MATCHED THEN UPDATE SET b = y.c;
CREATE TABLE two AS SELECT a, b FROM s;
--> global ONE.b <- X.b
--> global TWO.a <- X.a
--> global TWO.b <- X.b, Y.c
--> partial

-- case: collapse_keeps_stars_of_a_table_that_grew_after_it_was_read
-- dialect: duckdb
-- options: {"collapseTemporary": true}
CREATE TEMP TABLE s AS SELECT * FROM x;
CREATE TABLE one AS SELECT p FROM s;
INSERT INTO s (p) SELECT r FROM y;
CREATE TABLE two AS SELECT * FROM s;
--> global one.p <- x.p
--> global two <- x?
--> global two.p <- x.p?, y.r?
--> issue APPROXIMATE_LINEAGE @0 relation=x
--> partial

-- case: a_renamed_temporary_is_temporary
-- dialect: postgres
-- table: x(a int)
-- options: {"collapseTemporary": true}
CREATE TEMP TABLE s AS SELECT a FROM x;
ALTER TABLE s RENAME TO filled;
CREATE TABLE one AS SELECT a FROM filled;
--> @0 s.a <- x.a
--> @1 filled.a <- s.a[RENAME]
--> @1 filled <- s[RENAME]
--> @2 one.a <- filled.a
--> node @1 filled metadata.temporary=true
--> global one.a <- x.a

-- case: collapse_through_a_swap_gives_each_the_rows_of_the_other
-- dialect: snowflake
-- table: live(a int)
-- table: delta(a int)
-- options: {"collapseTemporary": true, "collapsePattern": "next_.*"}
CREATE TABLE next_live CLONE live;
INSERT INTO next_live SELECT a FROM delta;
ALTER TABLE live SWAP WITH next_live;
CREATE TABLE backup AS SELECT a FROM next_live;
--> global LIVE.a <- LIVE.a, DELTA.a
--> global BACKUP.a <- LIVE.a
--> partial

-- case: counted_rows_of_an_open_cte_open_nothing
-- options: {"hideCtes": true}
WITH c AS (SELECT * FROM t) SELECT count(*) AS n FROM c;
--> out.n <= t?
--> issue APPROXIMATE_LINEAGE

-- case: columns_of_a_hidden_cte_are_not_behind_the_star_beside_them
-- options: {"hideCtes": true}
-- table: a(id int, x int)
-- table: b(id int, ...)
WITH c AS (SELECT a.x, b.* FROM a JOIN b ON a.id = b.id) SELECT * FROM c;
--> out.x <- a.x?
--> out.id <- b.id?
--> out <- b?
--> issue APPROXIMATE_LINEAGE severity=info
