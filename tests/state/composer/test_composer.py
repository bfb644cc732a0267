"""Sends from the page: their content, their results, and their order."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text as sql

from app.domain.context.context import OutReason
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError, NotFoundError
from app.domain.run.queue import HoldReason
from app.domain.settings.preferences import OverBudget, Preferences
from app.runs.app_context import AppContext
from app.runs.compare.comparisons import read_comparison
from app.runs.library.mark_commands import mark_pairs
from app.runs.library.preference_commands import read_preferences, set_preferences
from app.runs.runtime.event_bus import PairsChanged
from app.runs.send.commands import LOCAL_OWNER, change_conversation, create_conversation, start_reply
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import pause_queue, queue_text, read_queue
from app.runs.trash.trash import list_trash
from app.state.agents.choice import AgentState
from app.state.composer import state as composer_state
from app.state.composer.message_box import MAX_TEXT
from app.state.composer.state import TOO_LONG, ComposerState
from app.state.composer.views import OrderKind, SendAnswer
from app.state.conversation.model import ModelState
from app.state.conversation.system_prompt import SystemPromptState
from app.state.conversation.temporary import TemporaryState
from app.state.reply.deletion import PairDeletionState
from app.store.conversation.conversations import list_conversations, load_conversation
from app.store.conversation.pairs import load_pairs
from app.store.ledger.ledger import load_calls
from tests.runs.steps import reply_to, until_quiet
from tests.state.conftest import Tab
from tests.state.watched import stored, watching, watching_two
from tests.waiting import until

LONG = "A sentence of eight words stands here again. " * 400


async def opened(ctx: AppContext, tab: Tab) -> str:
    """Open a new conversation in the tab."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"
    await tab.send(ComposerState.open)
    await tab.send(ModelState.load)
    return conversation.id


async def send(tab: Tab, text: str, send_id: str = "1", order_id: str = "") -> None:
    await tab.send(ComposerState.send, send_id=send_id, text=text, order_id=order_id)


async def requests(ctx: AppContext, conversation_id: str) -> list[str]:
    async with ctx.store.read() as session:
        pairs = await load_pairs(session, LOCAL_OWNER, conversation_id)
    return [plain_text(pair.request.parts) for pair in pairs]


async def listed(ctx: AppContext) -> list[str]:
    """Return the conversations in the list."""
    async with ctx.store.read() as session:
        return [one.conversation.id for one in await list_conversations(session, LOCAL_OWNER, limit=10)]


async def too_much(ctx: AppContext, tab: Tab) -> str:
    """Create a conversation whose pairs no longer all fit."""
    conversation_id = await opened(ctx, tab)
    for number in range(3):
        await reply_to(ctx, conversation_id, f"/rate 100000\n/echo {number} {LONG}")
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=9_000))
    return conversation_id


async def test_a_text_is_sent_unchanged_and_accepted(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await send(tab, "/echo  two  blanks\n")

    assert await requests(ctx, conversation_id) == ["/echo  two  blanks\n"]
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=True),)


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


async def test_the_model_of_another_conversation_gets_nothing(ctx: AppContext, tab: Tab) -> None:
    await opened(ctx, tab)
    other = await create_conversation(ctx, LOCAL_OWNER, model="offline:tiny")
    tab.path = f"/c/{other.id}"  # and its model is not loaded yet

    await send(tab, "/echo one")

    async with ctx.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, other.id)
    assert pair.model == "offline:tiny"


async def test_a_temporary_conversation_is_started_if_the_switch_is_on(ctx: AppContext, tab: Tab) -> None:
    await tab.send(TemporaryState.want, wanted=True)

    await send(tab, "/echo secret")

    assert ctx.temporary.ctx is not None
    assert await requests(ctx.temporary.ctx, tab.shows(ComposerState, "made")) == ["/echo secret"]


async def test_what_was_chosen_just_before_a_send_counts(ctx: AppContext, tab: Tab) -> None:
    await asyncio.gather(
        tab.send(ComposerState.open),
        tab.send(ModelState.load),  # takes some time
        tab.send(TemporaryState.want, wanted=True),
        send(tab, "/echo secret"),
    )

    assert ctx.temporary.ctx is not None, "the conversation is on the disk"
    assert await requests(ctx.temporary.ctx, tab.shows(ComposerState, "made")) == ["/echo secret"]


