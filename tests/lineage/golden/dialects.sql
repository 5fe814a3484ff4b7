-- The same ideas in other dialects: quoting, syntax and names together.

-- case: bigquery_struct_star
-- dialect: bigquery
-- table: d.t(id int64, info struct<city string, zip int64>)
SELECT info.* FROM d.t;
--> out.city <= d.t.info
--> out.zip <= d.t.info

-- case: snowflake_qualify
-- dialect: snowflake
-- table: T(ID int, TS int)
SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY id ORDER BY ts DESC) = 1;
--> out.id <- T.ID

-- case: redshift_ctas
-- dialect: redshift
-- table: s(a int)
CREATE TABLE t DISTKEY (a) AS SELECT a FROM s;
--> t.a <- s.a

-- case: trino_with
-- dialect: trino
-- table: c.s.t(a integer)
WITH x AS (SELECT a FROM c.s.t) SELECT a + 1 AS b FROM x;
--> out.b <= c.s.t.a

-- case: oracle_dual
-- dialect: oracle
SELECT 1 AS one FROM dual;
--> out.one <= DUAL[ROW]
--> no issue UNKNOWN_TABLE

-- case: mysql_backticks
-- dialect: mysql
-- table: t(a int)
SELECT `a` FROM `t`;
--> out.a <- t.a

-- case: duckdb_from_first
-- dialect: duckdb
-- table: t(a int, b int)
FROM t SELECT b;
--> out.b <- t.b

-- case: duckdb_from_only
-- dialect: duckdb
-- table: t(a int, b int)
FROM t;
--> out.a <- t.a
--> out.b <- t.b

-- case: duckdb_group_by_all
-- dialect: duckdb
-- table: t(a int, b int)
SELECT a, sum(b) AS s FROM t GROUP BY ALL;
--> out.a <- t.a
--> out.s <= t.b

-- case: clickhouse_final
-- dialect: clickhouse
-- table: t(a Int32)
SELECT a FROM t FINAL;
--> out.a <- t.a

-- case: sqlite_simple
-- dialect: sqlite
-- table: t(a integer)
SELECT A FROM T;
--> out.A <- t.a

-- case: tsql_top
-- dialect: tsql
-- table: t(a int)
SELECT TOP 10 a FROM t ORDER BY a;
--> out.a <- t.a

-- case: tsql_alias_by_assignment
-- dialect: tsql
-- table: t(a int)
SELECT b = a + 1 FROM t;
--> out.b <= t.a

-- case: postgres_cast_operator
-- dialect: postgres
-- table: t(a text)
SELECT a::int AS n FROM t;
--> out.n <= t.a

-- case: postgres_distinct_on
-- dialect: postgres
-- table: t(a int, b int)
SELECT DISTINCT ON (a) a, b FROM t ORDER BY a, b;
--> out.a <- t.a
--> out.b <- t.b

-- case: snowflake_semi_structured_cast
-- dialect: snowflake
-- table: T(V variant)
SELECT v:a.b::string AS x FROM t;
--> out.x <= T.V

-- case: hive_create_external
-- dialect: hive
CREATE EXTERNAL TABLE t (a INT) STORED AS PARQUET LOCATION '/x';
SELECT * FROM t;
--> @1 out.a <- t.a

-- case: databricks_create_or_replace
-- dialect: databricks
-- table: s(a int)
CREATE OR REPLACE TABLE t USING delta AS SELECT a FROM s;
--> t.a <- s.a

-- case: rows_from_in_postgres
-- dialect: postgres
SELECT * FROM ROWS FROM (json_to_recordset('[]') AS (a int, b text)) AS r(x, y);
--> out.x <- ()
--> out.y <- ()
--> no issue PARSE_ERROR

-- case: information_schema_in_bigquery
-- dialect: bigquery
SELECT table_name FROM `proj.data.INFORMATION_SCHEMA.TABLES`;
--> out.table_name <- proj.data.INFORMATION_SCHEMA.TABLES.table_name
--> no issue UNSUPPORTED_SYNTAX

-- case: alter_view_with_an_option_in_tsql
-- dialect: tsql
-- table: s(c int)
ALTER VIEW v WITH SCHEMABINDING AS SELECT c FROM s WHERE c > 100;
--> v.c <- s.c

