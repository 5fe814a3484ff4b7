"""A catalog of anybody's data and the server for it, in few lines: the public names are in `lakeport.airport`."""
