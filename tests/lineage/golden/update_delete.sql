-- UPDATE, DELETE and TRUNCATE (spec 2.10).

-- case: update_from_own_columns
-- table: t(a int, b int)
UPDATE t SET a = b + 1 WHERE b > 0;
--> t.a <= t.b
--> stmt 0 UPDATE reads t writes t

-- case: update_from_another_table
-- dialect: postgres
-- table: s(id int, v int)
-- table: t(id int, v int)
UPDATE t SET v = s.v FROM s WHERE t.id = s.id;
--> t.v <- s.v
--> stmt 0 UPDATE reads s, t writes t

-- case: update_with_a_scalar_subquery
-- table: s(id int, v int)
-- table: t(id int, v int)
UPDATE t SET v = (SELECT max(s.v) FROM s WHERE s.id = t.id);
--> t.v <= s.v[AGGREGATION]
--> stmt 0 UPDATE reads s, t writes t

-- case: update_with_a_tuple_subquery
-- dialect: postgres
-- table: s(id int, x int, y int)
-- table: t(id int, a int, b int)
UPDATE t SET (a, b) = (SELECT s.x, s.y FROM s);
--> t.a <= s.x
--> t.b <= s.y

-- case: tsql_alias_target
-- dialect: tsql
-- table: s(id int, v int)
-- table: t(id int, v int)
UPDATE x SET v = s.v FROM t AS x JOIN s ON x.id = s.id;
--> t.v <- s.v
--> stmt 0 UPDATE reads s, t writes t

-- case: mysql_multi_table
-- dialect: mysql
-- table: s(id int, v int)
-- table: t(id int, v int)
UPDATE t JOIN s ON t.id = s.id SET t.v = s.v;
--> t.v <- s.v
--> stmt 0 UPDATE reads s, t writes t

-- case: update_to_a_literal
-- table: t(a int)
UPDATE t SET a = 0;
--> stmt 0 UPDATE reads t writes t

-- case: update_unknown_column
-- table: t(a int, b int)
UPDATE t SET c = b;
--> t.c <- t.b?
--> issue UNKNOWN_COLUMN column=c

-- case: update_with_cte
-- dialect: postgres
-- table: s(id int, v int)
-- table: t(id int, v int)
WITH c AS (SELECT id, v * 2 AS w FROM s) UPDATE t SET v = c.w FROM c WHERE c.id = t.id;
--> t.v <= s.v

-- case: delete
-- table: t(a int)
DELETE FROM t WHERE a = 1;
--> stmt 0 DELETE reads t writes t

-- case: delete_using
-- dialect: postgres
-- table: s(id int)
-- table: t(id int)
DELETE FROM t USING s WHERE t.id = s.id;
--> t <- s[DELETE]
--> stmt 0 DELETE reads s, t writes t

-- case: delete_with_a_subquery
-- table: s(id int)
-- table: t(id int)
DELETE FROM t WHERE id IN (SELECT id FROM s);
--> t <- s[DELETE]
--> stmt 0 DELETE reads s, t writes t

-- case: truncate_only_writes
-- table: t(a int)
TRUNCATE TABLE t;
--> stmt 0 TRUNCATE writes t

-- case: compound_assignment_in_tsql
-- dialect: tsql
-- table: s(id int, v int)
-- table: t(id int, v int)
UPDATE x SET x.v += s.v FROM t AS x JOIN s ON x.id = s.id;
--> t.v <= t.v, s.v

-- case: delete_without_from
-- dialect: bigquery
DELETE shop.carts AS c WHERE c.owner IN (SELECT owner FROM shop.gone);
--> shop.carts <- shop.gone[DELETE]
--> stmt 0 DELETE reads shop.carts, shop.gone writes shop.carts

-- case: delete_lists_the_sources_that_lose_rows
-- dialect: mysql
DELETE b, c FROM orders AS a JOIN lines AS b ON b.o = a.o JOIN notes AS c ON c.o = a.o WHERE a.void;
--> lines <- orders[DELETE]
--> notes <- orders[DELETE]
--> stmt 0 DELETE reads lines, notes, orders writes lines, notes

-- case: delete_names_an_alias_of_its_using_clause
-- dialect: mysql
DELETE FROM b USING orders AS a JOIN lines AS b ON b.o = a.o;
--> lines <- orders[DELETE]
--> stmt 0 DELETE reads lines, orders writes lines

-- case: output_into_fills_a_second_table
-- dialect: tsql
UPDATE dbo.prices SET amount = s.amount OUTPUT deleted.amount, inserted.amount INTO dbo.price_log (was, becomes) FROM dbo.staged AS s WHERE s.id = prices.id;
DELETE FROM dbo.prices OUTPUT deleted.id INTO #gone WHERE amount = 0;
--> @0 dbo.prices.amount <- dbo.staged.amount
--> @0 dbo.price_log.was <- dbo.prices.amount
--> @0 dbo.price_log.becomes <- dbo.prices.amount
--> @1 #gone.id <- dbo.prices.id
--> stmt 0 UPDATE reads dbo.prices, dbo.staged writes dbo.price_log, dbo.prices
--> stmt 1 DELETE reads dbo.prices writes #gone, dbo.prices

