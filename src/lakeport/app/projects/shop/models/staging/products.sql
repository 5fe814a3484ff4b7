/* lakeport
materialized = "table"
*/
SELECT product_id, name, category, unit_price
FROM raw.products
