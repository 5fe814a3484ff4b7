"""Views of an Iceberg catalog, kept beside its tables: metadata files in the warehouse, rows in the database."""
