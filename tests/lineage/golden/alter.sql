-- ALTER (spec 3.2).

-- case: add_column
CREATE TABLE t (a INT);
ALTER TABLE t ADD COLUMN b STRING;
SELECT * FROM t;
--> @2 out.a <- t.a
--> @2 out.b <- t.b
--> schema t(a int, b string) implied
--> stmt 1 ALTER_TABLE writes t

-- case: add_columns_list_form
CREATE TABLE t (a INT);
ALTER TABLE t ADD COLUMNS (b STRING, c INT);
SELECT * FROM t;
--> @2 out.a <- t.a
--> @2 out.b <- t.b
--> @2 out.c <- t.c

-- case: add_column_first
CREATE TABLE t (a INT);
ALTER TABLE t ADD COLUMN b STRING FIRST;
SELECT * FROM t;
--> @2 out.b <- t.b
--> @2 out.a <- t.a

-- case: add_column_after
CREATE TABLE t (a INT, c INT);
ALTER TABLE t ADD COLUMN b STRING AFTER a;
SELECT * FROM t;
--> @2 out.a <- t.a
--> @2 out.b <- t.b
--> @2 out.c <- t.c

-- case: drop_column
CREATE TABLE t (a INT, b INT);
ALTER TABLE t DROP COLUMN b;
SELECT b FROM t;
--> @2 out.b <- t.b?
--> issue UNKNOWN_COLUMN @2 relation=t column=b
--> schema t(a int) implied

-- case: rename_column
CREATE TABLE t (a INT, b INT);
ALTER TABLE t RENAME COLUMN a TO z;
SELECT * FROM t;
--> @1 t.z <- t.a[RENAME]
--> @2 out.z <- t.z
--> @2 out.b <- t.b
--> schema t(z int, b int) implied
--> column t.z renamedFrom=a

-- case: hive_change_column
-- dialect: hive
CREATE TABLE t (a INT);
ALTER TABLE t CHANGE COLUMN a z BIGINT;
SELECT z FROM t;
--> @1 t.z <- t.a[RENAME]
--> @2 out.z <- t.z
--> schema t(z bigint) implied

-- case: alter_type
CREATE TABLE t (a INT);
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
SELECT a FROM t;
--> @2 out.a <- t.a
--> schema t(a bigint) implied

-- case: replace_columns
-- dialect: hive
CREATE TABLE t (a INT, b INT);
ALTER TABLE t REPLACE COLUMNS (c STRING);
SELECT * FROM t;
--> @2 out.c <- t.c
--> schema t(c string) implied

-- case: rename_table
CREATE TABLE t (a INT);
ALTER TABLE t RENAME TO u;
SELECT a FROM u;
--> @1 u.a <- t.a[RENAME]
--> @2 out.a <- u.a
--> schema u(a int) implied

-- case: old_name_after_rename
CREATE TABLE t (a INT);
ALTER TABLE t RENAME TO u;
SELECT a FROM t;
--> @1 u.a <- t.a[RENAME]
--> @2 out.a <- t.a?
--> issue DROPPED_TABLE_REFERENCE @2 relation=t

-- case: swap
-- dialect: snowflake
CREATE TABLE t (a INT);
CREATE TABLE u (b INT);
ALTER TABLE t SWAP WITH u;
SELECT * FROM t;
--> @2 T.B <- U.B[SWAP]
--> @2 U.A <- T.A[SWAP]
--> @3 out.b <- T.B
--> stmt 2 ALTER_TABLE reads T, U writes T, U

-- case: set_schema
-- dialect: postgres
CREATE TABLE s.t (a INT);
ALTER TABLE s.t SET SCHEMA archive;
SELECT a FROM archive.t;
--> @1 archive.t.a <- s.t.a[RENAME]
--> @2 out.a <- archive.t.a
--> schema archive.t(a int) implied

-- case: added_column_of_an_imported_table_binds
-- table: t(a int)
ALTER TABLE t ADD COLUMN b INT;
SELECT a, b FROM t;
--> @1 out.a <- t.a
--> @1 out.b <- t.b
--> issue SCHEMA_CONFLICT @0 severity=info
--> no issue UNKNOWN_COLUMN
--> schema t(a int) imported

-- case: star_over_an_altered_import_is_approximate
-- table: t(a int)
ALTER TABLE t ADD COLUMN b INT;
SELECT * FROM t;
--> @1 out.a <- t.a?
--> issue SCHEMA_CONFLICT @0 severity=info

