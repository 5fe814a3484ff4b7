-- Lateral aliases, generators and table functions (spec 2.9).

-- case: lateral_alias_in_spark
-- table: t(a int)
SELECT a + 1 AS b, b * 2 AS c FROM t;
--> out.b <= t.a
--> out.c <= t.a

-- case: source_column_beats_lateral_alias
-- table: t(a int, b int)
SELECT a + 1 AS b, b * 2 AS c FROM t;
--> out.b <= t.a
--> out.c <= t.b

-- case: lateral_alias_in_snowflake
-- dialect: snowflake
-- table: T(A int)
SELECT a + 1 AS b, b * 2 AS c FROM t;
--> out.b <= T.A
--> out.c <= T.A

-- case: no_lateral_alias_in_postgres
-- dialect: postgres
-- table: t(a int)
SELECT a + 1 AS b, b * 2 AS c FROM t;
--> out.b <= t.a
--> out.c <= t.b?
--> issue UNKNOWN_COLUMN column=b

-- case: lateral_view_explode
-- table: t(id int, items array<string>)
SELECT id, item FROM t LATERAL VIEW explode(items) e AS item;
--> out.id <- t.id
--> out.item <= t.items

-- case: lateral_view_posexplode
-- table: t(items array<string>)
SELECT p, v FROM t LATERAL VIEW posexplode(items) e AS p, v;
--> out.p <= t.items
--> out.v <= t.items

-- case: lateral_view_default_name
-- table: t(items array<string>)
SELECT col FROM t LATERAL VIEW OUTER explode(items) e;
--> out.col <= t.items

-- case: explode_in_the_select_list
-- table: t(id int, items array<string>)
SELECT id, explode(items) AS item FROM t;
--> out.id <- t.id
--> out.item <= t.items

-- case: explode_a_map_with_two_aliases
-- table: t(m map<string,int>)
SELECT explode(m) AS (k, v) FROM t;
--> out.k <= t.m
--> out.v <= t.m

-- case: inline_array_of_structs
-- table: t(items array<struct<sku:string,qty:int>>)
SELECT sku, qty FROM t LATERAL VIEW inline(items) e AS sku, qty;
--> out.sku <= t.items
--> out.qty <= t.items

-- case: stack_takes_all_arguments
-- table: t(a int, b int)
SELECT k, v FROM t LATERAL VIEW stack(2, 'a', a, 'b', b) s AS k, v;
--> out.k <- ()
--> out.v <= t.a, t.b

-- case: unnest_in_postgres
-- dialect: postgres
-- table: t(id int, tags text[])
SELECT t.id, u.tag FROM t CROSS JOIN LATERAL unnest(t.tags) AS u(tag);
--> out.id <- t.id
--> out.tag <= t.tags

-- case: unnest_in_bigquery
-- dialect: bigquery
-- table: d.t(id int64, tags array<string>)
SELECT id, tag FROM d.t, UNNEST(tags) AS tag;
--> out.id <- d.t.id
--> out.tag <= d.t.tags

-- case: unnest_with_offset
-- dialect: bigquery
-- table: d.t(tags array<string>)
SELECT tag, position FROM d.t, UNNEST(tags) AS tag WITH OFFSET AS position;
--> out.tag <= d.t.tags
--> out.position <= d.t.tags

-- case: unnest_with_ordinality
-- dialect: trino
-- table: t(tags array(varchar))
SELECT v, n FROM t CROSS JOIN UNNEST(tags) WITH ORDINALITY AS u (v, n);
--> out.v <= t.tags
--> out.n <= t.tags

-- case: flatten_in_snowflake
-- dialect: snowflake
-- table: T(ID int, DOC variant)
SELECT t.id, f.value FROM t, LATERAL FLATTEN(input => t.doc) AS f;
--> out.id <- T.ID
--> out.value <= T.DOC

-- case: table_function_without_arguments
-- dialect: duckdb
SELECT range FROM range(10);
--> out.range <- ()

