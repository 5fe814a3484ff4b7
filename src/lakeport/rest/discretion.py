"""Errors as a caller may read them: a catalog's own sentences name neighbours that not everybody may see."""

from __future__ import annotations

from lakeport.access import Ability
from lakeport.core.errors import LakeportError, NotFoundError, PreconditionError
from lakeport.rest.desk import Desk
from lakeport.rest.failures import NamedError


def discreet(desk: Desk, error: Exception) -> Exception:
    """Without names of what there is, for who may not read everything."""
    if desk.identity.may(Ability.READ, desk.catalog.name):
        return error
    if isinstance(error, NamedError):
        return NamedError(_plain(error.error), error.status, error.name, error.about)
    return _plain(error) if isinstance(error, LakeportError) else error


def _plain(error: LakeportError) -> LakeportError:
    if isinstance(error, NotFoundError):
        return NotFoundError(error.message)
    if isinstance(error, PreconditionError):
        return PreconditionError(error.message.partition(":")[0])
    return error
