"""The Iceberg door: the REST protocol of Iceberg catalogs over HTTP, for Spark, DuckDB, Trino, PyIceberg."""

from lakeport.rest.app import IcebergDoor

__all__ = ["IcebergDoor"]
