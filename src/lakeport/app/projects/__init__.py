"""The files that `lakeport init` writes: one folder per kind of project, copied as they are."""
