r"""The text that is inserted into a draft for a prompt or a resource of an MCP server.

Both are inserted as text, so the message box shows exactly the text that is sent, and a person can change it.

Not here: getting them from a server (`app/tools/mcp/inserting.py`).

    >>> join_spoken([("user", "Hello"), ("user", "Who are you?")])
    'Hello\n\nWho are you?'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import Final, Literal

MAX_INSERTED: Final = 200_000
"""Maximum number of characters of one insertion: about 50,000 tokens, which a text box can still handle."""

_TICKS: Final = re.compile(r"`{3,}")
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f]+")
_LANGUAGES: Mapping[str, str] = MappingProxyType(
    {
        "application/json": "json",
        "application/xml": "xml",
        "application/yaml": "yaml",
        "text/csv": "csv",
        "text/css": "css",
        "text/html": "html",
        "text/javascript": "js",
        "text/markdown": "markdown",
        "text/x-python": "python",
        "text/xml": "xml",
    }
)


def join_spoken(messages: Iterable[tuple[Literal["user", "assistant"], str]]) -> str:
    """Join the messages of a server's prompt to one text. If some are not the user's, role changes get headings.

    >>> print(join_spoken([("user", "Hello"), ("assistant", "Hi!")]))
    User:
    Hello
    <BLANKLINE>
    Assistant:
    Hi!
    """
    spoken = [(role, "\n\n".join(text for _, text in each)) for role, each in groupby(messages, lambda one: one[0])]
    if all(role == "user" for role, _ in spoken):
        return "\n\n".join(text for _, text in spoken)
    return "\n\n".join(f"{role.capitalize()}:\n{text}" for role, text in spoken)


def quote_resource(server: str, uri: str, media_type: str, text: str) -> str:
    """Return the text of an MCP server's resource as a code block, below a line that names its source.

    >>> print(quote_resource("notes", "note://1", "text/markdown", "# Tea"))
    From the server "notes", note://1:
    <BLANKLINE>
    ```markdown
    # Tea
    ```
    """
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    language = _LANGUAGES.get(media_type.partition(";")[0].strip().lower(), "")
    body = text if text.endswith("\n") else f"{text}\n"
    return f'From the server "{server}", {_UNSEEN.sub(" ", uri)}:\n\n{fence}{language}\n{body}{fence}'


def as_typed(text: str) -> str:
    r"""Return the text with "\n" at the end of every line, as in a text box.

    >>> as_typed("one\r\ntwo\rthree")
    'one\ntwo\nthree'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n")
