"""Rows as bytes: JSON for programs, CSV for spreadsheets, Arrow for everybody else.

Each is a generator of chunks over a stream of batches, so that a table of any size takes the memory
of one batch. `docs/guides/read.md` says how each type is written.
"""
