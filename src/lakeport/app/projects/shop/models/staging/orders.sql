/* lakeport
materialized = "incremental"
unique_key = ["order_id"]
time_column = "ordered_at"
*/
SELECT
  order_id,
  customer_id,
  status,
  ordered_at,
  CAST(ordered_at AS DATE) AS ordered_on
FROM raw.orders
WHERE status <> 'test'
