"""DDL on Iceberg tables: schema changes by field id, replacing, renaming and dropping."""