-- case: generate_series_alias
-- dialect: postgres
-- table: t(n int)
SELECT g.i FROM t CROSS JOIN LATERAL generate_series(1, t.n) AS g(i);
--> out.i <= t.n

-- case: lambda_parameters_are_not_columns
-- table: t(items array<int>, k int)
SELECT transform(items, x -> x + k) AS v FROM t;
--> out.v <= t.items, t.k

-- case: lambda_parameter_shadows_a_column
-- table: t(items array<int>, x int)
SELECT filter(items, x -> x > 0) AS v FROM t;
--> out.v <= t.items

-- case: no_lateral_alias_in_the_generic_dialect
-- dialect: generic
-- table: t(a int, b int)
SELECT a + 1 AS c, c * 2 AS d FROM t;
--> out.c <= t.a
--> out.d <= t.a?
--> issue UNKNOWN_COLUMN column=c

-- case: higher_order_exists_is_no_subquery
-- table: t(items array<int>)
SELECT exists(items, x -> x > 3) AS v FROM t;
--> out.v <= t.items

-- case: generator_alias_is_a_lateral_alias
-- table: t(m array<array<int>>)
SELECT explode(m) AS inner_one, explode(inner_one) AS item FROM t;
--> out.inner_one <= t.m
--> out.item <= t.m

-- case: inline_by_the_width_of_the_struct
SELECT * FROM inline(array(struct(1, 'a'), struct(2, 'b')));
--> out.col1 <- ()
--> out.col2 <- ()

-- case: table_flatten_in_snowflake
-- dialect: snowflake
-- table: T(ID int, DOC variant)
SELECT t.id, f.value AS item FROM t, TABLE(FLATTEN(INPUT => t.doc)) AS f;
--> out.id <- T.ID
--> out.item <= T.DOC

-- case: table_generator_in_snowflake
-- dialect: snowflake
SELECT seq4() AS n FROM TABLE(GENERATOR(ROWCOUNT => 5));
--> out.n <= generator[ROW]
--> no issue UNSUPPORTED_SYNTAX

-- case: table_of_a_name_in_snowflake
-- dialect: snowflake
-- table: T1(A int)
SELECT * FROM TABLE('t1');
--> out.A <- T1.A

-- case: list_comprehension_in_duckdb
-- dialect: duckdb
-- table: t(items int[])
SELECT [x + 1 FOR x IN items] AS v FROM t;
--> out.v <= t.items

-- case: fields_of_an_unnested_array_of_unknown_type
-- dialect: bigquery
SELECT (SELECT value.string_value FROM UNNEST(params) WHERE key = 'page') AS page FROM d.events;
--> out.page <= d.events.params

-- case: a_lateral_star_without_tables
-- dialect: spark
-- table: t(a int)
SELECT * FROM t, LATERAL (SELECT *);
--> out.a <- t.a

-- case: a_lateral_star_of_a_table_outside
-- dialect: spark
-- table: t(a int)
SELECT * FROM t, LATERAL (SELECT t.*);
--> out.a <- t.a
--> out.a <- t.a

-- case: a_sign_is_a_computation
-- dialect: spark
-- table: t(a int, b int)
SELECT +a AS p, + t.b AS q, a FROM t;
--> out.p <= t.a
--> out.q <= t.b
--> out.a <- t.a

-- case: semantic_view_in_snowflake
-- dialect: snowflake
SELECT total FROM SEMANTIC_VIEW(db.s.v METRICS total DIMENSIONS region);
--> out.total <- DB.S.V.TOTAL

-- case: a_collation_is_no_column
-- dialect: spark
-- table: t(a string)
SELECT a COLLATE system.builtin.UTF8_LCASE AS c FROM t;
--> out.c <= t.a

-- case: table_functions_read_whole_tables
-- dialect: spark
-- table: t(a int, b int)
SELECT x FROM scored(1, TABLE(t)) AS s(x);
--> out.x <= t.a, t.b
--> stmt 0 SELECT reads t

