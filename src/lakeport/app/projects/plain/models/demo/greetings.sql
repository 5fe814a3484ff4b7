/* lakeport
materialized = "table"
*/
SELECT language, greeting
FROM VALUES ('en', 'good morning'), ('de', 'guten Morgen'), ('fr', 'bonjour') AS words (language, greeting)
