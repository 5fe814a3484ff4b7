"""The two ways to draw an answer: `text` for people, `json` for programs. Both show all of it."""
