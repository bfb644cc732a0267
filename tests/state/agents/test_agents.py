from __future__ import annotations

from app.runs.agents.agent_commands import create_agent, delete_agent
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.agents.choice import NO_AGENT, AgentState
from app.state.conversation.model import ModelState
from app.state.transcript.chat import ChatState
from app.store.conversation.conversations import load_conversation
from tests.state.conftest import Tab


async def test_the_menu_has_the_agents_and_choosing_one_brings_its_card_and_its_model(
    ctx: AppContext, tab: Tab
) -> None:
    agent = await create_agent(
        ctx, LOCAL_OWNER, {"name": "Reviewer", "icon": "R", "model": "offline:tiny", "system_prompt": "Find the fault."}
    )
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"
    await tab.send(AgentState.load)

    rows = tab.shows(AgentState, "rows")
    assert [row.name for row in rows] == ["No agent", "R Reviewer"]
    await tab.send(AgentState.choose, agent_id=agent.id)
    await tab.send(ChatState.open)

    assert tab.shows(AgentState, "chosen_name") == "Reviewer"
    assert tab.shows(ModelState, "chosen") == "offline:tiny"
    assert (tab.shows(ChatState, "agent_name"), tab.shows(ChatState, "agent_prompt")) == ("Reviewer", "Find the fault.")
    async with ctx.store.read() as session:
        stored = await load_conversation(session, LOCAL_OWNER, conversation.id)
    assert (stored.agent_id, stored.model) == (agent.id, "offline:tiny")

    await tab.send(AgentState.choose, agent_id=NO_AGENT)
    await tab.send(ChatState.open)
    assert tab.shows(ChatState, "agent_prompt") == ""


async def test_an_agent_that_was_deleted_is_no_choice_and_has_no_card(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Reviewer", "system_prompt": "Find the fault."})
    other = await create_agent(ctx, LOCAL_OWNER, {"name": "Writer"})
    conversation = await create_conversation(ctx, LOCAL_OWNER, agent_id=agent.id)
    await delete_agent(ctx, LOCAL_OWNER, agent.id)
    tab.path = f"/c/{conversation.id}"

    await tab.send(AgentState.load)
    await tab.send(ChatState.open)

    rows = tab.shows(AgentState, "rows")
    assert [row.value for row in rows] == [NO_AGENT, other.id]
    assert tab.shows(ChatState, "agent_name") in {None, ""}
