from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from lakeport.app.settings import Address, Entry, Settings, load
from lakeport.app.settings.keys import all_keys
from lakeport.app.settings.values import type_text

Read = Callable[..., Settings]


def entry(settings: Settings, name: str) -> Entry:
    return next(entry for entry in settings.entries() if entry.name == name)


def source(settings: Settings, name: str) -> str:
    return str(entry(settings, name).source)


def test_without_anything_the_defaults_stand(read: Read, tmp_path: Path) -> None:
    settings = read()
    assert settings.server.grpc == Address("127.0.0.1", 8815)
    assert settings.server.http == Address("127.0.0.1", 8181)
    assert settings.catalog.name == "lake"
    assert settings.pipeline.models == tmp_path / "models"
    assert {entry.source.kind for entry in settings.entries()} == {"default"}


layered = st.fixed_dictionaries(
    {}, optional={layer: st.integers(2, 500) for layer in ("file", "environment", "command line")}
)


@examples(derandomize=True, deadline=None)
@given(layered)
def test_flag_wins_over_environment_over_file_over_default(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, int]
) -> None:
    folder = tmp_path_factory.mktemp("project")
    line = f"\n[server.limits]\ncalls = {values['file']}\n" if "file" in values else ""
    (folder / "lakeport.toml").write_text(line)
    variables = (
        {"LAKEPORT_SERVER_LIMITS_CALLS": str(values["environment"])}
        if "environment" in values
        else {}
    )
    flags = {"server.limits.calls": values["flag"]} if "flag" in values else {}
    settings = load(folder=folder, variables=variables, flags=flags)
    winner = next(
        (layer for layer in ("flag", "environment", "file") if layer in values), "default"
    )
    assert settings.server.limits.calls == values.get(winner, 64)
    found = entry(settings, "server.limits.calls").source
    where = {
        "flag": "command line",
        "file": "lakeport.toml:3",
        "environment": "LAKEPORT_SERVER_LIMITS_CALLS",
    }
    assert (found.kind, found.where) == (winner, where.get(winner, winner))


def test_explicit_false_and_zero_win_over_what_is_below(read: Read) -> None:
    toml = "[maintenance]\nauto = true\nundrop_days = 3\n"
    settings = read(
        toml,
        variables={"LAKEPORT_MAINTENANCE_AUTO": "false"},
        flags={"maintenance.undrop_days": "0"},
    )
    assert settings.maintenance.auto is False
    assert settings.maintenance.undrop_days == 0


def test_an_empty_variable_counts_as_not_set(read: Read) -> None:
    settings = read("[catalog]\nname = 'own'\n", variables={"LAKEPORT_CATALOG_NAME": ""})
    assert settings.catalog.name == "own"


SAMPLES: dict[str, tuple[Any, str]] = {
    "text": ("007", "007"),
    "number": (21, "21"),
    "true or false": (False, "false"),
    "HOST:PORT": ("[::1]:0", "[::1]:0"),
    "list of text": (["a.*", "b.c"], "a.*, b.c"),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("catalog.name", "text"),
        ("server.limits.calls", "number"),
        ("maintenance.keep_days", "number"),
        ("maintenance.auto", "true or false"),
        ("server.http", "HOST:PORT"),
        ("server.data_uris", "list of text"),
    ],
)
def test_text_means_the_same_as_typed_toml(read: Read, name: str, kind: str) -> None:
    typed, text = SAMPLES[kind]
    section, _, key = name.rpartition(".")
    shown = str(typed).lower() if isinstance(typed, bool) else repr(typed)
    from_file = entry(read(f"[{section}]\n{key} = {shown}\n"), name).value
    variable = next(key.variable for key in all_keys().values() if key.name == name)
    assert entry(read(variables={variable: text}), name).value == from_file
    assert entry(read(flags={name: text}), name).value == from_file


def test_a_list_in_a_variable_may_be_toml(read: Read) -> None:
    settings = read(variables={"LAKEPORT_SERVER_DATA_URIS": '["a.b,c", "d.*"]'})
    assert settings.server.data_uris == ("a.b,c", "d.*")


SETTABLE = {
    "server.public_address": "grpc+tls://lake.example.com:443",
    "pipeline.spark.connect": "sc://h:15002",
    "pipeline.door": "https://example.com/iceberg",
    "catalog.uri": "https://example.com",
    "server.tls.key": "key.pem",
    "server.tls.client_ca": "ca.pem",
    "server.limits.message_bytes": "2000000",
    "server.limits.action_bytes": "2000",
    "server.limits.decompressed_bytes": "2000000",
    "server.limits.batch_rows": "2000",
    "server.limits.stream_bytes": "2000",
    "server.limits.scan_bytes": "2000000",
    "server.limits.request_bytes": "2000",
    "maintenance.small_share": "0.5",
    "maintenance.deleted_share": "0.5",
}
BY_TYPE = {
    "text": "some",
    "number": "21",
    "true or false": "false",
    "HOST:PORT": "h:1",
    "path": "a/b",
    "list of text": "a, b",
    "list of path": "a, b",
    "table": "{a = 1}",
}