-- case: how_rows_reach_a_table_function_is_no_column
-- dialect: spark
-- table: t(a int, b int)
SELECT x FROM scored(TABLE(t) PARTITION BY a ORDER BY b DESC) AS s(x);
SELECT x FROM scored(TABLE(t) WITH SINGLE PARTITION) AS s(x);
SELECT x FROM scored(TABLE t PARTITION BY (a, b) ORDER BY b) AS s(x);
SELECT x FROM scored(1, rows => TABLE t) AS s(x);
--> @0 out.x <= t.a, t.b
--> @1 out.x <= t.a, t.b
--> @2 out.x <= t.a, t.b
--> @3 out.x <= t.a, t.b
--> stmt 0 SELECT reads t
--> stmt 1 SELECT reads t
--> no issues

-- case: generated_columns_are_not_seen_beside_a_grouping_in_spark
-- table: t(id int, list array<int>)
SELECT explode(list) AS e, e + 1 AS f FROM t;
SELECT explode(collect_list(id)) AS e, e + 1 AS f FROM t;
SELECT id, explode(array(1, 2)) AS e FROM t GROUP BY id, e;
SELECT explode(collect_list(id)) AS e FROM t GROUP BY ALL HAVING e > 1 ORDER BY e;
--> partial
--> @0 out.f <= t.list
--> issue UNKNOWN_COLUMN @1 column=e
--> issue UNKNOWN_COLUMN @2 column=e

-- case: lateral_unnest_of_several_arrays
-- dialect: postgres
-- table: n(id int, xs int[], ys text[])
SELECT id, x, y, ord FROM n, LATERAL unnest(xs, ys) WITH ORDINALITY AS t(x, y, ord);
--> out.id <- n.id
--> out.x <= n.xs
--> out.y <= n.ys
--> out.ord <= n.xs, n.ys

-- case: lateral_unnest_in_spark
-- table: n(xs array<int>, ys array<string>)
SELECT x, y, ord FROM n, LATERAL UNNEST(xs, ys) WITH ORDINALITY AS t(x, y, ord);
--> out.x <= n.xs
--> out.y <= n.ys
--> out.ord <= n.xs, n.ys

-- case: json_table_lists_its_columns
-- dialect: mysql
-- table: t(id int, doc json)
SELECT t.id, j.* FROM t, JSON_TABLE(t.doc, '$[*]' COLUMNS (n FOR ORDINALITY, k INT PATH '$.k', NESTED PATH '$.x[*]' COLUMNS (v VARCHAR(10) PATH '$.v'))) AS j;
--> out.id <- t.id
--> out.n <= t.doc
--> out.k <= t.doc
--> out.v <= t.doc
--> local j(n, k, v) lateral

-- case: openjson_with_columns
-- dialect: tsql
-- table: t(id int, doc nvarchar)
SELECT t.id, j.* FROM t CROSS APPLY OPENJSON(t.doc) WITH (k INT '$.k', v NVARCHAR(10)) AS j;
--> out.id <- t.id
--> out.k <= t.doc
--> out.v <= t.doc

-- case: openjson_without_columns
-- dialect: tsql
-- table: t(doc nvarchar)
SELECT j.* FROM t CROSS APPLY OPENJSON(t.doc) AS j;
--> out.key <= t.doc
--> out.value <= t.doc
--> out.type <= t.doc

-- case: xmltable_lists_its_columns
-- dialect: oracle
-- table: T(DOC xmltype)
SELECT x.* FROM t, XMLTABLE('/r' PASSING t.doc COLUMNS k NUMBER PATH 'k', v VARCHAR2(10) PATH 'v') x;
--> out.k <= T.DOC
--> out.v <= T.DOC

