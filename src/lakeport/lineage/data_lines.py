r"""What a dump of Postgres holds beside statements: data behind `COPY t FROM stdin;`, up to `\.`, and
the lines that only its client reads, such as `\connect sales`. Every position stays as it was.
"""

from __future__ import annotations

import re

_DIALECTS = frozenset({"postgres", "redshift", "materialize", "risingwave"})
# On one line, as dumps write it: over lines, a text of many COPY would be read again and again.
_COPY = re.compile(r"^[ \t]*COPY\b([^;\n]*);[^\n]*", re.IGNORECASE | re.MULTILINE)
_STDIN = re.compile(r"\bFROM[ \t]+stdin\b", re.IGNORECASE)
_END = "\n\\."
_COMMAND = re.compile(r"^\\(?!copy\b)[a-z!?][^\n]*$", re.IGNORECASE | re.MULTILINE)
# The client's own COPY, which ends with its line.
_CLIENT_COPY = re.compile(r"^\\(copy\b[^\n]*)(\n|\Z)", re.IGNORECASE | re.MULTILINE)


def may_hold_data(text: str, parser: str) -> bool:
    """Whether a line begins with a backslash."""
    return parser in _DIALECTS and ("\n\\" in text or text[:1] == "\\")


def without_data(text: str) -> str:
    """The text with blanks for data and for lines of the client, which end a statement."""
    pieces: list[str] = []
    begin = 0
    for copy in _COPY.finditer(text):
        if copy.start() < begin or not _STDIN.search(copy[1]):
            continue
        # Looked for once: without an end there is no data, here and behind.
        end = text.find(_END, copy.end()) + len(_END)
        if end < len(_END):
            break
        pieces += [text[begin : copy.end()], re.sub(r"[^\n]", " ", text[copy.end() : end])]
        begin = end
    text = "".join([*pieces, text[begin:]])
    text = _COMMAND.sub(lambda line: ";".ljust(len(line[0])), text)
    return _CLIENT_COPY.sub(_as_statement, text)


def _as_statement(line: re.Match[str]) -> str:
    ends = not line[2] or line[1].rstrip().endswith(";")
    return f" {line[1]}{line[2] if ends else ';'}"
