"""YAML files of a dbt project as plain values: texts, numbers, booleans, lists and mappings.

The library is loaded with the first such file. Its events are put together here: its own loader takes the
process down with it where a file is nested deep enough, and multiplies what is merged into itself. Aliases are
counted as what they stand for, as a few lines of them can stand for more than anybody can walk through. Dates
stay the texts they are written as, and tags say nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Any

_DEEPEST = 100
_MOST = 1_000_000
_MERGE = "<<"


class DocumentError(Exception):
    """A file that is no YAML, and the line where that shows."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


def can_read_documents() -> bool:
    """Whether the library is there: lineage alone installs without it."""
    try:
        import yaml  # noqa: F401, PLC0415 - see above
    except ImportError:
        return False
    return True


def read_document(text: str) -> Any:
    """The first document of a file; None if it is empty."""
    import yaml  # noqa: PLC0415 - see above

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.AliasEvent):
                builder.put_alias(event.anchor)
            elif isinstance(event, yaml.ScalarEvent):
                plain = event.implicit[0]
                builder.put(_scalar(event.value) if plain else event.value, event.anchor)
            elif isinstance(event, yaml.MappingStartEvent):
                builder.open({}, event.anchor)
            elif isinstance(event, yaml.SequenceStartEvent):
                builder.open([], event.anchor)
            elif isinstance(event, yaml.CollectionEndEvent):
                builder.close()
            elif isinstance(event, yaml.DocumentEndEvent):
                break
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # What is missing at the end is behind the last line.
        line = min(mark.line, text.count("\n")) + 1 if mark else None
        raise DocumentError(error.problem or "it is no YAML", line) from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise DocumentError(str(error).split("\n", maxsplit=1)[0]) from None
    return builder.whole


class _Builder:
    """Values put together; an alias of what is not finished yet is nothing."""

    def __init__(self) -> None:
        self.whole: Any = None
        # Each with the number of values it is made of.
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open: list[tuple[Any, str | None]] = []
        self._keys: list[Any] = []
        self._sizes: list[int] = []

    def open(self, value: dict[Any, Any] | list[Any], anchor: str | None) -> None:
        if len(self._open) == _DEEPEST:
            raise DocumentError("it is nested too deeply")
        self._open.append((value, anchor))
        self._keys.append(_NO_KEY)
        self._sizes.append(1)

    def close(self) -> None:
        value, anchor = self._open.pop()
        self._keys.pop()
        self.put(value, anchor, self._sizes.pop())

    def put_alias(self, anchor: str) -> None:
        value, size = self._anchors.get(anchor, (None, 1))
        self.put(value, size=size)

    def put(self, value: Any, anchor: str | None = None, size: int = 1) -> None:
        if anchor:
            self._anchors[anchor] = value, size
        if not self._open:
            self.whole = value
            return
        self._sizes[-1] += size
        if self._sizes[-1] > _MOST:
            raise DocumentError("it holds too many values")
        holder = self._open[-1][0]
        if isinstance(holder, list):
            holder.append(value)
        elif self._keys[-1] is _NO_KEY:
            self._keys[-1] = value
        else:
            self._enter(holder, self._keys[-1], value)
            self._keys[-1] = _NO_KEY

    def _enter(self, holder: dict[str, Any], key: Any, value: Any) -> None:
        if key != _MERGE:
            # The only keys dbt has a use for are texts; a number or a boolean is as good as its text.
            holder[str(key)] = value
            return
        for merged in value if isinstance(value, list) else [value]:
            if isinstance(merged, dict):
                for name, inherited in merged.items():
                    holder.setdefault(name, inherited)


_NO_KEY = object()


@cache
def _reader() -> Any:
    import yaml  # noqa: PLC0415 - see above

    return yaml.SafeLoader("")


def _scalar(text: str) -> Any:
    """What a text without quotes says."""
    import yaml  # noqa: PLC0415 - see above

    reader = _reader()
    tag = reader.resolve(yaml.ScalarNode, text, (True, False))
    if tag.rpartition(":")[2] not in {"bool", "int", "float", "null"}:
        return text
    try:
        return reader.yaml_constructors[tag](reader, yaml.ScalarNode(tag, text))
    except (ValueError, OverflowError):
        return text
