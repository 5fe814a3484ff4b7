-- Classification tags travel with values (spec 1.7).

-- case: tag_is_inherited
-- table: s(mail string)
-- request: {"tagHints": [{"table": "s", "column": "mail", "tags": [{"name": "pii"}]}]}
CREATE TABLE t AS SELECT mail FROM s;
--> t.mail <- s.mail
--> node s.mail tags.0.name=pii
--> node t.mail tags.0.name=pii tags.0.inherited=true

-- case: masking_stops_a_tag
-- table: s(mail string)
-- request: {"tagHints": [{"table": "s", "column": "mail", "tags": [{"name": "pii"}]}]}
CREATE TABLE t AS SELECT sha2(mail, 256) AS h FROM s;
--> t.h <= s.mail
--> node t.h tags=null

-- case: tag_follows_a_derivation_weaker
-- table: s(mail string)
-- request: {"tagHints": [{"table": "s", "column": "mail", "tags": [{"name": "pii", "confidence": 1.0}]}]}
CREATE TABLE t AS SELECT lower(mail) AS m FROM s;
--> t.m <= s.mail
--> node t.m tags.0.name=pii tags.0.confidence=0.9

-- case: star_hint_tags_every_column
-- table: s(a int, b int)
-- request: {"tagHints": [{"table": "s", "column": "*", "tags": [{"name": "internal"}]}]}
SELECT a, b FROM s;
--> out.a <- s.a
--> out.b <- s.b
--> node out.b tags.0.name=internal

-- case: what_a_query_answers_is_a_tagged_column_of_no_table
-- table: s(mail string)
-- request: {"tagHints": [{"table": "s", "column": "mail", "tags": [{"name": "pii"}]}]}
SELECT mail FROM s;
--> out.mail <- s.mail
--> summary tagCounts.0.columns=2 tagCounts.0.tables=1
