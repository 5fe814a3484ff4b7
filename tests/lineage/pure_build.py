"""A program: answers requests with the compiled or the pure Python build of sqlglot.

The compiled modules lie beside their sources; hiding their file suffix from the import system makes
Python take the sources. Prints which build answered and a digest of all answers.
"""

from __future__ import annotations

import hashlib
import json
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


class SourceOnly(MetaPathFinder):
    """Finds sqlglot's submodules by their `.py` files alone."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("sqlglot."):
            return None
        for folder in path or ():
            found = FileFinder(folder, (SourceFileLoader, [".py"])).find_spec(fullname, target)
            if found is not None:
                return found
        return None


def main(build: str) -> None:
    if build == "pure":
        sys.meta_path.insert(0, SourceOnly())
    import sqlglot.parser  # noqa: PLC0415  which build is loaded is decided above

    from lakeport.lineage import analyze, encode_result  # noqa: PLC0415  it loads sqlglot

    answers = b"".join(encode_result(analyze(request)) for request in json.load(sys.stdin))
    loaded = "pure" if (sqlglot.parser.__file__ or "").endswith(".py") else "compiled"
    sys.stdout.write(f"{loaded} {hashlib.sha256(answers).hexdigest()}\n")


if __name__ == "__main__":
    main(sys.argv[1])
