-- Binding a column reference (spec 2.4).

-- case: alias_qualified
-- table: t(a int)
SELECT q.a FROM t AS q;
--> out.a <- t.a

-- case: relation_name_qualified
-- table: s.t(a int)
SELECT t.a FROM s.t;
--> out.a <- s.t.a

-- case: schema_qualified
-- table: s.t(a int)
SELECT s.t.a FROM s.t;
--> out.a <- s.t.a

-- case: struct_field_when_the_qualifier_is_a_column
-- table: t(info struct<city:string,zip:string>)
SELECT info.city FROM t;
--> out.city <= t.info

-- case: one_complete_relation_has_it
-- table: a(x int)
-- table: b(y int)
SELECT y FROM a CROSS JOIN b;
--> out.y <- b.y
--> out <+ a

-- case: bound_to_the_only_incomplete_relation
-- table: a(x int)
SELECT y FROM a CROSS JOIN unknown_one;
--> out.y <- unknown_one.y?
--> out <+ a
--> issue UNKNOWN_TABLE relation=unknown_one

-- case: single_unknown_relation_is_exact
SELECT y FROM somewhere;
--> out.y <- somewhere.y

-- case: complete_match_beats_incomplete
-- table: a(x int)
SELECT x FROM a CROSS JOIN unknown_one;
--> out.x <- a.x
--> out <+ unknown_one
--> issue UNKNOWN_TABLE relation=unknown_one

-- case: several_incomplete_are_ambiguous
SELECT x FROM one CROSS JOIN two;
--> out.x <- one.x?, two.x?
--> issue AMBIGUOUS_COLUMN column=x

-- case: several_complete_are_ambiguous
-- table: a(x int)
-- table: b(x int)
SELECT x FROM a CROSS JOIN b;
--> out.x <- a.x?, b.x?
--> issue AMBIGUOUS_COLUMN column=x

-- case: spark_literals_of_another_case_are_other_keys
-- table: t(a string)
SELECT count(a) AS n FROM t GROUP BY concat(a, 'x') ORDER BY CONCAT(A, 'x');
SELECT count(a) AS n FROM t GROUP BY concat(a, 'x') ORDER BY concat(a, 'X');
--> partial
--> issue UNKNOWN_COLUMN @1 column=a

-- case: a_mistake_makes_no_other_name_ambiguous
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT b.x AS wrong, x FROM a JOIN b ON a.id = b.id;
--> out.wrong <- b.x?
--> out.x <- a.x
--> issue UNKNOWN_COLUMN relation=b column=x
--> no issue AMBIGUOUS_COLUMN

-- case: a_mistake_takes_no_name_from_a_table_that_may_have_it
-- table: b(id int, y int)
SELECT b.x AS wrong, x FROM a JOIN b ON a.id = b.id;
--> out.wrong <- b.x?
--> out.x <- a.x?
--> issue UNKNOWN_TABLE relation=a
--> issue UNKNOWN_COLUMN relation=b column=x

-- case: a_mistake_takes_no_name_from_the_query_around
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT (SELECT b.x + x FROM b LIMIT 1) AS n FROM a;
--> out.n <= b.x?, a.x
--> issue UNKNOWN_COLUMN relation=b column=x

-- case: a_mistake_made_twice_is_one_column
-- table: b(id int, y int)
SELECT x, b.x AS again FROM b WHERE x > 1 ORDER BY b.x;
--> out.x <- b.x?
--> out.again <- b.x?
--> issue UNKNOWN_COLUMN relation=b column=x

-- case: a_plus_however_far_away_computes
-- table: t(a int, b int)
SELECT a, +
                                                b FROM t;
SELECT a, + /* nothing */ b FROM t;
--> out.a <- t.a
--> out.(+ b) <= t.b
--> @1 out.a <- t.a
--> @1 out.(+ b) <= t.b

-- case: unknown_column_of_a_complete_relation
-- table: t(amount int)
SELECT amout FROM t;
--> out.amout <- t.amout?
--> issue UNKNOWN_COLUMN relation=t column=amout suggestions.0=amount

-- case: unknown_qualified_column
-- table: t(a int)
SELECT t.b FROM t;
--> out.b <- t.b?
--> issue UNKNOWN_COLUMN relation=t column=b resolutionSource=imported