-- case: a_change_through_a_cte_changes_the_table_behind_it
-- dialect: tsql
WITH twins AS (SELECT id, ROW_NUMBER() OVER (PARTITION BY mail ORDER BY id) AS n FROM dbo.people) DELETE FROM twins WHERE n > 1;
WITH ranked AS (SELECT place AS p, score FROM dbo.people) UPDATE ranked SET p = score * 2;
--> @1 dbo.people.place <= dbo.people.score
--> stmt 0 DELETE reads dbo.people writes dbo.people
--> stmt 1 UPDATE reads dbo.people writes dbo.people

-- case: a_change_through_a_derived_table
-- dialect: tsql
UPDATE v SET total = s.total FROM (SELECT id, total FROM dbo.bills WHERE open_ = 1) AS v JOIN dbo.sums AS s ON s.id = v.id;
--> dbo.bills.total <- dbo.sums.total
--> stmt 0 UPDATE reads dbo.bills, dbo.sums writes dbo.bills

-- case: default_is_no_column
UPDATE t SET a = DEFAULT, b = c WHERE d = 1;
--> t.a <- ()
--> t.b <- t.c
--> schema t(a, b, c, d, ...) implied usage

-- case: duckdb_returns_the_rows_of_the_target
-- dialect: duckdb
-- table: t(a int, b int)
-- table: s(x int, y int)
UPDATE t SET b = s.y FROM s WHERE t.a = s.x RETURNING *;
--> t.b <- s.y
--> out.a <- t.a
--> out.b <- t.b
--> no issues
-- case: returning_knows_the_alias_of_the_updated_table
-- dialect: postgres
-- table: t(a int, b int)
UPDATE t AS n SET b = a + 1 WHERE n.a > 0 RETURNING n.b;
--> t.b <= t.a
--> out.b <- t.b
-- case: teradata_update_names_its_sources_first
-- dialect: teradata
-- table: t(a int, b int)
-- table: u(id int, n int)
UPDATE t FROM u SET a = u.n WHERE t.b = u.id;
--> t.a <- u.n
--> stmt 0 UPDATE reads t, u writes t

-- case: clickhouse_mutation_is_an_update
-- dialect: clickhouse
-- table: t(a int, b int)
ALTER TABLE t ON CLUSTER main UPDATE a = b + 1 WHERE b > 0;
--> t.a <= t.b
--> stmt 0 UPDATE reads t writes t

-- case: tsql_limited_changes
-- dialect: tsql
-- table: t(a int)
-- table: u(id int)
DELETE TOP (10) FROM t;
DELETE TOP (5) PERCENT t WHERE a IN (SELECT id FROM u);
UPDATE TOP (1) t SET a = 2;
--> stmt 0 DELETE reads t writes t
--> stmt 1 DELETE reads t, u writes t
--> stmt 2 UPDATE reads t writes t
--> @2 t.a <- ()
--> partial

-- case: redshift_delete_using_without_from
-- dialect: redshift
-- table: t(a int)
-- table: u(id int)
DELETE t USING u WHERE t.a = u.id;
--> stmt 0 DELETE reads t, u writes t
--> t <- u[DELETE]

-- case: a_table_changes_through_a_query_of_two
-- dialect: oracle
-- table: t(id int, v int)
-- table: s(id int, x int)
UPDATE (SELECT t.v AS old_v, s.x AS new_v FROM t JOIN s ON t.id = s.id) SET old_v = new_v + 1;
--> T.V <= S.X
--> stmt 0 UPDATE reads T, S writes T

-- case: rows_go_through_a_query
-- dialect: oracle
-- table: t(id int, v int)
DELETE FROM (SELECT * FROM t WHERE id > 1);
--> stmt 0 DELETE reads T writes T

-- case: rows_are_merged_through_a_query
-- dialect: oracle
-- table: t(id int, v int)
-- table: s(id int, x int)
MERGE INTO (SELECT * FROM t WHERE id > 1) d USING s ON (d.id = s.id) WHEN MATCHED THEN UPDATE SET d.v = s.x;
--> T.V <- S.X[MERGE_UPDATE]

-- case: rows_come_through_a_query
-- dialect: oracle
-- table: t(id int, v int)
-- table: s(id int, x int)
INSERT INTO (SELECT v, id FROM t WHERE id > 1 WITH CHECK OPTION) SELECT x, id FROM s;
--> T.V <- S.X
--> T.ID <- S.ID
