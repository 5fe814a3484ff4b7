"""Small random projects, and random edits of them, for plans that are held against runs.

Two sources, two to five models above them, of every materialization and strategy that needs no calendar. Each
model gives `id` and a few columns made of what it reads. Types are known in five words, so that an expression
can be made of any column; everything else is left to whoever plans and runs it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Literal, TypeAlias

from tests.spark.running.folder import Folder

Kind: TypeAlias = Literal["int", "long", "text", "date", "struct"]

SOURCES: dict[str, dict[str, Kind]] = {
    "raw.left": {"id": "long", "n": "long", "t": "text", "d": "date", "s": "struct"},
    "raw.right": {"id": "long", "k": "long", "u": "text"},
}
# A column's expression by what it is made of, and what comes out.
_MADE: dict[Kind, tuple[tuple[str, Kind], ...]] = {
    "int": (("{}", "int"), ("{} + 1", "int"), ("CAST({} AS BIGINT)", "long")),
    "long": (("{}", "long"), ("CAST({} AS INT)", "int"), ("coalesce({}, 7L)", "long")),
    "text": (("{}", "text"), ("upper({})", "text"), ("length({})", "int")),
    "date": (("{}", "date"), ("date_add({}, 1)", "date"), ("year({})", "int")),
    "struct": (("{}", "struct"), ("{}.a", "long"), ("named_struct('a', {}.a, 'z', 1)", "struct")),
}
_STORED = ("append", "delete_insert", "merge", "overwrite_partitions", "table")


@dataclass(frozen=True, slots=True)
class Item:
    name: str
    sql: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Made:
    """A model. `is_unique` says that no two of its rows have the same `id`, as `merge` wants it."""

    name: str
    how: str
    reads: tuple[str, ...]
    items: tuple[Item, ...]
    where: str = ""
    is_unique: bool = True
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, Kind]:
        return {item.name: item.kind for item in self.items}

    @property
    def sql(self) -> str:
        shown = ",\n  ".join(f"{item.sql} AS {item.name}" for item in self.items)
        first, *others = (f"{name} AS t{at}" for at, name in enumerate(self.reads))
        joined = "".join(f"\nJOIN {other} ON t0.id = t1.id" for other in others)
        return f"SELECT {shown}\nFROM {first}{joined}{self.where}"

    def write(self, folder: Folder) -> None:
        folder.model(self.name, self.sql, **_SETTINGS[self.how], **self.settings)


_SETTINGS: dict[str, dict[str, Any]] = {
    "append": {"strategy": "append"},
    "delete_insert": {"strategy": "delete_insert", "unique_key": ["id"]},
    "merge": {"strategy": "merge", "unique_key": ["id"]},
    "overwrite_partitions": {"strategy": "overwrite_partitions", "partitioned_by": ["id"]},
    "table": {},
    "view": {"materialized": "view"},
    "ephemeral": {"materialized": "ephemeral"},
}


class Generator:
    """`models` by name in an order in which they could run."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311  the same projects for the same seed
        self.models: dict[str, Made] = {}
        for number in range(self.random.randint(2, 5)):
            self._add(f"m{number}.made")

    def write(self, folder: Folder) -> None:
        for model in self.models.values():
            model.write(folder)

    def _columns(self, name: str) -> dict[str, Kind]:
        return SOURCES[name] if name in SOURCES else self.models[name].columns

    def _is_unique(self, name: str) -> bool:
        return name in SOURCES or self.models[name].is_unique

    def _add(self, name: str) -> None:
        random = self.random
        # The newest are read more often, so that chains come.
        known = [*SOURCES, *self.models, *list(self.models)[-2:]]
        reads = tuple(dict.fromkeys(random.choices(known, k=random.choice((1, 1, 2)))))
        unique = all(map(self._is_unique, reads))
        hows = [how for how in _STORED if how != "merge" or unique]
        how = random.choice([*hows, *hows, "view", "ephemeral"])
        more = (self._item(f"c{at}", reads) for at in range(random.randint(2, 4)))
        found = [Item("id", "t0.id", "long"), *more]
        self.models[name] = Made(
            name, how, reads, tuple(found), self._where(reads), unique and how != "append"
        )

    def _item(self, name: str, reads: tuple[str, ...]) -> Item:
        table = self.random.randrange(len(reads))
        column, kind = self.random.choice(list(self._columns(reads[table]).items()))
        text, gives = self.random.choice(_MADE[kind])
        return Item(name, text.format(f"t{table}.{column}"), gives)

    def _where(self, reads: tuple[str, ...]) -> str:
        column = self.random.choice(list(self._columns(reads[0])))
        return self.random.choice(("", "", f"\nWHERE t0.{column} IS NOT NULL"))

    # -- edits -----------------------------------------------------------------------------------

    def edit(self) -> str:
        """One model is another from now on; says what was done."""
        model = self.random.choice(list(self.models.values()))
        done, edited = self.random.choice(
            (self._drop, self._drop, self._add_one, self._swap, self._retype, self._respell)
        )(model)
        if model.how in _STORED and self.random.random() < 0.25:
            edited = replace(edited, settings={"on_type_change": "side_column"})
            done += ", types beside each other"
        self.models[model.name] = edited
        return f"{model.name} ({model.how}): {done}"

    def _some(self, model: Made) -> int:
        return self.random.randrange(1, len(model.items))

    def _drop(self, model: Made) -> tuple[str, Made]:
        # Now and then the key itself, which a table by keys cannot do without.
        at = 0 if self.random.random() < 0.1 else self._some(model)
        left = tuple(item for number, item in enumerate(model.items) if number != at)
        return f"{model.items[at].name} is dropped", replace(model, items=left)

    def _add_one(self, model: Made) -> tuple[str, Made]:
        fresh = self._item(f"x{len(model.items)}", model.reads)
        return f"{fresh.name} is added", replace(model, items=(*model.items, fresh))

    def _swap(self, model: Made) -> tuple[str, Made]:
        _, left = self._drop(model)
        _, made = self._add_one(left)
        return "one column leaves and one arrives", made

    def _retype(self, model: Made) -> tuple[str, Made]:
        at = self._some(model)
        item = model.items[at]
        choices: tuple[tuple[str, Kind], ...] = (
            (f"CAST({item.sql} AS STRING)", "text"),
            ("CAST(3 AS BIGINT)", "long"),
            ("NULL", item.kind),
        )
        sql, kind = self.random.choice(choices)
        items = list(model.items)
        items[at] = Item(item.name, sql, kind)
        return f"{item.name} is {sql} now", replace(model, items=tuple(items))

    def _respell(self, model: Made) -> tuple[str, Made]:
        items = tuple(replace(item, name=item.name.upper()) for item in model.items)
        return "names are upper case", replace(model, items=items)