-- case: qualifier_names_nothing
-- table: t(a int)
SELECT x.a FROM t;
--> out.a <- ()
--> issue UNRESOLVED_REFERENCE

-- case: column_without_any_relation
SELECT a;
--> out.a <- ()
--> issue UNRESOLVED_REFERENCE

-- case: correlation_reaches_the_outer_scope
-- table: a(id int, x int)
-- table: b(key int, y int)
SELECT (SELECT max(y) FROM b WHERE key = x) AS m FROM a;
--> out.m <= b.y[AGGREGATION]
--> no issue UNKNOWN_COLUMN

-- case: source_column_beats_select_alias_in_where
-- table: t(a int, b int)
-- options: {"includeIndirect": true}
SELECT b AS a FROM t WHERE a > 1;
--> out.a <- t.b
--> out <~ t.a[FILTER]

-- case: group_by_alias_in_spark
-- table: t(a int, b int)
-- options: {"includeIndirect": true}
SELECT a + 1 AS k, sum(b) AS s FROM t GROUP BY k;
--> out.k <= t.a
--> out.s <= t.b[AGGREGATION]
--> out <~ t.a[GROUP_BY]

-- case: having_alias_in_spark
-- table: t(a int, b int)
SELECT a, sum(b) AS s FROM t GROUP BY a HAVING s > 1;
--> out.a <- t.a
--> out.s <= t.b

-- case: having_alias_is_unknown_in_postgres
-- dialect: postgres
-- table: t(a int, b int)
SELECT a, sum(b) AS s FROM t GROUP BY a HAVING s > 1;
--> out.a <- t.a
--> out.s <= t.b
--> issue UNKNOWN_COLUMN column=s

-- case: group_by_alias_is_unknown_in_tsql
-- dialect: tsql
-- table: t(a int, b int)
SELECT a + 1 AS k, sum(b) AS s FROM t GROUP BY k;
--> out.k <= t.a
--> out.s <= t.b
--> issue UNKNOWN_COLUMN column=k

-- case: order_by_alias_everywhere
-- dialect: tsql
-- table: t(a int)
SELECT a + 1 AS k FROM t ORDER BY k;
--> out.k <= t.a

-- case: group_by_ordinal
-- table: t(a int, b int)
-- options: {"includeIndirect": true}
SELECT a, sum(b) AS s FROM t GROUP BY 1;
--> out.a <- t.a
--> out.s <= t.b
--> out <~ t.a[GROUP_BY]

-- case: rownum_is_a_pseudo_column
-- dialect: oracle
-- table: T(A int)
SELECT a FROM t WHERE ROWNUM < 10;
--> out.a <- T.A
--> no issue UNKNOWN_COLUMN

-- case: partition_time_is_a_pseudo_column
-- dialect: bigquery
-- table: d.t(a int64)
SELECT a FROM d.t WHERE _PARTITIONTIME > TIMESTAMP '2024-01-01';
--> out.a <- d.t.a
--> no issue UNKNOWN_COLUMN

-- case: file_metadata_is_a_pseudo_column
-- table: t(a int)
SELECT a, _metadata.file_path AS path FROM t;
--> out.a <- t.a
--> out.path <= t._metadata
--> no issue UNKNOWN_COLUMN

-- case: self_join_sides_stay_apart
-- table: t(id int, parent int, name string)
SELECT c.name AS child, p.name AS parent FROM t AS c JOIN t AS p ON c.parent = p.id;
--> out.child <- t.name
--> out.parent <- t.name
--> stmt 0 SELECT reads t

-- case: repeated_name_in_one_relation_is_not_ambiguous
-- table: t(a int, b int)
WITH c AS (SELECT a AS x, a AS x FROM t) SELECT x FROM c;
--> out.x <- t.a
--> no issue AMBIGUOUS_COLUMN

-- case: time_unit_is_not_a_column
-- table: t(a timestamp, b timestamp)
SELECT timediff(HOUR, a, b) AS h, date_trunc('day', a) AS d FROM t;
--> out.h <= t.a, t.b
--> out.d <= t.a

-- case: time_window_fields
-- table: t(ts timestamp, a int)
SELECT window.start AS s, count(*) AS n FROM t GROUP BY window(ts, '5 minutes');
--> out.s <= t.ts
--> out.n <= t[AGGREGATION]
--> no issue UNRESOLVED_REFERENCE