async def test_a_text_waits_in_the_queue_while_a_reply_runs(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await start_reply(ctx, LOCAL_OWNER, conversation_id, "/long 4000 /rate 25")

    await send(tab, "/echo later")

    assert [item.text for item in (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items] == ["/echo later"]
    await tab.send(ComposerState.stop_reply)


async def test_two_quick_sends_keep_their_order(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await asyncio.gather(send(tab, "/long 4000 /rate 25", "1"), send(tab, "two", "2"), send(tab, "three", "3"))

    assert await requests(ctx, conversation_id) == ["/long 4000 /rate 25"]
    assert [item.text for item in (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items] == ["two", "three"]
    assert [answer.id for answer in tab.shows(ComposerState, "answers")] == ["1", "2", "3"]
    await tab.send(ComposerState.stop_reply)


async def test_a_send_whose_answer_was_lost_is_not_sent_again(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await send(tab, "/echo one", "lost-1")

    await send(tab, "/echo one", "lost-1")

    assert await requests(ctx, conversation_id) == ["/echo one"]
    answer = SendAnswer("lost-1", accepted=True)
    assert tab.shows(ComposerState, "answers") == (answer, answer)


async def test_a_send_that_was_refused_may_be_sent_again_under_its_name(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await too_much(ctx, tab)
    await send(tab, "What now?", "lost-2")
    tab.connection = "second"
    await tab.send(ComposerState.open)  # its dialog was closed with the connection

    await send(tab, "What now?", "lost-2")

    assert tab.shows(ComposerState, "over_budget") is not None
    assert len(await requests(ctx, conversation_id)) == 3


async def test_stopping_stops_the_reply(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await send(tab, "/long 4000 /rate 25")

    await tab.send(ComposerState.stop_reply)

    assert ctx.engine.runs_of(conversation_id) == ()


@pytest.mark.parametrize("text", ["", "  \n", 7, None])
async def test_what_is_blank_or_no_text_is_refused(ctx: AppContext, tab: Tab, text: object) -> None:
    conversation_id = await opened(ctx, tab)

    await tab.send(ComposerState.send, send_id="1", text=text, order_id="")

    assert await requests(ctx, conversation_id) == []
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)


async def test_a_text_that_is_too_long_is_refused_with_its_reason(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await send(tab, "x" * (MAX_TEXT + 1))

    assert tab.shows(ComposerState, "fault") == TOO_LONG
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert await requests(ctx, conversation_id) == []


async def test_a_text_of_too_many_bytes_is_refused_with_its_size(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await send(tab, "é" * (MAX_TEXT // 2 + 1))

    assert "has 1,048,578 bytes. The maximum for a text is 1,048,576" in tab.shows(ComposerState, "fault")
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert await requests(ctx, conversation_id) == []


async def test_a_refused_text_keeps_its_schema(ctx: AppContext, tab: Tab) -> None:
    await opened(ctx, tab)
    tab.path = "/c/none"
    await tab.send(ComposerState.restore, draft="", schema='{"type":"object"}', files="")

    await send(tab, "one")

    assert "There is no conversation" in tab.shows(ComposerState, "fault")
    assert tab.shows(ComposerState, "schema") == '{"type":"object"}'


async def test_what_does_not_fit_is_asked_about_and_cancelled(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await too_much(ctx, tab)

    await send(tab, "What now?")

    shown = tab.shows(ComposerState, "over_budget")
    assert "of the 3 pairs in view fit" in shown.message
    assert [way.key for way in shown.ways][:3] == ["fit", "force", "summarise"]
    assert tab.shows(ComposerState, "answers") in {None, ()}
    await tab.send(ComposerState.end_over_budget)
    assert tab.shows(ComposerState, "over_budget") is None
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert len(await requests(ctx, conversation_id)) == 3


@pytest.mark.parametrize(("key", "remembered"), [("fit", OverBudget.FIT), ("force", OverBudget.FORCE)])
async def test_an_option_sends_and_is_remembered(ctx: AppContext, tab: Tab, key: str, remembered: OverBudget) -> None:
    conversation_id = await too_much(ctx, tab)
    await send(tab, "What now?")

    await tab.send(ComposerState.remember_way, remembers=True)
    await tab.send(ComposerState.choose_way, key=key)

    assert (await requests(ctx, conversation_id))[-1] == "What now?"
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=True),)
    assert (await read_preferences(ctx, LOCAL_OWNER)).over_budget is remembered


async def test_older_pairs_are_summarised_and_the_text_is_sent_then(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await too_much(ctx, tab)
    await send(tab, "What now?")

    await tab.send(ComposerState.choose_way, key="summarise")

    order = tab.shows(ComposerState, "order")
    assert (order.kind, order.text) == (OrderKind.SEND, "What now?")
    assert tab.shows(ComposerState, "work") is None
    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation_id)).checkpoint is not None
    await send(tab, "What now?", "2", order.id)
    assert tab.shows(ComposerState, "order") is None
    assert (await requests(ctx, conversation_id))[-1] == "What now?"


async def test_a_larger_model_is_switched_to_and_gets_all(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    for number in range(3):
        await reply_to(ctx, conversation.id, f"/rate 0 /echo {number} {'word ' * 200}")
    await change_conversation(ctx, LOCAL_OWNER, conversation.id, model="offline:tiny")
    tab.path = f"/c/{conversation.id}"
    await tab.send(ComposerState.open)
    await tab.send(ModelState.load)
    await send(tab, "What now?")
    assert "of the 3 pairs in view fit" in tab.shows(ComposerState, "over_budget").message

    await tab.send(ComposerState.choose_way, key="model offline:demo")

    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation.id)).model == "offline:demo"
        sent = (await load_pairs(session, LOCAL_OWNER, conversation.id))[-1]
    assert (plain_text(sent.request.parts), sent.model) == ("What now?", "offline:demo")
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=True),)


async def test_first_message_switches_its_conversation_to_the_larger_model(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ComposerState.open)
    await tab.send(ModelState.choose, model="offline:tiny")
    await send(tab, LONG)

    await tab.send(ComposerState.choose_way, key="model offline:demo")

    async with ctx.store.read() as session:
        conversation = await load_conversation(session, LOCAL_OWNER, tab.shows(ComposerState, "made"))
        (sent,) = await load_pairs(session, LOCAL_OWNER, conversation.id)
    assert (conversation.model, sent.model) == ("offline:demo", "offline:demo")


async def test_what_a_filter_leaves_out_is_no_reason_to_ask(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await too_much(ctx, tab)
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=14_000))
    await send(tab, "What now?")
    assert tab.shows(ComposerState, "over_budget") is not None
    await tab.send(ComposerState.end_over_budget)

    async with watching(ctx, tab, conversation_id, options=ViewOptions(filter="r1")):
        await send(tab, "What now?", "2")

        assert tab.shows(ComposerState, "over_budget") is None
        assert (await requests(ctx, conversation_id))[-1] == "What now?"


async def test_draft_that_does_not_fit_alone_is_kept_too(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await too_much(ctx, tab)
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=900))

    await send(tab, "word " * 400)

    shown = tab.shows(ComposerState, "over_budget")
    assert shown.message.startswith(
        "This message does not fit, even without the pairs in view. The limit is 900 tokens"
    )
    assert [way.key for way in shown.ways] == ["force"]
    assert not shown.remembers
    await tab.send(ComposerState.end_over_budget)
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert len(await requests(ctx, conversation_id)) == 3


async def test_first_message_that_does_not_fit_is_asked_about_and_sent_as_chosen(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=900))
    await tab.send(ComposerState.open)
    text = "/echo " + "word " * 400

    await send(tab, text)
    shown = tab.shows(ComposerState, "over_budget")
    assert shown.message.startswith("This message does not fit. The limit is 900 tokens: your token limit. 800")
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


async def test_two_tabs_that_send_at_once_send_each_text_once(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    other = Tab(tab.processor, tab.path)
    await other.send(ComposerState.open)

    await asyncio.gather(send(tab, "/long 4000 /rate 25"), send(other, "/long 3000 /rate 25"))

    waiting = [item.text for item in (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items]
    sent = await requests(ctx, conversation_id)
    assert (len(sent), sorted([*sent, *waiting])) == (1, ["/long 3000 /rate 25", "/long 4000 /rate 25"])
    await tab.send(ComposerState.stop_reply)


async def test_failed_summary_sends_nothing_and_reports_it(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await too_much(ctx, tab)
    await send(tab, "What now?")

    async def fail(*_: object, **__: object) -> None:
        raise ConflictError("The summary failed: not today.")

    monkeypatch.setattr(composer_state, "summarise", fail)
    await tab.send(ComposerState.choose_way, key="summarise")

    assert tab.shows(ComposerState, "fault") == "The summary failed: not today."
    assert tab.shows(ComposerState, "work") is None
    assert tab.shows(ComposerState, "order") is None
    assert len(await requests(ctx, conversation_id)) == 3


async def test_an_unknown_option_sends_nothing(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await tab.send(ComposerState.choose_way, key="fit")
    await tab.send(ComposerState.stop_summary)

    assert await requests(ctx, conversation_id) == []


async def test_a_held_queue_is_resumed(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await start_reply(ctx, LOCAL_OWNER, conversation_id, "/long 4000 /rate 25")
    await queue_text(ctx, LOCAL_OWNER, conversation_id, "/echo waited")
    await pause_queue(ctx, LOCAL_OWNER, conversation_id)

    await tab.send(ComposerState.resume_queue)

    assert tab.shows(ComposerState, "fault") in {None, ""}
    await tab.send(ComposerState.stop_reply)


async def test_refusal_of_a_queued_text_is_shown_by_the_queue_alone(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await start_reply(ctx, LOCAL_OWNER, conversation_id, "/long 4000 /rate 25")
    await queue_text(
        ctx, LOCAL_OWNER, conversation_id, "/echo waited", ViewOptions(model="anthropic:claude-sonnet-4-5")
    )
    await tab.send(ComposerState.stop_reply)

    await tab.send(ComposerState.resume_queue)

    hold = (await read_queue(ctx, LOCAL_OWNER, conversation_id)).hold
    assert hold is not None
    assert hold.reason is HoldReason.REFUSED
    assert tab.shows(ComposerState, "fault") in {None, ""}


async def test_texts_for_the_box_are_put_once(ctx: AppContext, tab: Tab) -> None:
    await opened(ctx, tab)

    await tab.send(ComposerState.put, text="Repair it.", schema='{"type":"array"}')

    order = tab.shows(ComposerState, "order")
    assert (order.kind, order.text) == (OrderKind.PUT, "Repair it.")
    assert tab.shows(ComposerState, "schema") == '{"type":"array"}'
    await tab.send(ComposerState.finish_order, order_id="another")
    assert tab.shows(ComposerState, "order") == order
    await tab.send(ComposerState.finish_order, order_id=order.id)
    assert tab.shows(ComposerState, "order") is None
    await tab.send(ComposerState.put_if_empty, text="Again")
    assert tab.shows(ComposerState, "order").kind is OrderKind.PUT_IF_EMPTY


async def test_models_to_compare_get_what_is_written(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await tab.send(ComposerState.compare, models=["offline:demo", "offline:tiny"])
    order = tab.shows(ComposerState, "order")
    await send(tab, "/echo both", "1", order.id)

    async with ctx.store.read() as session:
        assert await load_pairs(session, LOCAL_OWNER, conversation_id) == ()
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=True),)


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
    await tab.send(ComposerState.write, draft="Hello", typed=True)
    split = tab.shows(ComposerState, "split")
    await tab.send(SystemPromptState.save, form={"prompt": "Be brief."})
    await tab.send(ComposerState.write, draft="Hello", typed=True)

    assert split.title == "Only the new request is sent"
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


async def test_a_restored_draft_brings_its_schema(ctx: AppContext, tab: Tab) -> None:
    await opened(ctx, tab)

    await tab.send(ComposerState.restore, draft="half", schema='{"type":"object"}', files="")

    assert tab.shows(ComposerState, "schema") == '{"type":"object"}'


async def test_a_page_that_opens_late_forgets_nothing_of_what_was_sent_on_it(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="anthropic:claude-sonnet-4-5")
    tab.path = f"/c/{conversation.id}"

    await send(tab, "one")
    await tab.send(ComposerState.open)

    assert "There is no key" in tab.shows(ComposerState, "fault")
    tab.path = "/c/another"
    await tab.send(ComposerState.open)
    assert tab.shows(ComposerState, "fault") == ""


async def test_a_send_of_other_pairs_than_were_counted_on_screen_is_asked_about(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        first = (await stored(watcher))[0]
        watcher.view.change(60)  # the screen does not change
        await mark_pairs(ctx, LOCAL_OWNER, watcher.conversation_id, [PairMarks(first.id, Marks(deleted=True))])
        watcher.view.change(60)

        await send(tab, "What now?")

        shown = tab.shows(ComposerState, "over_budget")
        assert shown.title == "The context has changed"
        assert shown.message.startswith("1 pair would be sent now, instead of the 2 pairs counted before.")
        assert [way.name for way in shown.ways] == ["Send 1 pair"]
        assert await requests(ctx, watcher.conversation_id) == ["/echo two"]
        await tab.send(ComposerState.choose_way, key="as-counted")
        assert await requests(ctx, watcher.conversation_id) == ["/echo two", "What now?"]


async def test_what_is_counted_on_screen_is_sent_without_a_question(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget") is None
        assert await requests(ctx, watcher.conversation_id) == ["/echo one", "/echo two", "What now?"]


async def test_pairs_that_came_to_the_screen_go_along_although_they_are_not_counted_yet(
    ctx: AppContext, tab: Tab
) -> None:
    async with watching_two(ctx, tab) as watcher:
        watcher.view.change(60)  # later statements are not counted
        for number, text in enumerate(("/echo three", "/echo four"), 3):
            await send(tab, text, send_id=text)
            await until(lambda: [pair.lifecycle for pair in watcher.screen.pairs] == [Lifecycle.SUCCEEDED] * number)  # noqa: B023 - it holds within this round

        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget") is None
        assert (await requests(ctx, watcher.conversation_id))[-2:] == ["/echo four", "What now?"]


async def test_a_pair_that_was_deleted_on_this_page_is_not_asked_about(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        first = (await stored(watcher))[0]
        watcher.view.change(60)  # later statements are not counted
        await tab.send(PairDeletionState.delete, pair_id=first.id)
        await until(lambda: len(watcher.screen.pairs) == 1)
        watcher.view.change(60)

        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget") is None
        assert await requests(ctx, watcher.conversation_id) == ["/echo two", "What now?"]


async def test_pair_that_is_shown_as_damaged_is_not_asked_about(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        first = (await stored(watcher))[0]
        watcher.view.change(60)  # later statements are not counted
        async with ctx.store.write() as session:
            statement = sql("UPDATE message SET parts = '[' WHERE id = (SELECT reply_id FROM pair WHERE id = :id)")
            await session.execute(statement, {"id": first.id})
        ctx.event_bus.publish(LOCAL_OWNER, watcher.conversation_id, PairsChanged((first.id,)))
        await until(lambda: watcher.screen.pairs[0].out is OutReason.DAMAGED)
        watcher.view.change(60)

        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget") is None
        assert await requests(ctx, watcher.conversation_id) == ["/echo one", "/echo two", "What now?"]


async def test_another_pair_that_goes_elsewhere_is_asked_about_although_one_was_deleted_here(
    ctx: AppContext, tab: Tab
) -> None:
    async with watching_two(ctx, tab) as watcher:
        first, second = await stored(watcher)
        watcher.view.change(60)
        await tab.send(PairDeletionState.delete, pair_id=first.id)
        await mark_pairs(ctx, LOCAL_OWNER, watcher.conversation_id, [PairMarks(second.id, Marks(deleted=True))])
        await until(lambda: not watcher.screen.pairs)
        watcher.view.change(60)

        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget").title == "The context has changed"


async def test_a_pair_that_came_back_and_goes_again_elsewhere_is_asked_about(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        first = (await stored(watcher))[0]
        await tab.send(PairDeletionState.delete, pair_id=first.id)
        await until(lambda: len(watcher.screen.pairs) == 1)
        await tab.send(PairDeletionState.take_back, pair_id=first.id)
        await until(lambda: len(watcher.screen.pairs) == 2)
        watcher.view.change(60)
        await mark_pairs(ctx, LOCAL_OWNER, watcher.conversation_id, [PairMarks(first.id, Marks(deleted=True))])
        await until(lambda: len(watcher.screen.pairs) == 1)
        watcher.view.change(60)

        await send(tab, "What now?")

        assert tab.shows(ComposerState, "over_budget").title == "The context has changed"


async def compare(tab: Tab, *models: str) -> None:
    """Send "What now?" to these models."""
    await tab.send(ComposerState.open)
    await tab.send(ComposerState.compare, models=list(models))
    await send(tab, "What now?", "1", tab.shows(ComposerState, "order").id)


@pytest.mark.parametrize("models", [("offline:tiny", "offline:demo"), ("offline:tiny", "offline:thinker")])
async def test_a_comparison_of_other_pairs_than_were_counted_on_screen_is_asked_about(
    ctx: AppContext, tab: Tab, models: tuple[str, str]
) -> None:
    async with watching_two(ctx, tab) as watcher:
        first = (await stored(watcher))[0]
        watcher.view.change(60)
        await mark_pairs(ctx, LOCAL_OWNER, watcher.conversation_id, [PairMarks(first.id, Marks(deleted=True))])
        watcher.view.change(60)

        await compare(tab, *models)

        shown = tab.shows(ComposerState, "over_budget")
        assert shown.message.startswith(
            "1 pair would be sent to Offline demo now, instead of the 2 pairs counted before."
        )
        with pytest.raises(NotFoundError):
            await read_comparison(ctx, LOCAL_OWNER, watcher.conversation_id)
        await tab.send(ComposerState.choose_way, key="as-counted")
        comparison, _ = await read_comparison(ctx, LOCAL_OWNER, watcher.conversation_id)
        assert [(run.model, len(run.sent)) for run in comparison.runs] == [(model, 1) for model in models]


async def test_a_comparison_of_what_is_counted_on_screen_begins_without_a_question(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        await compare(tab, "offline:demo", "offline:tiny")

        assert tab.shows(ComposerState, "over_budget") is None
        await read_comparison(ctx, LOCAL_OWNER, watcher.conversation_id)


@pytest.mark.parametrize("keys", [("fit", "force"), ("force", "fit"), ("fit", "fit")])
async def test_each_model_of_a_comparison_that_does_not_fit_gets_what_was_chosen_for_it(
    ctx: AppContext, tab: Tab, keys: tuple[str, str]
) -> None:
    conversation_id = await too_much(ctx, tab)
    models = ("offline:tiny", "offline:demo")
    messages = ("None of the 3 pairs in view fits together with the draft.", "1 of the 3 pairs in view fits.")
    fitting = ((), ((3, 3),))
    async with watching(ctx, tab, conversation_id):
        await compare(tab, *models)
        for name, message, key in zip(("Offline tiny", "Offline demo"), messages, keys, strict=True):
            shown = tab.shows(ComposerState, "over_budget")
            assert shown.message.startswith(f"{name}: {message}")
            with pytest.raises(NotFoundError):
                await read_comparison(ctx, LOCAL_OWNER, conversation_id)

            await tab.send(ComposerState.choose_way, key=key)

        assert tab.shows(ComposerState, "over_budget") is None
        comparison, _ = await read_comparison(ctx, LOCAL_OWNER, conversation_id)
        assert [(run.model, run.sent) for run in comparison.runs] == [
            (model, fits if key == "fit" else ((1, 3),)) for model, fits, key in zip(models, fitting, keys, strict=True)
        ]


async def test_cancel_at_the_second_model_of_a_comparison_sends_and_remembers_nothing(
    ctx: AppContext, tab: Tab
) -> None:
    conversation_id = await too_much(ctx, tab)
    async with watching(ctx, tab, conversation_id):
        await compare(tab, "offline:tiny", "offline:demo")
        await tab.send(ComposerState.remember_way, remembers=True)
        await tab.send(ComposerState.choose_way, key="fit")
        assert tab.shows(ComposerState, "over_budget").model == "offline:demo"

        await tab.send(ComposerState.end_over_budget)

        assert tab.shows(ComposerState, "answers")[-1].accepted is False
        assert (await read_preferences(ctx, LOCAL_OWNER)).over_budget is OverBudget.ASK
        with pytest.raises(NotFoundError):
            await read_comparison(ctx, LOCAL_OWNER, conversation_id)


async def test_a_comparison_that_does_not_fit_is_asked_about_again_if_the_pairs_change(
    ctx: AppContext, tab: Tab
) -> None:
    conversation_id = await too_much(ctx, tab)
    async with watching(ctx, tab, conversation_id) as watcher:
        await compare(tab, "offline:tiny", "offline:demo")
        last = (await stored(watcher))[-1]
        watcher.view.change(60)
        await mark_pairs(ctx, LOCAL_OWNER, conversation_id, [PairMarks(last.id, Marks(deleted=True))])

        await tab.send(ComposerState.choose_way, key="force")

        assert tab.shows(ComposerState, "over_budget").title == "The context has changed"
        assert tab.shows(ComposerState, "over_budget").model == "offline:tiny"
        with pytest.raises(NotFoundError):
            await read_comparison(ctx, LOCAL_OWNER, conversation_id)
