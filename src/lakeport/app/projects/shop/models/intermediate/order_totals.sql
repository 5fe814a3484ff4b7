/* lakeport
materialized = "incremental"
unique_key = ["order_id"]
tags = ["nightly"]
*/
WITH priced AS (
  SELECT
    item.order_id,
    item.quantity,
    item.quantity * product.unit_price * (1 - item.discount) AS amount
  FROM staging.order_items AS item
  JOIN staging.products AS product ON product.product_id = item.product_id
)
SELECT
  orders.order_id,
  orders.customer_id,
  orders.ordered_on,
  sum(priced.quantity) AS items,
  CAST(sum(priced.amount) AS DECIMAL(12, 2)) AS total
FROM staging.orders AS orders
JOIN priced ON priced.order_id = orders.order_id
WHERE orders.status IN ('paid', 'shipped')
GROUP BY orders.order_id, orders.customer_id, orders.ordered_on
