"""`doctor`: is everything here that Lakeport needs? One module per kind of thing that may be missing."""

from lakeport.app.doctor.examine import examine
from lakeport.app.doctor.report import Check, Report, State

__all__ = ["Check", "Report", "State", "examine"]
