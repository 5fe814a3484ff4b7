-- Temporary relations (spec 2.10).

-- case: tsql_hash_table
-- dialect: tsql
-- table: s(a int)
SELECT a INTO #work FROM s;
SELECT a FROM #work;
--> @0 #work.a <- s.a
--> @1 out.a <- #work.a
--> schema #work(a int) implied temporary @0
--> schema s(a int) imported

-- case: spark_temp_view
-- table: s(a int)
CREATE OR REPLACE TEMP VIEW v AS SELECT a FROM s;
SELECT * FROM v;
--> v.a <- s.a
--> @1 out.a <- v.a
--> schema s(a int) imported
--> schema v(a int) implied view temporary @0

-- case: temp_view_takes_no_default_schema
-- schema: {"defaultSchema": "sales"}
-- table: sales.s(a int)
CREATE TEMP VIEW v AS SELECT a FROM s;
SELECT a FROM v;
--> v.a <- sales.s.a
--> @1 out.a <- v.a

-- case: select_into_temp
-- dialect: postgres
-- table: s(a int)
SELECT a INTO TEMP t FROM s;
--> t.a <- s.a
--> schema s(a int) imported
--> schema t(a int) implied temporary @0

-- case: discard_all_drops_temporary_tables_and_resets_the_path
-- dialect: postgres
-- schema: {"defaultSchema": "public"}
-- table: public.t(a int)
-- table: app.t(b int)
SET search_path TO app;
CREATE TEMP TABLE work AS SELECT b FROM t;
DISCARD ALL;
SELECT a FROM t;
SELECT b FROM work;
--> @1 work.b <- app.t.b
--> @3 out.a <- public.t.a
--> stmt 2 DISCARD
--> @4 out.b <- work.b?
--> issue DROPPED_TABLE_REFERENCE @4 relation=work

-- case: discard_temp_leaves_the_path_alone
-- dialect: postgres
-- table: app.t(b int)
SET search_path TO app;
CREATE TEMP TABLE t AS SELECT 1 AS x;
DISCARD TEMP;
SELECT b FROM t;
--> @3 out.b <- app.t.b
--> stmt 2 DISCARD
--> no issue DROPPED_TABLE_REFERENCE

-- case: discard_plans_drops_nothing
-- dialect: postgres
CREATE TEMP TABLE work AS SELECT 1 AS x;
DISCARD PLANS;
SELECT x FROM work;
--> @2 out.x <- work.x
--> no issue DROPPED_TABLE_REFERENCE

-- case: transient_is_not_temporary
-- dialect: snowflake
CREATE TRANSIENT TABLE t (a INT);
--> schema t(a int) implied @0

-- case: global_temporary_in_oracle
-- dialect: oracle
CREATE GLOBAL TEMPORARY TABLE t (a NUMBER);
--> schema t(a number) implied temporary @0

-- case: a_global_temporary_view_of_spark_has_a_namespace
-- options: {"unknownTablePolicy": "always"}
CREATE GLOBAL TEMPORARY VIEW recent AS SELECT 1 AS day;
SELECT * FROM global_temp.recent;
SELECT day FROM recent;
--> @0 global_temp.recent.day <- ()
--> @1 out.day <- global_temp.recent.day
--> @2 out.day <- recent.day
--> issue UNKNOWN_TABLE @2 relation=recent

-- case: tsql_table_variable
-- dialect: tsql
-- table: s(a int)
-- options: {"collapseTemporary": true}
DECLARE @rows TABLE (k int);
INSERT INTO @rows SELECT a FROM s;
SELECT k INTO result FROM @rows;
--> @1 @rows.k <- s.a
--> @2 result.k <- @rows.k
--> global result.k <- s.a

-- case: teradata_volatile_table
-- dialect: teradata
-- table: s(a int)
CREATE VOLATILE TABLE t AS (SELECT a FROM s) WITH DATA;
--> t.a <- s.a
--> schema t(a int) implied temporary @0
--> schema s(a int) imported

-- case: oracle_private_temporary_table
-- dialect: oracle
-- table: T(A int)
CREATE PRIVATE TEMPORARY TABLE ora$ptt_x ON COMMIT DROP DEFINITION AS SELECT a FROM t;
CREATE PRIVATE TEMPORARY TABLE ora$ptt_y (id NUMBER) ON COMMIT PRESERVE DEFINITION;
SELECT a, id FROM ora$ptt_x, ora$ptt_y;
--> stmt 0 CREATE_TABLE_AS reads T writes ORA$PTT_X
--> stmt 1 CREATE_TABLE writes ORA$PTT_Y
--> @0 ORA$PTT_X.A <- T.A
--> @1 ORA$PTT_Y.ID <- ()
--> @2 out.a <- ORA$PTT_X.A
--> @2 out.id <- ORA$PTT_Y.ID
--> node @0 ORA$PTT_X metadata.temporary=true

-- case: tsql_hash_table_is_the_sessions_whatever_the_defaults
-- dialect: tsql
-- schema: {"defaultCatalog": "shop", "defaultSchema": "dbo"}
-- table: shop.dbo.s(a int)
DROP TABLE IF EXISTS #work;
SELECT a INTO #work FROM s;
SELECT a FROM tempdb..#work;
--> stmt 0 DROP writes #work
--> stmt 1 CREATE_TABLE_AS reads shop.dbo.s writes #work
--> stmt 2 SELECT reads #work
--> @1 #work.a <- shop.dbo.s.a
--> @2 out.a <- #work.a

-- case: a_temporary_view_hides_the_imported_table_of_its_name
-- table: orders(id int, amount int)
CREATE TEMP VIEW orders AS SELECT 1 AS day, amount AS paid FROM orders;
SELECT * FROM orders;
SELECT paid FROM orders;
DROP VIEW orders;
SELECT * FROM orders;
--> @0 orders.day <- ()
--> @0 orders.paid <- orders.amount
--> @1 out.day <- orders.day
--> @1 out.paid <- orders.paid
--> @2 out.paid <- orders.paid
--> @4 out.id <- orders.id
--> @4 out.amount <- orders.amount
--> no issue SCHEMA_CONFLICT
--> no issue UNKNOWN_COLUMN
--> no issue DROPPED_TABLE_REFERENCE
--> schema orders(id int, amount int) imported

-- case: altering_a_temporary_table_leaves_the_imported_one_alone
-- dialect: postgres
-- table: t(a int)
CREATE TEMP TABLE t (b int, c int);
ALTER TABLE t DROP COLUMN c;
SELECT * FROM t;
DROP TABLE t;
SELECT * FROM t;
--> @2 out.b <- t.b
--> @4 out.a <- t.a
--> schema t(a int) imported
--> no issue SCHEMA_CONFLICT

-- case: an_imported_temporary_table_is_the_one_of_the_workload
-- request: {"schema": {"tables": [{"name": "t", "temporary": true, "columns": [{"name": "a"}]}]}}
CREATE TEMP VIEW t AS SELECT 1 AS b;
SELECT * FROM t;
--> @0 t.b <- ()
--> @1 out.a <- t.a?
--> issue SCHEMA_CONFLICT @0 relation=t
