"""Writes the pages of docs/reference that the code knows best; a test holds them to it.

Run it after changing a setting, a command or an allowed function: `make docs`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import typer

from lakeport.app.settings.keys import SECTIONS, Key, Known, all_keys
from lakeport.app.settings.values import shown_text, type_text
from lakeport.cli.frame import SHARED_PARAMETERS
from lakeport.cli.line import build
from lakeport.cli.registry import COMMANDS, load_command
from scripts.conformance_page import conformance_page
from scripts.functions_page import functions_page
from scripts.models_page import models_page

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
PIPE = "\\|"  # inside a table of Markdown
NOTE = "<!-- Written by scripts/reference.py: change the code, then run it. -->"

SETTINGS_INTRODUCTION = """\
# Settings

A setting comes from `lakeport.toml`, from an environment variable or from a flag; the later one wins, and an
explicit `false` or `0` is a value like any other. `lakeport config` shows each value and where it came from,
with secrets masked.

- **The file** is `lakeport.toml` in the working folder or the nearest folder above it, or in the folder that
  `--project DIR` or the variable `LAKEPORT_PROJECT` names. A key that is not listed here is an error naming the
  nearest one, with its line. Relative paths start from the file's folder.
- **Variables** are called `LAKEPORT_SECTION_KEY`, as listed. An empty one counts as not set. A list is written
  with commas or as TOML, a table as TOML: `LAKEPORT_PIPELINE_VARS='{region = "eu"}'`. Relative paths start from
  the working folder.
- **Flags**: `--set SECTION.KEY=VALUE` on every command, and the commands' own.

Any PyIceberg property may stand in `[catalog]`: `"s3.endpoint" = "…"`, or
`LAKEPORT_CATALOG_S3__ENDPOINT=…`, where two underscores are a dot and one is a dash. A property without a dot
or a dash in its name goes into `[catalog.properties]`, so that a misspelt setting is still found; only
`token`, `credential`, `scope`, `audience`, `resource` and `prefix` may stand in `[catalog]` too.
PyIceberg's own configuration (`~/.pyiceberg.yaml`, `PYICEBERG_*`) is not read."""

COMMANDS_INTRODUCTION = """\
# Commands

Every command takes the [shared options](#shared-options), before or after its name. Results go to stdout,
everything else to stderr. Piped output has no colour and whole lines; `NO_COLOR` is honoured.

With `--json` the result is one JSON document on stdout with everything the text shows, and an error is one
line on stdout, beside the sentence on stderr:

```json
{"error":{"code":"not_found","message":"there is no setting `grcp`","hint":"…"}}
```

| exit code | means |
|---:|---|
| 0 | done |
| 1 | the answer is no |
| 2 | wrong use: a command, option, setting or value that means nothing |
| 3 | failed |
| 130 | interrupted |

An internal error (a bug) exits 3 and writes its traceback into a private file, or to stderr with `--debug`.
`lakeport --install-completion` teaches the shell the commands and options."""


def settings_page() -> str:
    return _page(SETTINGS_INTRODUCTION, *(_section(path) for path in _section_paths()))


def commands_page() -> str:
    root = build()
    context = typer.Context(root, info_name="lakeport")
    shared = {parameter.name for parameter in SHARED_PARAMETERS}
    options = _options(context, [option for option in root.params if option.name in shared])
    return _page(
        COMMANDS_INTRODUCTION,
        "## Shared options\n\n" + options,
        *(text for name in COMMANDS for text in _command(load_command(name), context, shared)),
    )


PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "commands.md": commands_page,
    "conformance.md": conformance_page,
    "functions.md": functions_page,
    "models.md": models_page,
}


def _page(introduction: str, *parts: str) -> str:
    return (
        "\n\n".join(
            (introduction.partition("\n")[0], NOTE, introduction.partition("\n")[2].strip(), *parts)
        )
        + "\n"
    )


def _section_paths() -> list[tuple[str, ...]]:
    order = [path[:-1] for path in all_keys()]
    return [path for path in dict.fromkeys(order) if path in Known().tables]


def _section(path: tuple[str, ...]) -> str:
    kind: Any = SECTIONS[path[0]]
    for name in path[1:]:
        kind = get_type_hints(kind)[name]
    rows = [_setting(key) for key in all_keys().values() if key.path[:-1] == path]
    head = "| key | type | default | what it is for |\n|---|---|---|---|\n"
    return f"## [{'.'.join(path)}]\n\n{inspect.cleandoc(kind.__doc__)}\n\n{head}" + "\n".join(rows)


def _setting(key: Key) -> str:
    default = shown_text(key.default)
    shown = default if default == "not set" else f"`{default}`"
    return (
        f"| `{key.path[-1]}`<br>`{key.variable}` | {type_text(key.type)} | {shown} | {key.about} |"
    )


def _command(command: Any, parent: typer.Context, shared: set[str]) -> Iterator[str]:
    family = getattr(command, "commands", {})
    shown = family.get(command.name, command)  # the default stands for its family
    context = typer.Context(shown, info_name=command.name, parent=parent)
    usage = " ".join((context.command_path, *shown.collect_usage_pieces(context)))
    own = [parameter for parameter in shown.params if parameter.name not in shared]
    text = f"## {context.command_path}\n\n```\n{usage}\n```\n\n{inspect.cleandoc(shown.help or '')}"
    yield f"{text}\n\n{_options(context, own)}" if own else text
    # Not `context`: the path of a command repeats the arguments of the one above it.
    above = typer.Context(command, info_name=command.name, parent=parent)
    for other in family.values():
        if other is not shown:
            yield from _command(other, above, shared)


def _options(context: typer.Context, parameters: list[Any]) -> str:
    records = [parameter.get_help_record(context) for parameter in parameters]
    rows = [f"| `{names.replace('|', PIPE)}` | {text} |" for names, text in filter(None, records)]
    return "\n".join(("| option | |\n|---|---|", *rows))


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/reference/{name}")


if __name__ == "__main__":
    main()
