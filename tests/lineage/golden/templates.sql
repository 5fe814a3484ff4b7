-- Templates (spec 2.16).

-- case: jinja_variable
-- table: orders(id int)
-- request: {"templateConfig": {"mode": "jinja", "context": {"source": "orders"}}}
SELECT id FROM {{ source }};
--> out.id <- orders.id

-- case: jinja_undefined_is_an_error
-- request: {"templateConfig": {"mode": "jinja"}}
SELECT id FROM {{ nothing }};
--> issue TEMPLATE_ERROR severity=error

-- case: jinja_loop
-- table: t(a int, b int)
-- request: {"templateConfig": {"mode": "jinja"}}
SELECT {% for c in ['a', 'b'] %}{{ c }}{% if not loop.last %}, {% endif %}{% endfor %} FROM t;
--> out.a <- t.a
--> out.b <- t.b

-- case: dbt_files_chain_by_ref
-- request: {"templateConfig": {"mode": "dbt"}}
-- file: models/stage.sql
SELECT id, amount FROM {{ source('raw', 'orders') }}
-- file: models/mart.sql
SELECT id, sum(amount) AS total FROM {{ ref('stage') }} GROUP BY id
--> stage.id <- raw.orders.id
--> stage.amount <- raw.orders.amount
--> mart.id <- stage.id
--> mart.total <= stage.amount
--> cross 0 -> 1

-- case: dbt_dependency_order_is_the_default
-- request: {"templateConfig": {"mode": "dbt"}}
-- file: models/a_mart.sql
SELECT * FROM {{ ref('b_stage') }}
-- file: models/b_stage.sql
SELECT 1 AS id, 2 AS amount
--> a_mart.id <- b_stage.id
--> a_mart.amount <- b_stage.amount

-- case: dbt_config_and_var
-- request: {"templateConfig": {"mode": "dbt", "context": {"vars": {"cut": 3}}}}
-- file: models/m.sql
{{ config(materialized='table') }} SELECT id FROM {{ ref('s') }} WHERE id > {{ var('cut', 1) }}
--> m.id <- s.id

-- case: dbt_is_incremental_unions_both_renderings
-- request: {"templateConfig": {"mode": "dbt"}}
-- file: models/m.sql
{{ config(materialized='incremental') }}
SELECT id FROM {{ ref('s') }} {% if is_incremental() %} WHERE id > (SELECT max(id) FROM {{ this }}) {% endif %}
--> m.id <- s.id

-- case: raw_mode_does_not_render
-- table: t(a int)
SELECT a FROM t WHERE a = 1;
--> out.a <- t.a

-- case: dbt_models_named_as_the_ctes_that_read_them
-- request: {"templateConfig": {"mode": "dbt"}}
-- file: models/a_mart.sql
WITH orders AS (SELECT * FROM {{ ref('orders') }}) SELECT * FROM orders
-- file: models/orders.sql
SELECT 1 AS id, 2 AS amount
--> a_mart.id <- orders.id
--> a_mart.amount <- orders.amount
--> partial
--> no issue FORWARD_REFERENCE
