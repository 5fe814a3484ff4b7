-- Asked of all channels together, {y} is a year.
WITH yearly
     AS (SELECT c_id         AS customer_id,
                c_first_name AS customer_first_name,
                c_last_name  AS customer_last_name,
                c_preferred  AS customer_preferred,
                d_year       AS year_of,
                Sum(( ( ss_ext_list_price - ss_ext_wholesale_cost - ss_ext_discount ) + ss_ext_sales_price ) / 2) AS year_total,
                's'          AS sale_type
         FROM   customer,
                shop_sales,
                day
         WHERE  c_key = ss_customer_key
                AND ss_sold_day_key = d_key
         GROUP  BY c_id,
                   c_first_name,
                   c_last_name,
                   c_preferred,
                   d_year
         UNION ALL
         SELECT c_id         AS customer_id,
                c_first_name AS customer_first_name,
                c_last_name  AS customer_last_name,
                c_preferred  AS customer_preferred,
                d_year       AS year_of,
                Sum(( ( ms_ext_list_price - ms_ext_wholesale_cost - ms_ext_discount ) + ms_ext_sales_price ) / 2) AS year_total,
                'm'          AS sale_type
         FROM   customer,
                mail_sales,
                day
         WHERE  c_key = ms_customer_key
                AND ms_sold_day_key = d_key
         GROUP  BY c_id,
                   c_first_name,
                   c_last_name,
                   c_preferred,
                   d_year)
SELECT later_shop.customer_id,
       later_shop.customer_first_name,
       later_shop.customer_last_name,
       later_shop.customer_preferred
FROM   yearly first_shop,
       yearly later_shop,
       yearly first_mail,
       yearly later_mail
WHERE  later_shop.customer_id = first_shop.customer_id
       AND first_shop.customer_id = later_mail.customer_id
       AND first_shop.customer_id = first_mail.customer_id
       AND first_shop.sale_type = 's'
       AND first_mail.sale_type = 'm'
       AND later_shop.sale_type = 's'
       AND later_mail.sale_type = 'm'
       AND first_shop.year_of = {y}
       AND later_shop.year_of = {y} + 1
       AND first_mail.year_of = {y}
       AND later_mail.year_of = {y} + 1
       AND first_shop.year_total > 0
       AND first_mail.year_total > 0
       AND CASE
             WHEN first_mail.year_total > 0 THEN later_mail.year_total / first_mail.year_total
             ELSE NULL
           END > CASE
                   WHEN first_shop.year_total > 0 THEN later_shop.year_total / first_shop.year_total
                   ELSE NULL
                 END
ORDER  BY later_shop.customer_id,
          later_shop.customer_first_name,
          later_shop.customer_last_name,
          later_shop.customer_preferred
LIMIT  100;

WITH shop_flow
     AS (SELECT st_id,
                Sum(sales_price) AS sales,
                Sum(profit)      AS profit,
                Sum(return_amt)  AS returned,
                Sum(net_loss)    AS profit_loss
         FROM   (SELECT ss_store_key            AS place_key,
                        ss_sold_day_key         AS day_key,
                        ss_ext_sales_price      AS sales_price,
                        ss_net_profit           AS profit,
                        Cast(0 AS DECIMAL(7, 2)) AS return_amt,
                        Cast(0 AS DECIMAL(7, 2)) AS net_loss
                 FROM   shop_sales
                 UNION ALL
                 SELECT sr_store_key            AS place_key,
                        sr_returned_day_key     AS day_key,
                        Cast(0 AS DECIMAL(7, 2)) AS sales_price,
                        Cast(0 AS DECIMAL(7, 2)) AS profit,
                        sr_amount               AS return_amt,
                        sr_net_loss             AS net_loss
                 FROM   shop_returns) flows,
                day,
                store
         WHERE  day_key = d_key
                AND d_date BETWEEN Cast('{y}-04-10' AS DATE) AND ( Cast('{y}-04-10' AS DATE) + INTERVAL '14' day )
                AND place_key = st_key
         GROUP  BY st_id),
     mail_flow
     AS (SELECT cc_id,
                Sum(sales_price) AS sales,
                Sum(profit)      AS profit,
                Sum(return_amt)  AS returned,
                Sum(net_loss)    AS profit_loss
         FROM   (SELECT ms_call_centre_key      AS place_key,
                        ms_sold_day_key         AS day_key,
                        ms_ext_sales_price      AS sales_price,
                        ms_net_profit           AS profit,
                        Cast(0 AS DECIMAL(7, 2)) AS return_amt,
                        Cast(0 AS DECIMAL(7, 2)) AS net_loss
                 FROM   mail_sales
                 UNION ALL
                 SELECT mr_call_centre_key      AS place_key,
                        mr_returned_day_key     AS day_key,
                        Cast(0 AS DECIMAL(7, 2)) AS sales_price,
                        Cast(0 AS DECIMAL(7, 2)) AS profit,
                        mr_amount               AS return_amt,
                        mr_net_loss             AS net_loss
                 FROM   mail_returns) flows,
                day,
                call_centre
         WHERE  day_key = d_key
                AND d_date BETWEEN Cast('{y}-04-10' AS DATE) AND ( Cast('{y}-04-10' AS DATE) + INTERVAL '14' day )
                AND place_key = cc_key
         GROUP  BY cc_id)
SELECT channel,
       id,
       Sum(sales)    AS sales,
       Sum(returned) AS returned,
       Sum(profit)   AS profit
