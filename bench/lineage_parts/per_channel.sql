-- Asked of each channel: {c} its name, {s} and {r} the prefixes of its sales and returns, {place} and {l} where it sells, {y} a year.
WITH returned
     AS (SELECT {r}_customer_key AS back_customer_key,
                {r}_reason_key   AS back_reason_key,
                Sum({r}_amount)  AS back_total
         FROM   {c}_returns,
                day
         WHERE  {r}_returned_day_key = d_key
                AND d_year = {y}
         GROUP  BY {r}_customer_key,
                   {r}_reason_key)
SELECT c_id,
       c_first_name,
       c_last_name,
       re_description
FROM   returned one,
       reason,
       customer
WHERE  one.back_total > (SELECT Avg(back_total) * 1.2
                         FROM   returned two
                         WHERE  one.back_reason_key = two.back_reason_key)
       AND re_key = one.back_reason_key
       AND one.back_customer_key = c_key
ORDER  BY c_id,
          re_description
LIMIT  100;

SELECT i_id,
       i_description,
       i_category,
       i_class,
       i_current_price,
       Sum({s}_ext_sales_price)                                    AS item_revenue,
       Sum({s}_ext_sales_price) * 100 / Sum(Sum({s}_ext_sales_price))
                                          OVER (
                                            PARTITION BY i_class) AS revenue_share
FROM   {c}_sales,
       item,
       day
WHERE  {s}_item_key = i_key
       AND i_category IN ( 'Home', 'Books', 'Garden' )
       AND {s}_sold_day_key = d_key
       AND d_date BETWEEN Cast('{y}-02-03' AS DATE) AND ( Cast('{y}-02-03' AS DATE) + INTERVAL '30' day )
GROUP  BY i_id,
          i_description,
          i_category,
          i_class,
          i_current_price
ORDER  BY i_category,
          i_class,
          i_id,
          i_description,
          revenue_share
LIMIT  100;

SELECT a_state          AS state,
       Count(*)         AS customers
FROM   address,
       customer,
       {c}_sales,
       day,
       item outer_item
WHERE  a_key = c_address_key
       AND c_key = {s}_customer_key
       AND {s}_sold_day_key = d_key
       AND {s}_item_key = outer_item.i_key
       AND d_month_seq = (SELECT DISTINCT d_month_seq
                          FROM   day
                          WHERE  d_year = {y}
                                 AND d_month = 7)
       AND outer_item.i_current_price > 1.2 * (SELECT Avg(inner_item.i_current_price)
                                               FROM   item inner_item
                                               WHERE  inner_item.i_category = outer_item.i_category)
GROUP  BY a_state
HAVING Count(*) >= 10
ORDER  BY customers
LIMIT  100;

SELECT d_week_seq,
       {l}_id,
       {l}_name,
       Sum(CASE
             WHEN d_weekday = 'Sunday' THEN {s}_sales_price
             ELSE NULL
           END) AS sunday,
       Sum(CASE
             WHEN d_weekday = 'Monday' THEN {s}_sales_price
             ELSE NULL
           END) AS monday,
       Sum(CASE
             WHEN d_weekday = 'Tuesday' THEN {s}_sales_price
             ELSE NULL
           END) AS tuesday,
       Sum(CASE
             WHEN d_weekday = 'Wednesday' THEN {s}_sales_price
             ELSE NULL
           END) AS wednesday,
       Sum(CASE
             WHEN d_weekday = 'Saturday' THEN {s}_sales_price
             ELSE NULL
           END) AS saturday
FROM   day,
       {c}_sales,
       {place}
WHERE  d_key = {s}_sold_day_key
       AND {l}_key = {s}_{place}_key
       AND {l}_offset_hours = -5
       AND d_year = {y}
GROUP  BY d_week_seq,
          {l}_id,
          {l}_name
ORDER  BY {l}_name,
          {l}_id,
          d_week_seq,
          sunday
LIMIT  100;

SELECT i_id,
       Avg({s}_quantity)    AS mean_quantity,
       Avg({s}_list_price)  AS mean_list_price,
       Avg({s}_coupon)      AS mean_coupon,
       Avg({s}_sales_price) AS mean_sales_price
FROM   {c}_sales,
       person,
       day,
       item,
       promotion
WHERE  {s}_sold_day_key = d_key
       AND {s}_item_key = i_key
       AND {s}_person_key = p_key
       AND {s}_promotion_key = pr_key
       AND p_gender = 'F'
       AND p_marital_status = 'W'
       AND p_education = 'College'
       AND ( pr_by_email = 'N'
              OR pr_by_event = 'N' )
       AND d_year = {y}
