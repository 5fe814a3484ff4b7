"""Changing the catalog over the wire: contract 000's actions, and the other ALTERs that DuckDB sends."""
