"""JWTs of an issuer: real signatures, real keys, and every way to lie about them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from lakeport.access.identity import Identity
from lakeport.access.jwks import AGAIN_SECONDS, KEPT_SECONDS, KeySet
from lakeport.access.oidc import Oidc
from lakeport.core.errors import ConfigurationError, UnavailableError

ISSUER, AUDIENCE = "https://issuer.example", "lake"
FOREVER = 4_000_000_000
KEYS: dict[str, Any] = {
    "RS256": rsa.generate_private_key(65537, 2048),
    "PS512": rsa.generate_private_key(65537, 2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "ES384": ec.generate_private_key(ec.SECP384R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}


def jwk(algorithm: str, kid: str | None = None, key: Any = None) -> dict[str, Any]:
    made: dict[str, Any] = jwt.get_algorithm_by_name(algorithm).to_jwk(
        (key or KEYS[algorithm]).public_key(), as_dict=True
    )
    return made | {"kid": kid or algorithm, "use": "sig", "alg": algorithm}


def token(
    algorithm: str = "RS256", *, kid: str | None = None, key: Any = None, **claims: object
) -> str:
    body: dict[str, Any] = {"iss": ISSUER, "aud": AUDIENCE, "exp": FOREVER, "sub": "tom"}
    body |= claims
    wanted = {name: value for name, value in body.items() if value is not None}
    headers = {"kid": kid or algorithm}
    return jwt.encode(wanted, key or KEYS[algorithm], algorithm, headers=headers)


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    file = tmp_path / "jwks.json"
    file.write_text(json.dumps({"keys": [jwk(name) for name in KEYS]}))
    return file


@pytest.fixture
def oidc(keys: Path) -> Oidc:
    return Oidc(ISSUER, AUDIENCE, keys, leeway_seconds=0)


@pytest.mark.parametrize("algorithm", KEYS)
def test_a_token_with_a_good_signature_is_somebody(oidc: Oidc, algorithm: str) -> None:
    found = oidc(token(algorithm))
    assert found == Identity.of("tom", "read")


WRONG: dict[str, Callable[[], str]] = {
    "another issuer": lambda: token(iss="https://evil.example"),
    "another audience": lambda: token(aud="other"),
    "no audience": lambda: token(aud=None),
    "no issuer": lambda: token(iss=None),
    "no end": lambda: token(exp=None),
    "expired": lambda: token(exp=1),
    "not yet": lambda: token(nbf=FOREVER),
    "no name": lambda: token(sub=None),
    "an unknown key": lambda: token(kid="other"),
    "another's signature": lambda: token(key=rsa.generate_private_key(65537, 2048)),
    "the algorithm of another key": lambda: token("ES256", kid="RS256"),
    "an algorithm that its key is not for": lambda: token("RS512", kid="PS512", key=KEYS["PS512"]),
    "no algorithm": lambda: unsigned("none"),
    "no algorithm, oddly spelled": lambda: unsigned("NoNe"),
    "the public key as a password": lambda: confused("HS256"),
    "an algorithm that is no word": lambda: unsigned(["RS256"]),
    "nothing": lambda: "",
    "noise": lambda: "a.b.c",
    "two parts": lambda: token().rpartition(".")[0],
    "a changed name": lambda: renamed(token()),
}


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _claims() -> str:
    return _part({"iss": ISSUER, "aud": AUDIENCE, "exp": FOREVER, "sub": "admin"})


def unsigned(algorithm: object) -> str:
    return f"{_part({'alg': algorithm, 'kid': 'RS256'})}.{_claims()}."


def confused(algorithm: str) -> str:
    public = (
        KEYS["RS256"]
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    signed = f"{_part({'alg': algorithm, 'kid': 'RS256'})}.{_claims()}"
    made = hmac.new(public, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(made).rstrip(b'=').decode()}"


def renamed(good: str) -> str:
    head, _, sign = good.split(".")
    return f"{head}.{_claims()}.{sign}"


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_the_issuers_word_is_nobody(oidc: Oidc, name: str) -> None:
    assert oidc(WRONG[name]()) is None


def test_clocks_may_differ_a_little(keys: Path) -> None:
    just = int(time.time()) - 20
    assert Oidc(ISSUER, AUDIENCE, keys, leeway_seconds=3_600)(token(exp=just)) is not None
    assert Oidc(ISSUER, AUDIENCE, keys, leeway_seconds=1)(token(exp=just)) is None


def test_claims_become_whatever_the_program_makes_of_them(keys: Path) -> None:
    def identity(claims: Any) -> Identity | None:
        team = claims.get("team")
        return None if team is None else Identity.of(claims["sub"], "read,write", on=[team])

    oidc = Oidc(ISSUER, AUDIENCE, keys, identity=identity)
    assert oidc(token()) is None
    assert oidc(token(team="sales")) == Identity.of("tom", "read,write", on=["sales"])


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Issuer:
    """Its keys, how often they were asked for, and whether it answers."""

    def __init__(self, *kids: str) -> None:
        self.kids = list(kids)
        self.asked = 0
        self.answers = True

    def __call__(self) -> object:
        self.asked += 1
        if not self.answers:
            raise UnavailableError("gone")
        return {"keys": [{"kty": "RSA", "kid": kid} for kid in self.kids]}


def test_a_new_key_is_found_and_a_flood_of_unknown_ones_asks_once() -> None:
    issuer, clock = Issuer("old"), Clock()
    keys = KeySet(issuer, clock=clock)
    assert keys.find("old", "RSA") is not None
    issuer.kids.append("new")
    for _ in range(100):
        assert keys.find("new", "RSA") is None  # it was asked a moment ago
    assert issuer.asked == 1
    clock.now += AGAIN_SECONDS
    assert keys.find("new", "RSA") is not None
    assert issuer.asked == 2


def test_a_key_that_was_withdrawn_is_forgotten() -> None:
    issuer, clock = Issuer("old", "new"), Clock()
    keys = KeySet(issuer, clock=clock)
    assert keys.find("old", "RSA") is not None
    issuer.kids.remove("old")
    clock.now += KEPT_SECONDS
    assert keys.find("old", "RSA") is None
    assert keys.find("new", "RSA") is not None


def test_an_issuer_that_does_not_answer_leaves_the_keys_that_are_known() -> None:
    issuer, clock = Issuer("old"), Clock()
    keys = KeySet(issuer, clock=clock)
    issuer.answers = False
    with pytest.raises(UnavailableError):
        keys.find("old", "RSA")
    issuer.answers = True
    clock.now += AGAIN_SECONDS
    assert keys.find("old", "RSA") is not None
    issuer.answers = False
    clock.now += KEPT_SECONDS
    assert keys.find("old", "RSA") is not None


def test_who_has_a_known_key_does_not_wait_for_an_issuer_that_is_slow() -> None:
    issuer, clock = Issuer("old"), Clock()
    keys = KeySet(lambda: meanwhile() if issuer.asked else issuer(), clock=clock)
    found: list[object] = []

    def meanwhile() -> object:
        other = threading.Thread(target=lambda: found.append(keys.find("old", "RSA")), daemon=True)
        other.start()
        other.join(60)
        return issuer()

    assert keys.find("old", "RSA") is not None
    clock.now += KEPT_SECONDS
    assert keys.find("unknown", "RSA") is None
    assert found != []


def test_without_an_id_the_only_key_of_its_kind_is_meant() -> None:
    assert KeySet(Issuer("one")).find(None, "RSA") is not None
    assert KeySet(Issuer("one", "two")).find(None, "RSA") is None
    assert KeySet(Issuer("one")).find("one", "EC") is None


@contextmanager
def publishing(answers: dict[str, object]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = answers.get(self.path)
            if isinstance(found, bytes):
                self.wfile.write(found)
                return
            if isinstance(found, str):
                self.send_response(302)
                self.send_header("Location", found)
            else:
                self.send_response(404 if found is None else 200)
            self.end_headers()
            self.wfile.write(json.dumps(found).encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_keys_are_fetched_from_where_the_issuer_says() -> None:
    answers: dict[str, object] = {"/keys": {"keys": [jwk("RS256")]}}
    with publishing(answers) as issuer:
        answers["/.well-known/openid-configuration"] = {"jwks_uri": f"{issuer}/keys"}
        assert Oidc(issuer, AUDIENCE)(token(iss=issuer)) is not None
        assert Oidc(ISSUER, AUDIENCE, f"{issuer}/keys")(token()) is not None
        with pytest.raises(UnavailableError):
            Oidc(ISSUER, AUDIENCE, f"{issuer}/nothing")(token())


@pytest.mark.parametrize(
    "answer",
    [
        b"noise\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}",
        b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 100_000,
        b"HTTP/1.0 200 OK\r\n\r\n" + b" " * (1 << 21),
    ],
)
def test_an_answer_that_makes_no_sense_is_no_answer(answer: bytes) -> None:
    answers: dict[str, object] = {"/keys": answer}
    with publishing(answers) as issuer, pytest.raises(UnavailableError):
        Oidc(ISSUER, AUDIENCE, f"{issuer}/keys")(token())


def test_an_issuer_may_send_us_on_but_not_to_where_anybody_listens() -> None:
    answers: dict[str, object] = {"/keys": {"keys": [jwk("RS256")]}, "/moved": "/keys"}
    with publishing(answers) as issuer:
        assert Oidc(ISSUER, AUDIENCE, f"{issuer}/moved")(token()) is not None
        elsewhere = issuer.replace("127.0.0.1", "0.0.0.0") + "/keys"  # noqa: S104  which answers, too
        answers["/moved"] = elsewhere
        with pytest.raises(UnavailableError):
            Oidc(ISSUER, AUDIENCE, f"{issuer}/moved")(token())
        answers["/.well-known/openid-configuration"] = {"jwks_uri": elsewhere}
        with pytest.raises(UnavailableError):
            Oidc(issuer, AUDIENCE)(token(iss=issuer))


@pytest.mark.parametrize(
    "given",
    [
        {"issuer": "", "audience": "x"},
        {"issuer": ISSUER, "audience": ""},
        {"issuer": "http://issuer.example", "audience": "x"},
        {"issuer": ISSUER, "audience": "x", "jwks": "ftp://127.0.0.1/keys"},
    ],
)
def test_what_would_let_anybody_in_is_refused(given: Any) -> None:
    with pytest.raises(ConfigurationError):
        Oidc(**given)