-- case: field_of_an_element_beside_its_offset
-- dialect: bigquery
SELECT o.id, line.sku, place FROM orders AS o, UNNEST(o.lines) AS line WITH OFFSET AS place;
--> out.id <- orders.id
--> out.sku <= orders.lines
--> out.place <= orders.lines

-- case: elements_with_their_place
-- dialect: redshift
SELECT c.name, o.total, nth, shown FROM customers AS c, c.orders AS o AT nth, UNPIVOT c.tags AS tag AT shown;
--> out.name <- customers.name
--> out.total <= customers.orders
--> out.nth <= customers.orders
--> out.shown <= customers.tags

-- case: stream_of_a_table
-- dialect: databricks
CREATE OR REFRESH STREAMING TABLE seen AS SELECT s.id, s.at FROM STREAM(raw.clicks) AS s;
--> seen.id <- raw.clicks.id
--> seen.at <- raw.clicks.at
--> stmt 0 CREATE_TABLE_AS reads raw.clicks writes seen

-- case: quoted_names_in_a_table_function_keep_their_case
-- dialect: oracle
SELECT t."Roof", t.walls FROM houses h, XMLTABLE('/h' PASSING h.doc COLUMNS "Roof" VARCHAR2(9) PATH 'r', walls NUMBER PATH 'w') t;
--> out.Roof <= HOUSES.DOC
--> out.walls <= HOUSES.DOC

-- case: rows_from_with_ordinality
-- dialect: postgres
SELECT x.a, x.n FROM ROWS FROM (generate_series(1, 3)) WITH ORDINALITY AS x(a, n);
--> out.a <- ()
--> out.n <- ()

-- case: rows_of_a_collection
-- dialect: oracle
-- table: C(ID int, NAME varchar)
SELECT t.COLUMN_VALUE AS v, c.id FROM c, TABLE(words_of(c.name)) t;
--> out.v <= C.NAME
--> out.id <- C.ID
--> issue UNSUPPORTED_SYNTAX severity=info

-- case: names_for_a_table_function
-- dialect: trino
-- table: c(id int, parent int)
SELECT id FROM TABLE(exclude_columns(input => TABLE(c), columns => DESCRIPTOR(parent)));
--> out.id <= c.id, c.parent
--> stmt 0 SELECT reads c
--> issue UNSUPPORTED_SYNTAX severity=info

-- case: postgres_only_column_of_a_function_has_the_alias
-- dialect: postgres
-- table: t(n int, j jsonb, s text)
SELECT g, k.*, e.*, low, part.word
FROM t, generate_series(1, n) AS g, jsonb_object_keys(j) AS k, jsonb_array_elements(j) AS e, lower(s) AS low,
  LATERAL regexp_split_to_table(s, ',') AS part(word);
--> out.g <= t.n
--> out.k <= t.j
--> out.value <= t.j
--> out.low <= t.s
--> out.word <= t.s

-- case: postgres_several_arrays_are_not_called_as_the_alias
-- dialect: postgres
-- table: t(a int[], b int[])
SELECT u.*, one.* FROM t, unnest(a, b) AS u, unnest(a) AS one;
--> out.unnest <= t.a
--> out.unnest <= t.b
--> out.one <= t.a

-- case: postgres_ordinality_of_a_function
-- dialect: postgres
-- table: t(s text)
SELECT w.*, x.* FROM t, string_to_table(s, ' ') WITH ORDINALITY AS w, LATERAL string_to_table(s, ' ') WITH ORDINALITY AS x(word, place);
--> out.w <= t.s
--> out.ordinality <- ()
--> out.word <= t.s
--> out.place <- ()

-- case: postgres_lateral_function_that_nobody_knows
-- dialect: postgres
-- table: t(a int)
SELECT f.x FROM t LEFT JOIN LATERAL made_elsewhere(a) AS f ON true;
--> out.x <= t.a
--> issue UNSUPPORTED_SYNTAX

