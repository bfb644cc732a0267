"""The server's answer to a file that the browser uploaded, as the pages of agents and prompts read it.

read_answer('{"items": []}')        # {"items": []}
explain_refusal({})                  # "Inview cannot be reached. Try again in a moment."
"""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn, cast

from app.domain.errors import InputError

_NOT_JSON: Final = "urn:inview:problem:malformed-body"


def read_answer(answer: object) -> dict[str, Any]:
    """The JSON object that came back, an empty one if none did."""
    try:
        read: Any = json.loads(answer) if isinstance(answer, str) else {}
    except ValueError:
        read = {}
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {}


def refuse(body: dict[str, Any]) -> NoReturn:
    """Say why a file was not taken.

    Raises:
        InputError: always.
    """
    if body.get("type") == _NOT_JSON:
        raise InputError("file", "It is not JSON: choose a file that “Export” wrote.")
    raise InputError("file", str(body.get("detail") or "Inview cannot be reached. Try again in a moment."))
