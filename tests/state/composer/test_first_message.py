"""The first message of a conversation: its estimate, its conversation, and what is left if it is not sent."""

from __future__ import annotations

import pytest

from app.domain.errors import ConflictError
from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import set_preferences
from app.runs.trash.trash import list_trash
from app.state.agents.choice import AgentState
from app.state.composer import state as composer_state
from app.state.composer.first_message import deliver_first
from app.state.composer.sending import Draft
from app.state.composer.state import ComposerState
from app.state.composer.views import SendAnswer
from app.state.conversation.model import ModelState
from app.state.conversation.system_prompt import SystemPromptState
from app.state.conversation.temporary import TemporaryState
from app.state.messages.toasts import ToastState
from app.state.tab.visit import VisitState
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_pairs
from app.store.ledger.ledger import load_calls
from tests.runs.steps import until_quiet
from tests.state.composer.sends import LONG, listed, opened, requests, send
from tests.state.conftest import Tab


async def test_the_first_text_begins_a_conversation_with_the_chosen_model(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ComposerState.open)
    await tab.send(ModelState.choose, model="offline:tiny")
    await tab.send(AgentState.load)

    await send(tab, "/echo one")

    made = tab.shows(ComposerState, "made")
    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, made)).model == "offline:tiny"
    assert await requests(ctx, made) == ["/echo one"]
    assert tab.way == [f"/c/{made}"]


async def test_first_message_switches_its_conversation_to_the_larger_model(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ComposerState.open)
    await tab.send(ModelState.choose, model="offline:tiny")
    await send(tab, LONG)

    await tab.send(ComposerState.choose_way, key="model offline:demo")

    async with ctx.store.read() as session:
        conversation = await load_conversation(session, LOCAL_OWNER, tab.shows(ComposerState, "made"))
        (sent,) = await load_pairs(session, LOCAL_OWNER, conversation.id)
    assert (conversation.model, sent.model) == ("offline:demo", "offline:demo")


async def test_first_message_that_does_not_fit_is_asked_about_and_sent_as_chosen(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=900))
    await tab.send(ComposerState.open)
    text = "/echo " + "word " * 400

    await send(tab, text)
    shown = tab.shows(ComposerState, "over_budget")
    assert shown.message.startswith(
        "This message does not fit. The limit for Offline demo is 900 tokens: your token limit. 800"
    )
    assert [way.name for way in shown.ways] == ["Send it anyway"]
    await tab.send(ComposerState.choose_way, key="force")

    assert await requests(ctx, tab.shows(ComposerState, "made")) == [text]


async def test_first_message_that_is_sent_as_chosen_leads_to_its_conversation(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=900))
    await tab.send(ComposerState.open)

    await send(tab, "/echo " + "word " * 400)
    await tab.send(ComposerState.choose_way, key="force")

    assert tab.way == [f"/c/{tab.shows(ComposerState, 'made')}"]
    assert await listed(ctx) == [tab.shows(ComposerState, "made")]


async def test_first_message_that_is_cancelled_leaves_no_conversation(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=900))
    await tab.send(ComposerState.open)
    await tab.send(SystemPromptState.save, form={"prompt": "Be brief."})

    await send(tab, "/echo " + "word " * 400)
    while_asked = await listed(ctx)
    await tab.send(ComposerState.end_over_budget)

    assert while_asked == await listed(ctx) == []
    assert (await list_trash(ctx, LOCAL_OWNER, limit=1)).entries == ()
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert tab.shows(SystemPromptState, "new") == "Be brief."
    assert tab.way == []


async def test_first_message_whose_dialog_is_left_with_the_page_is_refused(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=900))
    await tab.send(ComposerState.open)
    await send(tab, "/echo " + "word " * 400)
    assert tab.shows(ComposerState, "over_budget") is not None

    await opened(ctx, tab)

    # Until it has an answer, the start page sends no other message.
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)


@pytest.mark.parametrize("path", ["/settings", "/c/another"])
async def test_first_message_that_is_refused_after_its_page_was_left_is_explained_there(
    tab: Tab, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    async def leave(_: object) -> tuple[str, str]:
        tab.path = path
        await tab.send(VisitState.begin)
        raise ConflictError("Not today.")

    monkeypatch.setattr(composer_state, "deliver_first", leave)
    await tab.send(ComposerState.open)

    await send(tab, "Hello")

    assert tab.shows(ToastState, "toast").message == "Not today."
    assert tab.shows(ComposerState, "fault") == ""
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)


