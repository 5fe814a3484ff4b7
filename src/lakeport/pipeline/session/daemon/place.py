"""Where a daemon's files are: a folder in the project's own that nobody else can read.

`record.json` says where it answers and holds its token. `alive` is locked by the daemon for as long as it
lives, `users` by everybody who works with it, and `change` by whoever starts or stops one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lakeport.core.errors import UnavailableError
from lakeport.pipeline.session.daemon.locks import is_held, is_shared
from lakeport.pipeline.session.daemon.record import Record, read, remove


@dataclass(frozen=True, slots=True)
class Place:
    folder: Path

    @property
    def record(self) -> Path:
        return self.folder / "record.json"

    @property
    def alive(self) -> Path:
        return self.folder / "alive"

    @property
    def users(self) -> Path:
        return self.folder / "users"

    @property
    def change(self) -> Path:
        return self.folder / "change"

    @property
    def log(self) -> Path:
        return self.folder / "daemon.log"

    def make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.folder.chmod(0o700)  # also where it was made with more than that
            self.change.touch()
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise UnavailableError(
                f"a daemon cannot be kept in {self.folder}: {reason}",
                hint="its record and its log are there: make room for them, or let them be written",
            ) from error

    def running(self) -> Record | None:
        """The daemon that lives and answers, or has just begun to end."""
        record = read(self.record)
        return record if record is not None and is_held(self.alive) else None

    @property
    def is_used(self) -> bool:
        return is_shared(self.users)

    def clean(self) -> None:
        """Take away what a daemon left that was killed."""
        remove(self.record)
