"""A catalog's database as it was before there were views."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from lakeport.catalog.iceberg.profile import Profile


def make_old_layout(profile: Profile) -> None:
    assert profile.database_file is not None
    with closing(sqlite3.connect(profile.database_file, isolation_level=None)) as database:
        database.execute(
            "CREATE TABLE iceberg_tables (catalog_name TEXT, table_namespace TEXT, table_name TEXT,"
            " metadata_location TEXT, previous_metadata_location TEXT,"
            " PRIMARY KEY (catalog_name, table_namespace, table_name))"
        )
        database.execute(
            "CREATE TABLE iceberg_namespace_properties (catalog_name TEXT, namespace TEXT,"
            " property_key TEXT, property_value TEXT,"
            " PRIMARY KEY (catalog_name, namespace, property_key))"
        )
