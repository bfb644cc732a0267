from __future__ import annotations

import pytest

from app.domain.errors import InputError
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation, delete_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.send_request import SendRequest
from app.runs.settings.provider_commands import save_provider
from app.runs.trash.trash import delete_for_good
from app.runs.watch.broadcast import follow
from app.state.composer.state import ComposerState
from app.state.conversation.model import MissingKey, ModelState
from app.state.transcript.chat import ChatState
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_pairs
from app.views.composer.options import OptionRow
from tests.runs.by_hand import ByHand
from tests.runs.steps import text_of
from tests.state.conftest import Tab


async def test_page_shows_the_conversation_that_its_address_names(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Light", system_prompt="Be brief.")
    tab.path = f"/c/{conversation.id}"

    await tab.send(ChatState.open)

    assert tab.shows(ChatState, "title") == "Light"
    assert tab.shows(ChatState, "tab_title") == "Light · Inview"
    assert tab.shows(ChatState, "system_prompt") == "Be brief."


@pytest.mark.parametrize("foreign", [False, True])
async def test_conversation_that_is_not_there_or_not_ours_is_missing(ctx: AppContext, tab: Tab, foreign: bool) -> None:
    theirs = await create_conversation(ctx, "somebody else", title="Not yours")
    tab.path = f"/c/{theirs.id if foreign else 'nowhere'}"

    await tab.send(ChatState.open)

    assert tab.shows(ChatState, "missing") is True
    assert tab.shows(ChatState, "title") in {None, ""}


async def test_deleted_conversation_is_named_while_it_is_in_the_trash(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Light")
    tab.path = f"/c/{conversation.id}"
    await tab.send(ChatState.open)
    assert tab.shows(ChatState, "in_trash") in {None, ""}

    await delete_conversation(ctx, LOCAL_OWNER, conversation.id)
    await tab.send(ChatState.open)
    assert (tab.shows(ChatState, "missing"), tab.shows(ChatState, "in_trash")) == (True, "Light")

    await delete_for_good(ctx, LOCAL_OWNER, conversation.id)
    await tab.send(ChatState.open)
    assert (tab.shows(ChatState, "missing"), tab.shows(ChatState, "in_trash")) == (True, "")

    kept = await create_conversation(ctx, LOCAL_OWNER, title="Kept")
    tab.path = f"/c/{kept.id}"
    await tab.send(ChatState.open)
    assert (tab.shows(ChatState, "missing"), tab.shows(ChatState, "in_trash")) == (False, "")


async def test_rename_is_the_first_event_of_a_state_that_was_lost(ctx: AppContext, tab: Tab) -> None:
    """After a restart the first event meets an empty state: the address still identifies the conversation."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Old")
    tab.path = f"/c/{conversation.id}"

    await tab.send(ChatState.rename, title=" New  name ")

    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation.id)).title == "New name"
    assert tab.shows(ChatState, "title") == "New name"


@pytest.mark.parametrize("typed", ["", "   ", None, 7])
async def test_blank_title_changes_nothing(ctx: AppContext, tab: Tab, typed: object) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Kept")
    tab.path = f"/c/{conversation.id}"

    await tab.send(ChatState.rename, title=typed)

    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation.id)).title == "Kept"


async def test_stop_ends_the_reply_that_runs_here_and_no_other(ctx: AppContext, tab: Tab) -> None:
    here = await create_conversation(ctx, LOCAL_OWNER)
    elsewhere = await create_conversation(ctx, LOCAL_OWNER)
    for conversation in (here, elsewhere):
        await start_reply(ctx, LOCAL_OWNER, conversation.id, SendRequest("/long 300 /rate 20"))
    tab.path = f"/c/{here.id}"

    await tab.send(ComposerState.stop_reply)

    async with ctx.store.read() as session:
        assert [pair.lifecycle for pair in await load_pairs(session, LOCAL_OWNER, here.id)] == ["canceled"]
    assert [run.place.conversation_id for run in ctx.engine.runs.values()] == [elsewhere.id]


async def test_stop_of_a_reply_that_is_not_ours_does_nothing(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = ByHand.at_work(monkeypatch)
    theirs = await create_conversation(ctx, "somebody else")
    started = await start_reply(ctx, "somebody else", theirs.id, SendRequest("Hello"))
    tab.path = f"/c/{theirs.id}"

    await tab.send(ComposerState.stop_reply)

    hand.say("It goes on.")
    hand.end()
    told = [event async for events in follow(ctx, "somebody else", started.run_id) for event in events]
    assert (text_of(told), told[-1].kind) == ("It goes on.", "done")


async def test_model_of_the_conversation_is_chosen_and_stored(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER)
    tab.path = f"/c/{conversation.id}"
    await tab.send(ModelState.load)
    assert (tab.shows(ModelState, "chosen_in"), tab.shows(ModelState, "chosen")) == (conversation.id, "offline:demo")

    await tab.send(ModelState.choose, model="offline:echo")

    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation.id)).model == "offline:echo"
    assert tab.shows(ModelState, "chosen") == "offline:echo"


@pytest.mark.parametrize("model", ["nobody:model", "no colon"])
async def test_unknown_model_is_refused_with_the_reason(ctx: AppContext, tab: Tab, model: str) -> None:
    with pytest.raises(InputError, match="model"):
        await tab.send(ModelState.choose, model=model)

    assert tab.shows(ModelState, "chosen") == ""


async def test_menu_lists_available_providers_and_names_those_not_set_up(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ModelState.look)

    rows: tuple[OptionRow, ...] = tab.shows(ModelState, "rows")
    assert "offline:demo" in [row.value for row in rows if row.group == "Offline"]
    assert MissingKey("anthropic", "Anthropic") in tab.shows(ModelState, "keyless")
    assert "offline" not in [one.name for one in tab.shows(ModelState, "keyless")]


async def test_menu_lists_models_first_and_then_the_providers_without_models(ctx: AppContext, tab: Tab) -> None:
    await save_provider(ctx, LOCAL_OWNER, "anthropic", key="sk-test", base_url="http://127.0.0.1:9/v1")

    await tab.send(ModelState.look)

    rows: tuple[OptionRow, ...] = tab.shows(ModelState, "rows")
    assert [row.group for row in rows if not row.name] == ["Anthropic"]
    assert rows[-1].group_note.startswith("Anthropic could not be reached")
    assert rows[-1].group == "Anthropic"