-- case: oracle_level_is_no_column_of_an_unknown_table
-- dialect: oracle
SELECT LEVEL, a FROM t CONNECT BY PRIOR id = parent AND LEVEL < 5;
--> out.LEVEL <- T.LEVEL?
--> out.a <- T.A
--> issue INFERRED_SCHEMA
--> schema t(a, id, parent, ...) implied

-- case: clickhouse_dictionaries_are_read
-- dialect: clickhouse
-- table: events(id int, kind int)
-- table: refs.kinds(code int, label string, colour string)
SELECT
  dictGet('refs.kinds', 'label', kind) AS label,
  dictGetOrDefault(refs.kinds, ('label', 'colour'), kind, ('', '')) AS both,
  dictHas('refs.kinds', id) AS known,
  dictGetString(elsewhere, 'x', toUInt64(id)) AS guess
FROM events;
--> out.label <= refs.kinds.label, events.kind
--> out.both <= refs.kinds.label, refs.kinds.colour, events.kind
--> out.known <= refs.kinds, events.id
--> out.guess <= elsewhere.x, events.id
--> stmt 0 SELECT reads events, refs.kinds, elsewhere
--> issue UNKNOWN_TABLE relation=elsewhere
--> issue INFERRED_SCHEMA relation=elsewhere

-- case: athena_queries_in_backticks
-- dialect: athena
-- table: s.t(a int)
SELECT `a` FROM `s`.`t`;
--> out.a <- s.t.a
--> issue DIALECT_FALLBACK

-- case: hive_exchanges_partitions
-- dialect: hive
ALTER TABLE a EXCHANGE PARTITION (day = '1') WITH TABLE s.b;
--> stmt 0 ALTER_TABLE reads s.b writes a

-- case: teradata_titles_are_no_columns
-- dialect: teradata
CREATE VIEW v AS SELECT name, dob (TITLE 'Birthdate') FROM employee;
--> v.name <- employee.name
--> v.dob <- employee.dob

-- case: a_select_alias_in_the_condition_of_a_join
-- dialect: snowflake
-- table: T(ID int, V string)
-- table: U(W string)
-- options: {"includeIndirect": true}
SELECT UPPER(t.v) AS k, t.id FROM t JOIN u ON k = u.w
--> out.k <= T.V
--> out.id <- T.ID
--> stmt 0 SELECT reads T, U

-- case: a_stream_has_the_columns_of_its_table_and_how_they_changed
-- dialect: snowflake
-- table: T(ID int)
-- table: S(ID int)
CREATE OR REPLACE STREAM changes ON TABLE t APPEND_ONLY = TRUE;
INSERT INTO s SELECT id FROM changes WHERE METADATA$ACTION = 'INSERT';
SELECT * FROM changes;
--> stmt 0 CREATE_STREAM reads T writes CHANGES
--> @0 CHANGES.ID <- T.ID
--> @0 CHANGES.METADATA$ACTION <- ()
--> @0 CHANGES.METADATA$ISUPDATE <- ()
--> @0 CHANGES.METADATA$ROW_ID <- ()
--> column changes.METADATA$ISUPDATE dataType=boolean
--> @1 S.ID <- CHANGES.ID
--> @2 out.ID <- CHANGES.ID
--> @2 out.METADATA$ACTION <- CHANGES.METADATA$ACTION
--> @2 out.METADATA$ISUPDATE <- CHANGES.METADATA$ISUPDATE
--> @2 out.METADATA$ROW_ID <- CHANGES.METADATA$ROW_ID

-- case: rows_for_a_model
-- dialect: bigquery
-- table: ds.t(a int, b int)
SELECT predicted_label, a FROM ML.PREDICT(MODEL ds.m, TABLE ds.t);
SELECT roc FROM ML.EVALUATE(MODEL ds.m, TABLE ds.t);
CREATE MODEL ds.m OPTIONS (model_type = 'x') AS SELECT a FROM ds.t;
--> @0 out.predicted_label <= ds.t.a, ds.t.b
--> @0 out.a <- ds.t.a
--> @1 out.roc <= ds.t.a, ds.t.b
--> issue UNSUPPORTED_SYNTAX @1 severity=info
--> stmt 2 CREATE_MODEL reads ds.t

