"""A small Iceberg REST catalog on the standard library's HTTP server, over PyIceberg's SQL catalog.

It speaks as much of the protocol as PyIceberg's client asks for: configuration, tokens, namespaces with
parents, pages, tables, commits. It can be told to hang, to fail, what to ask of its callers, and to keep
to itself what became of a commit.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import CommitTableRequest, Table
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER, SortOrder

from lakeport.catalog.iceberg.drivers.patience import Patience
from lakeport.catalog.iceberg.drivers.sql import PatientSqlCatalog
from lakeport.catalog.iceberg.profile import Profile

SEPARATOR = "\x1f"

_STATUS: dict[type[Exception], int] = {
    NoSuchNamespaceError: 404,
    NoSuchTableError: 404,
    NamespaceAlreadyExistsError: 409,
    TableAlreadyExistsError: 409,
    NamespaceNotEmptyError: 409,
    CommitFailedException: 409,
}


class WithheldError(Exception):
    """Raised around a commit: the caller gets this status, or with None no answer at all."""

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]


@dataclass
class RestServer:
    """What the server is and does; a test changes it while the server runs."""

    catalog: SqlCatalog
    warehouse: str
    url: str = ""
    credential: str | None = None
    token: str | None = None
    page_size: int | None = None
    table_config: dict[str, str] = field(default_factory=dict)
    storage_credentials: list[dict[str, Any]] = field(default_factory=list)
    answer_instead: Callable[[str], tuple[int, str] | None] = lambda _: None
    around_commit: Callable[[Callable[[], Any]], Any] = lambda commit: commit()
    hangs_at: str | None = None
    released: threading.Event = field(default_factory=threading.Event)
    asked: list[Asked] = field(default_factory=list)

    def profile(self, **properties: str) -> Profile:
        return Profile("lake", "rest", self.url, None, properties)

    def count(self, end: str, method: str = "GET") -> int:
        """How many requests there were to paths with that end."""
        return sum(one.path.endswith(end) and one.method == method for one in self.asked)


@contextmanager
def rest_server(folder: Path) -> Iterator[RestServer]:
    folder.mkdir(parents=True, exist_ok=True)
    warehouse = f"file://{folder}/warehouse"
    uri = f"sqlite:///{folder}/rest.db"
    catalog = PatientSqlCatalog("lake", Patience(), uri=uri, warehouse=warehouse)
    state = RestServer(catalog, warehouse)

    class Handler(_Handler):
        server_state = state

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False  # so that closing waits for them
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    # The argument is how often it looks whether to stop.
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="rest-server")
    thread.start()
    try:
        yield state
    finally:
        state.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
        catalog.close()


class _Handler(BaseHTTPRequestHandler):
    server_state: RestServer

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  the base's name
        """Say nothing."""

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_DELETE(self) -> None:
        self._serve("DELETE")

    def do_HEAD(self) -> None:
        self._serve("HEAD")

    def _serve(self, method: str) -> None:
        state, path = self.server_state, urlsplit(self.path).path
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        state.asked.append(Asked(method, path, dict(self.headers.items())))
        if state.hangs_at is not None and state.hangs_at in path:
            state.released.wait()
            return
        instead = state.answer_instead(path)
        if instead is not None:
            self._send(instead[0], instead[1])
        elif path == "/v1/oauth/tokens":
            self._give_token(parse_qs(body.decode()))
        elif state.token and self.headers.get("Authorization") != f"Bearer {state.token}":
            self._refuse(401, "NotAuthorizedException", "who are you?")
        else:
            self._answer(method, path, json.loads(body) if body else {})

    def _give_token(self, form: dict[str, list[str]]) -> None:
        basic = self.headers.get("Authorization", "").startswith("Basic ")
        given = ":".join(form.get(key, [""])[0] for key in ("client_id", "client_secret"))
        if basic or given == self.server_state.credential:
            token = {"access_token": self.server_state.token, "token_type": "bearer"}
            self._send(200, json.dumps({**token, "expires_in": 3600}))
        else:
            error = {"error": "invalid_client", "error_description": "no such client"}
            self._send(401, json.dumps(error))

    def _answer(self, method: str, path: str, body: dict[str, Any]) -> None:
        words = [unquote(word) for word in path.split("/")[2:]]
        try:
            answer = self._route(method, words, body)
        except tuple(_STATUS) as error:
            self._refuse(_STATUS[type(error)], type(error).__name__, str(error))
        except WithheldError as error:
            if error.status is None:
                self.close_connection = True
            else:
                self._refuse(error.status, "ServiceFailureException", "something went wrong")
        else:
            self._send(204 if answer is None else 200, "" if answer is None else json.dumps(answer))

    def _refuse(self, status: int, kind: str, message: str) -> None:
        self._send(
            status, json.dumps({"error": {"message": message, "type": kind, "code": status}})
        )

    def _send(self, status: int, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _route(self, method: str, words: list[str], body: dict[str, Any]) -> Any:
        catalog = self.server_state.catalog
        match method, words:
            case "GET", ["config"]:
                return {"defaults": {}, "overrides": {}}
            case "GET", ["namespaces"]:
                parent = parse_qs(urlsplit(self.path).query).get("parent", [""])[0]
                found = catalog.list_namespaces(tuple(parent.split(SEPARATOR)) if parent else ())
                return self._page("namespaces", sorted(list(one) for one in found))
            case "POST", ["namespaces"]:
                catalog.create_namespace(tuple(body["namespace"]), body.get("properties") or {})
                return {"namespace": body["namespace"], "properties": body.get("properties")}
            case "GET", ["namespaces", name]:
                namespace = tuple(name.split(SEPARATOR))
                properties = catalog.load_namespace_properties(namespace)
                return {"namespace": namespace, "properties": properties}
            case "DELETE", ["namespaces", name]:
                return catalog.drop_namespace(tuple(name.split(SEPARATOR)))
            case "POST", ["tables", "rename"]:
                before, after = body["source"], body["destination"]
                catalog.rename_table(
                    (*before["namespace"], before["name"]), (*after["namespace"], after["name"])
                )
                return None
            case "POST", ["namespaces", name, "register"]:
                place = (*name.split(SEPARATOR), body["name"])
                return self._loaded(catalog.register_table(place, body["metadata-location"]))
            case _, ["namespaces", name, "tables", *rest]:
                return self._tables(method, tuple(name.split(SEPARATOR)), rest, body)
        raise NoSuchNamespaceError(f"no such address: {method} {words}")

    def _tables(
        self, method: str, namespace: tuple[str, ...], rest: list[str], body: dict[str, Any]
    ) -> Any:
        catalog = self.server_state.catalog
        match method, rest:
            case "GET", []:
                names = sorted(name[-1] for name in catalog.list_tables(namespace))
                found = [{"namespace": namespace, "name": name} for name in names]
                return self._page("identifiers", found)
            case "POST", []:
                return self._loaded(_create(catalog, namespace, body))
            case "GET", [table]:
                return self._loaded(catalog.load_table((*namespace, table)))
            case "DELETE", [table]:
                return catalog.drop_table((*namespace, table))
            case "POST", [table]:
                change = CommitTableRequest.model_validate(body)
                return self.server_state.around_commit(
                    lambda: _commit(catalog, (*namespace, table), change)
                )
        raise NoSuchTableError(f"no such address: {method} {rest}")

    def _loaded(self, table: Table) -> Any:
        return {
            "metadata-location": table.metadata_location,
            "metadata": json.loads(table.metadata.model_dump_json()),
            "config": self.server_state.table_config,
            "storage-credentials": self.server_state.storage_credentials,
        }

    def _page(self, key: str, found: list[Any]) -> Any:
        """The token of the next page is where it begins."""
        size = self.server_state.page_size
        if size is None:
            return {key: found}
        begin = int(parse_qs(urlsplit(self.path).query).get("pageToken", ["0"])[0])
        page = {key: found[begin : begin + size]}
        return page | ({"next-page-token": str(begin + size)} if begin + size < len(found) else {})


def _commit(catalog: SqlCatalog, name: tuple[str, ...], change: CommitTableRequest) -> Any:
    current = catalog.load_table(name)
    done = catalog.commit_table(current, change.requirements, change.updates)
    metadata = json.loads(done.metadata.model_dump_json())
    return {"metadata-location": done.metadata_location, "metadata": metadata}


def _create(catalog: SqlCatalog, namespace: tuple[str, ...], body: dict[str, Any]) -> Table:
    spec, order = body.get("partition-spec"), body.get("write-order")
    return catalog.create_table(
        (*namespace, body["name"]),
        Schema.model_validate(body["schema"]),
        location=body.get("location"),
        partition_spec=PartitionSpec.model_validate(spec) if spec else UNPARTITIONED_PARTITION_SPEC,
        sort_order=SortOrder.model_validate(order) if order else UNSORTED_SORT_ORDER,
        properties=body.get("properties") or {},
    )
