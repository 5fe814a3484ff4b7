"""The tables that a test's model reads: given rows in their columns, as a query in a table's place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from lakeport.core.names import NameMap, TableName, fold, nearest, quoted
from lakeport.pipeline.graph import Graph, Reference
from lakeport.pipeline.graph.model import KnownTable
from lakeport.pipeline.graph.resolve import METADATA_TABLES
from lakeport.pipeline.growth.model import Type
from lakeport.pipeline.growth.spark_words import identifier, type_from_text
from lakeport.pipeline.project.model import Project
from lakeport.pipeline.project.problems import Place, Problem
from lakeport.pipeline.testing.model import THIS, GivenTable, UnitTest
from lakeport.pipeline.testing.values import WrongValueError, as_type, guessed, literal

_BRANCHES = ("branch_", "tag_")


@dataclass(frozen=True, slots=True)
class AnyTable:
    """A catalog that has every table but the sources, which the project knows better, and says nothing
    of them: no lake is needed to test a model.
    """

    project: Project

    def __call__(self, names: Collection[TableName]) -> Iterable[KnownTable]:
        # A metadata table is asked for beside the table that it belongs to.
        sources = self.project.sources
        return [
            KnownTable(name, ())
            for name in names
            if name not in sources and not _is_of_another(name)
        ]


def _is_of_another(name: TableName) -> bool:
    folded = fold(name.table)
    return "." in name.namespace and (folded in METADATA_TABLES or folded.startswith(_BRANCHES))


class TestProblemError(Exception):
    """Why a test cannot be carried out."""

    __test__ = False

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Tables:
    """Of one test."""

    test: UnitTest
    graph: Graph

    def check(self) -> None:
        """A table that nobody reads is given by mistake."""
        node = self.graph.node(self.test.model)
        read: dict[str, Reference] = {}
        pending = [*node.references, *node.declared]
        while pending:
            reference = pending.pop()
            name = str(reference.table)
            if name not in read and self.is_inside(reference):
                above = self.graph.node(reference.table)
                pending += (*above.references, *above.declared)
            read.setdefault(name, reference)
        known = NameMap((name, name) for name in read)
        for name, given in self.test.given.items():
            if name == THIS or name in known or name == str(self.test.model):
                continue
            close = nearest(name, read)
            meant = f"did you mean {quoted(close)}? " if close else ""
            tables = ", ".join(sorted(read)) or "none"
            raise TestProblemError(
                Problem(
                    "given-unread",
                    f"{quoted(str(self.test.model))} does not read {quoted(name)}",
                    f"{meant}it reads: {tables}",
                    given.place,
                )
            )

    def query(self, reference: Reference) -> str | None:
        """What comes in the place of a table; None for a model whose own query does."""
        if reference.suffix or reference.travels:
            raise self._wrong(
                "given-past",
                f"{reference.place}: {quoted(str(reference.table))} is read with its history",
                "a test has rows and no history: leave this model to a run",
            )
        name = THIS if reference.kind == "self" else str(reference.table)
        given = self._is_given(reference.table)
        if reference.kind == "self" and given is None:
            given = self.test.given.get(THIS)
        if given is None and self.is_inside(reference):
            return None
        types = self._types(reference, given)
        if given is None:
            if not self.test.empty and not (reference.kind == "self"):
                raise self._wrong(
                    "not-given",
                    f"{quoted(str(self.test.model))} reads {quoted(name)}, which is not given",
                    f'give its rows: given."{name}" = [{{…}}], or missing = "empty"',
                )
            return self._empty(reference, types)
        return self._rows(given, types)

    def is_inside(self, reference: Reference) -> bool:
        """Whether it is an ephemeral model that is not given: then its query is part of this one."""
        if reference.kind != "model" or self._is_given(reference.table) is not None:
            return False
        model = self.graph.node(reference.table).model
        return model.settings.materialized == "ephemeral" and model.language == "sql"

    # -- inside ----------------------------------------------------------------------------------

    def _is_given(self, table: TableName) -> GivenTable | None:
        return NameMap(self.test.given.items()).get(str(table))

    def _types(self, reference: Reference, given: GivenTable | None) -> dict[str, Type]:
        """Those the test declares, else the project's, else what the values look like."""
        found = self._declared(reference)
        told = NameMap(self.test.columns.items())
        for name in (str(reference.table), *((THIS,) if reference.kind == "self" else ())):
            for column, type_ in told.get(name, {}).items():
                known = next((each for each in found if fold(each) == fold(column)), column)
                found[known] = type_
        if given is None:
            return found
        folded = {fold(column) for column in found}
        written: dict[str, list[object]] = {}
        for row in given.rows:
            for column, value in row.items():
                if fold(column) not in folded:
                    written.setdefault(column, []).append(value)
        for column, values in written.items():
            try:
                found[column] = guessed(values)
            except WrongValueError as error:
                raise self._column(given, column, str(error)) from None
        return found

    def _declared(self, reference: Reference) -> dict[str, Type]:
        project = self.graph.project
        if reference.kind == "source":
            columns = project.sources[reference.table].columns or ()
            return {name: type_from_text(text) for name, text in columns if text is not None}
        if reference.kind in {"model", "self"}:
            known = self.graph.node(reference.table).columns or ()
            return {column.name: column.type for column in known if column.type is not None}
        return {}

    def _rows(self, given: GivenTable, types: Mapping[str, Type]) -> str:
        if not types:
            raise self._column(given, None, "nothing says which columns it has")
        columns = list(types.items())
        names = ", ".join(identifier(name) for name, _ in columns)
        if not given.rows:
            return self._none(types)
        rows = [self._row(given, number, row, columns) for number, row in enumerate(given.rows, 1)]
        values = ", ".join(rows)
        return f"(SELECT * FROM VALUES {values} AS given_rows({names}))"  # noqa: S608  literals of ours

    def _row(
        self,
        given: GivenTable,
        number: int,
        row: Mapping[str, object],
        columns: list[tuple[str, Type]],
    ) -> str:
        held = {fold(name): value for name, value in row.items()}
        cells = []
        for name, type_ in columns:
            try:
                cells.append(literal(as_type(held.get(fold(name)), type_), type_))
            except WrongValueError as error:
                raise self._column(given, name, f"row {number}: {error}") from None
        return f"({', '.join(cells)})"

    def _empty(self, reference: Reference, types: Mapping[str, Type]) -> str:
        if types:
            return self._none(types)
        raise self._wrong(
            "not-given",
            f"nothing says which columns {quoted(str(reference.table))} has, so it cannot be empty",
            "declare it in sources.toml, or give its rows",
        )

    @staticmethod
    def _none(types: Mapping[str, Type]) -> str:
        cells = ", ".join(
            f"{literal(None, type_)} AS {identifier(name)}" for name, type_ in types.items()
        )
        return f"(SELECT {cells} WHERE false)"

    def _column(self, given: GivenTable, column: str | None, why: str) -> TestProblemError:
        where = quoted(given.name) if column is None else quoted(f"{given.name}.{column}")
        declared = f'columns."{given.name}" = {{ {column or "NAME"} = "string" }}'
        hint = f"correct the rows, or declare another type: {declared}"
        return TestProblemError(Problem("given-value", f"{where}: {why}", hint, given.place))

    def _wrong(self, code: str, message: str, hint: str) -> TestProblemError:
        place = self.test.place
        return TestProblemError(Problem(code, message, hint, Place(place.path, place.line)))
