"""A served lake takes the tokens of an issuer, beside its own."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

import lakeport
from lakeport.access import Ability
from lakeport.access.grants import grants_for
from lakeport.access.tokens import create_token
from lakeport.app.serve import running
from lakeport.app.settings import load
from lakeport.core.errors import ConfigurationError, PermissionDeniedError, UnauthenticatedError
from lakeport.state import Store
from lakeport.web.app import build

KEY = ec.generate_private_key(ec.SECP256R1())
ISSUER = "https://issuer.example"
CONFIGURED = f"""
[server]
grpc = "127.0.0.1:0"
http = "127.0.0.1:0"

[server.oidc]
issuer = "{ISSUER}"
audience = "lake"
jwks_file = "keys.json"
grant = "read"
"""


def signed(**claims: object) -> str:
    body: dict[str, Any] = {"iss": ISSUER, "aud": "lake", "exp": 4_000_000_000, "sub": "tom"}
    return jwt.encode(body | claims, KEY, "ES256", headers={"kid": "k"})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lakeport.toml").write_text(CONFIGURED)
    key: Any = jwt.get_algorithm_by_name("ES256").to_jwk(KEY.public_key(), as_dict=True)
    (tmp_path / "keys.json").write_text(json.dumps({"keys": [key | {"kid": "k"}]}))
    return tmp_path


def test_the_issuers_tokens_and_our_own_come_in(project: Path) -> None:
    settings = load(project=project, variables={})
    with Store.open(settings.state.uri or "") as store:
        grants = grants_for((Ability.DDL, Ability.WRITE, Ability.READ))
        own, _ = create_token(store.tokens, "ann", grants, now_ns=time.time_ns())
    with running(settings, build) as server:
        with lakeport.connect(server.grpc, own) as lake:
            lake.create_namespace("shop")
        with lakeport.connect(server.grpc, signed()) as lake:
            assert "shop" in [info.name for info in lake.namespaces()]
            with pytest.raises(PermissionDeniedError):
                lake.create_namespace("more")
        for wrong in (signed(aud="other"), signed(exp=1), "a.b.c", "nothing"):
            with pytest.raises(UnauthenticatedError), lakeport.connect(server.grpc, wrong) as lake:
                lake.tables()


def test_with_an_issuer_nobody_comes_in_without_a_token(project: Path) -> None:
    with (
        running(load(project=project, variables={}), build) as server,
        lakeport.connect(server.grpc) as lake,
        pytest.raises(UnauthenticatedError),
    ):
        lake.tables()


def test_an_issuer_without_an_audience_is_a_mistake(project: Path) -> None:
    text = CONFIGURED.replace('audience = "lake"\n', "")
    (project / "lakeport.toml").write_text(text)
    settings = load(project=project, variables={})
    with pytest.raises(ConfigurationError, match="an audience"), running(settings, build):
        pass
