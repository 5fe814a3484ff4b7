"""What a dbt model finds in its template: `ref`, `source`, `var`, `config`, `this`, `adapter`, …

There is no database and no clock behind them: `execute` is false, queries are empty, and every
time is one fixed instant, so that equal requests give equal answers. The process's environment is
never read; `env_var` knows only what the request gives it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from jinja2 import TemplateRuntimeError

from lakeport.lineage.templating.modules import INSTANT, MODULES
from lakeport.lineage.templating.relation import Relation, quoted
from lakeport.lineage.templating.rendering import Reference
from lakeport.lineage.templating.sandbox import ReturnSignal
from lakeport.lineage.templating.unknown import Nothing, Strangers
from lakeport.lineage.templating.variables import NOT_GIVEN, Variables

# The adapters that an adapter takes macros from if it has none of its own.
_PARENTS = {
    "databricks": ("spark",),
    "spark2": ("spark",),
    "redshift": ("postgres",),
    "materialize": ("postgres",),
    "risingwave": ("postgres",),
    "tsql": ("sqlserver",),
    "fabric": ("tsql", "sqlserver"),
}


# What dbt calls the adapter of a dialect, where that is another word.
_ADAPTERS = {"generic": "spark", "spark2": "spark", "sparksql": "spark", "tsql": "sqlserver"}


class Lenient(dict[str, Any]):
    """A mapping in which a missing key is an empty text: profiles differ in what they hold."""

    def __missing__(self, key: str) -> str:
        return ""


class NameInPlace(str):
    """The name of a value that nobody gave, in its place: as a list it is empty, not its letters."""

    __slots__ = ()

    def __iter__(self) -> Iterator[str]:
        return iter(())


class Config(dict[str, Any]):
    """`config(materialized='table')` collects, `config.get('x')` reads."""

    def __call__(self, *given: Mapping[str, Any], **options: Any) -> str:
        for mapping in given:
            self.update(mapping)
        self.update(options)
        return ""

    def require(self, name: str, validator: object = None) -> Any:
        """A value that must be there."""
        del validator
        if name not in self:
            raise TemplateRuntimeError(f"the model requires a config value `{name}`")
        return self[name]

    def get(self, name: str, default: Any = None, validator: object = None) -> Any:
        del validator
        return super().get(name, default)

    def persist_relation_docs(self) -> bool:
        return False

    def persist_column_docs(self) -> bool:
        return False


class Model:
    """One file being rendered: what it reads, what it says about itself, what it assumed."""

    def __init__(
        self,
        this: Relation,
        context: Mapping[str, Any],
        relation_of: Callable[[Reference], Relation],
        source_of: Callable[[str, str], Relation],
        *,
        variables: Variables | None = None,
        incremental: bool = False,
    ) -> None:
        self.this = this
        self.config = Config()
        self.refs: dict[Reference, None] = {}
        self.sources: dict[tuple[str, str], None] = {}
        self.secrets: list[str] = []
        self.missing: dict[str, None] = {}
        self.snapshot: str | None = None
        self.asked_incremental = False
        self._incremental = incremental
        self._context = context
        self._relation_of = relation_of
        self._source_of = source_of
        self._variables = variables or Variables(context, {})

    def ref(self, *names: str, version: object = None, v: object = None) -> Relation:
        """`ref('model')` or `ref('package', 'model')`, with a version if it has several."""
        if not 1 <= len(names) <= 2 or not all(isinstance(name, str) for name in names):
            raise TemplateRuntimeError("ref() takes a model, or a package and a model")
        wanted = version if version is not None else v
        reference = Reference(
            name=names[-1],
            package=names[0] if len(names) == 2 else None,
            version=None if wanted is None else str(wanted),
        )
        self.refs[reference] = None
        return self._relation_of(reference)

    def source(self, source: str, table: str) -> Relation:
        self.sources[source, table] = None
        return self._source_of(source, table)

    def var(self, name: str, default: Any = NOT_GIVEN) -> Any:
        """A variable of the request or its project; without a value its own name stands in."""
        value = self._variables.value(name)
        if value is not NOT_GIVEN:
            return value
        if default is NOT_GIVEN:
            self.missing[name] = None
            return NameInPlace(name)
        return default

    def env_var(self, name: str, default: str | None = None) -> str:
        given = self._context.get("env") or self._context.get("env_vars") or {}
        if isinstance(given, Mapping) and name in given:
            value = str(given[name])
            if value:
                self.secrets.append(value)
            return value
        if default is None:
            self.missing[name] = None
            return name
        return str(default)

    def is_incremental(self) -> bool:
        self.asked_incremental = True
        return self._incremental

    def named_snapshot(self, name: str) -> None:
        self.snapshot = name


class Adapter:
    """`adapter.dispatch` finds macros; what needs a connection answers with nothing."""

    def __init__(self, macros: Mapping[str, Any], strangers: Strangers, dialect: str) -> None:
        self._macros = macros
        self._strangers = strangers
        self._dialect = dialect

    def dispatch(
        self, macro_name: str, macro_namespace: object = None, packages: object = None
    ) -> Any:
        """The implementation of a macro for this engine."""
        del packages
        for prefix in (self._dialect, *_PARENTS.get(self._dialect, ()), "default"):
            if f"{prefix}__{macro_name}" in self._macros:
                return self._macros[f"{prefix}__{macro_name}"]
        if macro_name in self._macros:
            return self._macros[macro_name]
        return self._strangers.stub(f"{macro_namespace or 'adapter'}.{macro_name}")

    def quote(self, name: str) -> str:
        return quoted(name, self._dialect)

    def get_relation(self, *_: object, **__: object) -> None:
        return None

    def get_columns_in_relation(self, *_: object) -> list[Any]:
        return []

    def __getattr__(self, name: str) -> Nothing:
        if name.startswith("_"):
            raise AttributeError(name)
        return Nothing()


class ColumnApi:
    """`api.Column`: types by name, and columns that a template makes up."""

    def translate_type(self, dtype: str) -> str:
        return dtype

    def string_type(self, size: int) -> str:
        return f"varchar({size})"

    def numeric_type(self, dtype: str, precision: object = None, scale: object = None) -> str:
        return dtype if precision is None else f"{dtype}({precision}, {scale or 0})"

    def create(self, name: str, label_or_dtype: str) -> SimpleNamespace:
        return SimpleNamespace(
            name=name, column=name, quoted=name, dtype=label_or_dtype, data_type=label_or_dtype
        )


def _same(value: Any) -> Any:
    return value


# Filters that make Python's values of texts, which a printed template has no use for.
CASTS = dict.fromkeys(("as_text", "as_native", "as_bool", "as_number"), _same)


def returned(value: object = None) -> None:
    raise ReturnSignal(value)


def _fail(message: object = "", *_: object) -> None:
    raise TemplateRuntimeError(str(message))


def _silent(*_: object, **__: object) -> str:
    return ""


def _tojson(value: Any, default: Any = None, *, sort_keys: bool = False) -> Any:
    try:
        return json.dumps(value, sort_keys=sort_keys)
    except TypeError:
        return default


def _fromjson(text: str, default: Any = None) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return default


def _set(value: Any, default: Any = None) -> Any:
    """Sets print in no order of their own; a list without repetitions does."""
    try:
        return list(dict.fromkeys(value))
    except TypeError:
        return default


def _zip(*values: Any, default: Any = None) -> Any:
    try:
        return list(zip(*values, strict=False))
    except TypeError:
        return default


def target_of(context: Mapping[str, Any], this: Relation) -> Lenient:
    """The connection of a profile nobody reads: its kind is that of the dialect."""
    adapter = _ADAPTERS.get(this.dialect, this.dialect)
    target = Lenient(name="dev", schema=this.schema or "", type=adapter, threads=1)
    given = context.get("target")
    if isinstance(given, Mapping):
        target.update(given)
    return target


def dbt_globals(
    model: Model, adapter: Adapter, context: Mapping[str, Any], name: str
) -> dict[str, Any]:
    """The names a model or macro can use besides the project's own macros."""
    nothing = Nothing()
    return {
        "ref": model.ref,
        "source": model.source,
        "var": model.var,
        "env_var": model.env_var,
        "config": model.config,
        "is_incremental": model.is_incremental,
        "should_full_refresh": lambda: False,
        "this": model.this,
        "model": Lenient(
            name=name, alias=model.this.identifier, unique_id=f"model.{name}", config=model.config
        ),
        "target": target_of(context, model.this),
        "adapter": adapter,
        "api": SimpleNamespace(Relation=SimpleNamespace(create=_relation), Column=ColumnApi()),
        "builtins": {"ref": model.ref, "source": model.source, "config": model.config},
        "execute": False,
        "run_query": nothing,
        "load_result": nothing,
        "store_result": _silent,
        "statement": _silent,
        "log": _silent,
        "print": _silent,
        "return": returned,
        "exceptions": SimpleNamespace(
            raise_compiler_error=_fail, raise_not_implemented=_fail, warn=_silent
        ),
        "tojson": _tojson,
        "fromjson": _fromjson,
        "toyaml": _tojson,
        "set": _set,
        "set_strict": _set,
        "zip": _zip,
        "zip_strict": _zip,
        "modules": MODULES,
        "run_started_at": INSTANT,
        "invocation_id": "00000000-0000-0000-0000-000000000000",
        "dbt_version": "1.10.0",
        "project_name": str(context.get("project_name", "project")),
        "flags": Lenient(FULL_REFRESH=False),
        "graph": {"nodes": {}, "sources": {}, "exposures": {}, "metrics": {}},
        "selected_resources": [],
        "database": model.this.database or "",
        "schema": model.this.schema or "",
        "_snapshot": model.named_snapshot,
    }


def _relation(
    database: str | None = None,
    schema: str | None = None,
    identifier: str = "",
    type: str | None = None,  # noqa: A002 - dbt's name
) -> Relation:
    return Relation(identifier, schema, database, type=type or "table")
