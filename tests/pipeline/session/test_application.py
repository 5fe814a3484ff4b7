from __future__ import annotations

from pathlib import Path

import pytest

from lakeport.core.errors import UnavailableError
from lakeport.pipeline.session import Session, Spark


class Refusing(Spark):
    def fresh(self) -> Session:
        raise RuntimeError("no room for one more")

    def close(self) -> None:
        pass


def test_a_log_that_cannot_be_written_is_not_what_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnavailableError, match="Spark gives no session: no room for one more"):
        Refusing(tmp_path / "file" / "spark.log").session({})
    with pytest.raises(UnavailableError):
        Refusing(tmp_path / "spark.log").session({})
    assert "RuntimeError: no room for one more" in (tmp_path / "spark.log").read_text()
