"""The one place that turns what libraries raise into errors a user can act on.

Six vendors' drivers share no error class, and pyarrow raises a plain `OSError` both for storage that
does not answer and for a Parquet file that is damaged. What has an operating system's number is about
storage; what names a remote service is judged by its words; the rest is about the file's content.
Messages show a file's last name only: locations may hold what a reader must not learn.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
from pydantic import ValidationError as Unfitting
from pyiceberg.exceptions import (
    AuthorizationExpiredError,
    CommitFailedException,
    CommitStateUnknownException,
    ForbiddenError,
    NotInstalledError,
    OAuthError,
    RESTError,
    TooManyRequestsError,
    UnauthorizedError,
    ValidationError,
    WaitingForLockException,
)
from sqlalchemy.exc import DataError, SQLAlchemyError

from lakeport.catalog.iceberg.profile import Profile
from lakeport.core.errors import (
    ConflictError,
    CorruptDataError,
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    UnavailableError,
    UnsupportedError,
)
from lakeport.core.names import TableName, quoted
from lakeport.core.secrets import mask_text

# What reading and decoding a file may raise. `ValueError` covers pyarrow's ArrowInvalid, broken UTF-8
# and JSON, and what PyIceberg says of a manifest or a metadata file it cannot make sense of.
_FILE_TROUBLE = (
    OSError,
    ValueError,
    ImportError,
    EOFError,
    LookupError,
    ArithmeticError,
    AssertionError,
    NotImplementedError,
    ValidationError,
    pa.ArrowException,
    struct.error,
    zlib.error,
)

_SERVICE = re.compile(r"AWS Error|HTTP|curl|Google|Azure|WebHDFS|\bS3\b", re.IGNORECASE)
_MISSING = re.compile(
    r"NO_SUCH|NoSuch|not found|\b404\b|RESOURCE_NOT_FOUND|does not exist", re.IGNORECASE
)
_REFUSED = re.compile(
    r"ACCESS_DENIED|AccessDenied|Forbidden|\b40[13]\b|InvalidAccessKey|INVALID_ACCESS_KEY|SignatureDoesNotMatch"
    r"|INVALID_SIGNATURE|ExpiredToken|EXPIRED|credentials|UNRECOGNIZED_CLIENT",
    re.IGNORECASE,
)
_NEW_TYPE = re.compile(r"Unsupported field type: '(?P<type>[^']+)'")
_LOCKED = re.compile(r"database (table )?is locked|lock timeout", re.IGNORECASE)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)

# SQLAlchemy begins with the class of what a driver raised.
_DRIVER = re.compile(r"^\([\w.]+\) ")
_PATH = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:/+|/)?(?:[^\s/'\"`]*/)+(?P<last>[^\s/'\"`:]*)", re.IGNORECASE
)


# By a word in the name of the package, or in what PyIceberg says of it.
_EXTRAS = {"psycopg": "postgres", "boto": "aws", "aws": "aws", "thrift": "hive", "hive": "hive"}
_OTHER_DRIVER = "psycopg"  # which SQLAlchemy takes for `postgresql://`

_ELSEWHERE = "read the table with the engine that wrote it, or have it rewritten there"


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Around the reading of one file; `what` is how the user calls it: "data file `x.parquet` of …"."""
    try:
        yield
    except LakeportError:
        raise
    except _FILE_TROUBLE as error:
        raise file_failure(what, error) from error


