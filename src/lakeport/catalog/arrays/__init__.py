"""Arrow arrays taken apart, chosen from and put together, for every type there is. No table in sight."""
