"""What a catalog is and what its tables can do; no vendor in sight outside the implementations."""
