-- Loading, procedures and statements without lineage (spec 2.10).

-- case: copy_into_snowflake
-- dialect: snowflake
-- table: T(A int)
COPY INTO t FROM @stage/path;
--> partial
--> node T nodeType=table
--> no issue PARSE_ERROR

-- case: load_data
-- dialect: hive
-- table: t(a int)
LOAD DATA INPATH '/data/x' INTO TABLE t;
--> partial
--> node t nodeType=table

-- case: path_table_in_spark
SELECT a FROM parquet.`/data/x.parquet`;
--> partial
--> node out.a nodeType=column
--> no issue UNKNOWN_TABLE

-- case: explain_changes_nothing
-- table: s(a int)
EXPLAIN SELECT a FROM s;
--> partial
--> stmt 0 EXPLAIN reads s

-- case: explain_ctas_registers_nothing
-- table: s(a int)
EXPLAIN CREATE TABLE t AS SELECT a FROM s;
--> partial
--> schema s(a int) imported

-- case: call_of_an_iceberg_procedure_writes_its_table
-- table: lake.db.t(a int)
CALL lake.system.rewrite_data_files(table => 'db.t');
--> stmt 0 CALL writes lake.db.t

-- case: begin_and_commit
-- dialect: postgres
-- table: t(a int)
BEGIN;
UPDATE t SET a = 1;
COMMIT;
--> stmt 0 TRANSACTION
--> stmt 1 UPDATE reads t writes t
--> stmt 2 TRANSACTION

-- case: grant
-- dialect: postgres
GRANT SELECT ON t TO someone;
--> stmt 0 GRANT

-- case: set
SET spark.sql.shuffle.partitions = 4;
--> stmt 0 SET

-- case: show
SHOW TABLES;
--> stmt 0 SHOW

-- case: comment_on
-- dialect: postgres
CREATE TABLE t (a INT);
COMMENT ON TABLE t IS 'things';
--> stmt 1 COMMENT writes t
--> partial

-- case: overwrite_directory
-- table: s(a int)
INSERT OVERWRITE DIRECTORY '/out' USING parquet SELECT a FROM s;
--> partial
--> no issue PARSE_ERROR