-- case: both_names_bind_after_renaming_an_imported_column
-- table: t(a int)
ALTER TABLE t RENAME COLUMN a TO z;
SELECT z FROM t;
SELECT a FROM t;
--> @0 t.z <- t.a[RENAME]
--> @1 out.z <- t.z
--> @2 out.a <- t.a
--> no issue UNKNOWN_COLUMN
--> issue SCHEMA_CONFLICT @0

-- case: alter_of_an_unknown_table_makes_a_usage_entry
ALTER TABLE t ADD COLUMN b INT;
--> schema t(b int, ...) implied usage

-- case: alter_view_as
CREATE VIEW v AS SELECT a FROM s;
ALTER VIEW v AS SELECT b FROM s;
SELECT * FROM v;
--> @0 v.a <- s.a
--> @1 v.b <- s.b
--> @2 out.b <- v.b

-- case: nested_field
CREATE TABLE t (s STRUCT<a: INT>);
ALTER TABLE t ADD COLUMN s.b INT;
SELECT s.b AS v FROM t;
--> @2 out.v <= t.s
--> schema t(s struct<a: int, b: int>) implied

-- case: alter_a_table_nobody_knows
-- options: {"unknownTablePolicy": "always"}
ALTER TABLE nowhere ADD COLUMN b INT;
--> issue UNKNOWN_TABLE relation=nowhere

-- case: alter_a_column_that_is_not_there
CREATE TABLE t (a INT);
ALTER TABLE t DROP COLUMN b;
--> issue UNKNOWN_COLUMN relation=t column=b

-- case: properties_and_comments_leave_columns_alone
-- dialect: spark
CREATE TABLE t (a INT);
ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('owner');
ALTER TABLE t CHANGE a COMMENT 'first';
ALTER TABLE t CHANGE COLUMN a COMMENT 'first';
ALTER TABLE t RECOVER PARTITIONS;
--> stmt 1 ALTER_TABLE writes t
--> stmt 2 ALTER_TABLE writes t
--> stmt 3 ALTER_TABLE writes t
--> stmt 4 ALTER_TABLE writes t
--> schema t(a int) implied @0

-- case: views_with_other_settings
-- dialect: spark
-- table: s(a int)
CREATE VIEW v AS SELECT a FROM s;
ALTER VIEW v UNSET TBLPROPERTIES ('owner');
ALTER VIEW v WITH SCHEMA BINDING;
--> v.a <- s.a
--> stmt 1 ALTER_VIEW writes v
--> stmt 2 ALTER_VIEW writes v
--> schema s(a int) imported
--> schema v(a int) implied view @0

-- case: modify_and_change_in_mysql
-- dialect: mysql
CREATE TABLE t (a int, b int);
ALTER TABLE t MODIFY COLUMN a bigint NOT NULL;
ALTER TABLE t CHANGE COLUMN b c varchar(9);
SELECT * FROM t;
--> @2 t.c <- t.b
--> @3 out.a <- t.a
--> @3 out.c <- t.c
--> schema t(a bigint, c varchar(9)) implied

-- case: modify_in_oracle
-- dialect: oracle
CREATE TABLE t (a NUMBER(5), b VARCHAR2(3), c DATE);
ALTER TABLE t MODIFY a NUMBER(9);
ALTER TABLE t MODIFY (b VARCHAR2(20 CHAR) DEFAULT 'x' NOT NULL, c TIMESTAMP(3));
ALTER TABLE t MODIFY (a NOT NULL);
ALTER TABLE t MODIFY c INVISIBLE;
ALTER TABLE t MODIFY PARTITION p1 SHRINK SPACE;
--> schema t(a NUMBER(9), b VARCHAR2(20 CHAR), c TIMESTAMP(3)) implied
--> stmt 1 ALTER_TABLE writes T
--> stmt 3 ALTER_TABLE writes T
--> stmt 5 ALTER_TABLE writes T

-- case: modify_in_oracle_needs_the_column
-- dialect: oracle
CREATE TABLE t (a NUMBER(5));
ALTER TABLE t MODIFY (b NUMBER(9));
--> issue UNKNOWN_COLUMN @1 relation=T column=b
--> schema t(a NUMBER(5)) implied

-- case: drop_listed_and_unused_in_oracle
-- dialect: oracle
CREATE TABLE t (a DATE, b DATE, "c" DATE, d DATE, e DATE);
ALTER TABLE t DROP /* two */ (a, -- and
  "c");
ALTER TABLE t SET UNUSED COLUMN b;
ALTER TABLE t SET UNUSED (d) CASCADE CONSTRAINTS;
SELECT * FROM t;
--> @4 out.e <- T.E
--> schema t(e DATE) implied

