/* lakeport
materialized = "table"
audits = [
  { unique = "product_id" },
  { sql = "SELECT * FROM this_rows WHERE unit_price <= 0", name = "prices_are_positive" },
]
*/
SELECT product_id, name, category, unit_price
FROM raw.products
