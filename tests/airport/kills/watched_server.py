"""`lakeport serve` that says where its commits are and waits for a word at each, so that it can be killed there.

Everything is the real command; only the catalog's commits are watched. Run with `-m`, from the root of the
repository.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.cli.main import run
from tests.catalog.iceberg.faults.victim import say, watch_commits


def main(folder: str) -> None:
    make = IcebergCatalog.__init__

    def watched(self: IcebergCatalog, *arguments: Any, **options: Any) -> None:
        make(self, *arguments, **options)
        watch_commits(self, partial(say, waits=True))

    IcebergCatalog.__init__ = watched  # type: ignore[method-assign]  # every one that is opened
    anywhere = ("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0")
    sys.exit(run(["--project", folder, "serve", *anywhere, "--json"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
