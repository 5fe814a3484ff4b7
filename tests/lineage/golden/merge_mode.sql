-- Column merging, versions, and scope of the resolved schema (spec 3.3, 3.5, 1.3).

-- case: implied_columns_follow_the_imported
-- table: t(a int)
-- options: {"schemaMergeMode": "column"}
CREATE TABLE t (a INT, b STRING);
SELECT * FROM t;
--> @1 out.a <- t.a
--> @1 out.b <- t.b?
--> issue SCHEMA_CONFLICT @0 severity=info
--> schema t(a int, b string) imported
--> column t.a origin=imported
--> column t.b origin=implied

-- case: a_table_defined_twice_has_each_column_once
-- table: t(a int)
-- options: {"schemaMergeMode": "column"}
CREATE OR REPLACE TABLE t (a INT, b STRING);
CREATE OR REPLACE TABLE t (a INT, b STRING, c INT);
SELECT * FROM t;
--> @2 out.a <- t.a
--> @2 out.b <- t.b?
--> @2 out.c <- t.c?
--> issue SCHEMA_CONFLICT @0 severity=info
--> issue SCHEMA_CONFLICT @1 severity=info
--> schema t(a int, b string, c int) imported

-- case: missing_columns_stay_a_warning
-- table: t(a int, b int)
-- options: {"schemaMergeMode": "column"}
CREATE TABLE t (a INT);
--> issue SCHEMA_CONFLICT @0 severity=warning
--> schema t(a int, b int) imported

-- case: table_mode_ignores_extra_columns
-- table: t(a int)
CREATE TABLE t (a INT, b STRING);
--> issue SCHEMA_CONFLICT @0
--> schema t(a int) imported

-- case: each_statement_sees_the_version_of_its_time
CREATE TABLE t (a INT);
SELECT * FROM t;
CREATE OR REPLACE TABLE t (b INT);
SELECT * FROM t;
--> @1 out.a <- t.a
--> @3 out.b <- t.b

-- case: scope_all_lists_unused_imports
-- table: used(a int)
-- table: unused(b int)
-- options: {"resolvedSchemaScope": "all"}
SELECT a FROM used;
--> out.a <- used.a
--> schema unused(b int) imported
--> schema used(a int) imported

-- case: scope_used_is_the_default
-- table: used(a int)
-- table: unused(b int)
SELECT a FROM used;
--> out.a <- used.a
--> schema used(a int) imported

-- case: duplicate_import_last_wins
-- table: t(a int)
-- table: t(b int)
SELECT b FROM t;
--> out.b <- t.b
--> issue SCHEMA_CONFLICT relation=t
--> schema t(b int) imported

-- case: types_come_from_the_workload_where_the_import_has_none
-- table: t(a, b bigint)
-- options: {"schemaMergeMode": "column"}
CREATE TABLE t (a INT, b BIGINT, c STRING);
--> issue SCHEMA_CONFLICT @0 severity=info
--> schema t(a int, b bigint, c string) imported

-- case: an_equal_definition_tells_types_without_a_conflict
-- table: t(a, b)
-- options: {"schemaMergeMode": "column"}
CREATE TABLE t (a INT, b STRING);
SELECT * FROM t;
--> @1 out.a <- t.a
--> @1 out.b <- t.b
--> schema t(a int, b string) imported

-- case: an_added_column_follows_the_imported
-- table: t(a int)
-- options: {"schemaMergeMode": "column"}
ALTER TABLE t ADD COLUMNS (b STRING, c INT);
ALTER TABLE t DROP COLUMN c;
SELECT * FROM t;
--> @2 out.a <- t.a
--> @2 out.b <- t.b?
--> issue SCHEMA_CONFLICT @0 severity=info
--> issue SCHEMA_CONFLICT @1 severity=info
--> schema t(a int, b string) imported
--> column t.b origin=implied
