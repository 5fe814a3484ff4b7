"""CSV: a header, then rows, streamed as text and read in the types they are wanted in.

Nothing between two commas is NULL, `""` is an empty text. pyarrow counts rows, but people look for
lines, and a text in quotes may have several: the line is looked up when there is one to report.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Generator
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from lakeport.app.lake.load.columns import refuse_twins
from lakeport.app.lake.load.guess import TextGuess
from lakeport.app.lake.load.values import first_refused, from_texts
from lakeport.catalog.arrow import Array
from lakeport.catalog.definition import column_index
from lakeport.core.errors import InvalidRequestError
from lakeport.core.names import quoted

BLOCK_BYTES = 4 * 1024 * 1024
LARGEST_BLOCK = 1024 * 1024 * 1024
_DELIMITERS = ",;\t|"
_UNEVEN = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


class CsvInput:
    is_guessed = True

    def __init__(
        self,
        label: str,
        place: Path,
        delimiter: str,
        nulls: tuple[str, ...],
        *,
        is_assumed: bool = False,
    ) -> None:
        """`is_assumed`: nobody named the delimiter."""
        self.label = label
        self._place = place
        self._is_assumed = is_assumed
        self._delimiter = delimiter
        self._nulls = ["", *nulls]
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise InvalidRequestError(
                f"{delimiter!r} cannot separate values", hint="use one character"
            )

    def names(self) -> list[str]:
        return self._header

    @cached_property
    def _header(self) -> list[str]:
        try:
            with self._text() as text:
                header = next(csv.reader(text, delimiter=self._delimiter), None)
        except (csv.Error, pa.ArrowException, OSError) as error:
            raise self._damaged(error) from error
        if not header:
            raise InvalidRequestError(
                f"{self.label} is empty", hint="its first line names the columns"
            )
        names = [name.strip() for name in header]
        if "" in names:
            raise InvalidRequestError(
                f"{self.label}:1: column {names.index('') + 1} has no name",
                hint="the first line names the columns",
            )
        self._refuse_another_delimiter(names)
        refuse_twins(self.label, names)
        return names

    def _refuse_another_delimiter(self, names: list[str]) -> None:
        another = next((sign for sign in _DELIMITERS if sign in names[0]), None)
        if self._is_assumed and len(names) == 1 and another is not None:
            told = "$'\\t'" if another == "\t" else f"'{another}'"
            raise InvalidRequestError(
                f"{self.label}:1: all of it would be one column called {quoted(names[0])}",
                hint=f"`--delimiter {told}` if that separates its values, "
                f"`--delimiter '{self._delimiter}'` if it is one column",
            )

    def schema(self) -> pa.Schema:
        guesses = [TextGuess() for _ in self._header]
        for batch in self._texts():
            for guess, column in zip(guesses, batch.columns, strict=True):
                guess.add(column)
        return pa.schema(
            [
                pa.field(name, guess.type or pa.string())
                for name, guess in zip(self._header, guesses, strict=True)
            ]
        )

    def batches(self, schema: pa.Schema) -> Generator[pa.RecordBatch, None, None]:
        names = self._header
        places = [column_index(schema, name) for name in names]
        before = 1  # the header
        for batch in self._texts():
            columns = [
                texts if place is None else self._read(texts, schema.field(place), before)
                for texts, place in zip(batch.columns, places, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, names=names)
            before += batch.num_rows

    def _read(self, texts: Array, column: Any, before: int) -> Array:
        try:
            return from_texts(texts, column)
        except InvalidRequestError as refused:
            row, error = first_refused(
                len(texts),
                lambda start, end: from_texts(texts.slice(start, end - start), column),
                refused,
            )
            place = f"{self.label}:{self._line(before + row)}: column {quoted(column.name)}"
            raise InvalidRequestError(
                f"{place}: {error.message}",
                hint=error.hint or "correct the value, or load it as text and convert it later",
            ) from None

    def _texts(self) -> Generator[pa.RecordBatch, None, None]:
        """Every column as text, in the file's order, without the header."""
        taken, block, last = 1, BLOCK_BYTES, None
        while True:
            try:
                for batch in self._rows(block, taken):
                    taken += batch.num_rows
                    last = batch.column(batch.num_columns - 1)[-1].as_py()
                    yield batch
            except (pa.ArrowException, OSError) as error:
                if "straddl" not in str(error) or block >= LARGEST_BLOCK:
                    raise self._damaged(error) from error
                block *= 16  # one row is larger than a block
            else:
                self._refuse_open_quote(last, taken - 1)
                return

    def _refuse_open_quote(self, last: str | None, row: int) -> None:
        """What follows a quote that nobody closed is one text to pyarrow, which says nothing."""
        if last is None or "\n" not in last:
            return
        final = ""
        with self._text() as text:
            for line in text:
                final = line.rstrip() or final
        if not final.endswith('"'):
            raise InvalidRequestError(
                f"{self.label}:{self._line(row)}: a quote begins there and never ends",
                hint='close it; write "" for a quote that is part of the text',
            )

    def _rows(self, block: int, skipped: int) -> Generator[pa.RecordBatch, None, None]:
        with pa.input_stream(str(self._place)) as source, self._reader(source, block) as reader:
            for batch in reader:
                rows = batch.slice(min(skipped, batch.num_rows))
                skipped -= batch.num_rows - rows.num_rows
                if rows.num_rows:
                    yield rows

    def _reader(self, source: Any, block: int) -> pacsv.CSVStreamingReader:
        # Numbers stand for the names: two columns may be called the same until somebody minds.
        places = [str(place) for place, _ in enumerate(self._header)]
        return pacsv.open_csv(
            source,
            # With threads there are no row numbers.
            read_options=pacsv.ReadOptions(
                use_threads=False, block_size=block, column_names=places
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=self._delimiter,
                newlines_in_values=True,
                ignore_empty_lines=len(places) > 1,
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(places, pa.string()),
                null_values=self._nulls,
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )

    def _damaged(self, error: Exception) -> InvalidRequestError:
        # Not pyarrow's handler of invalid rows: it stumbles over text that is not UTF-8.
        uneven = _UNEVEN.search(str(error))
        if uneven is not None:
            row, expected, got = map(int, uneven.groups())
            return InvalidRequestError(
                f"{self.label}:{self._line(row - 1)}: {_counted(got, 'value')} for "
                f"{_counted(expected, 'column')}",
                hint="quote values that hold the delimiter; --delimiter names another one",
            )
        said = str(error).splitlines()[0]
        if "UTF8" in said:
            return InvalidRequestError(
                f"{self.label} is not UTF-8 text",
                hint="convert it first: iconv -f latin1 -t utf-8 FILE, or with what it really is",
            )
        return InvalidRequestError(f"{self.label} cannot be read as CSV: {said}")

    def _line(self, row: int) -> int:
        """The line on which a row begins; row 0 is the header."""
        begins, rows, in_quotes = 1, -1, False
        with self._text() as text:
            for number, line in enumerate(text, start=1):
                if not in_quotes:
                    begins = number
                in_quotes ^= bool(line.count('"') % 2)
                # pyarrow skips empty lines, except where one is a NULL of the only column.
                if not in_quotes and (line.strip("\r\n") or len(self._header) == 1):
                    rows += 1
                if rows == row:
                    break
        return begins

    def _text(self) -> io.TextIOWrapper:
        source: Any = pa.input_stream(str(self._place))
        return io.TextIOWrapper(source, encoding="utf-8-sig", errors="replace", newline="")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
