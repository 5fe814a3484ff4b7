"""One data file to be read for one request: what every step of reading it needs to know."""

from __future__ import annotations

from dataclasses import dataclass

from lakeport.catalog.iceberg.failures import last_name
from lakeport.catalog.iceberg.files.request import Request, request_of
from lakeport.catalog.iceberg.files.wanted import Wanted
from lakeport.catalog.iceberg.parts import DataFile, Source


@dataclass(frozen=True, slots=True)
class Task:
    """`what` is how messages call the file."""

    source: Source
    file: DataFile
    wanted: Wanted
    request: Request
    what: str


def task_of(source: Source, file: DataFile, wanted: Wanted) -> Task:
    what = f"data file `{last_name(file.path)}` of table `{source.name}`"
    return Task(source, file, wanted, request_of(wanted), what)