GROUP  BY i_id
ORDER  BY i_id
LIMIT  100;

SELECT dt.d_year,
       item.i_brand_id           AS brand_id,
       item.i_brand              AS brand,
       Sum({s}_ext_discount)     AS discount,
       Sum({s}_ext_sales_price)  AS total
FROM   day dt,
       {c}_sales,
       item
WHERE  dt.d_key = {c}_sales.{s}_sold_day_key
       AND {c}_sales.{s}_item_key = item.i_key
       AND item.i_maker_id = 31
       AND dt.d_month = 11
GROUP  BY dt.d_year,
          item.i_brand,
          item.i_brand_id
ORDER  BY dt.d_year,
          discount DESC,
          brand_id
LIMIT  100;

SELECT Sum({s}_quantity)
FROM   {c}_sales,
       {place},
       person,
       address,
       day
WHERE  {l}_key = {s}_{place}_key
       AND {s}_sold_day_key = d_key
       AND d_year = {y}
       AND ( ( p_key = {s}_person_key
               AND p_marital_status = 'M'
               AND p_education = 'Secondary'
               AND {s}_sales_price BETWEEN 100.00 AND 150.00 )
              OR ( p_key = {s}_person_key
                   AND p_marital_status = 'S'
                   AND p_education = '2 yr Degree'
                   AND {s}_sales_price BETWEEN 50.00 AND 100.00 )
              OR ( p_key = {s}_person_key
                   AND p_marital_status = 'D'
                   AND p_education = 'Advanced Degree'
                   AND {s}_sales_price BETWEEN 150.00 AND 200.00 ) )
       AND ( ( {s}_address_key = a_key
               AND a_country = 'United States'
               AND a_state IN ( 'WA', 'ME', 'OR' )
               AND {s}_net_profit BETWEEN 0 AND 2000 )
              OR ( {s}_address_key = a_key
                   AND a_country = 'United States'
                   AND a_state IN ( 'VT', 'UT', 'NM' )
                   AND {s}_net_profit BETWEEN 150 AND 3000 ) );

WITH sold
     AS (SELECT i_category,
                i_brand,
                {l}_name,
                {l}_company_name,
                d_year,
                d_month,
                Sum({s}_sales_price)                           AS month_total,
                Avg(Sum({s}_sales_price))
                  OVER (
                    partition BY i_category, i_brand, {l}_name, {l}_company_name, d_year) AS month_mean,
                Rank()
                  OVER (
                    partition BY i_category, i_brand, {l}_name, {l}_company_name
                    ORDER BY d_year, d_month)                  AS place
         FROM   item,
                {c}_sales,
                day,
                {place}
         WHERE  {s}_item_key = i_key
                AND {s}_sold_day_key = d_key
                AND {s}_{place}_key = {l}_key
                AND ( d_year = {y}
                       OR ( d_year = {y} - 1
                            AND d_month = 12 )
                       OR ( d_year = {y} + 1
                            AND d_month = 1 ) )
         GROUP  BY i_category,
                   i_brand,
                   {l}_name,
                   {l}_company_name,
                   d_year,
                   d_month),
     around
     AS (SELECT one.i_category,
                one.d_year,
                one.d_month,
                one.month_mean,
                one.month_total,
                lagged.month_total AS before_total,
                led.month_total    AS after_total
         FROM   sold one,
                sold lagged,
                sold led
         WHERE  one.i_category = lagged.i_category
                AND one.i_category = led.i_category
                AND one.i_brand = lagged.i_brand
                AND one.i_brand = led.i_brand
                AND one.{l}_name = lagged.{l}_name
                AND one.{l}_name = led.{l}_name
                AND one.{l}_company_name = lagged.{l}_company_name
                AND one.{l}_company_name = led.{l}_company_name
                AND one.place = lagged.place + 1
                AND one.place = led.place - 1)
SELECT *
FROM   around
WHERE  d_year = {y}
       AND month_mean > 0
       AND CASE
             WHEN month_mean > 0 THEN Abs(month_total - month_mean) / month_mean
             ELSE NULL
           END > 0.1
ORDER  BY month_total - month_mean,
          3
LIMIT  100;

SELECT c_last_name,
       c_first_name,
       c_salutation,
       c_preferred,
       ticket,
       bought
