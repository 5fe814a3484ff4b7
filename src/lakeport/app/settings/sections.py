"""Everything there is to set: sections, types, defaults, and one line each of what it is for.

This is the only list. The check of lakeport.toml, the names of the environment variables,
`lakeport config` and docs/reference/settings.md are all made from it. A table typed `dict` is open: any
key may stand in it, and whoever uses it checks it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from lakeport.app.settings.values import Address, Plain

CatalogType = Literal[
    "embedded", "sql", "rest", "glue", "hive", "dynamodb", "bigquery", "in-memory"
]

# A limit belongs to the value, not to the choice of having one: msgspec refuses it on `… | None`.
Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1)]
Amount = Annotated[float, Meta(ge=0)]
Duration = Annotated[float, Meta(gt=0)]
Share = Annotated[float, Meta(gt=0, le=1)]
FlightUrl = Annotated[str, Meta(pattern=r"^grpc(\+tls|\+tcp)?://[^/]+$")]
DoorUrl = Annotated[str, Meta(pattern="^https?://")]
ConnectUrl = Annotated[str, Meta(pattern="^sc://")]


def about(text: str) -> Meta:
    return Meta(description=text)


VARIABLE, SECRET = "variable", "secret"


def called(variable: str) -> Meta:
    """Goes by another variable than its name would give."""
    return Meta(extra={VARIABLE: variable})


def hidden() -> Meta:
    """Never shown, whoever asks."""
    return Meta(extra={SECRET: True})


class Catalog(Struct, frozen=True, kw_only=True):
    """Where tables live. Without any setting: a SQLite catalog and a warehouse under `.lakeport/`.

    There may be more of them, each in a section `[catalogs.NAME]` with these keys but `name`, and
    `LAKEPORT_CATALOGS_NAME_…` for its variables; this one stays the first.
    """

    name: Annotated[
        str, Meta(min_length=1, pattern=r"^[^.\s]+$"), about("What clients call the catalog.")
    ] = "lake"
    type: Annotated[
        CatalogType | None,
        about(
            "Kind of catalog; told from `uri` when not set, and `embedded` when there is no `uri`."
        ),
    ] = None
    uri: Annotated[
        Text | None,
        about(
            "Address of the catalog: a database URL (`postgresql+psycopg2://…`) or the URL of a REST catalog."
        ),
    ] = None
    warehouse: Annotated[
        Text | None,
        about("Where new tables put their files: a folder, a URI or a REST warehouse's name."),
    ] = None
    max_staleness: Annotated[
        Amount | None,
        about(
            "Seconds a table's state may be reused unchecked [0 for SQL catalogs, 1 for remote ones]."
        ),
    ] = None
    refresh_seconds: Annotated[
        Duration, about("How often a remote catalog is looked through for changes.")
    ] = 5.0
    durable: Annotated[
        bool,
        about("Commits survive a power failure: files and catalog are flushed to the disk first."),
    ] = False
    properties: Annotated[
        dict[str, str],
        about(
            "PyIceberg properties. Those with a dot or a dash in their name may stand in `[catalog]` itself."
        ),
    ] = field(default_factory=dict)


class Tls(Struct, frozen=True, kw_only=True):
    """Encryption of both ports."""

    cert: Annotated[Path | None, about("The server's certificate chain, a PEM file.")] = None
    key: Annotated[Path | None, about("The certificate's private key, a PEM file.")] = None
    client_ca: Annotated[
        Path | None,
        about("Accept only clients with a certificate from this authority, a PEM file."),
    ] = None


class OidcIssuer(Struct, frozen=True, kw_only=True):
    """Tokens of an OpenID Connect issuer, beside those of `lakeport token` (the extra `oidc`)."""

    issuer: Annotated[str | None, about("Who signs them, as their claim `iss` says.")] = None
    audience: Annotated[str | None, about("Whom they are for, as their claim `aud` says.")] = None
    jwks_uri: Annotated[
        str | None, about("Where its keys are [where the issuer says, by OpenID discovery].")
    ] = None
    jwks_file: Annotated[Path | None, about("The same as a file, which is read anew.")] = None
    name_claim: Annotated[str, about("The claim that is the caller's name.")] = "sub"
    grant: Annotated[
        str, about("What all of them may do, as `lakeport token create --grant` takes it.")
    ] = "read"
    on: Annotated[tuple[str, ...], about("Where, in globs of `NAMESPACE.TABLE` [everywhere].")] = ()


class Limits(Struct, frozen=True, kw_only=True):
    """What one client may ask of the server; beyond it a call is refused, never queued."""

    calls: Annotated[int, Meta(ge=2), about("Concurrent calls; one more is refused.")] = 64
    exchanges: Annotated[
        Count | None,
        about(
            "Of those, calls that send rows [half of `calls`]. Never all: an UPDATE waits for its scan."
        ),
    ] = None
    message_bytes: Annotated[
        int, Meta(ge=1_048_576), about("Largest message accepted, and sent.")
    ] = 67_108_864
    action_bytes: Annotated[int, Meta(ge=1024), about("Largest action, ticket or descriptor.")] = (
        16_777_216
    )
    request_bytes: Annotated[
        int, Meta(ge=1024), about("Largest request of the Iceberg REST door.")
    ] = 67_108_864
    decompressed_bytes: Annotated[
        int, Meta(ge=1_048_576), about("Largest received batch, once it is unpacked.")
    ] = 268_435_456
    batch_rows: Annotated[
        int, Meta(ge=1024), about("Most rows of a received batch that take no bytes, as NULLs do.")
    ] = 16_777_216
    stream_bytes: Annotated[
        int, Meta(ge=1024), about("Dictionaries that one received stream may keep.")
    ] = 67_108_864
    scan_bytes: Annotated[
        int,
        Meta(ge=1_048_576),
        about("Rows that one scan reads ahead of its client, which may be slow."),
    ] = 12_582_912
    statement_rows: Annotated[Count | None, about("Most rows one statement may write.")] = None
    statement_bytes: Annotated[Count | None, about("Most bytes one statement may write.")] = None
    call_seconds: Annotated[Duration | None, about("Longest time a call may take.")] = None
    idle_seconds: Annotated[
        Duration, about("A stream nobody reads or feeds is ended after this time.")
    ] = 600.0
    stop_seconds: Annotated[Amount, about("How long running calls may go on after SIGTERM.")] = 10.0


class Server(Struct, frozen=True, kw_only=True):
    """`lakeport serve`."""

    grpc: Annotated[Address, about("Where Airport and Flight SQL listen.")] = Address(
        "127.0.0.1", 8815
    )
    http: Annotated[Address, about("Where the page, the JSON API and Iceberg REST listen.")] = (
        Address("127.0.0.1", 8181)
    )
    public_address: Annotated[
        FlightUrl | None,
        about(
            "The address clients are told to come back to, like `grpc+tls://lake.example.com:443`."
        ),
    ] = None
    auth: Annotated[
        Literal["auto", "required"],
        about(
            "`auto`: on loopback everyone is admin until a token is created. `required`: always a token."
        ),
    ] = "auto"
    existing_schema_ok: Annotated[
        bool,
        about(
            "CREATE SCHEMA of a schema that exists succeeds: DuckDB does not transmit IF NOT EXISTS."
        ),
    ] = False
    replicated: Annotated[
        bool,
        about(
            "Other servers serve the same lake and share `state.uri`: what a transaction reads is "
            "kept there, so that each of them answers it alike."
        ),
    ] = False
    data_uris: Annotated[
        tuple[str, ...],
        about("Tables (globs of `NAMESPACE.TABLE`) clients may read from storage themselves."),
    ] = ()
    data_uri_functions: Annotated[
        tuple[Literal["read_parquet", "iceberg_scan"], ...],
        about(
            "What they may be told to run for it. `iceberg_scan`, for tables with deletes, needs DuckDB's"
            " extension `iceberg`; without it the server reads such tables."
        ),
    ] = ("read_parquet", "iceberg_scan")
    tls: Tls = field(default_factory=Tls)
    oidc: OidcIssuer = field(default_factory=OidcIssuer)
    limits: Limits = field(default_factory=Limits)


class State(Struct, frozen=True, kw_only=True):
    """What Lakeport remembers beside the lake: tokens, grants, the audit, runs."""

    uri: Annotated[
        Text | None,
        about(
            "Where it is kept: a database URL, `postgresql+psycopg2://…` for servers that share it "
            "[a SQLite file in `.lakeport/`]."
        ),
    ] = None
    audit_days: Annotated[Duration, about("How long the audit keeps what was done.")] = 90.0
    run_days: Annotated[
        Duration,
        about("How long runs are remembered; the last commit of each model is, however old."),
    ] = 90.0


class Remote(Struct, frozen=True, kw_only=True):
    """The server that `tables`, `show`, `history` and `read` ask, instead of opening the lake here."""

    url: Annotated[
        Text | None,
        about("Its address, like `grpc://127.0.0.1:8815` or `grpc+tls://lake.example.com:443`."),
        called("LAKEPORT_SERVER"),
    ] = None
    token: Annotated[
        Text | None, about("The token to show it."), called("LAKEPORT_TOKEN"), hidden()
    ] = None
    ca: Annotated[
        Path | None,
        about("The authority that signed its certificate, a PEM file [those the web trusts]."),
    ] = None
    cert: Annotated[Path | None, about("A certificate of one's own, a PEM file.")] = None
    key: Annotated[
        Path | None, about("The certificate's private key, a PEM file [in the same file].")
    ] = None


class Spark(Struct, frozen=True, kw_only=True):
    """Where models run."""

    master: Annotated[Text, about("Spark master URL.")] = "local[*]"
    connect: Annotated[
        ConnectUrl | None,
        about("A Spark Connect server (`sc://HOST:PORT`) to use instead of `master`."),
    ] = None
    conf: Annotated[dict[str, str], about("Spark's own settings.")] = field(default_factory=dict)


class Daemon(Struct, frozen=True, kw_only=True):
    """The Spark that `lakeport daemon start` keeps for one project."""

    use: Annotated[
        Literal["auto", "never"],
        about("Whether runs use a daemon that is there and has the same settings."),
    ] = "auto"
    idle_hours: Annotated[
        Amount, about("A daemon that nobody used for so long ends itself; 0 is never.")
    ] = 4.0


class Pipeline(Struct, frozen=True, kw_only=True):
    """Models and the Spark that runs them."""

    models: Annotated[Path, about("The folder of models.")] = field(
        default_factory=lambda: Path("models")
    )
    profile: Annotated[
        Literal["auto", "quick", "throughput", "remote"],
        about(
            "How Spark's JVM is tuned: `quick` to start and for small work, `throughput` for volume,"
            " `remote` not at all. `auto` is `throughput` on a cluster; on one machine it is `quick`, and"
            " `throughput` if the run before stored 150 MB or more. A daemon in `auto` is `quick`."
        ),
    ] = "auto"
    workers: Annotated[Count, about("Models that run at the same time.")] = 3
    publish: Annotated[
        Literal["direct", "branch", "run-atomic"],
        about(
            "How rows reach readers: `direct`, `branch` (written and audited aside first), `run-atomic`"
            " (all models of a run at once)."
        ),
    ] = "direct"
    java_home: Annotated[
        Path | None,
        about(
            "The Java (17 or 21) for Spark; JAVA_HOME when not set, else `java` on the path,"
            " else the one of `lakeport[java]`."
        ),
    ] = None
    jars: Annotated[
        tuple[Path, ...],
        about("Jars for Spark, the Iceberg runtime among them, instead of the cached ones."),
    ] = ()
    cache: Annotated[
        Path | None,
        about(
            "Folder of downloaded jars and class archives [lakeport in the user's cache folder]."
        ),
    ] = None
    archive: Annotated[
        bool,
        about(
            "Whether the first quick session leaves an archive of its classes (200 MB in `cache`);"
            " later ones start in half the time."
        ),
    ] = True
    spark: Spark = field(default_factory=Spark)
    daemon: Daemon = field(default_factory=Daemon)
    door: Annotated[
        DoorUrl | None,
        about(
            "The Iceberg door of a `lakeport serve`, `http://HOST:8181/iceberg`, for a Spark that cannot"
            " reach this machine [a door of the run's own on loopback]."
        ),
    ] = None
    token: Annotated[
        Text | None, about("The token to show at `door`, made with `--growth`."), hidden()
    ] = None
    defaults: Annotated[
        dict[str, Plain], about("Model settings that hold unless a model says otherwise.")
    ] = field(default_factory=dict)
    parameters: Annotated[dict[str, Plain], about("Values models use as `:name`.")] = field(
        default_factory=dict
    )
    vars: Annotated[dict[str, Plain], about("Values templates use as `var('name')`.")] = field(
        default_factory=dict
    )
    environments: Annotated[
        dict[str, Plain], about("Named sets of overrides, `[pipeline.environments.NAME]`.")
    ] = field(default_factory=dict)


class Maintenance(Struct, frozen=True, kw_only=True):
    """Keeping tables small and their history bounded."""

    auto: Annotated[
        bool | None,
        about("Maintain tables after a run when thresholds are passed [only when embedded]."),
    ] = None
    undrop_days: Annotated[Amount, about("How long a dropped table can be brought back.")] = 7.0
    keep_snapshots: Annotated[Count, about("Snapshots that are always kept.")] = 20
    keep_days: Annotated[Amount, about("Snapshots younger than this are kept.")] = 5.0
    small_files: Annotated[
        int, Meta(ge=2), about("So many small files in one partition are joined.")
    ] = 8
    small_share: Annotated[
        Share, about("A file is small below this share of the size that its table wants.")
    ] = 0.75
    deleted_share: Annotated[
        Share, about("A file is written anew when this share of its rows is deleted.")
    ] = 0.1
    delete_files: Annotated[
        Count, about("A file is written anew when so many delete files apply to it.")
    ] = 8
    manifests: Annotated[
        Count, about("Small manifests are joined when a table has more than these.")
    ] = 100
    leftover_days: Annotated[
        Amount,
        about(
            "Staging tables and branches that an interrupted or unknown run left are removed when older"
            " than this."
        ),
    ] = 1.0
    orphan_days: Annotated[
        float,
        Meta(ge=3),
        about("Files nobody refers to are removed when older than this; never below 3."),
    ] = 3.0


class Functions(Struct, frozen=True, kw_only=True):
    """The project's own functions."""

    folder: Annotated[Path, about("The folder of `NAMESPACE.py` files.")] = field(
        default_factory=lambda: Path("functions")
    )
    catalogs: Annotated[
        tuple[str, ...], about("Catalogs whose namespaces hold the functions [the first one].")
    ] = ()
    isolation: Annotated[
        Literal["process", "none"],
        about(
            "`process`: functions run in processes of their own, with hard limits. `none`: in the server's,"
            " quicker, and what they break is the server."
        ),
    ] = "process"
    workers: Annotated[
        Count, about("Processes there may be for functions; they start when they are needed.")
    ] = 8
    seconds: Annotated[
        Duration,
        about("Longest time for one step: a batch of rows, or the next rows of a table function."),
    ] = 30.0
    memory: Annotated[
        Count, about("Megabytes a function may take beyond what its process had at the start.")
    ] = 1024
    output: Annotated[Count, about("Megabytes a function may give in one piece.")] = 256
    reload: Annotated[bool, about("A running server loads files of functions that changed.")] = True


class Files(Struct, frozen=True, kw_only=True):
    """Files that are no tables of the lake. Tables over them are in sections `[files.tables.NAMESPACE.TABLE]`
    with the keys `path`, `format`, `header`, `delimiter`, `columns` and `comment`.
    """

    roots: Annotated[
        tuple[Path, ...],
        about("Folders that `lakeport.read_csv`, `read_parquet` and `read_json` may read from."),
    ] = ()
    tables: Annotated[
        dict[str, Plain],
        about("Tables over files of the project, or of `roots`: `[files.tables.NAMESPACE.TABLE]`."),
    ] = field(default_factory=dict)


class Log(Struct, frozen=True, kw_only=True):
    """What is logged on stderr."""

    level: Annotated[
        Literal["debug", "info", "warning", "error"], about("The least that is logged.")
    ] = "warning"
    format: Annotated[Literal["text", "json"], about("How a line looks.")] = "text"