-- case: a_summary_of_a_table
-- dialect: duckdb
-- table: t(a int, b int)
SELECT column_name, max FROM (SUMMARIZE t);
SELECT column_name FROM (DESCRIBE t);
SUMMARIZE SELECT a FROM t;
--> @0 out.column_name <- ()
--> @0 out.max <= t.a, t.b
--> stmt 0 SELECT reads t
--> @1 out.column_name <- ()
--> stmt 2 SUMMARIZE reads t
--> partial

-- case: clickhouse_counts
-- dialect: clickhouse
SELECT * FROM numbers(10);
SELECT n.number % 2 AS odd FROM numbers_mt(1, 10) AS n;
--> @0 out.number <- ()
--> @1 out.odd <= ()

-- case: the_next_number_of_a_sequence
-- dialect: oracle
-- table: C(ID int, NAME varchar)
-- table: O(REGION varchar)
INSERT INTO c (id, name) SELECT numbers.nextval, region FROM o;
--> C.ID <- ()
--> C.NAME <- O.REGION

-- case: a_field_of_the_variable_of_a_comprehension
-- dialect: duckdb
-- table: e(items struct(sku varchar, qty int)[], id int)
SELECT [x.qty * id for x in items if x.sku = 'a'] AS l FROM e;
--> out.l <= e.items, e.id

-- case: mysql_searches_for_any_expression
-- dialect: mysql
-- table: t(a text, b text, word text)
SELECT MATCH (a, b) AGAINST (concat(word, '*') IN BOOLEAN MODE) AS score, MATCH (b) AGAINST ('x') AS plain
FROM t WHERE MATCH (a) AGAINST (lower(word) WITH QUERY EXPANSION) > 0.5;
--> out.score <= t.a, t.b, t.word
--> out.plain <= t.b

-- case: mysql_get_format_takes_a_word
-- dialect: mysql
-- table: t(d datetime)
SELECT date_format(d, get_format(DATE, 'ISO')) AS x FROM t;
--> out.x <= t.d

-- case: tsql_identity_by_its_role
-- dialect: tsql
-- table: t(id int, v int)
SELECT IDENTITYCOL, t.ROWGUIDCOL, $IDENTITY FROM t;
--> out.IDENTITYCOL <- t.identitycol
--> out.ROWGUIDCOL <- t.rowguidcol
--> out.$IDENTITY <- t.$identity

-- case: oracle_rows_of_all_containers
-- dialect: oracle
-- table: HR.T(A int, B int)
SELECT x.a, b, con_id FROM CONTAINERS(hr.t) x;
--> out.a <- HR.T.A
--> out.b <- HR.T.B
--> out.con_id <- HR.T.CON_ID

-- case: a_vector_search_has_rows_of_both_tables
-- dialect: bigquery
-- table: ds.items(id int, vector array<double>)
-- table: ds.wanted(word string, v array<double>)
SELECT query.word, base.id, distance
FROM VECTOR_SEARCH(TABLE ds.items, 'vector', (SELECT word, v FROM ds.wanted), query_column_to_search => 'v', top_k => 3);
SELECT * FROM VECTOR_SEARCH(TABLE ds.items, 'vector', TABLE ds.wanted, query_column_to_search => 'v');
--> @0 out.word <- ds.wanted.word
--> @0 out.id <- ds.items.id
--> @0 out.distance <= ds.items.vector, ds.wanted.v
--> @1 out.query <= ds.wanted.word, ds.wanted.v
--> @1 out.base <= ds.items.id, ds.items.vector
--> @1 out.distance <= ds.items.vector, ds.wanted.v
--> stmt 1 SELECT reads ds.items, ds.wanted

-- case: databricks_flows
-- dialect: databricks
-- table: orders(id int, v int, at timestamp)
-- table: changes(id int, v int, op string, at timestamp)
-- table: target(id int, v int, op string)
CREATE FLOW first AS INSERT INTO ONCE target BY NAME SELECT id, v FROM orders;
CREATE FLOW later AS AUTO CDC INTO target FROM STREAM(changes) KEYS (id) SEQUENCE BY at COLUMNS (id, v);
APPLY CHANGES INTO LIVE.target FROM STREAM(LIVE.changes) KEYS (id) APPLY AS DELETE WHEN op = 'D'
SEQUENCE BY at COLUMNS * EXCEPT (at) STORED AS SCD TYPE 1;
--> @0 target.id <- orders.id
--> @0 target.v <- orders.v
--> @1 target.id <- changes.id
--> @1 target.v <- changes.v
--> @2 target.id <- changes.id
--> @2 target.v <- changes.v
--> @2 target.op <- changes.op