-- case: declared_variables_are_not_columns
-- table: t(a int)
DECLARE VARIABLE cut INT DEFAULT 3;
SELECT a FROM t WHERE a > cut;
--> @1 out.a <- t.a
--> no issue UNKNOWN_COLUMN

-- case: two_outputs_of_one_name_cannot_be_sorted_by_it
-- dialect: postgres
-- table: a(id int)
-- table: b(id int)
SELECT a.id, b.id FROM a CROSS JOIN b ORDER BY id;
--> out.id <- a.id
--> out.id <- b.id
--> issue AMBIGUOUS_COLUMN column=id

-- case: one_column_shown_twice_can
-- dialect: postgres
-- table: a(id int)
SELECT id, id FROM a ORDER BY id;
--> out.id <- a.id
--> out.id <- a.id

-- case: an_alias_hides_the_qualified_name_too
-- dialect: postgres
-- table: s.t(id int)
SELECT s.t.id FROM s.t AS x;
--> out.id <- ()
--> issue UNRESOLVED_REFERENCE

-- case: spark_sorts_by_the_table_when_outputs_are_ambiguous
-- dialect: spark
-- table: t(a int, b int)
SELECT b AS a, 1 AS a FROM t ORDER BY a;
--> out.a <- t.b
--> out.a <- ()

-- case: spark_sorts_grouped_rows_by_what_is_left_of_them
-- table: t(a int, b int, c int)
SELECT count(*) AS n FROM t GROUP BY a ORDER BY b;
SELECT sum(b) AS n FROM t GROUP BY a HAVING b > 1;
SELECT sum(b) AS n FROM t ORDER BY c;
SELECT 1 AS one FROM t HAVING a > 1;
--> @0 out.n <= t[AGGREGATION]
--> @1 out.n <= t.b[AGGREGATION]
--> @2 out.n <= t.b[AGGREGATION]
--> @3 out.one <= t[ROW]
--> issue UNKNOWN_COLUMN @0 column=b
--> issue UNKNOWN_COLUMN @1 column=b
--> issue UNKNOWN_COLUMN @2 column=c
--> issue UNKNOWN_COLUMN @3 column=a

-- case: spark_sees_keys_outputs_and_aggregates_behind_a_grouping
-- table: t(a int, b int, s struct<f:int>)
SELECT count(*) AS n FROM t GROUP BY a ORDER BY a, n, max(b);
SELECT a + 1 AS k, count(*) AS n FROM t GROUP BY a + 1 HAVING a + 1 > 2 AND max(b) > 1 ORDER BY a + 1, k;
SELECT t.a, b AS y FROM t GROUP BY ALL HAVING b > 1 ORDER BY t.a, y;
SELECT a, count(*) AS n FROM t GROUP BY ROLLUP (a, s) HAVING grouping(a) = 0 ORDER BY s.f, a;
SELECT a, sum(b) OVER (ORDER BY a) AS n FROM t ORDER BY b;
SELECT a FROM t GROUP BY 1 ORDER BY rank() OVER (ORDER BY a);
--> @0 out.n <= t[AGGREGATION]
--> @1 out.k <= t.a
--> @1 out.n <= t[AGGREGATION]
--> @2 out.a <- t.a
--> @2 out.y <- t.b
--> @3 out.a <- t.a
--> @3 out.n <= t[AGGREGATION]
--> @4 out.a <- t.a
--> @4 out.n <= t.b[AGGREGATION], t.a[WINDOW]
--> @5 out.a <- t.a

-- case: spark_sorts_behind_windows_and_merged_joins_by_what_comes_out
-- table: t(a int, b int)
-- table: u(a int)
SELECT a, rank() OVER (ORDER BY a) AS r FROM t GROUP BY a, b + 1 ORDER BY a, r, b + 1;
SELECT sum(b) AS n FROM t JOIN u USING (a) GROUP BY a HAVING max(b) > 1 ORDER BY a, n, max(b);
SELECT sum(b) AS n FROM t GROUP BY a HAVING max(b) > 1 ORDER BY max(b);
--> @0 out.a <- t.a
--> @0 out.r <= t.a[WINDOW]
--> @1 out.n <= t.b[AGGREGATION]
--> @1 out <+ u
--> @2 out.n <= t.b[AGGREGATION]
--> issue UNKNOWN_COLUMN @0 column=b
--> issue UNKNOWN_COLUMN @1 column=b

