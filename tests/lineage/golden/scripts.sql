-- Scripts: blocks, loops, cursors, routines with quoted bodies, batches without semicolons (spec 2.10, 2.15).

-- case: for_loop_query_is_a_statement
-- table: t(a int, b int)
BEGIN
  FOR r AS SELECT a, b FROM t DO
    SELECT 1 AS one;
  END FOR;
END;
--> stmt 0 SELECT reads t
--> stmt 1 SELECT
--> @0 out.a <- t.a
--> @0 out.b <- t.b
--> @1 out.one <- ()

-- case: loop_variable_carries_the_rows_of_its_query
-- table: t(a int, b int)
-- table: s(x int, y int)
BEGIN
  FOR r AS SELECT a, b + 1 AS c FROM t DO
    INSERT INTO s VALUES (r.a, r.c);
  END FOR;
END;
--> @0 out.a <- t.a
--> @0 out.c <= t.b
--> @1 s.x <- t.a
--> @1 s.y <= t.b

-- case: loop_columns_without_the_variable
-- table: t(a int)
-- table: s(x int)
BEGIN
  FOR SELECT a AS val FROM t DO
    INSERT INTO s VALUES (val);
  END FOR;
END;
--> @0 out.val <- t.a
--> @1 s.x <- t.a

-- case: nested_loops_see_both_variables
-- table: t(a int)
-- table: u(k int, b int)
-- table: s(x int, y int)
BEGIN
  outermost: FOR p AS SELECT a FROM t DO
    FOR q AS SELECT b FROM u WHERE k = p.a DO
      INSERT INTO s VALUES (p.a, q.b);
    END FOR;
  END FOR outermost;
END;
--> @0 out.a <- t.a
--> @1 out.b <- u.b
--> @2 s.x <- t.a
--> @2 s.y <- u.b

-- case: loop_variable_ends_with_its_loop
-- table: t(a int)
-- table: s(x int)
BEGIN
  FOR r AS SELECT a FROM t DO
    INSERT INTO s VALUES (r.a);
  END FOR;
  INSERT INTO s VALUES (r.a);
END;
--> @0 out.a <- t.a
--> @1 s.x <- t.a
--> @2 s.x <- ()
--> issue UNRESOLVED_REFERENCE @2

-- case: bigquery_for_in
-- dialect: bigquery
-- table: d.t(a int64)
-- table: d.s(x int64)
FOR r IN (SELECT a FROM d.t) DO
  INSERT INTO d.s (x) VALUES (r.a);
END FOR;
--> @0 out.a <- d.t.a
--> @1 d.s.x <- d.t.a

-- case: plsql_loop_over_a_query_and_a_cursor
-- dialect: oracle
-- table: T(A int)
-- table: U(B int)
-- table: S(X int)
DECLARE
  total NUMBER := 0;
  CURSOR c IS SELECT b FROM u;
BEGIN
  FOR r IN (SELECT a FROM t) LOOP
    INSERT INTO s (x) VALUES (r.a);
  END LOOP;
  FOR q IN c LOOP
    INSERT INTO s (x) VALUES (q.b + total);
  END LOOP;
END;
/
--> @0 out.b <- U.B
--> @1 out.a <- T.A
--> @2 S.X <- T.A
--> @3 S.X <= U.B
--> summary statementCount=4

-- case: counting_loop_has_no_query
-- dialect: oracle
-- table: S(X int)
BEGIN
  FOR i IN 1..10 LOOP
    INSERT INTO s (x) VALUES (i);
  END LOOP;
END;
--> S.X <- ()
--> summary statementCount=1

-- case: cursor_query_is_a_statement
-- table: t(a int)
BEGIN
  DECLARE x INT;
  DECLARE c CURSOR FOR SELECT a FROM t;
  OPEN c;
  FETCH c INTO x;
  CLOSE c;
END;
--> stmt 1 SELECT reads t
--> @1 out.a <- t.a

