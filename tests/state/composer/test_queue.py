"""The queue in state: edited while paused, moved, dropped and restored; and events that no page sends."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from app.domain.conversation.parts import plain_text
from app.domain.run.queue import Hold, HoldReason
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import QueuedChanges, change_queued, drop_queued, queue_text, read_queue
from app.runs.send.send_request import SendRequest
from app.state.composer.queue import QueueState, describe_queue
from app.state.composer.state import ComposerState
from app.state.composer.views import OrderKind
from app.state.messages.toasts import ToastState
from app.state.transcript.transcript import TranscriptState
from app.state.undo.undo import UndoState
from app.store.conversation.conversations import load_conversation
from app.store.conversation.pairs import load_pairs
from app.views.conversation.queue import HoldView
from app.views.reply.panels import QueuedItemView, ScreenQueueView
from tests.runs.steps import reply_to, send
from tests.state.conftest import Tab
from tests.state.watched import running
from tests.waiting import until

SLOW = "/long 4000 /rate 25"


class Waiting:
    """A conversation with a running reply and queued texts, shown in the tab."""

    def __init__(self, ctx: AppContext, tab: Tab, conversation_id: str) -> None:
        self.ctx, self.tab, self.conversation_id = ctx, tab, conversation_id

    async def texts(self) -> list[str]:
        return [item.text for item in (await read_queue(self.ctx, LOCAL_OWNER, self.conversation_id)).items]

    async def hold(self) -> Hold | None:
        return (await read_queue(self.ctx, LOCAL_OWNER, self.conversation_id)).hold

    @property
    def shown(self) -> list[QueuedItemView]:
        queue = self.tab.shows(QueueState, "queue")
        return [] if queue is None else list(queue.items)

    async def shows(self, *texts: str) -> None:
        await until(lambda: [item.text for item in self.shown] == list(texts))


@pytest.fixture
async def waiting(ctx: AppContext, tab: Tab) -> AsyncGenerator[Waiting]:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await send(ctx, conversation.id, SLOW)
    for text in ("one", "two"):
        await queue_text(ctx, LOCAL_OWNER, conversation.id, SendRequest(text))
    await tab.send(ComposerState.open)
    tab.path = f"/c/{conversation.id}"
    made = Waiting(ctx, tab, conversation.id)
    async with running(tab, TranscriptState.open):
        await made.shows("one", "two")
        yield made
        await tab.send(ComposerState.stop_reply)


async def test_leaving_an_edit_is_called_discard_only_if_text_would_be_lost(waiting: Waiting, tab: Tab) -> None:
    await tab.send(QueueState.edit, item_id=waiting.shown[1].id)
    changes: list[bool] = []
    for text in ("two", "two, better", "two", "two, best"):
        await tab.send(QueueState.write, text=text)
        changes.append(tab.shows(QueueState, "changed") or False)
    assert changes == [False, True, False, True]

    await tab.send(QueueState.leave)
    await tab.send(QueueState.edit, item_id=waiting.shown[1].id)
    assert not tab.shows(QueueState, "changed")


async def test_an_edit_pauses_the_queue_until_it_is_saved(waiting: Waiting, tab: Tab) -> None:
    item = waiting.shown[1]

    await tab.send(QueueState.edit, item_id=item.id)
    assert await waiting.hold() == Hold(HoldReason.PAUSED)
    assert tab.shows(QueueState, "edited") == item
    assert tab.shows(QueueState, "said") == "Paused while you edit."

    await tab.send(QueueState.save, form={"text": "two, better"})
    await waiting.shows("one", "two, better")
    assert await waiting.hold() is None
    assert tab.shows(QueueState, "edited") is None
    assert tab.shows(ComposerState, "order").kind is OrderKind.FOCUS


async def test_an_edit_that_is_left_changes_nothing_and_the_next_one_is_paused_again(
    waiting: Waiting, tab: Tab
) -> None:
    first, second = waiting.shown
    await tab.send(QueueState.edit, item_id=first.id)
    await tab.send(QueueState.leave)
    await tab.send(QueueState.edit, item_id=second.id)

    assert await waiting.hold() == Hold(HoldReason.PAUSED)
    assert await waiting.texts() == ["one", "two"]
    await tab.send(QueueState.leave)
    assert await waiting.hold() is None


async def test_a_queue_that_was_held_before_stays_held_after_an_edit(waiting: Waiting, tab: Tab) -> None:
    await tab.send(ComposerState.stop_reply)
    await until(lambda: tab.shows(QueueState, "queue").held is not None)

    await tab.send(QueueState.edit, item_id=waiting.shown[0].id)
    await tab.send(QueueState.save, form={"text": "one, better"})

    assert (await waiting.hold()) == Hold(HoldReason.STOPPED)
    assert await waiting.texts() == ["one, better", "two"]


async def test_what_was_edited_elsewhere_meanwhile_is_not_overwritten(
    ctx: AppContext, waiting: Waiting, tab: Tab
) -> None:
    item = waiting.shown[0]
    await tab.send(QueueState.edit, item_id=item.id)
    await change_queued(ctx, LOCAL_OWNER, waiting.conversation_id, item.id, QueuedChanges(text="elsewhere"))

    await tab.send(QueueState.save, form={"text": "here"})

    assert await waiting.texts() == ["elsewhere", "two"]
    assert tab.shows(ToastState, "toast").fault
    assert tab.shows(QueueState, "edited") == item, "the edit is still open"


async def test_an_unfinished_edit_is_shown_again(waiting: Waiting, tab: Tab) -> None:
    item = waiting.shown[0]
    await tab.send(QueueState.edit, item_id=item.id)
    await tab.send(QueueState.write, text="one, unfinished")
    tab.path = "/"
    await tab.send(TranscriptState.open)
    assert tab.shows(QueueState, "edited") is None

    tab.path = f"/c/{waiting.conversation_id}"
    async with running(tab, TranscriptState.open):
        await waiting.shows("one", "two")
        await tab.send(QueueState.edit, item_id=item.id)
        assert tab.shows(QueueState, "draft") == "one, unfinished"
        await tab.send(QueueState.leave)
        await tab.send(QueueState.edit, item_id=item.id)
        assert tab.shows(QueueState, "draft") == "one"
        await tab.send(QueueState.leave)


async def test_an_edit_of_what_waits_no_longer_is_put_into_the_message_box(
    ctx: AppContext, waiting: Waiting, tab: Tab
) -> None:
    item = waiting.shown[0]
    await tab.send(QueueState.edit, item_id=item.id)
    await drop_queued(ctx, LOCAL_OWNER, waiting.conversation_id, item.id)
    await until(lambda: tab.shows(QueueState, "lost") is True)
    assert [(row.text, row.number, row.last) for row in tab.shows(QueueState, "rows")] == [
        ("one", 0, False),
        ("two", 1, True),
    ]

    await tab.send(QueueState.save, form={"text": "one, better"})

    order = tab.shows(ComposerState, "order")
    assert (order.kind, order.text) == (OrderKind.PUT, "one, better")
    assert tab.shows(QueueState, "edited") is None
    assert await waiting.hold() is None


async def test_an_edit_continues_while_the_page_reconnects(waiting: Waiting, tab: Tab) -> None:
    item = waiting.shown[0]
    await tab.send(QueueState.edit, item_id=item.id)
    tab.vars.clear()
    tab.log.clear()

    async with running(tab, TranscriptState.open):
        await waiting.shows("one", "two")

        assert True not in tab.received(QueueState, "lost"), "it waits still: Enter saves it"
        assert () not in tab.received(QueueState, "rows"), "its form would be drawn anew"
        await tab.send(QueueState.save, form={"text": "one, better"})
        await waiting.shows("one, better", "two")


async def test_texts_are_moved_dropped_and_restored_at_their_position(waiting: Waiting, tab: Tab) -> None:
    first, second = waiting.shown
    await tab.send(QueueState.move, item_id=second.id, place=0)
    await waiting.shows("two", "one")
    await tab.send(QueueState.drop, item_id=second.id)
    await waiting.shows("one")
    toast = tab.shows(ToastState, "toast")
    assert (toast.message, toast.undo) == ("Removed from the queue", True)

    await tab.send(ToastState.undo, toast_id=toast.id)

    await waiting.shows("two", "one")
    assert waiting.shown[1] == first
    assert tab.shows(ToastState, "toast").message == "Undone: removed from the queue"


async def test_what_is_put_back_after_a_stop_is_not_sent_by_that(waiting: Waiting, tab: Tab) -> None:
    await tab.send(ComposerState.stop_reply)
    await until(lambda: tab.shows(QueueState, "queue").held is not None)
    for item in waiting.shown:
        await tab.send(QueueState.drop, item_id=item.id)
    await waiting.shows()

    await tab.send(UndoState.undo_last)

    await waiting.shows("two")
    assert await waiting.hold() == Hold(HoldReason.PAUSED)


async def test_queue_without_a_running_reply_is_reported_after_a_while(waiting: Waiting, tab: Tab) -> None:
    await tab.send(QueueState.settle)
    assert not tab.shows(QueueState, "idle"), "a reply runs"
    await tab.send(ComposerState.stop_reply)
    await until(lambda: tab.shows(QueueState, "running") is False)
    await tab.send(QueueState.settle)
    assert tab.shows(QueueState, "idle")


@pytest.mark.parametrize("value", ["nobody", "", 7.5, None, "x" * 100])
async def test_no_page_sends_this(waiting: Waiting, tab: Tab, value: object) -> None:
    await tab.send(QueueState.edit, item_id=value)
    await tab.send(QueueState.save, form={"text": value})
    await tab.send(QueueState.move, item_id=value, place=0)
    await tab.send(QueueState.move, item_id=waiting.shown[0].id, place=value)
    await tab.send(QueueState.drop, item_id=value)
    await tab.send(QueueState.put_back, item_id=value)

    assert await waiting.texts() == ["one", "two"]
    assert await waiting.hold() is None


IF = "if it fails or you stop it,"
HELD = HoldView(HoldReason.FAILED, "The reply failed.", "[error: auth]")
ONE, TWO = QueuedItemView("1", "one", "", 1), QueuedItemView("2", "two", "", 1)


@pytest.mark.parametrize(
    ("queue", "idle", "said"),
    [
        (
            ScreenQueueView((ONE,)),
            False,
            f"1 message waits for this reply. It is sent when it is complete; {IF} it stays here.",
        ),
        (
            ScreenQueueView((ONE, TWO)),
            False,
            f"2 messages wait for this reply. They are sent when it is complete; {IF} they stay here.",
        ),
        (ScreenQueueView((ONE, TWO)), True, "2 messages wait. No reply is running."),
        (ScreenQueueView((ONE,), HELD), True, "The reply failed. [error: auth] 1 message waits."),
        (ScreenQueueView(), False, ""),
        (ScreenQueueView(), True, ""),
        (ScreenQueueView((), HELD), True, ""),
    ],
)
def test_actions_of_the_queue_are_described(queue: ScreenQueueView, said: str, *, idle: bool) -> None:
    assert describe_queue(queue, idle=idle) == said


async def test_older_pairs_are_summarised_for_the_model_of_the_queued_text(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    for number in range(3):
        await reply_to(ctx, conversation.id, f"/rate 100000\n/echo {number} {'word ' * 250}")
    options = ViewOptions(model="offline:tiny")
    await queue_text(ctx, LOCAL_OWNER, conversation.id, SendRequest("Short?", options), paused=True)
    await tab.send(ComposerState.open)
    tab.path = f"/c/{conversation.id}"
    await tab.send(ComposerState.resume_queue)
    assert "2 of the 3 pairs in view fit" in tab.shows(ComposerState, "over_budget").message

    await tab.send(ComposerState.choose_way, key="summarise")

    async with ctx.store.read() as session:
        checkpoint = (await load_conversation(session, LOCAL_OWNER, conversation.id)).checkpoint
        newest = (await load_pairs(session, LOCAL_OWNER, conversation.id))[-1]
    assert checkpoint is not None
    assert checkpoint.position == 2
    assert (plain_text(newest.request.parts), newest.model) == ("Short?", "offline:tiny")
