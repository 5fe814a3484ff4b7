-- Joins (spec 2.7).

-- case: inner_join
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT a.x, b.y FROM a JOIN b ON a.id = b.id;
--> out.x <- a.x
--> out.y <- b.y
--> summary joinCount=1
--> node b joinType=INNER

-- case: comma_join
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT x, y FROM a, b WHERE a.id = b.id;
--> out.x <- a.x
--> out.y <- b.y

-- case: left_join_type
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT x, y FROM a LEFT JOIN b ON a.id = b.id;
--> out.x <- a.x
--> out.y <- b.y
--> node b joinType=LEFT

-- case: joined_without_columns
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT x FROM a JOIN b ON a.id = b.id;
--> out.x <- a.x
--> out <+ b

-- case: join_on_is_a_filter
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT x, y FROM a JOIN b ON a.id = b.id;
--> out.x <- a.x
--> out.y <- b.y
--> node b filters.0.clauseType=JOIN_ON

-- case: using_inner
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT id FROM a JOIN b USING (id);
--> out.id <- a.id <= b.id[CONDITIONAL]

-- case: using_left
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT id, y FROM a LEFT JOIN b USING (id);
--> out.id <- a.id <= b.id[CONDITIONAL]
--> out.y <- b.y

-- case: using_right_takes_the_right_side
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT x, id FROM a RIGHT JOIN b USING (id);
--> out.x <- a.x
--> out.id <- b.id <= a.id[CONDITIONAL]

-- case: using_full_computes_from_both
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT id FROM a FULL JOIN b USING (id);
--> out.id <= a.id, b.id

-- case: using_star_has_the_key_once_and_first
-- table: a(x int, id int)
-- table: b(y int, id int)
SELECT * FROM a JOIN b USING (id);
--> out.id <- a.id <= b.id
--> out.x <- a.x
--> out.y <- b.y

-- case: using_side_stays_reachable
-- table: a(id int)
-- table: b(id int)
SELECT b.id FROM a JOIN b USING (id);
--> out.id <- b.id
--> out <+ a

-- case: natural_join
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT * FROM a NATURAL JOIN b;
--> out.id <- a.id <= b.id
--> out.x <- a.x
--> out.y <- b.y

-- case: left_semi_hides_the_right_side
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT * FROM a LEFT SEMI JOIN b ON a.id = b.id;
--> out.id <- a.id
--> out.x <- a.x
--> out <+ b
--> node b joinType=LEFT_SEMI

-- case: left_semi_hides_a_name_that_its_condition_used
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT x FROM a LEFT SEMI JOIN b ON a.id = b.id AND y > 1 WHERE y = 2;
--> partial
--> issue UNKNOWN_COLUMN column=y

-- case: right_semi_hides_a_name_that_its_condition_used
-- dialect: doris
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT x FROM a RIGHT SEMI JOIN b ON a.id = b.id AND x > 1;
--> out.x <- b.x?
--> issue UNKNOWN_COLUMN relation=b column=x

-- case: left_anti_hides_the_right_side
-- table: a(id int, x int)
-- table: b(id int, x int)
SELECT x FROM a LEFT ANTI JOIN b ON a.id = b.id;
--> out.x <- a.x
--> out <+ b

-- case: nested_parenthesised_joins
-- table: a(id int, x int)
-- table: b(id int, y int)
-- table: c(id int, z int)
SELECT x, y, z FROM a LEFT JOIN (b JOIN c ON b.id = c.id) ON a.id = b.id;
--> out.x <- a.x
--> out.y <- b.y
--> out.z <- c.z

-- case: asof_join
-- dialect: duckdb
-- table: trades(sym varchar, ts int, qty int)
-- table: quotes(sym varchar, ts int, price int)
SELECT qty * price AS value FROM trades ASOF JOIN quotes ON trades.sym = quotes.sym AND trades.ts >= quotes.ts;
--> out.value <= trades.qty, quotes.price

-- case: cross_apply
-- dialect: tsql
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT a.x, n.y FROM a CROSS APPLY (SELECT b.y FROM b WHERE b.id = a.id) AS n;
--> out.x <- a.x
--> out.y <- b.y

-- case: lateral_subquery_sees_its_left_side
-- dialect: postgres
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT n.v FROM a CROSS JOIN LATERAL (SELECT a.x + b.y AS v FROM b) AS n;
--> out.v <= a.x, b.y

-- case: straight_join
-- dialect: mysql
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT x, y FROM a STRAIGHT_JOIN b ON a.id = b.id;
--> out.x <- a.x
--> out.y <- b.y

-- case: three_joins_are_counted
-- table: a(id int)
-- table: b(id int)
-- table: c(id int)
SELECT a.id FROM a JOIN b ON a.id = b.id JOIN c ON b.id = c.id;
--> out.id <- a.id
--> out <+ b
--> out <+ c
--> summary joinCount=2

