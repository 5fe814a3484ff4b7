"""Rows on their way into a table: statements, what is asked of the rows, and data files with their metrics."""
