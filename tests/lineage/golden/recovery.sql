-- Broken and unusual SQL (spec 2.15).

-- case: one_bad_statement_does_not_spoil_the_others
-- table: t(a int)
SELECT a FROM t;
SELEC broken FROM;
SELECT a FROM t;
--> @0 out.a <- t.a
--> @2 out.a <- t.a
--> issue PARSE_ERROR @1 severity=error
--> stmt 0 SELECT reads t
--> stmt 2 SELECT reads t
--> summary hasErrors=true

-- case: names_are_salvaged
-- table: t(a int)
INSERT INTO t SELECT a b c d FROM s WHERE;
--> issue PARSE_ERROR @0
--> stmt 0 UNKNOWN reads s writes t

-- case: what_was_salvaged_is_a_guess
-- table: t(a int)
-- table: s(a int)
INSERT INTO t SELECT a b c d FROM s WHERE;
--> issue PARSE_ERROR @0
--> stmt 0 UNKNOWN reads s writes t
--> summary approximateEdgeCount=1

-- case: a_string_that_is_never_closed
-- table: t(a int)
-- table: s(a int)
INSERT INTO t SELECT a FROM s WHERE a = 'x;
SELECT a FROM s;
--> issue PARSE_ERROR @0
--> stmt 0 UNKNOWN reads s writes t
--> @1 out.a <- s.a

-- case: a_string_closed_by_the_quote_that_opens_the_next
-- table: t(a string)
-- table: s(a string)
SELECT 'it is AS b
FROM t;
SELECT a FROM s WHERE a = 'x';
SELECT a FROM t WHERE a = 'y';
--> issue PARSE_ERROR @0
--> stmt 0 UNKNOWN reads t
--> @1 out.a <- s.a
--> @2 out.a <- t.a

-- case: a_comment_that_is_never_closed
-- table: t(a int)
-- table: s(a int)
SELECT a FROM t /* JOIN nothing;
SELECT a FROM s;
--> issue PARSE_ERROR @0
--> stmt 0 UNKNOWN reads t
--> @1 out.a <- s.a

-- case: a_body_that_is_never_closed
-- dialect: postgres
-- table: t(a int)
-- table: s(a int)
CREATE FUNCTION f() RETURNS void AS $$ INSERT INTO t SELECT a FROM s;
SELECT a FROM s;
--> issue PARSE_ERROR @0
--> stmt 0 UNKNOWN reads s writes t
--> @1 out.a <- s.a

-- case: words_that_are_no_statement
-- table: t(a int)
vacuumize t;
SELECT a FROM t;
--> @1 out.a <- t.a
--> stmt 0 UNKNOWN
--> issue UNSUPPORTED_SYNTAX @0

-- case: commands_that_parse_as_values
-- dialect: postgres
CLOSE portal;
LISTEN orders;
--> stmt 0 CLOSE
--> stmt 1 LISTEN

-- case: semicolon_in_a_string
-- table: t(a string)
SELECT a FROM t WHERE a = 'x;y';
--> out.a <- t.a
--> summary statementCount=1

-- case: semicolon_in_a_comment
-- table: t(a string)
SELECT a /* ; */ FROM t;
--> out.a <- t.a
--> summary statementCount=1

-- case: a_semicolon_before_go
-- dialect: tsql
-- table: t(a int, b int)
GO
SELECT a FROM t;
GO
SELECT b FROM t WHERE a > 1; -- the last of its batch
GO 2

INSERT INTO t (a) SELECT b FROM t;
GO
--> @0 out.a <- t.a
--> @1 out.b <- t.b
--> @2 t.a <- t.b
--> stmt 2 INSERT reads t writes t
--> summary statementCount=3

-- case: go_separates_batches
-- dialect: tsql
-- table: t(a int)
SELECT a FROM t
GO
SELECT a FROM t
GO
--> @0 out.a <- t.a
--> @1 out.a <- t.a
--> summary statementCount=2

-- case: dollar_quotes_hold_semicolons
-- dialect: postgres
-- table: t(a int)
CREATE FUNCTION f() RETURNS int AS $$ BEGIN RETURN 1; END; $$ LANGUAGE plpgsql;
SELECT a FROM t;
--> @1 out.a <- t.a
--> summary statementCount=2

-- case: case_end_is_not_a_block
-- table: t(a int)
SELECT CASE WHEN a > 0 THEN 1 ELSE 0 END AS v FROM t; SELECT a FROM t;
--> @0 out.v <= t.a[CONDITIONAL]
--> @1 out.a <- t.a

