"""The functions of one moment's files: loaded in workers, or in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lakeport.catalog.functions import Function
from lakeport.core.names import fold
from lakeport.functions.limits import Limits
from lakeport.functions.project.files import Found
from lakeport.functions.workers import messages
from lakeport.functions.workers.loading import Loader
from lakeport.functions.workers.messages import Load, Trouble
from lakeport.functions.workers.pool import Pool
from lakeport.functions.workers.remote import Place, remote
from lakeport.functions.workers.worker import LoadingError


@dataclass(frozen=True, slots=True)
class Generation:
    """`namespaces` have the spelling of their files; `functions` are by folded namespace."""

    found: Found
    namespaces: tuple[str, ...]
    functions: Mapping[str, Sequence[Function]]
    described: tuple[messages.Function, ...]
    troubles: tuple[Trouble, ...]
    pool: Pool | None


def in_workers(found: Found, workers: int, limits: Limits) -> Generation:
    """A module whose import ends the process is left out, and all are loaded again without it."""
    load, troubles = found.load, list(found.troubles)
    while load.sources:
        pool = Pool(load, workers)
        try:
            loaded = pool.first()
        except LoadingError as error:
            pool.close()
            load, trouble = _without(load, error)
            troubles.append(trouble)
            continue
        except BaseException:
            pool.close()
            raise
        made = [
            remote(Place(pool, number, told, _limits(told).over(limits)))
            for number, told in enumerate(loaded.functions)
        ]
        return _generation(found, loaded.functions, made, (*troubles, *loaded.troubles), pool)
    return _generation(found, (), (), tuple(troubles), None)


def in_this_process(found: Found, limits: Limits) -> Generation:
    loader = Loader(found.load)
    loader.load(lambda _: None)
    for each in loader.made:
        each.limits = each.limits.over(replace(limits, memory=None))
    troubles = (*found.troubles, *loader.troubles)
    return _generation(found, tuple(loader.functions), loader.made, troubles, None)


def _generation(
    found: Found,
    described: tuple[messages.Function, ...],
    made: Sequence[Function],
    troubles: tuple[Trouble, ...],
    pool: Pool | None,
) -> Generation:
    functions: dict[str, list[Function]] = {}
    for told, function in zip(described, made, strict=True):
        functions.setdefault(fold(told.namespace), []).append(function)
    namespaces = tuple(dict.fromkeys(told.namespace for told in described))
    return Generation(found, namespaces, functions, described, troubles, pool)


def _limits(told: messages.Function) -> Limits:
    return Limits(seconds=told.seconds, memory=told.memory, output=told.output)


def _without(load: Load, error: LoadingError) -> tuple[Load, Trouble]:
    left = tuple(each for each in load.sources if each.namespace != error.namespace)
    (gone,) = (each for each in load.sources if each.namespace == error.namespace)
    path = gone.path.removeprefix(load.root).lstrip("/")
    hint = "see what it does when it is imported: that should be definitions only"
    return Load(load.root, load.folder, left), Trouble(path, None, error.reason, hint)
