-- Options and the summary (spec 1.3, 1.5).

-- case: table_level_only
-- table: s(a int)
-- options: {"enableColumnLineage": false}
CREATE TABLE t AS SELECT a FROM s;
--> t <- s
--> stmt 0 CREATE_TABLE_AS reads s writes t

-- case: unknown_tables_are_quiet_without_a_schema
SELECT a FROM t;
--> out.a <- t.a
--> no issue UNKNOWN_TABLE
--> node t resolutionSource=unknown

-- case: unknown_tables_always
-- options: {"unknownTablePolicy": "always"}
SELECT a FROM t;
--> out.a <- t.a
--> issue UNKNOWN_TABLE relation=t

-- case: unknown_tables_never
-- table: s(a int)
-- options: {"unknownTablePolicy": "never"}
SELECT a FROM t;
--> out.a <- t.a

-- case: severity_override
-- table: s(a int)
-- options: {"severityOverrides": {"UNKNOWN_TABLE": "error"}}
SELECT a FROM t;
--> out.a <- t.a
--> issue UNKNOWN_TABLE severity=error
--> summary hasErrors=true

-- case: severity_off
-- table: s(a int)
-- options: {"severityOverrides": {"UNKNOWN_TABLE": "off"}}
SELECT a FROM t;
--> out.a <- t.a

-- case: summary_counts
-- table: a(id int, x int)
-- table: b(id int, y int)
WITH c AS (SELECT id, x FROM a) SELECT c.x, b.y FROM c JOIN b ON c.id = b.id;
--> out.x <- a.x
--> out.y <- b.y
--> summary statementCount=1 tableCount=3 joinCount=1 issueCount.errors=0 hasErrors=false approximateEdgeCount=0 unresolvedTableCount=0

-- case: complexity
-- table: t(a int, b int)
SELECT a FROM t WHERE b > 1;
--> out.a <- t.a
--> summary complexityScore=7

-- case: all_joins_weigh_ten_for_the_request
-- table: a(x int)
-- table: b(y int)
SELECT x, y FROM a CROSS JOIN b;
--> out.x <- a.x
--> out.y <- b.y
--> summary complexityScore=20

-- case: parse_error_only_scores_one
SELEC 1 FRM
--> issue PARSE_ERROR
--> summary complexityScore=1

-- case: unknown_field_of_a_schema_table
-- request: {"schema": {"tables": [{"name": "t", "columns": [{"name": "a"}], "colour": "red"}]}}
SELECT a FROM t;
--> out.a <- t.a
--> issue INVALID_REQUEST severity=info

-- case: resolved_schema_reimports
-- request: {"schema": {"tables": [{"name": "t", "columns": [{"name": "a", "origin": "implied"}], "origin": "implied", "updatedAt": "2026-01-01T00:00:00Z", "kind": "table", "complete": true, "inference": "ddl", "sourceStatementIndex": 0, "referencedBy": [0]}]}}
SELECT * FROM t;
--> out.a <- t.a
--> no issue INVALID_REQUEST

-- case: unknown_dialect
-- dialect: klingon
SELECT 1 AS a;
--> out.a <- ()
--> issue INVALID_REQUEST

-- case: filters_are_kept_without_column_lineage
-- table: t(a int, b int)
-- options: {"enableColumnLineage": false}
CREATE TABLE o AS SELECT a FROM t WHERE b = 1;
--> node t filters.0.expression="b = 1" filters.0.clauseType=WHERE
--> partial

-- case: without_columns_a_subquery_in_a_value_feeds_the_target
-- options: {"enableColumnLineage": false}
-- table: t(a int, b string)
-- table: u(id int, name string)
UPDATE t SET b = (SELECT max(name) FROM u);
SELECT a, (SELECT max(id) FROM u) AS m FROM t;
--> @0 t <- u
--> @1 out <- t, u

-- case: without_columns_a_star_of_an_unknown_table_is_approximate
-- options: {"enableColumnLineage": false}
SELECT * FROM mystery;
--> out <- mystery?
--> issue APPROXIMATE_LINEAGE severity=warning