-- case: duckdb_unnested_column_keeps_its_name
-- dialect: duckdb
-- table: t(a int[])
SELECT u.* FROM t, unnest(a) AS u;
--> out.unnest <= t.a

-- case: columns_a_created_function_says_it_returns
-- dialect: postgres
-- table: t(n int)
CREATE FUNCTION split_up(x int) RETURNS TABLE (low int, high int) AS $$ SELECT x, x + 1 $$ LANGUAGE sql;
SELECT s.*, n FROM t, split_up(n) AS s;
--> @1 out.low <= t.n
--> @1 out.high <= t.n
--> @1 out.n <- t.n
--> no issue APPROXIMATE_LINEAGE

-- case: columns_a_created_function_says_it_returns_in_snowflake
-- dialect: snowflake
CREATE FUNCTION made(x int) RETURNS TABLE (LOW int, HIGH int) AS 'SELECT 1, 2';
SELECT high FROM TABLE(made(1));
--> @1 out.high <- ()
--> no issue UNSUPPORTED_SYNTAX

-- case: a_lateral_function_that_nobody_knows_is_open
CREATE TABLE t (a INT, b INT);
SELECT a, x, u.y FROM t, LATERAL split_rows(a, b) AS u;
--> @1 out.a <- t.a
--> @1 out.x <= t.a?, t.b?
--> @1 out.y <= t.a, t.b
--> issue UNSUPPORTED_SYNTAX @1

-- case: changes_of_a_table_are_its_rows_and_how_they_changed
CREATE TABLE t (a INT, b STRING);
CREATE TABLE log AS SELECT * FROM table_changes('t', 1, 3);
SELECT c.x, _change_type FROM table_changes('db.other', 2) AS c;
--> @1 log.a <- t.a
--> @1 log.b <- t.b
--> @1 log._change_type <- ()
--> @1 log._commit_version <- ()
--> @1 log._commit_timestamp <- ()
--> @2 out.x <- db.other.x
--> @2 out._change_type <- ()
--> stmt 1 CREATE_TABLE_AS reads t writes log
--> stmt 2 SELECT reads db.other

-- case: postgres_unnest_in_a_select_list
-- dialect: postgres
-- table: t(l int[])
SELECT unnest(l) FROM t;
CREATE TABLE n AS SELECT unnest(l) AS one FROM t;
--> @0 out.unnest <= t.l
--> @1 n.one <= t.l
--> column n.one dataType=int

-- case: bigquery_array_path_with_offset
-- dialect: bigquery
-- table: t(id int64, items array<struct<sku string, n int64>>, tags array<string>)
SELECT x.id, i.sku, place FROM t AS x, x.items AS i WITH OFFSET AS place;
SELECT tag, offset FROM t CROSS JOIN t.tags tag WITH OFFSET;
--> @0 out.id <- t.id
--> @0 out.sku <= t.items
--> @0 out.place <= t.items
--> @1 out.tag <= t.tags
--> @1 out.offset <= t.tags

-- case: rows_of_a_created_function_come_from_what_its_body_reads
-- table: t(a int, b int, c int)
CREATE FUNCTION picked(x INT) RETURNS TABLE (p INT, q INT) RETURN SELECT a, b + x FROM t WHERE c = x;
SELECT * FROM picked(1);
SELECT u.c, f.q FROM t AS u, LATERAL picked(u.c) AS f;
--> @1 out.p <- t.a
--> @1 out.q <= t.b
--> @2 out.c <- t.c
--> @2 out.q <= t.b, t.c
--> stmt 1 SELECT reads t

-- case: a_function_without_a_list_of_columns_has_those_of_its_query
-- dialect: bigquery
-- table: d.t(a int64, b int64)
CREATE TABLE FUNCTION d.picked(x INT64) AS (WITH z AS (SELECT a, COUNT(*) AS n FROM d.t WHERE b > x GROUP BY a) SELECT a, n FROM z);
CREATE TABLE d.copy AS SELECT * FROM d.picked(3);
--> @1 d.copy.a <- d.t.a
--> @1 d.copy.n <= d.t[COUNT_ALL]

