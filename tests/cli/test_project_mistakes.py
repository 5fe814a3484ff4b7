"""What a person is told who makes a mistake in a project: the same by `plan` and by `run`, before Spark is
asked for anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome, Run

# A Spark that nobody asks: nothing listens there.
COMMANDS = (("plan", "--no-spark"), ("run", "--set", "pipeline.spark.connect=sc://127.0.0.1:9"))
ONE = "SELECT 1 AS id"
INTERNAL = re.compile(
    r"Traceback|\.py\", line|/site-packages/|at org\.apache|TokenType|<Token|SENTINEL"
)


def write(files: Mapping[str, str], toml: str = "") -> None:
    Path("lakeport.toml").write_text(toml, encoding="utf-8")
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def told(lakeport: Run, *arguments: str, code: int = 2) -> str:
    """What both commands say, which is the same: on stderr for people, on stdout for programs."""
    said = []
    for command in COMMANDS:
        for_people = lakeport(*command, *arguments)
        assert (for_people.code, for_people.out) == (code, ""), for_people
        for_programs = lakeport(*command, *arguments, "--json")
        assert (for_programs.code, for_programs.err) == (code, for_people.err)
        well_formed(for_programs)
        assert INTERNAL.search(for_people.err) is None, for_people.err
        assert str(Path.cwd()) not in for_people.err
        said.append(for_people.err)
    assert len(set(said)) == 1, said
    return said[0]


def well_formed(outcome: Outcome) -> None:
    """One line of JSON that says all that people are told."""
    assert outcome.out.count("\n") == 1
    error = json.loads(outcome.out)["error"]
    assert error["message"] in outcome.err
    assert error.get("hint") is None or f"hint: {error['hint']}" in outcome.err
    for problem in error.get("problems", ()):
        assert problem["message"] in outcome.err
        assert problem["hint"] in outcome.err
        assert problem["path"] in outcome.err


MISTAKES: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "a circle": (
        {
            "models/a/x.sql": "SELECT * FROM a.y",
            "models/a/y.sql": "SELECT *\nFROM a.z",
            "models/a/z.sql": "SELECT id FROM x",
        },
        "",
        [
            "models/a/x.sql:1:15: models read each other in a circle:\n",
            "  `a.x` reads `a.y` (models/a/x.sql:1:15)\n",
            "  `a.y` reads `a.z` (models/a/y.sql:2:6)\n",
            "  `a.z` reads `a.x` (models/a/z.sql:1:16)\n",
            "hint: take one of these reads out",
        ],
    ),
    "a table that is not there": (
        {"models/a/x.sql": "SELECT *\n  FROM raw.ordrs", "models/raw/orders.sql": ONE},
        "",
        [
            "models/a/x.sql:2:8: there is no table `raw.ordrs`\n",
            "  FROM raw.ordrs\n       ^\n",
            "hint: did you mean `raw.orders`? if not, load it: lakeport load raw.ordrs FILE,",
        ],
    ),
    "a name that means two tables": (
        {"models/a/x.sql": "SELECT * FROM t", "models/b/t.sql": ONE, "models/c/t.sql": ONE},
        "",
        [
            "models/a/x.sql:1:15: `t` could be `b.t` or `c.t`\n",
            "                ^\nhint: write the namespace, too",
        ],
    ),
    "a table that two files build": (
        {"models/a/x.sql": ONE, "models/a/deep/X.sql": ONE},
        "",
        ["models/a/deep/X.sql: `a.X` is built by models/a/x.sql, too\n", "hint: rename one of"],
    ),
    "a table that SQL and Python build": (
        {"models/a/x.sql": ONE, "models/a/x.py": "def model(context): ..."},
        "",
        ["models/a/x.sql: `a.x` is built by models/a/x.py, too\n"],
    ),
    "SQL that cannot be read": (
        {"models/a/x.sql": "/* lakeport\nstrategy = 'full'\n*/\nSELECT a,\n  b b c\nFROM t"},
        "",
        ["models/a/x.sql:5:7: `c` is not expected here\n  b b c\n      ^\nhint: correct the SQL"],
    ),
    "SQL that ends too early": (
        {"models/a/x.sql": "SELECT *\nFROM ("},
        "",
        [
            "models/a/x.sql:2:6: a table name is expected, and the query ends here\n",
            "  FROM (\n       ^\nhint: correct the SQL",
        ],
    ),
    "another word than SELECT": (
        {"models/a/x.sql": "SELEC 1"},
        "",
        ["models/a/x.sql:1:7: ", "hint: did you mean SELECT instead of SELEC?"],
    ),
    "two statements": (
        {"models/a/x.sql": f"{ONE};\n{ONE}"},
        "",
        ["models/a/x.sql:2:1: there is a second statement\n", "hint: a model is one query"],
    ),
    "a statement that writes": (
        {"models/a/x.sql": "DROP TABLE a.x"},
        "",
        ["models/a/x.sql:1:1: DROP is no query\n", "hint: a model is a SELECT"],
    ),
    "an empty file": (
        {"models/a/x.sql": "-- nothing yet\n"},
        "",
        ["models/a/x.sql:1: there is no query\n", "hint: write the SELECT"],
    ),
    "a setting that is not there": (
        {"models/a/x.sql": f"/* lakeport\nstratgy = 'full'\n*/ {ONE}"},
        "",
        ["models/a/x.sql:2: there is no setting `stratgy`\n", "hint: did you mean `strategy`?"],
    ),
    "values that settings cannot have": (
        {"models/a/x.sql": f"/* lakeport\nstrategy = 'fulll'\nunique_key = 5\n*/ {ONE}"},
        "",
        [
            "there are 2 problems in this project\n",
            "models/a/x.sql:2: `strategy` cannot be `fulll`\n  did you mean `full`?",
            "models/a/x.sql:3: `unique_key` cannot be 5\n  write a name or a list of names",
        ],
    ),
    "settings that are no TOML": (
        {"models/a/x.sql": f"/* lakeport\nstrategy = full\n*/ {ONE}"},
        "",
        ["models/a/x.sql:2: the settings are no TOML", "  strategy = full\n", "hint: "],
    ),
    "a setting of the project that is not there": (
        {"models/a/x.sql": ONE},
        "[pipeline]\nworkrs = 2\n",
        [
            "lakeport.toml:2: there is no setting `pipeline.workrs`\n",
            "hint: did you mean `pipeline.workers`?",
        ],
    ),
    "a default that is not there": (
        {"models/a/x.sql": ONE},
        "[pipeline.defaults]\nmaterialised = 'view'\n",
        ["lakeport.toml:2: there is no setting `materialised`\n", "did you mean `materialized`?"],
    ),
    "a parameter that is not set": (
        {"models/a/x.sql": "SELECT\n  :contry AS c"},
        "[pipeline.parameters]\ncountry = 'DE'\n",
        [
            "models/a/x.sql:2:3: there is no parameter `:contry`\n  :contry AS c\n  ^\n",
            "hint: did you mean `:country`? if not, set it in [pipeline.parameters]: contry = …",
        ],
    ),
    "a variable that is not set": (
        {"models/a/x.sql": "SELECT 1 AS id\nFROM {{ var('regio') }}"},
        "[pipeline.vars]\nregion = 'raw.eu'\n",
        ["models/a/x.sql:2: ", "did you mean `region`?"],
    ),
    "a word that templates do not know": (
        {"models/a/x.sql": "SELECT {{ reff('x') }}"},
        "",
        ["models/a/x.sql:1: a template knows no `reff`\n", "hint: did you mean `ref`?"],
    ),
    "Python that cannot be read": (
        {"models/a/x.py": "def model(context)\n    return 1\n"},
        "",
        ["models/a/x.py:1:", "def model(context)\n"],
    ),
    "Python without a model": (
        {"models/a/x.py": "def modle(context):\n    return 1\n"},
        "",
        [
            "models/a/x.py:1: there is no function `model`\nhint: is `modle` meant? write `def model("
        ],
    ),
    "Python that reads what is not there": (
        {"models/a/x.py": "SETTINGS = {\n  'depends_on': ['a.w'],\n}\ndef model(context): ..."},
        "",
        ["models/a/x.py:2: there is no table `a.w`\n", "hint: "],
    ),
    "Python whose settings are computed": (
        {"models/a/x.py": "import os\nSETTINGS = {'tags': os.listdir()}\ndef model(context): ..."},
        "",
        ["models/a/x.py:2: ", "hint: "],
    ),
    "two environments that write one table": (
        {"models/a/x.sql": ONE},
        "[pipeline.environments.dev]\nprefix = 'd_'\n[pipeline.environments.me]\nnamespaces.a = 'd_a'\n",
        [
            "lakeport.toml:3: environment `me` maps `a` to `d_a`, and environment `dev` maps `a`",
            "hint: map it to a namespace of its own",
        ],
    ),
    "an environment that writes to other models": (
        {"models/a/x.sql": ONE, "models/b/x.sql": ONE},
        "[pipeline.environments.dev]\nnamespaces = { a = 'b' }\n",
        ["lakeport.toml:1: environment `dev` maps `a` to `b`, where the models of `b` are"],
    ),
    "sources.toml that is no TOML": (
        {"models/a/x.sql": ONE, "sources.toml": "[raw.orders]\ncolumns = {\n"},
        "",
        ["sources.toml:2:", "hint: the file is TOML"],
    ),
    "sources.toml with what it cannot say": (
        {
            "models/a/x.sql": ONE,
            "sources.toml": "[raw.a]\ncolmns = {}\n[raw.b.columns]\nid = 'itn'\n",
        },
        "",
        [
            "sources.toml:2: a source has no `colmns`\n  did you mean `columns`?",
            "sources.toml:4: `itn` is no type of a table\n  did you mean `int`?",
        ],
    ),
    "no folder of models": (
        {},
        "",
        ["lakeport.toml: there is no folder of models\nhint: make models/NAMESPACE/NAME.sql"],
    ),
    "a folder without models": (
        {"models/README.txt": "later"},
        "",
        ["models: there is no model\nhint: write a query to models/NAMESPACE/NAME.sql"],
    ),
    "a lakeport.toml that is no TOML": (
        {"models/a/x.sql": ONE},
        "[pipeline\n",
        ["lakeport.toml:1: ", "hint: the line reads: [pipeline"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_place_and_its_remedy(lakeport: Run, mistake: str) -> None:
    files, toml, expected = MISTAKES[mistake]
    write(files, toml)
    said = told(lakeport)
    assert said.startswith("error: ")
    for words in expected:
        assert words in said
    assert not Path(".lakeport/warehouse").exists()


def test_ten_mistakes_are_told_at_once(lakeport: Run) -> None:
    write({f"models/a/m{n}.sql": f"SELECT *\nFROM no.t{n}" for n in range(10)})
    said = told(lakeport)
    assert said.startswith("error: there are 10 problems in this project\n\nmodels/a/m0.sql:2:6: ")
    assert said.count("there is no table") == 10


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--env", "dve"), 2, "there is no environment `dve`\nhint: did you mean `dev`?"),
        (("-s", "ordrs"), 2, "there is no model `ordrs`\nhint: did you mean `orders`?"),
        (("-s", "shop.ordrs"), 2, "there is no model `shop.ordrs`\nhint: did you mean"),
        (("-s", "shop"), 2, "hint: it is a namespace: `shop.*` is all of its models"),
        (("-s", "raw.*"), 2, "no model is called like `raw.*`"),
        (("-s", "tag:nightli"), 2, "there is no tag `nightli`\nhint: did you mean `nightly`?"),
        (("-s", "path:models/shp"), 2, "there is no model in `models/shp`\nhint: did you mean"),
        (("-s", "models/shop/ordrs.sql"), 2, "did you mean `models/shop/orders.sql`?"),
        (("-s", "stat:modified"), 2, "did you mean `state:modified`?"),
        (("-s", "state:changed"), 2, "there is no state `changed`\nhint: states: modified"),
        (("-s", "+"), 2, "`+` is no selector"),
        (("-s", ""), 2, "a selector is empty"),
        (("--exclude", "ordrs"), 2, "did you mean `orders`?"),
        (("--from", "yesterday"), 2, "--from 2026-03-01"),
        (("--from", "2026-02-01", "--to", "2026-01-01"), 2, "--from comes before --to"),
        (("--publish", "later"), 2, "later"),
    ],
)
def test_words_that_mean_nothing(
    lakeport: Run, arguments: tuple[str, ...], code: int, words: str
) -> None:
    write(
        {"models/shop/orders.sql": f"/* lakeport\ntags = ['nightly']\n*/ {ONE}"},
        "[pipeline.environments.dev]\nprefix = 'dev_'\n",
    )
    if arguments[0] == "--publish":  # told by the parser, which names the command
        for command in COMMANDS:
            shown = lakeport(*command, *arguments)
            assert (shown.code, shown.out) == (code, "")
            assert words in shown.err
        return
    assert words in told(lakeport, *arguments, code=code)


def test_an_environment_where_there_is_none(lakeport: Run) -> None:
    write({"models/a/x.sql": ONE})
    assert "hint: describe it: [pipeline.environments.dev]" in told(lakeport, "--env", "dev")


def test_a_selection_of_nothing_is_no_mistake(lakeport: Run) -> None:
    write({"models/a/x.sql": ONE, "models/a/y.sql": ONE})
    for arguments in (("-s", "x", "--exclude", "x"), ("-s", "x,y")):
        for command in COMMANDS:
            shown = lakeport(*command, *arguments)
            assert (shown.code, shown.err) == (0, "")
            assert "no models are selected" in shown.out
            assert json.loads(lakeport(*command, *arguments, "--json").out)["models"] == []


def test_outside_of_a_project(lakeport: Run) -> None:
    for command in (*COMMANDS, ("status",), ("test",)):
        shown = lakeport(*command)
        assert (shown.code, shown.out) == (1, "")
        assert shown.err == (
            "error: there is no lakeport.toml here or in any folder above\n"
            "hint: `lakeport init` makes a project; `--project DIR` names one\n"
        )


def test_a_catalog_out_of_reach_is_named_without_its_secrets(lakeport: Run) -> None:
    write(
        {"models/a/x.sql": ONE},
        '[catalog]\nuri = "http://me:geheim@127.0.0.1:9/rest?token=verborgen"\n',
    )
    said = told(lakeport, code=3)
    assert "http://me:***@127.0.0.1:9/rest?token=*** cannot be reached" in said
    assert "hint: check `catalog.uri`" in said
    assert "geheim" not in said
    assert "verborgen" not in said


def test_a_source_that_is_declared_and_not_loaded(lakeport: Run) -> None:
    write(
        {
            "models/a/x.sql": "SELECT id\nFROM raw.orders",
            "models/a/y.sql": ONE,
            "models/b/top.sql": "SELECT id, count(*) AS n FROM a.x GROUP BY id",
            "sources.toml": "[raw.orders.columns]\nid = 'int'\n",
        }
    )
    shown = lakeport("plan", "--no-spark")
    assert (shown.code, shown.err) == (1, "")
    assert shown.out == (
        "1  a.x    full  waits for raw.orders\n"
        "1  a.y    full  new: it was never run\n"
        "     models/a/y.sql · all rows replaced\n"
        "     + id  int\n"
        "\n"
        "2  b.top  full  waits for raw.orders\n"
        "\n"
        "! 1 source is not loaded yet\n"
        "    raw.orders  models/a/x.sql:2:6  lakeport load raw.orders FILE\n"
        "\n"
        "1 of 3 models changes, 1 new, 2 wait for 1 source, nothing is dropped\n"
    )
    whole = json.loads(lakeport("plan", "--no-spark", "--json").out)
    assert whole["missing_sources"] == [
        {
            "source": "raw.orders",
            "read_by": ["a.x"],
            "places": ["models/a/x.sql:2:6"],
            "hint": "load it: lakeport load raw.orders FILE",
        }
    ]
    assert [(each["status"], each["waits_for"]) for each in whole["models"]] == [
        ("refused", ["raw.orders"]),
        ("new", []),
        ("blocked", ["raw.orders"]),
    ]
    assert lakeport("plan", "--no-spark", "-s", "y").code == 0


def test_a_daemon_that_has_no_place(lakeport: Run) -> None:
    write({".lakeport": ""})
    shown = lakeport("daemon", "start")
    assert (shown.code, shown.out) == (3, "")
    place = Path(".lakeport/daemon").absolute()
    assert shown.err.startswith(f"error: a daemon cannot be kept in {place}: not a directory\n")
