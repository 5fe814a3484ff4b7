"""Scans over the wire: tickets, endpoints, streams, time travel, statistics, pins of transactions."""

from lakeport.airport.scans.pins import Pins
from lakeport.airport.scans.scans import Announced, Scans, Whole
from lakeport.airport.scans.statistics import produces_statistics

__all__ = ["Announced", "Pins", "Scans", "Whole", "produces_statistics"]
