"""A catalog of the kind of S3 Tables and Glue, as a judge on the way to one of ours."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from tests.spark.network import Asked, Reply, Send, error


class Strict:
    """Counts what it had to refuse."""

    def __init__(self) -> None:
        self.refused: list[str] = []

    def __call__(self, asked: Asked, send: Send) -> Reply:
        if asked.method == "POST" and asked.path.endswith("/tables") and asked.json["stage-create"]:
            return self._no("Staged create is not supported")
        # PyIceberg writes Python's word for it, which services take, too.
        (purge,) = parse_qs(urlsplit(asked.target).query).get("purgeRequested", [""])
        if asked.method == "DELETE" and "/tables/" in asked.path and purge.lower() != "true":
            return self._no("Dropping a table needs purge")
        return send()

    def _no(self, why: str) -> Reply:
        self.refused.append(why)
        return error(400, "BadRequestException", why)
