"""One error tree for every door.

    LakeportError
    ├── InvalidRequestError          the caller asked for something that makes no sense
    │   ├── ConfigurationError       … in lakeport.toml, the environment or a flag
    │   └── ConstraintViolationError a row breaks NOT NULL or CHECK
    ├── NotFoundError                catalog, namespace, table, column, snapshot…
    │   └── UnknownWordError         a selector or an environment that means nothing: wrong use
    ├── AlreadyExistsError           the name is taken
    │   └── KeyViolationError        a row breaks PRIMARY KEY or UNIQUE
    ├── PreconditionError            right request, wrong state: a namespace that still has tables
    │   └── ExpiredError             the history asked for has been expired
    ├── ConflictError                another writer was faster; running the statement again is safe
    ├── UnsupportedError             this object lacks that ability
    ├── UnauthenticatedError         no valid token
    ├── PermissionDeniedError        a valid token without the grant
    ├── LimitError                   too many calls, too many bytes, too long an expression
    ├── UnavailableError             catalog, warehouse or server cannot be reached
    ├── DeadlineError                it took longer than it may
    ├── CancelledError               the caller went away
    ├── CorruptDataError             a file does not hold what the metadata says
    ├── FunctionError                a user's function failed, or gave what it did not declare
    └── InternalError                a bug of ours

`code` is stable: scripts and clients may match on it. A message says what happened in the user's own
names, the hint says what to do. Neither ever holds a token or a traceback of ours, and where a message
has an address that is good for who runs Lakeport only, `outside` is the sentence for the rest; the
reason for an `InternalError` goes to the log. How a door shows an error is `core/status.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lakeport.core.names import nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class LakeportError(Exception):
    """The root: everything Lakeport raises on purpose."""

    code: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        details: Mapping[str, str] | None = None,
        outside: str | None = None,
        unseen: str | None = None,
    ) -> None:
        """`outside` is told over a network where the message names hosts or folders, and the hint
        things that only who runs the server can do. `unseen` is told to who may not read the rows
        that the message shows.
        """
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details: dict[str, str] = dict(details or {})
        self.outside = outside
        self.unseen = unseen

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def without_rows(self) -> LakeportError:
        """The same for who may not read the table that it is about."""
        if self.unseen is None:
            return self
        details = {key: value for key, value in self.details.items() if key != "sample"}
        return type(self)(self.unseen, hint=self.hint, details=details, outside=self.outside)

    def as_dict(self) -> dict[str, object]:
        """What `--json` and the JSON API show of it."""
        shown: dict[str, object] = {"code": self.code, "message": self.message}
        if self.hint:
            shown["hint"] = self.hint
        if self.details:
            shown["details"] = self.details
        return shown


class InvalidRequestError(LakeportError):
    code = "invalid_request"


class ConfigurationError(InvalidRequestError):
    code = "configuration"


class ConstraintViolationError(InvalidRequestError):
    """NOT NULL or CHECK. `details` names the constraint and a sample of the offending values."""

    code = "constraint_violation"


class NotFoundError(LakeportError):
    code = "not_found"

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str], *, where: str = "") -> NotFoundError:
        """A name that is not there, with the nearest one that is."""
        names = sorted(known)
        close = nearest(name, names)
        shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
        if close:
            hint = f"did you mean {quoted(close)}? {kind}s: {shown}"
        else:
            hint = f"{kind}s: {shown}" if names else f"there is no {kind} yet"
        subject = f"{where} has no {kind}" if where else f"there is no {kind}"
        return cls(f"{subject} {quoted(name)}", hint=hint)


class UnknownWordError(NotFoundError):
    """A word of the caller's that stands for nothing. Not "no": `plan --check` says that of changes."""

    code = "unknown_word"


class AlreadyExistsError(LakeportError):
    code = "already_exists"


class KeyViolationError(AlreadyExistsError):
    """PRIMARY KEY or UNIQUE. `details` names the constraint and a sample of the repeated values."""

    code = "key_violation"


class PreconditionError(LakeportError):
    code = "failed_precondition"


class ExpiredError(PreconditionError):
    code = "expired"


class ConflictError(LakeportError):
    code = "conflict"


class UnsupportedError(LakeportError):
    code = "unsupported"


class UnauthenticatedError(LakeportError):
    code = "unauthenticated"


class PermissionDeniedError(LakeportError):
    code = "permission_denied"


class LimitError(LakeportError):
    code = "limit_exceeded"


class UnavailableError(LakeportError):
    code = "unavailable"


class DeadlineError(LakeportError):
    code = "deadline_exceeded"


class CancelledError(LakeportError):
    code = "cancelled"


class CorruptDataError(LakeportError):
    code = "corrupt_data"


class FunctionError(LakeportError):
    """Not a bug of ours: the message is told, for it is in the words of the function's author."""

    code = "function_failed"


class InternalError(LakeportError):
    code = "internal"
