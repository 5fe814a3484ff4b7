"""The page `docs/reference/models.md`, written from the settings of models and the kinds of audits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from lakeport.app.settings.values import shown_text
from lakeport.pipeline.project.audits import COMMON, KINDS
from lakeport.pipeline.project.environments import KEYS
from lakeport.pipeline.project.model import BUILT_IN_PARAMETERS, ModelSettings
from lakeport.pipeline.project.template import NAMES

_INTRODUCTION = """\
# Models

<!-- Written by scripts/reference.py: change the code, then run it. -->

`models/NAMESPACE/**/NAME.sql` holds one query and builds the table `NAMESPACE.NAME`. `models/NAMESPACE/**/NAME.py` has a
function `model(context)` that returns a Spark DataFrame, an Arrow table or an iterator of batches. What a model reads is
found in its SQL: names mean models first, then what `sources.toml` declares, then tables of the catalog. A name without
a namespace means the one model or source that is called so.

Settings stand in a comment at the top whose first word is `lakeport`, as TOML; in Python, in a dict of literals called
`SETTINGS`. `[pipeline.defaults]` in `lakeport.toml` holds for every model that says nothing else, as far as it makes sense
for the model. A setting that means nothing, or that says nothing beside the others, is an error with file and line.

```sql
/* lakeport
unique_key = ["order_id"]
audits = [{ not_null = ["order_id"] }]
*/
SELECT order_id, customer_id, amount FROM raw.orders WHERE updated_at >= :start
```
"""

_AUDITS = """\
## Audits

Asked of the rows before anybody can read them. Each is one table in `audits`, with one of these keys:
"""

_COMMON = """
Every audit also takes `name` (else it is made of what it asks), `severity` (`"error"`: nothing is published and the model
fails; `"warn"`: it is told) and `store_failures` (whether failing rows are kept in a table; true unless it only warns).
"""

_TEMPLATES = """\
## Parameters and templates

**Values are parameters.** A query takes them as `:name`: {built_in} are given by every run, others are set in
`[pipeline.parameters]` and keep their types. They are never put into the text. A view takes none.

**Structure is a template.** A file with `{{{{` or `{{%` is rendered first, by a Jinja that knows {names} and nothing else:

| | |
|---|---|
| `this` | the model's own table; `this.namespace`, `this.table` |
| `is_incremental()` | whether the model adds to a table that has rows |
| `var("name", default)` | of `[pipeline.vars]` |
| `ref("orders")`, `ref("shop.orders")` | a model; not needed, but it may be said |
| `source("raw.orders")` | a source |

## Sources

`sources.toml` names tables that others fill. Columns are optional: without them the catalog is asked.

```toml
[raw.orders]
description = "as the shop sends them"
[raw.orders.columns]
order_id = "bigint"
```

## Environments

`[pipeline.environments.NAME]` builds the same models elsewhere (`--env NAME`): `prefix` goes before every namespace of a
model, `namespaces` maps single ones. Sources and other tables are read where they are. {overrides} are laid over those of
the project. Environments that would write one table are an error, as is one that would write where sources or other
models are.

## Selectors

`--select` and `--exclude` take models by name (`orders`, `marts.orders`), globs (`marts.*`), `tag:NAME`, `path:FOLDER` or a
path, and `state:modified` for what differs from what was built last. `+orders` takes along what it needs, `orders+` what
needs it, `2+orders` and `orders+1` so many steps, `@orders` everything that is needed to build all that needs it. A comma
means both, a blank or another selector means either.
"""


def models_page() -> str:
    return "\n".join(_lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    yield "## Settings\n"
    yield "| setting | type | default | what it is for |\n|---|---|---|---|"
    for field in msgspec.structs.fields(ModelSettings):
        yield _row(field)
    yield ""
    yield _AUDITS
    yield "| audit | takes | what it asks | for example |\n|---|---|---|---|"
    for name, kind in KINDS.items():
        takes = ", ".join(f"`{key}`" for key in kind.takes) or "nothing more"
        yield f"| `{name}` | {takes} | {kind.about} | `{kind.example}` |"
    assert set(COMMON) == {"name", "severity", "store_failures"}, "the sentence below names them"  # noqa: S101
    yield _COMMON
    yield _TEMPLATES.format(
        built_in=_listed([f":{name}" for name in BUILT_IN_PARAMETERS]),
        names=_listed(NAMES),
        overrides=_listed(KEYS[2:]),
    )


def _listed(words: Any) -> str:
    quoted = [f"`{word}`" for word in words]
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _row(field: msgspec.structs.FieldInfo) -> str:
    hint = get_type_hints(ModelSettings, include_extras=True)[field.name]
    kind, meta = get_args(hint)[0], get_args(hint)[-1]
    default = (
        "not set" if field.default in (None, (), msgspec.NODEFAULT) else shown_text(field.default)
    )
    shown = default if default == "not set" else f"`{default}`"
    return f"| `{field.name}` | {_type(field.name, kind)} | {shown} | {meta.description} |"


_WORDS = {
    "range": "two dates or points in time, or a duration",
    "lookback": "duration",
    "audits": "list of audits",
    "properties": "table of texts",
}


def _type(name: str, kind: Any) -> str:
    if name in _WORDS:
        return _WORDS[name]
    options = [one for one in get_args(kind) if one is not type(None)] or [kind]
    options = [kind] if get_origin(kind) in {Literal, tuple} else options
    first = options[0]
    if get_origin(first) is Literal:
        return " or ".join(f'"{word}"' for word in get_args(first))
    if get_origin(first) is tuple:
        return "text, or list of texts"
    return "true or false" if first is bool else "text"
