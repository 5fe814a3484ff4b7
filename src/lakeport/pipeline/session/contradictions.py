"""Settings of the user's that say something else than we do, refused before Spark starts.

What is merely another taste wins over ours (`command.settings`). Here is what cannot: it would be ignored,
or change where Spark runs without the rest of us knowing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lakeport.core.errors import ConfigurationError
from lakeport.pipeline.session.command import EXTENSIONS
from lakeport.pipeline.session.options import SparkOptions

_CONF = "`pipeline.spark.conf`"
_FILES = re.compile(r"spark\.sql\.catalog\.[^.]+\.(?:s3|client|http-client)\..+")


def require_agreement(options: SparkOptions) -> None:
    conf = options.conf
    if options.connect is None and conf.get("spark.master", options.master) != options.master:
        raise _contradiction(conf, "spark.master", f"`pipeline.spark.master` is {options.master}")
    if "spark.remote" in conf or conf.get("spark.api.mode", "classic") == "connect":
        raise ConfigurationError(
            f"{_CONF} asks for Spark Connect", hint="name the server in `pipeline.spark.connect`"
        )
    if conf.get("spark.submit.deployMode", "client") != "client":
        raise _contradiction(
            conf, "spark.submit.deployMode", "Spark's driver runs on this machine only"
        )


def yielding(conf: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """A catalog's settings but for what the user says of its files: Spark may reach them otherwise."""
    return {
        key: value
        for key, value in settings.items()
        if key not in conf or not _FILES.fullmatch(key)
    }


def require_own(conf: Mapping[str, str], settings: Mapping[str, str]) -> None:
    """`settings` are those of a catalog, which the user may add to and not change."""
    for key in sorted((conf.keys() & settings.keys()) - {EXTENSIONS}):  # which are joined
        if conf[key] != settings[key]:
            raise ConfigurationError(
                f"{_CONF} sets {key}, which Lakeport sets itself", hint=f"take {key} out of it"
            )


def _contradiction(conf: Mapping[str, str], key: str, other: str) -> ConfigurationError:
    return ConfigurationError(
        f"{_CONF} sets {key} to {conf[key]}, but {other}", hint=f"take {key} out of it"
    )
