-- The integration list of the schema handling contract.

-- case: SEED-G-resolved-schema-has-origins-and-times
-- table: users(id int)
CREATE TABLE orders (user_id INT);
SELECT users.id FROM users JOIN orders ON users.id = orders.user_id;
--> @1 out.id <- users.id
--> @1 out <+ orders
--> schema orders(user_id int) implied @0
--> schema users(id int) imported
--> column orders.user_id origin=implied
--> column users.id origin=imported

-- case: SEED-G-approximate-flags-on-edges
-- table: users(id int, name string)
SELECT users.*, guess.* FROM users CROSS JOIN guess;
--> out.id <- users.id
--> out.name <- users.name
--> out <- guess?
--> issue UNKNOWN_TABLE relation=guess
--> issue APPROXIMATE_LINEAGE severity=warning relation=guess

-- case: SEED-G-resolution-source-on-nodes
-- table: known(id int)
CREATE TABLE made (id INT);
SELECT known.id, made.id, missing.id FROM known, made, missing;
--> @1 out.id <- known.id
--> @1 out.id <- made.id
--> @1 out.id <- missing.id
--> issue UNKNOWN_TABLE @1 relation=missing
--> node @1 known resolutionSource=imported
--> node @1 made resolutionSource=implied
--> node @1 missing resolutionSource=unknown

-- case: SEED-G-cross-statement
CREATE TABLE a AS SELECT id FROM raw;
CREATE TABLE b AS SELECT id FROM a;
SELECT id FROM b;
--> a.id <- raw.id
--> b.id <- a.id
--> @2 out.id <- b.id
--> cross 0 -> 1
--> cross 1 -> 2

-- case: SEED-G-created-in-statement-one-used-in-two
CREATE TABLE orders (id INT, total INT);
INSERT INTO archive SELECT * FROM orders;
--> archive.id <- orders.id
--> archive.total <- orders.total
--> cross 0 -> 1
--> stmt 0 CREATE_TABLE writes orders
--> stmt 1 INSERT reads orders writes archive