-- case: handlers_hold_statements
-- table: t(a int)
-- table: log(m string)
BEGIN
  DECLARE EXIT HANDLER FOR SQLEXCEPTION, NOT FOUND
  BEGIN
    INSERT INTO log VALUES ('failed');
  END;
  INSERT INTO t VALUES (1);
END;
--> @0 log.m <- ()
--> @1 t.a <- ()
--> summary statementCount=2

-- case: case_statements_hold_statements
-- table: t(a int)
-- table: s(x int)
BEGIN
  CASE
    WHEN 1 > 0 THEN INSERT INTO s SELECT a FROM t;
    ELSE DELETE FROM s;
  END CASE;
END;
--> stmt 0 INSERT reads t writes s
--> stmt 1 DELETE reads s writes s
--> @0 s.x <- t.a

-- case: variables_qualified_by_a_label
-- table: t(a int)
lbl: BEGIN
  DECLARE x INT DEFAULT 1;
  SELECT lbl.x AS v, a FROM t;
END lbl;
--> @1 out.v <- ()
--> @1 out.a <- t.a
--> node out.v metadata.dataType=int

-- case: script_blocks_without_begin
-- dialect: bigquery
-- table: d.t(a int64)
-- table: d.s(x int64)
IF 1 = 1 THEN
  INSERT INTO d.s (x) SELECT a FROM d.t;
END IF;
--> d.s.x <- d.t.a

-- case: plpgsql_body_is_analysed
-- dialect: postgres
-- table: t(a int, k int)
-- table: s(x int)
CREATE FUNCTION refill(wanted int) RETURNS void AS $$
DECLARE
  n int := 0;
BEGIN
  n := n + 1;
  INSERT INTO s (x) SELECT a + n FROM t WHERE k = wanted;
  RETURN;
END;
$$ LANGUAGE plpgsql;
SELECT x FROM s;
--> stmt 0 CREATE_FUNCTION
--> stmt 1 INSERT reads t writes s
--> @1 s.x <= t.a
--> @2 out.x <- s.x
--> summary statementCount=3

-- case: sql_function_body_that_writes_is_analysed
-- dialect: postgres
-- table: t(a int, k int)
-- table: s(x int)
CREATE FUNCTION refill(low int) RETURNS void LANGUAGE sql AS $body$ INSERT INTO s (x) SELECT a FROM t WHERE k > low $body$;
--> stmt 0 CREATE_FUNCTION
--> stmt 1 INSERT reads t writes s
--> @1 s.x <- t.a

-- case: sql_function_body_that_only_reads_is_a_value
-- dialect: postgres
-- table: t(a int, k int)
CREATE FUNCTION wanted(low int) RETURNS SETOF int LANGUAGE sql AS $body$ SELECT a FROM t WHERE k > low $body$;
--> stmt 0 CREATE_FUNCTION reads t
--> summary statementCount=1

-- case: do_block_is_analysed
-- dialect: postgres
-- table: t(a int)
-- table: s(x int)
DO $$
BEGIN
  FOR r IN SELECT a FROM t LOOP
    INSERT INTO s (x) VALUES (r.a);
  END LOOP;
END $$;
--> @1 out.a <- t.a
--> stmt 1 SELECT reads t
--> stmt 2 INSERT reads t writes s
--> @2 s.x <- t.a

-- case: select_into_a_variable_makes_no_table
-- dialect: postgres
-- table: t(a int)
CREATE PROCEDURE p() LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT max(a) INTO n FROM t;
END $$;
--> stmt 1 SELECT reads t
--> @1 out.max <= t.a[AGGREGATION]

-- case: snowflake_procedure_body
-- dialect: snowflake
-- table: T(A int)
-- table: S(X int)
CREATE OR REPLACE PROCEDURE p(lim INT) RETURNS VARCHAR LANGUAGE SQL AS
$$
DECLARE
  res RESULTSET;
BEGIN
  INSERT INTO s (x) SELECT a FROM t WHERE a < :lim;
  res := (SELECT a FROM t);
  RETURN 'done';
