-- Struct, map and array access (spec 2.9).

-- case: field_path_is_kept
-- table: t(a struct<b:struct<c:int>>)
SELECT a.b.c FROM t;
--> out.c <= t.a

-- case: qualified_field_access
-- table: t(a struct<b:int>)
SELECT t.a.b AS v FROM t;
--> out.v <= t.a

-- case: array_index
-- table: t(a array<int>)
SELECT a[0] AS first FROM t;
--> out.first <= t.a

-- case: map_key
-- table: t(m map<string,int>)
SELECT m['k'] AS v FROM t;
--> out.v <= t.m

-- case: map_key_from_a_column
-- table: t(m map<string,int>, k string)
SELECT m[k] AS v FROM t;
--> out.v <= t.m, t.k

-- case: json_arrow_in_postgres
-- dialect: postgres
-- table: t(doc jsonb)
SELECT doc->>'name' AS name FROM t;
--> out.name <= t.doc

-- case: variant_path_in_snowflake
-- dialect: snowflake
-- table: T(DOC variant)
SELECT doc:user.name AS name FROM t;
--> out.name <= T.DOC

-- case: struct_constructor
-- table: t(a int, b int)
SELECT named_struct('x', a, 'y', b) AS s FROM t;
--> out.s <= t.a, t.b

-- case: field_through_a_cte
-- table: t(a struct<b:int>)
WITH c AS (SELECT a FROM t) SELECT c.a.b AS v FROM c;
--> out.v <= t.a

-- case: field_of_an_unknown_table
SELECT info.city AS city FROM somewhere AS s;
--> out.city <= somewhere.info
--> no issue UNKNOWN_COLUMN

-- case: spark_tells_the_file_of_a_row
-- table: t(a int)
SELECT _metadata.file_name, t._metadata.file_size FROM t WHERE _metadata.file_size > 9;
SELECT q.file_path FROM (SELECT _metadata.* FROM t) AS q;
SELECT * FROM t ORDER BY _metadata.file_name;
--> @0 out.file_name <= t._metadata
--> @0 out.file_size <= t._metadata
--> @1 out.file_path <= t._metadata
--> @2 out.a <- t.a

-- case: the_name_of_a_field_is_an_alias_in_spark
-- table: t(info struct<city:string>)
SELECT info.city, upper(city) AS big FROM t;
--> out.city <= t.info
--> out.big <= t.info

-- case: bigquery_list_of_a_row_outside
-- dialect: bigquery
-- table: d.t(id int64, list array<int64>)
-- table: d.u(k int64)
SELECT
  (SELECT max(x) FROM t.list AS x) AS a,
  (SELECT sum(list) FROM t.list) AS b,
  ARRAY(SELECT u.k FROM d.u JOIN t.list AS y ON u.k = y) AS c
FROM d.t;
--> out.a <= d.t.list
--> out.b <= d.t.list
--> out.c <= d.u.k

-- case: bigquery_list_of_a_subquery_outside
-- dialect: bigquery
-- table: d.t(id int64, v int64)
SELECT (SELECT min(x) FROM q.every AS x) AS a FROM (SELECT array_agg(v) AS every FROM d.t) AS q;
--> out.a <= d.t.v

-- case: methods_of_a_column
-- dialect: tsql
-- table: docs(id int, body xml)
SELECT body.value('(/r/@k)[1]', 'int') AS k, d.body.query('/r') AS q, dbo.twice(d.id) AS w,
  (SELECT max(x.c.value('.', 'int')) FROM d.body.nodes('/r/n') AS x(c)) AS top_n
FROM docs AS d;
SELECT d.id, rows.line.value('@sku', 'varchar(9)') AS sku FROM docs AS d CROSS APPLY d.body.nodes('/r') AS rows(line);
--> @0 out.k <= docs.body
--> @0 out.q <= docs.body
--> @0 out.w <= docs.id
--> @0 out.top_n <= docs.body[AGGREGATION]
--> @1 out.id <- docs.id
--> @1 out.sku <= docs.body

-- case: a_field_of_a_struct_written_in_place_is_that_value_alone
-- dialect: bigquery
-- table: d.t(a int64, b int64, c int64)
SELECT STRUCT(a, b).b, STRUCT<x INT64, y INT64>(b, c).y, STRUCT(STRUCT(a AS p, b AS q) AS i, c AS o).i.q AS deep FROM d.t;
--> out.b <= d.t.b
--> out.y <= d.t.c
--> out.deep <= d.t.b