-- case: a_new_type_is_kept_as_it_is_written
-- dialect: postgres
CREATE TABLE t (a int);
ALTER TABLE t ALTER COLUMN a SET DATA TYPE numeric(9,2) USING a::numeric;
--> schema t(a numeric(9,2)) implied

-- case: rename_of_several_tables_goes_from_left_to_right
-- dialect: mysql
CREATE TABLE fresh AS SELECT id, total FROM bills;
RENAME TABLE report TO report_old, fresh TO report;
SELECT * FROM report;
--> fresh.id <- bills.id
--> fresh.total <- bills.total
--> @1 report_old <- report[RENAME]
--> @1 report <- fresh[RENAME]
--> @1 report.id <- fresh.id[RENAME]
--> @1 report.total <- fresh.total[RENAME]
--> @2 out.id <- report.id
--> @2 out.total <- report.total
--> stmt 1 ALTER_TABLE reads report, fresh writes fresh, report, report_old

-- case: exchanged_tables
-- dialect: clickhouse
EXCHANGE TABLES shop.a AND shop.b;
--> shop.a <- shop.b[SWAP]
--> shop.b <- shop.a[SWAP]
--> stmt 0 ALTER_TABLE reads shop.a, shop.b writes shop.a, shop.b

-- case: fields_are_dropped_renamed_and_retyped
CREATE TABLE t (s STRUCT<x: INT, y: STRING>, a INT);
ALTER TABLE t DROP COLUMN s.x;
ALTER TABLE t RENAME COLUMN s.y TO z;
ALTER TABLE t ALTER COLUMN s.z TYPE BIGINT;
SELECT s.* FROM t;
--> @4 out.z <= t.s
--> schema t(s struct<z:bigint>, a int) implied @0
--> stmt 3 ALTER_TABLE writes t

-- case: hive_changes_a_column_without_the_word
-- dialect: hive
CREATE TABLE t (a INT, b STRING);
ALTER TABLE t CHANGE b c BIGINT AFTER a;
--> @1 t.c <- t.b
--> schema t(a int, c bigint) implied @0

-- case: a_new_type_may_have_a_length
CREATE TABLE t (a STRING);
ALTER TABLE t ALTER COLUMN a SET DATA TYPE VARCHAR(5);
--> schema t(a VARCHAR(5)) implied @0

-- case: another_type_contradicts_an_import
-- table: t(a int)
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
--> issue SCHEMA_CONFLICT @0 relation=t

-- case: not_null_and_the_type_it_has_contradict_nothing
-- table: t(a bigint)
ALTER TABLE t ALTER COLUMN a DROP NOT NULL;
ALTER TABLE t ALTER COLUMN a TYPE BIGINT;
SELECT * FROM t;
--> @2 out.a <- t.a

-- case: tables_swapped_under_imported_names
-- dialect: snowflake
-- table: k(a int)
-- table: j(x int)
ALTER TABLE k SWAP WITH j;
SELECT * FROM k;
--> @1 out.a <- K.A?
--> issue SCHEMA_CONFLICT @0 relation=K
--> issue SCHEMA_CONFLICT @0 relation=J
--> partial

-- case: a_column_is_moved
CREATE TABLE t (a int, b int, c int);
ALTER TABLE t ALTER COLUMN c FIRST;
ALTER TABLE t CHANGE COLUMN a z int AFTER b;
INSERT INTO t SELECT x, y, w FROM s;
SELECT * FROM t;
--> @2 t.z <- t.a
--> @3 t.c <- s.x
--> @3 t.b <- s.y
--> @3 t.z <- s.w
--> @4 out.c <- t.c
--> @4 out.b <- t.b
--> @4 out.z <- t.z

-- case: a_modified_column_is_moved
-- dialect: mysql
CREATE TABLE t (a int, b int, c int);
ALTER TABLE t MODIFY c bigint AFTER a, CHANGE b z int FIRST;
SELECT * FROM t;
--> @1 t.z <- t.b
--> @2 out.z <- t.z
--> @2 out.a <- t.a
--> @2 out.c <- t.c

-- case: change_without_a_new_name_alters_the_column
CREATE TABLE t (a INT, b STRING, s STRUCT<x: INT>);
ALTER TABLE t CHANGE COLUMN b AFTER s;
ALTER TABLE t CHANGE a TYPE BIGINT;
ALTER TABLE t CHANGE COLUMN s.x TYPE BIGINT;
ALTER TABLE t CHANGE COLUMN a DROP NOT NULL;
ALTER TABLE t CHANGE s FIRST;
SELECT * FROM t;
--> @6 out.s <- t.s
--> @6 out.a <- t.a
--> @6 out.b <- t.b
--> schema t(s STRUCT<x: BIGINT>, a BIGINT, b STRING) implied @0

