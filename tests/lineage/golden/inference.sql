-- Columns inferred from usage (spec 2.11).

-- case: usage_gives_a_partial_entry
SELECT a FROM t WHERE b > 1;
--> out.a <- t.a
--> schema t(a, b, ...) implied usage
--> issue INFERRED_SCHEMA severity=info relation=t

-- case: usage_accumulates_over_statements
SELECT a FROM t;
SELECT b FROM t;
--> @0 out.a <- t.a
--> @1 out.b <- t.b
--> schema t(a, b, ...) implied usage

-- case: usage_never_makes_a_star_exact
SELECT a FROM t;
SELECT * FROM t;
--> @0 out.a <- t.a
--> @1 out.a <- t.a?
--> issue APPROXIMATE_LINEAGE @1 severity=info relation=t

-- case: usage_never_overwrites_ddl
CREATE TABLE t (a INT);
SELECT a FROM t;
--> @1 out.a <- t.a
--> schema t(a int) implied ddl @0

-- case: through_a_chain_of_open_tails
WITH one AS (SELECT * FROM t), two AS (SELECT * FROM one) SELECT deep FROM two;
--> out.deep <- t.deep
--> issue APPROXIMATE_LINEAGE severity=warning relation=t
--> schema t(deep, ...) implied usage

-- case: allow_implied_false_stores_nothing
-- schema: {"allowImplied": false}
-- options: {"unknownTablePolicy": "never"}
SELECT a FROM t;
--> out.a <- t.a
--> schema nothing

-- case: qualified_usage_of_two_unknown_tables
SELECT x.a, y.b FROM x JOIN y ON x.k = y.k;
--> out.a <- x.a
--> out.b <- y.b
--> schema x(a, k, ...) implied usage
--> schema y(b, k, ...) implied usage
