"""The table property `lakeport.types`: its words are read back as written, whatever else is there."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeport.catalog.arrow import Field
from lakeport.catalog.iceberg.types import describe, read_annotations, write_annotations
from lakeport.catalog.iceberg.types.words import (
    Annotation,
    ExtensionWord,
    LeafWord,
    ListWord,
    annotation_from_text,
)
from tests.catalog.iceberg.types.test_logical_types import RARE
from tests.strategies import schemas


@settings(max_examples=100, deadline=None, derandomize=True)
@given(schema=schemas(depth=3))
def test_every_generated_schema_is_read_back_from_its_text(schema: pa.Schema) -> None:
    written = describe(schema).annotations
    assert read_annotations(write_annotations(written)) == written


@pytest.mark.parametrize("name", RARE)
def test_rare_words_are_read_back(name: str) -> None:
    written = describe([pa.field("x", RARE[name].type)]).annotations
    assert written
    for annotation in written.values():
        assert annotation_from_text(str(annotation)) == annotation


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    name=st.text(min_size=1, max_size=8), metadata=st.binary(max_size=8), child=st.text(max_size=8)
)
def test_any_name_and_any_bytes_are_read_back(name: str, metadata: bytes, child: str) -> None:
    word = ExtensionWord(name, metadata, ListWord("list", child))
    assert read_annotations(write_annotations({1: Annotation(word)})) == {1: Annotation(word)}


def test_the_text_is_what_the_manual_shows() -> None:
    columns: list[Field] = [
        pa.field("a", pa.uint8()),
        pa.field("b", pa.string()),
        pa.field("c", pa.list_(pa.timestamp("s"), 3)),
        pa.field("d", pa.dictionary(pa.uint8(), pa.string())),
        pa.field("e", pa.sparse_union([pa.field("n", pa.int64(), nullable=False)])),
        pa.field("f", pa.binary(), metadata={"ARROW:extension:name": "geoarrow.wkb"}),
    ]
    assert json.loads(write_annotations(describe(columns).annotations)) == {
        "1": "uint8",
        "3": "fixed_size_list<item>[3]",
        "4": "dictionary<uint8, string>",
        "5": "sparse_union<0>",
        "6": 'extension<geoarrow.wkb, "", binary>',
        "7": "timestamp[s]",
        "9": "int64 not null",
    }


@pytest.mark.parametrize(
    "text",
    [None, "", "{", "[]", "7", '"uint8"', "null", "[" * 100_000, '{"1": "uint8"', "\ud800"],
    ids=lambda text: str(text)[:12].encode("ascii", "replace").decode(),
)
def test_a_property_that_is_no_object_counts_as_absent(text: str | None) -> None:
    assert read_annotations(text) == {}


def test_entries_that_cannot_be_read_are_passed_over() -> None:
    text = json.dumps(
        {
            "1": "uint8",
            "2": "a type of the future",
            "3": 7,
            "version": 2,
            "-4": "uint8",
            "\u0665": "uint8",
            "6": {"dictionary": "uint8"},
            "7": "dictionary<string, string>",
            "8": "run_end_encoded<uint8, string>",
            "9": "list<item>[3]",
            "10": "fixed_size_list<item>",
            "11": "dense_union<5, 5>",
            "12": "dense_union<200>",
            "13": "dictionary<int8, " * 50 + "string" + ">" * 50,
            "14": "decimal128(99, 2)",
            "15": "timestamp[us, tz=]",
            "16": "fixed_size_binary[-1]",
            "17": 'extension<x, "\\q", binary>',
        }
    )
    assert read_annotations(text) == {1: Annotation(LeafWord(pa.uint8()))}


def test_entries_of_others_are_kept_when_ours_are_written() -> None:
    before = '{"1":"uint8","2":"a type of the future","note":"hello"}'
    after = write_annotations({1: Annotation(LeafWord(pa.int8()))}, before)
    assert json.loads(after) == {"1": "int8", "2": "a type of the future", "note": "hello"}
