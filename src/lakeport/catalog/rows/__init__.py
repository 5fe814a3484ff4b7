"""Rows on their way into a table: fitted to its columns, held to its constraints, found by id."""
