-- Where a table name is looked up (spec 2.2).

-- case: cte_before_table
-- table: t(a int)
-- table: u(b int)
WITH t AS (SELECT b FROM u) SELECT b FROM t;
--> out.b <- u.b
--> stmt 0 WITH reads u

-- case: innermost_cte_wins
-- table: a(x int)
-- table: b(x int)
WITH c AS (SELECT x FROM a) SELECT * FROM (WITH c AS (SELECT x FROM b) SELECT x FROM c) AS d;
--> out.x <- b.x
--> stmt 0 WITH reads a, b

-- case: cte_is_not_visible_with_a_qualifier
-- table: s.t(a int)
WITH t AS (SELECT 1 AS a) SELECT a FROM s.t;
--> out.a <- s.t.a

-- case: temporary_view_shadows_the_catalog_table
-- schema: {"defaultSchema": "sales"}
-- table: sales.orders(id int)
-- table: raw(x int)
CREATE TEMPORARY VIEW orders AS SELECT x FROM raw;
SELECT * FROM orders;
--> orders.x <- raw.x
--> @1 out.x <- orders.x
--> node @1 orders metadata.temporary=true

-- case: search_path_in_order
-- dialect: postgres
-- schema: {"searchPath": [{"schema": "first"}, {"schema": "second"}]}
-- table: second.t(a int)
SELECT a FROM t;
--> out.a <- second.t.a

-- case: search_path_first_match_wins
-- dialect: postgres
-- schema: {"searchPath": [{"schema": "first"}, {"schema": "second"}]}
-- table: first.t(a int)
-- table: second.t(b int)
SELECT a FROM t;
--> out.a <- first.t.a

-- case: use_changes_the_default
-- table: mart.t(a int)
USE mart;
SELECT a FROM t;
--> @1 out.a <- mart.t.a
--> stmt 0 USE
--> stmt 1 SELECT reads mart.t

-- case: set_search_path
-- dialect: postgres
-- table: app.t(a int)
SET search_path TO app;
SELECT a FROM t;
--> @1 out.a <- app.t.a

-- case: set_search_path_to_several_namespaces
-- dialect: postgres
-- table: app.t(a int)
SET search_path TO "$user", first, app;
CREATE TABLE made AS SELECT a FROM t;
--> first.made.a <- app.t.a
--> stmt 0 SET

-- case: set_search_path_to_default
-- dialect: postgres
-- schema: {"defaultSchema": "public"}
-- table: public.t(a int)
-- table: app.t(b int)
SET search_path TO app;
SELECT b FROM t;
SET search_path TO DEFAULT;
SELECT a FROM t;
--> @1 out.b <- app.t.b
--> @3 out.a <- public.t.a

-- case: reset_search_path
-- dialect: postgres
-- schema: {"searchPath": [{"schema": "first"}, {"schema": "second"}]}
-- table: second.t(a int)
-- table: app.t(b int)
SET search_path = app;
RESET search_path;
SELECT a FROM t;
SET SCHEMA 'app';
RESET ALL;
CREATE TABLE made AS SELECT a FROM t;
--> @2 out.a <- second.t.a
--> @5 made.a <- second.t.a
--> stmt 1 SET

-- case: set_schema
-- dialect: postgres
-- table: app.t(a int)
SET SCHEMA 'app';
SELECT a FROM t;
--> @1 out.a <- app.t.a

-- case: search_path_in_a_string
-- dialect: duckdb
-- table: lake.app.t(a int)
SET search_path = 'first,lake.app';
SELECT a FROM t;
--> @1 out.a <- lake.app.t.a

-- case: alter_session_sets_the_schema
-- dialect: oracle
-- table: APP.T(A int)
ALTER SESSION SET CURRENT_SCHEMA = app;
SELECT a FROM t;
--> @1 out.a <- APP.T.A

-- case: alter_schema_is_no_setting
-- dialect: postgres
-- table: t(a int)
ALTER SCHEMA app RENAME TO other;
SELECT a FROM t;
--> @1 out.a <- t.a
--> stmt 0 ALTER_SCHEMA

