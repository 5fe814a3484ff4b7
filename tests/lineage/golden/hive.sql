-- Hive: clauses that the other dialects do not have, and what its tables remember.

-- case: a_view_of_partitions
-- dialect: hive
-- table: src(k string, ds string)
CREATE VIEW w PARTITIONED ON (ds) AS SELECT k, ds FROM src;
--> w.k <- src.k
--> w.ds <- src.ds

-- case: a_materialized_view_that_rewrites_nothing
-- dialect: hive
-- table: src(k string, ds string)
CREATE MATERIALIZED VIEW w DISABLE REWRITE CLUSTERED ON (ds) STORED AS ORC AS SELECT k, ds FROM src;
--> w.k <- src.k
--> w.ds <- src.ds

-- case: managed_transactional_and_skewed_tables
-- dialect: hive
-- table: src(k string)
CREATE MANAGED TABLE m AS SELECT k FROM src;
CREATE TRANSACTIONAL TABLE n AS SELECT k FROM src;
CREATE TABLE o (k string, enable int) SKEWED BY (k) ON ('a', 'b') STORED AS DIRECTORIES;
INSERT INTO o SELECT k, 1 FROM src;
--> m.k <- src.k
--> n.k <- src.k
--> o.k <- src.k
--> no issues

-- case: how_far_a_constraint_is_trusted
-- dialect: hive
-- table: src(k string)
CREATE TABLE o (k string NOT NULL ENABLE, n int, PRIMARY KEY (k) DISABLE NOVALIDATE RELY);
ALTER TABLE o ADD CONSTRAINT u UNIQUE (n) DISABLE NOVALIDATE;
INSERT INTO o SELECT k, 1 FROM src;
--> o.k <- src.k
--> no issues

-- case: overwritten_unless_it_is_there
-- dialect: hive
-- table: src(k string)
-- table: o(k string, ds string)
INSERT OVERWRITE TABLE o PARTITION (ds = '1') IF NOT EXISTS SELECT k FROM src;
--> o.k <- src.k
--> no issues

-- case: a_window_that_clusters
-- dialect: hive
-- table: src(k string, n int)
SELECT sum(n) OVER (CLUSTER BY k) AS s FROM src;
--> out.s <= src.k[WINDOW], src.n
--> no issues

-- case: files_of_a_table_are_exported_and_imported
-- dialect: hive
-- table: src(k string)
-- table: t(k string)
EXPORT TABLE src TO '/lake/dump';
IMPORT TABLE t FROM '/lake/dump';
--> @0 /lake/dump.k <- src.k
--> @1 t <- /lake/dump
--> no issues

-- case: how_partitions_are_kept
-- dialect: hive
-- table: src(k string, ds string)
ALTER TABLE src PARTITION (ds = '1') CONCATENATE;
ALTER TABLE src PARTITION (ds = '1') COMPACT 'major';
ALTER TABLE src PARTITION (ds = '1') RENAME TO PARTITION (ds = '2');
ALTER TABLE src PARTITION (ds = '1') UPDATE STATISTICS SET ('numRows' = '3');
ALTER TABLE src ARCHIVE PARTITION (ds = '1');
ALTER TABLE src NOT CLUSTERED;
ALTER MATERIALIZED VIEW w REBUILD;
LOCK TABLE src SHARED;
UNLOCK TABLE src;
TRUNCATE TABLE src COLUMNS (k);
--> no issues

-- case: partitions_stay_the_last_columns
-- dialect: hive
-- table: src(k string, v string, ds string)
CREATE TABLE p (a string) PARTITIONED BY (ds string);
ALTER TABLE p ADD COLUMNS (b string);
INSERT INTO p PARTITION (ds) SELECT k, v, ds FROM src;
--> p.a <- src.k
--> p.b <- src.v
--> p.ds <- src.ds
--> no issues

-- case: replaced_columns_are_not_those_of_partitions
-- dialect: hive
CREATE TABLE p (a string, b string) PARTITIONED BY (ds string);
ALTER TABLE p REPLACE COLUMNS (c string);
SELECT * FROM p WHERE ds = 'x';
--> out.c <- p.c
--> out.ds <- p.ds
--> no issues

-- case: a_list_may_name_the_partition
-- dialect: hive
-- table: src(k string, v string, ds string)
CREATE TABLE p (a string, b string) PARTITIONED BY (ds string);
INSERT INTO p PARTITION (ds) (ds, b, a) SELECT ds, v, k FROM src;
--> p.ds <- src.ds
--> p.b <- src.v
--> p.a <- src.k
--> no issues