FROM   (SELECT 'shop channel'         AS channel,
               'store' || st_id       AS id,
               sales,
               returned,
               ( profit - profit_loss ) AS profit
        FROM   shop_flow
        UNION ALL
        SELECT 'mail channel'         AS channel,
               'call_centre' || cc_id AS id,
               sales,
               returned,
               ( profit - profit_loss ) AS profit
        FROM   mail_flow) x
GROUP  BY rollup ( channel, id )
ORDER  BY channel,
          id
LIMIT  100;

WITH ss
     AS (SELECT i_maker_id,
                Sum(ss_ext_sales_price) AS total_sales
         FROM   shop_sales,
                day,
                address,
                item
         WHERE  i_maker_id IN (SELECT i_maker_id
                               FROM   item
                               WHERE  i_category IN ( 'Books' ))
                AND ss_item_key = i_key
                AND ss_sold_day_key = d_key
                AND d_year = {y}
                AND d_month = 3
                AND ss_address_key = a_key
                AND a_offset_hours = -5
         GROUP  BY i_maker_id),
     ms
     AS (SELECT i_maker_id,
                Sum(ms_ext_sales_price) AS total_sales
         FROM   mail_sales,
                day,
                address,
                item
         WHERE  i_maker_id IN (SELECT i_maker_id
                               FROM   item
                               WHERE  i_category IN ( 'Books' ))
                AND ms_item_key = i_key
                AND ms_sold_day_key = d_key
                AND d_year = {y}
                AND d_month = 3
                AND ms_address_key = a_key
                AND a_offset_hours = -5
         GROUP  BY i_maker_id),
     os
     AS (SELECT i_maker_id,
                Sum(os_ext_sales_price) AS total_sales
         FROM   online_sales,
                day,
                address,
                item
         WHERE  i_maker_id IN (SELECT i_maker_id
                               FROM   item
                               WHERE  i_category IN ( 'Books' ))
                AND os_item_key = i_key
                AND os_sold_day_key = d_key
                AND d_year = {y}
                AND d_month = 3
                AND os_address_key = a_key
                AND a_offset_hours = -5
         GROUP  BY i_maker_id)
SELECT i_maker_id,
       Sum(total_sales) AS total_sales
FROM   (SELECT *
        FROM   ss
        UNION ALL
        SELECT *
        FROM   ms
        UNION ALL
        SELECT *
        FROM   os) tmp
GROUP  BY i_maker_id
ORDER  BY total_sales
LIMIT  100;

SELECT i_id,
       i_description,
       st_id,
       st_name,
       Avg(ss_quantity) AS shop_quantity,
       Avg(sr_quantity) AS returned_quantity,
       Avg(ms_quantity) AS mail_quantity
FROM   shop_sales,
       shop_returns,
       mail_sales,
       day d1,
       day d2,
       day d3,
       store,
       item
WHERE  d1.d_month = 4
       AND d1.d_year = {y}
       AND d1.d_key = ss_sold_day_key
       AND i_key = ss_item_key
       AND st_key = ss_store_key
       AND ss_customer_key = sr_customer_key
       AND ss_item_key = sr_item_key
       AND ss_ticket = sr_ticket
       AND sr_returned_day_key = d2.d_key
       AND d2.d_month BETWEEN 4 AND 4 + 3
       AND d2.d_year = {y}
       AND sr_customer_key = ms_customer_key
       AND sr_item_key = ms_item_key
       AND ms_sold_day_key = d3.d_key
       AND d3.d_year IN ( {y}, {y} + 1, {y} + 2 )
GROUP  BY i_id,
          i_description,
          st_id,
          st_name
ORDER  BY i_id,
          i_description,
          st_id,
          st_name
LIMIT  100;

SELECT Count(*)
FROM   (SELECT DISTINCT c_last_name,
                        c_first_name,
                        d_date
        FROM   shop_sales,
               day,
               customer
        WHERE  shop_sales.ss_sold_day_key = day.d_key
               AND shop_sales.ss_customer_key = customer.c_key
               AND d_month_seq BETWEEN 1300 AND 1300 + 11
        INTERSECT
        SELECT DISTINCT c_last_name,
                        c_first_name,
                        d_date
        FROM   mail_sales,
               day,
               customer
        WHERE  mail_sales.ms_sold_day_key = day.d_key
               AND mail_sales.ms_customer_key = customer.c_key
               AND d_year = {y}
        INTERSECT
        SELECT DISTINCT c_last_name,
                        c_first_name,
                        d_date
        FROM   online_sales,
               day,
               customer
        WHERE  online_sales.os_sold_day_key = day.d_key
               AND online_sales.os_customer_key = customer.c_key
               AND d_year = {y}) hot
LIMIT  100;

SELECT CASE
         WHEN (SELECT Count(*)
               FROM   shop_sales
               WHERE  ss_quantity BETWEEN 1 AND 20) > 5000 THEN (SELECT Avg(ss_ext_list_price)
                                                                FROM   shop_sales
                                                                WHERE  ss_quantity BETWEEN 1 AND 20)
         ELSE (SELECT Avg(ss_net_profit)
               FROM   shop_sales
               WHERE  ss_quantity BETWEEN 1 AND 20)
       END AS bucket1,
       CASE
         WHEN (SELECT Count(*)
               FROM   mail_sales
               WHERE  ms_quantity BETWEEN 21 AND 40) > 4000 THEN (SELECT Avg(ms_ext_list_price)
                                                                 FROM   mail_sales
                                                                 WHERE  ms_quantity BETWEEN 21 AND 40)
         ELSE (SELECT Avg(ms_net_profit)
               FROM   mail_sales
               WHERE  ms_quantity BETWEEN 21 AND 40)
       END AS bucket2
FROM   reason
WHERE  re_key = {y};

