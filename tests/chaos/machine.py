"""A person who works in random order: sends, stops, fails, retries, edits, branches, deletes, undoes, restarts.

Each rule acts on the real app context and records the expected result in the terms of `person.py`. The invariants are
checked after each step (`at_work.py`).
"""

from __future__ import annotations

from collections.abc import Awaitable

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from app.domain.compare.comparisons import ComparingError
from app.domain.conversation.accounting import RemovalReason
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.conversation.parts import plain_text
from app.domain.errors import ConflictError, ErrorClass, LaterPairsError, NotFoundError, SendLockedError
from app.domain.run.queue import HoldReason
from app.runs.conversation.forks import fork_conversation
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.resend.kept_requests import resend_as_it_was
from app.runs.resend.resend import Later, ResendOptions, resend_pair, restore_version
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun
from app.runs.trash.trash import list_trash, restore
from tests.chaos.at_work import LEAST_LIFE, MAX_TALKS, PICKS, SEVERAL, TEXTS, noted
from tests.chaos.desk import Desk, choose
from tests.chaos.person import NOTHING, Attempt, Said, Talk, messages_of
from tests.chaos.puppet import messages_in
from tests.chaos.stored import read_talk
from tests.chaos.whole import Whole

LATER = st.sampled_from((None, *Later))


def free(desk: Desk) -> object:
    """Return whether the conversation has a pair that can be sent again now."""
    return desk.talk.shown and not (desk.talk.running or desk.talk.compared)


