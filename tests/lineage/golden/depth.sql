-- Expressions deeper than options.maxExpressionDepth (spec 1.3, 1.6): their columns are known.

-- case: a_copy_beside_a_deep_expression
-- table: t(a int, b int, c string)
-- options: {"maxExpressionDepth": 3}
SELECT c, ((((a + 1) * 2) - b) + 3) AS deep FROM t WHERE c > 'x';
--> out.c <- t.c
--> out.deep <= t.a, t.b
--> issue APPROXIMATE_LINEAGE severity=warning

-- case: deep_calls_and_casts
-- table: t(a int, b int)
-- table: s(x int, y int)
-- options: {"maxExpressionDepth": 3}
INSERT INTO s (y, x) SELECT abs(abs(abs(abs(t.a)))), CAST(CAST(CAST(CAST(CAST(b AS INT) AS INT) AS INT) AS INT) AS BIGINT) FROM t;
--> s.y <= t.a
--> s.x <= t.b
--> issue APPROXIMATE_LINEAGE severity=warning
--> stmt 0 INSERT reads t writes s

-- case: deep_cases
-- table: t(a int, b int)
-- options: {"maxExpressionDepth": 2}
SELECT CASE WHEN a = 1 THEN CASE WHEN a = 2 THEN CASE WHEN a = 3 THEN b END END END AS deep, b FROM t;
--> out.deep <= t.a[CONDITIONAL], t.b, t.a
--> out.b <- t.b
--> issue APPROXIMATE_LINEAGE severity=warning

-- case: queries_inside_of_queries_keep_their_tables
-- table: t(a int)
-- options: {"maxExpressionDepth": 3}
SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM (SELECT a FROM t))));
--> stmt 0 SELECT reads t
--> out <- t?
--> issue APPROXIMATE_LINEAGE severity=warning
