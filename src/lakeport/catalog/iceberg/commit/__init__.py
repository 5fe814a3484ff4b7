"""One commit of one or more statements: a snapshot, its manifests, and the swap of the table's metadata."""