-- case: dropped_variables_are_gone
DECLARE VARIABLE x INT;
DROP TEMPORARY VARIABLE IF EXISTS x;
SELECT x AS v;
--> stmt 1 DROP_VARIABLE
--> @2 out.v <- ()
--> issue UNRESOLVED_REFERENCE @2

-- case: dropped_variables_by_their_short_words
DECLARE VARIABLE x INT;
DROP TEMP VAR x;
SELECT x AS v;
--> stmt 1 DROP_VARIABLE
--> @2 out.v <- ()
--> issue UNRESOLVED_REFERENCE @2

-- case: an_alias_hides_the_qualified_name_of_a_table_nobody_knows
SELECT shop.t.x, a.y FROM shop.t AS a;
--> out.x <- ()
--> out.y <- shop.t.y
--> issue UNRESOLVED_REFERENCE relation=shop.t column=x

-- case: spark_group_by_alias_can_be_switched_off
-- table: t(a int, b int)
SET spark.sql.groupByAliases = false;
SELECT a AS k, count(b) AS n FROM t GROUP BY k;
--> @1 out.k <- t.a
--> @1 out.n <= t.b[AGGREGATION]
--> issue UNKNOWN_COLUMN @1 column=k

-- case: spark_outputs_of_one_name_behind_a_grouping
-- table: t(a int, b int)
SELECT 2 AS a, 3 AS a FROM t GROUP BY ALL ORDER BY a;
SELECT 2 AS a, 3 AS a FROM t GROUP BY ALL HAVING a > 1;
SELECT b, 1 AS a, 1 AS a FROM t GROUP BY ALL HAVING a > 1;
SELECT a, a FROM t GROUP BY ALL HAVING a > 1 ORDER BY a;
--> partial
--> issue UNKNOWN_COLUMN @0 column=a
--> issue AMBIGUOUS_COLUMN @1 column=a
--> issue AMBIGUOUS_COLUMN @2 column=a

-- case: having_is_reported_before_order_by
-- table: t(a int, b int)
SELECT count(*) AS n FROM t GROUP BY a HAVING b > 1 ORDER BY b;
--> partial
--> issue UNKNOWN_COLUMN column=b span.start=46

-- case: a_function_around_an_aggregate_is_none_itself
-- table: t(a int, b int)
SELECT mine(count(*)) AS n FROM t GROUP BY a ORDER BY mine(b);
SELECT count(*) AS n FROM t GROUP BY mine(a) HAVING mine(b) > 1;
SELECT count(*) AS n FROM t GROUP BY a HAVING perhaps_an_aggregate(b) > 1;
SELECT count(*) AS n FROM t HAVING grouping(a) = 0;
SELECT mine(count(*)) AS n FROM t GROUP BY mine(t.b) ORDER BY mine(b);
--> partial
--> issue UNKNOWN_COLUMN @0 column=b
--> issue UNKNOWN_COLUMN @1 column=b
--> issue UNKNOWN_COLUMN @3 column=a

-- case: spark_default_catalog_and_namespace_before_a_column
CREATE TABLE t (a INT, s STRUCT<f: INT>);
SELECT spark_catalog.default.t.a, default.t.a AS b, spark_catalog.default.t.s.f FROM t;
SELECT elsewhere.t.a FROM t;
--> @1 out.a <- t.a
--> @1 out.b <- t.a
--> @1 out.f <= t.s
--> @2 out.a <- ()
--> issue UNRESOLVED_REFERENCE @2

-- case: spark_compares_keys_by_what_they_mean
-- table: t(a int, b int)
-- table: u(a int, b int)
SELECT count(*) AS n FROM t JOIN u ON t.a = u.a GROUP BY t.b + 1 HAVING 1 + t.b > 5;
SELECT count(*) AS n FROM t JOIN u ON t.a = u.a GROUP BY t.b + 1 HAVING 1 + u.b > 5;
SELECT sum(b) AS s, s + 1 AS r FROM t GROUP BY a HAVING 1 + b > 5;
--> partial
--> issue UNKNOWN_COLUMN @1 column=b
--> issue UNKNOWN_COLUMN @2 column=b