-- case: a_quoted_body_that_is_a_query_is_read
-- dialect: postgres
-- table: t(a int, b int, c int)
CREATE FUNCTION picked(x int, y int) RETURNS TABLE (p int, q int) LANGUAGE sql AS $$ SELECT a, b + $2 FROM t WHERE c = x $$;
SELECT f.p, f.q FROM t AS u, picked(1, u.c) AS f;
--> @1 out.p <- t.a
--> @1 out.q <= t.b, t.c
--> stmt 0 CREATE_FUNCTION reads t

-- case: snowflake_table_functions_are_read
-- dialect: snowflake
-- table: T(A int, B int)
CREATE FUNCTION picked(x INT) RETURNS TABLE (P INT) AS 'SELECT a FROM t WHERE b = x';
SELECT p FROM TABLE(picked(1));
--> @1 out.p <- T.A

-- case: a_table_macro
-- dialect: duckdb
-- table: t(a int, b int)
CREATE MACRO picked(x) AS TABLE SELECT a, b + x AS q FROM t;
SELECT * FROM picked(1);
--> @1 out.a <- t.a
--> @1 out.q <= t.b

-- case: a_created_function_computes_with_the_arguments_its_body_uses
-- table: t(a int, b int, c int)
CREATE FUNCTION sign_of(x INT) RETURNS INT RETURN CASE WHEN x > 0 THEN 1 ELSE -1 END;
CREATE FUNCTION mixed(x INT, unused INT, y INT) RETURNS INT RETURN sign_of(x) + y;
SELECT mixed(a, b, c) AS m, mixed(y => a, x => b, unused => 1) AS n FROM t;
--> @2 out.m <= t.a[CONDITIONAL], t.c
--> @2 out.n <= t.a, t.b[CONDITIONAL]

-- case: a_value_that_a_function_looks_up
-- table: t(a int)
-- table: rates(id int, rate int)
-- options: {"includeIndirect": true}
CREATE FUNCTION rate_of(x INT) RETURNS INT RETURN (SELECT max(rate) FROM rates WHERE id = x);
SELECT rate_of(a) AS r FROM t;
--> @1 out.r <= rates.rate
--> @1 out <~ rates.id[FILTER]
--> @1 out <~ t.a[FILTER]
--> @1 out <+ t
--> stmt 1 SELECT reads t, rates

-- case: a_view_with_parameters
-- dialect: clickhouse
-- table: t(a Int32, b Int32)
CREATE VIEW v AS SELECT a FROM t WHERE b = {x:Int32};
SELECT * FROM v(x = 1);
--> @0 v.a <- t.a
--> @1 out.a <- v.a

-- case: rows_of_an_inline_function
-- dialect: tsql
-- table: dbo.t(a int, b int, c int)
CREATE FUNCTION dbo.picked (@x INT, @y INT = 3) RETURNS TABLE AS RETURN (SELECT a, b + @y AS q FROM dbo.t WHERE c = @x);
GO
SELECT * FROM dbo.picked(1, 2);
SELECT f.a, f.q FROM dbo.t AS u CROSS APPLY dbo.picked(u.a, u.c) AS f;
--> @1 out.a <- dbo.t.a
--> @1 out.q <= dbo.t.b
--> @2 out.a <- dbo.t.a
--> @2 out.q <= dbo.t.b
--> @3 out.a <- dbo.t.a
--> @3 out.q <= dbo.t.b, dbo.t.c

-- case: the_offset_is_no_field_of_the_row
-- dialect: bigquery
-- table: d.t(id int64, a array<struct<p int64, q int64>>)
SELECT e.*, pos FROM d.t, UNNEST(a) AS e WITH OFFSET AS pos;
SELECT * FROM d.t, UNNEST(a) AS e WITH OFFSET AS pos WHERE pos > 0;
--> @0 out.p <= d.t.a
--> @0 out.q <= d.t.a
--> @0 out.pos <= d.t.a
--> @1 out.id <- d.t.id
--> @1 out.a <- d.t.a
--> @1 out.p <= d.t.a
--> @1 out.q <= d.t.a
--> @1 out.pos <= d.t.a

