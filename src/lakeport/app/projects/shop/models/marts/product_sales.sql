/* lakeport
materialized = "table"
*/
SELECT
  product.product_id,
  product.name,
  product.category,
  coalesce(sum(item.quantity), 0) AS sold
FROM staging.products AS product
LEFT JOIN staging.order_items AS item ON item.product_id = product.product_id
GROUP BY product.product_id, product.name, product.category
