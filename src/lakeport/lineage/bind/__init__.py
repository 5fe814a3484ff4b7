"""The binder: from a syntax tree to relations, columns and what each column is made of."""
