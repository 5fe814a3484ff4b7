from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lakeport.app.settings import Settings, load
from lakeport.core.errors import ConfigurationError, NotFoundError

Read = Callable[..., Settings]


@pytest.mark.parametrize(
    ("toml", "message", "hint"),
    [
        (
            "[server]\n\ngrcp = 1\n",
            "lakeport.toml:3: there is no setting `server.grcp`",
            "did you mean `server.grpc`?",
        ),
        (
            "[servr]\ngrpc = 1\n",
            "lakeport.toml:2: there is no setting `servr.grpc`",
            "did you mean `server.grpc`?",
        ),
        (
            "[servers]\n",
            "lakeport.toml:1: there is no setting `servers`",
            "did you mean `server`?",
        ),
        (
            "[log]\nprofile = 1\n",
            "lakeport.toml:2: there is no setting `log.profile`",
            "did you mean `pipeline.profile`?",
        ),
        (
            "[pipeline]\nauto_maintain = false\n",
            "lakeport.toml:2: there is no setting `pipeline.auto_maintain`",
            "did you mean `maintenance.auto`?",
        ),
        (
            "[zzz]\n",
            "lakeport.toml:1: there is no setting `zzz`",
            "sections: catalog, catalogs, server, state, remote, pipeline, maintenance, functions, files, log",
        ),
        (
            "undrop_days = 1\n",
            "lakeport.toml:1: there is no setting `undrop_days`",
            "did you mean `maintenance.undrop_days`?",
        ),
        (
            "[catalog]\nwarehous = 'x'\n",
            "lakeport.toml:2: there is no setting `catalog.warehous`",
            "did you mean `catalog.warehouse`? (a PyIceberg property of that name goes into [catalog.properties])",
        ),
        (
            "[catalog]\nmax-staleness = 1\n",
            "lakeport.toml:2: there is no setting `catalog.max-staleness`",
            "did you mean `catalog.max_staleness`? (a PyIceberg property of that name goes into [catalog.properties])",
        ),
        (
            "[log]\nzzz = 1\n",
            "lakeport.toml:2: there is no setting `log.zzz`",
            "settings of [log]: level, format",
        ),
        (
            "server = 1\n",
            "lakeport.toml:1: `server` is a section, not a value",
            "write [server] and its keys below it",
        ),
    ],
)
def test_unknown_keys_name_the_nearest_known_one(
    read: Read, toml: str, message: str, hint: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(toml)
    assert (caught.value.message, caught.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("toml", "reason"),
    [
        (
            "server.limits.calls = 'many'",
            "`server.limits.calls` cannot be that: Expected `int`, got `str`",
        ),
        ("server.limits.calls = 1", "`server.limits.calls` cannot be that: Expected `int` >= 2"),
        (
            "server.limits.calls = true",
            "`server.limits.calls` cannot be that: Expected `int`, got `bool`",
        ),
        ("server.grpc = 8815", "`server.grpc` cannot be that: Expected `str`, got `int`"),
        ("server.grpc = '8815'", "`server.grpc` cannot be that: '8815' is not HOST:PORT, like"),
        (
            "server.grpc = 'unix:/run/lake.sock'",
            "`server.grpc` cannot be that: 'unix:/run/lake.sock' is a socket of this machine",
        ),
        (
            "server.grpc = '::1:8815'",
            "`server.grpc` cannot be that: '::1:8815' is not HOST:PORT, like",
        ),
        ("server.grpc = 'h:99999'", "`server.grpc` cannot be that: '99999' is not a port, which"),
        ("server.auth = 'maybe'", "`server.auth` cannot be that: Invalid enum value 'maybe'"),
        ("server.tls.cert = 1", "`server.tls.cert` cannot be that: Expected `str`, got `int`"),
        ("catalog.s3.x = [1]", "`catalog.s3.x` must be a text, a number or a truth value"),
        ("pipeline.vars = 1", "`pipeline.vars` is a table"),
        ("catalog.name = 'a.b'", "`catalog.name` cannot be that: Expected `str` matching regex"),
    ],
)
def test_wrong_values_say_where_and_why(read: Read, toml: str, reason: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(f"# one\n{toml}\n")
    assert caught.value.message.startswith(f"lakeport.toml:2: {reason}")


def test_a_wrong_variable_is_named(read: Read) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(variables={"LAKEPORT_LOG_LEVEL": "loud"})
    assert caught.value.message == (
        "LAKEPORT_LOG_LEVEL: `log.level` cannot be that: Invalid enum value 'loud'"
    )


@pytest.mark.parametrize(
    ("variable", "near"),
    [
        ("LAKEPORT_SERVER_GRCP", "LAKEPORT_SERVER_GRPC"),
        ("LAKEPORT_SERVR_GRPC", "LAKEPORT_SERVER_GRPC"),
        ("LAKEPORT_SERVER_PORT", "LAKEPORT_SERVER_HTTP"),
        ("LAKEPORT_CATALOG_WAREHOUS", "LAKEPORT_CATALOG_WAREHOUSE"),
    ],
)
def test_misspelt_variables_are_errors(read: Read, variable: str, near: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(variables={variable: "1"})
    assert caught.value.message == f"the environment variable `{variable}` names no setting"
    assert caught.value.hint == f"did you mean `{near}`?"


@pytest.mark.parametrize(
    "variable",
    [
        "LAKEPORT_REQUIRE",
        "LAKEPORT_SERVICE_HOST",
        "LAKEPORT_PORT",
        "LAKEPORT_SERVER_PORT",
        "LAKEPORT_SERVER_SERVICE_PORT_GRPC",
        "LAKEPORT_SERVER_PORT_8815_TCP_ADDR",
    ],
)
def test_variables_that_were_never_meant_for_settings_are_left_alone(
    read: Read, variable: str
) -> None:
    settings = read(variables={variable: "tcp://10.0.0.1:8815"})
    assert {entry.source.kind for entry in settings.entries()} == {"default"}


@pytest.mark.parametrize("name", ["server.grcp", "server", "nothing"])
def test_unknown_flags_are_errors(read: Read, name: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(flags={name: "1"})
    assert caught.value.message == f"command line: there is no setting `{name}`"


@pytest.mark.parametrize(
    ("toml", "message", "hint"),
    [
        (
            "[server]\ngrpc = \n",
            "lakeport.toml:2: Invalid value",
            "the line reads: grpc =",
        ),
        (
            "[server\n",
            "lakeport.toml:1: Expected ']' at the end of a table declaration",
            "the line reads: [server",
        ),
        ('a = """x\n', "lakeport.toml:1: Unterminated string", 'the line reads: a = """x'),
    ],
)
def test_broken_toml_says_which_line(read: Read, toml: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(toml)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "lakeport.toml").write_bytes(b"a = '\xff'\n")
    with pytest.raises(ConfigurationError, match=r"lakeport\.toml is not UTF-8 text"):
        load(folder=tmp_path, variables={})


def test_a_named_project_must_be_one(tmp_path: Path) -> None:
    for arguments in ({"project": Path("no")}, {"variables": {"LAKEPORT_PROJECT": "no"}}):
        with pytest.raises(NotFoundError) as caught:
            load(folder=tmp_path, **{"variables": {}, **arguments})  # type: ignore[arg-type]  # one of two
        assert caught.value.message == f"there is no lakeport.toml in {tmp_path / 'no'}"
