-- Whole rows as values, and names that only some dialects let a clause see (spec 2.4, 2.7, 2.9).

-- case: a_table_name_is_its_whole_row
-- dialect: postgres
-- table: people(id int, name text)
SELECT row_to_json(p) AS j, p AS r FROM people AS p;
--> out.j <= people.id, people.name
--> out.r <= people.id, people.name

-- case: a_field_of_a_row
-- dialect: postgres
-- table: people(id int, name text)
SELECT (p).name FROM people AS p;
--> out.name <= people.name

-- case: an_unknown_table_may_have_a_column_of_its_name
-- dialect: postgres
SELECT status FROM status;
--> out.status <- status.status

-- case: no_whole_rows_in_spark
-- dialect: spark
-- table: people(id int)
SELECT p FROM people AS p;
--> out.p <- people.p?
--> issue UNKNOWN_COLUMN

-- case: a_function_alias_names_its_value
-- dialect: postgres
SELECT i, j FROM generate_series(1, 3) AS i, generate_series(1, 2) AS j;
--> out.i <- ()
--> out.j <- ()
--> no issues

-- case: two_relations_answer_to_one_qualifier
-- dialect: spark
-- table: a.t(id int)
-- table: b.t(id int)
SELECT t.id FROM a.t, b.t;
--> out.id <- a.t.id?, b.t.id?
--> issue AMBIGUOUS_COLUMN column=id

-- case: using_keeps_the_left_order_in_duckdb
-- dialect: duckdb
-- table: x(a int, k int)
-- table: y(k int, b int)
SELECT * FROM x JOIN y USING (k);
--> out.a <- x.a
--> out.k <- x.k <= y.k
--> out.b <- y.b

-- case: where_sees_aliases_in_snowflake
-- dialect: snowflake
-- table: T(A int)
SELECT a + 1 AS next FROM t WHERE next > 1;
--> out.next <= T.A

-- case: where_sees_no_aliases_in_postgres
-- dialect: postgres
-- table: t(a int)
SELECT a + 1 AS next FROM t WHERE next > 1;
--> out.next <= t.a
--> issue UNKNOWN_COLUMN

-- case: distinct_on_sees_aliases
-- dialect: postgres
-- table: t(a int, b int)
SELECT DISTINCT ON (g) a, b AS g FROM t ORDER BY g;
--> out.a <- t.a
--> out.g <- t.b

-- case: inner_union_by_name
-- dialect: bigquery
-- table: t(a int64, b int64)
SELECT a, b AS left_only FROM t INNER UNION ALL BY NAME SELECT b AS a, a AS right_only FROM t;
--> out.a <- t.a, t.b

-- case: left_union_by_name
-- dialect: bigquery
-- table: t(a int64, b int64)
SELECT a, b AS left_only FROM t LEFT UNION ALL BY NAME SELECT b AS a, a AS right_only FROM t;
--> out.a <- t.a, t.b
--> out.left_only <- t.b

-- case: array_join_names_its_elements
-- dialect: clickhouse
-- table: t(id Int32, tags Array(String))
SELECT id, tag FROM t ARRAY JOIN tags AS tag;
--> out.id <- t.id
--> out.tag <= t.tags

-- case: upsert_value_from_a_subquery
-- dialect: postgres
-- table: t(id int, v int)
-- table: s(id int, v int)
INSERT INTO t (id, v) VALUES (1, 2)
ON CONFLICT (id) DO UPDATE SET v = (SELECT max(s.v) FROM s WHERE s.id = excluded.id);
--> t.v <= s.v

-- case: children_have_their_parents_columns
-- dialect: postgres
CREATE TABLE parent (a int);
CREATE TABLE child (b int) INHERITS (parent);
SELECT * FROM child;
--> @2 out.a <- child.a
--> @2 out.b <- child.b

-- case: partitions_have_their_tables_columns
-- dialect: postgres
CREATE TABLE parent (a int) PARTITION BY LIST (a);
CREATE TABLE part PARTITION OF parent FOR VALUES IN (1);
SELECT * FROM part;
--> @2 out.a <- part.a

-- case: columns_without_types
-- dialect: sqlite
CREATE TABLE t (a, b);
SELECT * FROM t;
--> @1 out.a <- t.a
--> @1 out.b <- t.b

-- case: fields_of_a_composite
-- dialect: postgres
-- table: t(place struct<city text, zip int>)
SELECT (t.place).* FROM t;
--> out.city <= t.place
--> out.zip <= t.place

-- case: fields_of_a_row
-- dialect: postgres
-- table: t(a int, b int)
SELECT (r).* FROM t AS r;
--> out.a <- t.a
--> out.b <- t.b

-- case: unnested_structs_show_their_fields
-- dialect: bigquery
-- table: d.orders(id int64, items array<struct<sku string, n int64>>)
SELECT id, sku, i.n, i FROM d.orders, UNNEST(items) AS i;
--> out.id <- d.orders.id
--> out.sku <= d.orders.items
--> out.n <= d.orders.items
--> out.i <= d.orders.items

-- case: columns_by_number
-- dialect: snowflake
-- table: T(A int, B int)
SELECT x.$2 AS second FROM t AS x;
--> out.second <- T.B

-- case: a_union_is_sorted_by_its_own_columns
-- dialect: postgres
-- table: t(a int, b int)
SELECT a FROM t UNION SELECT b FROM t ORDER BY b;
--> out.a <- t.a, t.b
--> issue UNKNOWN_COLUMN column=b

