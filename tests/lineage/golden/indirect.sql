-- Filters and indirect dependencies (spec 2.12).

-- case: where_filter_on_the_relation
-- table: t(a int, b int)
SELECT a FROM t WHERE b > 1 AND a < 5;
--> out.a <- t.a
--> node t filters.0.clauseType=WHERE filters.1.clauseType=WHERE

-- case: having_filter
-- table: t(a int, b int)
SELECT a, sum(b) AS s FROM t GROUP BY a HAVING sum(b) > 1;
--> out.a <- t.a
--> out.s <= t.b
--> node t filters.0.clauseType=HAVING

-- case: qualify_filter
-- dialect: snowflake
-- table: T(A int, B int)
SELECT a FROM t QUALIFY row_number() OVER (ORDER BY b) = 1;
--> out.a <- T.A
--> node T filters.0.clauseType=QUALIFY

-- case: no_indirect_edges_unless_asked
-- table: t(a int, b int)
SELECT a FROM t WHERE b > 1;
--> out.a <- t.a

-- case: where
-- table: t(a int, b int)
-- options: {"includeIndirect": true}
SELECT a FROM t WHERE b > 1;
--> out.a <- t.a
--> out <~ t.b[FILTER]

-- case: join
-- table: a(id int, x int)
-- table: b(id int, y int)
-- options: {"includeIndirect": true}
SELECT x, y FROM a JOIN b ON a.id = b.id;
--> out.x <- a.x
--> out.y <- b.y
--> out <~ a.id[JOIN]
--> out <~ b.id[JOIN]

-- case: group_by_and_sort
-- table: t(a int, b int, c int)
-- options: {"includeIndirect": true}
SELECT sum(a) AS s FROM t GROUP BY b ORDER BY max(c);
--> out.s <= t.a
--> out <~ t.b[GROUP_BY]
--> out <~ t.c[SORT]

-- case: having
-- table: t(a int, b int)
-- options: {"includeIndirect": true}
SELECT a FROM t GROUP BY a HAVING sum(b) > 1;
--> out.a <- t.a
--> out <~ t.b[FILTER]

-- case: inside_a_cte_ends_at_the_cte
-- table: t(a int, b int)
-- options: {"includeIndirect": true}
WITH c AS (SELECT a FROM t WHERE b > 1) SELECT a FROM c;
--> out.a <- t.a
--> c <~ t.b[FILTER]

-- case: into_a_written_table
-- table: s(a int, b int)
-- options: {"includeIndirect": true}
CREATE TABLE t AS SELECT a FROM s WHERE b > 1;
--> t.a <- s.a
--> t <~ s.b[FILTER]

-- case: merge_condition
-- table: s(id int, v int)
-- table: t(id int, v int)
-- options: {"includeIndirect": true}
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v;
--> t.v <- s.v
--> t <~ s.id

-- case: sorted_by_position_or_by_everything
-- table: t(a int, b int, c int)
-- options: {"includeIndirect": true}
SELECT a, b + c AS d FROM t ORDER BY 2;
SELECT a, sum(b) AS s FROM t GROUP BY ALL ORDER BY ALL;
--> @0 out.a <- t.a
--> @0 out.d <= t.b, t.c
--> @0 out <~ t.b[SORT]
--> @0 out <~ t.c[SORT]
--> @1 out.a <- t.a
--> @1 out.s <= t.b[AGGREGATION]
--> @1 out <~ t.a[GROUP_BY]
--> @1 out <~ t.a[SORT]
--> @1 out <~ t.b[SORT]

-- case: a_sorted_set_operation
-- table: t(a int)
-- table: s(b int)
-- table: u(c int)
-- options: {"includeIndirect": true}
SELECT a FROM t UNION ALL SELECT b FROM s ORDER BY a;
(SELECT a FROM t UNION ALL SELECT b FROM s ORDER BY 1 LIMIT 3) UNION ALL SELECT c FROM u;
(SELECT a FROM t) ORDER BY a LIMIT 1;
--> @0 out.a <- t.a, s.b
--> @0 out <~ t.a[SORT]
--> @0 out <~ s.b[SORT]
--> @1 out.a <- t.a, s.b, u.c
--> @1 out <~ t.a[SORT]
--> @1 out <~ s.b[SORT]
--> @2 out.a <- t.a
--> @2 out <~ t.a[SORT]

-- case: pivot_groups_by_what_it_leaves_alone
-- dialect: duckdb
-- table: t(g int, f int, v int)
-- options: {"includeIndirect": true}
WITH p AS (SELECT * FROM t PIVOT (sum(v) FOR f IN (1, 2))) SELECT "1" FROM p;
--> out.1 <= t.v, t.f[CONDITIONAL]
--> _derived_2 <~ t.g[GROUP_BY]

-- case: pivot_statement_groups_by_what_it_leaves_alone
-- dialect: duckdb
-- table: t(g int, h int, f int, v int)
-- options: {"includeIndirect": true}
SELECT g FROM (PIVOT t ON f IN (1, 2) USING sum(v) GROUP BY g);
--> out.g <- t.g
--> _derived_2 <~ t.g[GROUP_BY]