-- case: create_target_takes_the_current_default
-- schema: {"defaultSchema": "sales"}
-- table: sales.raw(a int)
CREATE TABLE made AS SELECT a FROM raw;
SELECT a FROM sales.made;
--> sales.made.a <- sales.raw.a
--> @1 out.a <- sales.made.a
--> stmt 0 CREATE_TABLE_AS reads sales.raw writes sales.made
--> schema sales.made(a int) implied @0
--> schema sales.raw(a int) imported

-- case: exact_name_before_search_path
-- dialect: postgres
-- schema: {"defaultSchema": "s"}
-- table: t(a int)
-- table: s.t(b int)
SELECT a FROM t;
--> out.a <- t.a

-- case: unknown_name_takes_the_defaults
-- schema: {"defaultCatalog": "lake", "defaultSchema": "sales"}
SELECT a FROM t;
--> out.a <- lake.sales.t.a

-- case: unknown_two_part_name_takes_the_default_catalog
-- schema: {"defaultCatalog": "lake", "defaultSchema": "sales"}
CREATE TABLE other.t AS SELECT a FROM raw.s;
SELECT a FROM other.t;
--> lake.other.t.a <- lake.raw.s.a
--> @1 out.a <- lake.other.t.a

-- case: system_tables_are_no_strangers
-- dialect: postgres
-- options: {"unknownTablePolicy": "always"}
SELECT c.relname, t.table_name FROM pg_class AS c, information_schema.tables AS t;
--> out.relname <- pg_class.relname
--> out.table_name <- information_schema.tables.table_name
--> no issue UNKNOWN_TABLE

-- case: oracle_dual_is_known
-- dialect: oracle
-- options: {"unknownTablePolicy": "always"}
SELECT 1 AS one FROM dual;
--> out.one <= DUAL[ROW]
--> no issue UNKNOWN_TABLE

-- case: imported_shards_are_one_table
-- dialect: bigquery
-- table: p.d.events_20240101(a int64)
-- table: p.d.events_20240102(a int64)
SELECT a FROM `p.d.events_*`;
--> out.a <- p.d.events.a

-- case: a_name_with_a_variable_inside_is_one_name
INSERT INTO out_${day} SELECT a FROM db_${env}.orders_${day}_v2;
--> stmt 0 INSERT reads db_${env}.orders_${day}_v2 writes out_${day}
--> issue DYNAMIC_SQL relation=db_${env}.orders_${day}_v2
--> partial

-- case: use_names_a_database_in_tsql
-- dialect: tsql
USE sales;
CREATE TABLE dbo.t (a INT);
SELECT * FROM sales.dbo.t;
SELECT * FROM t;
--> @2 out.a <- sales.dbo.t.a
--> @3 out.a <- sales.dbo.t.a

-- case: a_quoted_path_is_a_file
-- dialect: duckdb
-- table: t(a int)
SELECT a FROM 'data/orders.parquet';
--> out.a <- data/orders.parquet.a
--> node data/orders.parquet metadata.external=path

-- case: a_database_of_snowflake_is_entered_at_its_public_schema
-- dialect: snowflake
USE DATABASE lake;
CREATE TABLE t (a INT);
USE DATABASE shop;
SELECT a FROM t;
SELECT * FROM lake.public.t;
--> stmt 1 CREATE_TABLE writes LAKE.PUBLIC.T
--> @3 out.a <- SHOP.PUBLIC.T.A
--> @4 out.a <- LAKE.PUBLIC.T.A

-- case: a_catalog_of_databricks_is_entered_at_its_default_schema
-- dialect: databricks
USE CATALOG lake;
USE SCHEMA mart;
SELECT a FROM t;
USE CATALOG shop;
SELECT a FROM t;
--> @2 out.a <- lake.mart.t.a
--> @4 out.a <- shop.default.t.a

