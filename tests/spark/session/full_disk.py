"""Run by `test_full_disk.py` where a project's folder is a small disk: what a write says that fills it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import lakeport
from lakeport import LakeportError

folder = Path(sys.argv[1])
(folder / "lakeport.toml").write_text(
    '[pipeline]\narchive = false\n[pipeline.spark]\nmaster = "local[2]"\n'
    '[pipeline.spark.conf]\n"spark.driver.memory" = "1g"\n'
)
other = folder / "other"
told: dict[str, object] = {}
with lakeport.open(folder) as lake:
    lake.write("SELECT 1 AS k, 'a' AS v", into="shop.t")
    other.write_bytes(bytes(48 << 20))
    try:
        # Letters by chance, which take as much room on disk as they have.
        lake.write(
            "SELECT CAST(id AS INT) AS k, randstr(2000) AS v, 1 AS new FROM range(20000)", "shop.t"
        )
    except LakeportError as error:
        told["error"] = [error.code, str(error)]
    other.unlink()  # somebody makes room
    made = lake.write("SELECT 2 AS k, 'b' AS v", into="shop.t")
    told["rows"] = [made.version, lake.table("shop.t").scan().read_all().sort_by("k").to_pylist()]
sys.stdout.write(json.dumps(told))
