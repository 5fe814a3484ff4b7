"""Which files can be reached under a root, and every way out of it that is not one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lakeport.catalog.files import Roots
from lakeport.catalog.files.roots import FoundFile
from lakeport.core.errors import (
    InvalidRequestError,
    LakeportError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionError,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    for name in (
        "a.csv",
        "b.csv",
        "c.txt",
        "sub/d.csv",
        "sub/deep/e.csv",
        ".hidden/f.csv",
        ".g.csv",
    ):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (tmp_path / "secret.csv").write_text("secret")
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "x.csv").write_text("secret")
    return folder


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("a.csv", ["a.csv"]),
        ("./sub//d.csv", ["sub/d.csv"]),
        ("*.csv", ["a.csv", "b.csv"]),
        ("[ab].csv", ["a.csv", "b.csv"]),
        ("?.txt", ["c.txt"]),
        ("*/*.csv", ["sub/d.csv"]),
        ("**/*.csv", ["a.csv", "b.csv", "sub/d.csv", "sub/deep/e.csv"]),
        ("sub/**", ["sub/d.csv", "sub/deep/e.csv"]),
        ("**/deep/*", ["sub/deep/e.csv"]),
        ("**/**/d.csv", ["sub/d.csv"]),
        ("**/*/**/*.csv", ["sub/d.csv", "sub/deep/e.csv"]),
    ],
)
def test_files_are_found_by_name_and_by_pattern(root: Path, pattern: str, found: list[str]) -> None:
    files = Roots((root,)).find(pattern)
    assert [file.name for file in files] == found
    for file in files:
        with file.open() as handle:
            assert handle.read().decode() == file.name


def test_roots_are_looked_through_in_their_order(root: Path, tmp_path: Path) -> None:
    roots = Roots((root, tmp_path / "beside"))
    assert [file.root.name for file in roots.find("x.csv")] == ["beside"]
    assert [file.root.name for file in roots.find("a.csv")] == ["root"]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        ".",
        "..",
        "../secret.csv",
        "sub/../../secret.csv",
        "sub/..",
        "**/../../secret.csv",
        "/etc/passwd",
        "~/secret.csv",
        "~root/x",
        "file:///etc/passwd",
        "file:/etc/passwd",
        "http://localhost/x.csv",
        "s3://bucket/x.csv",
        "C:/x.csv",
        "..\\secret.csv",
        "a.csv\x00.txt",
        "a\n.csv",
        "sub/",
        "x" * 5000,
    ],
)
def test_what_leads_elsewhere_is_no_path(root: Path, path: str) -> None:
    with pytest.raises(InvalidRequestError, match="path"):
        Roots((root,)).find(path)


@pytest.mark.parametrize("path", ["none.csv", "none/a.csv", "a.csv/b.csv", "*.none", "none/*.csv"])
def test_what_is_not_there_is_not_found(root: Path, path: str) -> None:
    with pytest.raises(NotFoundError):
        Roots((root,)).find(path)


@pytest.mark.parametrize("path", [".g.csv", ".hidden/f.csv", "sub/.x"])
def test_what_is_hidden_is_not_served(root: Path, path: str) -> None:
    with pytest.raises(PermissionDeniedError, match="dot"):
        Roots((root,)).find(path)


def _to_file(root: Path) -> str:
    (root / "link.csv").symlink_to(root.parent / "secret.csv")
    return "link.csv"


def _to_file_inside(root: Path) -> str:
    (root / "inside.csv").symlink_to(root / "a.csv")
    return "inside.csv"


def _to_folder(root: Path) -> str:
    (root / "way").symlink_to(root.parent / "beside")
    return "way/x.csv"


def _deep(root: Path) -> str:
    (root / "sub" / "way").symlink_to(root.parent)
    return "sub/way/beside/x.csv"


@pytest.mark.parametrize("make", [_to_file, _to_file_inside, _to_folder, _deep])
def test_no_link_is_followed(root: Path, make: Callable[[Path], str]) -> None:
    path = make(root)
    with pytest.raises(PermissionDeniedError, match="is a link, or leads through one"):
        Roots((root,)).find(path)
    names = [file.name for file in Roots((root,)).find("**/*.csv")]
    assert names == ["a.csv", "b.csv", "sub/d.csv", "sub/deep/e.csv"]


@pytest.mark.parametrize("parts", [("sub", "d.csv"), ("a.csv",)])
def test_what_became_a_link_after_it_was_found_is_not_opened(
    root: Path, parts: tuple[str, ...]
) -> None:
    (found,) = Roots((root,)).find("/".join(parts))
    first = root / parts[0]
    first.rename(root / "moved")
    first.symlink_to(root.parent / ("secret.csv" if len(parts) == 1 else "beside"))
    with pytest.raises(PermissionDeniedError):
        found.open()


def test_pipes_and_folders_are_no_files(root: Path) -> None:
    os.mkfifo(root / "pipe.csv")
    with pytest.raises(InvalidRequestError, match="is no file"):
        FoundFile(root, ("pipe.csv",)).open()
    with pytest.raises(LakeportError):
        Roots((root,)).find("sub")


def test_nothing_is_read_before_a_folder_is_configured() -> None:
    with pytest.raises(PreconditionError) as caught:
        Roots().find("a.csv")
    assert "files.roots" in (caught.value.hint or "")
