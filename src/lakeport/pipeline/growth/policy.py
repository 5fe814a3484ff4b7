"""What a model wants done where growing alone is not enough: its three `on_…` settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from lakeport.core.errors import ConfigurationError
from lakeport.core.names import nearest, quoted

OnTypeChange: TypeAlias = Literal["widen", "fail", "cast", "side_column"]
OnRemovedRequired: TypeAlias = Literal["fail", "relax"]
OnUnmappableType: TypeAlias = Literal["string", "fail"]

_CHOICES: dict[str, tuple[str, ...]] = {
    "on_type_change": get_args(OnTypeChange),
    "on_removed_required": get_args(OnRemovedRequired),
    "on_unmappable_type": get_args(OnUnmappableType),
}


@dataclass(frozen=True, slots=True)
class Policy:
    """`widen` promotes where Iceberg can and refuses the rest; `cast` and `side_column` never retype."""

    on_type_change: OnTypeChange = "widen"
    on_removed_required: OnRemovedRequired = "fail"
    on_unmappable_type: OnUnmappableType = "string"

    def __post_init__(self) -> None:
        for setting, choices in _CHOICES.items():
            value = getattr(self, setting)
            if value not in choices:
                close = nearest(str(value), choices)
                hint = f"did you mean {quoted(close)}? " if close else ""
                raise ConfigurationError(
                    f"{setting} cannot be {quoted(str(value))}",
                    hint=f"{hint}it is one of {', '.join(choices)}",
                )

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> Policy:
        """From a model's settings, of which the others are ignored."""
        return cls(**{name: settings[name] for name in _CHOICES if name in settings})  # type: ignore[arg-type] # checked above