-- case: bigquery_vectors_that_are_compared
-- dialect: bigquery
-- table: d.t(id int64, v array<float64>)
-- table: d.q(qid int64, v array<float64>)
SELECT query.qid, base.id, distance FROM VECTOR_SEARCH(TABLE d.t, 'v', TABLE d.q, top_k => 2);
SELECT base.id, distance FROM VECTOR_SEARCH(TABLE d.t, 'v', query_value => [1.0, 2.0], top_k => 3);
SELECT distance FROM VECTOR_SEARCH(TABLE d.t, 'v', (SELECT v AS wanted FROM d.q));
--> @0 out.qid <- d.q.qid
--> @0 out.id <- d.t.id
--> @0 out.distance <= d.t.v, d.q.v
--> @1 out.id <- d.t.id
--> @1 out.distance <= d.t.v
--> @2 out.distance <= d.t.v, d.q.v
--> partial

-- case: duckdb_unnests_all_levels_in_from
-- dialect: duckdb
-- table: t(k int, l struct(x int, s struct(y int, z varchar))[])
SELECT k, u.* FROM t, unnest(l, recursive := true) AS u;
SELECT p FROM unnest([{'a': 1, 'b': 2}], max_depth := 2) AS v(p, q);
SELECT * FROM unnest([[1, 2], [3]], recursive := true);
--> @0 out.k <- t.k
--> @0 out.x <= t.l
--> @0 out.y <= t.l
--> @0 out.z <= t.l
--> @1 out.p <- ()
--> @2 out.unnest <- ()

-- case: oracle_cells_that_rules_compute
-- dialect: oracle
-- table: SALES(COUNTRY varchar2(9), YEAR number, AMT number, QTY number)
SELECT country, year, amt FROM sales MODEL PARTITION BY (country) DIMENSION BY (year) MEASURES (amt, qty q) RULES (amt[2002] = amt[2001] + q[2000], amt[2003] = 5) ORDER BY 1;
SELECT * FROM sales WHERE qty > 1 MODEL RETURN UPDATED ROWS DIMENSION BY (year AS y) MEASURES (amt, 0 AS total) RULES UPSERT ITERATE (2) (UPDATE total[ANY] = SUM(amt)[y <= CV(y)]);
--> @0 out.country <- SALES.COUNTRY
--> @0 out.year <- SALES.YEAR
--> @0 out.amt <= SALES.AMT, SALES.QTY
--> @1 out.y <- SALES.YEAR
--> @1 out.amt <- SALES.AMT
--> @1 out.total <= SALES.AMT

-- case: oracle_external_tables_have_columns
-- dialect: oracle
CREATE TABLE loaded (a NUMBER, b VARCHAR2(10)) ORGANIZATION EXTERNAL (TYPE ORACLE_LOADER DEFAULT DIRECTORY d ACCESS PARAMETERS (FIELDS TERMINATED BY ',') LOCATION ('x.csv')) REJECT LIMIT UNLIMITED;
SELECT * FROM loaded;
--> @1 out.a <- LOADED.A
--> @1 out.b <- LOADED.B
--> partial
-- case: spark_names_a_sampled_query_behind_the_sample
-- table: t(a int)
SELECT q.a, r.n FROM (SELECT a FROM t) TABLESAMPLE (10 PERCENT) REPEATABLE (7) AS q
JOIN (SELECT a AS n FROM t) TABLESAMPLE (5 ROWS) r ON q.a = r.n;
--> out.a <- t.a
--> out.n <- t.a
-- case: pipes_in_a_dialect_that_borrows_them
-- dialect: duckdb
-- table: t(a int, b int)
SELECT * FROM (FROM t |> WHERE b > 1 |> SELECT a + 1 AS c);
--> out.c <= t.a

-- case: snowflake_names_in_strings
-- dialect: snowflake
-- table: db.s.orders(id int, total int)
INSERT INTO IDENTIFIER('db.s."Daily"') (paid) SELECT o.total FROM IDENTIFIER('db.s.orders') AS o;
SELECT paid FROM IDENTIFIER('db.s."Daily"');
MERGE INTO IDENTIFIER('db.s.orders') t USING IDENTIFIER('db.s.news') n ON t.id = n.id
WHEN MATCHED THEN UPDATE SET total = n.total;
--> stmt 0 INSERT reads DB.S.ORDERS writes DB.S.Daily
--> @0 DB.S.Daily.PAID <- DB.S.ORDERS.TOTAL
--> @1 out.paid <- DB.S.Daily.PAID
--> @2 DB.S.ORDERS.TOTAL <- DB.S.NEWS.TOTAL
--> no issue DYNAMIC_SQL
--> issue UNKNOWN_TABLE @0 relation=DB.S.Daily
--> issue UNKNOWN_TABLE @1 relation=DB.S.Daily
--> issue UNKNOWN_TABLE @2 relation=DB.S.NEWS

