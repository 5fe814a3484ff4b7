-- The four examples of the schema handling contract, each as it stands there.

-- case: SEED-EX-1-imported-wins
-- table: users(id, name)
CREATE TABLE users (id INT, name VARCHAR(10), email VARCHAR(10));
SELECT * FROM users;
--> @1 out.id <- users.id?
--> @1 out.name <- users.name?
--> issue SCHEMA_CONFLICT @0 relation=users severity=warning
--> schema users(id, name) imported
--> node users resolutionSource=imported
--> column users.id origin=imported

-- case: SEED-EX-2-implied-fills-the-gap
CREATE VIEW active_users AS SELECT id, name FROM users;
SELECT * FROM active_users;
--> active_users.id <- users.id
--> active_users.name <- users.name
--> @1 out.id <- active_users.id
--> @1 out.name <- active_users.name
--> schema active_users(id, name) implied view ddl @0
--> schema users(id, name, ...) implied usage
--> node @1 active_users resolutionSource=implied nodeType=view

-- case: SEED-EX-3-progressive-schema
-- table: users(id)
CREATE TABLE orders AS SELECT user_id, amount FROM raw_orders;
INSERT INTO report SELECT * FROM orders;
--> orders.user_id <- raw_orders.user_id
--> orders.amount <- raw_orders.amount
--> report.user_id <- orders.user_id
--> report.amount <- orders.amount
--> issue UNKNOWN_TABLE @0 relation=raw_orders
--> issue UNKNOWN_TABLE @1 relation=report
--> column orders.user_id origin=implied
--> cross 0 -> 1

-- case: SEED-EX-4-allow-implied-off
-- table: users(id, name)
-- schema: {"allowImplied": false}
CREATE TABLE new_table AS SELECT * FROM users;
SELECT * FROM new_table;
--> new_table.id <- users.id
--> new_table.name <- users.name
--> @1 out <- new_table?
--> issue UNKNOWN_TABLE @1 relation=new_table resolutionSource=unknown
--> issue APPROXIMATE_LINEAGE @1 severity=warning relation=new_table
--> schema users(id, name) imported
--> node @1 new_table resolutionSource=unknown