def file_failure(what: str, error: Exception) -> LakeportError:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return _missing(what)
    if isinstance(error, PermissionError):
        return _refused(what)
    if isinstance(error, NotImplementedError | ImportError | NotInstalledError):
        return UnsupportedError(f"{what} cannot be read: {plain(error)}", hint=_ELSEWHERE)
    unknown = unknown_type(error)
    if unknown is not None:
        return UnsupportedError(
            f"{what} names a type that cannot be read yet: {quoted(unknown)}", hint=_ELSEWHERE
        )
    if isinstance(error, OSError):
        if _SERVICE.search(str(error)):
            return _service_failure(what, error)
        if error.errno is not None or _timed_out(error):
            return UnavailableError(
                f"{what} cannot be read: {reason_of(error)}",
                hint="the storage is in trouble; try again when it is back",
            )
    return CorruptDataError(
        f"{what} is damaged: {plain(error)}",
        hint="restore the file from a backup, or read an older snapshot that does not need it",
    )


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Around the writing of one file. What is not about storage is a slip of ours and goes through."""
    try:
        yield
    except OSError as error:
        raise _write_failure(what, error) from error


def _write_failure(what: str, error: OSError) -> LakeportError:
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return UnavailableError(
            f"{what} cannot be written: {reason_of(error)}",
            hint="give this process the right to write to the warehouse",
        )
    if error.errno in _FULL:
        return UnavailableError(
            f"{what} cannot be written: {reason_of(error)}",
            hint="make room in the warehouse, or move it",
        )
    if error.errno is None and _REFUSED.search(str(error)):
        return UnavailableError(
            f"{what} cannot be written: the storage refused access",
            hint="give this process the right to write to the warehouse, or check its credentials",
        )
    reason = reason_of(error) if error.errno is not None else "the storage does not answer"
    return UnavailableError(
        f"{what} cannot be written: {reason}",
        hint="the storage is in trouble; run the statement again when it is back",
    )


def _service_failure(what: str, error: OSError) -> LakeportError:
    text = str(error)
    if _REFUSED.search(text):
        return _refused(what)
    if _MISSING.search(text):
        return _missing(what)
    return UnavailableError(
        f"{what} cannot be read: the storage service does not answer as it should",
        hint="check the warehouse's endpoint and region; try again when it is back",
    )


def _missing(what: str) -> LakeportError:
    return CorruptDataError(
        f"{what} is missing",
        hint="something removed it from the warehouse; restore it, or read a snapshot that does not need it",
    )


def _refused(what: str) -> LakeportError:
    return UnavailableError(
        f"{what} cannot be read: the storage refused access",
        hint="give this process the right to read the warehouse, or check its credentials",
    )


# -- catalogs ------------------------------------------------------------------------------------


@contextmanager
def asking(profile: Profile) -> Iterator[None]:
    """Around a call to the catalog itself. Answers such as "no such table" are the caller's to catch."""
    try:
        yield
    except LakeportError:
        raise
    except Exception as error:
        if _is_our_bug(error):
            raise
        raise refusal(profile, error) from error


def _is_our_bug(error: Exception) -> bool:
    """A slip in a line of ours must not be told as trouble with the catalog."""
    if not isinstance(error, TypeError | AttributeError | NameError | AssertionError):
        return False
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith(
        "lakeport."
    )


def refusal(profile: Profile, error: Exception) -> LakeportError:
    """What to raise for whatever a driver raised: the catalog by name, the reason, what to check.

    The catalog's address and a driver's own words are for who runs this process; clients over the
    network are told the rest.
    """
    if isinstance(error, LakeportError):
        return error
    trouble = _trouble(profile, error)
    reason = f": {trouble.reason}" if trouble.reason else ""
    return trouble.kind(
        f"{profile} {trouble.what}{reason}",
        hint=trouble.hint,
        outside=f"catalog {quoted(profile.name)} {trouble.what}",
    )


@dataclass(frozen=True, slots=True)
class _Trouble:
    kind: type[LakeportError]
    what: str
    hint: str | None = None
    reason: str = ""


def _trouble(profile: Profile, error: Exception) -> _Trouble:
    reason = reason_of(error)
    unknown = unknown_type(error)
    if isinstance(error, NotInstalledError | ImportError):
        what = "needs a package that is not installed"
        return _Trouble(UnsupportedError, what, _installed(error, reason))
    if unknown is not None:
        what = f"names a type that cannot be read yet: {quoted(unknown)}"
        return _Trouble(UnsupportedError, what, _ELSEWHERE)
    if isinstance(error, NotImplementedError):
        return _Trouble(UnsupportedError, "cannot do that", reason=reason)
    if isinstance(error, CommitFailedException):
        what = "refused the change: somebody else was faster"
        return _Trouble(ConflictError, what, "run it again")
    if isinstance(error, OSError) and error.errno in _FULL:
        hint = "make room in the warehouse, or move it"
        return _Trouble(UnavailableError, "cannot write its files", hint, reason)
    if isinstance(error, DataError):
        return _Trouble(InvalidRequestError, "cannot keep that", reason=reason)
    if is_busy(error):
        hint = "run it again; if it stays so, find the program that keeps a transaction open"
        return _Trouble(UnavailableError, "is busy: another process holds its lock", hint)
    what, reason = _out_of_reach(error, reason)
    return _Trouble(UnavailableError, what, _advice(profile, error), reason)