-- case: snowflake_names_in_variables_are_known_at_run_time
-- dialect: snowflake
SELECT a FROM IDENTIFIER($source) WHERE b = 1;
--> out.a <- IDENTIFIER($source).A
--> issue DYNAMIC_SQL

-- case: tsql_hints_tell_nothing_of_values
-- dialect: tsql
-- table: dbo.t(k int, a int)
-- table: dbo.u(k int, b int)
SELECT a, b FROM dbo.t WITH (INDEX = i, FORCESEEK) JOIN dbo.u WITH (NOLOCK, INDEX = (j)) ON t.k = u.k
OPTION (RECOMPILE, USE HINT ('X'), OPTIMIZE FOR (@p UNKNOWN));
UPDATE dbo.t SET a = k WHERE CURRENT OF c;
DELETE FROM dbo.t WHERE k IN (SELECT k FROM dbo.u) OPTION (LABEL = N'x');
SELECT @n += 1, @sum += a FROM dbo.t;
--> @0 out.a <- dbo.t.a
--> @0 out.b <- dbo.u.b
--> @1 dbo.t.a <- dbo.t.k
--> stmt 2 DELETE reads dbo.t, dbo.u writes dbo.t
--> @2 dbo.t <- dbo.u[DELETE]
--> @3 out._col_0 <- ()
--> @3 out._col_1 <= dbo.t.a
--> no issue PARSE_ERROR
-- case: a_table_as_it_changed_in_bigquery
-- dialect: bigquery
-- table: d.t(a int64, b string)
SELECT * FROM APPENDS(TABLE d.t, NULL, NULL);
SELECT a, _CHANGE_TYPE AS how FROM CHANGES(TABLE d.t, '2024-01-01', NULL) AS c;
--> @0 out.a <- d.t.a
--> @0 out.b <- d.t.b
--> @0 out._CHANGE_TYPE <- ()
--> @0 out._CHANGE_TIMESTAMP <- ()
--> @1 out.a <- d.t.a
--> @1 out.how <- ()
--> no issues

-- case: gaps_filled_in_bigquery
-- dialect: bigquery
-- table: d.t(at datetime, device string, signal int64, other int64)
SELECT * FROM GAP_FILL(TABLE d.t, ts_column => 'at', bucket_width => INTERVAL 1 MINUTE,
  partitioning_columns => ['device'], value_columns => [('signal', 'locf')]);
SELECT signal FROM GAP_FILL((SELECT at, signal FROM d.t), ts_column => 'at', bucket_width => INTERVAL 1 MINUTE,
  value_columns => [('signal', 'linear')]);
--> @0 out.at <= d.t.at
--> @0 out.device <= d.t.device
--> @0 out.signal <= d.t.signal
--> @1 out.signal <= d.t.signal
--> no issues

-- case: rows_that_a_model_adds_to
-- dialect: bigquery
-- table: d.t(id int64, content string)
SELECT id, content, ml_generate_embedding_result FROM ML.GENERATE_EMBEDDING(MODEL d.m, TABLE d.t, STRUCT(TRUE AS flatten_json_output));
SELECT id, is_anomaly FROM ML.DETECT_ANOMALIES(MODEL d.m, STRUCT(0.1 AS contamination), TABLE d.t);
SELECT id, ml_generate_text_result FROM ML.GENERATE_TEXT(MODEL d.m, (SELECT id, content AS prompt FROM d.t));
--> @0 out.id <- d.t.id
--> @0 out.content <- d.t.content
--> @0 out.ml_generate_embedding_result <= d.t.id, d.t.content
--> @1 out.id <- d.t.id
--> @1 out.is_anomaly <= d.t.id, d.t.content
--> @2 out.id <- d.t.id
--> @2 out.ml_generate_text_result <= d.t.id, d.t.content
--> no issues

