/* lakeport
materialized = "incremental"
unique_key = ["customer_id"]
audits = [
  { not_null = ["customer_id", "name"] },
  { unique = "customer_id" },
]
*/
SELECT
  customer_id,
  trim(name) AS name,
  lower(email) AS email,
  upper(country) AS country,
  signed_up_at
FROM raw.customers
{% if is_incremental() %}
WHERE signed_up_at > (SELECT max(signed_up_at) FROM {{ this }})
{% endif %}
