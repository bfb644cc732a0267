"""Sends that do not fit into the budget: the question about them, and what each answer does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest

from app.domain.conversation.marks import Marks, PairMarks
from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError, NotFoundError
from app.domain.settings.preferences import OverBudget, Preferences
from app.runs.app_context import AppContext
from app.runs.attachments.uploads import attach_file
from app.runs.child_calls.summaries import Summary
from app.runs.compare.comparisons import read_comparison
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, create_conversation
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.state.composer import state as composer_state
from app.state.composer import summary as summary_state
from app.state.composer.attachments import AttachmentState
from app.state.composer.sending import Draft, deliver
from app.state.composer.state import ComposerState
from app.state.composer.summary import follow_summary
from app.state.composer.views import OrderKind, SendAnswer
from app.state.conversation.model import ModelState
from app.state.messages.toasts import ToastState
from app.state.tab.visit import VisitState
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_pairs
from app.store.ledger.ledger import load_calls
from tests.runs.steps import reply_to
from tests.state.composer.sends import compare, opened, requests, send, too_much
from tests.state.conftest import Tab
from tests.state.watched import stored, watching


async def test_a_send_that_was_refused_may_be_sent_again_under_its_name(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await too_much(ctx, tab)
    await send(tab, "What now?", "lost-2")
    tab.connection = "second"
    await tab.send(ComposerState.open)  # its dialog was closed with the connection

    await send(tab, "What now?", "lost-2")

    assert tab.shows(ComposerState, "over_budget") is not None
    assert len(await requests(ctx, conversation_id)) == 3


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


async def test_a_send_whose_dialog_is_left_with_its_page_is_refused_and_its_schema_returns_with_its_text(
    ctx: AppContext, tab: Tab
) -> None:
    schema = '{"type": "object"}'
    conversation_id = await too_much(ctx, tab)
    await tab.send(ComposerState.restore, draft="What now?", schema=schema, files="")
    await send(tab, "What now?")
    assert tab.shows(ComposerState, "over_budget") is not None

    tab.path = "/"
    await tab.send(ComposerState.open)
    assert tab.shows(ComposerState, "over_budget") is None
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert tab.shows(ComposerState, "schema") == "", "it belongs to the draft of another page"

    tab.path = f"/c/{conversation_id}"
    await tab.send(ComposerState.restore, draft="What now?", schema="", files="")
    assert tab.shows(ComposerState, "schema") == schema
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


@pytest.mark.parametrize(("typed", "is_sent"), [("", True), ("I have not", False)])
async def test_files_alone_are_sent_after_a_summary_unless_a_text_was_begun_meanwhile(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch, typed: str, *, is_sent: bool
) -> None:
    async def write_meanwhile(ctx: AppContext, conversation_id: str, summary: Summary) -> AsyncGenerator[int]:
        await tab.send(ComposerState.write, draft=typed, typed=True)
        async for characters in follow_summary(ctx, conversation_id, summary):
            yield characters

    monkeypatch.setattr(summary_state, "follow_summary", write_meanwhile)
    await too_much(ctx, tab)
    upload = await attach_file(ctx, LOCAL_OWNER, b"a,b\n", "t.csv")
    await tab.send(AttachmentState.begin, key="a-1", name="t.csv", length=4)
    await tab.send(AttachmentState.finish, key="a-1", status=201, body=json.dumps({"upload_id": upload.id}))
    await send(tab, "")
    assert tab.shows(ComposerState, "over_budget") is not None

    await tab.send(ComposerState.choose_way, key="summarise")

    assert (tab.shows(ComposerState, "order") is not None) is is_sent
    assert [file.name for file in tab.shows(ComposerState, "files")] == ["t.csv"]


async def test_progress_of_a_summary_is_not_shown_on_another_page(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leave(ctx: AppContext, conversation_id: str, summary: Summary) -> AsyncGenerator[int]:
        await tab.until(lambda: tab.shows(ComposerState, "work") is not None)
        tab.path = "/c/another"
        await tab.send(ComposerState.open)
        tab.log.clear()
        yield 7
        async for characters in follow_summary(ctx, conversation_id, summary):
            yield characters

    monkeypatch.setattr(summary_state, "follow_summary", leave)
    await too_much(ctx, tab)
    await send(tab, "What now?")

    await tab.send(ComposerState.choose_way, key="summarise")

    assert not any(tab.received(ComposerState, "work"))
    assert tab.shows(ComposerState, "order") is None


async def test_progress_of_a_summary_that_ends_while_the_settings_are_open_is_gone_afterwards(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def visit_settings(ctx: AppContext, conversation_id: str, summary: Summary) -> AsyncGenerator[int]:
        await tab.until(lambda: tab.shows(ComposerState, "work") is not None)
        tab.path = "/settings"
        await tab.send(VisitState.begin)
        async for characters in follow_summary(ctx, conversation_id, summary):
            yield characters

    monkeypatch.setattr(summary_state, "follow_summary", visit_settings)
    conversation_id = await too_much(ctx, tab)
    await send(tab, "What now?")
    await tab.send(ComposerState.choose_way, key="summarise")

    tab.path = f"/c/{conversation_id}"
    await tab.send(ComposerState.open)

    assert tab.shows(ComposerState, "work") is None


async def test_send_in_another_conversation_does_not_wait_for_a_summary(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await opened(ctx, tab)
    sent = list[str]()

    async def send_elsewhere(ctx: AppContext, conversation_id: str, summary: Summary) -> AsyncGenerator[int]:
        tab.path = f"/c/{other}"
        await tab.send(ComposerState.open)
        sending = asyncio.create_task(send(tab, "/echo elsewhere", "2"))
        await asyncio.wait({sending}, timeout=5)
        sent.extend(await requests(ctx, other))
        async for characters in follow_summary(ctx, conversation_id, summary):
            yield characters

    monkeypatch.setattr(summary_state, "follow_summary", send_elsewhere)
    conversation_id = await too_much(ctx, tab)
    await send(tab, "What now?")

    await tab.send(ComposerState.choose_way, key="summarise")

    assert sent == ["/echo elsewhere"]
    async with ctx.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, conversation_id)).checkpoint is not None


async def test_dialog_does_not_open_on_another_page(ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation_id = await too_much(ctx, tab)

    async def leave(draft: Draft) -> str:
        tab.path = "/c/another"
        await tab.send(ComposerState.open)
        return await deliver(draft)

    monkeypatch.setattr(composer_state, "deliver", leave)
    await send(tab, "What now?")

    assert tab.shows(ComposerState, "over_budget") is None
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),), "the text returns to its draft"
    assert tab.shows(ComposerState, "fault") == ""
    assert tab.shows(ToastState, "toast").message.endswith("Nothing has been sent; your text is saved.")
    await tab.send(ComposerState.choose_way, key="force")
    assert "What now?" not in await requests(ctx, conversation_id)


async def test_models_of_an_earlier_order_do_not_get_the_text_that_is_sent_after_a_summary(
    ctx: AppContext, tab: Tab
) -> None:
    conversation_id = await too_much(ctx, tab)
    await tab.send(ComposerState.compare, models=["offline:demo", "offline:tiny"])  # the text in the box was too long
    await send(tab, "What now?")
    await tab.send(ComposerState.choose_way, key="summarise")

    await send(tab, "What now?", "2", tab.shows(ComposerState, "order").id)

    assert tab.shows(ComposerState, "answers")[-1] == SendAnswer("2", accepted=True)
    assert (await requests(ctx, conversation_id))[-1] == "What now?"
    with pytest.raises(NotFoundError):
        await read_comparison(ctx, LOCAL_OWNER, conversation_id)


async def test_a_larger_model_is_switched_to_and_gets_all(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    for number in range(3):
        await reply_to(ctx, conversation.id, f"/rate 0 /echo {number} {'word ' * 200}")
    await change_conversation(ctx, LOCAL_OWNER, conversation.id, SettingChanges(model="offline:tiny"))
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


async def test_limit_of_the_conversation_is_named_with_what_it_has_used(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await too_much(ctx, tab)
    async with ctx.store.read() as session:
        used = sum(
            call.usage.all_tokens for call in await load_calls(session, LOCAL_OWNER, conversation_id) if call.usage
        )
    await set_preferences(ctx, LOCAL_OWNER, Preferences(conversation_tokens=100))

    await send(tab, "/echo more")

    shown = tab.shows(ComposerState, "over_budget")
    assert used > 100
    assert f"Your limit for a conversation is 100 tokens. This one has used {used:,}, as far as known." in shown.message
    assert shown.ways[0].note == "Exceeds your limit, this time."


async def test_draft_that_does_not_fit_alone_is_kept_too(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await too_much(ctx, tab)
    await set_preferences(ctx, LOCAL_OWNER, Preferences(send_tokens=900))

    await send(tab, "word " * 400)

    shown = tab.shows(ComposerState, "over_budget")
    assert shown.message.startswith(
        "This message does not fit, even without the pairs in view. The limit for Offline demo is 900 tokens"
    )
    assert [way.key for way in shown.ways] == ["force"]
    assert not shown.remembers
    await tab.send(ComposerState.end_over_budget)
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert len(await requests(ctx, conversation_id)) == 3


async def test_failed_summary_sends_nothing_and_reports_it(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await too_much(ctx, tab)
    await send(tab, "What now?")

    async def fail(*_: object, **__: object) -> None:
        raise ConflictError("The summary failed: not today.")

    monkeypatch.setattr(summary_state, "summarise", fail)
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


async def test_question_about_one_of_several_models_with_the_same_name_says_which_one(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name_of(_owner: str, _model: str) -> str:
        return "Same"

    monkeypatch.setattr(ctx.catalogue, "name_of", name_of)
    await too_much(ctx, tab)

    await compare(tab, "offline:tiny", "offline:demo")

    assert "The limit for Same (tiny) is " in tab.shows(ComposerState, "over_budget").message


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
            assert shown.message.startswith(f"{message} The limit for {name} is ")
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
