"""What settings of an engine's session change in the meaning of later statements."""

from __future__ import annotations


class Settings:
    """As they are if nothing is set, and then as the workload sets them."""

    def __init__(self) -> None:
        # Spark's setting that makes quoted names in a select list regular expressions.
        self.quoted_patterns = False
        # Whether those tell capitals from small letters.
        self.case_sensitive = False
        # And the setting that hides select aliases from GROUP BY.
        self.group_by_aliases = True
        # The one that makes names of what stands in double quotes.
        self.quoted_names = False
        # The zone that moments are shown in, if the workload says so.
        self.time_zone: str | None = None
        # Whether TIMESTAMP is the kind without a zone.
        self.wall_clock = False
        # Whether intervals are of the one kind that old versions had.
        self.calendar_intervals = False

    def change(self, name: str, value: str) -> None:
        """What a SET says."""
        if name == "spark.sql.parser.quotedregexcolumnnames":
            self.quoted_patterns = value.lower() == "true"
        elif name == "hive.support.quoted.identifiers":
            self.quoted_patterns = value.lower() == "none"
        elif name == "spark.sql.casesensitive":
            self.case_sensitive = value.lower() == "true"
        elif name == "spark.sql.groupbyaliases":
            self.group_by_aliases = value.lower() != "false"
        elif name == "spark.sql.session.timezone":
            self.time_zone = value
        elif name == "spark.sql.ansi.doublequotedidentifiers":
            self.quoted_names = value.lower() == "true"
        elif name == "spark.sql.timestamptype":
            self.wall_clock = value.upper() == "TIMESTAMP_NTZ"
        elif name == "spark.sql.legacy.interval.enabled":
            self.calendar_intervals = value.lower() == "true"
