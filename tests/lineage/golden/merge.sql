-- MERGE (spec 2.10).

-- case: update_and_insert
-- table: s(id int, v int)
-- table: t(id int, v int)
MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET t.v = s.v
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v);
--> t.v <- s.v[MERGE_UPDATE]
--> t.id <- s.id[MERGE_INSERT]
--> stmt 0 MERGE reads s, t writes t

-- case: target_self_reference_is_real
-- table: s(id int, v int)
-- table: t(id int, v int)
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v + s.v;
--> t.v <= t.v, s.v

-- case: update_star
-- table: s(id int, v int)
-- table: t(id int, v int)
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
--> t.id <- s.id
--> t.v <- s.v

-- case: star_from_an_unknown_source
-- table: t(id int, v int)
-- options: {"unknownTablePolicy": "never"}
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *;
--> t.id <- s.id?
--> t.v <- s.v?

-- case: subquery_source
-- table: raw(k int, amount int)
-- table: t(id int, total int)
MERGE INTO t USING (SELECT k AS id, sum(amount) AS total FROM raw GROUP BY k) AS s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET total = s.total
WHEN NOT MATCHED THEN INSERT (id, total) VALUES (s.id, s.total);
--> t.id <- raw.k
--> t.total <= raw.amount

-- case: delete_is_table_level
-- table: s(id int, gone boolean)
-- table: t(id int)
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.gone THEN DELETE;
--> t <- s
--> stmt 0 MERGE reads s, t writes t

-- case: literal_values
-- table: s(id int)
-- table: t(id int, state string)
MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET state = 'old'
WHEN NOT MATCHED THEN INSERT (id, state) VALUES (s.id, 'new');
--> t.id <- s.id

-- case: not_matched_by_source
-- table: s(id int, v int)
-- table: t(id int, v int, live boolean)
MERGE INTO t USING s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET live = false;
--> t.v <- s.v

-- case: aliases
-- table: s(id int, v int)
-- table: t(id int, v int)
MERGE INTO t AS target USING s AS source ON target.id = source.id
WHEN MATCHED THEN UPDATE SET target.v = source.v;
--> t.v <- s.v

-- case: insert_without_a_column_list
-- dialect: postgres
-- table: s(id int, v int)
-- table: t(a int, b int)
MERGE INTO t USING s ON t.a = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
--> t.a <- s.id
--> t.b <- s.v

-- case: insert_values_bind_to_the_source
-- dialect: bigquery
-- table: d.s(id int64, v int64)
-- table: d.t(id int64, v int64)
MERGE INTO d.t AS target USING d.s AS source ON target.id = source.id
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (id, v);
--> d.t.id <- d.s.id
--> d.t.v <- d.s.v

-- case: insert_row
-- dialect: bigquery
-- table: d.s(id int64, v int64)
-- table: d.t(id int64, v int64)
MERGE INTO d.t USING d.s ON d.t.id = d.s.id WHEN NOT MATCHED THEN INSERT ROW;
--> d.t.id <- d.s.id
--> d.t.v <- d.s.v

-- case: insert_row_goes_by_position
-- dialect: bigquery
-- table: s(id int64, w int64, x int64)
-- table: t(id int64, v int64)
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT ROW;
--> t.id <- s.id
--> t.v <- s.w
--> issue COLUMN_COUNT_MISMATCH

-- case: a_star_writes_no_column_that_the_target_has_not
-- table: s(id int, v int, more int)
-- table: t(id int, v int)
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *;
--> t.id <- s.id
--> t.v <- s.v
--> t.more <- s.more?
--> issue UNKNOWN_COLUMN

-- case: a_star_writes_new_columns_where_the_schema_evolves
-- dialect: databricks
-- table: s(id int, v int, more int)
-- table: t(id int, v int)
MERGE WITH SCHEMA EVOLUTION INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *;
--> t.id <- s.id
--> t.v <- s.v
--> t.more <- s.more

