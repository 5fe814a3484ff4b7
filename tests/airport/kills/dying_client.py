"""A client that begins a statement over Flight and says so, line by line, to whoever is going to kill it.

It never ends its stream: only a mistake of the server's could take what it sent for a whole statement. Run
with `-m`, from the root of the repository.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pyarrow as pa

# The published types of the client differ from what it does.
fl: Any = importlib.import_module("pyarrow.flight")

BATCHES = 6
ROWS = 20


def batches_of(operation: str, row_ids: list[int]) -> list[pa.RecordBatch]:
    """For `delete` and `update` a few of the rows in each, for `insert` new ones."""
    made = []
    for number in range(BATCHES):
        ids = pa.array(row_ids[number::BATCHES], pa.int64())
        texts = pa.array([f"batch {number}"] * len(ids))
        if operation == "delete":
            made.append(pa.RecordBatch.from_arrays([ids], names=["rowid"]))
        elif operation == "update":
            made.append(pa.RecordBatch.from_arrays([texts, ids], names=["text", "rowid"]))
        else:
            keys = list(range(1_000 + ROWS * number, 1_000 + ROWS * (number + 1)))
            made.append(pa.RecordBatch.from_pydict({"k": keys, "text": ["new"] * ROWS}))
    return made


def main(address: str, operation: str, returning: str, row_ids: str) -> None:
    batches = batches_of(operation, [int(row_id) for row_id in row_ids.split(",")])
    client = fl.connect(address)
    headers = [(b"airport-operation", operation.encode()), (b"return-chunks", returning.encode())]
    path = fl.FlightDescriptor.for_path("shop", "log")
    options = fl.FlightCallOptions(headers=headers)
    if operation == "put":
        writer, reader = client.do_put(path, batches[0].schema, options)
    else:
        writer, reader = client.do_exchange(path, options)
        writer.begin(batches[0].schema)
    for number, batch in enumerate(batches):
        writer.write_batch(batch)
        if returning == "1":
            reader.read_chunk()
        sys.stdout.write(f"sent {number}\n")
        sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
