"""Bytes to values and back, without any behaviour: the protocol's own names live here alone."""