class Machine(Whole):
    """Everything that a person does with conversations."""

    @precondition(lambda self: any(desk.talk.shown for desk in self.desks))
    @rule(pick=PICKS, which=PICKS, text=st.none() | TEXTS, later=LATER)
    @noted
    def send_again(self, pick: int, which: int, text: str | None, later: Later | None) -> None:
        desk = self.desk(pick, lambda talk: talk.shown)
        talk = desk.talk
        pair = talk.shown[which % len(talk.shown)]
        above, after = talk.above(pair), talk.after(pair)
        if later is Later.BRANCH and len(self.desks) >= MAX_TALKS:
            later = Later.KEEP
        again = resend_pair(self.bench.ctx, LOCAL_OWNER, pair.id, ResendOptions(later=later), text=text)
        if after and later is None:
            self.refuse(again, LaterPairsError)
        elif later is Later.BRANCH and talk.running in above:
            self.refuse(again, ConflictError)
        elif (talk.running or talk.compared) and later is not Later.BRANCH:
            self.refuse(again, SendLockedError if talk.running else ComparingError)
        elif later is Later.BRANCH:
            self.count("branch")
            resent = self.do(again)
            branch = self._adopt_fork(resent.conversation_id, above)
            self._sent(branch, pair.now.asked if text is None else text, resent.started)
        else:
            self.count(f"send again: {'as it was' if text is None else 'edited'}, {later}")
            resent = self.do(again)
            self._sent_again(desk, pair, text, resent.started)
            if later is Later.DISCARD and after:
                talk.leave(RemovalReason.DISCARD, after[0].position - 1)
                self.deletions += 1
                for other in after:
                    other.deleted, other.deletion = True, self.deletions
                desk.undo.append(resent.undo)

    @precondition(lambda self: any(pair.now.error for desk in self.desks for pair in desk.talk.shown))
    @rule(pick=PICKS, which=PICKS)
    @noted
    def send_again_as_it_was(self, pick: int, which: int) -> None:
        """Send a failed request again byte for byte, whatever is in view now."""
        desk = self.desk(pick, lambda talk: any(pair.now.error for pair in talk.shown))
        talk = desk.talk
        failed = [pair for pair in talk.shown if pair.now.error]
        pair = failed[which % len(failed)]
        stored = read_talk(self.bench.database, talk.id)
        body = stored.snapshots.get(stored.run_ids[pair.id])
        again = resend_as_it_was(self.bench.ctx, LOCAL_OWNER, pair.id, ResendOptions(later=Later.KEEP))
        if body is None:
            self.refuse(again, NotFoundError)
        elif talk.running or talk.compared:
            self.refuse(again, SendLockedError if talk.running else ComparingError)
        else:
            self.count("send again as it was: byte for byte")
            resent = self.do(again)
            talk.leave(RemovalReason.RETRY, pair.position)
            pair.versions.append(Attempt(pair.now.asked))
            pair.standing = len(pair.versions)
            self.do(self._hear(desk, resent.started.run_id, messages_in(body)))
            assert desk.sent[desk.run_id] == body

    @precondition(lambda self: any(free(desk) for desk in self.desks))
    @rule(pick=PICKS, which=PICKS, text=TEXTS, other=TEXTS)
    @noted
    def send_again_in_two_tabs_at_once(self, pick: int, which: int, text: str, other: str) -> None:
        free_desks = [desk for desk in self.desks if free(desk)]
        desk = free_desks[pick % len(free_desks)]
        self.touched = [desk]
        self.count("send again in two tabs at once")
        pair = desk.talk.shown[which % len(desk.talk.shown)]

        async def work(said: str) -> tuple[str, StartedRun]:
            resent = await resend_pair(self.bench.ctx, LOCAL_OWNER, pair.id, ResendOptions(later=Later.KEEP), text=said)
            return said, resent.started

        self._sent_again(desk, pair, *self._one_of(work(text), work(other)))

    def _sent_again(self, desk: Desk, pair: Said, text: str | None, started: StartedRun) -> None:
        asked = pair.now.asked if text is None else text
        failed = pair.now.stands == Lifecycle.ERROR
        as_it_was = RemovalReason.RETRY if failed else RemovalReason.REGENERATE
        desk.talk.leave(as_it_was if asked == pair.now.asked else RemovalReason.EDIT, pair.position)
        pair.versions.append(Attempt(asked))
        pair.standing = len(pair.versions)
        self.do(self._hear(desk, started.run_id, messages_of(desk.talk.above(pair), asked)))

    @precondition(lambda self: any(desk.talk.edited for desk in self.desks))
    @rule(pick=PICKS, which=PICKS, number=PICKS)
    @noted
    def restore_version(self, pick: int, which: int, number: int) -> None:
        desk = self.desk(pick, lambda talk: talk.edited)
        several = desk.talk.edited
        pair = several[which % len(several)]
        number = number % len(pair.versions) + 1
        restoring = restore_version(self.bench.ctx, LOCAL_OWNER, pair.id, number)
        if pair is desk.talk.running:
            self.refuse(restoring, SendLockedError)
            return
        if desk.talk.compared and pair is desk.compared.again and number != pair.standing:
            self.refuse(restoring, ComparingError)
            return
        self.count("restore")
        self.do(restoring)
        if number != pair.standing:
            desk.talk.leave(RemovalReason.RESTORE, pair.position)
            pair.standing = number

    # --- branching, deleting, undoing ---

    @precondition(lambda self: len(self.desks) < MAX_TALKS and any(desk.talk.shown for desk in self.desks))
    @rule(pick=PICKS, which=SEVERAL)
    @noted
    def fork(self, pick: int, which: set[int]) -> None:
        desk = self.desk(pick, lambda talk: talk.shown)
        pairs = choose(desk.talk.shown, which)
        forking = fork_conversation(self.bench.ctx, LOCAL_OWNER, desk.talk.id, [pair.id for pair in pairs])
        if desk.talk.running in pairs:
            self.refuse(forking, ConflictError)
            return
        self.count("fork")
        self._adopt_fork(self.do(forking), pairs)

    def _adopt_fork(self, talk_id: str, pairs: list[Said]) -> Desk:
        """Record a copy of these pairs with new ids."""
        talk = Talk(talk_id, [pair.copy(position) for position, pair in enumerate(pairs, start=1)])
        for pair, stored in zip(talk.pairs, read_talk(self.bench.database, talk_id).pairs, strict=False):
            pair.id = stored.id
        desk = Desk(talk, self.do(self.bench.open_tab(talk_id)))
        self.desks.append(desk)
        self.touched.append(desk)
        return desk

    @precondition(lambda self: any(desk.talk.shown for desk in self.desks))
    @rule(pick=PICKS, which=SEVERAL)
    @noted
    def delete(self, pick: int, which: set[int]) -> None:
        desk = self.desk(pick, lambda talk: talk.shown)
        pairs = choose(desk.talk.shown, which)
        self._mark_deleted(desk, tuple(PairMarks(pair.id, Marks(deleted=True)) for pair in pairs))

    @precondition(lambda self: any(desk.undo for desk in self.desks))
    @rule(pick=PICKS)
    @noted
    def undo(self, pick: int) -> None:
        undoable = [desk for desk in self.desks if desk.undo]
        desk = undoable[pick % len(undoable)]
        self.touched = [desk]
        self._mark_deleted(desk, desk.undo.pop())

    @precondition(lambda self: any(pair.deleted for desk in self.desks for pair in desk.talk.pairs))
    @rule(pick=PICKS)
    @noted
    def bring_back(self, pick: int) -> None:
        """Restore pairs from the trash: pairs that were deleted together are restored together."""
        deleted = [(desk, pair) for desk in self.desks for pair in desk.talk.pairs if pair.deleted]
        desk, one = deleted[pick % len(deleted)]
        self.touched = [desk]
        self.count("bring back")
        together = [pair for pair in desk.talk.pairs if pair.deletion == one.deletion]
        trash = self.do(list_trash(self.bench.ctx, LOCAL_OWNER, limit=100, conversation_id=desk.talk.id))
        ids = {pair.id for pair in together}
        (entry,) = [entry for entry in trash.entries if entry.id in ids]
        self.do(restore(self.bench.ctx, LOCAL_OWNER, entry.id))
        desk.talk.leave(RemovalReason.RETURN, together[0].position - 1)
        for pair in together:
            pair.deleted, pair.deletion = False, 0

    def _mark_deleted(self, desk: Desk, marks: tuple[PairMarks, ...]) -> None:
        talk = desk.talk
        wanted = {change.pair_id: bool(change.marks.get("deleted")) for change in marks}
        marking = mark_pairs(self.bench.ctx, LOCAL_OWNER, talk.id, marks)
        if talk.running is not None and wanted.get(talk.running.id):
            self.refuse(marking, ConflictError)
            return
        undo = self.do(marking)
        changed = [pair for pair in talk.pairs if pair.deleted != wanted.get(pair.id, pair.deleted)]
        assert {change.pair_id for change in undo} == {pair.id for pair in changed}
        gone = [pair for pair in changed if not pair.deleted]
        self.count("delete" if gone else "undelete")
        if gone:
            talk.leave(RemovalReason.DELETE, gone[0].position - 1)
        if back := [pair for pair in changed if pair.deleted]:
            talk.leave(RemovalReason.RETURN, back[0].position - 1)
        self.deletions += bool(gone)
        for pair in changed:
            pair.deleted = not pair.deleted
            pair.deletion = self.deletions if pair.deleted else 0
        if undo:
            desk.undo.append(undo)

    # --- ending and dying ---

    @precondition(lambda self: len(self.done) >= self.lived + LEAST_LIFE)
    @rule(how=st.sampled_from(("in order", "by kill -9", "by kill -9: just saved")))
    @noted
    def end(self, how: str) -> None:
        """End the process and start it again."""
        self.lived = len(self.done)
        self.count(f"end {how}")
        if how == "in order":
            self._reopen(self.bench.restart())
        else:
            self._die(saved=how.endswith("saved"))

    def _die(self, *, saved: bool) -> None:
        """Kill the process. Text that was stored by then must be there; the provider receives no more calls."""
        if saved:
            self.do(self.bench.ctx.engine.writer.save())
        runs = self.bench.ctx.engine.runs
        kept = {run_id: plain_text(run.saved.parts) for run_id, run in runs.items()}
        busy = self.busy
        aside = [side for desk in self.desks for side in desk.sides if side.runs]
        for desk in self.desks:
            desk.unkept |= {side.run.run_id for side in desk.sides if side.runs}
        for desk in busy:
            desk.unkept.add(desk.run_id)
        self._reopen(self.bench.die())
        for desk in busy:
            stored = read_talk(self.bench.database, desk.talk.id)
            for pair, found in zip(desk.talk.pairs, stored.pairs, strict=True):
                if stored.run_ids[pair.id] == desk.run_id:
                    assert pair.now.replied.startswith(found.now.replied)
                    assert found.now.replied.startswith(kept[desk.run_id]), "what was stored is lost"
                    pair.now.replied = found.now.replied
        for side in aside:
            (found,) = read_talk(self.bench.database, side.run.conversation_id).pairs
            assert side.attempt.replied.startswith(found.now.replied)
            assert found.now.replied.startswith(kept[side.run.run_id]), "what was stored is lost"
            side.attempt.replied = found.now.replied

    def _reopen(self, ending: Awaitable[None]) -> None:
        async def work() -> None:
            for desk in self.desks:
                await desk.tab.close()
            await ending
            for desk in self.desks:
                desk.tab = await self.bench.open_tab(desk.talk.id)

        self.do(work())
        for desk in self.busy:
            self._note_end(desk, Lifecycle.ERROR, ErrorClass.INTERRUPTED, NOTHING)
        for desk in self.desks:
            self._see_hold(desk, HoldReason.FAILED)
            for side in desk.sides:
                if side.runs:
                    side.attempt.stands, side.attempt.error = Lifecycle.ERROR, ErrorClass.INTERRUPTED
        self.touched = list(self.desks)