SELECT w_name,
       i_id,
       Sum(CASE
             WHEN ( Cast(d_date AS DATE) < Cast('{y}-05-20' AS DATE) ) THEN ms_sales_price - Coalesce(mr_refunded_cash, 0)
             ELSE 0
           END) AS sales_before,
       Sum(CASE
             WHEN ( Cast(d_date AS DATE) >= Cast('{y}-05-20' AS DATE) ) THEN ms_sales_price - Coalesce(mr_refunded_cash, 0)
             ELSE 0
           END) AS sales_after
FROM   mail_sales
       LEFT OUTER JOIN mail_returns
                    ON ( ms_ticket = mr_ticket
                         AND ms_item_key = mr_item_key ),
       depot,
       item,
       day
WHERE  i_current_price BETWEEN 0.99 AND 1.49
       AND i_key = ms_item_key
       AND ms_depot_key = w_key
       AND ms_sold_day_key = d_key
       AND d_date BETWEEN ( Cast('{y}-05-20' AS DATE) - INTERVAL '30' day ) AND ( Cast('{y}-05-20' AS DATE) + INTERVAL '30' day )
GROUP  BY w_name,
          i_id
ORDER  BY w_name,
          i_id
LIMIT  100;

WITH moving
     AS (SELECT w_name,
                w_key,
                i_key,
                d_month,
                deviation,
                mean,
                CASE mean
                  WHEN 0 THEN NULL
                  ELSE deviation / mean
                END AS variation
         FROM   (SELECT w_name,
                        w_key,
                        i_key,
                        d_month,
                        Stddev_samp(k_on_hand) AS deviation,
                        Avg(k_on_hand)         AS mean
                 FROM   stock,
                        item,
                        depot,
                        day
                 WHERE  k_item_key = i_key
                        AND k_depot_key = w_key
                        AND k_day_key = d_key
                        AND d_year = {y}
                 GROUP  BY w_name,
                           w_key,
                           i_key,
                           d_month) foo
         WHERE  CASE mean
                  WHEN 0 THEN 0
                  ELSE deviation / mean
                END > 1)
SELECT one.w_key       AS depot_key,
       one.i_key       AS item_key,
       one.d_month     AS month_of,
       one.mean        AS mean,
       one.variation   AS variation,
       two.w_key,
       two.i_key,
       two.d_month,
       two.mean,
       two.variation
FROM   moving one,
       moving two
WHERE  one.i_key = two.i_key
       AND one.w_key = two.w_key
       AND one.d_month = 1
       AND two.d_month = 1 + 1
ORDER  BY one.w_key,
          one.i_key,
          one.d_month,
          one.mean,
          one.variation,
          two.d_month,
          two.mean,
          two.variation;

SELECT channel,
       column_name,
       d_year,
       d_quarter,
       i_category,
       Count(*)             AS sales_count,
       Sum(ext_sales_price) AS sales_amount
FROM   (SELECT 'shop'             AS channel,
               'ss_household_key' AS column_name,
               d_year,
               d_quarter,
               i_category,
               ss_ext_sales_price AS ext_sales_price
        FROM   shop_sales,
               item,
               day
        WHERE  ss_household_key IS NULL
               AND ss_sold_day_key = d_key
               AND ss_item_key = i_key
        UNION ALL
        SELECT 'online'              AS channel,
               'os_ship_address_key' AS column_name,
               d_year,
               d_quarter,
               i_category,
               os_ext_sales_price    AS ext_sales_price
        FROM   online_sales,
               item,
               day
        WHERE  os_ship_address_key IS NULL
               AND os_sold_day_key = d_key
               AND os_item_key = i_key
        UNION ALL
        SELECT 'mail'               AS channel,
               'ms_depot_key'       AS column_name,
               d_year,
               d_quarter,
               i_category,
               ms_ext_sales_price   AS ext_sales_price
        FROM   mail_sales,
               item,
               day
        WHERE  ms_depot_key IS NULL
               AND ms_sold_day_key = d_key
               AND ms_item_key = i_key
               AND d_year >= {y}) foo
GROUP  BY channel,
          column_name,
          d_year,
          d_quarter,
          i_category
ORDER  BY channel,
          column_name,
          d_year,
          d_quarter,
          i_category
LIMIT  100;

SELECT Substr(w_name, 1, 20),
       sm_type,
       cc_name,
       Sum(CASE
             WHEN ( ms_ship_day_key - ms_sold_day_key <= 30 ) THEN 1
             ELSE 0
           END) AS days_30,
       Sum(CASE
             WHEN ( ms_ship_day_key - ms_sold_day_key > 30 )
                  AND ( ms_ship_day_key - ms_sold_day_key <= 60 ) THEN 1
             ELSE 0
           END) AS days_60,
       Sum(CASE
             WHEN ( ms_ship_day_key - ms_sold_day_key > 60 )
                  AND ( ms_ship_day_key - ms_sold_day_key <= 90 ) THEN 1
             ELSE 0
           END) AS days_90,
       Sum(CASE
             WHEN ( ms_ship_day_key - ms_sold_day_key > 120 ) THEN 1
             ELSE 0
           END) AS days_more
FROM   mail_sales,
       depot,
       shipping,
       call_centre,
       day
WHERE  d_month_seq BETWEEN 1310 AND 1310 + 11
       AND ms_ship_day_key = d_key
       AND ms_depot_key = w_key
       AND ms_shipping_key = sm_key
       AND ms_call_centre_key = cc_key
       AND d_year = {y}
GROUP  BY Substr(w_name, 1, 20),
          sm_type,
          cc_name
ORDER  BY Substr(w_name, 1, 20),
          sm_type,
          cc_name
