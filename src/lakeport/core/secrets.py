"""What must never be shown: passwords, keys, tokens, by the name they go under or inside a URI.

Used wherever a value or a message leaves: `lakeport config`, errors about a catalog, logs. It errs on
the side of hiding; only the keys of tables (`unique_key`, `partition-key`) are known to be harmless.
"""

from __future__ import annotations

import re

MASK = "***"

_NAME = re.compile(
    r"token|passw|secret|credential|key|signature|authorization|\bsas\b", re.IGNORECASE
)
_KEY_OF_A_TABLE = re.compile(
    r"(unique|primary|foreign|sort|partition|merge|null)[_.-]?keys?", re.IGNORECASE
)
# Up to the last @ of the word: a password may hold a slash or an @ that nobody escaped.
_USER_INFO = re.compile(
    r"(?P<scheme>\b[a-z][a-z0-9+.-]*://)(?P<user>[^/?#@\s:]*)(?P<secret>:\S*)?@", re.IGNORECASE
)
_ASSIGNED = re.compile(
    r"(?P<name>(?:^|[?&;,\s])[\w.-]*(?:token|passw|secret|credential|key|sig)[\w.-]*=)[^&;,#\s]+",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\b(?P<scheme>bearer|basic)\s+[\w.~+/=-]{4,}", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    return _NAME.search(_KEY_OF_A_TABLE.sub("", name)) is not None


def mask_text(text: str) -> str:
    """A text without the secrets that can be told by their shape."""
    text = _USER_INFO.sub(_mask_user_info, text)
    text = _ASSIGNED.sub(rf"\g<name>{MASK}", text)
    return _BEARER.sub(rf"\g<scheme> {MASK}", text)


def mask_value(name: str, value: object) -> object:
    """A named value as it may be shown; tables and lists are looked through."""
    match value:
        case None | "" | bool():
            return value
        case dict():
            return {key: mask_value(f"{name}.{key}", item) for key, item in value.items()}
        case _ if is_secret_name(name):
            return MASK
        case str():
            return mask_text(value)
        case list() | tuple():
            return [mask_value(name, item) for item in value]
        case _:
            return value


def _mask_user_info(found: re.Match[str]) -> str:
    if found["secret"] is None:  # a name alone may be a token itself: https://ghp_…@host
        return f"{found['scheme']}{MASK}@"
    return f"{found['scheme']}{found['user']}:{MASK}@"
