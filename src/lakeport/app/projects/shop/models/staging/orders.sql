/* lakeport
materialized = "incremental"
unique_key = ["order_id"]
audits = [
  { not_null = ["order_id", "customer_id"] },
  { accepted_values = "status", values = ["paid", "shipped", "cancelled"] },
  { relationships = "customer_id", to = "staging.customers", severity = "warn" },
]
*/
SELECT
  order_id,
  customer_id,
  status,
  ordered_at,
  CAST(ordered_at AS DATE) AS ordered_on
FROM raw.orders
WHERE status <> 'test'
