"""The families of checks, in the order a client meets what they are about.

Errors come last: they look at every refusal that was seen.
"""

from __future__ import annotations

from lakeport.conformance.families import (
    alterations,
    changes,
    crowds,
    definitions,
    discovery,
    errors,
    existing,
    filters,
    functions,
    returning,
    scans,
    statistics,
    transactions,
    travel,
    types,
)

FAMILIES = (
    discovery.FAMILY,
    transactions.FAMILY,
    scans.FAMILY,
    filters.FAMILY,
    travel.FAMILY,
    statistics.FAMILY,
    definitions.FAMILY,
    alterations.FAMILY,
    types.FAMILY,
    changes.FAMILY,
    returning.FAMILY,
    crowds.FAMILY,
    functions.FAMILY,
    existing.FAMILY,
    errors.FAMILY,
)
