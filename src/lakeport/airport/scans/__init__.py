"""Scans over the wire: tickets, endpoints, streams, time travel, statistics, pins of transactions."""

from lakeport.airport.scans.pins import Pins
from lakeport.airport.scans.references import Lends, lends_none
from lakeport.airport.scans.scans import Announced, Scans, Whole
from lakeport.airport.scans.statistics import produces_statistics

__all__ = [
    "Announced",
    "Lends",
    "Pins",
    "Scans",
    "Whole",
    "lends_none",
    "produces_statistics",
]
