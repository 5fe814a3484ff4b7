"""A lake that a server has: read from the shell (`--server`) and from Python (`lakeport.connect`)."""
