"""Files into a table: CSV, JSON, Parquet and Arrow, all of them in one commit or none.

An `Input` is one file that knows its columns and gives batches in the types it is asked for.
`docs/guides/load.md` says what a person has to know.
"""
