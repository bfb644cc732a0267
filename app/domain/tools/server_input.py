"""Reads the input of a person who adds an MCP server: the words of a command line, and secrets, one per line.

>>> parse_command('npx -y "my server" /srv/notes')
['npx', '-y', 'my server', '/srv/notes']
>>> parse_secrets("Authorization: Bearer x:y", ":")
{'Authorization': 'Bearer x:y'}

The rules for names and addresses are in `tool_servers.py`.
"""

from __future__ import annotations

import re
from typing import Final

from app.domain.errors import InputError

MAX_SECRETS: Final = 50
MAX_SECRET_NAME: Final = 200

_WORD: Final = re.compile(r"""(?:[^\s"']|"[^"]*"|'[^']*')+|["']\S*""")
_QUOTED: Final = re.compile(r""""([^"]*)"|'([^']*)'""")


def parse_command(line: str) -> list[str]:
    """Split a command line at white space outside quotes. No other character has a special meaning."""
    return [_QUOTED.sub(lambda quoted: quoted[1] or quoted[2] or "", word) for word in _WORD.findall(line)]


def parse_secrets(text: str, sign: str) -> dict[str, str | None]:
    """Read lines that consist of a name, the text `sign` and a value. Return the values by their names.

    Raises:
        InputError: a line has another form, a name is too long, or there are too many lines.
    """
    secrets: dict[str, str | None] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, found, value = line.partition(sign)
        if not found or not name or len(name) > MAX_SECRET_NAME:
            form = f"name{sign}value, with a name of at most {MAX_SECRET_NAME} characters"
            raise InputError("secrets", f"“{line[:20]}” does not have the form {form}.")
        secrets[name.strip()] = value.strip()
    if len(secrets) > MAX_SECRETS:
        raise InputError("secrets", f"give at most {MAX_SECRETS}.")
    return secrets
