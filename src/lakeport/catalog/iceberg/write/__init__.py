"""Rows on their way into a table: data files with their metrics, and the commit that adds them."""
