"""Encrypted, and only for clients with a certificate of ours (mutual TLS).

ATTACH 'demo' AS "demo" (TYPE airport, LOCATION 'grpc+tls://127.0.0.1:PORT');
with a certificate: [{'n': 1}]
without one: no connection
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import trustme

import lakeport
from lakeport.airport import Catalog, Server

demo = Catalog("demo")
demo.schema("s").table("t", [{"n": 1}])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ca, cert, key, own = certificates(Path(folder))
        with Server(demo, tls=(cert, key), client_ca=ca) as server:
            print(server.attach_statements()[-1])
            with lakeport.connect(server.location, ca=ca, cert=own, key=own) as lake:
                print("with a certificate:", lake.table("s.t").scan().read_all().to_pylist())
            try:
                with lakeport.connect(server.location, ca=ca) as lake:
                    lake.tables()
            except lakeport.UnavailableError:
                print("without one: no connection")


def certificates(folder: Path) -> tuple[Path, Path, Path, Path]:
    """An authority, a certificate and key for the server, and both in one file for a client."""
    authority = trustme.CA()
    ca, cert, key, own = (folder / name for name in ("ca.pem", "cert.pem", "key.pem", "own.pem"))
    authority.cert_pem.write_to_path(ca)
    issued = authority.issue_cert("127.0.0.1")
    issued.private_key_pem.write_to_path(key)
    cert.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
    authority.issue_cert("client@example").private_key_and_cert_chain_pem.write_to_path(own)
    return ca, cert, key, own


if __name__ == "__main__":
    main()