-- case: another_catalog_does_not_keep_the_schema_of_the_last
-- dialect: snowflake
USE SCHEMA lake.mart;
SELECT a FROM t;
USE DATABASE shop;
SELECT a FROM t;
--> @1 out.a <- LAKE.MART.T.A
--> @3 out.a <- SHOP.PUBLIC.T.A

-- case: a_table_from_before_a_use_is_elsewhere
CREATE TABLE t AS SELECT 1 AS a;
USE mart;
SELECT b FROM t;
--> @0 t.a <- ()
--> @2 out.b <- mart.t.b

-- case: a_temporary_view_is_in_no_namespace
CREATE TEMPORARY VIEW v AS SELECT 1 AS a;
USE mart;
SELECT a FROM v;
--> @0 v.a <- ()
--> @2 out.a <- v.a

-- case: a_table_imported_without_its_catalog_is_found_in_the_current_schema
-- dialect: snowflake
-- table: mart.t(a int, b int)
USE SCHEMA lake.mart;
SELECT * FROM t;
--> @1 out.a <- MART.T.A
--> @1 out.b <- MART.T.B

-- case: a_path_of_spark_says_where_names_are_looked_up
CREATE TABLE east.orders (x INT);
CREATE TABLE west.orders (y INT);
USE north;
CREATE TABLE orders (z INT);
SET PATH = spark_catalog.east, spark_catalog.west, system.builtin;
SELECT * FROM orders;
SET PATH = spark_catalog.west, PATH;
SELECT * FROM orders;
CREATE TABLE made (n INT);
SET PATH = DEFAULT_PATH;
SELECT * FROM orders;
--> stmt 8 CREATE_TABLE writes north.made
--> @5 out.x <- east.orders.x
--> @7 out.y <- west.orders.y
--> @10 out.z <- north.orders.z

-- case: any_text_is_the_value_of_a_setting_of_spark
SET spark.sql.warehouse.dir=/data/lake;
SET spark.job.description=;
SET path=/data/in;
SET spark.sql.session.timeZone=+09:00;
SELECT year(TIMESTAMP '2024-12-31 20:00:00Z');
--> stmt 0 SET
--> stmt 2 SET
--> @4 out.year(TIMESTAMP '2025-01-01 05:00:00') <- ()

-- case: a_session_begins_in_the_schema_of_its_engine
-- dialect: postgres
CREATE TABLE public.t (a int);
CREATE TABLE u (b int);
SELECT t.a, u.b FROM t, public.u;
--> out.a <- public.t.a
--> out.b <- u.b
--> no issues

-- case: an_imported_table_of_the_first_schema
-- dialect: tsql
-- table: dbo.t(a int)
-- table: sales.u(b int)
SELECT a FROM t;
SELECT b FROM u;
--> @0 out.a <- dbo.t.a
--> @1 out.b <- u.b
--> issue UNKNOWN_TABLE @1 relation=u

-- case: the_first_schema_of_spark_and_one_that_was_chosen
-- table: default.t(a int)
SELECT a FROM t;
USE other;
SELECT a FROM t;
--> @0 out.a <- default.t.a
--> @2 out.a <- other.t.a
--> issue UNKNOWN_TABLE @2 relation=other.t

-- case: variables_declared_by_their_full_name_or_called_var
-- dialect: spark
DECLARE OR REPLACE VARIABLE session.one STRING DEFAULT 'a';
DECLARE VAR system.session.two = 'b';
DECLARE var = 'c';
CREATE TABLE IDENTIFIER(one) (x int);
CREATE TABLE IDENTIFIER(session.two) (y int);
CREATE TABLE IDENTIFIER(var) (z int);
DECLARE elsewhere.two = 'd';
CREATE TABLE IDENTIFIER(two) (y int);
--> stmt 3 CREATE_TABLE writes a
--> stmt 4 CREATE_TABLE writes b
--> stmt 5 CREATE_TABLE writes c
--> stmt 7 CREATE_TABLE writes b
--> partial
