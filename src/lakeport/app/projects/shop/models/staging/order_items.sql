/* lakeport
materialized = "incremental"
unique_key = ["order_id", "line"]
*/
SELECT order_id, line, product_id, quantity, coalesce(discount, 0) AS discount
FROM raw.order_items
WHERE quantity > 0
