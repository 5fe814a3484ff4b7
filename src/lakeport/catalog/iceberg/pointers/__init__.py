"""What a catalog holds and where each table's newest metadata is: the only part of a lake that moves."""
