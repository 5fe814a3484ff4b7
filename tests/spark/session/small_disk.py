"""Run by `test_jars_for_real.py` where the cache is a small disk: what a fetch says, and what it leaves."""

from __future__ import annotations

import sys
from pathlib import Path

from lakeport.core.errors import UnavailableError
from lakeport.pipeline.session import SparkOptions
from lakeport.pipeline.session.fetch import fetch
from lakeport.pipeline.session.java import find_java

cache, log, repository, flags, java = sys.argv[1:]
conf = {"spark.driver.extraJavaOptions": flags, "spark.jars.repositories": repository}
try:
    fetch(SparkOptions(Path(cache), Path(log), conf=conf), find_java(Path(java)))
except UnavailableError as error:
    sys.stdout.write(f"{error}\n")
sys.stdout.write(f"{[str(path.relative_to(cache)) for path in Path(cache).rglob('*')]}\n")