async def test_second_text_of_the_start_page_that_is_refused_returns_to_the_conversation_of_the_first(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = '{"type": "object"}'
    await tab.send(ComposerState.open)
    await send(tab, "/echo one")
    made = tab.shows(ComposerState, "made")

    async def follow_the_redirect(draft: Draft) -> str:
        tab.path = f"/c/{draft.conversation_id}"
        await tab.send(ComposerState.open)
        raise ConflictError("Not today.")

    monkeypatch.setattr(composer_state, "deliver", follow_the_redirect)
    await tab.send(ComposerState.restore, draft="two", schema=schema, files="")
    await send(tab, "two", "2")

    assert tab.path == f"/c/{made}"
    assert tab.shows(ComposerState, "answers")[-1] == SendAnswer("2", accepted=False, moved=made)
    assert tab.shows(ComposerState, "fault") == "Not today.", "it is shown above the box that has the text"
    assert tab.shows(ComposerState, "schema") == schema
    assert await listed(ctx) == [made]


async def test_dialog_of_a_first_message_does_not_open_on_a_page_without_composer(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leave(draft: Draft) -> tuple[str, str]:
        tab.path = "/settings"
        await tab.send(VisitState.begin)
        return await deliver_first(draft)

    monkeypatch.setattr(composer_state, "deliver_first", leave)
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=900))
    await tab.send(ComposerState.open)

    await send(tab, "/echo " + "word " * 400)

    assert tab.shows(ComposerState, "over_budget") is None
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert tab.shows(ToastState, "toast").message.endswith("Nothing has been sent; your text is saved.")


@pytest.mark.parametrize("temporary", [False, True])
async def test_first_message_that_the_provider_check_refuses_leaves_no_conversation(
    ctx: AppContext, tab: Tab, *, temporary: bool
) -> None:
    await tab.send(ComposerState.open)
    await tab.send(ModelState.choose, model="anthropic:claude-sonnet-4-5")  # it has no key
    await tab.send(TemporaryState.want, wanted=temporary)

    await send(tab, "Hello")

    assert tab.shows(ComposerState, "fault").startswith('There is no key for provider "anthropic".')
    assert tab.shows(ComposerState, "fault_provider") == "anthropic"
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert tab.shows(TemporaryState, "wanted") is temporary
    assert await listed(ctx) == []
    if temporary:
        assert ctx.temporary.ctx is not None
        assert await listed(ctx.temporary.ctx) == []


async def test_secrets_of_a_first_draft_are_named(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(redact=True))

    await tab.send(ComposerState.write, draft="sk-ant-api03-" + "a" * 80, typed=True)
    await tab.send(ComposerState.estimate_first)

    assert tab.shows(ComposerState, "kept_back").startswith("Redacted before sending: ")


async def test_first_message_has_an_estimate_and_a_price_before_it_is_sent(ctx: AppContext, tab: Tab) -> None:
    await create_conversation(ctx, LOCAL_OWNER, model="offline:demo", system_prompt="Of another conversation.")
    await tab.send(ComposerState.open)
    await tab.send(ModelState.choose, model="offline:demo")
    await tab.send(ComposerState.estimate_first)
    empty = tab.shows(ComposerState, "estimate")
    text = "/echo " + "word " * 300

    await tab.send(ComposerState.write, draft=text, typed=True)
    await tab.send(ComposerState.estimate_first)
    written = tab.shows(ComposerState, "estimate")
    await send(tab, text)
    await until_quiet(ctx)

    assert (empty.draft, written.pairs) == (0, 0)
    assert written.draft > 300
    assert tab.shows(ComposerState, "split").cost == "free"
    async with ctx.store.read() as session:
        (call,) = await load_calls(session, LOCAL_OWNER, tab.shows(ComposerState, "made"))
    assert call.counted is not None
    assert call.counted.estimated_tokens == written.tokens


async def test_split_of_a_first_message_says_what_is_sent_and_what_each_figure_is(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ComposerState.open)
    await tab.send(ComposerState.estimate_first)
    empty = tab.shows(ComposerState, "split")
    await tab.send(ComposerState.write, draft="Hello", typed=True)
    split = tab.shows(ComposerState, "split")
    await tab.send(SystemPromptState.save, form={"prompt": "Be brief."})
    await tab.send(ComposerState.write, draft="Hello", typed=True)

    assert (empty.title, empty.tokens, empty.certainty, empty.cost, empty.rows) == (
        *("Nothing to send yet", "0", "", "free"),
        (),
    )
    assert split.title == "Only the new request is sent"
    assert (split.tokens[0], split.certainty) == ("~", "")
    assert [row.name for row in split.rows] == ["Request overhead", "Tools", "0 pairs sent", "Draft"]
    assert tab.shows(ComposerState, "split").rows[0].name == "System"


async def test_estimate_of_a_first_message_follows_its_system_prompt_schema_and_files(
    ctx: AppContext, tab: Tab
) -> None:
    await tab.send(ComposerState.open)
    await tab.send(ComposerState.estimate_first)
    plain = tab.shows(ComposerState, "estimate")

    await tab.send(SystemPromptState.save, form={"prompt": "Answer with care. " * 20})
    await tab.send(ComposerState.restore, draft="", schema='{"type": "object"}', files="")
    await tab.send(ComposerState.estimate_first)

    assert tab.shows(ComposerState, "estimate").system > plain.system + 50
    assert tab.shows(ComposerState, "estimate").draft > 0


async def test_estimate_of_a_first_message_never_appears_in_a_conversation(ctx: AppContext, tab: Tab) -> None:
    await opened(ctx, tab)

    await tab.send(ComposerState.estimate_first)

    assert tab.shows(ComposerState, "estimate") is None
