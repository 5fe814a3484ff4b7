-- Many statements and files (spec 2.14).

-- case: files_before_inline_in_order
-- file: one.sql
CREATE TABLE a (x INT);
-- file: two.sql
SELECT * FROM a;
--> @1 out.x <- a.x
--> stmt 0 CREATE_TABLE writes a
--> stmt 1 SELECT reads a

-- case: forward_reference
SELECT * FROM later;
CREATE TABLE later (x INT, y INT);
--> @0 out.x <- later.x
--> @0 out.y <- later.y
--> issue FORWARD_REFERENCE @0 relation=later severity=info

-- case: a_view_is_one_for_who_reads_it_before_it_is_made
SELECT x FROM later;
SELECT x FROM later;
CREATE VIEW later AS SELECT x FROM t;
--> @0 out.x <- later.x
--> @1 out.x <- later.x
--> @2 later.x <- t.x
--> node @0 later nodeType=view
--> node @1 later nodeType=view
--> issue FORWARD_REFERENCE @0 relation=later
--> issue INFERRED_SCHEMA @0 relation=later
--> issue INFERRED_SCHEMA @2 relation=t

-- case: dependency_order
-- options: {"statementOrder": "dependency"}
-- file: b.sql
CREATE TABLE b AS SELECT * FROM a;
-- file: a.sql
CREATE TABLE a AS SELECT 1 AS x, 2 AS y;
--> b.x <- a.x
--> b.y <- a.y
--> stmt 0 CREATE_TABLE_AS reads a writes b
--> stmt 1 CREATE_TABLE_AS writes a

-- case: cyclic_dependency
-- options: {"statementOrder": "dependency"}
-- file: a.sql
CREATE TABLE a AS SELECT x FROM b;
-- file: b.sql
CREATE TABLE b AS SELECT x FROM a;
--> a.x <- b.x
--> b.x <- a.x
--> issue CYCLIC_DEPENDENCY

-- case: appenders_accumulate
CREATE TABLE t AS SELECT 1 AS x;
INSERT INTO t SELECT x FROM s;
SELECT x FROM t;
--> t.x <- s.x
--> @2 out.x <- t.x
--> cross 0 -> 2
--> cross 1 -> 2

-- case: overwrite_resets_producers
-- table: s(x int)
-- table: t(x int)
INSERT INTO t SELECT x FROM s;
INSERT OVERWRITE TABLE t SELECT x FROM s;
SELECT x FROM t;
--> t.x <- s.x
--> @2 out.x <- t.x
--> cross 1 -> 2

-- case: truncate_resets_producers
-- table: s(x int)
-- table: t(x int)
INSERT INTO t SELECT x FROM s;
TRUNCATE TABLE t;
INSERT INTO t SELECT x FROM s;
SELECT x FROM t;
--> @0 t.x <- s.x
--> @2 t.x <- s.x
--> @3 out.x <- t.x
--> no issue UNKNOWN_TABLE

-- case: view_is_read_as_a_view
-- table: s(x int)
CREATE VIEW v AS SELECT x FROM s;
CREATE TABLE t AS SELECT x FROM v;
--> v.x <- s.x
--> t.x <- v.x
--> stmt 1 CREATE_TABLE_AS reads v writes t

-- case: imported_view_text
-- table: s(x int)
-- view: v AS SELECT x AS y FROM s
SELECT y FROM v;
--> out.y <- v.y
--> no issue UNKNOWN_TABLE

-- case: imported_view_whose_text_names_its_columns
-- dialect: tsql
-- table: s(x int, y int)
-- view: v AS CREATE VIEW v (a, b) AS SELECT x, y FROM s
SELECT * FROM v WHERE a > 1;
--> out.a <- v.a
--> out.b <- v.b
--> global v.a <- s.x
--> global v.b <- s.y

-- case: imported_views_are_listed_in_any_order
-- table: s(x int)
-- view: a AS SELECT y AS z FROM b
-- view: b AS SELECT x AS y FROM s
SELECT * FROM a;
--> out.z <- a.z
--> global a.z <- b.y
--> global b.y <- s.x