-- case: a_star_of_a_table_that_an_alias_hides
-- dialect: generic
SELECT t.* FROM t AS a JOIN u AS b ON a.id = b.id;
--> out <- t?
--> out <+ u
--> issue UNRESOLVED_REFERENCE column=*

-- case: a_column_of_that_name_is_meant_first
-- dialect: spark
-- table: t(id int, u struct<c: int>)
-- table: u(id int)
SELECT u.c FROM t JOIN u AS b ON t.id = b.id;
--> out.c <= t.u

-- case: bigquery_groups_by_the_output_that_two_tables_could_mean
-- dialect: bigquery
-- options: {"includeIndirect": true}
-- table: d.a(k int64, v int64)
-- table: d.b(k int64)
SELECT a.k, sum(v) AS s FROM d.a JOIN d.b ON a.k = b.k GROUP BY k;
--> out.k <- d.a.k
--> out.s <= d.a.v
--> out <~ d.a.k[GROUP_BY]

-- case: having_names_two_outputs
-- dialect: bigquery
-- table: d.t(k int64)
SELECT sum(k) AS b, count(k) AS b FROM d.t HAVING b > 5;
--> out.b <= d.t.k
--> out.b <= d.t.k
--> issue AMBIGUOUS_COLUMN column=b

-- case: having_names_two_outputs_in_spark
-- table: t(k int)
SELECT sum(k) AS b, count(k) AS b FROM t HAVING b > 5;
--> out.b <= t.k
--> out.b <= t.k
--> issue AMBIGUOUS_COLUMN column=b

-- case: spark_groups_by_the_first_of_two_outputs
-- options: {"includeIndirect": true}
-- table: t(k int, l int)
SELECT k AS b, count(l) AS b FROM t GROUP BY b;
--> out.b <- t.k
--> out.b <= t.l
--> out <~ t.k[GROUP_BY]
--> no issue AMBIGUOUS_COLUMN

-- case: bigquery_groups_by_two_outputs
-- dialect: bigquery
-- table: d.t(k int64, l int64)
SELECT k AS b, count(l) AS b FROM d.t GROUP BY b;
--> out.b <- d.t.k
--> out.b <= d.t.l
--> issue AMBIGUOUS_COLUMN column=b

-- case: an_identifier_clause_before_a_dot_is_a_column
-- table: s.t(c struct<f:int>, d int)
SELECT IDENTIFIER('c').f FROM s.t;
SELECT IDENTIFIER('t').d FROM s.t;
SELECT IDENTIFIER('t.d') FROM IDENTIFIER('s').t;
--> @0 out.f <= s.t.c
--> @1 out.d <= s.t.t?
--> @2 out.d <- s.t.d
--> issue UNKNOWN_COLUMN @1 relation=s.t column=t

-- case: a_field_of_a_session_variable
DECLARE VARIABLE v STRUCT<a INT, b STRING> DEFAULT named_struct('a', 1, 'b', 'x');
DECLARE VARIABLE session STRUCT<c INT>;
CREATE TABLE n AS SELECT v.a, session.v.b, system.session.v.a AS d, session.c;
SELECT v.nosuch AS e;
--> schema n(a int, b string, d int, c int) implied
--> partial
--> issue UNRESOLVED_REFERENCE @3 column=nosuch

-- case: having_means_an_output_where_spark_cannot_tell_tables_apart
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT a.id, count(*) AS n FROM a JOIN b ON a.x = b.y GROUP BY a.id HAVING id > 3;
SELECT 3 AS x FROM (SELECT a.x, b.y AS x FROM a, b) q GROUP BY ALL HAVING x > 3;
SELECT count(*) AS n FROM a JOIN b ON a.x = b.y GROUP BY a.id, b.id HAVING id > 3;
SELECT a.id, count(*) AS n FROM a JOIN b ON a.x = b.y GROUP BY id HAVING id > 3;
--> partial
--> issue AMBIGUOUS_COLUMN @2 column=id
--> issue AMBIGUOUS_COLUMN @3 column=id

-- case: having_of_postgres_sees_tables_alone
-- dialect: postgres
-- table: a(id int, x int)
-- table: b(id int, y int)
SELECT a.id, count(*) AS n FROM a JOIN b ON a.x = b.y GROUP BY a.id HAVING id > 3;
--> partial
--> issue AMBIGUOUS_COLUMN @0 column=id

