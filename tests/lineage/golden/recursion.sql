-- Recursive CTEs (spec 2.9).

-- case: tree_walk
-- dialect: postgres
-- table: nodes(id int, parent int, name text)
WITH RECURSIVE tree (id, name) AS (
  SELECT id, name FROM nodes WHERE parent IS NULL
  UNION ALL
  SELECT n.id, n.name FROM nodes AS n JOIN tree AS t ON n.parent = t.id
)
SELECT id, name FROM tree;
--> out.id <- nodes.id
--> out.name <- nodes.name
--> stmt 0 WITH reads nodes

-- case: counter_has_no_source
-- dialect: postgres
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n;
--> out.i <- ()

-- case: recursive_branch_adds_a_source
-- dialect: postgres
-- table: a(x int)
-- table: b(y int)
WITH RECURSIVE r (v) AS (SELECT x FROM a UNION ALL SELECT r.v + b.y FROM r CROSS JOIN b) SELECT v FROM r;
--> out.v <- a.x <= b.y
--> stmt 0 WITH reads a, b

-- case: columns_swap_between_rounds
-- dialect: postgres
-- table: t(a int, b int)
WITH RECURSIVE r (p, q) AS (SELECT a, b FROM t UNION ALL SELECT q, p FROM r) SELECT p FROM r;
--> out.p <- t.a, t.b

-- case: the_way_to_a_row
-- dialect: postgres
-- table: c(id int, parent int)
WITH RECURSIVE t AS (
  SELECT id, parent FROM c WHERE parent IS NULL UNION ALL SELECT c.id, c.parent FROM t JOIN c ON c.parent = t.id
) SEARCH DEPTH FIRST BY id SET place CYCLE id SET again USING way
SELECT id, again, way FROM t ORDER BY place;
--> out.id <- c.id
--> out.again <= c.id
--> out.way <= c.id

-- case: recursive_with_reads_what_comes_later
-- dialect: postgres
-- table: t(x int)
WITH RECURSIVE a AS (SELECT y FROM b), b AS (SELECT z AS y FROM c), c AS (SELECT x AS z FROM t)
SELECT y FROM a;
--> out.y <- t.x

-- case: recursive_with_reads_a_later_one_and_itself
-- dialect: bigquery
-- table: d.t(x int64, parent int64)
WITH RECURSIVE
  tree AS (SELECT x FROM seed UNION ALL SELECT t.x FROM d.t JOIN tree ON t.parent = tree.x),
  seed AS (SELECT x FROM d.t WHERE parent IS NULL)
SELECT x FROM tree;
--> out.x <- d.t.x

-- case: recursive_with_and_a_name_of_its_own_inside
-- dialect: bigquery
-- table: d.t(x int64)
WITH RECURSIVE a AS (SELECT x FROM b), b AS (WITH a AS (SELECT x FROM d.t) SELECT x FROM a)
SELECT x FROM a;
--> out.x <- d.t.x

-- case: plain_with_does_not_read_what_comes_later
-- dialect: postgres
-- table: t(x int)
-- table: b(y int)
WITH a AS (SELECT y FROM b), b AS (SELECT x AS y FROM t) SELECT y FROM a;
--> out.y <- b.y

-- case: sqlite_needs_no_word_for_recursion
-- dialect: sqlite
-- table: t(a integer, b integer)
WITH walk(n, m) AS (SELECT a, 1 FROM t UNION ALL SELECT n + 1, m + b FROM walk JOIN t ON n < 10)
SELECT n, m FROM walk;
--> out.n <- t.a
--> out.m <= t.b
