"""What a run would do to every table and every downstream column, worked out without writing a row."""
