"""The tool offer: which tools a conversation could send to its model, and their sizes in the model's vocabulary.

    tools = list_offered(wb, owner, preferences, agent)
    offer = await size_tools(tools, conversation, profile, estimator, vocabulary)

The only place that decides which tools are offered at all: those of MCP servers, and the built-in ones that a person
switched on, as far as the agent has them. `domain/inclusion.py` decides which of them a send carries.
"""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.agents.agents import Agent, has_tool
from app.domain.agents.delegation import DELEGATE, describe_delegates
from app.domain.conversation.conversation import Conversation, ToolMode
from app.domain.model_profile import ModelProfile
from app.domain.preferences import Preferences
from app.domain.tokens.estimates import Estimator
from app.domain.tools.inclusion import NO_TOOLS, Offer, SizedTool, define_tool
from app.domain.tools.tool_sizes import ToolForm, tool_rule_of, write_as_counted
from app.domain.tools.tools import BUILT_IN, Tool
from app.runs.request.texts import count_all
from app.runs.workbench import Workbench
from app.store.settings.agents import load_agents


def list_offered(wb: Workbench, owner: str, preferences: Preferences, agent: Agent | None) -> tuple[Tool, ...]:
    """The tools that can be told of under an agent, in the order in which they are told. Nobody waits for a server."""
    wanted = preferences.built_in_tools
    tools = (tool for tool in wb.toolbox.list_tools(owner) if tool.server_id != BUILT_IN or tool.name in wanted)
    return tuple(tool for tool in tools if agent is None or has_tool(agent, tool))


async def name_delegates(
    session: AsyncSession, owner: str, tools: tuple[Tool, ...], agent: Agent | None
) -> tuple[Tool, ...]:
    """The tools, of which the one that hands work over says to whom it can; without anybody there it is none."""
    if DELEGATE not in tools:
        return tools
    named = describe_delegates(DELEGATE, [one for one in await load_agents(session, owner) if not one.damage], agent)
    told = (named if tool == DELEGATE else tool for tool in tools)
    return tuple(tool for tool in told if tool is not None)


async def size_tools(  # noqa: PLR0913, PLR0917 - which tools, for whom, and how they count
    tools: tuple[Tool, ...],
    conversation: Conversation,
    profile: ModelProfile,
    estimator: Estimator,
    vocabulary: str,
    called: frozenset[str] = frozenset(),
) -> Offer:
    """These tools as an offer to a model. `called` are the names that the pairs in view called."""
    if not tools:
        return NO_TOOLS
    rule = tool_rule_of(profile.model)
    counts = await count_all(vocabulary, [_write(rule.form, tool) for tool in tools])
    sized = (SizedTool(tool, estimator.of_text(count), count) for tool, count in zip(tools, counts, strict=True))
    return Offer(
        mode=conversation.tool_mode,
        tools=tuple(sized),
        ticked=frozenset(conversation.ticked_tools) if conversation.tool_mode is ToolMode.MANUAL else frozenset(),
        called=called,
        overhead=rule.overhead,
        able=profile.tools,
    )


@lru_cache(maxsize=5_000)
def _write(form: ToolForm, tool: Tool) -> str:
    return write_as_counted(define_tool(tool), form)