-- case: change_with_the_same_name_is_a_new_type
CREATE TABLE t (a INT, b STRING, s STRUCT<x: INT, y: INT>);
ALTER TABLE t CHANGE COLUMN s.x x BIGINT AFTER y;
ALTER TABLE t CHANGE COLUMN b b STRING NOT NULL;
ALTER TABLE t CHANGE a a BIGINT NOT NULL AFTER s;
ALTER TABLE t ALTER COLUMN a SYNC IDENTITY;
--> schema t(b STRING, s STRUCT<x: BIGINT, y: INT>, a BIGINT) implied @0

-- case: the_old_name_of_a_renamed_table
CREATE TABLE t (a int);
ALTER TABLE t RENAME TO u;
SELECT a FROM t;
--> partial
--> @2 out.a <- t.a?
--> issue DROPPED_TABLE_REFERENCE @2 relation=t message="`t` was renamed to `u` in statement 1"

-- case: change_renames_a_field_of_a_struct
-- dialect: databricks
CREATE TABLE t (s STRUCT<x: INT, z: STRING>, b INT);
ALTER TABLE t CHANGE COLUMN s.x y INT;
SELECT s.y FROM t;
--> schema t(s struct<y:int,z:string>, b INT) implied
--> partial

-- case: what_stands_around_the_name_of_an_altered_table
-- dialect: clickhouse
ALTER TABLE IF EXISTS lake.daily ON CLUSTER west MODIFY QUERY SELECT * FROM hourly;
--> stmt 0 ALTER_TABLE writes lake.daily
--> partial

-- case: partitions_stay_behind_the_columns_that_are_added
CREATE TABLE t (a int, b int) PARTITIONED BY (ds string);
ALTER TABLE t ADD COLUMNS (c int, d int);
SELECT * FROM t;
ALTER TABLE t REPLACE COLUMNS (x int);
SELECT * FROM t;
--> @2 out.a <- t.a
--> @2 out.b <- t.b
--> @2 out.c <- t.c
--> @2 out.d <- t.d
--> @2 out.ds <- t.ds
--> @4 out.x <- t.x
--> @4 out.ds <- t.ds
--> schema t(x int, ds string) implied @0

-- case: partitions_of_an_iceberg_table_are_columns_like_others
CREATE TABLE t (a int, ds string) USING iceberg PARTITIONED BY (ds);
ALTER TABLE t ADD COLUMN b int;
CREATE TABLE u (a int, ds string) USING parquet PARTITIONED BY (ds);
ALTER TABLE u ADD COLUMN b int;
--> schema t(a int, ds string, b int) implied @0
--> schema u(a int, b int, ds string) implied @2

-- case: alter_view_of_a_temporary_view
-- dialect: spark
-- schema: {"defaultCatalog": "lake", "defaultSchema": "d"}
-- table: lake.d.s(a int, b int)
CREATE TEMPORARY VIEW v AS SELECT a FROM s;
ALTER VIEW v AS SELECT b FROM s;
SELECT * FROM v;
DROP VIEW v;
CREATE GLOBAL TEMPORARY VIEW g AS SELECT a FROM s;
ALTER VIEW global_temp.g AS SELECT b AS c FROM s;
SELECT * FROM global_temp.g;
--> @0 v.a <- lake.d.s.a
--> @1 v.b <- lake.d.s.b
--> @2 out.b <- v.b
--> @4 global_temp.g.a <- lake.d.s.a
--> @5 global_temp.g.c <- lake.d.s.b
--> @6 out.c <- global_temp.g.c
-- case: a_renamed_table_was_filled_under_its_old_name
-- dialect: postgres
-- table: s(a int)
CREATE TABLE t AS SELECT a FROM s;
ALTER TABLE t RENAME TO u;
SELECT a FROM u;
--> @0 t.a <- s.a
--> @1 u.a <- t.a[RENAME]
--> @1 u <- t[RENAME]
--> @2 out.a <- u.a
--> stmt 1 ALTER_TABLE reads t writes t, u

-- case: a_materialized_view_is_renamed_as_a_view_is
-- dialect: postgres
-- table: s(a int)
CREATE MATERIALIZED VIEW v AS SELECT a FROM s;
ALTER MATERIALIZED VIEW IF EXISTS v RENAME COLUMN a TO b;
ALTER MATERIALIZED VIEW v RENAME TO w;
SELECT b FROM w;
--> @0 v.a <- s.a
--> @1 v.b <- v.a[RENAME]
--> @2 w.b <- v.b[RENAME]
--> @2 w <- v[RENAME]
--> @3 out.b <- w.b
--> no issue UNSUPPORTED_SYNTAX