END;
$$;
--> stmt 0 CREATE_PROCEDURE
--> @1 S.X <- T.A
--> @2 out.a <- T.A
--> summary statementCount=3

-- case: a_body_in_another_language_says_so
-- dialect: snowflake
CREATE FUNCTION f(a INT) RETURNS INT LANGUAGE PYTHON HANDLER = 'f' AS
$$
def f(a):
    return a; SELECT 1
$$;
--> stmt 0 CREATE_FUNCTION
--> issue UNSUPPORTED_SYNTAX @0
--> summary statementCount=1

-- case: tsql_batch_without_semicolons
-- dialect: tsql
-- table: t(a int, b int)
-- table: s(x int)
DECLARE @n INT = 1
INSERT INTO s (x)
SELECT a FROM t WHERE b = @n
UPDATE s SET x = 0 WHERE x IS NULL
DELETE FROM t WHERE a = 1
SELECT x FROM s
--> stmt 0 DECLARE
--> stmt 1 INSERT reads t writes s
--> stmt 2 UPDATE reads s writes s
--> stmt 3 DELETE reads t writes t
--> stmt 4 SELECT reads s
--> @1 s.x <- t.a
--> @2 s.x <- ()
--> @4 out.x <- s.x

-- case: tsql_ctes_unions_and_merges_stay_whole
-- dialect: tsql
-- table: t(a int, b int)
-- table: s(x int, y int)
WITH c AS (SELECT a FROM t) INSERT INTO s (x) SELECT a FROM c UNION ALL SELECT b FROM t
MERGE INTO s USING t ON s.x = t.a
WHEN MATCHED THEN UPDATE SET y = t.b
WHEN NOT MATCHED THEN INSERT (x, y) VALUES (t.a, t.b)
WITH d AS (SELECT x FROM s) SELECT x FROM d
--> stmt 0 INSERT reads t writes s
--> stmt 1 MERGE reads s, t writes s
--> stmt 2 WITH reads s
--> @0 s.x <- t.a, t.b
--> @1 s.x <- t.a
--> @1 s.y <- t.b
--> @2 out.x <- s.x

-- case: tsql_conditions_and_blocks_without_semicolons
-- dialect: tsql
-- table: t(a int)
-- table: s(x int)
IF EXISTS (SELECT 1 FROM t)
BEGIN
  INSERT INTO s (x) SELECT a FROM t
  PRINT 'done'
END
ELSE
  DELETE FROM s
SELECT CASE WHEN x = 1 THEN 0 ELSE x END AS v FROM s
--> @0 out._col_0 <= t[ROW]
--> @1 s.x <- t.a
--> @4 out.v <= s.x
--> stmt 0 SELECT reads t
--> stmt 1 INSERT reads t writes s
--> stmt 3 DELETE reads s writes s
--> stmt 4 SELECT reads s

-- case: queries_in_conditions_are_statements
-- table: t(a int)
-- table: s(x int)
BEGIN
  DECLARE n INT DEFAULT 3;
  IF (SELECT max(a) FROM t) > n AND EXISTS (SELECT x FROM s) THEN
    DELETE FROM s;
  END IF;
  WHILE (SELECT min(x) AS x FROM s) > 0 DO
    UPDATE s SET x = x - 1;
  END WHILE;
END
--> stmt 0 DECLARE
--> stmt 1 SELECT reads t
--> stmt 2 SELECT reads s
--> stmt 3 DELETE reads s writes s
--> stmt 4 SELECT reads s
--> stmt 5 UPDATE reads s writes s
--> @1 out.max(a) <= t.a[AGGREGATION]
--> @2 out.x <- s.x
--> @4 out.x <= s.x[AGGREGATION]
--> @5 s.x <= s.x

