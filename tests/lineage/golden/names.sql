-- Names: quoting, folding and canonical parts (spec 2.1).

-- case: postgres_folds_unquoted_to_lower
-- dialect: postgres
-- table: users(id int)
SELECT ID FROM Users;
--> out.ID <- users.id
--> node users label=Users qualifiedName=users

-- case: postgres_quoted_name_is_another_table
-- dialect: postgres
-- table: users(id int)
SELECT id FROM "Users";
--> out.id <- Users.id
--> issue UNKNOWN_TABLE relation=Users

-- case: snowflake_folds_unquoted_to_upper
-- dialect: snowflake
-- table: USERS(ID int)
SELECT id FROM users;
--> out.id <- USERS.ID
--> node USERS label=users resolutionSource=imported

-- case: oracle_quoted_lower_case_differs
-- dialect: oracle
-- table: T(A int)
SELECT "a" FROM t;
--> out.a <- T.a?
--> issue UNKNOWN_COLUMN relation=T column=a

-- case: spark_ignores_case_even_when_quoted
-- table: users(id int, name string)
SELECT `ID`, Name FROM `USERS`;
--> out.ID <- users.id
--> out.Name <- users.name

-- case: duckdb_ignores_case_even_when_quoted
-- dialect: duckdb
-- table: users(id int)
SELECT "Id" FROM "Users";
--> out.Id <- users.id

-- case: tsql_brackets
-- dialect: tsql
-- table: dbo.Users(Id int)
SELECT [id] FROM [dbo].[users];
--> out.id <- dbo.users.id

-- case: bigquery_table_names_are_case_sensitive
-- dialect: bigquery
-- table: d.Users(id int64)
SELECT ID FROM d.users;
--> out.ID <- d.users.id
--> issue UNKNOWN_TABLE relation=d.users

-- case: bigquery_columns_are_case_insensitive
-- dialect: bigquery
-- table: d.Users(Id int64)
SELECT iD FROM d.Users;
--> out.iD <- d.Users.id

-- case: mysql_table_names_are_case_sensitive
-- dialect: mysql
-- table: Users(id int)
SELECT ID FROM Users;
--> out.ID <- Users.id

-- case: clickhouse_is_case_sensitive
-- dialect: clickhouse
-- table: t(a Int32)
SELECT A FROM t;
--> out.A <- t.A?
--> issue UNKNOWN_COLUMN relation=t column=A

-- case: case_sensitivity_override_upper
-- dialect: postgres
-- schema: {"caseSensitivity": "upper"}
-- table: USERS(ID int)
SELECT id FROM users;
--> out.id <- USERS.ID

-- case: case_sensitivity_override_exact
-- dialect: postgres
-- schema: {"caseSensitivity": "exact"}
-- table: Users(Id int)
SELECT Id FROM Users;
--> out.Id <- Users.Id

-- case: three_part_names
-- table: lake.sales.orders(id int)
SELECT id FROM lake.sales.orders;
--> out.id <- lake.sales.orders.id
--> stmt 0 SELECT reads lake.sales.orders

-- case: iceberg_branch_is_the_base_table
-- table: lake.sales.orders(id int)
SELECT id FROM lake.sales.orders.branch_audit;
--> out.id <- lake.sales.orders.id
--> node lake.sales.orders metadata.branch=audit

-- case: iceberg_tag_is_the_base_table
-- table: lake.sales.orders(id int)
SELECT id FROM lake.sales.orders.tag_v1;
--> out.id <- lake.sales.orders.id
--> node lake.sales.orders metadata.tag=v1

-- case: iceberg_metadata_table_has_its_own_columns
-- table: lake.sales.orders(id int)
SELECT snapshot_id, committed_at FROM lake.sales.orders.snapshots;
--> out.snapshot_id <- lake.sales.orders.snapshot_id
--> out.committed_at <- lake.sales.orders.committed_at
--> stmt 0 SELECT reads lake.sales.orders
--> node lake.sales.orders metadata.metadataTable=snapshots
--> no issue UNKNOWN_COLUMN

-- case: bigquery_dashed_project
-- dialect: bigquery
-- table: my-project.d.t(a int64)
SELECT a FROM `my-project`.d.t;
--> out.a <- my-project.d.t.a