-- case: a_forecast_of_bigquery
-- dialect: bigquery
-- table: d.t(at timestamp, amount float64, shop string)
SELECT forecast_timestamp, forecast_value FROM AI.FORECAST(TABLE d.t, data_col => 'amount', timestamp_col => 'at', id_cols => ['shop']);
--> out.forecast_timestamp <= d.t.at, d.t.amount, d.t.shop
--> out.forecast_value <= d.t.at, d.t.amount, d.t.shop
--> stmt 0 SELECT reads d.t
--> issue UNSUPPORTED_SYNTAX severity=info

-- case: texts_of_bigquery_are_texts_where_they_come_of_texts
-- dialect: bigquery
-- table: d.t(a string, b bytes)
CREATE TABLE d.n AS SELECT UPPER(a) AS x1, TRIM(a) AS x2, REPLACE(a, 'x', 'y') AS x3, REGEXP_REPLACE(a, 'x', 'y') AS x4,
  REGEXP_EXTRACT(a, 'x') AS x5, REPEAT(a, 2) AS x6, TRANSLATE(a, 'x', 'y') AS x7, TO_JSON_STRING(a) AS x8, LOWER(b) AS x9, LTRIM(b, b'1') AS x10 FROM d.t;
--> partial
--> schema d.t(a string, b bytes) imported
--> schema d.n(x1 string, x2 string, x3 string, x4 string, x5 string, x6 string, x7 string, x8 string, x9 bytes, x10 bytes) implied
--> no issues

-- case: a_piped_call_of_a_table_function
-- dialect: bigquery
-- table: d.t(a int64, b string)
FROM d.t |> WHERE a > 1 |> CALL d.bigger(3) AS x |> SELECT x.n;
FROM d.t |> CALL d.same() |> SELECT n;
--> @0 out.n <= d.t.a, d.t.b
--> @1 out.n <= d.t.a, d.t.b
--> stmt 0 SELECT reads d.t
--> issue UNSUPPORTED_SYNTAX @0 severity=info
--> issue UNSUPPORTED_SYNTAX @1 severity=info

-- case: postgres_numbers_of_rows_are_overridden
-- dialect: postgres
-- table: s(a int, b int)
-- table: t(id int, c int)
INSERT INTO t (id, c) OVERRIDING SYSTEM VALUE SELECT a, b FROM s;
--> t.id <- s.a
--> t.c <- s.b

-- case: mysql_priorities_and_replace_without_into
-- dialect: mysql
-- table: s(a int)
-- table: t(a int)
REPLACE DELAYED t (a) SELECT a FROM s;
DELETE LOW_PRIORITY QUICK IGNORE t FROM t JOIN s USING (a);
--> @0 t.a <- s.a
--> stmt 1 DELETE reads t, s writes t
--> @1 t <- s[DELETE]
--> no issue PARSE_ERROR

-- case: a_query_fills_variables
-- dialect: oracle
-- table: s(a int, b int)
SELECT a, b INTO first, second FROM s;
--> out.a <- S.A
--> out.b <- S.B

-- case: starrocks_deletes_from_a_partition
-- dialect: starrocks
-- table: t(k int)
DELETE FROM t PARTITION p WHERE k = 3;
--> stmt 0 DELETE reads t writes t
--> no issue PARSE_ERROR

-- case: duckdb_inserts_by_position
-- dialect: duckdb
-- table: s(x int)
-- table: t(a int)
INSERT INTO t BY POSITION SELECT x FROM s;
--> t.a <- s.x

-- case: files_as_rows_in_tsql
-- dialect: tsql
SELECT r.a, r.b FROM OPENROWSET(BULK 'https://lake/x.parquet', FORMAT = 'PARQUET') WITH (a INT, b VARCHAR(9) '$.b') AS r;
--> out.a <- https://lake/x.parquet.a
--> out.b <- https://lake/x.parquet.b
--> stmt 0 SELECT reads https://lake/x.parquet

-- case: mysql_deletes_all_columns_of_tables
-- dialect: mysql
-- table: t(k int)
-- table: u(k int)
DELETE t.*, u.* FROM t JOIN u ON t.k = u.k;
--> stmt 0 DELETE reads t, u writes t, u
--> no issue PARSE_ERROR

