from __future__ import annotations

import pytest

from lakeport.catalog import ports
from lakeport.catalog.ports import Insertable, Scannable, require
from lakeport.catalog.streams import BatchStream
from lakeport.core.errors import UnsupportedError


class Readable:
    """Something that can be read and nothing else."""

    def plan(self, request: ports.ScanRequest) -> ports.ScanPlan:
        raise NotImplementedError

    def open(self, request: ports.ScanRequest, split: ports.Split) -> BatchStream:
        raise NotImplementedError


def test_an_ability_is_found_by_shape() -> None:
    thing = Readable()
    assert require(thing, Scannable, "table `s.t`") is thing


def test_a_missing_ability_is_a_clear_sentence() -> None:
    with pytest.raises(UnsupportedError, match=r"table `s\.t` cannot take INSERT"):
        require(Readable(), Insertable, "table `s.t`")


def test_every_ability_has_words_for_its_lack() -> None:
    for ability in ports.ABILITIES:
        with pytest.raises(UnsupportedError) as caught:
            require(object(), ability, "this")
        assert ability.__name__ not in caught.value.message
