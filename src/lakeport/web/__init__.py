"""The HTTP face: health and metrics for those who operate a server."""