def _installed(error: Exception, reason: str) -> str:
    """How to have it: by an extra of ours, if it is one of those."""
    package = getattr(error, "name", None)
    missing = f"{package or ''} {reason}".lower()
    extra = next((extra for word, extra in _EXTRAS.items() if word in missing), None)
    if extra is None:
        return reason.rstrip(".")
    hint = f"pip install 'lakeport[{extra}]'"
    if package == _OTHER_DRIVER:
        return f"{hint}, and write postgresql+psycopg2:// in the address"
    return hint


def is_busy(error: BaseException | None) -> bool:
    """A database's lock that was not freed in time."""
    while error is not None:
        if isinstance(error, sqlite3.OperationalError | SQLAlchemyError) and _LOCKED.search(
            str(error)
        ):
            return True
        if isinstance(error, WaitingForLockException):  # Hive's own
            return True
        error = error.__cause__ or error.__context__
    return False


_CREDENTIALS = UnauthorizedError | ForbiddenError | OAuthError | AuthorizationExpiredError


_NO_ROOM = re.compile("disk I/O error|database or disk is full")  # what SQLite says


def _out_of_reach(error: Exception, reason: str) -> tuple[str, str]:
    if isinstance(error, _CREDENTIALS):
        return "refuses access", reason
    if _timed_out(error):
        return "did not answer in time", ""
    if isinstance(error, TooManyRequestsError):
        return "is overloaded", ""
    if isinstance(error, CommitStateUnknownException):
        return "did not say whether the change was made", ""
    if isinstance(error, Unfitting | ValidationError):
        return "gave an answer that is not Iceberg's", ""
    return "cannot be reached", reason


def _advice(profile: Profile, error: Exception) -> str:
    if isinstance(error, _CREDENTIALS):
        return "check `catalog.token` or `catalog.credential`"
    if _timed_out(error) or isinstance(error, TooManyRequestsError):
        return "is the address right, and the service up? try again"
    if profile.uri is None:  # AWS and Google are found by region and account
        return "check region, endpoint and credentials; `lakeport config catalog` shows them"
    if _NO_ROOM.search(str(error)):
        return "see whether its disk is full; `lakeport config catalog` shows where it is"
    return "check `catalog.uri`; `lakeport config catalog` shows where it comes from"


def _timed_out(error: BaseException | None) -> bool:
    """By name: each library has a class of its own, and loading them all to ask would take long."""
    while error is not None:
        if "Timeout" in type(error).__name__:
            return True
        error = error.__cause__ or error.__context__
    return False


def dropped_table(name: TableName) -> NotFoundError:
    hint = "`lakeport tables` lists what is there now"
    return NotFoundError(f"table {quoted(str(name))} was dropped", hint=hint)


def dropped_namespace(name: str) -> NotFoundError:
    hint = "`lakeport tables` lists what is there now"
    return NotFoundError(f"namespace {quoted(name)} was dropped", hint=hint)


# -- words ---------------------------------------------------------------------------------------


def reason_of(error: BaseException) -> str:
    """The operating system's word at the bottom of a chain of wrappers, else the error's first line."""
    cause: BaseException | None = error
    while cause is not None:
        if (
            isinstance(cause, OSError)
            and cause.errno is not None
            and cause.errno in errno.errorcode
        ):
            return os.strerror(cause.errno).lower()  # pyarrow's own words name the path
        cause = cause.__cause__ or cause.__context__
    shown = mask_text(_DRIVER.sub("", str(error).strip().partition("\n")[0]))
    if isinstance(error, RESTError) and len(shown) > 200:  # a proxy's HTML page, for example
        shown = shown[:200] + "…"
    return shown or type(error).__name__


def plain(error: BaseException) -> str:
    """The first line of what a library said of a file, without the folders it names."""
    if isinstance(error, Unfitting | ValidationError):  # pages of the library's own words
        return "its content is not what Iceberg's specification asks for"
    line = mask_text(str(error).strip().partition("\n")[0])
    return _PATH.sub(lambda found: found["last"], line)[:300] or type(error).__name__


def unknown_type(error: BaseException) -> str | None:
    """The type that PyIceberg does not know, if that is why it cannot make sense of a table."""
    found = _NEW_TYPE.search(str(error))
    return None if found is None else found["type"]


def last_name(location: str) -> str:
    """How messages name a file."""
    return location.rstrip("/").rpartition("/")[2]
