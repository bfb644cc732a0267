"""The tool offer: which tools a conversation could send to its model, and their sizes in the model's vocabulary.

    tools = list_offered(ctx, owner, preferences, agent)
    offer = await size_tools(tools, conversation, profile, estimator, vocabulary)

Only this module decides which tools are offered: the tools of MCP servers and the built-in tools that the user enabled,
if the agent has them. `domain/tools/inclusion.py` decides which of the offered tools a send carries.
"""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.agents.agents import Agent, has_tool
from app.domain.child_calls.delegation import DELEGATE, describe_delegates
from app.domain.conversation.conversation import Conversation, ToolMode
from app.domain.models.model_profile import ModelProfile
from app.domain.settings.preferences import Preferences
from app.domain.tokens.estimates import Estimator
from app.domain.tools.inclusion import OfferedTools, SizedTool, define_tool
from app.domain.tools.tool_sizes import ToolForm, tool_rule_of, write_as_counted
from app.domain.tools.tools import BUILT_IN, Tool
from app.runs.app_context import AppContext
from app.runs.request.texts import count_all
from app.store.agents.agents import load_agents


def list_offered(ctx: AppContext, owner: str, preferences: Preferences, agent: Agent | None) -> tuple[Tool, ...]:
    """List the tools that a send can offer if this agent answers, in the order of the request.

    For a server, these are the tools in its last list. The function does not wait for a new list.
    """
    enabled = preferences.built_in_tools
    tools = (tool for tool in ctx.toolbox.list_tools(owner) if tool.server_id != BUILT_IN or tool.name in enabled)
    return tuple(tool for tool in tools if agent is None or has_tool(agent, tool))


async def name_delegates(
    session: AsyncSession, owner: str, tools: tuple[Tool, ...], agent: Agent | None
) -> tuple[Tool, ...]:
    """Return these tools, with the agents that can get a task listed in the description of the tool `delegate`.

    If no agent can get a task, the tool `delegate` is left out.
    """
    if DELEGATE not in tools:
        return tools
    named = describe_delegates(DELEGATE, [one for one in await load_agents(session, owner) if not one.damage], agent)
    offered = (named if tool == DELEGATE else tool for tool in tools)
    return tuple(tool for tool in offered if tool is not None)


async def size_tools(  # noqa: PLR0913, PLR0917 - the tools, the conversation, the model and the tokenizer
    tools: tuple[Tool, ...],
    conversation: Conversation,
    profile: ModelProfile,
    estimator: Estimator,
    vocabulary: str,
    called: frozenset[str] = frozenset(),
) -> OfferedTools:
    """Return these tools with their sizes in tokens for a model, and with the tool mode of the conversation.

    `called` are the names of the tools that the pairs in view called.
    """
    ticked = frozenset(conversation.ticked_tools) if conversation.tool_mode is ToolMode.MANUAL else frozenset[str]()
    if not tools:
        return OfferedTools(mode=conversation.tool_mode, ticked=ticked)
    rule = tool_rule_of(profile.model)
    counts = await count_all(vocabulary, [_write(rule.form, tool) for tool in tools])
    sized = (SizedTool(tool, estimator.of_text(count), count) for tool, count in zip(tools, counts, strict=True))
    return OfferedTools(
        mode=conversation.tool_mode,
        tools=tuple(sized),
        ticked=ticked,
        called=called,
        overhead=rule.overhead,
        able=profile.tools,
    )


@lru_cache(maxsize=5_000)
def _write(form: ToolForm, tool: Tool) -> str:
    return write_as_counted(define_tool(tool), form)
