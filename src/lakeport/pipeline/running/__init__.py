"""A project run: one model after the other and beside the other, audited, published, recovered."""
