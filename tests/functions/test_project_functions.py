"""The functions of a project: found by file, broken ones told, changed ones picked up, laid over a catalog."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakeport.catalog.definition import Definition
from lakeport.catalog.functions import FunctionHost
from lakeport.catalog.memory import MemoryCatalog
from lakeport.catalog.ports import DynamicNamespace, NamespaceInfo
from lakeport.core.errors import NotFoundError, PreconditionError, UnsupportedError
from lakeport.functions.project import FunctionCatalog, Options, ProjectFunctions
from tests.functions.rows import called

HEADER = "from lakeport.functions import scalar_function\n\n"
DOUBLE = HEADER + "@scalar_function\ndef double(x: int) -> int:\n    return {} * x\n"


@contextmanager
def functions(root: Path, isolation: Any = "none", **files: str) -> Iterator[ProjectFunctions]:
    write(root, **files)
    options = Options(isolation=isolation, workers=1, reload=True)
    with ProjectFunctions(root, root / "functions", options) as found:
        yield found


def write(root: Path, **files: str) -> None:
    (root / "functions").mkdir(exist_ok=True)
    for name, text in files.items():
        (root / "functions" / f"{name}.py").write_text(text)


def only(found: ProjectFunctions, namespace: str) -> Any:
    (function,) = found.functions(namespace)
    return function


def test_a_project_without_the_folder_has_no_functions(tmp_path: Path) -> None:
    with ProjectFunctions(tmp_path, tmp_path / "functions") as found:
        assert found.namespaces == ()
        assert found.number() == 0


BROKEN = {
    "syntax": ("def f(:", "functions/syntax.py:1: this is no Python: invalid syntax"),
    "missing": (
        "import no_such_module",
        "functions/missing.py:1: importing it raised ModuleNotFoundError",
    ),
    "untold": (
        HEADER + "@scalar_function\ndef f(x): ...",
        "functions/untold.py:4: function `f` does not say of which type its parameter `x` is",
    ),
    "raising": ("x = 1\n\n1 / 0", "functions/raising.py:3: importing it raised ZeroDivisionError"),
    "leaving": ("raise SystemExit(1)", "functions/leaving.py:1: importing it raised SystemExit: 1"),
    "empty": ("", "functions/empty.py:1: there is no function in it"),
    "main": ("", "functions/main.py: it cannot be called that: DuckDB keeps that name"),
    "lakeport": ("", "functions/lakeport.py: it cannot be called that"),
    "not-a-name": ("", "functions/not-a-name.py: it cannot be called that"),
    "twice": (
        DOUBLE.format(2) + "\n\n" + DOUBLE.format(3).removeprefix(HEADER),
        "functions/twice.py:9: function `double` is declared twice with the same parameters",
    ),
}


def test_every_mistake_is_told_with_its_place_and_the_rest_is_served(tmp_path: Path) -> None:
    files = {name: text for name, (text, _) in BROKEN.items()}
    with functions(tmp_path, **files, good=DOUBLE.format(2)) as found:
        told = {each.path: each for each in found.troubles}
        assert called(only(found, "good"), x=[2]) == [4]
        assert called(only(found, "twice"), x=[2]) == [4]
    for name, (_, expected) in BROKEN.items():
        trouble = told[f"functions/{name}.py"]
        line = "" if trouble.line is None else f":{trouble.line}"
        assert f"{trouble.path}{line}: {trouble.message}".startswith(expected)
        assert trouble.hint
    assert len(told) == len(BROKEN)


BABBLE = """
import os, stat
for number in range(3, 1000):
    try:
        if stat.S_ISFIFO(os.fstat(number).st_mode):
            os.write(number, b"\\xff" * 100)
    except OSError:
        continue