-- case: a_view_becomes_another_query_in_parentheses
-- table: s(a int)
ALTER VIEW v AS (SELECT a FROM s);
SELECT * FROM v;
--> @0 v.a <- s.a
--> @1 out.a <- v.a

-- case: several_columns_are_renamed_at_once
-- dialect: bigquery
CREATE TABLE d.t (a INT64, c INT64);
ALTER TABLE d.t RENAME COLUMN a TO b, RENAME COLUMN IF EXISTS c TO e;
SELECT b, e FROM d.t;
--> @1 d.t.b <- d.t.a[RENAME]
--> @1 d.t.e <- d.t.c[RENAME]
--> @2 out.b <- d.t.b
--> @2 out.e <- d.t.e

-- case: masks_filters_and_labels_change_no_column
-- dialect: databricks
-- table: t(a int)
ALTER TABLE t ALTER COLUMN a SET MASK m USING COLUMNS (a);
ALTER TABLE t SET ROW FILTER f ON (a);
ALTER TABLE t ALTER COLUMN a UNSET TAGS ('x');
SELECT * FROM t;
--> @3 out.a <- t.a
--> no issue UNSUPPORTED_SYNTAX
--> no issue SCHEMA_CONFLICT

-- case: a_mutation_of_clickhouse_is_an_update
-- dialect: clickhouse
-- table: t(a Int32, b Int32)
ALTER TABLE t ON CLUSTER c UPDATE a = b + 1 WHERE b IN (1, 2) SETTINGS mutations_sync = 1;
--> t.a <= t.b
--> stmt 0 UPDATE reads t writes t

-- case: several_columns_are_dropped_if_they_are_there
-- dialect: databricks
CREATE TABLE t (a INT, b INT, c INT);
ALTER TABLE t DROP COLUMN IF EXISTS a, b;
SELECT * FROM t;
--> @2 out.c <- t.c
-- case: an_attached_partition_brings_its_rows
-- dialect: postgres
-- table: t(a int)
-- table: p(a int)
ALTER TABLE t ATTACH PARTITION p FOR VALUES IN (1);
--> t <- p[ATTACH]
--> stmt 0 ALTER_TABLE reads p writes t

-- case: a_replaced_partition_comes_from_the_table_that_has_it
-- dialect: clickhouse
ALTER TABLE t REPLACE PARTITION tuple(1, 2) FROM db.s;
ALTER TABLE t ATTACH PARTITION 1 FROM db.s;
--> @0 t <- db.s[ATTACH]
--> @1 t <- db.s[ATTACH]
--> stmt 0 ALTER_TABLE reads db.s writes t
--> stmt 1 ALTER_TABLE reads db.s writes t

-- case: mysql_says_more_of_a_column_that_changes
-- dialect: mysql
CREATE TABLE t (a INT);
ALTER TABLE t ADD COLUMN place GEOMETRY NOT NULL SRID 4326;
ALTER TABLE t ADD COLUMN twice INT AS (a * 2) PERSISTENT;
ALTER TABLE t MODIFY COLUMN IF EXISTS a BIGINT;
ALTER TABLE t RENAME AS u;
SELECT * FROM u;
--> @5 out.a <- u.a
--> @5 out.place <- u.place
--> @5 out.twice <- u.twice
--> partial

-- case: athena_changes_columns_as_hive_does
-- dialect: athena
CREATE EXTERNAL TABLE t (a int, b string) LOCATION 's3://x/';
ALTER TABLE t CHANGE b c string;
SELECT * FROM t;
--> @1 t.c <- t.b[RENAME]
--> @2 out.a <- t.a
--> @2 out.c <- t.c
--> issue DIALECT_FALLBACK @1

-- case: who_may_see_rows_changes_no_column
-- dialect: snowflake
-- table: T(A int)
ALTER TABLE t SET AGGREGATION POLICY p ENTITY KEY (a) FORCE;
ALTER TABLE t MODIFY COLUMN a UNSET PROJECTION POLICY;
ALTER TABLE t RECLUSTER MAX_SIZE = 100;
--> stmt 0 ALTER_TABLE writes T
--> stmt 1 ALTER_TABLE writes T
--> stmt 2 ALTER_TABLE writes T
--> no issue UNSUPPORTED_SYNTAX

-- case: a_view_that_may_be_written_is_altered
-- dialect: mysql
-- table: t(a int)
ALTER VIEW v AS SELECT a FROM t WHERE a > 1 WITH CHECK OPTION;
--> v.a <- t.a