FROM   (SELECT {s}_ticket       AS ticket,
               {s}_customer_key AS buyer,
               Count(*)         AS bought
        FROM   {c}_sales,
               day,
               {place},
               household
        WHERE  {s}_sold_day_key = d_key
               AND {s}_{place}_key = {l}_key
               AND {s}_household_key = h_key
               AND ( d_month_day BETWEEN 1 AND 3
                      OR d_month_day BETWEEN 25 AND 28 )
               AND ( h_buy_potential = '>10000'
                      OR h_buy_potential = 'Unknown' )
               AND h_vehicles > 0
               AND ( CASE
                       WHEN h_vehicles > 0 THEN h_dependants / h_vehicles
                       ELSE NULL
                     END ) > 1.2
               AND d_year IN ( {y}, {y} + 1, {y} + 2 )
               AND {l}_county IN ( 'Lake', 'Hill', 'Marsh', 'Bay' )
        GROUP  BY {s}_ticket,
                  {s}_customer_key) baskets,
       customer
WHERE  buyer = c_key
       AND bought BETWEEN 15 AND 20
ORDER  BY c_last_name,
          c_first_name,
          c_salutation,
          c_preferred DESC,
          ticket;

SELECT p_gender,
       p_marital_status,
       p_education,
       Count(*) AS number_of,
       p_purchase_estimate,
       Count(*) AS again,
       p_credit_rating,
       Count(*) AS once_more
FROM   customer c,
       address ca,
       person
WHERE  c.c_address_key = ca.a_key
       AND a_county IN ( 'Lake', 'Hill', 'Bay' )
       AND p_key = c.c_person_key
       AND EXISTS (SELECT *
                   FROM   {c}_sales,
                          day
                   WHERE  c.c_key = {s}_customer_key
                          AND {s}_sold_day_key = d_key
                          AND d_year = {y}
                          AND d_month BETWEEN 4 AND 4 + 3)
       AND NOT EXISTS (SELECT *
                       FROM   {c}_returns,
                              day
                       WHERE  c.c_key = {r}_customer_key
                              AND {r}_returned_day_key = d_key
                              AND d_year = {y})
GROUP  BY p_gender,
          p_marital_status,
          p_education,
          p_purchase_estimate,
          p_credit_rating
ORDER  BY p_gender,
          p_marital_status,
          p_education,
          p_purchase_estimate,
          p_credit_rating
LIMIT  100;

SELECT Sum({s}_net_profit) / Sum({s}_ext_sales_price) AS margin,
       i_category,
       i_class,
       Grouping(i_category) + Grouping(i_class)       AS level,
       Rank()
         OVER (
           partition BY Grouping(i_category) + Grouping(i_class),
             CASE
               WHEN Grouping(i_class) = 0 THEN i_category
             END
           ORDER BY Sum({s}_net_profit) / Sum({s}_ext_sales_price) ASC) AS rank_in_parent
FROM   {c}_sales,
       day d1,
       item,
       {place}
WHERE  d1.d_year = {y}
       AND d1.d_key = {s}_sold_day_key
       AND i_key = {s}_item_key
       AND {l}_key = {s}_{place}_key
       AND {l}_state IN ( 'WA', 'ME', 'OR', 'VT' )
GROUP  BY rollup ( i_category, i_class )
ORDER  BY level DESC,
          CASE
            WHEN level = 0 THEN i_category
          END,
          rank_in_parent
LIMIT  100;

SELECT *
FROM   (SELECT i_category,
               i_class,
               i_brand,
               {l}_name,
               {l}_company_name,
               d_month,
               Sum({s}_sales_price)                AS month_total,
               Avg(Sum({s}_sales_price))
                 OVER (
                   partition BY i_category, i_brand, {l}_name, {l}_company_name) AS month_mean
        FROM   item,
               {c}_sales,
               day,
               {place}
        WHERE  {s}_item_key = i_key
               AND {s}_sold_day_key = d_key
               AND {s}_{place}_key = {l}_key
               AND d_year IN ( {y} )
               AND ( ( i_category IN ( 'Books', 'Music', 'Games' )
                       AND i_class IN ( 'novels', 'jazz', 'tennis' ) )
                      OR ( i_category IN ( 'Garden', 'Kitchen', 'Tools' )
                           AND i_class IN ( 'seeds', 'pans', 'saws' ) ) )
        GROUP  BY i_category,
                  i_class,
                  i_brand,
                  {l}_name,
                  {l}_company_name,
                  d_month) months