-- case: iceberg_add_partition_field
-- table: lake.db.t(a int, ts timestamp)
ALTER TABLE lake.db.t ADD PARTITION FIELD days(ts);
--> stmt 0 ALTER_TABLE writes lake.db.t

-- case: iceberg_write_ordered_by
-- table: lake.db.t(a int)
ALTER TABLE lake.db.t WRITE ORDERED BY a;
--> stmt 0 ALTER_TABLE writes lake.db.t

-- case: iceberg_create_branch
-- table: lake.db.t(a int)
ALTER TABLE lake.db.t CREATE BRANCH audit;
--> stmt 0 ALTER_TABLE writes lake.db.t

-- case: add_column_in_parentheses
CREATE TABLE t (a INT);
ALTER TABLE t ADD COLUMN (b STRING);
SELECT * FROM t;
--> @2 out.a <- t.a
--> @2 out.b <- t.b

-- case: system_version_as_of
-- table: lake.db.t(a int)
SELECT a FROM lake.db.t FOR SYSTEM_VERSION AS OF 123;
--> out.a <- lake.db.t.a

-- case: version_as_of
-- table: lake.db.t(a int)
SELECT a FROM lake.db.t VERSION AS OF 123;
--> out.a <- lake.db.t.a

-- case: timestamp_as_of
-- table: lake.db.t(a int)
SELECT a FROM lake.db.t TIMESTAMP AS OF '2024-01-01';
--> out.a <- lake.db.t.a

-- case: dynamic_sql
-- dialect: databricks
EXECUTE IMMEDIATE 'SELECT 1';
--> out.1 <- ()
--> issue DYNAMIC_SQL severity=info

-- case: unterminated_string
SELECT 'abc
--> summary statementCount=1
--> issue PARSE_ERROR

-- case: nothing_but_a_keyword
SELECT
--> summary statementCount=1

-- case: a_table_of_unreadable_syntax_still_exists
-- dialect: postgres
-- options: {"unknownTablePolicy": "always"}
CREATE TABLE t (a int, FROBNICATE gist (a WITH =) WHERE (a > 0) nonsense);
SELECT a FROM t;
--> @1 out.a <- t.a
--> issue PARSE_ERROR
--> no issue UNKNOWN_TABLE

-- case: functions_with_more_arguments_than_the_parser_allows
-- table: t(a int, b int)
SELECT shuffle(array(a), b) AS x, lower(a, b) AS y FROM t;
SELECT first_value(a, true) OVER (ORDER BY b) AS x, any_value(b, false) AS y FROM t;
--> @0 out.x <= t.a, t.b
--> @0 out.y <= t.a, t.b
--> @1 out.x <= t.a, t.b[WINDOW]
--> @1 out.y <= t.b[AGGREGATION]

-- case: properties_without_an_equals_sign
-- dialect: spark
CREATE TABLE t (a STRING, b INT) USING parquet COMMENT 'kept' TBLPROPERTIES (owner 'me', a.b.c true);
--> stmt 0 CREATE_TABLE writes t
--> schema t(a string, b int) implied @0

-- case: the_format_of_an_unreadable_table_is_no_table
-- dialect: spark
CREATE TABLE t (a STRING, nonsense nonsense nonsense) USING parquet;
--> stmt 0 UNKNOWN writes t
--> schema t(...) implied @0
--> issue PARSE_ERROR

-- case: a_function_of_ones_own_called_like_anothers
-- dialect: tsql
SELECT t.id, f.word FROM texts AS t CROSS APPLY dbo.split(t.body) AS f;
--> out.id <- texts.id
--> out.word <= texts.body

-- case: values_that_a_driver_fills_in
-- dialect: snowflake
-- table: T(A int, B int)
UPDATE t SET a = a + %s WHERE b IN (%(first)s, %s);
SELECT a % b AS rest FROM t WHERE a = %s;
--> @0 T.A <= T.A
--> @1 out.rest <= T.A, T.B

-- case: a_load_with_a_label
-- dialect: starrocks
-- table: t(a int, b int)
-- table: s(x int, y int)
INSERT INTO t WITH LABEL job (b, a) SELECT x, y FROM s;
--> t.b <- s.x
--> t.a <- s.y

-- case: a_format_of_another_schema
-- dialect: snowflake
-- table: T(A int, B int)
COPY INTO t FROM (SELECT $1, $2 FROM @s/x.csv) FILE_FORMAT = db.formats.csv FORCE = TRUE;
--> T.A <= @s/x.csv.$1
--> T.B <= @s/x.csv.$2
--> stmt 0 COPY reads @s/x.csv writes T