-- case: snowflake_defines_what_it_creates
-- dialect: snowflake
-- table: s(a int)
DEFINE VIEW d.s.v AS SELECT a FROM s;
DEFINE DYNAMIC TABLE d.s.t TARGET_LAG = '1 DAY' WAREHOUSE = w INITIALIZE = ON_SCHEDULE AS SELECT a FROM s;
--> D.S.V.A <- S.A
--> D.S.T.A <- S.A
--> no issue PARSE_ERROR

-- case: parameters_that_are_counted
-- dialect: oracle
-- table: t(a int, b int)
SELECT :1 AS given, a FROM t WHERE b >= :2 AND a IN (:3, :4);
--> out.given <- ()
--> out.a <- T.A

-- case: a_slice_is_no_counted_parameter
-- dialect: duckdb
-- table: t(a int[], b int)
SELECT a[:2] AS few FROM t;
--> out.few <= t.a

-- case: a_table_as_oracle_tells_of_it
-- dialect: oracle
CREATE TABLE t (
  id NUMBER NOT NULL ENABLE, raw_value LONG RAW, took INTERVAL DAY (3) TO SECOND (9), doc CLOB,
  CONSTRAINT t_pk PRIMARY KEY (id) USING INDEX PCTFREE 10 TABLESPACE users ENABLE,
  SUPPLEMENTAL LOG GROUP g (id) ALWAYS
) SEGMENT CREATION IMMEDIATE PCTFREE 10 LOGGING LOB (doc) STORE AS BASICFILE (TABLESPACE users);
SELECT * FROM t;
--> @1 out.id <- T.ID
--> @1 out.raw_value <- T.RAW_VALUE
--> @1 out.took <- T.TOOK
--> @1 out.doc <- T.DOC

-- case: rows_that_oracle_refuses_are_told_elsewhere
-- dialect: oracle
-- table: t(a int)
-- table: s(b int)
INSERT INTO t SELECT b FROM s WHERE b > :1 LOG ERRORS INTO refused ('x') REJECT LIMIT 10;
--> T.A <- S.B
--> stmt 0 INSERT reads S writes T

-- case: a_translation_to_a_character_set
-- dialect: oracle
-- table: t(a varchar2(9), b int)
SELECT TRANSLATE(TRIM(a) || 'x' USING CHAR_CS) AS told, b FROM t;
--> out.told <= T.A
--> out.b <- T.B

-- case: a_synonym_shows_what_it_stands_for
-- dialect: oracle
-- table: hr.places(city varchar2(9))
CREATE OR REPLACE PUBLIC SYNONYM offices FOR hr.places;
SELECT city FROM offices;
--> @0 OFFICES.CITY <- HR.PLACES.CITY
--> @1 out.city <- OFFICES.CITY
--> stmt 0 CREATE_SYNONYM reads HR.PLACES writes OFFICES
--> stmt 1 SELECT reads OFFICES

-- case: how_a_table_is_kept_moves_no_data
-- dialect: oracle
-- table: s.t(a int)
ALTER TABLE s.t DROP PARTITION p UPDATE GLOBAL INDEXES;
ALTER TABLE s.t SPLIT PARTITION p AT (1) INTO (PARTITION q, PARTITION r);
ALTER TABLE s.t NOLOGGING;
TRUNCATE TABLE s.t DROP STORAGE;
CREATE UNIQUE INDEX i ON s.t (UPPER(a)) PCTFREE 10 TABLESPACE x;
DROP PUBLIC SYNONYM offices;
--> stmt 0 ALTER_TABLE writes S.T
--> stmt 1 ALTER_TABLE writes S.T
--> stmt 2 ALTER_TABLE writes S.T
--> stmt 3 TRUNCATE writes S.T
--> no issue UNSUPPORTED_SYNTAX

-- case: mysql_sorts_groups_and_casts_to_whole_numbers
-- dialect: mysql
-- table: t(a int, b int)
SELECT a, CAST(MAX(b) AS UNSIGNED INTEGER) AS n FROM t GROUP BY a DESC ORDER BY a DESC;
--> out.a <- t.a
--> out.n <= t.b

-- case: a_json_table_that_answers_to_misses
-- dialect: mysql
-- table: t(doc json)
SELECT j.c, j.d, j.e FROM t, JSON_TABLE(t.doc, '$[*]' COLUMNS (
  c INT PATH '$.c' DEFAULT '0' ON EMPTY NULL ON ERROR, d INT EXISTS PATH '$.d', e INT PATH '$.e' ERROR ON ERROR)) AS j;
