"""The suite: every check in its turn, bounded in time, and nothing left behind."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from lakeport.conformance import listing
from lakeport.conformance.attached import Attached, RefusedError, is_header
from lakeport.conformance.check import Check, Family
from lakeport.conformance.families import FAMILIES
from lakeport.conformance.ground import Ground
from lakeport.conformance.report import Outcome, Report, Result
from lakeport.conformance.rules import RULES
from lakeport.conformance.verdicts import (
    AdviceError,
    BrokenRuleError,
    NotOfferedError,
    WrongUseError,
    broken,
)
from lakeport.conformance.workshop import NOT_OFFERED, Workshop
from lakeport.core.status import GrpcCode
from lakeport.flight.dial import Proof, Target
from lakeport.flight.probe import Probe

Listener = Callable[[Result], None]

NO_PROOF = Proof()

_OTHER_SCHEMA = "name one that is not there with --schema: it is removed at the end"
_LONGEST = 400  # characters of what was seen

_WRONG_USE = {
    GrpcCode.UNAUTHENTICATED: "name a valid token with --token, or in LAKEPORT_TOKEN",
    GrpcCode.PERMISSION_DENIED: "name a token that may see the catalog with --token",
    GrpcCode.NOT_FOUND: "name a catalog of the server with --catalog",
}


@dataclass(frozen=True, slots=True)
class Request:
    target: Target
    catalog: str = ""
    token: str | None = None
    proof: Proof = NO_PROOF
    namespace: str | None = None
    """The schema to make; one of an unlikely name unless told."""
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    read_rows: int = 0
    seconds: float = 30.0
    """How long the server may be silent."""
    patience: float | None = None
    """How long before the schema of an exchange, where that is another time."""

    def wants(self, check: Check) -> bool:
        is_wanted = not self.only or any(_matches(check, glob) for glob in self.only)
        return is_wanted and not any(_matches(check, glob) for glob in self.skip)


def _matches(check: Check, glob: str) -> bool:
    """Of its name, its family or its rule."""
    family = check.name.partition(".")[0]
    return any(fnmatchcase(text, glob) for text in (check.name, family, check.rule))


def _unheard(_: Result) -> None:
    pass


def examine(request: Request, listener: Listener = _unheard) -> Report:
    """Raises only where there is nothing to examine: no server, no catalog, no valid token."""
    began = time.monotonic()
    if not is_header(request.catalog):
        raise WrongUseError(
            f"no catalog can be called {request.catalog!r}",
            hint="its name goes into headers of gRPC: printable ASCII",
        )
    with Probe(request.target, request.proof, request.seconds) as probe:
        attached = Attached(probe, request.catalog, request.token, patience=request.patience)
        _reach(attached)
        if request.namespace:
            _require_new(attached, request.namespace)
        name = request.namespace or f"conformance_{secrets.token_hex(4)}"
        workshop = Workshop(attached, name)
        ground = Ground(attached, workshop, request.read_rows)
        results: list[Result] = []
        was_made = False
        try:
            for result in _results(request, ground):
                results.append(result)
                listener(result)
        finally:
            was_made = workshop.is_made
            left = _removed(workshop)
        if was_made:
            results.append(left)
            listener(left)
    shown = name if was_made else None
    seconds = time.monotonic() - began
    return Report.of_results(str(request.target), request.catalog, shown, results, seconds)


def _reach(attached: Attached) -> None:
    try:
        attached.results("list_schemas", attached.named())
    except BrokenRuleError:
        pass  # its check tells it
    except RefusedError as refusal:
        if refusal.code is GrpcCode.UNAVAILABLE:
            raise refusal.failure.means from None
        hint = _WRONG_USE.get(refusal.code)
        if hint is not None:
            said = f"{attached.probe.target} refuses to list the catalog: {refusal.failure.text}"
            raise WrongUseError(said, hint=hint) from None


def _require_new(attached: Attached, name: str) -> None:
    """By the listing: a server that makes a schema twice would have the one that was there removed."""
    if name.casefold() == "main":
        raise WrongUseError("DuckDB looks up no schema called `main`", hint=_OTHER_SCHEMA)
    try:
        there = {each.name.casefold() for each in listing.fetch_root(attached).namespaces}
    except (BrokenRuleError, RefusedError):
        raise WrongUseError(
            f"nobody can tell whether the schema `{name}` is there: the listing cannot be read",
            hint="leave --schema out: then its name is an unlikely one",
        ) from None
    if name.casefold() in there:
        raise WrongUseError(f"the schema `{name}` is there already", hint=_OTHER_SCHEMA)


def _results(request: Request, ground: Ground) -> Iterator[Result]:
    known: dict[tuple[str, str], str] = {}
    for family in FAMILIES:
        for check in _checks(family, ground):
            if request.wants(check):
                yield _judged(family, check, ground, known)


def _checks(family: Family, ground: Ground) -> Sequence[Check]:
    try:
        return list(family.of(ground))
    except (BrokenRuleError, NotOfferedError, RefusedError):
        return family.checks  # the listing is broken, which a check of discovery tells


def _judged(
    family: Family, check: Check, ground: Ground, known: dict[tuple[str, str], str]
) -> Result:
    began = time.monotonic()
    verdict = _asked(check, ground)
    seconds = time.monotonic() - began
    if isinstance(verdict, BrokenRuleError):
        seen = ground.workshop.anonymous(verdict.seen)
        first = known.setdefault((verdict.number, seen), check.name)
        if first != check.name:
            return _result(family, check, seconds, reason=f"for what {first} shows")
        outcome = Outcome.ADVICE if isinstance(verdict, AdviceError) else Outcome.FAILED
        return _wrong(family, check, verdict, outcome, seconds)
    reason = None if verdict is None else _one_line(verdict)
    return _result(family, check, seconds, reason=reason)


def _asked(check: Check, ground: Ground) -> BrokenRuleError | str | None:
    """What is wrong, why it was skipped, or nothing."""
    try:
        check.ask(ground)
    except BrokenRuleError as rule:
        return rule
    except NotOfferedError as reason:
        return str(reason)
    except RefusedError as refusal:
        if refusal.code is GrpcCode.UNAVAILABLE:
            return broken(check.rule, f"the server is gone: {refusal}", "the connection is lost")
        if refusal.code in NOT_OFFERED:
            return f"not offered: {refusal}"
        return broken(check.rule, f"refused: {refusal}", "the statement fails by that text")
    except WrongUseError:
        raise
    except Exception as error:  # noqa: BLE001  whatever a server says, the other checks are asked, too
        said = f"the answers make no sense to this check: {type(error).__name__}: {error}"
        return broken(check.rule, said, check.client)
    return None


def _result(family: Family, check: Check, seconds: float, reason: str | None) -> Result:
    outcome = Outcome.PASSED if reason is None else Outcome.SKIPPED
    says = RULES[check.rule].says
    return Result(
        check.name, family.name, check.rule, says, check.title, outcome, seconds, reason=reason
    )


def _wrong(
    family: Family, check: Check, verdict: BrokenRuleError, outcome: Outcome, seconds: float
) -> Result:
    rule = verdict.rule
    own = check.client if verdict.number == check.rule else None
    client = verdict.client or own or rule.client
    return Result(
        check.name,
        family.name,
        rule.number,
        rule.says,
        check.title,
        outcome,
        seconds,
        _one_line(verdict.seen),
        client,
    )


def _one_line(seen: str) -> str:
    """A server may say as much as it likes, a whole traceback for one."""
    first, *more = seen.strip().splitlines() or [""]
    return f"{first[:_LONGEST]} …" if more or len(first) > _LONGEST else first


def _removed(workshop: Workshop) -> Result:
    def remove(_: Ground) -> None:
        name = workshop.namespace
        try:
            workshop.remove()
        except RefusedError as refusal:
            said = f"the schema `{name}` could not be removed: {refusal}"
            raise broken("4", said, "DROP SCHEMA fails; remove it by hand") from None

    family = Family("cleanup", "nothing is left behind")
    check = Check("cleanup.removed", "4", "all that the suite made is removed", remove)
    return _judged(family, check, Ground(workshop.attached, workshop), {})