@pytest.mark.parametrize("name", [key.name for key in all_keys().values()])
def test_every_setting_can_be_set(read: Read, name: str) -> None:
    key = next(key for key in all_keys().values() if key.name == name)
    words = type_text(key.type)
    text = SETTABLE.get(name) or BY_TYPE.get(words) or words.rpartition('"')[0].rpartition('"')[2]
    # What a setting demands of others is not what this is about.
    company = {
        "catalog.uri": "https://example.com",
        "server.tls.cert": "cert.pem",
        "server.tls.key": "key.pem",
    }
    settings = read(flags=company, variables={key.variable: text})
    if name not in company:
        shown = f"{name}.a" if key.is_open else name
        assert source(settings, shown) == key.variable


def test_every_setting_has_a_variable_of_its_own() -> None:
    variables = [key.variable for key in all_keys().values()]
    assert len(set(variables)) == len(variables)


def test_paths_start_from_the_file_or_from_the_working_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "lakeport.toml").write_text(
        '[pipeline]\nmodels = "sql"\n[functions]\nfolder = "/f"\n'
    )
    written = load(folder=inner, variables={})
    assert written.pipeline.models == tmp_path / "sql"
    assert written.functions.folder == Path("/f")
    flagged = load(folder=inner, variables={}, flags={"pipeline.models": "sql"})
    assert flagged.pipeline.models == inner / "sql"


def test_java_home_is_used_unless_the_project_says_otherwise(read: Read) -> None:
    variables = {"JAVA_HOME": "/java"}
    settings = read(variables=variables)
    assert settings.pipeline.java_home == Path("/java")
    assert source(settings, "pipeline.java_home") == "JAVA_HOME"
    own = read('[pipeline]\njava_home = "/own"\n', variables=variables)
    assert own.pipeline.java_home == Path("/own")


def test_the_cache_follows_the_users_cache_folder(read: Read) -> None:
    assert read(variables={"XDG_CACHE_HOME": "/c"}).pipeline.cache == Path("/c/lakeport")
    default = read(variables={"XDG_CACHE_HOME": "relative"}).pipeline.cache
    assert default == Path("~/.cache/lakeport").expanduser()


def test_open_tables_merge_item_by_item(read: Read) -> None:
    settings = read(
        "[pipeline.vars]\nregion = 'eu'\nsize = 3\n[pipeline.vars.colour]\nred = 1\n",
        variables={"LAKEPORT_PIPELINE_VARS_SIZE": "4"},
        flags={"pipeline.vars.colour.blue": "2", "pipeline.vars.day": "2024-01-15"},
    )
    shown = {
        entry.name: (str(entry.value), str(entry.source))
        for entry in settings.entries()
        if entry.name.startswith("pipeline.vars")
    }
    assert shown == {
        "pipeline.vars.colour": ("{'red': 1, 'blue': 2}", "command line"),
        "pipeline.vars.day": ("2024-01-15", "command line"),
        "pipeline.vars.region": ("eu", "lakeport.toml:2"),
        "pipeline.vars.size": ("4", "LAKEPORT_PIPELINE_VARS_SIZE"),
    }


def test_a_whole_table_may_be_one_variable(read: Read) -> None:
    settings = read(variables={"LAKEPORT_PIPELINE_PARAMETERS": '{region = "eu", top = 5}'})
    assert settings.pipeline.parameters == {"region": "eu", "top": 5}


def test_pyiceberg_properties_pass_through_as_text(read: Read) -> None:
    toml = """
[catalog]
uri = "https://example.com/catalog"
token = "t"
rest.sigv4-enabled = true
"s3.connect-timeout" = 5

[catalog.properties]
odd = "kept"
"""
    settings = read(toml, variables={"LAKEPORT_CATALOG_S3__ACCESS_KEY_ID": "me"})
    assert settings.catalog.properties == {
        "token": "t",
        "rest.sigv4-enabled": "true",
        "s3.connect-timeout": "5",
        "odd": "kept",
        "s3.access-key-id": "me",
    }


def test_secrets_are_masked_when_shown(read: Read) -> None:
    toml = """
[catalog]
uri = "postgresql://me:hidden-1@db/lake"
s3.secret-access-key = "hidden-2"
[pipeline.spark.conf]
"spark.hadoop.fs.s3a.secret.key" = "hidden-3"
[pipeline.parameters]
api = { password = "hidden-4" }
[pipeline.defaults]
unique_key = ["id"]
"""
    shown = {entry.name: entry.value for entry in read(toml).entries()}
    assert "hidden" not in str(shown)
    assert shown["catalog.uri"] == "postgresql://me:***@db/lake"
    assert shown["catalog.properties.s3.secret-access-key"] == "***"
    assert shown["pipeline.defaults.unique_key"] == ["id"]
