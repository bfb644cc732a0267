"""Checks the arguments of a tool call against the schema that the server listed for the tool.

    await check_arguments(tool.input_schema_json, {"path": 3}, account=conversation_id)
    # (("path", "3 is not of type 'string'"),)

If the schema cannot be applied, or the check takes too long, no problems are reported: the server checks the arguments
itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.schema_check.checker import check_value

MAX_PROBLEMS: Final = 20

Problems = tuple[tuple[str, str], ...]
"""The problems of arguments: each has a place in the arguments, as a dotted path, and the fault there."""


async def check_arguments(schema_json: str, arguments: Mapping[str, Any], *, account: str) -> Problems:
    """Return the problems of arguments, at most `MAX_PROBLEMS`. There are none if the arguments match the schema.

    `account`: the name, usually the id of a conversation or a server, under which Inview adds up and limits the time of
    slow checks.
    """
    checked = await check_value(schema_json, dict(arguments), account=account, limit=MAX_PROBLEMS)
    return tuple(sorted((".".join(map(str, path)), message) for path, message in checked.faults))