"""


def test_a_module_that_ends_the_process_is_told_and_the_rest_is_served(tmp_path: Path) -> None:
    files = {"bad": "import os\nos._exit(4)", "babbling": BABBLE, "good": DOUBLE.format(2)}
    with functions(tmp_path, "process", **files) as found:
        told = {each.path: each.message for each in found.troubles}
        assert called(only(found, "good"), x=[2]) == [4]
    assert told == {
        "functions/bad.py": "importing it ended the process (exit code 4)",
        "functions/babbling.py": "importing it wrote into the pipes of its process",
    }


def test_files_of_editors_are_no_modules_and_take_none_away(tmp_path: Path) -> None:
    with functions(tmp_path, geo=DOUBLE.format(2)) as found:
        (tmp_path / "functions" / ".#geo.py").symlink_to("somebody@somewhere.1234")
        assert not found.reloaded()
        (tmp_path / "functions" / "gone.py").symlink_to("nowhere.py")
        write(tmp_path, other=DOUBLE.format(3))
        assert found.reloaded()
        assert [each.path for each in found.troubles] == ["functions/gone.py"]
        assert found.namespaces == ("geo", "other")


def test_modules_import_each_other_and_overloads_have_one_name(tmp_path: Path) -> None:
    many = HEADER + (
        "from functions._shared import FACTOR\nfrom functions.first import double\n\n"
        "@scalar_function\ndef times(x: int) -> int:\n    return double(x) * FACTOR\n\n"
        "@scalar_function\ndef times(x: str) -> str:\n    return x * FACTOR\n"
    )
    with functions(
        tmp_path, "process", first=DOUBLE.format(2), second=many, _shared="FACTOR = 3"
    ) as found:
        assert found.troubles == ()
        assert found.namespaces == ("first", "second")
        numbers, texts = found.functions("SECOND")
        assert called(numbers, x=[1]) == [6]  # type: ignore[arg-type]  # it is a scalar function
        assert called(texts, x=["a"]) == ["aaa"]  # type: ignore[arg-type]


@pytest.mark.parametrize("isolation", ["process", "none"])
def test_a_changed_file_takes_over_and_the_version_grows(tmp_path: Path, isolation: str) -> None:
    with functions(tmp_path, isolation, geo=DOUBLE.format(2)) as found:
        before, old = found.number(), only(found, "geo")
        write(tmp_path, geo=DOUBLE.format(20))
        assert found.reloaded()
        assert found.number() > before
        assert called(only(found, "geo"), x=[2]) == [40]
        assert called(old, x=[2]) == [4]  # whoever holds the old one can finish
        assert not found.reloaded()


def test_a_new_file_is_found_by_whoever_calls_a_function(tmp_path: Path) -> None:
    write(tmp_path, geo=DOUBLE.format(2))
    options = Options(isolation="none", look_seconds=0)
    with ProjectFunctions(tmp_path, tmp_path / "functions", options) as found:
        write(tmp_path, late=DOUBLE.format(3))
        assert found.functions("late") == ()
        for thread in threading.enumerate():
            if thread.name == "lakeport-functions":
                thread.join()
        assert called(only(found, "late"), x=[2]) == [6]


def test_a_file_that_is_broken_now_goes_on_as_it_was(tmp_path: Path) -> None:
    with functions(tmp_path, geo=DOUBLE.format(2)) as found:
        before = found.number()
        write(tmp_path, geo="def f(:")
        assert found.reloaded()
        assert called(only(found, "geo"), x=[2]) == [4]
        assert found.number() == before
        write(tmp_path, geo=DOUBLE.format(5))
        assert found.reloaded()
        assert called(only(found, "geo"), x=[2]) == [10]


def test_a_file_that_is_gone_takes_its_functions_along(tmp_path: Path) -> None:
    with functions(tmp_path, geo=DOUBLE.format(2), other=DOUBLE.format(3)) as found:
        before = found.number()
        (tmp_path / "functions" / "geo.py").unlink()
        assert found.reloaded()
        assert found.namespaces == ("other",)
        assert found.number() > before


# -- over a catalog --------------------------------------------------------------------------------


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[FunctionCatalog]:
    inner = MemoryCatalog("lake")
    inner.create_namespace(NamespaceInfo("Shop"))
    inner.create_namespace(NamespaceInfo("plain"))
    with functions(tmp_path, shop=DOUBLE.format(2), geo=DOUBLE.format(3)) as found:
        yield FunctionCatalog(inner, found)


def test_namespaces_hold_tables_and_functions_or_functions_alone(catalog: FunctionCatalog) -> None:
    assert [info.name for info in catalog.namespaces()] == ["Shop", "plain", "geo"]
    shop, geo = catalog.namespace("SHOP"), catalog.namespace("Geo")
    assert isinstance(shop, FunctionHost)
    assert isinstance(geo, FunctionHost)
    assert [each.signature.name for each in shop.functions()] == ["double"]
    assert geo.info.name == "geo"
    assert geo.tables() == ()
    with pytest.raises(NotFoundError, match="namespace `geo` has no table `t`"):
        geo.table("t")
    with pytest.raises(NotFoundError, match="has no namespace `nowhere`") as caught:
        catalog.namespace("nowhere")
    assert caught.value.hint == "namespaces: Shop, geo, plain"


def test_a_namespace_with_functions_takes_tables_as_before(catalog: FunctionCatalog) -> None:
    catalog.create_namespace(NamespaceInfo("geo"))
    for name in ("geo", "shop", "plain"):
        namespace = catalog.namespace(name)
        assert isinstance(namespace, DynamicNamespace)
        namespace.create_table("t", Definition(pa.schema([("n", pa.int64())])))
        assert catalog.namespace(name).tables() == ["t"]
        assert catalog.inner.namespace(name).tables() == ["t"]


def test_a_namespace_of_functions_goes_with_its_file(catalog: FunctionCatalog) -> None:
    with pytest.raises(PreconditionError, match="namespace `geo` holds the project's functions"):
        catalog.drop_namespace("geo")
    catalog.drop_namespace("plain")
    with pytest.raises(UnsupportedError):
        catalog.dropped_tables()


def test_the_catalogs_version_counts_the_functions_in(
    catalog: FunctionCatalog, tmp_path: Path
) -> None:
    before = catalog.version()
    write(tmp_path, geo=DOUBLE.format(7))
    catalog.held.reloaded()
    assert catalog.version().number > before.number > catalog.inner.version().number
