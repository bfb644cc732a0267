"""Tools of a program that sends: the model gets them instead of the conversation's own. They are never called here.

    base = await offer_client_tools(base, (client_tool("get_weather", "The weather", "{}"),))

Not here: the calls of the gateway (`runs/gateway`), and the tools of servers (`offered_tools.py`).
"""

from __future__ import annotations

from dataclasses import replace

from app.domain.conversation.conversation import ToolMode
from app.domain.errors import InputError
from app.domain.tools.tools import Tool
from app.runs.request.bases import Base
from app.runs.request.send_plan import system_text_of
from app.runs.request.texts import count_text
from app.runs.send.offered_tools import size_tools

CLIENT = "client"
"""The server id of a tool that belongs to the program that sends."""


def client_tool(name: str, description: str, input_schema_json: str) -> Tool:
    """A tool of the program that sends. `input_schema_json` is its JSON schema as text."""
    return Tool(name, CLIENT, CLIENT, name, name, description, input_schema_json, read_only=False)


async def offer_client_tools(base: Base, tools: tuple[Tool, ...]) -> Base:
    """Return the base with these tools instead of the conversation's own, and without the person's prelude.

    Raises:
        InputError: the model takes no tools, and there are some.
    """
    if tools and not base.profile.tools:
        raise InputError("tools", f"{base.profile.name} does not take tools. Choose another model, or leave them out.")
    beside = replace(base.beside, prelude=None)
    system_text = await count_text(base.vocabulary, system_text_of(base.conversation, base.agent, beside))
    estimator = base.terms.estimator
    terms = replace(base.terms, system=estimator.of_text(system_text, 1) if system_text else 0)
    asked = replace(base.conversation, tool_mode=ToolMode.ALL_ON)
    offer = await size_tools(tools, asked, base.profile, estimator)
    return replace(base, beside=beside, system_text=system_text, terms=terms, offer=offer, views={})
