"""What libraries raise, and what a user is told instead."""

from __future__ import annotations

import errno
import sqlite3

import pyarrow as pa
import pytest
import requests
from pyiceberg.exceptions import (
    CommitFailedException,
    CommitStateUnknownException,
    NotInstalledError,
    OAuthError,
    ValidationError,
)
from sqlalchemy.exc import OperationalError

from lakeport.catalog.iceberg.failures import asking, last_name, plain, reading
from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import (
    ConflictError,
    CorruptDataError,
    LakeportError,
    NotFoundError,
    UnavailableError,
    UnsupportedError,
)

WHAT = "data file `a.parquet` of table `shop.items`"
PROFILE = Profile("lake", "sql", "postgresql://ann:sesame@db/lake", "s3://bucket/lake")


@pytest.mark.parametrize(
    ("raised", "expected", "words"),
    [
        (FileNotFoundError(errno.ENOENT, "x", "/secret/a.parquet"), CorruptDataError, "is missing"),
        (FileNotFoundError("Path does not exist 'bucket/a.parquet'"), CorruptDataError, "missing"),
        (PermissionError(errno.EACCES, "x", "/secret/a"), UnavailableError, "refused access"),
        (
            OSError("When reading 'k' in bucket 'b': AWS Error ACCESS_DENIED during HeadObject"),
            UnavailableError,
            "refused access",
        ),
        (OSError("AWS Error NO_SUCH_KEY during GetObject operation"), CorruptDataError, "missing"),
        (
            OSError("AWS Error NETWORK_CONNECTION during HeadObject: curlCode: 7"),
            UnavailableError,
            "does not answer",
        ),
        (OSError(errno.EIO, "Input/output error"), UnavailableError, "input/output error"),
        (TimeoutError(errno.ETIMEDOUT, "Connection timed out"), UnavailableError, "timed out"),
        (OSError("Couldn't deserialize thrift: TProtocolException"), CorruptDataError, "damaged"),
        (pa.ArrowInvalid("Parquet magic bytes not found in footer"), CorruptDataError, "magic"),
        (EOFError("end of file"), CorruptDataError, "damaged"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"), CorruptDataError, "damaged"),
        (
            ValidationError("1 validation error for Wrapper\nroot"),
            CorruptDataError,
            "specification",
        ),
        (pa.ArrowNotImplementedError("codec lzo"), UnsupportedError, "codec lzo"),
        (KeyError("schema"), CorruptDataError, "schema"),
    ],
)
def test_trouble_with_a_file_says_which_and_what_to_do(
    raised: Exception, expected: type[LakeportError], words: str
) -> None:
    with pytest.raises(expected) as caught, reading(WHAT):
        raise raised
    assert caught.value.message.startswith(WHAT)
    assert words in caught.value.message
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is raised
    assert caught.value.hint or expected is UnsupportedError


def test_errors_of_our_own_pass_as_they_are() -> None:
    ours = NotFoundError("no such thing")
    for translation in (reading(WHAT), asking(PROFILE)):
        with pytest.raises(NotFoundError) as caught, translation:
            raise ours
        assert caught.value is ours


def test_a_bug_is_not_called_a_damaged_file() -> None:
    with pytest.raises(TypeError), reading(WHAT):
        raise TypeError("unsupported operand")


def test_a_bug_of_ours_is_not_told_as_trouble_with_the_catalog() -> None:
    with pytest.raises(AttributeError), asking(PROFILE):
        last_name(None)  # type: ignore[arg-type]  # the slip happens inside
    with pytest.raises(UnavailableError, match="no attribute"), asking(PROFILE):
        _ = "".missing  # type: ignore[attr-defined]  # in somebody else's line


@pytest.mark.parametrize(
    ("raised", "expected", "words"),
    [
        (OAuthError("invalid_client"), UnavailableError, "refuses access: invalid_client"),
        (requests.ReadTimeout("Read timed out."), UnavailableError, "did not answer in time"),
        (requests.ConnectionError("no route"), UnavailableError, "cannot be reached: no route"),
        (CommitFailedException("stale"), ConflictError, "somebody else was faster"),
        (CommitStateUnknownException("504"), UnavailableError, "did not say whether"),
        (NotInstalledError("pip install x."), UnsupportedError, "not installed"),
        (NotImplementedError("views"), UnsupportedError, "cannot do that: views"),
        (sqlite3.OperationalError("database is locked"), UnavailableError, "is busy"),
        (OSError(errno.ENOSPC, "x"), UnavailableError, "its files: no space left on device"),
        (
            OperationalError("SELECT 1", {}, sqlite3.OperationalError("unable to open")),
            UnavailableError,
            "cannot be reached: unable to open",
        ),
        (
            OperationalError("SELECT 1", {}, sqlite3.OperationalError("database is locked")),
            UnavailableError,
            "is busy",
        ),
        (
            OperationalError("x", {}, Exception("password=sesame is wrong")),
            UnavailableError,
            "cannot be reached",
        ),
    ],
)
def test_trouble_with_a_catalog_names_it_and_hides_its_secrets(
    raised: Exception, expected: type[LakeportError], words: str
) -> None:
    with pytest.raises(expected) as caught, asking(PROFILE):
        raise raised
    assert caught.value.message.startswith("the sql catalog `lake` at postgresql://ann:***@db/lake")
    assert "(warehouse s3://bucket/lake)" in caught.value.message
    assert words in caught.value.message
    assert "sesame" not in str(caught.value)
    assert caught.value.hint or isinstance(raised, NotImplementedError)
    assert caught.value.outside is not None
    assert caught.value.outside.startswith("catalog `lake` ")
    assert words.partition(":")[0] in caught.value.outside
    assert "postgresql" not in caught.value.outside


def test_a_file_is_named_by_its_last_name_alone() -> None:
    assert last_name("s3://bucket/lake/shop/data/a.parquet") == "a.parquet"
    shown = plain(
        OSError("Could not open '/home/ann/lake/a.parquet': bad magic in s3://b/x/y.avro")
    )
    assert shown == "Could not open 'a.parquet': bad magic in y.avro"
