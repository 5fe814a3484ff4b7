"""The small protocols that every storage implements and every door uses.

A catalog holds namespaces, a namespace holds tables and functions, and a table has *abilities*: each
is a protocol of one to three methods. A table that lacks one says so by its type; a caller asks for
an ability with `require` and the user gets a clear "unsupported" instead of an attribute error.
"""

from lakeport.catalog.ports.abilities import ABILITIES, is_able, require
from lakeport.catalog.ports.catalog import (
    Catalog,
    CatalogVersion,
    Namespace,
    NamespaceInfo,
    Surveyable,
    Surveyed,
    Table,
    TableState,
    ViewHost,
)
from lakeport.catalog.ports.changing import (
    Alterable,
    DynamicCatalog,
    DynamicNamespace,
    OnConflict,
    Restoring,
)
from lakeport.catalog.ports.history import (
    Ref,
    Referable,
    Rewind,
    Rewindable,
    SnapshotInfo,
    Travelable,
)
from lakeport.catalog.ports.reading import (
    ColumnStatistics,
    Measurable,
    Scannable,
    ScanPlan,
    ScanRequest,
    Split,
    Storage,
    Stored,
)
from lakeport.catalog.ports.upkeep import Auditable, Expirable, Maintainable, Sweepable
from lakeport.catalog.ports.writing import (
    Deletable,
    Insertable,
    Overwritable,
    Truncatable,
    Updatable,
    Write,
    WriteContext,
    Written,
)

__all__ = [
    "ABILITIES",
    "Alterable",
    "Auditable",
    "Catalog",
    "CatalogVersion",
    "ColumnStatistics",
    "Deletable",
    "DynamicCatalog",
    "DynamicNamespace",
    "Expirable",
    "Insertable",
    "Maintainable",
    "Measurable",
    "Namespace",
    "NamespaceInfo",
    "OnConflict",
    "Overwritable",
    "Ref",
    "Referable",
    "Restoring",
    "Rewind",
    "Rewindable",
    "ScanPlan",
    "ScanRequest",
    "Scannable",
    "SnapshotInfo",
    "Split",
    "Storage",
    "Stored",
    "Surveyable",
    "Surveyed",
    "Sweepable",
    "Table",
    "TableState",
    "Travelable",
    "Truncatable",
    "Updatable",
    "ViewHost",
    "Write",
    "WriteContext",
    "Written",
    "is_able",
    "require",
]
