"""A daemon's first work, before anybody waits for it: Java loads and compiles at first use what models need.

A tiny lake is made, three models like anybody's are built in it some times over, and it is thrown away. Java goes on
compiling for a while after that; each round takes less than the one before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from lakeport.app.lake.pipeline import Pipeline
from lakeport.app.lake.write import Wish, write
from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.names import TableName
from lakeport.pipeline.session import Spark

_ROUNDS = 3
_KEYED = Wish(settings={"unique_key": "id"})
_WHOLE = Wish(settings={"strategy": "full"})
_MODELS = (
    (
        "rows",
        "SELECT id, concat('row ', id) AS name, current_timestamp() AS at FROM range(3)",
        _KEYED,
    ),
    (
        "joined",
        "SELECT a.*, b.at AS seen FROM warm.rows AS a JOIN warm.rows AS b USING (id)",
        _KEYED,
    ),
    ("counted", "SELECT name, count(*) AS n FROM warm.joined GROUP BY name", _WHOLE),
)


def warm_up(start: Callable[[], Spark], log: Path) -> None:
    """`start` joins the daemon."""
    with tempfile.TemporaryDirectory(prefix="lakeport-warm-") as folder:
        profile = Profile(
            name="lake",
            type="embedded",
            uri=f"sqlite:///{folder}/catalog.db",
            warehouse=f"file://{folder}",
        )
        with (
            closing(IcebergCatalog(profile)) as catalog,
            Pipeline(catalog, start, log) as pipeline,
        ):
            for _ in range(_ROUNDS):
                for name, query, wish in _MODELS:
                    write(pipeline, query, TableName("warm", name), wish, None)