-- case: with_partitions_alone_the_columns_are_in_a_file
-- dialect: hive
-- table: src(k string, v string)
CREATE TABLE p PARTITIONED BY (ds string) STORED AS AVRO;
INSERT INTO p PARTITION (ds = '1') SELECT k, v FROM src;
--> p.k <- src.k
--> p.v <- src.v
--> issue INFERRED_SCHEMA @1 relation=p

-- case: a_stored_column_without_a_name_is_called_by_its_position
-- dialect: hive
-- table: src(k string, v string)
CREATE TABLE t AS SELECT k, upper(v), count(*) FROM src GROUP BY k, upper(v);
SELECT `_c1`, `_c2` FROM t;
--> t.k <- src.k
--> t._c1 <= src.v
--> t._c2 <= src
--> out._c1 <- t._c1
--> out._c2 <- t._c2

-- case: the_star_of_a_query_hands_the_position_on
-- dialect: hive
-- table: src(k string, v string)
CREATE VIEW w AS SELECT * FROM (SELECT v, upper(k) FROM src) x;
SELECT `_c1` FROM w;
--> w.v <- src.v
--> w._c1 <= src.k
--> out._c1 <- w._c1

-- case: a_quoted_pattern_stands_for_columns
-- dialect: hive
-- table: src(k string, v string, ds string)
SELECT `(ds|v)?+.+` FROM src;
--> out.k <- src.k
--> no issues

-- case: quoted_names_are_patterns_by_a_setting
-- dialect: hive
-- table: src(k1 string, k2 string, ds string)
SET hive.support.quoted.identifiers=none;
SELECT `k.` FROM src;
--> out.k1 <- src.k1
--> out.k2 <- src.k2
--> no issues

-- case: the_id_of_a_row
-- dialect: hive
-- table: src(k string)
SELECT ROW__ID.writeId AS w FROM src WHERE ROW__IS__DELETED = false;
--> out.w <= src.row__id
--> no issues

-- case: what_is_explained_defines_nothing
-- dialect: hive
-- file: a.sql
CREATE VIEW w AS SELECT 1 AS a;
-- file: b.sql
EXPLAIN CREATE VIEW w AS SELECT 2 AS b;
-- file: c.sql
CREATE VIEW IF NOT EXISTS w AS SELECT 3 AS c;
--> no issues

-- case: functions_over_parted_rows_hand_them_on
-- dialect: hive
-- table: t(a int, b string)
SELECT * FROM noop(ON t PARTITION BY b ORDER BY a);
SELECT x.a FROM noopwithmap(ON (SELECT a, b FROM t) q DISTRIBUTE BY b SORT BY a) x WHERE x.b > 1;
SELECT y.b FROM noop(ON noop(ON noopstreaming(ON t PARTITION BY a) PARTITION BY b) ORDER BY b) y JOIN t z ON z.a = y.a;
--> @0 out.a <- t.a
--> @0 out.b <- t.b
--> @1 out.a <- t.a
--> @2 out.b <- t.b
--> @2 out <+ t
--> no issues

-- case: what_a_function_over_parted_rows_makes_comes_of_them
-- dialect: hive
-- table: t(a int, b string)
SELECT place, path FROM matchpath(ON t PARTITION BY b ORDER BY a
  ARG1('LATE.LATE+'), ARG2('LATE'), ARG3(a > 15), ARG4('a AS place, tpath AS path'));
--> out.place <= t.a, t.b
--> out.path <= t.a, t.b
--> stmt 0 SELECT reads t
--> issue UNSUPPORTED_SYNTAX severity=info

-- case: rows_of_several_tables_with_one_key
-- dialect: hive
-- table: t(a int, b string)
-- table: u(a int, d string)
-- table: w(k int, e string)
FROM UNIQUEJOIN PRESERVE t x (x.a), u y (y.a), PRESERVE w (w.k) SELECT x.b, y.d, w.e;
--> out.b <- t.b
--> out.d <- u.d
--> out.e <- w.e
--> stmt 0 SELECT reads t, u, w
--> no issues

-- case: a_function_over_the_rows_of_a_table_nobody_knows_is_no_star
-- dialect: hive
SELECT a FROM noop(ON d.t PARTITION BY b);
SELECT n FROM matchpath(ON d.u PARTITION BY b ARG1('A'), ARG2('A'), ARG3(true), ARG4('a AS n'));
--> @0 out.a <- d.t.a
--> @1 out.n <= d.u?
--> no issue APPROXIMATE_LINEAGE
