"""Makes the Spark tables beside this file again. Run by hand, with PySpark and Iceberg's runtime jar:

    python tests/lakes/spark/make.py --jar iceberg-spark-runtime-4.1_2.13-1.12.0.jar

The warehouse is `/lakeport-fixture`, so that no path of anyone's machine is in what is shipped. Each
table becomes one archive: its files as Spark wrote them, and what Spark itself reads at every
snapshot as Arrow, named after the snapshot's id (`head` for the current schema).
"""

from __future__ import annotations

import argparse
import io
import shutil
import tarfile
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

WAREHOUSE = Path("/lakeport-fixture")
HERE = Path(__file__).parent

MERGE_ON_READ = (
    "'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read',"
    " 'write.merge.mode'='merge-on-read'"
)

TABLES: dict[str, list[str]] = {
    "types": [
        (
            "CREATE TABLE {t} (id BIGINT NOT NULL, b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE,"
            " dec9 DECIMAL(9,2), dec18 DECIMAL(18,4), dec38 DECIMAL(38,10), day DATE, ts TIMESTAMP,"
            " ntz TIMESTAMP_NTZ, s STRING, bin BINARY, st STRUCT<x: INT, y: STRUCT<z: STRING>>,"
            " li ARRAY<DOUBLE>, ma MAP<STRING, BIGINT>, deep ARRAY<STRUCT<k: INT, v: MAP<INT, ARRAY<STRING>>>>)"
            " USING iceberg"
        ),
        (
            "INSERT INTO {t} VALUES"
            " (1, true, 2147483647, 9223372036854775807, float('NaN'), double('infinity'), 1234567.89,"
            "  12345678901234.5678, 1234567890123456789012345678.0123456789, DATE'9999-12-31',"
            "  TIMESTAMP'2024-02-29 23:59:59.999999Z', TIMESTAMP_NTZ'1969-12-31 23:59:59.5', 'é😀', X'00FF',"
            "  named_struct('x', 1, 'y', named_struct('z', 'in')), array(1.5D, double('NaN'), NULL),"
            "  map('a', 1L, 'b', NULL), array(named_struct('k', 1, 'v', map(1, array('p', NULL))))),"
            " (2, false, -2147483648, -9223372036854775808, float('-infinity'), double('NaN'), -1234567.89,"
            "  -0.0001, -1.5, DATE'0001-01-01', TIMESTAMP'0001-01-01 00:00:00Z',"
            "  TIMESTAMP_NTZ'9999-12-31 23:59:59.999999', '', X'', named_struct('x', NULL, 'y', NULL),"
            "  array(), map(), array())"
        ),
        (
            "INSERT INTO {t} SELECT 3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
            " NULL, NULL, NULL, NULL, NULL, NULL"
        ),
        (
            "INSERT INTO {t} SELECT id + 10, id % 2 = 0, int(id), id * 1000, float(id) / 3, -0.0D,"
            " id / 4, id / 8, id / 16, DATE'2020-01-01' + int(id), TIMESTAMP'2020-01-01 00:00:00Z' + make_interval(0, 0, 0, 0, int(id)),"
            " TIMESTAMP_NTZ'2020-01-01 00:00:00' + make_interval(0, 0, 0, int(id)), repeat(char(97 + int(id % 26)), int(id % 40)),"
            " NULL, named_struct('x', int(id), 'y', named_struct('z', string(id))), array(double(id)),"
            " map(string(id), id), NULL FROM range(40)"
        ),
    ],
    "identity_bucket_truncate": [
        (
            "CREATE TABLE {t} (id BIGINT, category STRING, name STRING, amount DECIMAL(9,2)) USING iceberg"
            " PARTITIONED BY (category, bucket(4, id), truncate(2, name))"
        ),
        (
            "INSERT INTO {t} SELECT id, if(id % 5 = 4, NULL, concat('c', id % 2)), concat('n', id % 3), id / 4"
            " FROM range(20)"
        ),
    ],
    "times": [
        (
            "CREATE TABLE {t} (id BIGINT, ts TIMESTAMP, day DATE, ntz TIMESTAMP_NTZ) USING iceberg"
            " PARTITIONED BY (years(ts), days(day), hours(ntz))"
        ),
        (
            "INSERT INTO {t} SELECT id, TIMESTAMP'1969-06-01 12:00:00Z' + make_interval(int(id % 3)),"
            " DATE'1969-12-31' + int(id % 3), TIMESTAMP_NTZ'1969-12-31 22:30:00' + make_interval(0, 0, 0, 0, int(id % 3))"
            " FROM range(9)"
        ),
        "INSERT INTO {t} VALUES (100, NULL, NULL, NULL)",
        "ALTER TABLE {t} REPLACE PARTITION FIELD years(ts) WITH months(ts)",
        "ALTER TABLE {t} DROP PARTITION FIELD hours(ntz)",
        (
            "INSERT INTO {t} SELECT id + 200, TIMESTAMP'2024-01-31 00:00:00Z' + make_interval(0, int(id)), DATE'2024-02-29',"
            " TIMESTAMP_NTZ'2024-02-29 00:00:00' FROM range(3)"
        ),
    ],
    "merge_on_read": [
        (
            "CREATE TABLE {t} (id BIGINT, category STRING, amount INT) USING iceberg PARTITIONED BY (category)"
            f" TBLPROPERTIES ('format-version'='2', {MERGE_ON_READ})"
        ),
        "INSERT INTO {t} SELECT id, concat('c', id % 2), int(id) FROM range(60)",
        "DELETE FROM {t} WHERE id % 7 = 3",
        "UPDATE {t} SET amount = -amount WHERE id % 5 = 0",
        (
            "MERGE INTO {t} USING (SELECT id, concat('c', id % 2) AS category FROM range(50, 70)) s"
            " ON t.id = s.id WHEN MATCHED AND s.id % 2 = 0 THEN DELETE"
            " WHEN MATCHED THEN UPDATE SET amount = 1000"
            " WHEN NOT MATCHED THEN INSERT (id, category, amount) VALUES (s.id, s.category, 2000)"
        ),
    ],
    "vectors": [
        (
            "CREATE TABLE {t} (id BIGINT, category STRING, amount INT) USING iceberg"
            f" TBLPROPERTIES ('format-version'='3', {MERGE_ON_READ})"
        ),
        "INSERT INTO {t} SELECT /*+ COALESCE(1) */ id, concat('c', id % 2), int(id) FROM range(60)",
        "DELETE FROM {t} WHERE id % 7 = 3",
        "UPDATE {t} SET amount = -amount WHERE id % 5 = 0",
        "DELETE FROM {t} WHERE id > 50",
        "INSERT INTO {t} VALUES (1000, 'new', 7)",
    ],
    "upgraded_to_vectors": [
        (
            "CREATE TABLE {t} (id BIGINT, amount INT) USING iceberg"
            f" TBLPROPERTIES ('format-version'='2', {MERGE_ON_READ})"
        ),
        "INSERT INTO {t} SELECT /*+ COALESCE(1) */ id, int(id) FROM range(30)",
        "DELETE FROM {t} WHERE id % 7 = 3",
        "ALTER TABLE {t} SET TBLPROPERTIES ('format-version'='3')",
        "DELETE FROM {t} WHERE id % 7 = 4",
        "INSERT INTO {t} VALUES (100, 100)",
    ],
    "evolved": [
        (
            "CREATE TABLE {t} (id INT NOT NULL, name STRING, price FLOAT, cost DECIMAL(9,2), gone STRING,"
            " spec STRUCT<a: INT, b: FLOAT>, items ARRAY<STRUCT<n: INT>>, tags MAP<STRING, STRUCT<w: INT>>) USING iceberg"
        ),
        (
            "INSERT INTO {t} VALUES (1, 'one', 1.5, 10.25, 'old', named_struct('a', 1, 'b', 0.5F),"
            " array(named_struct('n', 7)), map('k', named_struct('w', 3))), (2, NULL, NULL, NULL, 'old', NULL, NULL, NULL)"
        ),
        "ALTER TABLE {t} RENAME COLUMN name TO title",
        "ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT",
        "ALTER TABLE {t} ALTER COLUMN price TYPE DOUBLE",
        "ALTER TABLE {t} ALTER COLUMN cost TYPE DECIMAL(20,2)",
        "ALTER TABLE {t} ALTER COLUMN spec.a TYPE BIGINT",
        "ALTER TABLE {t} ALTER COLUMN items.element.n TYPE BIGINT",
        "ALTER TABLE {t} ALTER COLUMN tags.value.w TYPE BIGINT",
        "ALTER TABLE {t} ADD COLUMN spec.c STRING",
        "ALTER TABLE {t} ADD COLUMN items.element.m STRING",
        "ALTER TABLE {t} RENAME COLUMN spec.b TO bb",
        "ALTER TABLE {t} ALTER COLUMN id DROP NOT NULL",
        (
            "INSERT INTO {t} VALUES (5000000000, 'big', 2.5, 123456789012345678.25, 'mid', named_struct('a', 6000000000, 'bb', 1.5F, 'c', 'cc'),"
            " array(named_struct('n', 8000000000, 'm', 'mm')), map('k', named_struct('w', 9000000000)))"
        ),
        "ALTER TABLE {t} DROP COLUMN gone",
        "ALTER TABLE {t} ADD COLUMN gone INT AFTER id",
        "ALTER TABLE {t} ALTER COLUMN title FIRST",
        "INSERT INTO {t} (id, gone) VALUES (NULL, 42)",
    ],
    "history": [
        "CREATE TABLE {t} (id BIGINT, v STRING) USING iceberg TBLPROPERTIES ('format-version'='1')",
        "INSERT INTO {t} VALUES (1, 'one')",
        "ALTER TABLE {t} CREATE TAG first",
        "INSERT INTO {t} VALUES (2, 'two')",
        "ALTER TABLE {t} SET TBLPROPERTIES ('format-version'='2')",
        "ALTER TABLE {t} ADD COLUMN w INT",
        "INSERT INTO {t} VALUES (3, 'three', 3)",
        "ALTER TABLE {t} CREATE BRANCH side",
        "INSERT INTO {t}.branch_side VALUES (4, 'side', 4)",
        "UPDATE {t} SET v = upper(v) WHERE id = 2",
        "CALL fixture.system.rewrite_manifests('s.history')",
        "INSERT OVERWRITE {t} SELECT id + 100, v, w FROM {t} WHERE id > 1",
    ],
    "imported": [
        (
            "CREATE TABLE spark_catalog.default.imported (id BIGINT, ts TIMESTAMP, st STRUCT<a: INT, b: ARRAY<STRING>>, part STRING)"
            " USING parquet PARTITIONED BY (part) LOCATION '/lakeport-fixture/s/imported/old'"
        ),
        (
            "INSERT INTO spark_catalog.default.imported SELECT id, TIMESTAMP'2001-02-03 04:05:06Z' + make_interval(0, 0, 0, int(id)),"
            " named_struct('a', int(id), 'b', array(string(id), NULL)), concat('p', id % 3) FROM range(9)"
        ),
        (
            "CREATE TABLE {t} (id BIGINT, ts TIMESTAMP, st STRUCT<a: INT, b: ARRAY<STRING>>, part STRING)"
            " USING iceberg PARTITIONED BY (part)"
        ),
        "CALL fixture.system.add_files('s.imported', 'spark_catalog.default.imported')",
        "INSERT INTO {t} VALUES (100, TIMESTAMP'2020-01-01 00:00:00Z', NULL, 'p1'), (101, NULL, named_struct('a', 1, 'b', NULL), NULL)",
        "ALTER TABLE {t} RENAME COLUMN id TO number",
    ],
    "orc": [
        "CREATE TABLE {t} (id BIGINT, s STRING) USING iceberg TBLPROPERTIES ('write.format.default'='orc')",
        "INSERT INTO {t} SELECT id, concat('s', id) FROM range(5)",
    ],
    "orc_evolved": [
        (
            "CREATE TABLE {t} (id BIGINT, s STRING, amount DECIMAL(9,2), st STRUCT<a: INT>) USING iceberg"
            " TBLPROPERTIES ('write.format.default'='orc')"
        ),
        (
            "INSERT INTO {t} SELECT /*+ COALESCE(1) */ id, if(id % 3 = 0, NULL, concat('s', id)), id / 4,"
            " named_struct('a', int(id)) FROM range(20)"
        ),
        "ALTER TABLE {t} RENAME COLUMN s TO text",
        "ALTER TABLE {t} ALTER COLUMN st.a TYPE BIGINT",
        "ALTER TABLE {t} ADD COLUMN n INT",
        "INSERT INTO {t} VALUES (100, 'new', 1.5, named_struct('a', 5000000000), 7)",
    ],
    "avro": [
        (
            "CREATE TABLE {t} (id BIGINT, s STRING, st STRUCT<a: INT, b: ARRAY<STRING>>, day DATE)"
            f" USING iceberg TBLPROPERTIES ('write.format.default'='avro', {MERGE_ON_READ})"
        ),
        (
            "INSERT INTO {t} SELECT /*+ COALESCE(1) */ id, concat('s', id),"
            " named_struct('a', int(id), 'b', array(string(id), NULL)), DATE'2020-01-01' + int(id) FROM range(12)"
        ),
        "DELETE FROM {t} WHERE id % 5 = 2",
        "ALTER TABLE {t} RENAME COLUMN s TO text",
        "INSERT INTO {t} VALUES (100, NULL, NULL, NULL)",
    ],
    "compacted": [
        (
            "CREATE TABLE {t} (id BIGINT, place STRUCT<city: STRING, zip: INT>) USING iceberg"
            f" PARTITIONED BY (place.city) TBLPROPERTIES ({MERGE_ON_READ})"
        ),
        "INSERT INTO {t} SELECT id, named_struct('city', concat('c', id % 2), 'zip', int(id)) FROM range(30)",
        "INSERT INTO {t} SELECT id + 100, named_struct('city', concat('c', id % 2), 'zip', int(id)) FROM range(30)",
        "DELETE FROM {t} WHERE id % 7 = 3",
        "CALL fixture.system.rewrite_data_files(table => 's.compacted', options => map('rewrite-all', 'true'))",
        "DELETE FROM {t} WHERE id % 7 = 4",
        "CALL fixture.system.rewrite_position_delete_files(table => 's.compacted', options => map('rewrite-all', 'true'))",
        "INSERT INTO {t} VALUES (1000, NULL), (1001, named_struct('city', NULL, 'zip', 5))",
    ],
    "empty": ["CREATE TABLE {t} (id BIGINT, s STRING) USING iceberg"],
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jar", required=True)
    parser.add_argument("--only", nargs="*", default=list(TABLES))
    given = parser.parse_args()
    shutil.rmtree(WAREHOUSE, ignore_errors=True)
    spark = session(given.jar)
    try:
        for name in given.only:
            for statement in TABLES[name]:
                spark.sql(
                    statement.replace("{t}", f"fixture.s.{name}").replace(" ON t.", f" ON {name}.")
                )
            pack(spark, name)
    finally:
        spark.stop()
        shutil.rmtree(WAREHOUSE)


def session(jar: str) -> SparkSession:
    catalog = "org.apache.iceberg.spark.SparkCatalog"
    extensions = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
    return (
        SparkSession.builder.master("local[1]")
        .config("spark.jars", jar)
        .config("spark.sql.extensions", extensions)
        .config("spark.sql.catalog.fixture", catalog)
        .config("spark.sql.catalog.fixture.type", "hadoop")
        .config("spark.sql.catalog.fixture.warehouse", f"file:{WAREHOUSE}")
        .config("spark.sql.warehouse.dir", f"{WAREHOUSE}/hive")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )


def pack(spark: SparkSession, name: str) -> None:
    """Archive the table's files and what Spark reads."""
    table = f"fixture.s.{name}"
    answers = {"head": spark.sql(f"SELECT * FROM {table}").toArrow()}
    for row in spark.sql(f"SELECT snapshot_id FROM {table}.snapshots").collect():
        found = spark.sql(f"SELECT * FROM {table} VERSION AS OF {row.snapshot_id}")
        answers[str(row.snapshot_id)] = found.toArrow()
    with tarfile.open(HERE / f"{name}.tar.gz", "w:gz") as archive:
        for path in sorted((WAREHOUSE / "s" / name).rglob("*")):
            if path.is_file() and not path.name.endswith(".crc") and path.name != "_SUCCESS":
                _add(archive, str(path.relative_to(WAREHOUSE / "s")), path.read_bytes())
        for snapshot, rows in answers.items():
            sink = io.BytesIO()
            with pa.ipc.new_stream(sink, rows.schema) as writer:
                writer.write_table(rows)
            _add(archive, f"answers/{snapshot}.arrow", sink.getvalue())


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


if __name__ == "__main__":
    main()
