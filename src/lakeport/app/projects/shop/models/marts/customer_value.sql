/* lakeport
materialized = "table"
*/
SELECT
  customer.customer_id,
  customer.name,
  customer.country,
  count(totals.order_id) AS orders,
  coalesce(sum(totals.total), 0) AS revenue,
  max(totals.ordered_on) AS last_order,
  count(totals.order_id) >= :loyal_after AS is_loyal
FROM staging.customers AS customer
LEFT JOIN intermediate.order_totals AS totals ON totals.customer_id = customer.customer_id
GROUP BY customer.customer_id, customer.name, customer.country
