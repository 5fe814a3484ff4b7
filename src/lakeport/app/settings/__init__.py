"""Settings: `lakeport.toml` < environment `LAKEPORT_*` < flags, checked, built once and frozen.

Nothing else in Lakeport reads `os.environ`. `sections.py` says what there is to set, `load.py` puts the
layers together and remembers where each value came from.
"""

from lakeport.app.settings.layers import Source
from lakeport.app.settings.load import Entry, Settings, load
from lakeport.app.settings.project import FILE_NAME
from lakeport.app.settings.sections import (
    Catalog,
    Files,
    Functions,
    Limits,
    Log,
    Maintenance,
    Pipeline,
    Remote,
    Server,
    Spark,
    State,
    Tls,
)
from lakeport.app.settings.values import Address, shown_text

__all__ = [
    "FILE_NAME",
    "Address",
    "Catalog",
    "Entry",
    "Files",
    "Functions",
    "Limits",
    "Log",
    "Maintenance",
    "Pipeline",
    "Remote",
    "Server",
    "Settings",
    "Source",
    "Spark",
    "State",
    "Tls",
    "load",
    "shown_text",
]
