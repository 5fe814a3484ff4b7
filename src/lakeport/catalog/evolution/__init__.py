"""Schema changes: from a definition and what is asked, the next definition and what rows must do."""
