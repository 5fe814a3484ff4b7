"""Files that build a table: their bare query writes it, whatever the order of the files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lakeport.app.analyze import Workload, analyze_workload
from lakeport.app.model_files import built_by
from lakeport.lineage import Analyzer, AnalyzeResult, analyze, encode_result
from lakeport.lineage.labels import labels

if TYPE_CHECKING:
    from pathlib import Path

REQUEST: dict[str, Any] = {
    "dialect": "spark",
    "options": {"statementOrder": "dependency", "analysisTime": "2026-01-01T00:00:00Z"},
    "files": [
        {"name": "a.sql", "content": "SELECT n * 2 AS m FROM staging.t", "builds": "marts.a"},
        {"name": "t.sql", "content": "SELECT n FROM raw.t", "builds": "staging.t"},
    ],
}


def flows(result: AnalyzeResult) -> set[tuple[str, str]]:
    """The values that move, by readable name."""
    lineage = result.global_lineage
    names = labels(lineage)
    kinds = {"data_flow", "derivation"}
    return {(names[e.source], names[e.target]) for e in lineage.edges if e.edge_type in kinds}


def test_a_bare_query_writes_the_table_its_file_builds() -> None:
    result = analyze(REQUEST)
    assert flows(result) == {("staging.t.n", "marts.a.m"), ("raw.t.n", "staging.t.n")}
    assert [s.statement_type for s in result.statements] == ["CREATE_TABLE_AS"] * 2
    assert [s.writes for s in result.statements] == [["marts.a"], ["staging.t"]]


def test_quoted_parts_keep_their_dots() -> None:
    file = {"name": "a.sql", "content": "SELECT 1 AS x", "builds": "marts.`2.0`"}
    result = analyze({"dialect": "spark", "files": [file]})
    assert result.resolved_schema is not None
    table = result.resolved_schema.tables[0]
    assert (table.schema, table.name) == ("marts", "2.0")


def test_statements_that_name_a_table_keep_it() -> None:
    file = {"name": "a.sql", "content": "INSERT INTO u SELECT n FROM t", "builds": "marts.a"}
    result = analyze({"dialect": "spark", "files": [file]})
    assert [s.writes for s in result.statements] == [["u"]]


def test_the_incremental_analyzer_answers_the_same() -> None:
    analyzer = Analyzer()
    answers = [encode_result(analyzer.analyze(REQUEST)) for _ in range(2)]
    assert answers == [encode_result(analyze(REQUEST))] * 2


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "lakeport.toml": 'name = "shop"\n',
        "models/marts/a.sql": "SELECT n * 2 AS m FROM staging.t",
        "models/staging/deep/t.sql": "SELECT n FROM raw.t",
        "models/staging/other.sql": '/* lakeport\nname = "staging.named"\n*/\nSELECT n FROM raw.t',
        "models/loose.sql": "SELECT 1 AS x",
        "adhoc/query.sql": "SELECT m FROM marts.a",
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "table"),
    [
        ("models/marts/a.sql", "marts.a"),
        ("models/staging/deep/t.sql", "staging.t"),
        ("models/staging/other.sql", "staging.named"),
        ("models/loose.sql", None),
        ("adhoc/query.sql", None),
    ],
)
def test_the_path_of_a_model_names_its_table(project: Path, file: str, table: str | None) -> None:
    path = project / file
    assert built_by(path, path.read_text(encoding="utf-8")) == table


def test_the_folder_of_models_is_a_setting(project: Path) -> None:
    (project / "lakeport.toml").write_text('[pipeline]\nmodels = "adhoc"\n', encoding="utf-8")
    assert built_by(project / "models/marts/a.sql", "SELECT 1") is None
    (project / "adhoc/x").mkdir()
    assert built_by(project / "adhoc/x/y.sql", "SELECT 1") == "x.y"


def test_damaged_settings_leave_the_path_to_say_it(project: Path) -> None:
    assert (
        built_by(project / "models/marts/a.sql", "/* lakeport\nname = \n*/ SELECT 1") == "marts.a"
    )


def test_outside_a_project_a_file_builds_nothing(tmp_path: Path) -> None:
    assert built_by(tmp_path / "models/marts/a.sql", "SELECT 1") is None


def test_the_models_of_a_project_are_one_graph(project: Path) -> None:
    result = analyze_workload(Workload(paths=(project / "models",), dialect="spark")).result
    assert {("staging.t.n", "marts.a.m"), ("raw.t.n", "staging.t.n")} <= flows(result)
    assert not [issue for issue in result.issues if issue.code == "FORWARD_REFERENCE"]


def test_only_what_an_incremental_run_adds_is_marked_as_such() -> None:
    text = (
        "select a from t {% if is_incremental() %} where a > (select max(a) from {{ this }}) "
        "{% endif %}"
    )
    request = {
        "files": [{"name": "models/m.sql", "content": text}],
        "templateConfig": {"mode": "dbt"},
        "dialect": "spark",
    }
    statement = analyze(request).statements[0]
    flows = [edge for edge in statement.edges if edge.edge_type == "data_flow"]
    assert [edge.metadata.get("incrementalOnly") for edge in flows] == [None]
    added = [node.label for node in statement.nodes if node.metadata.get("incrementalOnly")]
    assert added == ["m", "a"]
