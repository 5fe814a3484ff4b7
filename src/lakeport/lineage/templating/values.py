"""Values of YAML files as dbt takes them: templates that know variables and the target, and no model.

What cannot be rendered, or would need a value that nobody gave, counts as not said. The same few texts stand
at hundreds of models, so each is rendered once for a project.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import nodes

from lakeport.lineage.templating.attempt import TemplateFailureError, failing_softly, output_of
from lakeport.lineage.templating.lines import unmarked
from lakeport.lineage.templating.modules import INSTANT, MODULES
from lakeport.lineage.templating.relation import Relation
from lakeport.lineage.templating.sandbox import Budget, Sandbox
from lakeport.lineage.templating.shims import CASTS, Model, target_of
from lakeport.lineage.templating.variables import Variables, is_template

_TRUTHS = {"true": True, "false": False}


class Values:
    """The values of one request's YAML files, in an environment of their own."""

    def __init__(
        self, context: Mapping[str, Any], dialect: str, clock: Callable[[], float]
    ) -> None:
        self.dialect = dialect
        self._context = context
        self._this = Relation("", dialect=dialect)
        self._clock = clock
        self._environment = Sandbox(clock)
        self._environment.filters.update(CASTS)
        # By the text and the project whose variables it may ask for.
        self._printed: dict[tuple[str, str], str | None] = {}

    def settled(
        self, options: Mapping[str, Any], variables: Mapping[str, Any], project: str
    ) -> dict[str, Any]:
        """What of the options is said, with the variables of a project."""
        found: dict[str, Any] = {}
        for key, value in options.items():
            said = (
                self.settled(value, variables, project)
                if isinstance(value, Mapping)
                else self._value(value, variables, project)
            )
            if said is not None:
                found[key] = said
        return found

    def worked_out(self, expression: nodes.Expr, variables: Mapping[str, Any]) -> str | None:
        """What an expression of a model's own `config(…)` is; as there, names stand in for missing values."""
        template = nodes.Template([nodes.Output([expression])], lineno=1)
        template.set_environment(self._environment)
        self._environment.budget = Budget.start(self._clock)
        return self._rendered(template, variables, with_names=True)

    def _value(self, value: Any, variables: Mapping[str, Any], project: str) -> Any:
        if not is_template(value):
            return value
        if (value, project) not in self._printed:
            self._environment.budget = Budget.start(self._clock)
            self._printed[value, project] = self._rendered(value, variables)
        text = (self._printed[value, project] or "").strip()
        return _TRUTHS.get(text.lower(), text or None)

    def _rendered(
        self,
        text: str | nodes.Template,
        variables: Mapping[str, Any],
        *,
        with_names: bool = False,
    ) -> str | None:
        known = Variables(
            self._context, variables, lambda inner: self._rendered(inner, variables) or ""
        )
        model = Model(self._this, self._context, _no_relation, _no_relation, variables=known)
        words = {
            "var": model.var,
            "env_var": model.env_var,
            "target": target_of(self._context, self._this),
            "modules": MODULES,
            "run_started_at": INSTANT,
        }
        try:
            with failing_softly():
                found = unmarked(output_of(self._environment, text, words))[0]
        except TemplateFailureError:
            return None
        return None if model.missing and not with_names else found


def _no_relation(*_: object) -> Relation:
    return Relation("")
