"""The actions: one entry each in the registry, one file per family."""