WHERE  CASE
         WHEN ( month_mean <> 0 ) THEN ( Abs(month_total - month_mean) / month_mean )
         ELSE NULL
       END > 0.1
ORDER  BY month_total - month_mean,
          {l}_name
LIMIT  100;

SELECT {s}_customer_key,
       Sum(kept) AS kept_total
FROM   (SELECT {s}_item_key,
               {s}_ticket,
               {s}_customer_key,
               CASE
                 WHEN {r}_quantity IS NOT NULL THEN ( {s}_quantity - {r}_quantity ) * {s}_sales_price
                 ELSE ( {s}_quantity * {s}_sales_price )
               END AS kept
        FROM   {c}_sales
               LEFT OUTER JOIN {c}_returns
                            ON ( {r}_item_key = {s}_item_key
                                 AND {r}_ticket = {s}_ticket ),
               reason
        WHERE  {r}_reason_key = re_key
               AND re_description = 'too small') t
GROUP  BY {s}_customer_key
ORDER  BY kept_total,
          {s}_customer_key
LIMIT  100;

SELECT i_id,
       i_description,
       i_current_price
FROM   item,
       stock,
       day,
       {c}_sales
WHERE  i_current_price BETWEEN 20 AND 20 + 30
       AND k_item_key = i_key
       AND d_key = k_day_key
       AND d_date BETWEEN Cast('{y}-10-12' AS DATE) AND ( Cast('{y}-10-12' AS DATE) + INTERVAL '60' day )
       AND i_maker_id IN ( 12, 31, 47, 88 )
       AND k_on_hand BETWEEN 100 AND 500
       AND {s}_item_key = i_key
GROUP  BY i_id,
          i_description,
          i_current_price
ORDER  BY i_id
LIMIT  100;

SELECT promotions,
       total,
       Cast(promotions AS DECIMAL(15, 4)) / Cast(total AS DECIMAL(15, 4)) * 100
FROM   (SELECT Sum({s}_ext_sales_price) AS promotions
        FROM   {c}_sales,
               {place},
               promotion,
               day,
               customer,
               address,
               item
        WHERE  {s}_sold_day_key = d_key
               AND {s}_{place}_key = {l}_key
               AND {s}_promotion_key = pr_key
               AND {s}_customer_key = c_key
               AND a_key = c_address_key
               AND {s}_item_key = i_key
               AND a_offset_hours = -7
               AND i_category = 'Books'
               AND ( pr_by_mail = 'Y'
                      OR pr_by_email = 'Y'
                      OR pr_by_tv = 'Y' )
               AND {l}_offset_hours = -7
               AND d_year = {y}
               AND d_month = 12) promoted,
       (SELECT Sum({s}_ext_sales_price) AS total
        FROM   {c}_sales,
               {place},
               day,
               customer,
               address,
               item
        WHERE  {s}_sold_day_key = d_key
               AND {s}_{place}_key = {l}_key
               AND {s}_customer_key = c_key
               AND a_key = c_address_key
               AND {s}_item_key = i_key
               AND a_offset_hours = -7
               AND i_category = 'Books'
               AND {l}_offset_hours = -7
               AND d_year = {y}
               AND d_month = 12) everything
ORDER  BY promotions,
          total
LIMIT  100;

WITH totals
     AS (SELECT {r}_customer_key     AS customer_key,
                a_state              AS state,
                Sum({r}_amount_tax)  AS total_returned
         FROM   {c}_returns,
                day,
                address
         WHERE  {r}_returned_day_key = d_key
                AND d_year = {y}
                AND {r}_address_key = a_key
         GROUP  BY {r}_customer_key,
                   a_state)
SELECT c_id,
       c_salutation,
       c_first_name,
       c_last_name,
       a_street_number,
       a_street_name,
       a_street_type,
       a_suite,
       a_city,
       a_county,
       a_state,
       a_zip,
       a_country,
       a_offset_hours,
       a_location_type,
       total_returned
FROM   totals one,
       address,
       customer
WHERE  one.total_returned > (SELECT Avg(total_returned) * 1.2
                             FROM   totals two
                             WHERE  one.state = two.state)
       AND a_key = c_address_key
       AND a_state = 'OR'
       AND one.customer_key = c_key
ORDER  BY c_id,
          c_salutation,
          c_first_name,
          c_last_name,
          a_city,
          a_zip,
          total_returned
LIMIT  100
