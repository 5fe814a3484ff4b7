"""Which daemon somebody wants: all that makes one Spark another, in one word.

Whoever runs models asks this before each run, so nothing is started to find out: the Java that is named,
not its version. A daemon with another word is passed over, and replaced by `start`.
"""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import version

import msgspec

from lakeport.pipeline.session.options import SparkOptions
from lakeport.pipeline.session.versions import pyspark_version


def fingerprint(options: SparkOptions) -> str:
    wanted = {
        "lakeport": version("lakeport"),
        "pyspark": pyspark_version(),
        "python": sys.executable,  # which Spark's workers are
        "profile": options.profile,
        "master": options.master,
        "conf": dict(options.conf),
        "java": str(options.java_home),
        "jars": [str(jar) for jar in options.jars],
        "cache": str(options.cache),
        "s3": options.s3,
    }
    return hashlib.sha256(msgspec.json.encode(wanted, order="deterministic")).hexdigest()[:32]
