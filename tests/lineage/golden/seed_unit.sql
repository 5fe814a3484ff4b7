-- The unit test list of the schema handling contract, bullet by bullet.

-- case: SEED-U-capture-from-ctas
CREATE TABLE totals AS SELECT customer, sum(amount) AS total FROM orders GROUP BY customer;
SELECT total FROM totals;
--> totals.customer <- orders.customer
--> totals.total <= orders.amount[AGGREGATION]
--> @1 out.total <- totals.total
--> schema orders(customer, amount, ...) implied usage
--> schema totals(customer, total) implied table ddl @0

-- case: SEED-U-capture-from-create-view
CREATE VIEW names AS SELECT id, upper(name) AS name FROM people;
SELECT * FROM names;
--> names.id <- people.id
--> names.name <= people.name
--> @1 out.id <- names.id
--> @1 out.name <- names.name
--> schema names(id, name) implied view ddl @0
--> schema people(id, name, ...) implied usage

-- case: SEED-U-capture-from-column-list
CREATE TABLE orders (id BIGINT, amount DECIMAL(9,2), placed_at TIMESTAMP);
SELECT * FROM orders;
--> @1 out.id <- orders.id
--> @1 out.amount <- orders.amount
--> @1 out.placed_at <- orders.placed_at
--> schema orders(id bigint, amount decimal(9,2), placed_at timestamp) implied table ddl @0

-- case: SEED-U-create-or-replace-replaces
CREATE TABLE t (a INT, b INT);
CREATE OR REPLACE TABLE t (c INT);
SELECT * FROM t;
--> @2 out.c <- t.c
--> schema t(c int) implied @1

-- case: SEED-U-create-or-replace-view-replaces
CREATE VIEW v AS SELECT a FROM s;
CREATE OR REPLACE VIEW v AS SELECT b, c FROM s;
SELECT * FROM v;
--> @0 v.a <- s.a
--> @1 v.b <- s.b
--> @1 v.c <- s.c
--> @2 out.b <- v.b
--> @2 out.c <- v.c
--> schema s(a, b, c, ...) implied usage
--> schema v(b, c) implied view @1

-- case: SEED-U-temporary-table
-- dialect: postgres
CREATE TEMPORARY TABLE scratch (id INT);
CREATE TEMP TABLE scratch_two AS SELECT id FROM scratch;
SELECT * FROM scratch_two;
--> scratch_two.id <- scratch.id
--> @2 out.id <- scratch_two.id
--> schema scratch(id int) implied temporary @0
--> schema scratch_two(id) implied temporary @1

-- case: SEED-U-imported-precedence
-- table: t(a int)
CREATE OR REPLACE TABLE t AS SELECT b FROM s;
SELECT a FROM t;
--> t.b <- s.b
--> @1 out.a <- t.a
--> issue UNKNOWN_TABLE @0 relation=s
--> issue SCHEMA_CONFLICT @0 relation=t
--> column t.a origin=imported

-- case: SEED-U-no-conflict-when-equal
-- table: t(a int, b string)
CREATE TABLE t (b STRING, a INT);
SELECT * FROM t;
--> @1 out.a <- t.a
--> @1 out.b <- t.b
--> no issue SCHEMA_CONFLICT
--> schema t(a int, b string) imported

-- case: SEED-U-conflict-by-missing-column
-- table: t(a int, b int)
CREATE TABLE t (a INT);
SELECT * FROM t;
--> @1 out.a <- t.a?
--> @1 out.b <- t.b?
--> issue SCHEMA_CONFLICT @0 relation=t

-- case: SEED-U-conflict-by-type
-- table: t(a int)
CREATE TABLE t (a STRING);
SELECT * FROM t;
--> @1 out.a <- t.a?
--> issue SCHEMA_CONFLICT @0 relation=t
--> schema t(a int) imported

-- case: SEED-U-conflict-leaves-named-columns-exact
-- table: t(a int)
CREATE TABLE t (a INT, b INT);
SELECT a FROM t;
--> @1 out.a <- t.a
--> issue SCHEMA_CONFLICT @0 relation=t

-- case: SEED-U-implied-fills-gaps
-- table: known(a int)
CREATE TABLE fresh (b INT);
SELECT known.*, fresh.* FROM known CROSS JOIN fresh;
--> @1 out.a <- known.a
--> @1 out.b <- fresh.b
--> schema fresh(b int) implied @0
--> schema known(a int) imported

-- case: SEED-U-allow-implied-false-captures-nothing
-- table: known(a int)
-- schema: {"allowImplied": false}
CREATE TABLE fresh (b INT);
SELECT a FROM known;
--> @1 out.a <- known.a
--> schema known(a int) imported

-- case: SEED-U-star-full
-- table: t(a int, b int)
SELECT * FROM t;
--> out.a <- t.a
--> out.b <- t.b
--> no issue APPROXIMATE_LINEAGE

-- case: SEED-U-star-partial
-- table: t(a int, b int, ...)
SELECT * FROM t;
--> out.a <- t.a?
--> out.b <- t.b?
--> issue APPROXIMATE_LINEAGE severity=info relation=t

-- case: SEED-U-star-none
SELECT * FROM t;
--> out <- t?
--> issue APPROXIMATE_LINEAGE severity=warning relation=t

-- case: SEED-U-drop-removes-the-implied-entry
CREATE TABLE t (a INT);
DROP TABLE t;
CREATE TABLE u (b INT);
--> schema u(b int) implied @2