--> out.c <= t.doc
--> out.d <= t.doc
--> out.e <= t.doc

-- case: how_mysql_keeps_a_table_moves_no_data
-- dialect: mysql
-- table: t(a int)
ALTER TABLE t ADD PARTITION (PARTITION p VALUES LESS THAN (10));
ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4;
DROP INDEX i ON t ALGORITHM = DEFAULT LOCK = NONE;
--> stmt 0 ALTER_TABLE writes t
--> stmt 1 ALTER_TABLE writes t
--> no issue PARSE_ERROR

-- case: oracle_says_more_of_joins_sets_and_intervals
-- dialect: oracle
-- table: t(a int, b int, day date)
-- table: days(day date)
SELECT t.a MULTISET UNION DISTINCT t.b AS both, CAST(t.day AS INTERVAL DAY(2) TO SECOND(6)) AS took, d.day
FROM t PARTITION BY (a) RIGHT OUTER JOIN days d ON (t.day = d.day) WHERE t.a < = :1 AND t.b ! = 2;
--> out.both <= T.A, T.B
--> out.took <= T.DAY
--> out.day <- DAYS.DAY

-- case: what_a_change_returns_to_a_script
-- dialect: oracle
-- table: t(a int, b int)
UPDATE t SET a = b RETURNING OLD a, b BULK COLLECT INTO olds, bs;
--> @0 T.A <- T.B
--> partial

-- case: what_a_shell_fills_in
-- dialect: oracle
-- table: t(a int, b int)
SELECT a, &col AS given FROM t WHERE b = &&limit;
SELECT b FROM &tab;
--> @0 out.a <- T.A
--> @0 out.given <- ()
--> @1 out.b <- &TAB.B
--> stmt 0 SELECT reads T
--> stmt 1 SELECT reads &TAB

-- case: operators_that_extensions_bring
-- dialect: postgres
-- table: t(a text, b text, c int)
SELECT a <<-> b AS far, c - -1 AS more FROM t WHERE a %> 'x' ORDER BY a <#> '[1,2]', b USING < NULLS FIRST;
--> out.far <= t.a, t.b
--> out.more <= t.c

-- case: a_text_on_several_lines_and_a_variable_of_psql
-- dialect: postgres
-- table: t(a text, b text)
SELECT a || E'one'
  ' two' AS told FROM t WHERE b = :'wanted';
--> out.told <= t.a

-- case: how_a_file_is_written_does_not_matter
-- dialect: postgres
-- table: t(a text, b text)
COPY t (a) FROM '/in.csv' WITH CSV FORCE NOT NULL a;
CREATE FOREIGN TABLE p PARTITION OF t FOR VALUES IN ('x') SERVER s OPTIONS (f 'x');
SELECT * FROM p;
--> stmt 0 COPY reads /in.csv writes t
--> @2 out.a <- p.a
--> @2 out.b <- p.b

-- case: json_functions_say_what_becomes_of_nulls
-- dialect: tsql
-- table: t(a int, b int)
SELECT JSON_OBJECTAGG(a : b ABSENT ON NULL RETURNING varchar(20)) AS o, JSON_ARRAY(a, b NULL ON NULL) AS l FROM t;
--> out.o <= t.a, t.b
--> out.l <= t.a, t.b

-- case: rows_that_are_replaced_whole
-- dialect: redshift
-- table: t(id int, v int)
-- table: s(id int, v int)
MERGE INTO t USING s ON t.id = s.id REMOVE DUPLICATES;
--> t.id <- s.id[MERGE_INSERT]
--> t.v <- s.v[MERGE_UPDATE]

-- case: rows_that_break_a_rule_and_parameters_by_number
-- dialect: sqlite
-- table: t(a int, b int)
UPDATE OR IGNORE t SET a = b WHERE b = ?2;
--> t.a <- t.b

-- case: columns_with_more_to_say_of_them
-- dialect: mysql
CREATE TABLE t (i INT VISIBLE, n INT(5) ZEROFILL UNSIGNED, d DATE INVISIBLE, s INT STORAGE DISK) ENGINE = InnoDB;
SELECT SQL_CACHE d FROM t WHERE i = 1 INTO @x;
--> @1 out.d <- t.d
--> schema t(i INT, n INT(5) ZEROFILL UNSIGNED, d DATE, s INT) implied @0
