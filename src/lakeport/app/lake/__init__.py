"""The lake as a person asks for it: list, show, read, load. `cli` draws what these give."""
