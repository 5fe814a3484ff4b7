"""PyIceberg's catalogs, made patient but not endless: every wait for a database or a server has a limit."""
