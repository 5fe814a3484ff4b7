"""The Iceberg catalog as other engines see it: JSON of Iceberg's REST protocol in and out."""
