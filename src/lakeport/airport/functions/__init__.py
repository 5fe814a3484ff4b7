"""Functions on the wire: what is declared of them, how they are asked for, and what they give."""
