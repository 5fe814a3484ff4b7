/* lakeport
materialized = "incremental"
unique_key = ["day"]
tags = ["nightly"]
audits = [{ row_count = { min = 1 } }]
*/
SELECT ordered_on AS day, count(*) AS orders, sum(items) AS items, sum(total) AS revenue
FROM intermediate.order_totals
GROUP BY ordered_on