LIMIT  100;

WITH frequent
     AS (SELECT Substr(i_description, 1, 30) AS described,
                i_key                        AS item_key,
                d_date                       AS sold_on,
                Count(*)                     AS times
         FROM   shop_sales,
                day,
                item
         WHERE  ss_sold_day_key = d_key
                AND ss_item_key = i_key
                AND d_year IN ( {y}, {y} + 1, {y} + 2, {y} + 3 )
         GROUP  BY Substr(i_description, 1, 30),
                   i_key,
                   d_date
         HAVING Count(*) > 4),
     most
     AS (SELECT Max(spent) AS largest
         FROM   (SELECT c_key,
                        Sum(ss_quantity * ss_sales_price) AS spent
                 FROM   shop_sales,
                        customer,
                        day
                 WHERE  ss_customer_key = c_key
                        AND ss_sold_day_key = d_key
                        AND d_year IN ( {y}, {y} + 1, {y} + 2, {y} + 3 )
                 GROUP  BY c_key)),
     best
     AS (SELECT c_key,
                Sum(ss_quantity * ss_sales_price) AS spent
         FROM   shop_sales,
                customer
         WHERE  ss_customer_key = c_key
         GROUP  BY c_key
         HAVING Sum(ss_quantity * ss_sales_price) > ( 95 / 100.0 ) * (SELECT *
                                                                      FROM   most))
SELECT Sum(sales)
FROM   (SELECT ms_quantity * ms_list_price AS sales
        FROM   mail_sales,
               day
        WHERE  d_year = {y}
               AND d_month = 6
               AND ms_sold_day_key = d_key
               AND ms_item_key IN (SELECT item_key
                                   FROM   frequent)
               AND ms_customer_key IN (SELECT c_key
                                       FROM   best)
        UNION ALL
        SELECT os_quantity * os_list_price AS sales
        FROM   online_sales,
               day
        WHERE  d_year = {y}
               AND d_month = 6
               AND os_sold_day_key = d_key
               AND os_item_key IN (SELECT item_key
                                   FROM   frequent)
               AND os_customer_key IN (SELECT c_key
                                       FROM   best))
LIMIT  100;

SELECT st_name,
       st_company_id,
       st_street_number,
       st_street_name,
       st_street_type,
       st_suite,
       st_city,
       st_county,
       st_state,
       st_zip,
       Sum(CASE
             WHEN ( sr_returned_day_key - ss_sold_day_key <= 30 ) THEN 1
             ELSE 0
           END) AS days_30,
       Sum(CASE
             WHEN ( sr_returned_day_key - ss_sold_day_key > 30 ) THEN 1
             ELSE 0
           END) AS days_more
FROM   shop_sales,
       shop_returns,
       store,
       day d1,
       day d2
WHERE  d2.d_year = {y}
       AND d2.d_month = 9
       AND ss_ticket = sr_ticket
       AND ss_item_key = sr_item_key
       AND ss_sold_day_key = d1.d_key
       AND sr_returned_day_key = d2.d_key
       AND ss_customer_key = sr_customer_key
       AND ss_store_key = st_key
GROUP  BY st_name,
          st_company_id,
          st_street_number,
          st_street_name,
          st_street_type,
          st_suite,
          st_city,
          st_county,
          st_state,
          st_zip
ORDER  BY st_name,
          st_company_id,
          st_street_number,
          st_street_name,
          st_city,
          st_zip
LIMIT  100;