-- case: oracle_updates_and_deletes_in_one_clause
-- dialect: oracle
-- options: {"includeIndirect": true}
-- table: t(id int, x int)
-- table: s(id int, x int, gone int)
MERGE INTO t USING s ON (t.id = s.id)
WHEN MATCHED THEN UPDATE SET t.x = s.x WHERE s.x > 1 DELETE WHERE s.gone = 1 OR t.x > 9
WHEN NOT MATCHED THEN INSERT (id, x) VALUES (s.id, s.x) WHERE s.gone = 0;
--> T.X <- S.X[MERGE_UPDATE], S.X[MERGE_INSERT]
--> T.ID <- S.ID[MERGE_INSERT]
--> T <~ S.ID[JOIN]
--> T <~ T.ID[JOIN]
--> T <~ S.X[FILTER]
--> T <~ S.GONE[FILTER]
--> T <~ T.X[FILTER]
--> stmt 0 MERGE reads S, T writes T

-- case: conditions_of_unmatched_rows_see_one_side
-- dialect: bigquery
-- options: {"includeIndirect": true}
MERGE shop.stock t USING shop.arrivals s ON t.sku = s.sku
WHEN NOT MATCHED AND fresh THEN INSERT (sku, qty) VALUES (sku, qty)
WHEN NOT MATCHED BY SOURCE AND stale THEN UPDATE SET qty = 0;
--> shop.stock.sku <- shop.arrivals.sku[MERGE_INSERT]
--> shop.stock.qty <- shop.arrivals.qty[MERGE_INSERT]
--> shop.stock <~ shop.arrivals.fresh[FILTER]
--> shop.stock <~ shop.stock.stale[FILTER]
--> shop.stock <~ shop.arrivals.sku[JOIN]
--> shop.stock <~ shop.stock.sku[JOIN]

-- case: a_constant_of_a_merge_is_one_per_row_of_a_known_source
-- table: o(id int, note string)
-- table: p(id int)
MERGE INTO o USING p ON o.id = p.id WHEN MATCHED THEN UPDATE SET note = 'x';
--> o.note <= p[ROW]

-- case: duckdb_merges_rows_by_position
-- dialect: duckdb
-- table: t(a int, b int)
-- table: s(x int, y int)
MERGE INTO t USING s ON t.a = s.x WHEN MATCHED THEN UPDATE WHEN NOT MATCHED THEN INSERT *;
--> t.a <- s.x
--> t.b <- s.y
--> no issues

-- case: duckdb_merges_rows_by_name_where_it_is_told_to
-- dialect: duckdb
-- table: t(a int, b int)
-- table: s(b int, a int)
MERGE INTO t USING s USING (a) WHEN MATCHED THEN UPDATE BY NAME WHEN NOT MATCHED THEN INSERT BY NAME;
--> t.a <- s.a
--> t.b <- s.b
--> no issues

-- case: duckdb_merges_by_position_where_it_is_told_to
-- dialect: duckdb
-- table: t(a int, b int)
-- table: s(x int, y int)
MERGE INTO t USING s ON a = x WHEN MATCHED THEN UPDATE BY POSITION WHEN NOT MATCHED THEN INSERT BY POSITION *;
--> t.a <- s.x
--> t.b <- s.y
--> no issues

-- case: what_a_merge_of_duckdb_returns
-- dialect: duckdb
-- table: t(a int, b int)
-- table: s(x int, y int)
MERGE INTO t USING s ON a = x WHEN MATCHED THEN UPDATE SET b = y RETURNING merge_action, *;
--> t.b <- s.y
--> out.merge_action <- t.merge_action
--> out.a <- t.a
--> out.b <- t.b
--> no issues

-- case: duckdb_inserts_by_name_alone
-- dialect: duckdb
-- table: t(a int, b int)
-- table: s(b int, a int)
MERGE INTO t USING s USING (a) WHEN NOT MATCHED THEN INSERT BY NAME;
MERGE INTO t USING s USING (a) WHEN NOT MATCHED THEN INSERT BY NAME *;
--> @0 t.a <- s.a
--> @0 t.b <- s.b
--> @1 t.a <- s.a
--> @1 t.b <- s.b
--> no issues
-- case: returning_knows_the_alias_of_the_merged_table
-- dialect: postgres
-- table: t(a int, b int, c int)
-- table: s(x int, y int)
MERGE INTO t AS n USING s ON n.a = s.x
WHEN MATCHED THEN UPDATE SET b = s.y
WHEN NOT MATCHED THEN INSERT VALUES (s.x, s.y)
RETURNING n.b, s.x;
--> t.a <- s.x
--> t.b <- s.y
--> out.b <- t.b
--> out.x <- s.x
