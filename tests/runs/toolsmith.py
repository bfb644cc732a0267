"""Tools made for a test: a real toolbox has them as built-in tools, and every conversation may be offered them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from app.domain.conversation.parts import Text
from app.domain.tools.tools import BUILT_IN, Caller, Tool, ToolOutcome
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.tools.toolbox import BuiltIn, Progress

Does = Callable[[Mapping[str, Any], Progress], Awaitable[ToolOutcome]]
SCHEMA = '{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}'


def said(text: str) -> ToolOutcome:
    return ToolOutcome((Text(text),))


async def add_tools(ctx: AppContext, schema: str = SCHEMA, **tools: Does) -> None:
    """Register these tools, by name, and offer them to models."""

    def make(name: str, does: Does) -> BuiltIn:
        async def call(caller: Caller, arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
            return await does(arguments, progress)

        return BuiltIn(Tool(name, BUILT_IN, "Inview", name, name, f"Does {name}.", schema, read_only=True), call)

    ctx.toolbox.register([make(name, does) for name, does in tools.items()])
    preferred = await read_preferences(ctx, LOCAL_OWNER)
    await set_preferences(ctx, LOCAL_OWNER, replace(preferred, built_in_tools=tuple(sorted(ctx.toolbox.built_ins))))
