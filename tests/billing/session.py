"""A typical session of 50 pairs: a title, two summaries, three edits, ten changes of the filter.

It runs through the real engine against a provider that bills. Between two sends the person thinks for a minute or two,
sometimes for longer than five minutes, and once has lunch. Everything is the same in every run.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from sqlalchemy import select

from app.domain.cache.misses import Judgement, judge
from app.domain.cache.plan import Prediction
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.usage import Usage
from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import summarise
from app.runs.child_calls.titles import ask_title
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.resend.resend import Later, ResendOptions, resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.store.cache.rows_prompt_cache import PROMPT_CACHE
from app.store.conversation.rows import RUN
from app.store.database.mapping import decode_usage
from tests.billing.peer import BillingPeer, age
from tests.runs.steps import a_conversation, collect, pairs_of, reply_to

PAIRS = 50
SUMMARIES = (22, 40)
EDITS = {9: 0, 17: 3, 31: 0}
"""Edits: the number of pairs at the time, and how many pairs before the last one is edited."""
FILTERS = {5: "s>=1", 8: "", 12: "r5", 15: "", 19: "c'bridge'", 21: "", 27: "s>=1", 30: "", 34: "r6", 37: ""}
"""The filter from this pair on."""
STARRED = {2, 3, 7, 11, 18, 24, 26}
LUNCH = {29: 5_400}
PAUSES = {14: 900, 25: 1_500, 44: 700}
_SEED = 5

_WORDS = [
    "the",
    "bridge",
    "carries",
    "a",
    "load",
    "that",
    "was",
    "never",
    "drawn",
    "into",
    "the",
    "plan",
    "of",
    "the",
    "town",
    "because",
    "nobody",
    "asked",
    "how",
    "heavy",
    "carts",
    "would",
    "be",
    "in",
    "a",
    "hundred",
    "years",
    "and",
    "so",
    "the",
    "arch",
    "has",
    "a",
    "crack",
    "above",
    "the",
    "second",
    "pier",
    "where",
    "water",
    "stands",
    "in",
    "winter",
]


@dataclass
class Session:
    """A session: app context, provider and model."""

    ctx: AppContext
    peer: BillingPeer
    model: str
    random: random.Random = field(default_factory=lambda: random.Random(_SEED))
    conversation_id: str = ""

    async def judge(self) -> list[tuple[Prediction, Usage | None, Judgement]]:
        """Return for every call, whatever its purpose, the prediction, the reported usage, and their comparison."""
        async with self.ctx.store.read() as session:
            query = select(PROMPT_CACHE, RUN.c.usage).join(RUN, RUN.c.id == PROMPT_CACHE.c.run_id).order_by(RUN.c.id)
            rows = (await session.execute(query)).mappings().all()
        judged: list[tuple[Prediction, Usage | None, Judgement]] = []
        for row in rows:
            exact = row["predicted_exactly"]
            foretold = Prediction(row["predicted_place"], row["predicted_read_tokens"], exact=exact)
            usage = decode_usage(row["usage"])
            judged.append((foretold, usage, judge(foretold, usage)))
        return judged

    def words(self, least: int, most: int) -> str:
        return " ".join(self.random.choices(_WORDS, k=self.random.randint(least, most)))

    async def run(self) -> None:
        """Run the whole session."""
        self.peer.words = lambda _number: self.words(80, 420)
        prompt = "You help an engineer of bridges. " + self.words(1_100, 1_100)
        self.conversation_id = await a_conversation(self.ctx, model=self.model, system_prompt=prompt)
        line = ""
        for number in range(1, PAIRS + 1):
            line = FILTERS.get(number, line)
            await self._think(number)
            ended = await reply_to(
                self.ctx, self.conversation_id, self.words(20, 160), options=ViewOptions(filter=line)
            )
            assert ended.pair.failure is None, ended.pair.failure
            await self._settle(5)
            if number in STARRED:
                marks = [PairMarks(ended.pair.id, Marks(stars=2))]
                await mark_pairs(self.ctx, LOCAL_OWNER, self.conversation_id, marks)
            if number == 1:
                await self._title(line)
            if number in EDITS:
                await self._edit(EDITS[number], line)
            if number in SUMMARIES:
                await self._summarise(line)

    async def _think(self, number: int) -> None:
        usual = min(1_200.0, self.random.lognormvariate(4.5, 0.8))
        await self._settle(LUNCH.get(number, PAUSES.get(number, usual)))

    async def _settle(self, seconds: float) -> None:
        self.peer.pass_time(seconds)
        await age(self.ctx, seconds)

    async def _edit(self, back: int, line: str) -> None:
        await self._settle(self.random.uniform(30, 90))
        pair = (await pairs_of(self.ctx, self.conversation_id))[-1 - back]
        resent = await resend_pair(
            self.ctx,
            LOCAL_OWNER,
            pair.id,
            ResendOptions(later=Later.KEEP, options=ViewOptions(filter=line)),
            text=self.words(20, 160),
        )
        await collect(self.ctx, resent.started.run_id)

    async def _summarise(self, line: str) -> None:
        await self._settle(self.random.uniform(30, 90))
        summary = await summarise(self.ctx, LOCAL_OWNER, self.conversation_id, ViewOptions(filter=line))
        await collect(self.ctx, summary.started.run_id)
        await self._wait_for_background()

    async def _title(self, line: str) -> None:
        usual, self.peer.words = self.peer.words, _title_words
        derived = await ask_title(self.ctx, LOCAL_OWNER, self.conversation_id, ViewOptions(filter=line))
        await collect(self.ctx, derived.started.run_id)
        await self._wait_for_background()
        self.peer.words = usual

    async def _wait_for_background(self) -> None:
        for task in tuple(self.ctx.background):
            await task


def _title_words(_number: int) -> str:
    return "Old bridges in winter"
