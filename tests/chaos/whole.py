"""Rules for a person who deletes and restores whole conversations, and who uses temporary ones."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from app.domain.conversation.accounting import RemovalReason
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import NotFoundError
from app.domain.run.queue import HoldReason
from app.runs.app_context import AppContext, context_for
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.resend.resend import Later, ResendOptions, resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.send_request import SendRequest
from app.runs.temporary.temporary import create_temporary, keep_conversation
from app.runs.trash.trash import restore
from tests.chaos.aside import Aside
from tests.chaos.at_work import MAX_TALKS, MODEL, PICKS, TEXTS, noted
from tests.chaos.bench import eventually
from tests.chaos.desk import Desk
from tests.chaos.person import NOTHING, Attempt, Spent, Talk, messages_of
from tests.chaos.puppet import PROMPT_TOKENS
from tests.chaos.stored import read_talk


class Whole(Aside):
    """Rules for whole conversations."""

    @precondition(lambda self: len(self.desks) > 1 and not self.binned)
    @rule(pick=PICKS)
    @noted
    def delete_conversation(self, pick: int) -> None:
        """Delete a conversation. Its running replies are stopped."""
        desk = self.desk(pick)
        self.count("delete a conversation")
        self.do(delete_conversation(self.bench.ctx, LOCAL_OWNER, desk.talk.id))
        if desk.talk.running:
            call, run_id = desk.call, desk.run_id
            self.do(eventually(lambda: run_id not in self.bench.ctx.engine.runs, "what is on in it is stopped"))
            self._note_end(desk, Lifecycle.CANCELED, None, NOTHING)
            if call is not None:
                self.do(eventually(call.left.is_set, "the provider sees that nobody listens any more"))
        self._stop_aside(desk.sides)
        self._settle()
        self._see_hold(desk, HoldReason.STOPPED)
        self.do(desk.tab.close())
        self.desks.remove(desk)
        self.binned.append(desk)
        self.touched = []

    def _see_hold(self, desk: Desk, reason: HoldReason) -> None:
        """Accept a held queue or an unheld one, as this depends on timing. A held text is never sent."""
        held = read_talk(self.bench.database, desk.talk.id).held
        assert held in {desk.talk.held, reason}
        desk.talk.held = held

    @precondition(lambda self: self.binned)
    @rule(pick=PICKS)
    @noted
    def bring_conversation_back(self, pick: int) -> None:
        desk = self.binned.pop(pick % len(self.binned))
        self.count("bring a conversation back")
        self.refuse(start_reply(self.bench.ctx, LOCAL_OWNER, desk.talk.id, SendRequest("Hello?")), NotFoundError)
        self.do(restore(self.bench.ctx, LOCAL_OWNER, desk.talk.id))
        desk.tab = self.do(self.bench.open_tab(desk.talk.id))
        self.desks.append(desk)
        self.touched = [desk]

    @precondition(lambda self: len(self.desks) < MAX_TALKS)
    @rule(texts=st.lists(TEXTS, min_size=1, max_size=2), reply=TEXTS, again=st.none() | TEXTS, keep=st.booleans())
    @noted
    def talk_in_private(self, texts: list[str], reply: str, again: str | None, *, keep: bool) -> None:
        """Talk in a temporary conversation: nothing of it is in the file until it is kept."""
        self.count(f"talk in private: {'kept' if keep else 'thrown away'}")
        made = self.do(create_temporary(self.bench.ctx, LOCAL_OWNER, model=MODEL))
        private = self.do(context_for(self.bench.ctx, made.id))
        desk = Desk(Talk(made.id), self.do(self.bench.open_tab(made.id)))
        for text in texts:
            self._sent(desk, text, self.do(start_reply(private, LOCAL_OWNER, made.id, SendRequest(text))))
            self._answer_in_private(desk, private, reply)
        if again is not None:
            pair = desk.talk.pairs[0]
            resent = self.do(resend_pair(private, LOCAL_OWNER, pair.id, ResendOptions(later=Later.KEEP), text=again))
            desk.talk.leave(RemovalReason.EDIT if again != texts[0] else RemovalReason.REGENERATE, 1)
            pair.versions.append(Attempt(again))
            pair.standing = 2
            self.do(self._hear(desk, resent.started.run_id, messages_of([], again)))
            self._answer_in_private(desk, private, reply)
        self.do(self._compare_with_tab(desk, desk.tab))
        stored = read_talk(self.bench.database, made.id)
        assert (stored.pairs, stored.nodes, stored.snapshots) == ([], [], {})
        assert (len(stored.calls), stored.spent) == (desk.talk.calls, desk.talk.spent)
        if keep:
            self.do(keep_conversation(private, LOCAL_OWNER, made.id))
        else:
            self.do(delete_conversation(private, LOCAL_OWNER, made.id))
        self.do(desk.tab.close())
        if keep:
            desk.tab = self.do(self.bench.open_tab(made.id))
            self.desks.append(desk)
            self.touched = [desk]

    def _answer_in_private(self, desk: Desk, private: AppContext, reply: str) -> None:
        call, run_id = desk.call, desk.run_id
        assert call is not None
        assert desk.talk.running is not None
        desk.talk.running.now.replied = reply

        async def work() -> None:
            await call.say(reply)
            await call.finish()
            await eventually(lambda: not private.engine.runs and not private.background, f"the end of {run_id}")

        self.do(work())
        self._note_end(desk, Lifecycle.SUCCEEDED, None, Spent(PROMPT_TOKENS, len(reply)))