-- case: alias_list_on_a_parenthesised_join
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT d.* FROM (a JOIN b ON a.id = b.id) AS d(p, q, r, s);
--> out.p <- a.id
--> out.q <- a.x
--> out.r <- b.id
--> out.s <- b.y

-- case: asof_of_clickhouse
-- dialect: clickhouse
-- table: l(id int, a int)
-- table: r(id int, b int)
SELECT l.a FROM l ASOF JOIN r ON l.id = r.id;
--> out.a <- l.a
--> out <+ r
--> node r joinType=AS_OF

-- case: natural_join_where_the_request_says_how_names_are_folded
-- dialect: snowflake
-- schema: {"caseSensitivity": "lower"}
-- table: A(X int, K int)
-- table: B(K int, Y int)
SELECT * FROM a NATURAL JOIN b;
--> out.K <- a.k <= b.k[CONDITIONAL]
--> out.X <- a.x
--> out.Y <- b.y

-- case: star_shows_the_keys_of_the_last_join_first
-- table: a(x int, k int)
-- table: b(x int, y int)
-- table: c(k int, z int)
SELECT * FROM a JOIN b USING (x) JOIN c USING (k);
--> out.k <- a.k <= c.k[CONDITIONAL]
--> out.x <- a.x <= b.x[CONDITIONAL]
--> out.y <- b.y
--> out.z <- c.z

-- case: natural_join_keeps_the_order_of_the_left_side
-- dialect: postgres
-- table: a(w int, k int, l int)
-- table: b(l int, k int, y int)
SELECT * FROM a NATURAL JOIN b;
--> out.k <- a.k <= b.k[CONDITIONAL]
--> out.l <- a.l <= b.l[CONDITIONAL]
--> out.w <- a.w
--> out.y <- b.y

-- case: using_behind_a_comma_is_about_its_own_join
-- dialect: postgres
-- table: a(x int, k int)
-- table: b(y int, k int)
-- table: c(k int, z int)
SELECT * FROM a, b JOIN c USING (k);
--> out.x <- a.x
--> out.k <- a.k
--> out.k <- b.k <= c.k[CONDITIONAL]
--> out.y <- b.y
--> out.z <- c.z

-- case: using_in_parentheses_and_around_them
-- table: a(x int, k int)
-- table: b(y int, k int, l int)
-- table: c(l int, z int)
SELECT * FROM a JOIN (b JOIN c USING (l)) USING (k);
--> out.k <- a.k <= b.k[CONDITIONAL]
--> out.x <- a.x
--> out.l <- b.l <= c.l[CONDITIONAL]
--> out.y <- b.y
--> out.z <- c.z

-- case: using_of_a_key_that_the_right_side_merged
-- table: a(x int, k int)
-- table: b(y int, k int)
-- table: c(k int, z int)
SELECT k FROM a JOIN (b JOIN c USING (k)) USING (k);
--> out.k <- a.k <= b.k[CONDITIONAL], c.k[CONDITIONAL]

-- case: two_joins_by_one_key_behind_commas
-- table: a(x int, k int)
-- table: b(k int)
-- table: c(k int)
-- table: d(z int, k int)
SELECT * FROM a JOIN b USING (k), c JOIN d USING (k);
--> out.k <- a.k <= b.k[CONDITIONAL]
--> out.x <- a.x
--> out.k <- c.k <= d.k[CONDITIONAL]
--> out.z <- d.z

-- case: brackets_on_both_sides_that_merge_one_name
-- dialect: postgres
-- table: a(k int, v int)
-- table: b(k int, w int)
-- table: c(k int, x int)
-- table: d(k int, y int)
SELECT * FROM (a JOIN b USING (k)) LEFT JOIN (c JOIN d USING (k)) USING (k);
--> out.k <- a.k <= b.k[CONDITIONAL], c.k[CONDITIONAL], d.k[CONDITIONAL]
--> out.v <- a.v
--> out.w <- b.w
--> out.x <- c.x
--> out.y <- d.y

-- case: what_a_semi_join_hides_has_no_name
-- table: t(a int)
-- table: u(a int, d int)
SELECT t.a, u.d FROM t LEFT SEMI JOIN u ON t.a = u.a;
--> out.a <- t.a
--> out.d <- ()
--> out <+ u
--> issue UNRESOLVED_REFERENCE column=d

-- case: clickhouse_shows_both_sides_of_a_semi_join
-- dialect: clickhouse
-- table: t(a int)
-- table: u(a int, d int)
SELECT t.a, u.d FROM t LEFT SEMI JOIN u ON t.a = u.a;
--> out.a <- t.a
--> out.d <- u.d
--> no issues

-- case: without_columns_an_edge_says_how_its_table_is_joined
-- dialect: tsql
-- options: {"enableColumnLineage": false}
-- table: a(x int)
-- table: b(y int)
-- table: c(z int)
SELECT x, y, z INTO o FROM a LEFT JOIN b ON a.x = b.y CROSS APPLY (SELECT z FROM c WHERE c.z = a.x) AS d;
--> o <- a, b[LEFT_JOIN], d
--> d <- c
