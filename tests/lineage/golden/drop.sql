-- DROP (spec 2.10, 3.1).

-- case: read_after_drop
CREATE TABLE t (a INT);
DROP TABLE t;
SELECT a FROM t;
--> @2 out.a <- t.a?
--> issue DROPPED_TABLE_REFERENCE @2 relation=t
--> stmt 1 DROP writes t

-- case: create_again_after_drop
CREATE TABLE t (a INT);
DROP TABLE t;
CREATE TABLE t (b INT);
SELECT * FROM t;
--> @3 out.b <- t.b
--> schema t(b int) implied @2

-- case: drop_many
-- dialect: postgres
CREATE TABLE t (a INT);
CREATE TABLE u (a INT);
DROP TABLE IF EXISTS t, u;
--> stmt 2 DROP writes t, u
--> schema nothing

-- case: drop_of_an_imported_table_keeps_the_entry
-- table: t(a int)
DROP TABLE t;
SELECT a FROM t;
--> @1 out.a <- t.a?
--> issue DROPPED_TABLE_REFERENCE @1 relation=t
--> schema t(a int) imported

-- case: drop_view
CREATE VIEW v AS SELECT a FROM s;
DROP VIEW v;
--> v.a <- s.a
--> schema s(a, ...) implied usage

-- case: drop_unknown_if_exists_is_quiet
DROP TABLE IF EXISTS nothing_here;
--> stmt 0 DROP writes nothing_here

-- case: drop_of_an_unknown_table_is_reported
-- table: t(a int)
DROP TABLE nothing_here;
--> stmt 0 DROP writes nothing_here
--> issue UNKNOWN_TABLE @0 relation=nothing_here

-- case: a_second_drop_and_one_before_the_create_are_quiet
-- table: t(a int)
DROP TABLE t;
DROP TABLE t;
DROP VIEW later;
CREATE VIEW later AS SELECT 1 AS a;
--> stmt 1 DROP writes t
--> stmt 2 DROP writes later

-- case: a_snapshot_is_dropped_as_a_table_is
-- dialect: bigquery
CREATE TABLE d.t (a INT64);
DROP SNAPSHOT TABLE d.t;
SELECT a FROM d.t;
--> @2 out.a <- d.t.a?
--> issue DROPPED_TABLE_REFERENCE @2 relation=d.t
