"""Models into tables: what a write does to a schema, and the statements that carry the rows."""
