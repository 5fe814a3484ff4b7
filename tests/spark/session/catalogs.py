"""A catalog at which something happens: it says hello, and calls a function at the first question."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def catalog_that(act: Callable[[], object]) -> Iterator[dict[str, str]]:
    """Settings of a Spark session whose catalog `lake` it is. The question gets no answer."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if "/v1/config" not in self.path:
                act()
                self.close_connection = True
                return
            body = b'{"defaults": {}, "overrides": {}}'
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield settings_for(f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()
            serving.join()


def settings_for(uri: str) -> dict[str, str]:
    catalog = "spark.sql.catalog.lake"
    return {
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "rest",
        f"{catalog}.uri": uri,
        f"{catalog}.cache-enabled": "false",
    }


QUESTION = "SHOW NAMESPACES IN lake"
