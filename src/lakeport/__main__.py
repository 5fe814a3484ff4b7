"""`python -m lakeport`: the command line of this very Python, where `lakeport` is not on the path."""

from __future__ import annotations

from lakeport.cli.main import main

if __name__ == "__main__":
    main()