-- case: the_star_of_a_struct_written_in_place
-- dialect: bigquery
-- table: d.t(a int64, b int64, c int64)
SELECT STRUCT(a, b + c AS d).* FROM d.t;
--> out.a <= d.t.a
--> out.d <= d.t.b, d.t.c

-- case: a_field_of_a_row_that_a_subquery_gives
-- dialect: bigquery
-- table: d.t(a int64, b int64)
SELECT (SELECT AS STRUCT a, b FROM d.t LIMIT 1).b, ARRAY(SELECT AS STRUCT a, b FROM d.t)[OFFSET(0)].a;
SELECT r.b FROM (SELECT (SELECT AS STRUCT a, b FROM d.t LIMIT 1) AS r);
SELECT x.b FROM UNNEST(ARRAY(SELECT AS STRUCT a, b FROM d.t)) AS x;
--> @0 out.b <= d.t.b
--> @0 out.a <= d.t.a
--> @1 out.b <= d.t.b
--> @2 out.b <= d.t.b

-- case: what_other_fields_misname_is_still_told
-- dialect: bigquery
-- table: d.t(a int64)
SELECT STRUCT(a, zz).a FROM d.t;
--> out.a <= d.t.a
--> issue UNKNOWN_COLUMN relation=d.t column=zz

-- case: spark_fields_of_structs_in_place
-- table: t(a int, b int)
SELECT named_struct('x', a, 'y', b).y AS y, struct(a + 1, b).col1 AS z, CAST(struct(a, b) AS struct<p: int, q: int>).q AS q FROM t;
--> out.y <= t.b
--> out.z <= t.a
--> out.q <= t.b

-- case: fields_of_a_row_that_an_aggregate_keeps
-- dialect: bigquery
-- table: d.t(id int64, x int64, ts int64)
SELECT ARRAY_AGG(r ORDER BY ts DESC LIMIT 1)[OFFSET(0)].* FROM d.t AS r GROUP BY id;
SELECT ANY_VALUE(r HAVING MAX ts).* EXCEPT (ts), ANY_VALUE(r).x AS y, ARRAY_AGG(STRUCT(id, x))[OFFSET(0)].id AS z FROM d.t AS r GROUP BY id;
--> @0 out.id <= d.t.id, d.t.ts
--> @0 out.x <= d.t.x, d.t.ts
--> @0 out.ts <= d.t.ts
--> @1 out.id <= d.t.id, d.t.ts
--> @1 out.x <= d.t.x, d.t.ts
--> @1 out.y <= d.t.x
--> @1 out.z <= d.t.id
-- case: files_of_parquet_number_their_rows
CREATE TABLE log (line STRING) USING parquet;
CREATE TABLE note (line STRING) USING csv;
CREATE TABLE rows AS SELECT line, _metadata.* FROM log;
CREATE TABLE files AS SELECT _metadata.* FROM note;
--> partial
--> @2 rows.row_index <= log._metadata
--> schema log(line STRING) implied @0
--> schema note(line STRING) implied @1
--> schema rows(line STRING, file_path string, file_name string, file_size bigint, file_block_start bigint, file_block_length bigint, file_modification_time timestamp, row_index bigint) implied @2
--> schema files(file_path string, file_name string, file_size bigint, file_block_start bigint, file_block_length bigint, file_modification_time timestamp) implied @3

-- case: an_imported_table_has_the_format_that_the_workload_gives_it
-- table: log(line string)
CREATE TABLE log (line STRING) USING parquet;
SELECT _metadata.row_index FROM log;
--> @1 out.row_index <= log._metadata
--> schema log(line string) imported

-- case: field_of_a_struct_of_columns_that_two_tables_call_the_same
-- dialect: duckdb
-- table: t(k int, a int, c int)
-- table: u(k int, a int)
SELECT m.p AS one, m.q AS other, m.r.s AS third
FROM (SELECT {'p': t.a, 'q': u.a, 'r': {'s': t.c + u.k}} AS m FROM t JOIN u ON t.k = u.k) AS d;
--> out.one <= t.a
--> out.other <= u.a
--> out.third <= t.c, u.k
-- case: a_part_of_a_variant_is_no_alias
-- table: t(a int, v variant)
SELECT v:a, v:b AS c, a d FROM t;
--> out.a <= t.v
--> out.c <= t.v
--> out.d <- t.a