-- case: bigquery_whole_name_in_backticks
-- dialect: bigquery
-- table: my-project.d.t(a int64)
SELECT a FROM `my-project.d.t`;
--> out.a <- my-project.d.t.a

-- case: bigquery_date_shards_fold
-- dialect: bigquery
SELECT a.x, b.x AS y FROM d.events_20240101 AS a CROSS JOIN d.events_20240102 AS b;
--> out.x <- d.events.x
--> out.y <- d.events.x
--> stmt 0 SELECT reads d.events

-- case: default_schema_completes_a_name
-- schema: {"defaultCatalog": "lake", "defaultSchema": "sales"}
-- table: lake.sales.orders(id int)
SELECT id FROM orders;
--> out.id <- lake.sales.orders.id
--> stmt 0 SELECT reads lake.sales.orders

-- case: default_catalog_completes_two_parts
-- schema: {"defaultCatalog": "lake", "defaultSchema": "sales"}
-- table: lake.other.t(id int)
SELECT id FROM other.t;
--> out.id <- lake.other.t.id

-- case: imported_mixed_case_is_found_by_its_quoted_name
-- dialect: postgres
-- table: Users(Id int)
SELECT "Id" FROM "Users";
--> out.Id <- Users.Id

-- case: names_with_dashes_and_digits_are_whole
-- dialect: bigquery
INSERT INTO day-sums SELECT s.id, t.n FROM our-lake.raw-data.sales-log AS s JOIN raw.7days AS t ON s.id = t.id;
--> day-sums.id <- our-lake.raw-data.sales-log.id
--> day-sums.n <- raw.7days.n
--> stmt 0 INSERT reads our-lake.raw-data.sales-log, raw.7days writes day-sums

-- case: a_schema_that_is_not_named
-- dialect: tsql
-- table: db.dbo.t(a int)
-- table: db.dbo.u(a int)
INSERT INTO db..u (a) SELECT db..t.a FROM db..t;
--> db.dbo.u.a <- db.dbo.t.a
--> stmt 0 INSERT reads db.dbo.t writes db.dbo.u

-- case: a_schema_that_is_not_named_is_public
-- dialect: snowflake
-- table: DB.PUBLIC.T(A int)
SELECT a FROM db..t;
--> out.a <- DB.PUBLIC.T.A

-- case: an_imported_name_in_quotes_is_no_conflict
-- dialect: postgres
-- table: users(userId int, name text)
CREATE TABLE users ("userId" int, name text);
SELECT "userId" FROM users;
--> partial
--> @1 out.userId <- users.userId

-- case: a_cluster_before_the_database_is_no_part_of_the_name
-- dialect: doris
-- table: db.t(a int)
INSERT INTO default_cluster:db.n SELECT a FROM default_cluster:db.t;
--> db.n.a <- db.t.a
--> issue UNKNOWN_TABLE relation=db.n

-- case: a_cluster_inside_quotes
-- dialect: starrocks
-- table: db.t(a int)
SELECT `c1:db`.`t`.`a` FROM `c1:db`.`t`;
--> out.a <- db.t.a
-- case: a_setting_of_spark_makes_names_of_double_quotes
SET spark.sql.ansi.doubleQuotedIdentifiers = true;
CREATE TABLE "day log" ("the day" DATE, n INT);
SELECT "the day", 'a', "l".n FROM "day log" AS "l" WHERE "night" = 'x';
SET spark.sql.ansi.doubleQuotedIdentifiers = false;
SELECT "the day" FROM `day log`;
--> @2 out.the day <- day log.the day
--> @2 out.a <- ()
--> @2 out.n <- day log.n
--> @4 out.the day <= day log[ROW]
--> issue UNKNOWN_COLUMN @2 relation="day log" column=night
-- case: a_name_that_ends_in_a_number_before_its_dot
-- dialect: bigquery
SELECT * FROM lake-0.orders;
--> out <- lake-0.orders?
--> issue APPROXIMATE_LINEAGE
--> node lake-0.orders label=orders nameSpans.0.start=14 nameSpans.0.end=27
