"""The golden lines, and how each is compared with a result.

    out.total <= a.x, b.y[CONDITIONAL]   values of the output column: `<-` copied, `<=` computed
    t.id <- s.id?                        `?`: approximate
    out.one <- ()                        no source at all
    out <+ b      out <~ a.x[FILTER]     join dependency; indirect dependency
    stmt 0 INSERT reads a, b writes t
    issue UNKNOWN_TABLE @0 relation=a    every error and warning must be listed, infos may be
    schema t(id int, ...) implied @0     if one is listed, all are; `...` = not complete
    node a resolutionSource=imported     column t.id origin=implied    summary joinCount=1
    local c(a, b) cte                    cross 0 -> 1

Sources are traced through CTEs and derived tables to tables. `out` is the output of a bare query;
`@1 ` before a line means statement 1 alone, `global ` the graph of the whole workload. All columns of outputs and every column that a
statement writes must be listed, outputs in their order, unless a line says `partial`.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from tests.lineage.golden_facts import Origin, StatementFacts, workload_facts
from tests.lineage.golden_file import read_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.lineage.golden_facts import Json
    from tests.lineage.golden_file import TableLine

_KIND_OF_ARROW = {"<-": "data_flow", "<=": "derivation"}
GLOBAL = -1
_ARROW = re.compile(r"(<-|<=|<~|<\+)")
_SOURCE = re.compile(r"^(?P<name>[^\[?]+)(\[(?P<tag>\w+)\])?(?P<approximate>\?)?$")


class GoldenCheck:
    """Compares one result with the expected lines and collects readable complaints."""

    def __init__(self, result: Json, expected: list[str]) -> None:
        self.result = result
        self.expected = expected
        self.statements = [StatementFacts(statement) for statement in result["statements"]]
        self.workload = workload_facts(result["globalLineage"])
        self.complaints: list[str] = []

    def run(self) -> list[str]:
        listed: dict[str, list[str]] = defaultdict(list)
        for line in self.expected:
            word = line.split(" ", 1)[0]
            listed["lineage" if _ARROW.search(line) and word != "cross" else word].append(line)
        self._lineage(listed.pop("lineage", []), partial="partial" in listed)
        listed.pop("partial", None)
        self._issues(listed.pop("issue", []), listed.pop("no", []))
        for word, check in (
            ("stmt", self._statements),
            ("schema", self._schema),
            ("cross", self._cross),
            ("local", self._local),
        ):
            if word in listed:
                check(listed.pop(word))
        for word, lookup in (("node", self._nodes), ("column", self._columns)):
            for line in listed.pop(word, []):
                self._properties(line, lookup)
        for line in listed.pop("summary", []):
            self._compare(line, self.result["summary"], line.split(" ", 1)[1])
        self.complaints.extend(
            f"unknown line: {line}" for lines in listed.values() for line in lines
        )
        return self.complaints

    def _lineage(self, lines: list[str], *, partial: bool) -> None:
        outputs: dict[int | None, list[str]] = defaultdict(list)
        listed: set[str] = set()
        for line in lines:
            index, text = _statement_prefix(line)
            target, *rest = (part.strip() for part in _ARROW.split(text))
            arrows = list(zip(rest[::2], rest[1::2], strict=True))
            if arrows[0][0] in {"<+", "<~"} or self._is_relation(target, index):
                self._relation_line(line, target, index, arrows)
                continue
            if index != GLOBAL:
                listed.add(target)
            position = 0
            if target.startswith("out."):
                position = outputs[index].count(target)
                outputs[index].append(target)
            self._column_line(line, target, index, (arrows, position))
        if not partial:
            self._nothing_else(outputs, listed)

    def _column_line(
        self, line: str, target: str, index: int | None, wanted: tuple[list[tuple[str, str]], int]
    ) -> None:
        arrows, position = wanted
        actual: dict[str, Origin] = {}
        matches = 0
        for facts in self._chosen(index):
            same = [node_id for node_id in facts.columns() if facts.name(node_id) == target]
            if target.startswith("out."):
                same = same[position : position + 1]
            for node_id in same:
                matches += 1
                for name, origin in facts.origins(node_id).items():
                    known = actual.setdefault(name, Origin())
                    known.kinds |= origin.kinds
                    known.tags |= origin.tags
                    known.approximate |= origin.approximate
        if not matches:
            self.complaints.append(f"{line}: no such column; columns: {self._all_columns()}")
            return
        self._same_sources(line, arrows, actual)

    def _same_sources(
        self, line: str, arrows: list[tuple[str, str]], actual: dict[str, Origin]
    ) -> None:
        wanted = {name: (kind, tag, approx) for kind, name, tag, approx in _sources(arrows)}
        if set(wanted) != set(actual):
            self.complaints.append(f"{line}: sources are {sorted(actual) or 'none'}")
            return
        for name, (kind, tag, approximate) in wanted.items():
            origin = actual[name]
            if "." in name and kind not in origin.kinds:
                self.complaints.append(f"{line}: {name} arrives by {sorted(origin.kinds)}")
            if tag and tag not in origin.tags:
                self.complaints.append(f"{line}: {name} is tagged {sorted(origin.tags)}")
            if approximate != origin.approximate:
                self.complaints.append(f"{line}: {name} approximate is {origin.approximate}")

    def _relation_line(
        self, line: str, target: str, index: int | None, arrows: list[tuple[str, str]]
    ) -> None:
        for arrow, names in arrows:
            for _, name, tag, approximate in _sources([(arrow, names)]):
                found = [
                    facts.relation_edges(arrow).get((target, name)) for facts in self._chosen(index)
                ]
                origins = [origin for origin in found if origin is not None]
                if not origins:
                    every = [sorted(facts.relation_edges(arrow)) for facts in self._chosen(index)]
                    self.complaints.append(f"{line}: {arrow} edges are {every}")
                elif tag and not any(tag in origin.tags for origin in origins):
                    self.complaints.append(f"{line}: tagged {[sorted(o.tags) for o in origins]}")
                elif approximate and not any(origin.approximate for origin in origins):
                    self.complaints.append(f"{line}: {name} is not approximate")

    def _nothing_else(self, outputs: dict[int | None, list[str]], listed: set[str]) -> None:
        for position, facts in enumerate(self.statements):
            produced = [facts.name(n) for n in facts.columns() if facts.is_output_column(n)]
            wanted = outputs.get(position, outputs.get(None, []))
            if produced and produced != wanted:
                self.complaints.append(f"statement {position}: output columns are {produced}")
            written = {facts.name(n) for n in facts.columns() if facts.is_written_column(n)}
            if written - listed:
                self.complaints.append(
                    f"statement {position}: also writes {sorted(written - listed)}"
                )

    def _issues(self, lines: list[str], absent: list[str]) -> None:
        issues: list[Json] = list(self.result["issues"])
        for line in lines:
            _, code, *rest = shlex.split(line)
            wanted = _pairs(rest)
            found = next((i for i in issues if i["code"] == code and _holds(i, wanted)), None)
            if found is None:
                self.complaints.append(f"{line}: issues are {[_short(i) for i in issues]}")
            else:
                issues.remove(found)
        left = [issue for issue in issues if issue["severity"] != "info"]
        self.complaints.extend(f"unlisted issue: {_short(issue)}" for issue in left)
        codes = {issue["code"] for issue in self.result["issues"]}
        unwanted = {line.split()[-1] for line in absent} & codes
        self.complaints.extend(f"there is an issue {code}" for code in sorted(unwanted))

    def _statements(self, lines: list[str]) -> None:
        for line in lines:
            found = re.match(r"stmt (\d+) (\w+)(?: reads ([^;]*?))?(?: writes (.*))?$", line)
            if found is None or int(found[1]) >= len(self.statements):
                self.complaints.append(f"{line}: there are {len(self.statements)} statements")
                continue
            statement = self.statements[int(found[1])].statement
            if statement["statementType"] != found[2]:
                self.complaints.append(f"{line}: the type is {statement['statementType']}")
            for key, names in (("reads", found[3]), ("writes", found[4])):
                wanted = {name.strip() for name in (names or "").split(",") if name.strip()}
                if wanted != set(statement.get(key, [])):
                    self.complaints.append(f"{line}: {key} {statement.get(key)}")

    def _schema(self, lines: list[str]) -> None:
        tables = self.result.get("resolvedSchema", {}).get("tables", [])
        actual = {_dotted(table): table for table in tables}
        wanted = [] if lines == ["schema nothing"] else [read_table(line[7:]) for line in lines]
        if {line.name for line in wanted} != set(actual):
            self.complaints.append(f"resolved schema has {sorted(actual)}, not {lines}")
            return
        for line in wanted:
            self._schema_table(line, actual[line.name])

    def _schema_table(self, line: TableLine, table: Json) -> None:
        name = line.name
        types = {column["name"]: column.get("dataType") for column in table["columns"]}
        listed = [column for column, _ in line.columns]
        # Usage tells which columns there are, not in which order.
        usage = table.get("inference") == "usage"
        same = sorted(types) == sorted(listed) if usage else list(types) == listed
        if not same:
            self.complaints.append(f"schema {name}: columns are {list(types)}")
            return
        for column, kind in line.columns:
            if kind and _type(kind) != _type(str(types[column])):
                self.complaints.append(f"schema {name}.{column}: type is {types[column]}")
        if line.complete != table.get("complete", True):
            self.complaints.append(f"schema {name}: complete is {table.get('complete')}")
        facts = {
            table["origin"],
            table.get("kind", "table"),
            table.get("inference", ""),
            *(["temporary"] if table.get("temporary") else []),
            *([f"@{table['sourceStatementIndex']}"] if "sourceStatementIndex" in table else []),
        }
        missing = set(line.words) - facts
        if missing:
            self.complaints.append(f"schema {name}: not {sorted(missing)} but {sorted(facts)}")
        if table.get("temporary") and "temporary" not in line.words:
            self.complaints.append(f"schema {name}: is temporary")

    def _cross(self, lines: list[str]) -> None:
        actual = {
            f"cross {edge.get('producerStatement')} -> {edge.get('consumerStatement')}"
            for edge in self.result["globalLineage"]["edges"]
            if edge["edgeType"] == "cross_statement"
        }
        if actual != set(lines) - {"cross nothing"}:
            self.complaints.append(f"cross-statement edges are {sorted(actual)}, not {lines}")

    def _local(self, lines: list[str]) -> None:
        tables = [t for s in self.result["statements"] for t in s.get("localSchema", [])]
        for line in lines:
            wanted = read_table(line[6:])
            names = [column for column, _ in wanted.columns]
            if not any(
                table["name"] == wanted.name
                and [column["name"] for column in table["columns"]] == names
                and table["kind"] in wanted.words
                for table in tables
            ):
                self.complaints.append(f"{line}: local schemas are {json.dumps(tables)}")

    def _properties(self, line: str, lookup: Callable[[str, int | None], list[Json]]) -> None:
        index, text = _statement_prefix(line.split(" ", 1)[1])
        name, _, wanted = text.partition(" ")
        candidates = lookup(name, index)
        if not candidates:
            self.complaints.append(f"{line}: not found")
        elif not any(_holds(candidate, _pairs(shlex.split(wanted))) for candidate in candidates):
            self.complaints.append(f"{line}: is {candidates}")

    def _nodes(self, name: str, index: int | None) -> list[Json]:
        return [
            node
            for facts in self._chosen(index)
            for node_id, node in facts.nodes.items()
            if facts.name(node_id) == name
        ]

    def _columns(self, name: str, _index: int | None) -> list[Json]:
        return [
            column
            for table in self.result.get("resolvedSchema", {}).get("tables", [])
            for column in table["columns"]
            if f"{_dotted(table)}.{column['name']}" == name
        ]

    def _compare(self, line: str, actual: Json, wanted: str) -> None:
        if not _holds(actual, _pairs(shlex.split(wanted))):
            self.complaints.append(f"{line}: is {actual}")

    def _chosen(self, index: int | None) -> list[StatementFacts]:
        if index == GLOBAL:
            return [self.workload]
        return self.statements if index is None else self.statements[index : index + 1]

    def _is_relation(self, name: str, index: int | None) -> bool:
        return any(
            facts.name(node_id) == name
            for facts in self._chosen(index)
            for node_id, node in facts.nodes.items()
            if node["nodeType"] != "column"
        )

    def _all_columns(self) -> list[str]:
        return [facts.name(node_id) for facts in self.statements for node_id in facts.columns()]


def _statement_prefix(line: str) -> tuple[int | None, str]:
    if line.startswith("global "):
        return GLOBAL, line.removeprefix("global ")
    found = re.match(r"^@(\d+) (.*)$", line)
    return (int(found[1]), found[2]) if found else (None, line)


def _sources(arrows: list[tuple[str, str]]) -> list[tuple[str, str, str | None, bool]]:
    parsed = []
    for arrow, names in arrows:
        for name in names.split(","):
            if name.strip() == "()":
                continue
            found = _SOURCE.match(name.strip())
            if found is None:
                raise ValueError(f"not a source: {name}")
            kind = _KIND_OF_ARROW.get(arrow, arrow)
            parsed.append((kind, found["name"], found["tag"], found["approximate"] is not None))
    return parsed


def _pairs(words: list[str]) -> dict[str, str]:
    pairs = dict(word.split("=", 1) for word in words if "=" in word)
    indexes = [word[1:] for word in words if re.fullmatch(r"@\d+", word)]
    return pairs | ({"statementIndex": indexes[0]} if indexes else {})


def _holds(actual: Json, wanted: dict[str, str]) -> bool:
    return all(_text(_at(actual, path)) == value for path, value in wanted.items())


def _at(value: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(value, list):
            value = value[int(step)] if int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _short(issue: Json) -> str:
    keys = ("severity", "code", "statementIndex", "relation", "column", "message")
    return " ".join(str(issue[key]) for key in keys if key in issue)


def _dotted(table: Json) -> str:
    return ".".join(table[key] for key in ("catalog", "schema", "name") if key in table)


def _type(text: str) -> str:
    return re.sub(r"\s+", "", text).casefold()
