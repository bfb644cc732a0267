"""Rules for a person who sends and stops, and a provider that answers, refuses, breaks off and delays."""

from __future__ import annotations

import asyncio

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from app.domain.compare.comparisons import ComparingError
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.errors import SendLockedError
from app.domain.retry_policy import MAX_RETRIES
from app.domain.run.run import lifecycle_of
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from tests.chaos.at_work import PICKS, TEXTS, AtWork, noted
from tests.chaos.bench import eventually
from tests.chaos.desk import Desk
from tests.chaos.person import NOTHING, Spent
from tests.chaos.puppet import BREAKS, PROMPT_TOKENS, REFUSALS


class Sending(AtWork):
    """Rules for one reply."""

    @precondition(lambda self: len(self.desks) == 1)
    @rule()
    @noted
    def open_another_conversation(self) -> None:
        self.open_conversation()

    @rule(pick=PICKS, text=TEXTS, twice=st.booleans())
    @noted
    def send(self, pick: int, text: str, *, twice: bool) -> None:
        """`twice`: a double click."""
        desk = self.desk(pick)
        sending = [start_reply(self.bench.ctx, LOCAL_OWNER, desk.talk.id, SendRequest(text)) for _ in range(1 + twice)]
        if desk.talk.running:
            for one in sending:
                self.refuse(one, SendLockedError)
            return
        if desk.talk.compared:
            for one in sending:
                self.refuse(one, ComparingError)
            return
        self.count("send twice at once" if twice else "send")
        self._sent(desk, text, self._one_of(*sending))

    @precondition(
        lambda self: not self.busy and not any(desk.talk.compared or desk.talk.waiting for desk in self.desks)
    )
    @rule(pick=PICKS, text=TEXTS, reply=TEXTS)
    def talk(self, pick: int, text: str, reply: str) -> None:
        """Ask and receive an answer, the most usual case."""
        self.send(pick=pick, text=text, twice=False)
        self.provider_says(pick=0, text=reply)
        self.provider_finishes(pick=0)

    @precondition(
        lambda self: not self.busy and not any(desk.talk.compared or desk.talk.waiting for desk in self.desks)
    )
    @rule(pick=PICKS, text=TEXTS, reply=TEXTS, how=st.sampled_from(sorted(BREAKS)))
    def talk_in_vain(self, pick: int, text: str, reply: str, how: str) -> None:
        """Ask and receive an answer that breaks off."""
        self.send(pick=pick, text=text, twice=False)
        self.provider_says(pick=0, text=reply)
        self.provider_breaks_off(pick=0, how=how)

    # --- what the provider does ---

    @precondition(lambda self: self.answering)
    @rule(pick=PICKS, text=TEXTS)
    @noted
    def provider_says(self, pick: int, text: str) -> None:
        self.count("say")
        desk, call, attempt = self._answer(pick)
        attempt.replied += text

        async def work() -> None:
            run = self.bench.ctx.engine.runs[desk.run_id]
            await call.say(text)
            await eventually(lambda: plain_text(run.shown.parts) == attempt.replied, "the words came", lambda: run)

        self.do(work())

    @precondition(lambda self: self.answering)
    @rule(pick=PICKS)
    @noted
    def provider_finishes(self, pick: int) -> None:
        self.count("finish")
        desk, call, _ = self._answer(pick)
        self.do(call.finish())
        self._end(desk, Lifecycle.SUCCEEDED, spent=Spent(PROMPT_TOKENS, len(call.said)))

    @precondition(lambda self: any(desk.call and not desk.call.began for desk in self.answering))
    @rule(pick=PICKS, how=st.sampled_from(sorted(REFUSALS)))
    @noted
    def provider_refuses(self, pick: int, how: str) -> None:
        desk, call, _ = self._answer(pick, began=False)
        refusal = REFUSALS[how]
        self.count(f"refuse: {how}")
        self.do(call.refuse(refusal))
        if not (refusal.retried or refusal.waited_for) or desk.retries == MAX_RETRIES:
            self._end(desk, Lifecycle.ERROR, refusal.error_class)
            return
        desk.talk.calls += 1
        desk.retries += 1
        self.do(self._wait_or_hear_again(desk, waits=refusal.waited_for))

    async def _wait_or_hear_again(self, desk: Desk, *, waits: bool) -> None:
        if waits:
            run = self.bench.ctx.engine.runs[desk.run_id]
            await eventually(lambda: run.shown.phase == "retrying", "the next attempt is waited for", lambda: run)
            desk.call = None
            return
        desk.call = await self.bench.puppet.next_call()
        assert desk.call.body == desk.sent[desk.run_id], "another attempt sends something else"

    @precondition(lambda self: any(desk.call and desk.call.began for desk in self.answering))
    @rule(pick=PICKS, how=st.sampled_from(sorted(BREAKS)))
    @noted
    def provider_breaks_off(self, pick: int, how: str) -> None:
        self.count(f"break off: {how}")
        desk, call, _ = self._answer(pick, began=True)
        self.do(call.break_off(how))
        self._end(desk, Lifecycle.ERROR, BREAKS[how])

    # --- stopping ---

    @precondition(lambda self: self.busy)
    @rule(pick=PICKS)
    @noted
    def stop(self, pick: int) -> None:
        self.count("stop")
        desk = self.busy[pick % len(self.busy)]
        self.touched = [desk]
        call = desk.call
        self.do(cancel_run(self.bench.ctx, LOCAL_OWNER, desk.run_id))
        self._end(desk, Lifecycle.CANCELED)
        if call is not None:
            self.do(eventually(call.left.is_set, "the provider sees that nobody listens any more"))

    @precondition(lambda self: self.answering)
    @rule(pick=PICKS)
    @noted
    def stop_as_it_finishes(self, pick: int) -> None:
        self.count("stop as it finishes")
        desk, call, _ = self._answer(pick)
        run = self.bench.ctx.engine.runs[desk.run_id]

        async def work() -> None:
            await asyncio.gather(
                call.finish(), cancel_run(self.bench.ctx, LOCAL_OWNER, desk.run_id), return_exceptions=True
            )

        self.do(work())
        self.do(eventually(lambda: run.shown.outcome, "it is over"))
        usage = run.shown.usage
        spent = NOTHING if usage is None else Spent(usage.input_tokens, usage.output_tokens)
        self._end(desk, lifecycle_of(run.shown), spent=spent)