-- case: values_of_variables_are_read
-- table: t(a int, b int)
DECLARE VARIABLE x INT DEFAULT (SELECT max(a) FROM t);
SET VARIABLE x = (SELECT min(b) FROM t WHERE a > x) + 1;
SET VARIABLE (x, y) = (SELECT a, b FROM t LIMIT 1);
SET spark.sql.shuffle.partitions = 4;
--> stmt 0 DECLARE reads t
--> stmt 1 SET reads t
--> stmt 2 SET reads t
--> stmt 3 SET

-- case: values_of_variables_are_read_in_tsql
-- dialect: tsql
-- table: t(a int)
DECLARE @n INT = (SELECT count(*) FROM t)
SET @n = (SELECT max(a) FROM t)
--> stmt 0 DECLARE reads t
--> stmt 1 SET reads t

-- case: tsql_procedure_without_semicolons
-- dialect: tsql
-- table: t(a int, k int)
-- table: s(x int)
CREATE PROCEDURE refill @k INT AS
SET NOCOUNT ON
INSERT INTO s (x) SELECT a FROM t WHERE k = @k
SELECT x FROM s
GO
SELECT a FROM t
--> @2 s.x <- t.a
--> @3 out.x <- s.x
--> @4 out.a <- t.a
--> stmt 0 CREATE_PROCEDURE
--> stmt 2 INSERT reads t writes s
--> stmt 3 SELECT reads s
--> stmt 4 SELECT reads t

-- case: tsql_words_that_do_not_begin_a_statement
-- dialect: tsql
-- table: t(a int, b int)
CREATE TABLE c (id INT REFERENCES t (a) ON DELETE CASCADE ON UPDATE SET NULL)
SELECT a FROM t ORDER BY a OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY
DROP TABLE IF EXISTS c
ALTER TABLE t DROP COLUMN b
TRUNCATE TABLE t
--> @1 out.a <- t.a
--> stmt 0 CREATE_TABLE writes c
--> stmt 1 SELECT reads t
--> stmt 2 DROP writes c
--> stmt 3 ALTER_TABLE writes t
--> stmt 4 TRUNCATE writes t

-- case: tsql_control_flow_leaves_no_statement
-- dialect: tsql
-- table: t(a int)
DECLARE c CURSOR LOCAL FOR SELECT a FROM t
OPEN c
FETCH NEXT FROM c INTO @a
WHILE @@FETCH_STATUS = 0
BEGIN
  FETCH NEXT FROM c INTO @a
  IF @a = 1 BREAK
  EXEC p @a
END
CLOSE c
DEALLOCATE c
--> stmt 0 SELECT reads t
--> stmt 1 CALL
--> @0 out.a <- t.a
--> summary statementCount=2

-- case: tsql_changes_of_the_first_rows
-- dialect: tsql
-- table: t(a int, b int)
UPDATE TOP (10) t SET a = b
DELETE TOP (5) PERCENT FROM t WHERE a = 1
--> stmt 0 UPDATE reads t writes t
--> stmt 1 DELETE reads t writes t
--> @0 t.a <- t.b

-- case: tsql_table_function_returns_a_query
-- dialect: tsql
-- table: t(a int)
CREATE FUNCTION f() RETURNS TABLE AS RETURN (SELECT a FROM t)
--> stmt 0 CREATE_FUNCTION
--> stmt 1 SELECT reads t
--> @1 out.a <- t.a

