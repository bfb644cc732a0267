"""Checks arguments against the schema that a tool's server gave for them.

    await check_arguments(tool.input_schema_json, {"path": 3}, account=conversation_id)
    # (("path", "3 is not of type 'string'"),)

The schema comes from the server. One that cannot be applied, or takes too long, says nothing of arguments: the server
judges them itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.schemas.checker import check_value

MAX_PROBLEMS: Final = 20

Problems = tuple[tuple[str, str], ...]
"""The place in the arguments, as a dotted path, and the fault there."""


async def check_arguments(schema_json: str, arguments: Mapping[str, Any], *, account: str) -> Problems:
    """Find what is wrong with the arguments: at most 20 problems, none if they fit.

    `account`: whose bound on slow checks it counts for.
    """
    checked = await check_value(schema_json, dict(arguments), account=account, limit=MAX_PROBLEMS)
    return tuple(sorted((".".join(map(str, path)), message) for path, message in checked.faults))
