"""How one part of a filter says that it cannot be evaluated here."""

from __future__ import annotations


class NotEvaluatedError(Exception):
    """Never leaves this package: whoever joins conditions widens them. `str` is the reason."""
