from __future__ import annotations

import pytest

from lakeport.core.errors import InvalidRequestError
from lakeport.pipeline.target import Run, fingerprint_of


def test_every_run_has_an_id_of_its_own() -> None:
    assert Run().id != Run().id
    assert Run().word == Run(Run().id).word or Run().word.isalnum()


def test_ids_become_names_without_meeting() -> None:
    assert Run("abc123").branch == "lakeport_abc123"
    words = {Run(text).word for text in ("a-b", "a.b", "a b", "a_b", "a" * 100, "a" * 101)}
    assert len(words) == 6
    assert all(word.replace("_", "").isalnum() and len(word) < 64 for word in words)


@pytest.mark.parametrize("text", ["", "a\nb", "x" * 201])
def test_an_id_that_breaks_a_summary_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="a run's id"):
        Run(text)


def test_the_summary_says_what_is_known() -> None:
    told = Run("r", "shop.model", "f", "ann").summary("shop.model", "2026-01-01/2026-01-02")
    assert told.pop("lakeport.engine-version")
    assert told == {
        "lakeport.run-id": "r",
        "lakeport.model": "shop.model",
        "lakeport.fingerprint": "f",
        "lakeport.interval": "2026-01-01/2026-01-02",
        "lakeport.actor": "ann",
    }
    assert set(Run("r").summary("m", None)) == {
        "lakeport.run-id",
        "lakeport.model",
        "lakeport.engine-version",
    }


def test_a_fingerprint_is_of_all_its_parts() -> None:
    prints = {fingerprint_of("ab", "c"), fingerprint_of("a", "bc"), fingerprint_of("abc")}
    assert len(prints) == 3
    assert fingerprint_of("SELECT 1") == fingerprint_of("SELECT 1")
