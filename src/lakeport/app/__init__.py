"""Use cases and wiring: one use case per file, called alike by the command line and the web page."""
