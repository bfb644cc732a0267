"""Rules for a person who queues texts and who compares the replies of several models."""

from __future__ import annotations

import orjson
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from app.domain.compare.comparisons import ComparingError, Comparison
from app.domain.conversation.accounting import RemovalReason
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError, NotFoundError, SendLockedError
from app.domain.run.queue import HoldReason
from app.runs.compare.comparisons import (
    ChosenReply,
    ComparedModels,
    discard_comparison,
    keep_reply,
    reopen_comparison,
    start_comparison,
)
from app.runs.compare.pair_comparisons import compare_again
from app.runs.resend.resend import Later, ResendOptions
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.queue import (
    QueuedChanges,
    change_queued,
    drop_queued,
    pause_queue,
    queue_text,
    read_queue,
    resume_queue,
)
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from tests.chaos.at_work import PICKS, TEXTS, noted
from tests.chaos.bench import eventually
from tests.chaos.desk import Compared, Desk, Side
from tests.chaos.person import Attempt, Said, Spent, messages_of
from tests.chaos.puppet import PROMPT_TOKENS, REFUSALS, Call
from tests.chaos.sending import Sending

MODELS = ("peer:any", "peer:other")
FINAL = sorted(name for name, refusal in REFUSALS.items() if not (refusal.retried or refusal.waited_for))
"""Refusals after which Inview does not try again."""


