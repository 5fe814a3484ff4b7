from __future__ import annotations

from pathlib import Path

import pytest

from lakeport.core.errors import CorruptDataError, UnavailableError
from lakeport.pipeline.session.fetch import fetch
from lakeport.pipeline.session.java import find_java
from lakeport.pipeline.session.options import SparkOptions
from tests.pipeline.session.programs import LIVE, UP, make_java

_UNREACHABLE = """
print('Server access error at url https://repository/x.jar (java.net.UnknownHostException)')
print('Exception in thread "main" java.lang.RuntimeException: [unresolved dependency: x]')
sys.exit(1)
"""
_FULL = """
print('Exception in thread "main" java.io.IOException: No space left on device')
sys.exit(1)
"""
_BROKEN = """
told = dict(line.rstrip().split('=', 1) for line in open(sys.argv[sys.argv.index('--properties-file') + 1]))
group, name, version = told['spark.jars.packages'].replace('\\\\', '').split(':')
folder = os.path.join(told['spark.jars.ivy'], 'jars')
os.mkdir(folder)
with open(os.path.join(folder, f'{group}_{name}-{version}.jar'), 'w') as out:
    out.write('half of it')
"""


def options_with(folder: Path, then: str) -> SparkOptions:
    home = make_java(folder / "jdk", then=then)
    return SparkOptions(folder / "cache", folder / "spark.log", java_home=home)


def test_without_a_network_it_is_said_where_to_put_the_jar(tmp_path: Path) -> None:
    options = options_with(tmp_path, _UNREACHABLE)
    with pytest.raises(UnavailableError) as refused:
        fetch(options, find_java(options.java_home))
    assert refused.value.message == (
        "iceberg-spark-runtime-4.1_2.13-1.12.0.jar could not be fetched: is there a network?"
    )
    assert f"put it into {tmp_path}/cache/jars or name it in `pipeline.jars`" in str(refused.value)
    assert "UnknownHostException" in options.log.read_text()


def test_a_full_disk_is_told_as_one(tmp_path: Path) -> None:
    options = options_with(tmp_path, _FULL)
    with pytest.raises(UnavailableError) as refused:
        fetch(options, find_java(options.java_home))
    assert refused.value.message == (
        f"there is no room for iceberg-spark-runtime-4.1_2.13-1.12.0.jar in {tmp_path}/cache"
    )
    assert "`pipeline.cache`" in (refused.value.hint or "")


def test_a_jvm_that_cannot_start_at_all_says_why(tmp_path: Path) -> None:
    options = options_with(tmp_path, "print('Unrecognized option: -Zx'); sys.exit(1)")
    with pytest.raises(UnavailableError, match="before it was up: Unrecognized option: -Zx"):
        fetch(options, find_java(options.java_home))


def test_what_is_not_as_published_never_comes_into_the_cache(tmp_path: Path) -> None:
    options = options_with(tmp_path, _BROKEN + UP + LIVE)
    with pytest.raises(CorruptDataError, match="is not what its makers published"):
        fetch(options, find_java(options.java_home))
    assert [path.name for path in options.cache.rglob("*")] == ["jars"]
