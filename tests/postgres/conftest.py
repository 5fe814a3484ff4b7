"""A PostgreSQL server of our own for the whole lane, and a fresh database for each test.

It listens on a Unix socket alone, so no port can be taken. The server refuses to run as root: there it
runs as another user, in a folder that this user owns.
"""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Connection, NullPool, create_engine

from lakeport.catalog.iceberg.profile import Profile

_DEBIAN = Path("/usr/lib/postgresql")
_USERS = ("postgres", "nobody")
_DATABASES = itertools.count()


@dataclass(frozen=True)
class Cluster:
    folder: Path
    programs: Path
    user: str | None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self.programs / program), *arguments],
            user=self.user,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,  # a pipe would stay open as long as the server runs
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{program} failed; see {self.folder}/log"

    def start(self) -> None:
        settings = f"-k {self.folder} -c listen_addresses= -c fsync=off -c autovacuum=off"
        log = str(self.folder / "log")
        self.run("pg_ctl", "-w", "-D", str(self.data), "-l", log, "-o", settings, "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-w", "-D", str(self.data), "-m", "immediate", "stop")

    def execute(self, database: str, *statements: str) -> None:
        with self.connection(self.uri(database), isolation_level="AUTOCOMMIT") as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    def connection(self, uri: str, **options: str) -> Connection:
        """Another program on the same database."""
        return create_engine(uri, poolclass=NullPool, **options).connect()

    def uri(self, database: str) -> str:
        return f"postgresql+psycopg2://lake@/{database}?host={self.folder}"


def _programs() -> Path:
    """Debian keeps the server's programs out of the path."""
    found = shutil.which("initdb")
    places = sorted(_DEBIAN.glob("*/bin"), reverse=True)
    if found is not None:
        # A wrapper in the path may stand beside none of the other programs.
        places.insert(0, Path(found).resolve().parent)
    for place in places:
        if all((place / name).exists() for name in ("initdb", "pg_ctl", "postgres")):
            return place
    pytest.skip("no PostgreSQL server found")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    # Sockets need short paths, and another user must be able to enter.
    folder = Path(tempfile.mkdtemp(prefix="lakeport-pg-"))
    user = None
    if os.geteuid() == 0:
        user = next(name for name in _USERS if _is_user(name))
        shutil.chown(folder, user)
    made = Cluster(folder, _programs(), user)
    try:
        made.run("initdb", "-D", str(made.data), "-U", "lake", "-A", "trust", "--no-sync")
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder)


def _is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


@pytest.fixture
def profile(cluster: Cluster, tmp_path: Path) -> Iterator[Profile]:
    name = f"lake_{next(_DATABASES)}"
    cluster.execute("postgres", f"CREATE DATABASE {name}")
    yield Profile("lake", "sql", cluster.uri(name), f"file://{tmp_path}/warehouse")
    cluster.execute("postgres", f"DROP DATABASE {name} WITH (FORCE)")
