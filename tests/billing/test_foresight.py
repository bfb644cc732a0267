"""Distance of our plan from the best plan without foresight, and of that plan from the best one with foresight."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from app.domain.cache.plan import CacheRequest, plan_cache
from app.domain.cache.prefix import NO_KEY, Prefix
from app.domain.cache.rules import find_rules
from app.domain.cache.warmth import CachedCall, Warmth, after_call
from app.domain.usage import Usage
from tests.billing.anthropic import AnthropicCache, Block, price
from tests.billing.foresight import Talk, price_blind, price_foreseen

RULES = find_rules("anthropic:claude-sonnet-4-5") or pytest.fail("it has rules")
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
QUICK, PAUSE = timedelta(seconds=60), timedelta(seconds=400)
ASKED, ANSWERED = 120, 360
TALKS = 60
TALK = Talk(step=ASKED + ANSWERED)


def talk_blocks(sends: int) -> list[Block]:
    """Return the system text, then for each send the answer before it and the new request."""
    blocks = [Block("system", TALK.head + ANSWERED, TALK.head + ANSWERED, 0, None)]
    for number in range(2 * sends - 1):
        tokens = ANSWERED if number % 2 else ASKED
        blocks.append(Block(f"m{number}", tokens, blocks[-1].total + tokens, number + 1, None))
    return blocks


def price_ours(pauses: list[bool]) -> float:
    """Return the cost of our plan, billed by the vendor's rules."""
    blocks, warmth, cache, at, paid = talk_blocks(TALK.sends), Warmth(RULES), AnthropicCache(), EPOCH, 0.0
    keys = b"".join(f"{number:08}".encode() for number in range(len(blocks)))
    for send in range(TALK.sends):
        at += PAUSE if pauses[send] else QUICK
        mine = blocks[: 2 * send + 2]
        prefix = Prefix(NO_KEY, b"thesystm", keys[: 8 * (len(mine) - 1)])
        totals = tuple(block.total for block in mine)
        asked = CacheRequest(prefix, (1,) * (len(mine) - 1), totals, totals[-1], conversation_id="c1")
        plan = plan_cache(asked, warmth, at)
        billed = cache.bill_blocks(mine, {mark.place + 1: mark.lifetime for mark in plan.marks}, at)
        paid += price(billed)
        written = billed["cache_creation"]
        usage = Usage(
            billed["input_tokens"],
            1,
            billed["cache_read_input_tokens"],
            written["ephemeral_5m_input_tokens"],
            written["ephemeral_1h_input_tokens"],
        )
        warmth = after_call(warmth, CachedCall(f"r{send}", "c1", at, prefix, plan.marks, usage))
    return paid


@pytest.mark.parametrize(("chance", "foresight", "ours"), [(0.1, 1.08, 1.06), (0.2, 1.10, 1.05)])
def test_foresight_is_worth_more_than_five_percent_and_the_plan_is_near_the_best_without_it(
    chance: float, foresight: float, ours: float
) -> None:
    random = Random(1)
    talks = [[random.random() < chance for _ in range(TALK.sends)] for _ in range(TALKS)]

    foreseen = sum(price_foreseen(TALK, talk) for talk in talks) / TALKS
    blind = price_blind(TALK, chance)
    paid = sum(map(price_ours, talks)) / TALKS

    assert blind / foreseen >= foresight
    assert paid / blind <= ours, (paid / blind, paid / foreseen)
