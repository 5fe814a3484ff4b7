"""Rows that change or go: row ids, the rows they mean, and the files that say so."""
