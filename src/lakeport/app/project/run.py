"""`run`: a project's models built, in their order.

Little is loaded here: as soon as the files turn out to be a project, the JVM is launched, and comes up while
Python loads the rest of the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from lakeport.app.project.early import EarlySpark
from lakeport.app.project.load import load_project
from lakeport.app.project.request import RunRequest

if TYPE_CHECKING:
    from lakeport.app.settings import Settings
    from lakeport.pipeline.running.events import Listener
    from lakeport.pipeline.running.result import RunResult
    from lakeport.pipeline.session import Spark
    from lakeport.pipeline.writing import Observer


def run_project(
    settings: Settings,
    request: RunRequest,
    listener: Listener | None = None,
    *,
    following: Callable[[], AbstractContextManager[Listener]] | None = None,
    observe: Observer | None = None,
    spark: Callable[[], Spark] | None = None,
) -> RunResult:
    """`spark` gives the Spark to use, instead of one that the settings describe.

    `following` makes a listener that takes long to load, when there is time for that.
    """
    project = load_project(settings, request.environment)
    with EarlySpark(settings, spark) as early:
        if project.models and not project.problems and not _may_be_refused(settings, request):
            early.launch()
        from lakeport.app.project.carry import carry_out_project  # noqa: PLC0415  loads everything
        from lakeport.pipeline.running.events import nobody  # noqa: PLC0415  the same

        heard = nullcontext(listener or nobody) if following is None else following()
        with heard as listening:
            return carry_out_project(settings, project, request, early, listening, observe)


def _may_be_refused(settings: Settings, request: RunRequest) -> bool:
    """Only some services can publish all models at once, and they say so when they are asked."""
    is_service = settings.catalog.type in {"rest", "glue", "hive"}
    return is_service and (request.publish or settings.pipeline.publish) == "run-atomic"