WITH online_running
     AS (SELECT os_item_key AS item_key,
                d_date,
                Sum(Sum(os_sales_price))
                  OVER (
                    partition BY os_item_key
                    ORDER BY d_date
                    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running
         FROM   online_sales,
                day
         WHERE  os_sold_day_key = d_key
                AND d_year = {y}
                AND os_item_key IS NOT NULL
         GROUP  BY os_item_key,
                   d_date),
     shop_running
     AS (SELECT ss_item_key AS item_key,
                d_date,
                Sum(Sum(ss_sales_price))
                  OVER (
                    partition BY ss_item_key
                    ORDER BY d_date
                    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running
         FROM   shop_sales,
                day
         WHERE  ss_sold_day_key = d_key
                AND d_year = {y}
                AND ss_item_key IS NOT NULL
         GROUP  BY ss_item_key,
                   d_date)
SELECT *
FROM   (SELECT item_key,
               d_date,
               online_total,
               shop_total,
               Max(online_total)
                 OVER (
                   partition BY item_key
                   ORDER BY d_date) AS online_most,
               Max(shop_total)
                 OVER (
                   partition BY item_key
                   ORDER BY d_date) AS shop_most
        FROM   (SELECT CASE
                         WHEN online.item_key IS NOT NULL THEN online.item_key
                         ELSE shop.item_key
                       END            AS item_key,
                       CASE
                         WHEN online.d_date IS NOT NULL THEN online.d_date
                         ELSE shop.d_date
                       END            AS d_date,
                       online.running AS online_total,
                       shop.running   AS shop_total
                FROM   online_running online
                       FULL OUTER JOIN shop_running shop
                                    ON ( online.item_key = shop.item_key
                                         AND online.d_date = shop.d_date )) x) y
WHERE  online_most > shop_most
ORDER  BY item_key,
          d_date
LIMIT  100;

SELECT *
FROM   (SELECT Count(*) AS half_past_eight
        FROM   shop_sales,
               household,
               hour,
               store
        WHERE  ss_sold_hour_key = hour.t_key
               AND ss_household_key = household.h_key
               AND ss_store_key = st_key
               AND hour.t_hour = 8
               AND hour.t_minute >= 30
               AND ( ( household.h_dependants = 4
                       AND household.h_vehicles <= 4 + 2 )
                      OR ( household.h_dependants = 2
                           AND household.h_vehicles <= 2 + 2 ) )
               AND store.st_name = 'harbour') s1,
       (SELECT Count(*) AS nine
        FROM   shop_sales,
               household,
               hour,
               store
        WHERE  ss_sold_hour_key = hour.t_key
               AND ss_household_key = household.h_key
               AND ss_store_key = st_key
               AND hour.t_hour = 9
               AND hour.t_minute < 30
               AND ( ( household.h_dependants = 4
                       AND household.h_vehicles <= 4 + 2 )
                      OR ( household.h_dependants = 2
                           AND household.h_vehicles <= 2 + 2 ) )
               AND store.st_name = 'harbour') s2,
       (SELECT Count(*) AS half_past_nine
        FROM   shop_sales,
               household,
               hour,
               store
        WHERE  ss_sold_hour_key = hour.t_key
               AND ss_household_key = household.h_key
               AND ss_store_key = st_key
               AND hour.t_hour = 9
               AND hour.t_minute >= 30
               AND ( ( household.h_dependants = 4
                       AND household.h_vehicles <= 4 + 2 )
                      OR ( household.h_dependants = 2
                           AND household.h_vehicles <= 2 + 2 ) )
               AND store.st_name = 'harbour'
               AND store.st_key <> {y}) s3;

WITH baskets
     AS (SELECT d_year                AS sold_year,
                os_item_key,
                os_customer_key       AS customer_key,
                Sum(os_quantity)      AS quantity,
                Sum(os_wholesale_cost) AS cost,
                Sum(os_sales_price)   AS price
         FROM   online_sales
                LEFT JOIN online_returns
                       ON orr_ticket = os_ticket
                          AND os_item_key = orr_item_key
                JOIN day
                  ON os_sold_day_key = d_key
         WHERE  orr_ticket IS NULL
         GROUP  BY d_year,
                   os_item_key,
                   os_customer_key),
     receipts
     AS (SELECT d_year                AS sold_year,
                ss_item_key,
                ss_customer_key       AS customer_key,
                Sum(ss_quantity)      AS quantity,
                Sum(ss_wholesale_cost) AS cost,
                Sum(ss_sales_price)   AS price
         FROM   shop_sales
                LEFT JOIN shop_returns
                       ON sr_ticket = ss_ticket
                          AND ss_item_key = sr_item_key
                JOIN day
                  ON ss_sold_day_key = d_key
         WHERE  sr_ticket IS NULL
         GROUP  BY d_year,
                   ss_item_key,
                   ss_customer_key)
SELECT ss_item_key,
       Round(receipts.quantity / ( Coalesce(baskets.quantity, 1) ), 2) AS ratio,
       receipts.quantity                    AS shop_quantity,
       receipts.cost                        AS shop_cost,
       receipts.price                       AS shop_price,
       Coalesce(baskets.quantity, 0)        AS other_quantity,
       Coalesce(baskets.cost, 0)            AS other_cost,
       Coalesce(baskets.price, 0)           AS other_price
FROM   receipts
       LEFT JOIN baskets
              ON ( baskets.sold_year = receipts.sold_year
                   AND os_item_key = ss_item_key
                   AND baskets.customer_key = receipts.customer_key )
WHERE  Coalesce(baskets.quantity, 0) > 0
       AND receipts.sold_year = {y}
ORDER  BY ss_item_key,
          receipts.quantity DESC,
          receipts.cost DESC,
          receipts.price DESC,
          other_quantity,
          other_cost,
          other_price
LIMIT  100;

SELECT c_last_name,
       c_first_name,
       a_city,
       bought_city,
       ss_ticket,
       extended_price,
       extended_tax,
       list_price
FROM   (SELECT ss_ticket,
               ss_customer_key,
               a_city                  AS bought_city,
               Sum(ss_ext_sales_price) AS extended_price,
               Sum(ss_ext_list_price)  AS list_price,
               Sum(ss_ext_tax)         AS extended_tax
        FROM   shop_sales,
               day,
               store,
               household,
               address
        WHERE  shop_sales.ss_sold_day_key = day.d_key
               AND shop_sales.ss_store_key = store.st_key
               AND shop_sales.ss_household_key = household.h_key
               AND shop_sales.ss_address_key = address.a_key
               AND day.d_month_day BETWEEN 1 AND 2
               AND ( household.h_dependants = 8
                      OR household.h_vehicles = 3 )
               AND day.d_year IN ( {y}, {y} + 1, {y} + 2 )
               AND store.st_city IN ( 'Port', 'Ferry' )
        GROUP  BY ss_ticket,
                  ss_customer_key,
                  ss_address_key,
                  a_city) dn,
       customer,
       address current_addr
WHERE  ss_customer_key = c_key
       AND customer.c_address_key = current_addr.a_key
       AND current_addr.a_city <> bought_city
ORDER  BY c_last_name,
          ss_ticket
LIMIT  100;

SELECT shop.item_key,
       shop.returned_share AS shop_share,
       mail.returned_share AS mail_share
FROM   (SELECT item_key,
               returned_share,
               Rank() OVER ( ORDER BY returned_share ) AS place
        FROM   (SELECT ss_item_key AS item_key,
                       ( Cast(Sum(Coalesce(sr_quantity, 0)) AS DECIMAL(15, 4)) / Cast(Sum(Coalesce(ss_quantity, 0)) AS DECIMAL(15, 4)) ) AS returned_share
                FROM   shop_sales
                       LEFT OUTER JOIN shop_returns
                                    ON ( ss_ticket = sr_ticket
                                         AND ss_item_key = sr_item_key ),
                       day
                WHERE  sr_amount > 10000
                       AND ss_net_profit > 1
                       AND ss_quantity > 0
                       AND ss_sold_day_key = d_key
                       AND d_year = {y}
                GROUP  BY ss_item_key) counted) shop,
       (SELECT item_key,
               returned_share,
               Rank() OVER ( ORDER BY returned_share ) AS place
        FROM   (SELECT ms_item_key AS item_key,
                       ( Cast(Sum(Coalesce(mr_quantity, 0)) AS DECIMAL(15, 4)) / Cast(Sum(Coalesce(ms_quantity, 0)) AS DECIMAL(15, 4)) ) AS returned_share
                FROM   mail_sales
                       LEFT OUTER JOIN mail_returns
                                    ON ( ms_ticket = mr_ticket
                                         AND ms_item_key = mr_item_key ),
                       day
                WHERE  mr_amount > 10000
                       AND ms_net_profit > 1
                       AND ms_quantity > 0
                       AND ms_sold_day_key = d_key
                       AND d_year = {y}
                GROUP  BY ms_item_key) counted) mail
WHERE  shop.item_key = mail.item_key
       AND ( shop.place <= 10
              OR mail.place <= 10 )
ORDER  BY 1,
          2,
          3
LIMIT  100;

SELECT w_name,
       w_square_feet,
       w_city,
       w_county,
       w_state,
       w_country,
       carriers,
       year_of,
       Sum(jan_sales)                 AS january_sales,
       Sum(feb_sales)                 AS february_sales,
       Sum(mar_sales)                 AS march_sales,
       Sum(apr_sales)                 AS april_sales,
       Sum(may_sales)                 AS may_sales,
       Sum(jun_sales)                 AS june_sales,
       Sum(jul_sales)                 AS july_sales,
       Sum(aug_sales)                 AS august_sales,
       Sum(sep_sales)                 AS september_sales,
       Sum(oct_sales)                 AS october_sales,
       Sum(nov_sales)                 AS november_sales,
       Sum(dec_sales)                 AS december_sales,
       Sum(jan_sales / w_square_feet) AS january_per_foot,
       Sum(feb_sales / w_square_feet) AS february_per_foot,
       Sum(mar_sales / w_square_feet) AS march_per_foot,
       Sum(apr_sales / w_square_feet) AS april_per_foot,
       Sum(may_sales / w_square_feet) AS may_per_foot,
       Sum(jun_sales / w_square_feet) AS june_per_foot,
       Sum(jul_sales / w_square_feet) AS july_per_foot,
       Sum(aug_sales / w_square_feet) AS august_per_foot,
       Sum(sep_sales / w_square_feet) AS september_per_foot,
       Sum(oct_sales / w_square_feet) AS october_per_foot,
       Sum(nov_sales / w_square_feet) AS november_per_foot,
       Sum(dec_sales / w_square_feet) AS december_per_foot,
       Sum(jan_net)                   AS january_net,
       Sum(feb_net)                   AS february_net,
       Sum(mar_net)                   AS march_net,
       Sum(apr_net)                   AS april_net,
       Sum(may_net)                   AS may_net,
       Sum(jun_net)                   AS june_net,
       Sum(jul_net)                   AS july_net,
       Sum(aug_net)                   AS august_net,
       Sum(sep_net)                   AS september_net,
       Sum(oct_net)                   AS october_net,
       Sum(nov_net)                   AS november_net,
       Sum(dec_net)                   AS december_net
FROM   (
        SELECT w_name,
               w_square_feet,
               w_city,
               w_county,
               w_state,
               w_country,
               'carrier one' || ',' || 'carrier two' AS carriers,
               d_year  AS year_of,
               Sum(CASE
                     WHEN d_month = 1 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS jan_sales,
               Sum(CASE
                     WHEN d_month = 2 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS feb_sales,
               Sum(CASE
                     WHEN d_month = 3 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS mar_sales,
               Sum(CASE
                     WHEN d_month = 4 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS apr_sales,
               Sum(CASE
                     WHEN d_month = 5 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS may_sales,
               Sum(CASE
                     WHEN d_month = 6 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS jun_sales,
               Sum(CASE
                     WHEN d_month = 7 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS jul_sales,
               Sum(CASE
                     WHEN d_month = 8 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS aug_sales,
               Sum(CASE
                     WHEN d_month = 9 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS sep_sales,
               Sum(CASE
                     WHEN d_month = 10 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS oct_sales,
               Sum(CASE
                     WHEN d_month = 11 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS nov_sales,
               Sum(CASE
                     WHEN d_month = 12 THEN os_ext_sales_price * os_quantity
                     ELSE 0
                   END)    AS dec_sales,
               Sum(CASE
                     WHEN d_month = 1 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS jan_net,
               Sum(CASE
                     WHEN d_month = 2 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS feb_net,
               Sum(CASE
                     WHEN d_month = 3 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS mar_net,
               Sum(CASE
                     WHEN d_month = 4 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS apr_net,
               Sum(CASE
                     WHEN d_month = 5 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS may_net,
               Sum(CASE
                     WHEN d_month = 6 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS jun_net,
               Sum(CASE
                     WHEN d_month = 7 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS jul_net,
               Sum(CASE
                     WHEN d_month = 8 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS aug_net,
               Sum(CASE
                     WHEN d_month = 9 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS sep_net,
               Sum(CASE
                     WHEN d_month = 10 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS oct_net,
               Sum(CASE
                     WHEN d_month = 11 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS nov_net,
               Sum(CASE
                     WHEN d_month = 12 THEN os_net_paid * os_quantity
                     ELSE 0
                   END)    AS dec_net
        FROM   online_sales,
               depot,
               day,
               hour,
               shipping
        WHERE  os_depot_key = w_key
               AND os_sold_day_key = d_key
               AND os_sold_hour_key = t_key
               AND os_shipping_key = sm_key
               AND d_year = {y}
               AND t_time BETWEEN 30000 AND 30000 + 20000
               AND sm_carrier IN ( 'carrier one', 'carrier two' )
        GROUP  BY w_name,
                  w_square_feet,
                  w_city,
                  w_county,
                  w_state,
                  w_country,
                  d_year
        UNION ALL
        SELECT w_name,
               w_square_feet,
               w_city,
               w_county,
               w_state,
               w_country,
               'carrier one' || ',' || 'carrier two' AS carriers,
               d_year  AS year_of,
               Sum(CASE
                     WHEN d_month = 1 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS jan_sales,
               Sum(CASE
                     WHEN d_month = 2 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS feb_sales,
               Sum(CASE
                     WHEN d_month = 3 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS mar_sales,
               Sum(CASE
                     WHEN d_month = 4 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS apr_sales,
               Sum(CASE
                     WHEN d_month = 5 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS may_sales,
               Sum(CASE
                     WHEN d_month = 6 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS jun_sales,
               Sum(CASE
                     WHEN d_month = 7 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS jul_sales,
               Sum(CASE
                     WHEN d_month = 8 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS aug_sales,
               Sum(CASE
                     WHEN d_month = 9 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS sep_sales,
               Sum(CASE
                     WHEN d_month = 10 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS oct_sales,
               Sum(CASE
                     WHEN d_month = 11 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS nov_sales,
               Sum(CASE
                     WHEN d_month = 12 THEN ms_ext_sales_price * ms_quantity
                     ELSE 0
                   END)    AS dec_sales,
               Sum(CASE
                     WHEN d_month = 1 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS jan_net,
               Sum(CASE
                     WHEN d_month = 2 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS feb_net,
               Sum(CASE
                     WHEN d_month = 3 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS mar_net,
               Sum(CASE
                     WHEN d_month = 4 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS apr_net,
               Sum(CASE
                     WHEN d_month = 5 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS may_net,
               Sum(CASE
                     WHEN d_month = 6 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS jun_net,
               Sum(CASE
                     WHEN d_month = 7 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS jul_net,
               Sum(CASE
                     WHEN d_month = 8 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS aug_net,
               Sum(CASE
                     WHEN d_month = 9 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS sep_net,
               Sum(CASE
                     WHEN d_month = 10 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS oct_net,
               Sum(CASE
                     WHEN d_month = 11 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS nov_net,
               Sum(CASE
                     WHEN d_month = 12 THEN ms_net_paid * ms_quantity
                     ELSE 0
                   END)    AS dec_net
        FROM   mail_sales,
               depot,
               day,
               hour,
               shipping
        WHERE  ms_depot_key = w_key
               AND ms_sold_day_key = d_key
               AND ms_sold_hour_key = t_key
               AND ms_shipping_key = sm_key
               AND d_year = {y}
               AND t_time BETWEEN 30000 AND 30000 + 20000
               AND sm_carrier IN ( 'carrier one', 'carrier two' )
        GROUP  BY w_name,
                  w_square_feet,
                  w_city,
                  w_county,
                  w_state,
                  w_country,
                  d_year) x
GROUP  BY w_name,
          w_square_feet,
          w_city,
          w_county,
          w_state,
          w_country,
          carriers,
          year_of
ORDER  BY w_name
LIMIT  100;

WITH refunded
     AS (SELECT ms_item_key,
                Sum(ms_ext_list_price)                                  AS sale,
                Sum(mr_refunded_cash + mr_reversed_charge + mr_credit)  AS refund
         FROM   mail_sales,
                mail_returns
         WHERE  ms_item_key = mr_item_key
                AND ms_ticket = mr_ticket
         GROUP  BY ms_item_key
         HAVING Sum(ms_ext_list_price) > 2 * Sum(mr_refunded_cash + mr_reversed_charge + mr_credit)),
     crossed
     AS (SELECT i_product_name       AS product_name,
                i_key                AS item_key,
                st_name              AS store_name,
                st_zip               AS store_zip,
                ad1.a_street_number  AS bought_street_number,
                ad1.a_street_name    AS bought_street_name,
                ad1.a_city           AS bought_city,
                ad1.a_zip            AS bought_zip,
                ad2.a_street_number  AS home_street_number,
                ad2.a_street_name    AS home_street_name,
                ad2.a_city           AS home_city,
                ad2.a_zip            AS home_zip,
                d1.d_year            AS sold_year,
                d2.d_year            AS first_sale_year,
                d3.d_year            AS first_ship_year,
                Count(*)             AS times,
                Sum(ss_wholesale_cost) AS s1,
                Sum(ss_list_price)   AS s2,
                Sum(ss_coupon)       AS s3
         FROM   shop_sales,
                shop_returns,
                refunded,
                day d1,
                day d2,
                day d3,
                store,
                customer,
                person p1,
                person p2,
                promotion,
                household hd1,
                household hd2,
                address ad1,
                address ad2,
                income_band ib1,
                income_band ib2,
                item
         WHERE  ss_store_key = st_key
                AND ss_sold_day_key = d1.d_key
                AND ss_customer_key = c_key
                AND ss_person_key = p1.p_key
                AND ss_household_key = hd1.h_key
                AND ss_address_key = ad1.a_key
                AND ss_item_key = i_key
                AND ss_item_key = sr_item_key
                AND ss_ticket = sr_ticket
                AND ss_item_key = refunded.ms_item_key
                AND c_person_key = p2.p_key
                AND c_household_key = hd2.h_key
                AND c_address_key = ad2.a_key
                AND c_first_sale_day_key = d2.d_key
                AND c_first_ship_day_key = d3.d_key
                AND ss_promotion_key = pr_key
                AND hd1.h_income_band_key = ib1.ib_key
                AND hd2.h_income_band_key = ib2.ib_key
                AND p1.p_marital_status <> p2.p_marital_status
                AND i_colour IN ( 'teal', 'amber', 'ivory', 'coral', 'slate', 'plum' )
                AND i_current_price BETWEEN 40 AND 40 + 9
                AND i_current_price BETWEEN 40 + 2 AND 40 + 12
         GROUP  BY i_product_name,
                   i_key,
                   st_name,
                   st_zip,
                   ad1.a_street_number,
                   ad1.a_street_name,
                   ad1.a_city,
                   ad1.a_zip,
                   ad2.a_street_number,
                   ad2.a_street_name,
                   ad2.a_city,
                   ad2.a_zip,
                   d1.d_year,
                   d2.d_year,
                   d3.d_year)
SELECT one.product_name,
       one.store_name,
       one.store_zip,
       one.bought_street_number,
       one.bought_street_name,
       one.bought_city,
       one.bought_zip,
       one.home_street_number,
       one.home_street_name,
       one.home_city,
       one.home_zip,
       one.sold_year,
       one.times,
       one.s1,
       one.s2,
       one.s3,
       two.s1 AS later_s1,
       two.s2 AS later_s2,
       two.s3 AS later_s3,
       two.sold_year AS later_year,
       two.times AS later_times
FROM   crossed one,
       crossed two
WHERE  one.item_key = two.item_key
       AND one.sold_year = {y}
       AND two.sold_year = {y} + 1
       AND two.times <= one.times
       AND one.store_name = two.store_name
       AND one.store_zip = two.store_zip
ORDER  BY one.product_name,
          one.store_name,
          two.times;

WITH shop_flow
     AS (SELECT st_id                              AS place_id,
                Sum(ss_ext_sales_price)               AS sales,
                Sum(Coalesce(sr_amount, 0))           AS returned,
                Sum(ss_net_profit - Coalesce(sr_net_loss, 0)) AS profit
         FROM   shop_sales
                LEFT OUTER JOIN shop_returns
                             ON ( ss_item_key = sr_item_key
                                  AND ss_ticket = sr_ticket ),
                day,
                store,
                item,
                promotion
         WHERE  ss_sold_day_key = d_key
                AND d_date BETWEEN Cast('{y}-09-01' AS DATE) AND ( Cast('{y}-09-01' AS DATE) + INTERVAL '30' day )
                AND ss_store_key = st_key
                AND ss_item_key = i_key
                AND i_current_price > 50
                AND ss_promotion_key = pr_key
                AND pr_by_tv = 'N'
         GROUP  BY st_id),
     mail_flow
     AS (SELECT cc_id                              AS place_id,
                Sum(ms_ext_sales_price)               AS sales,
                Sum(Coalesce(mr_amount, 0))           AS returned,
                Sum(ms_net_profit - Coalesce(mr_net_loss, 0)) AS profit
         FROM   mail_sales
                LEFT OUTER JOIN mail_returns
                             ON ( ms_item_key = mr_item_key
                                  AND ms_ticket = mr_ticket ),
                day,
                call_centre,
                item,
                promotion
         WHERE  ms_sold_day_key = d_key
                AND d_date BETWEEN Cast('{y}-09-01' AS DATE) AND ( Cast('{y}-09-01' AS DATE) + INTERVAL '30' day )
                AND ms_call_centre_key = cc_key
                AND ms_item_key = i_key
                AND i_current_price > 50
                AND ms_promotion_key = pr_key
                AND pr_by_tv = 'N'
         GROUP  BY cc_id),
     online_flow
     AS (SELECT ws_id                              AS place_id,
                Sum(os_ext_sales_price)               AS sales,
                Sum(Coalesce(orr_amount, 0))           AS returned,
                Sum(os_net_profit - Coalesce(orr_net_loss, 0)) AS profit
         FROM   online_sales
                LEFT OUTER JOIN online_returns
                             ON ( os_item_key = orr_item_key
                                  AND os_ticket = orr_ticket ),
                day,
                web_site,
                item,
                promotion
         WHERE  os_sold_day_key = d_key
                AND d_date BETWEEN Cast('{y}-09-01' AS DATE) AND ( Cast('{y}-09-01' AS DATE) + INTERVAL '30' day )
                AND os_web_site_key = ws_key
                AND os_item_key = i_key
                AND i_current_price > 50
                AND os_promotion_key = pr_key
                AND pr_by_tv = 'N'
         GROUP  BY ws_id)
SELECT channel,
       id,
       Sum(sales)    AS sales,
       Sum(returned) AS returned,
       Sum(profit)   AS profit
FROM   (SELECT 'shop channel'            AS channel,
               'store' || place_id       AS id,
               sales,
               returned,
               profit
        FROM   shop_flow
        UNION ALL
        SELECT 'mail channel'            AS channel,
               'call_centre' || place_id AS id,
               sales,
               returned,
               profit
        FROM   mail_flow
        UNION ALL
        SELECT 'online channel'          AS channel,
               'web_site' || place_id    AS id,
               sales,
               returned,
               profit
        FROM   online_flow) x
GROUP  BY rollup ( channel, id )
ORDER  BY channel,
          id
LIMIT  100