-- case: imported_view_means_the_tables_of_its_own_namespace
-- dialect: oracle
-- schema: {"defaultSchema": "HOME"}
-- table: HOME.T(A int, B int)
-- table: AWAY.T(A int, C int)
-- table: HOME.ONLY_HERE(D int)
-- view: AWAY.V AS SELECT T.*, D FROM T, ONLY_HERE
SELECT * FROM away.v;
--> out.A <- AWAY.V.A
--> out.C <- AWAY.V.C
--> out.D <- AWAY.V.D
--> global AWAY.V.A <- AWAY.T.A
--> global AWAY.V.C <- AWAY.T.C
--> global AWAY.V.D <- HOME.ONLY_HERE.D

-- case: imported_view_in_another_catalog
-- dialect: tsql
-- schema: {"defaultCatalog": "main", "defaultSchema": "dbo"}
-- table: main.dbo.t(a int)
-- table: other.dbo.t(b int)
-- view: other.dbo.v AS CREATE VIEW [dbo].[v] AS SELECT b FROM t
-- view: other.dbo.w AS CREATE VIEW [dbo].[w] AS SELECT b FROM dbo.t
SELECT v.b, w.b FROM other..v CROSS JOIN other.dbo.w;
--> out.b <- other.dbo.v.b
--> out.b <- other.dbo.w.b
--> global other.dbo.v.b <- other.dbo.t.b
--> global other.dbo.w.b <- other.dbo.t.b

-- case: imported_views_of_one_name_in_two_namespaces
-- schema: {"defaultSchema": "one"}
-- table: one.s(x int)
-- view: two.v AS SELECT x FROM one.v
-- view: one.v AS SELECT x FROM s
SELECT x FROM two.v;
--> out.x <- two.v.x
--> global two.v.x <- one.v.x
--> global one.v.x <- one.s.x

-- case: imported_views_that_read_each_other
-- view: a AS SELECT x FROM b
-- view: b AS SELECT x FROM a
SELECT x FROM a;
--> out.x <- a.x
--> issue CYCLIC_DEPENDENCY
--> issue UNKNOWN_TABLE relation=b

-- case: same_cte_name_in_two_statements
-- table: s(x int, y int)
WITH c AS (SELECT x FROM s) SELECT x FROM c;
WITH c AS (SELECT y FROM s) SELECT y FROM c;
--> @0 out.x <- s.x
--> @1 out.y <- s.y

-- case: duplicate_definition_in_two_files
-- file: one.sql
CREATE TABLE m AS SELECT 1 AS a;
-- file: two.sql
CREATE TABLE m AS SELECT 2 AS b;
--> issue DUPLICATE_DEFINITION relation=m

-- case: empty_request
--> issue INVALID_REQUEST severity=error
--> schema nothing

-- case: comments_only
/* nothing here */
--> summary statementCount=0

-- case: statement_between_empty_ones
-- table: t(a int)
;; SELECT a FROM t ;;
--> out.a <- t.a
--> summary statementCount=1

-- case: the_global_graph_joins_statements
-- table: raw(x int)
CREATE TABLE a AS SELECT x FROM raw;
CREATE TABLE b AS SELECT x + 1 AS y FROM a;
--> a.x <- raw.x
--> b.y <= a.x
--> global a.x <- raw.x
--> global b.y <= a.x
--> summary tableCount=3

-- case: several_producers_of_one_table
-- table: one(x int)
-- table: two(x int)
-- table: t(x int)
INSERT INTO t SELECT x FROM one;
INSERT INTO t SELECT x FROM two;
--> @0 t.x <- one.x
--> @1 t.x <- two.x
--> global t.x <- one.x, two.x

-- case: one_partition_is_no_full_rewrite
CREATE TABLE t (a INT) PARTITIONED BY (d STRING);
INSERT OVERWRITE TABLE t PARTITION (d = 'x') SELECT 1;
INSERT OVERWRITE TABLE t PARTITION (d = 'y') SELECT 2;
TRUNCATE TABLE t PARTITION (d = 'x');
LOAD DATA INPATH '/in' OVERWRITE INTO TABLE t PARTITION (d = 'x');
SELECT a FROM t;
--> partial
--> cross 0 -> 5
--> cross 1 -> 5
--> cross 2 -> 5
--> cross 3 -> 5
--> cross 4 -> 5

-- case: loaded_over_is_a_full_rewrite
CREATE TABLE t (a INT);
INSERT INTO t SELECT 1;
LOAD DATA INPATH '/in' OVERWRITE INTO TABLE t;
LOAD DATA INPATH '/more' INTO TABLE t;
SELECT a FROM t;
--> partial
--> cross 2 -> 4
--> cross 3 -> 4