-- case: current_path_is_no_column
SELECT current_path AS p;
--> out.p <- ()
--> no issue UNRESOLVED_REFERENCE
-- case: sqlite_takes_a_quoted_name_that_nothing_has_for_a_string
-- dialect: sqlite
-- table: city(name text, state text, a text)
-- options: {"includeIndirect": true}
SELECT "name", a || "!" AS loud FROM city WHERE "state" = "New York";
--> out.name <- city.name
--> out.loud <= city.a
--> out <~ city.state[FILTER]

-- case: sqlite_knows_no_string_in_brackets_or_backticks
-- dialect: sqlite
-- table: city(name text)
SELECT name FROM city WHERE name = [New York] OR name = `Boston`;
--> out.name <- city.name
--> issue UNKNOWN_COLUMN relation=city "column=New York"
--> issue UNKNOWN_COLUMN relation=city column=Boston

-- case: sqlite_knows_no_string_behind_a_qualifier
-- dialect: sqlite
-- table: city(name text)
SELECT name FROM city AS c WHERE name = c."Boston";
--> out.name <- city.name
--> issue UNKNOWN_COLUMN relation=city column=Boston

-- case: quoted_names_are_names_elsewhere
-- dialect: duckdb
-- table: city(name text)
SELECT name FROM city WHERE name = "Boston";
--> out.name <- city.name
--> issue UNKNOWN_COLUMN relation=city column=Boston

-- case: dropped_variables_named_by_a_text
DECLARE VARIABLE x INT;
DROP TEMPORARY VARIABLE IF EXISTS IDENTIFIER('session.x');
SELECT x AS v;
--> stmt 1 DROP_VARIABLE
--> @2 out.v <- ()
--> issue UNRESOLVED_REFERENCE @2

-- case: order_by_all_of_a_window_is_a_column
-- dialect: spark
-- table: t(a int, b int)
-- table: u(a int, all int)
SELECT rank() OVER (PARTITION BY b ORDER BY all) AS r FROM t ORDER BY ALL;
SELECT sum(a) OVER w AS s FROM u WINDOW w AS (ORDER BY all DESC);
--> @0 out.r <= t.b[WINDOW], t.all[WINDOW]?
--> @1 out.s <= u.a, u.all[WINDOW]
--> issue UNKNOWN_COLUMN @0 relation=t column=all

-- case: an_aggregation_by_nothing_is_a_column_called_group
-- dialect: spark
-- table: t(a int)
-- table: u(group int)
FROM t |> AGGREGATE GROUP BY;
FROM u |> AGGREGATE group by;
--> @0 out.by <- t.group?
--> @1 out.by <- u.group
--> issue UNKNOWN_COLUMN @0 relation=t column=group

-- case: values_outside_of_queries_name_variables_alone
-- dialect: spark
-- table: t(a int)
DECLARE VARIABLE x INT;
DECLARE VARIABLE query STRING = 'SELECT a FROM t WHERE a = ?';
SET VARIABLE x = session.x + 1, query = DEFAULT;
SET VAR x = session.default;
SET VARIABLE x = a;
EXECUTE IMMEDIATE 'SELECT a FROM t WHERE a = ? AND a > :least' USING x, abs(a) AS least;
SET x = a;
--> @5 out.a <- t.a
--> issue UNRESOLVED_REFERENCE @3 column=default
--> issue UNRESOLVED_REFERENCE @4 column=a
--> issue UNRESOLVED_REFERENCE @5 column=a

-- case: a_select_alias_given_twice_is_no_lateral_name
-- dialect: spark
-- table: t(x int, y int, z array<int>)
SELECT x AS a, y AS a, a + 1 AS b FROM t;
SELECT x AS a, a + 1 AS b, y AS a FROM t;
SELECT explode(z) AS a, x AS a, a + 1 AS b FROM t;
SELECT y AS x, y AS x, x + 1 AS b FROM t;
--> partial
--> @0 out.b <= t.x
--> @1 out.b <= t.x
--> @3 out.b <= t.x
--> issue AMBIGUOUS_COLUMN @0 column=a
--> issue AMBIGUOUS_COLUMN @2 column=a
