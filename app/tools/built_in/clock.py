"""The tool `current_time`. Models need it, because they do not know the current date.

{"timezone": "Europe/Berlin"} → 2026-11-22T10:41:07+01:00 (Sunday, Europe/Berlin)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.domain.conversation.parts import Text
from app.domain.tools.tools import BUILT_IN, Caller, Tool, ToolOutcome
from app.tools.mcp.connection_terms import Progress
from app.tools.toolbox import BuiltIn

CURRENT_TIME: Final = Tool(
    name="current_time",
    server_id=BUILT_IN,
    server_name="Inview",
    tool_name="current_time",
    title="Current time",
    description="Tells the date, the time and the day of the week, now, in a time zone.",
    input_schema_json=(
        '{"additionalProperties":false,"properties":{"timezone":{"description":"An IANA time zone such as '
        'Europe/Berlin; UTC when left out.","type":"string"}},"type":"object"}'
    ),
    read_only=True,
)


def current_time(clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> BuiltIn:
    """Return the tool `current_time`. `clock` returns the current time."""

    async def call(_caller: Caller, arguments: Mapping[str, Any], _progress: Progress) -> ToolOutcome:
        name = arguments.get("timezone") or "UTC"
        try:
            zone = ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
            return ToolOutcome(
                (Text(f"There is no time zone {name!r}. Use an IANA name such as Europe/Berlin."),), is_error=True
            )
        now = clock().astimezone(zone)
        return ToolOutcome((Text(f"{now.isoformat(timespec='seconds')} ({now:%A}, {name})"),))

    return BuiltIn(CURRENT_TIME, call)