-- case: declared_names_beat_guessed_columns
-- dialect: postgres
CREATE PROCEDURE p(k int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE somewhere SET a = k;
END $$;
--> @1 somewhere.a <- ()

-- case: bigquery_blocks_begin_with_commands
-- dialect: bigquery
-- table: d.t(a int64)
-- table: d.s(x int64)
DECLARE n INT64 DEFAULT 0;
WHILE n < 3 DO
  INSERT INTO d.s (x) SELECT a FROM d.t WHERE a > n;
  SET n = n + 1;
END WHILE;
BEGIN
  CREATE TEMP TABLE w AS SELECT a FROM d.t;
EXCEPTION WHEN ERROR THEN
  DELETE FROM d.s WHERE true;
END;
--> stmt 0 DECLARE
--> stmt 1 INSERT reads d.t writes d.s
--> stmt 2 SET
--> stmt 3 CREATE_TABLE_AS reads d.t writes w
--> stmt 4 DELETE reads d.s writes d.s
--> @1 d.s.x <- d.t.a
--> @3 w.a <- d.t.a

-- case: mysql_delimiters_are_the_clients
-- dialect: mysql
-- table: t(a int, b int)
-- table: s(x int)
DELIMITER //
CREATE PROCEDURE p(IN k INT)
BEGIN
  DECLARE low, high INT DEFAULT 0;
  INSERT INTO s (x) SELECT a + low FROM t WHERE b = k;
END //
DELIMITER ;
SELECT x FROM s;
--> stmt 1 INSERT reads t writes s
--> @1 s.x <= t.a
--> @2 out.x <- s.x
--> summary statementCount=3

-- case: oracle_package_holds_routines
-- dialect: oracle
-- table: T(A int, ID int)
-- table: S(X int)
CREATE OR REPLACE PACKAGE BODY pkg AS
  PROCEDURE one (p_id IN NUMBER) IS
    v NUMBER;
  BEGIN
    SELECT a INTO v FROM t WHERE id = p_id;
    INSERT INTO s (x) VALUES (v);
  EXCEPTION
    WHEN OTHERS THEN DELETE FROM s;
  END one;
END pkg;
/
SELECT x FROM s;
--> stmt 0 CREATE_PACKAGE
--> stmt 3 DELETE reads S writes S
--> @1 out.a <- T.A
--> @2 S.X <- ()
--> @4 out.x <- S.X
--> summary statementCount=5

-- case: trino_inline_functions_belong_to_their_query
-- dialect: trino
-- table: t(a int)
WITH FUNCTION f(x INTEGER) RETURNS INTEGER BEGIN DECLARE y INTEGER DEFAULT 1; IF x = 0 THEN RETURN 0; END IF; RETURN x * y; END SELECT f(a) AS v FROM t;
SELECT a FROM t;
--> @0 out.v <= t.a
--> @1 out.a <- t.a
--> summary statementCount=2

-- case: try_and_catch_in_tsql
-- dialect: tsql
-- table: s(a int)
-- table: t(a int)
-- table: problems(message nvarchar)
CREATE PROCEDURE p AS
BEGIN
  BEGIN TRY
    INSERT INTO t SELECT a FROM s;
  END TRY
  BEGIN CATCH
    INSERT INTO problems SELECT ERROR_MESSAGE();
    RAISERROR('it failed', 16, 1);
    THROW;
  END CATCH;
END;
--> stmt 0 CREATE_PROCEDURE
--> stmt 1 INSERT reads s writes t
--> stmt 2 INSERT writes problems
--> @1 t.a <- s.a
--> @2 problems.message <- ()
--> summary statementCount=3

-- case: messages_in_tsql_are_commands_of_their_own
-- dialect: tsql
-- table: s(a int)
BEGIN CATCH PRINT 'it failed: ' + ERROR_MESSAGE(); PRINT @@ROWCOUNT SELECT a FROM s END CATCH
--> stmt 0 PRINT
--> stmt 1 PRINT
--> stmt 2 SELECT reads s
--> @2 out.a <- s.a

-- case: calls_in_a_block_of_oracle
-- dialect: oracle
-- table: S(A int)
-- table: T(A int)
CREATE FUNCTION pay(who NUMBER) RETURN NUMBER IS
BEGIN
  DBMS_OUTPUT.PUT_LINE('x');
  run_it(2);
  INSERT INTO t SELECT a FROM s WHERE a = who;
END;
--> stmt 0 CREATE_FUNCTION
--> stmt 1 CALL
--> stmt 2 CALL
--> stmt 3 INSERT reads S writes T
--> @3 T.A <- S.A

-- case: create_or_alter_is_one_statement
-- dialect: tsql
CREATE OR ALTER VIEW paid AS SELECT id, due AS total FROM bills
SELECT total FROM paid;
--> paid.id <- bills.id
--> paid.total <- bills.due
--> out.total <- paid.total
--> stmt 0 CREATE_VIEW reads bills writes paid
--> stmt 1 SELECT reads paid

-- case: the_rows_of_a_trigger_are_those_of_its_table
-- dialect: tsql
-- table: dbo.orders(id int, amount int, total int)
-- table: dbo.audit(id int, before int, after int)
CREATE TRIGGER kept ON dbo.orders AFTER INSERT, UPDATE AS BEGIN
  INSERT INTO dbo.audit (id, before, after)
  SELECT i.id, d.amount, i.amount FROM inserted i LEFT JOIN deleted d ON d.id = i.id;
  UPDATE o SET total = i.amount FROM dbo.orders o JOIN inserted i ON i.id = o.id;
END
GO
SELECT id FROM dbo.audit
--> @1 dbo.audit.id <- dbo.orders.id
--> @1 dbo.audit.before <- dbo.orders.amount
--> @1 dbo.audit.after <- dbo.orders.amount
--> @2 dbo.orders.total <- dbo.orders.amount
--> @3 out.id <- dbo.audit.id
--> stmt 0 CREATE_TRIGGER
--> stmt 1 INSERT reads dbo.orders writes dbo.audit

-- case: a_trigger_for_each_row
-- dialect: sqlite
-- table: orders(id int)
-- table: audit(id int)
CREATE TRIGGER kept AFTER INSERT ON orders FOR EACH ROW BEGIN INSERT INTO audit (id) VALUES (NEW.id); END;
SELECT id FROM audit;
--> stmt 0 CREATE_TRIGGER
--> @1 audit.id <- orders.id
--> stmt 1 INSERT reads orders writes audit
--> @2 out.id <- audit.id

-- case: a_trigger_of_one_statement
-- dialect: mysql
-- table: orders(id int)
-- table: audit(id int)
CREATE TRIGGER kept AFTER INSERT ON orders FOR EACH ROW INSERT INTO audit (id) VALUES (NEW.id);
SELECT id FROM audit;
--> stmt 0 CREATE_TRIGGER
--> @1 audit.id <- orders.id
--> stmt 1 INSERT reads orders writes audit
--> @2 out.id <- audit.id

-- case: the_row_of_an_oracle_trigger
-- dialect: oracle
-- table: ORDERS(ID int, AMOUNT int)
-- table: AUDIT(ID int, AMOUNT int)
CREATE OR REPLACE TRIGGER kept BEFORE UPDATE ON orders FOR EACH ROW
BEGIN
  INSERT INTO audit (id, amount) VALUES (:NEW.id, :OLD.amount + 1);
END;
/
--> stmt 0 CREATE_TRIGGER
--> @1 AUDIT.ID <- ORDERS.ID
--> @1 AUDIT.AMOUNT <= ORDERS.AMOUNT
--> stmt 1 INSERT reads ORDERS writes AUDIT

-- case: what_a_task_and_a_pipe_run
-- dialect: snowflake
-- table: T(ID int, V string)
-- table: S(ID int, V string)
CREATE OR REPLACE TASK copying WAREHOUSE = small SCHEDULE = '5 MINUTE' WHEN SYSTEM$STREAM_HAS_DATA('x') AS
INSERT INTO s (id, v) SELECT id, v FROM t;
CREATE PIPE loading AUTO_INGEST = TRUE AS COPY INTO s (v, id) FROM (SELECT $1, f.$2 FROM @stage/path f);
SELECT id FROM s;
--> stmt 0 CREATE_TASK
--> stmt 1 INSERT reads T writes S
--> @1 S.ID <- T.ID
--> @1 S.V <- T.V
--> stmt 2 CREATE_PIPE
--> stmt 3 COPY reads @stage/path writes S
--> @3 S.V <= @stage/path.$1
--> @3 S.ID <- @stage/path.$2
--> @4 out.id <- S.ID

-- case: a_trigger_sets_the_row_that_changes
-- dialect: mysql
-- table: items(price int, qty int, total int, note text)
-- table: rates(item int, factor int)
CREATE TRIGGER priced BEFORE INSERT ON items FOR EACH ROW SET NEW.total = NEW.price * NEW.qty;
CREATE TRIGGER kept BEFORE UPDATE ON items FOR EACH ROW BEGIN
  DECLARE factor INT;
  SET factor = 2, NEW.qty = OLD.price, NEW.price = NEW.price + factor;
  IF NEW.qty > 0 THEN
    SET NEW.total = (SELECT max(factor) FROM rates WHERE item = NEW.qty);
  END IF;
END;
--> stmt 0 CREATE_TRIGGER
--> stmt 1 SET reads items writes items
--> @1 items.total <= items.price, items.qty
--> stmt 2 CREATE_TRIGGER
--> stmt 3 SET
--> @4 items.qty <- items.price
--> @5 items.price <= items.price
--> stmt 6 SET reads items, rates writes items
--> @6 items.total <= rates.factor

-- case: an_oracle_trigger_sets_the_row_that_changes
-- dialect: oracle
-- table: ITEMS(PRICE int, QTY int, TOTAL int)
-- table: RATES(ITEM int, LOW int, HIGH int)
CREATE OR REPLACE TRIGGER priced BEFORE INSERT ON items FOR EACH ROW
BEGIN
  :NEW.total := :NEW.price * :OLD.qty;
  SELECT low, high + 1 INTO :NEW.price, :NEW.qty FROM rates WHERE item = :NEW.qty;
END;
/
--> stmt 0 CREATE_TRIGGER
--> stmt 1 SET reads ITEMS writes ITEMS
--> @1 ITEMS.TOTAL <= ITEMS.PRICE, ITEMS.QTY
--> stmt 2 SET reads ITEMS, RATES writes ITEMS
--> @2 ITEMS.PRICE <= RATES.LOW
--> @2 ITEMS.QTY <= RATES.HIGH

-- case: a_function_of_postgres_is_run_by_a_trigger
-- dialect: postgres
-- table: items(price int, qty int, total int)
-- table: audit(was int)
CREATE FUNCTION priced() RETURNS trigger AS $$
BEGIN
  NEW.total := NEW.price * NEW.qty;
  INSERT INTO audit (was) VALUES (OLD.total);
  RETURN NEW;
END $$ LANGUAGE plpgsql;
CREATE TRIGGER pricing BEFORE UPDATE ON items FOR EACH ROW EXECUTE FUNCTION priced();
--> stmt 0 CREATE_FUNCTION
--> @1 items.total <= items.price, items.qty
--> stmt 2 INSERT reads items writes audit
--> @2 audit.was <- items.total
--> stmt 3 CREATE_TRIGGER

-- case: the_row_of_a_function_that_nobody_runs_is_a_value
-- dialect: postgres
-- table: audit(was int)
CREATE FUNCTION kept() RETURNS trigger AS $$
BEGIN
  INSERT INTO audit (was) VALUES (OLD.total);
  RETURN NEW;
END $$ LANGUAGE plpgsql;
--> stmt 1 INSERT writes audit
--> @1 audit.was <- ()

-- case: snowflake_loops_over_cursors_and_result_sets_declared_on_the_way
-- dialect: snowflake
-- table: ORDERS(ID int, V int)
-- table: LOG(X int)
DECLARE
  early RESULTSET DEFAULT (SELECT v FROM orders);
BEGIN
  LET c CURSOR FOR SELECT id FROM orders;
  FOR r IN c DO
    INSERT INTO log VALUES (r.id);
  END FOR;
  LET over_early CURSOR FOR early;
  FOR r IN over_early DO
    INSERT INTO log VALUES (r.v);
  END FOR;
  LET late RESULTSET := (SELECT id + v AS s FROM orders);
  FOR r IN late DO
    INSERT INTO log VALUES (r.s);
  END FOR;
END;
--> partial
--> stmt 1 SELECT reads ORDERS
--> @2 LOG.X <- ORDERS.ID
--> @3 LOG.X <- ORDERS.V
--> @5 LOG.X <= ORDERS.ID, ORDERS.V

-- case: tsql_function_that_fills_a_table
-- dialect: tsql
-- table: t(a int, b int)
CREATE FUNCTION dbo.both(@least int) RETURNS @rows TABLE (x int NOT NULL, y decimal(9, 2), PRIMARY KEY (x))
AS BEGIN
  INSERT INTO @rows SELECT a, b FROM t WHERE a > @least;
  UPDATE @rows SET y = 0 WHERE x = 1;
  RETURN;
END;
GO
SELECT f.* FROM dbo.both(1) AS f;
--> partial
--> @1 @rows.x <- t.a
--> @1 @rows.y <- t.b
--> @3 out.x <- ()
--> @3 out.y <- ()

-- case: what_do_does_may_have_words_and_comments_around_it
-- dialect: postgres
-- table: t(a int)
-- table: s(x int)
DO $$ BEGIN INSERT INTO s (x) SELECT a FROM t; END $$ ;
DO $body$ BEGIN INSERT INTO s (x) SELECT a + 1 FROM t; END $body$ LANGUAGE plpgsql;
DO LANGUAGE 'plpgsql' $$ BEGIN INSERT INTO s (x) SELECT a + 2 FROM t; END $$ -- done
;
--> @1 s.x <- t.a
--> @3 s.x <= t.a
--> @5 s.x <= t.a

-- case: cells_of_a_databricks_notebook
-- dialect: databricks
-- table: t(a int)
CREATE TEMP VIEW halves AS SELECT a % 2 AS m FROM t

-- COMMAND ----------

%python
display(spark.table("halves")) # not; SQL

-- COMMAND ----------

%sql
SELECT m FROM halves
--> @0 halves.m <= t.a
--> @1 out.m <- halves.m
--> no issue PARSE_ERROR

-- case: a_task_of_starrocks_is_what_it_runs
-- dialect: starrocks
-- table: s(a int)
SUBMIT TASK nightly AS INSERT INTO t (b) SELECT a FROM s;
--> t.b <- s.a
--> issue UNKNOWN_TABLE relation=t

-- case: functions_declared_for_one_query
-- dialect: athena
-- table: t(a varchar)
USING EXTERNAL FUNCTION f(x VARCHAR) RETURNS VARCHAR LAMBDA 'name' SELECT f(a) AS b FROM t;
--> out.b <= t.a

-- case: a_directory_is_overwritten_behind_a_with
-- table: t(a int)
WITH c AS (SELECT a FROM t) INSERT OVERWRITE DIRECTORY '/out' USING csv OPTIONS (sep '|') SELECT /*+ COALESCE(1) */ a FROM c;
--> /out.a <- t.a
--> stmt 0 INSERT_OVERWRITE reads t writes /out

-- case: a_field_of_a_variable_is_no_column
-- dialect: bigquery
DECLARE p STRUCT<days ARRAY<DATE>, least INT64>;
SELECT a, b + p.least AS c FROM d.s WHERE day IN UNNEST(p.days);
--> @1 out.a <- d.s.a
--> @1 out.c <= d.s.b
--> schema d.s(day, a, b, ...) implied usage
-- case: the_body_of_a_function_of_snowflake_may_be_a_value
-- dialect: snowflake
-- table: t(c int)
-- table: u(a int)
CREATE FUNCTION plus(p INT) RETURNS INT AS $$ p + (SELECT MAX(a) FROM u) $$;
CREATE FUNCTION named(n VARCHAR) RETURNS VARCHAR AS 'UPPER(n)';
SELECT plus(c) AS z, named('x') AS w FROM t;
--> stmt 0 CREATE_FUNCTION reads U
--> @2 out.z <= T.C, U.A
--> @2 out.w <- ()
--> no issues
