"""The guide's files make a project, and what the guide shows of it is what comes."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport.app.functions import list_functions
from lakeport.app.settings import load
from lakeport.functions.project import Options, ProjectFunctions
from tests.functions.rows import called, poured, read

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "functions.md"
FILES = re.compile(r"^```python\n# (\S+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SHOWN = re.compile(r"^```console\n\$ lakeport functions\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("guide")
    (root / "lakeport.toml").write_text('[functions]\nisolation = "none"\n')
    for name, text in FILES.findall(GUIDE.read_text()):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(f"# {name}\n{text}")
    return root


@pytest.fixture(scope="module")
def functions(folder: Path) -> Iterator[dict[str, Any]]:
    with ProjectFunctions(folder, folder / "functions", Options(isolation="none")) as found:
        assert found.troubles == ()
        yield {
            each.signature.name: each
            for namespace in found.namespaces
            for each in found.functions(namespace)
        }


def test_the_list_is_what_the_guide_shows(folder: Path) -> None:
    (shown,) = SHOWN.findall(GUIDE.read_text())
    lines = [re.split(r"  +", line) for line in shown.splitlines()[1:]]
    listed = list_functions(load(project=folder, variables={})).functions
    assert lines == [
        [
            each.signature,
            each.returns or "told by the arguments",
            each.kind.replace("_", "/"),
            each.place,
        ]
        for each in listed
        if each.name.startswith("geo.")
    ]


def test_its_functions_do_what_it_says(functions: dict[str, Any]) -> None:
    places = {"lat1": [52.52], "lon1": [13.4], "lat2": [48.86], "lon2": [2.35]}
    assert round(called(functions["distance"], **places)[0]) == 877
    assert called(functions["fahrenheit"], celsius=[100.0, None]) == [212.0, None]
    assert read(functions["grid"], size=2, step=0.5)[-1] == {"lat": 0.5, "lon": 0.5}
    rows = pa.record_batch({"n": [1.5, 2.5]})
    assert poured(functions["named"], rows, prefix="p")[0][0][1] == {"n": 2.5, "place": "p1"}
    assert poured(functions["total"], rows, rows, column="n") == ([[], []], [{"total": 8.0}])


def test_its_tests_pass(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(folder))
    for name in [each for each in sys.modules if each.partition(".")[0] == "functions"]:
        monkeypatch.delitem(sys.modules, name)
    found = runpy.run_path(str(folder / "tests" / "test_geo.py"))
    tests = [each for name, each in found.items() if name.startswith("test_")]
    for test in tests:
        test()
    assert len(tests) == 2
