-- Hiding CTEs and temporary tables (spec 2.17).

-- case: hide_ctes
-- table: t(a int, b int)
-- options: {"hideCtes": true}
WITH c AS (SELECT a + b AS s FROM t) SELECT s FROM c;
--> out.s <= t.a, t.b
--> summary tableCount=1

-- case: hide_chain_of_ctes
-- table: t(a int)
-- options: {"hideCtes": true}
WITH c AS (SELECT a FROM t), d AS (SELECT a AS b FROM c), e AS (SELECT b FROM d) SELECT b FROM e;
--> out.b <- t.a

-- case: hide_keeps_approximate
-- options: {"hideCtes": true}
-- table: t(a int, ...)
WITH c AS (SELECT * FROM t) SELECT a FROM c;
--> out.a <- t.a?
--> issue APPROXIMATE_LINEAGE severity=info

-- case: hide_derived_tables_too
-- table: t(a int)
-- options: {"hideCtes": true}
SELECT d.a FROM (SELECT a FROM t) AS d;
--> out.a <- t.a

-- case: hidden_ctes_still_count_reads
-- table: t(a int)
-- options: {"hideCtes": true}
WITH c AS (SELECT a FROM t) SELECT a FROM c;
--> out.a <- t.a
--> stmt 0 WITH reads t