-- case: rows_that_a_script_returns
-- dialect: postgres
-- table: t(a int, b int)
-- table: u(c int, d int)
CREATE FUNCTION either(x int) RETURNS TABLE (p int, q int) LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN n := 3; IF x > n THEN RETURN QUERY SELECT a, b + n FROM t WHERE a = x; ELSE RETURN QUERY SELECT c, d FROM u; END IF; RETURN; END; $$;
SELECT * FROM either(1);
--> @1 out.p <- t.a, u.c
--> @1 out.q <= t.b, u.d
--> stmt 0 CREATE_FUNCTION reads t, u
--> no issue UNKNOWN_COLUMN

-- case: rows_that_a_script_returns_one_by_one_are_not_known
-- dialect: postgres
-- table: t(a int)
CREATE FUNCTION each(x int) RETURNS TABLE (p int) LANGUAGE plpgsql AS $$ BEGIN FOR p IN SELECT a FROM t LOOP RETURN NEXT; END LOOP; END; $$;
SELECT p FROM each(1);
--> @1 out.p <- ()

-- case: a_set_of_a_tables_rows
-- dialect: postgres
-- table: t(a int, b int)
CREATE FUNCTION some(x int) RETURNS SETOF t AS $$ SELECT * FROM t WHERE b = $1 $$ LANGUAGE sql;
CREATE FUNCTION numbers(x int) RETURNS SETOF int AS $$ SELECT a FROM t WHERE b = x $$ LANGUAGE sql;
SELECT a, s.b FROM some(1) AS s;
SELECT * FROM numbers(1);
--> @2 out.a <- t.a
--> @2 out.b <- t.b
--> @3 out.numbers <- t.a

-- case: bare_fields_of_an_array_of_unknown_type
-- dialect: bigquery
-- table: t(k, items, sizes array<int64>)
SELECT id, u.url, k FROM t, t.items AS u;
SELECT id FROM t, UNNEST(sizes) AS size;
--> @0 out.id <= t.items?
--> @0 out.url <= t.items
--> @0 out.k <- t.k
--> @1 out.id <- ()
--> issue UNKNOWN_COLUMN @1 column=id

-- case: functions_of_one_name_are_told_apart_by_their_arguments
-- dialect: postgres
-- table: t(a int, b int, c int)
CREATE FUNCTION f(x int) RETURNS int LANGUAGE sql AS $$ SELECT c FROM t WHERE b = x $$;
CREATE FUNCTION f(x int, y int) RETURNS int LANGUAGE sql AS $$ SELECT y $$;
SELECT f(b) AS p, f(a, b) AS q, f(a, b, c) AS r FROM t;
--> @2 out.p <= t.c
--> @2 out.q <= t.b
--> @2 out.r <= t.a, t.b, t.c

-- case: a_parameter_with_a_default_may_be_left_out
-- table: t(a int, b int)
CREATE FUNCTION f(x DECIMAL(9, 2), y INT DEFAULT 3) RETURNS INT RETURN y;
SELECT f(a) AS p, f(a, b) AS q FROM t;
--> @1 out.p <- ()
--> @1 out.q <= t.b

-- case: a_lateral_view_names_its_columns_without_as
-- table: person(id int, ages array<int>, pets array<struct<name:string,born:int>>)
SELECT id, age, pet, y FROM person LATERAL VIEW OUTER explode(ages) a age LATERAL VIEW inline(pets) p pet, y;
--> out.id <- person.id
--> out.age <= person.ages
--> out.pet <= person.pets
--> out.y <= person.pets
--> no issue PARSE_ERROR