-- case: a_query_that_is_none_has_the_columns_that_are_used_of_it
-- dialect: spark
WITH x AS (rows_of('orders')) SELECT a, x.b FROM x;
--> out.a <- ()
--> out.b <- ()
--> issue UNSUPPORTED_SYNTAX

-- case: a_pipe_that_is_not_written_to_its_end
-- dialect: snowflake
CREATE PIPE loading AUTO_INGEST = TRUE AS
--> stmt 0 CREATE_PIPE

-- case: a_star_that_waits_for_its_function
-- dialect: clickhouse
-- table: o(id int, ts int)
SELECT * EXCEPT (ts) APPLY() FROM o;
--> out.id <- o.id

-- case: a_script_behind_a_string_without_an_end
-- dialect: snowflake
SELECT 'open;
CREATE PIPE loading AS
--> issue PARSE_ERROR @0
--> stmt 1 CREATE_PIPE

-- case: an_argument_that_is_not_written_to_its_end
-- dialect: oracle
SELECT distance FROM VECTOR_SEARCH(TABLE d.t, 'v', query_value
--> issue PARSE_ERROR @0

-- case: a_pipe_in_tsql_that_is_not_written_to_its_end
-- dialect: tsql
CREATE PIPE true AUTO_INGEST = AS
--> no issue UNKNOWN_TABLE

-- case: a_path_with_an_empty_part
-- dialect: mysql
-- table: docs(id int, body xml)
SELECT r.line.value('@sku', 'varchar(9)') AS sku FROM docs AS d CROSS APPLY d..body.nodes('/r') AS r(line);
--> partial
--> no issue UNSUPPORTED_SYNTAX

-- case: an_array_join_without_the_name_it_asks_for
-- dialect: clickhouse
-- table: t(id Int32, tags Array(String))
SELECT id FROM t ARRAY JOIN tags AS (a INT);
--> out.id <- t.id

-- case: a_view_with_a_query_of_a_relative
-- table: t(a int, v variant)
CREATE VIEW w AS SELECT v:a::string AS x, v:b.c AS y FROM t;
CREATE TABLE u USING parquet AS WITH q AS (SELECT v:a FROM t) SELECT * FROM q;
SELECT * FROM w;
--> @0 w.x <= t.v
--> @0 w.y <= t.v
--> @1 u.a <= t.v
--> @2 out.x <- w.x
--> @2 out.y <- w.y
--> stmt 0 CREATE_VIEW reads t writes w
--> stmt 1 CREATE_TABLE_AS reads t writes u
--> no issue UNSUPPORTED_SYNTAX
-- case: a_join_in_parentheses_is_salvaged
-- dialect: generic
SELECT a FROM t LEFT JOIN (x c INNER JOIN y d ON c.i = d.i) ON t.k = c.k LEFT JOIN (SELECT k FROM z) q GARBAGE GARBAGE GARBAGE;
--> stmt 0 UNKNOWN reads t, x, y, z
--> issue PARSE_ERROR

-- case: tables_in_a_list_are_salvaged
-- dialect: postgres
INSERT INTO t SELECT a b c d FROM s AS x, d.u, (SELECT 1 FROM v) y, w WHERE;
--> issue PARSE_ERROR @0
--> stmt 0 UNKNOWN reads s, d.u, v, w writes t

-- case: tables_of_a_command_without_a_rule_are_salvaged
-- dialect: mysql
CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO INSERT INTO t SELECT a FROM s;
--> issue UNSUPPORTED_SYNTAX @0
--> stmt 0 CREATE_EVENT reads s writes t

-- case: words_of_other_dialects_are_read_where_none_is_said
-- dialect: generic
-- table: t(a int)
SELECT TOP 10 a FROM t;
SELECT [a] FROM [t];
CREATE TABLE `u` (`id` bigint(20) NOT NULL AUTO_INCREMENT, PRIMARY KEY (`id`)) ENGINE=InnoDB;
--> @0 out.a <- t.a
--> @1 out.a <- t.a
--> stmt 2 CREATE_TABLE writes u
--> schema t(a int) imported
--> schema u(id bigint(20)) implied @2

-- case: options_that_the_parser_would_wait_for
-- dialect: tsql
CREATE TABLE t (a int) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h, UNHEARD_OF = 1));
SELECT a FROM t;
CREATE TABLE u (a int) WITH (DATA_DELETION = ON (
--> @1 out.a <- t.a
--> stmt 2 CREATE_TABLE writes u
