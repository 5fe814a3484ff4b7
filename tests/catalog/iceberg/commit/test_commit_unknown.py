"""A catalog that does not say what became of a commit, and a caller that goes away in the midst of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import CommitStateUnknownException, ForbiddenError

from lakeport.catalog.iceberg.catalog import IcebergCatalog
from lakeport.catalog.ports import Ref
from lakeport.core.errors import UnavailableError
from tests.catalog.iceberg.commit.members import (
    NAME,
    commit,
    data_files,
    embedded,
    head,
    ids_in,
    insert,
    metadata_files,
    new_table,
)
from tests.catalog.iceberg.rest_server import RestServer, WithheldError, rest_server

Commit = Callable[[], Any]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RestServer]:
    with rest_server(tmp_path) as running:
        yield running


@pytest.fixture
def remote(server: RestServer) -> Iterator[IcebergCatalog]:
    with IcebergCatalog(server.profile(**{"lakeport.settle-seconds": "0.05"})) as opened:
        yield opened


def once(server: RestServer, act: Callable[[Commit], Any]) -> None:
    """The next commit is treated so, all after it as usual."""

    def around(apply: Commit) -> Any:
        server.around_commit = lambda after: after()
        return act(apply)

    server.around_commit = around


@pytest.mark.parametrize("status", [500, 502, 504, None])
def test_what_was_applied_without_an_answer_is_found_and_not_repeated(
    server: RestServer, remote: IcebergCatalog, status: int | None
) -> None:
    source = new_table(remote)

    def applied(apply: Commit) -> Any:
        apply()
        raise WithheldError(status)

    once(server, applied)
    statement = insert(source, [1])
    done = commit(remote, source, statement)
    assert done.snapshot is not None
    assert (ids_in(remote), statement.discarded) == ([1], 0)
    assert len(head(remote).metadata.snapshots) == 1


@pytest.mark.parametrize("status", [500, 504, None])
def test_what_may_still_be_applied_is_told_as_unknown_and_keeps_its_files(
    server: RestServer, remote: IcebergCatalog, status: int | None
) -> None:
    source = new_table(remote)
    in_flight: list[Commit] = []

    def withheld(apply: Commit) -> Any:
        in_flight.append(apply)
        raise WithheldError(status)

    once(server, withheld)
    statement = insert(source, [1])
    with pytest.raises(UnavailableError, match="did not say whether") as caught:
        commit(remote, source, statement)
    assert statement.discarded == 0
    assert ids_in(remote) == []
    # The service gets to it after all: nothing that it names is missing.
    in_flight[0]()
    remote.commits.change(*_of(remote), lambda _: ((), ()))
    assert ids_in(remote) == [1]
    snapshot = head(remote).metadata.current_snapshot()
    assert snapshot is not None
    assert caught.value.details == {"snapshot_id": str(snapshot.snapshot_id)}
    assert str(snapshot.snapshot_id) in str(caught.value)


def _of(catalog: IcebergCatalog) -> tuple[Any, str]:
    source = head(catalog)
    return source.name, str(source.metadata.table_uuid)


def test_what_can_no_longer_be_applied_is_tried_again(
    server: RestServer, remote: IcebergCatalog
) -> None:
    source = new_table(remote)
    with IcebergCatalog(server.profile()) as other:

        def overtaken(_: Commit) -> Any:
            commit(other, source, insert(source, [2]))
            raise WithheldError(500)

        once(server, overtaken)
        statement = insert(source, [1])
        commit(remote, source, statement)
    assert (ids_in(remote), statement.discarded) == ([1, 2], 0)


def test_a_busy_service_is_asked_again(server: RestServer, remote: IcebergCatalog) -> None:
    source = new_table(remote)

    def busy(_: Commit) -> Any:
        raise WithheldError(503)

    once(server, busy)
    commit(remote, source, insert(source, [1]))
    assert ids_in(remote) == [1]


@pytest.mark.parametrize("status", [400, 403, 422])
def test_a_refusal_removes_everything(
    server: RestServer, remote: IcebergCatalog, status: int
) -> None:
    source = new_table(remote)
    before = metadata_files(source)

    def refused(_: Commit) -> Any:
        raise WithheldError(status)

    once(server, refused)
    with pytest.raises(UnavailableError) as caught:
        commit(remote, source, insert(source, [1]))
    assert caught.value.hint
    assert metadata_files(source) == before
    assert data_files(source) == set()


def test_a_service_that_is_gone_was_not_reached(remote: IcebergCatalog) -> None:
    source = new_table(remote)
    statement = insert(source, [1])
    # A port that nobody listens on: the connection itself fails.
    remote.pyiceberg.uri = "http://127.0.0.1:1/"  # type: ignore[attr-defined]
    with pytest.raises(UnavailableError):
        commit(remote, source, statement)
    assert (statement.discarded, data_files(source)) == (1, set())


def intercept(native: Catalog, act: Callable[[Commit], Any]) -> None:
    """The next commit through this catalog is treated so."""
    usual = native.commit_table

    def commit_table(*arguments: Any) -> Any:
        del vars(native)["commit_table"]
        return act(lambda: usual(*arguments))

    vars(native)["commit_table"] = commit_table


@pytest.mark.parametrize("applied", [True, False], ids=["after", "before"])
def test_an_interrupt_reaches_the_caller_once_the_outcome_is_known(
    tmp_path: Path, *, applied: bool
) -> None:
    with IcebergCatalog(embedded(tmp_path, **{"lakeport.settle-seconds": "0.05"})) as catalog:
        source = new_table(catalog)

        def interrupted(apply: Commit) -> Any:
            if applied:
                apply()
            raise KeyboardInterrupt

        intercept(catalog.pyiceberg, interrupted)
        statement = insert(source, [1])
        with pytest.raises(KeyboardInterrupt):
            commit(catalog, source, statement)
        # Whether it was applied or not, its files must stay: the statement cannot know.
        assert statement.discarded == 0
        assert ids_in(catalog) == ([1] if applied else [])
        commit(catalog, source, insert(source, [2]))
        assert ids_in(catalog) == ([1, 2] if applied else [2])


@pytest.mark.parametrize("applied", [True, False], ids=["after", "before"])
def test_a_database_that_breaks_off_at_the_end(tmp_path: Path, *, applied: bool) -> None:
    with IcebergCatalog(embedded(tmp_path, **{"lakeport.settle-seconds": "0.05"})) as catalog:
        source = new_table(catalog)

        def broken(apply: Commit) -> Any:
            if applied:
                apply()
            message = "the connection broke"
            raise CommitStateUnknownException(message)

        intercept(catalog.pyiceberg, broken)
        statement = insert(source, [1])
        if applied:
            commit(catalog, source, statement)
        else:
            with pytest.raises(UnavailableError, match="did not say whether"):
                commit(catalog, source, statement)
        assert statement.discarded == 0
        assert ids_in(catalog) == ([1] if applied else [])


def test_credentials_that_ran_out_are_told_as_such(tmp_path: Path) -> None:
    with IcebergCatalog(embedded(tmp_path)) as catalog:
        source = new_table(catalog)

        def forbidden(_: Commit) -> Any:
            message = "who are you?"
            raise ForbiddenError(message)

        intercept(catalog.pyiceberg, forbidden)
        statement = insert(source, [1])
        with pytest.raises(UnavailableError, match="refuses access"):
            commit(catalog, source, statement)
        assert statement.discarded == 1


def test_a_change_that_was_applied_without_an_answer_is_not_proposed_again(
    server: RestServer, remote: IcebergCatalog
) -> None:
    source = new_table(remote)
    done = commit(remote, source, insert(source, [1]))
    assert done.snapshot is not None
    table = remote.namespace(NAME.namespace).table(NAME.table)

    def applied(apply: Commit) -> Any:
        apply()
        raise WithheldError(500)

    once(server, applied)
    table.create_ref(Ref("monday", "tag", done.snapshot.snapshot_id))
    assert [ref.name for ref in table.refs()] == ["main", "monday"]
    once(server, applied)
    table.drop_ref("monday")
    assert [ref.name for ref in table.refs()] == ["main"]