-- case: a_union_of_unknown_stars_may_have_any_column
-- dialect: postgres
SELECT * FROM one UNION ALL SELECT * FROM two ORDER BY id;
--> issue APPROXIMATE_LINEAGE relation=one
--> issue APPROXIMATE_LINEAGE relation=two
--> no issue UNKNOWN_COLUMN
--> no issue UNRESOLVED_REFERENCE

-- case: a_match_is_a_row_of_its_measures
-- dialect: snowflake
-- table: O(CUST int, AMOUNT int, TS timestamp)
SELECT * FROM o MATCH_RECOGNIZE (
  PARTITION BY cust ORDER BY ts
  MEASURES FIRST(a.amount) AS began, LAST(b.ts) AS ended, MATCH_NUMBER() AS n
  ONE ROW PER MATCH PATTERN (a b+) DEFINE b AS b.amount > LAG(amount)
);
--> out.CUST <- O.CUST
--> out.began <= O.AMOUNT
--> out.ended <= O.TS
--> out.n <- ()

-- case: every_row_of_a_match
-- dialect: trino
-- table: o(cust int, amount int, ts timestamp)
SELECT m.ts, m.top, cust FROM o MATCH_RECOGNIZE (
  PARTITION BY cust ORDER BY ts MEASURES max(amount) AS top
  ALL ROWS PER MATCH PATTERN (a b+) DEFINE b AS amount > 1
) AS m;
--> out.ts <- o.ts
--> out.top <= o.amount
--> out.cust <- o.cust

-- case: an_unnested_struct_of_duckdb_shows_its_fields
-- dialect: duckdb
-- table: t(id int, s struct(a int, b struct(c int, d int)), l struct(e int)[])
SELECT unnest(s), unnest(l) FROM t;
SELECT id, unnest(s, recursive := true) AS unused, unnest(l, max_depth := 2) FROM t;
SELECT unnest(s, recursive := true, keep_parent_names := true) FROM t;
SELECT unnest({'f': id, 'g': 1}) FROM t;
--> @0 out.a <= t.s
--> @0 out.b <= t.s
--> @0 out.unnest(l) <= t.l
--> @1 out.id <- t.id
--> @1 out.a <= t.s
--> @1 out.c <= t.s
--> @1 out.d <= t.s
--> @1 out.e <= t.l
--> @2 out.a <= t.s
--> @2 out.b.c <= t.s
--> @2 out.b.d <= t.s
--> @3 out.f <= t.id
--> @3 out.g <- ()

-- case: an_unnested_array_of_postgres_is_called_like_the_function
-- dialect: postgres
-- table: t(id int, tags text[])
CREATE TABLE u AS SELECT id, unnest(tags) FROM t;
--> u.id <- t.id
--> u.unnest <= t.tags

-- case: the_fields_of_a_row_that_was_chosen
-- dialect: bigquery
-- table: ds.t(id int, ts timestamp, v int)
WITH newest AS (SELECT ARRAY_AGG(o ORDER BY ts DESC LIMIT 1)[OFFSET(0)] AS r FROM ds.t AS o GROUP BY id)
SELECT r.* EXCEPT (ts), r.v AS again FROM newest;
SELECT q.kept.v FROM (SELECT ANY_VALUE(o) AS kept FROM ds.t AS o GROUP BY id) AS q;
--> @0 out.id <= ds.t.id[AGGREGATION], ds.t.ts[SORT]
--> @0 out.v <= ds.t.v[AGGREGATION], ds.t.ts[SORT]
--> @0 out.again <= ds.t.v[AGGREGATION], ds.t.ts[SORT]
--> @1 out.v <= ds.t.v[AGGREGATION]

-- case: the_fields_of_a_row_of_a_table_that_nobody_knows
-- dialect: bigquery
WITH newest AS (SELECT ARRAY_AGG(o ORDER BY ts LIMIT 1)[OFFSET(0)] AS r FROM ds.t AS o GROUP BY id),
shown AS (SELECT r.* FROM newest)
SELECT name FROM shown;
--> out.name <- ds.t.name

-- case: a_struct_of_columns_keeps_them_apart
-- dialect: bigquery
-- table: ds.t(id int, v int)
WITH packed AS (SELECT STRUCT(id, v + 1 AS w, 'x' AS k) AS s FROM ds.t), handed AS (SELECT * FROM packed)
SELECT s.id, handed.s.w, s.k, s FROM handed;
SELECT s.* FROM (SELECT STRUCT(id, v AS w) AS s FROM ds.t);
--> @0 out.id <= ds.t.id
--> @0 out.w <= ds.t.v
--> @0 out.k <- ()
--> @0 out.s <= ds.t.id, ds.t.v
--> @1 out.id <= ds.t.id
--> @1 out.w <= ds.t.v

-- case: clickhouse_values_is_a_function_of_rows
-- dialect: clickhouse
SELECT c1, c2 FROM VALUES((1, 'a'), (2, 'b'));
SELECT * FROM values('x Int32, y Array(String)', (1, ['a']), (2, []));
SELECT * FROM values(1, 2);
--> @0 out.c1 <- ()
--> @0 out.c2 <- ()
--> @1 out.x <- ()
--> @1 out.y <- ()
--> @2 out.c1 <- ()