class Aside(Sending):
    """Rules for what happens in addition to the replies of a conversation."""

    # --- the queue ---

    @rule(pick=PICKS, text=TEXTS)
    @noted
    def queue(self, pick: int, text: str) -> None:
        desk = self.desk(pick)
        self.count("queue")
        self.do(queue_text(self.bench.ctx, LOCAL_OWNER, desk.talk.id, SendRequest(text)))
        desk.talk.waiting.append(text)
        self._go_on(desk)

    @precondition(lambda self: any(desk.talk.waiting for desk in self.desks))
    @rule(pick=PICKS, which=PICKS, how=st.sampled_from(("edit", "move", "drop")), text=TEXTS)
    @noted
    def change_queue(self, pick: int, which: int, how: str, text: str) -> None:
        desk = self.desk(pick, lambda talk: talk.waiting)
        talk, ctx = desk.talk, self.bench.ctx
        place = which % len(talk.waiting)
        item = self.do(read_queue(ctx, LOCAL_OWNER, talk.id)).items[place]
        self.count(f"queue: {how}")
        if how == "edit":
            self.do(change_queued(ctx, LOCAL_OWNER, talk.id, item.id, QueuedChanges(text=text)))
            talk.waiting[place] = text
        elif how == "move":
            self.do(change_queued(ctx, LOCAL_OWNER, talk.id, item.id, QueuedChanges(place=0)))
            talk.waiting.insert(0, talk.waiting.pop(place))
        else:
            self.do(drop_queued(ctx, LOCAL_OWNER, talk.id, item.id))
            talk.waiting.pop(place)
            talk.held = talk.held if talk.waiting else None

    @precondition(lambda self: any(desk.talk.waiting for desk in self.desks))
    @rule(pick=PICKS, pause=st.booleans())
    @noted
    def hold_queue_or_let_it_go(self, pick: int, *, pause: bool) -> None:
        desk = self.desk(pick, lambda talk: talk.waiting)
        self.count("queue: pause" if pause else "queue: resume")
        if pause:
            self.do(pause_queue(self.bench.ctx, LOCAL_OWNER, desk.talk.id))
            desk.talk.held = desk.talk.held or HoldReason.PAUSED
        else:
            self.do(resume_queue(self.bench.ctx, LOCAL_OWNER, desk.talk.id))
            desk.talk.held = None
            self._go_on(desk)

    # --- comparing ---

    @rule(pick=PICKS, text=TEXTS)
    @noted
    def compare(self, pick: int, text: str) -> None:
        desk = self.desk(pick)
        talk = desk.talk
        starting = start_comparison(self.bench.ctx, LOCAL_OWNER, talk.id, SendRequest(text), ComparedModels(MODELS))
        if talk.running or talk.compared:
            self.refuse(starting, SendLockedError if talk.running else ComparingError)
            return
        self._compare(desk, text, self.do(starting))

    def _compare(self, desk: Desk, text: str, comparison: Comparison, again: Said | None = None) -> None:
        talk = desk.talk
        self.count("compare" if again is None else "compare again")
        above = talk.shown if again is None else talk.above(again)
        calls = self.do(self._hear_all(messages_of(above, text)))
        sides = [Side(run, Attempt(text), calls[run.model]) for run in comparison.runs]
        desk.compared = Compared(sides, again)
        desk.sent |= {side.run.run_id: side.call.body for side in desk.sides}
        talk.compared = True

    @precondition(lambda self: any(not (desk.talk.running or desk.talk.compared) for desk in self.desks))
    @rule(pick=PICKS, text=TEXTS, replies=st.tuples(TEXTS, TEXTS), which=PICKS, finished=st.integers(1, 2))
    @noted
    def compare_and_keep(self, pick: int, text: str, replies: tuple[str, str], which: int, finished: int) -> None:
        """Compare in the most usual way: both replies end, or one is kept before the other has ended."""
        quiet = [desk for desk in self.desks if not (desk.talk.running or desk.talk.compared)]
        desk = quiet[pick % len(quiet)]
        self.touched = [desk]
        starting = start_comparison(
            self.bench.ctx, LOCAL_OWNER, desk.talk.id, SendRequest(text), ComparedModels(MODELS)
        )
        self._compare(desk, text, self.do(starting))
        self._answer_and_keep(desk, replies, which, finished)

    @precondition(lambda self: any(desk.talk.shown for desk in self.desks))
    @rule(
        pick=PICKS,
        place=PICKS,
        discards=st.booleans(),
        replies=st.tuples(TEXTS, TEXTS),
        which=PICKS,
        finished=st.integers(0, 2),
    )
    @noted
    def compare_again(  # noqa: PLR0917 - what hypothesis chooses
        self, pick: int, place: int, discards: bool, replies: tuple[str, str], which: int, finished: int
    ) -> None:
        """Compare replies to an existing pair. Keep one, or, if `finished` is 0, leave that to later steps."""
        desk = self.desk(pick, lambda talk: talk.shown)
        talk = desk.talk
        pair = talk.shown[place % len(talk.shown)]
        later = Later.DISCARD if discards else Later.KEEP
        starting = compare_again(
            self.bench.ctx, LOCAL_OWNER, pair.id, ComparedModels(MODELS), ResendOptions(later=later)
        )
        if talk.running or talk.compared:
            self.refuse(starting, SendLockedError if talk.running else ComparingError)
            return
        self._compare(desk, pair.now.asked, self.do(starting), pair)
        desk.compared.gone = talk.after(pair) if discards else []
        if finished:
            self._answer_and_keep(desk, replies, which, finished)

    def _answer_and_keep(self, desk: Desk, replies: tuple[str, str], which: int, finished: int) -> None:
        sides = desk.sides if which % 2 else desk.sides[::-1]
        for side, reply in zip(sides, replies, strict=True):
            self._say_aside(side, reply)
        for side in sides[:finished]:
            self._finish_aside(desk, side)
        self._keep(desk, sides[0])

    async def _hear_all(self, messages: list[dict[str, str]]) -> dict[str, Call]:
        """Require that each model receives the expected messages."""
        calls = [await self.bench.puppet.next_call() for _ in MODELS]
        assert all(call.messages == messages for call in calls)
        return {f"peer:{orjson.loads(call.body)['model']}": call for call in calls}

    @precondition(lambda self: any(side.runs for desk in self.desks for side in desk.sides))
    @rule(
        pick=PICKS, how=st.sampled_from(("say", "finish", "refuse", "stop")), text=TEXTS, refusal=st.sampled_from(FINAL)
    )
    @noted
    def go_on_with_one_compared(self, pick: int, how: str, text: str, refusal: str) -> None:
        running = [(desk, side) for desk in self.desks for side in desk.sides if side.runs]
        desk, side = running[pick % len(running)]
        self.touched = [desk]
        if how == "refuse" and side.call.began:
            how = "finish"
        self.count(f"one compared: {how}")
        if how == "say":
            self._say_aside(side, text)
        elif how == "finish":
            if not side.attempt.replied:
                self._say_aside(side, text)
            self._finish_aside(desk, side)
        elif how == "refuse":
            self.do(side.call.refuse(REFUSALS[refusal]))
            self._end_aside(side, Lifecycle.ERROR)
            side.attempt.error = REFUSALS[refusal].error_class
        else:
            self.do(cancel_run(self.bench.ctx, LOCAL_OWNER, side.run.run_id))
            self._end_aside(side, Lifecycle.CANCELED)
            self._see_left(side)

    def _say_aside(self, side: Side, text: str) -> None:
        side.attempt.replied += text

        async def work() -> None:
            run = self.bench.ctx.engine.runs[side.run.run_id]
            await side.call.say(text)
            await eventually(lambda: plain_text(run.shown.parts) == side.attempt.replied, "the words came", lambda: run)

        self.do(work())

    def _finish_aside(self, desk: Desk, side: Side) -> None:
        self.do(side.call.finish())
        self._end_aside(side, Lifecycle.SUCCEEDED)
        desk.talk.aside = desk.talk.aside.plus(Spent(PROMPT_TOKENS, len(side.call.said)))

    def _end_aside(self, side: Side, lifecycle: Lifecycle) -> None:
        run_id = side.run.run_id
        self.do(eventually(lambda: run_id not in self.bench.ctx.engine.runs, f"the end of {run_id} is stored"))
        side.attempt.stands = lifecycle

    def _see_left(self, side: Side) -> None:
        self.do(eventually(side.call.left.is_set, "the provider sees that nobody listens any more"))

    def _stop_aside(self, sides: list[Side]) -> None:
        """Note that those of these replies that were running were stopped."""
        for side in sides:
            if side.runs:
                self._end_aside(side, Lifecycle.CANCELED)
                self._see_left(side)

    @precondition(lambda self: any(desk.talk.compared for desk in self.desks))
    @rule(pick=PICKS, which=PICKS)
    @noted
    def keep_one_compared(self, pick: int, which: int) -> None:
        desk = self.desk(pick, lambda talk: talk.compared)
        side, again = desk.sides[which % len(MODELS)], desk.compared.again
        if side.runs or not side.attempt.replied or (again is not None and again.deleted):
            self.refuse(keep_reply(self.bench.ctx, LOCAL_OWNER, desk.talk.id, side.run.model), ConflictError)
        else:
            self._keep(desk, side)

    def _keep(self, desk: Desk, side: Side) -> None:
        talk, place = desk.talk, desk.sides.index(side)
        self.count("compare: keep one")
        kept = self.do(keep_reply(self.bench.ctx, LOCAL_OWNER, talk.id, side.run.model))
        self._stop_aside(desk.sides)
        versions = [one.attempt for one in desk.sides]
        if desk.compared.again is None:
            talk.pairs.append(Said(kept.pair_id, len(talk.pairs) + 1, versions, place + 1))
        else:
            self._stand_in(desk, desk.compared.again, versions, place, kept)
        talk.compared, desk.compared = False, Compared()
        if side.attempt.stands == Lifecycle.SUCCEEDED:
            self._go_on(desk)

    def _stand_in(self, desk: Desk, pair: Said, versions: list[Attempt], place: int, kept: ChosenReply) -> None:
        """Note that the kept reply is now the current version of the pair, after the earlier versions. Later pairs may
        be deleted.
        """
        assert (kept.pair_id, kept.replaced) == (pair.id, pair.standing)
        desk.talk.leave(
            RemovalReason.RETRY if pair.now.stands == Lifecycle.ERROR else RemovalReason.REGENERATE, pair.position
        )
        pair.standing = len(pair.versions) + place + 1
        pair.versions.extend(versions)
        gone = [other for other in desk.compared.gone if not other.deleted]
        assert [change.pair_id for change in kept.undo] == [other.id for other in gone]
        if gone:
            desk.talk.leave(RemovalReason.DISCARD, gone[0].position - 1)
            self.deletions += 1
            for other in gone:
                other.deleted, other.deletion = True, self.deletions
            desk.undo.append(kept.undo)

    @precondition(lambda self: any(desk.talk.compared or desk.discarded for desk in self.desks))
    @rule(pick=PICKS, again=st.booleans())
    @noted
    def discard_or_reopen_what_is_compared(self, pick: int, *, again: bool) -> None:
        suiting = [desk for desk in self.desks if desk.talk.compared or desk.discarded]
        desk = suiting[pick % len(suiting)]
        self.touched = [desk]
        if again and desk.discarded:
            self._reopen_compared(desk)
            return
        discarding = discard_comparison(self.bench.ctx, LOCAL_OWNER, desk.talk.id)
        if not desk.talk.compared:
            self.refuse(discarding, NotFoundError)
            return
        self.count("compare: discard")
        self.do(discarding)
        self._stop_aside(desk.sides)
        desk.discarded.append(desk.compared)
        desk.talk.compared, desk.compared = False, Compared()

    def _reopen_compared(self, desk: Desk) -> None:
        reopening = reopen_comparison(self.bench.ctx, LOCAL_OWNER, desk.talk.id)
        if desk.talk.compared:
            self.refuse(reopening, ComparingError)
            return
        self.count("compare: reopen")
        self.do(reopening)
        desk.compared = desk.discarded.pop()
        desk.talk.compared = True
