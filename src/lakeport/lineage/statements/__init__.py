"""Statements: what each of them reads, writes and does to the registry."""
