"""Alibaba's explicit cache: plans against its bill, keep-alive, and a session of 50 pairs through the engine."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.cache.keep_alive import explain_cold_shoulder
from app.domain.cache.misses import Outcome, judge
from app.domain.cache.plan import NOTHING, CachePlan, CallToCache, make_cache_request, plan_cache
from app.domain.cache.prefix import SYSTEM, TOOLS, can_be_marked_in_chat, count_contents
from app.domain.cache.rules import FIVE_MINUTES, CacheLifetime, find_rules
from app.domain.cache.warmth import Breakpoint, CachedCall, Warmth, after_call
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import Image, Text, Thinking, ToolCall, ToolResult
from app.domain.models.model_profile import ModelProfile, ThinkingStyle
from app.domain.request.hashing import content_hashes
from app.domain.request.request import Request, RequestMessage, ToolDefinition
from app.domain.usage import Usage
from app.providers.base import encode
from app.providers.models.tariffs import read_tariff
from app.providers.vendors.openai_compatible import parse_usage
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.usage import report_usage
from app.runs.wiring import open_app_context
from app.store.ledger.usage import UsageQuery
from tests.billing.alibaba import AlibabaCache, RefusedError, list_blocks, price
from tests.billing.peer import BillingPeer, play_alibaba, serve_billing
from tests.billing.session import Session
from tests.billing.talking import talking
from tests.effort import examples
from tests.providers.playing import a_provider
from tests.runs.steps import settings_of

MODEL = "alibaba:qwen3-coder-plus"
RULES = find_rules(MODEL) or pytest.fail(f"{MODEL} has rules")
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
CLOCK = ToolDefinition("clock", "Tell the time. " * 40, '{"type":"object"}')
AS_FORETOLD = {Outcome.AS_PREDICTED, Outcome.AS_ESTIMATED}
GAPS = (5, 20, 60, 120, 200, 290, 310, 700, 2_000, 4_000)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["send", "send", "send", "call", "edit", "hide", "show", "system", "title"]), st.integers(0, 9)
    ),
    min_size=3,
    max_size=30,
)

Sent = tuple[CachePlan, Usage, dict[str, Any]]


@dataclass
class Talk:
    """A conversation that is planned, encoded and billed send by send."""

    warmth: Warmth = field(default_factory=lambda: Warmth(RULES))
    cache: AlibabaCache = field(default_factory=AlibabaCache)
    at: datetime = EPOCH
    system: str = "Be brief. " * 500
    shown: int = 0
    said: list[tuple[RequestMessage, ...]] = field(default_factory=list[tuple[RequestMessage, ...]])
    lifetime: CacheLifetime = CacheLifetime.AUTO

    def send(self, text: str, *, frozen: bool = False) -> Sent:
        earlier = [message for pair in self.said[self.shown :] for message in pair]
        return self.ask((*earlier, RequestMessage("user", (Text(text),))), frozen=frozen)

    def ask(self, messages: tuple[RequestMessage, ...], *, frozen: bool = False) -> Sent:
        request = Request(MODEL, self.system, messages, Parameters(), (CLOCK,))
        tokens = list_blocks(encode_body(request))[-1].total
        asked = make_cache_request(request, content_hashes(request), CallToCache("c1", tokens), rules=RULES)
        plan = plan_cache(asked, self.warmth, self.at, lifetime=self.lifetime, frozen=frozen)
        body = encode_body(request, plan.marks)
        usage = usage_of(self.cache.bill(body, self.at))
        call = CachedCall(f"r{len(self.warmth.calls)}", "c1", self.at, asked.prefix, plan.marks, usage)
        self.warmth = after_call(self.warmth, call)
        return plan, usage, body


def encode_body(request: Request, marks: tuple[Breakpoint, ...] = ()) -> dict[str, Any]:
    return orjson.loads(encode(a_provider("alibaba"), request, ModelProfile(MODEL, "Q", tools=True), {}, marks).body)


def usage_of(billed: dict[str, Any]) -> Usage:
    """Read a bill as the decoder of its streams does."""
    usage = parse_usage(billed | {"completion_tokens": 1}).usage
    assert usage is not None
    return usage


def a_pair(asked: str, answered: str, call: int | None = None) -> tuple[RequestMessage, ...]:
    """Return a pair. With the number of a call, the reply calls tools first: one, or two in a round without text."""
    user, reply = RequestMessage("user", (Text(asked),)), RequestMessage("assistant", (Text(answered),))
    if call is None:
        return user, reply
    calls = tuple(ToolCall(f"t{call}{n}", "clock", "{}") for n in range(1 + call % 2))
    before = () if call % 2 else (Text("Let me look."),)
    results = tuple(ToolResult(one.tool_call_id, (Text("noon " * 30),)) for one in calls)
    return user, RequestMessage("assistant", (*before, *calls)), RequestMessage("tool", results), reply


@given(STEPS, st.sampled_from(list(CacheLifetime)), st.integers(0, 1_000))
@settings(max_examples=examples(100), deadline=None)
def test_what_is_predicted_is_what_is_billed(steps: list[tuple[str, int]], lifetime: CacheLifetime, seed: int) -> None:
    said, talk = random.Random(seed), Talk(lifetime=lifetime)
    for kind, number in steps:
        talk.at += timedelta(seconds=GAPS[number])
        words = " ".join(said.choices(["arch", "pier", "load", "winter"], k=said.randint(20, 200)))
        if kind == "hide":
            talk.shown = min(len(talk.said), number)
        elif kind == "show":
            talk.shown = 0
        elif kind == "system":
            talk.system += words
        elif kind == "edit" and talk.said:
            talk.said.pop()
        plan, usage, body = talk.send(words, frozen=kind == "title")

        assert judge(plan.prediction, usage).outcome in AS_FORETOLD, (plan, usage)
        assert len(plan.marks) <= 4
        assert all(mark.lifetime == FIVE_MINUTES and mark.place >= SYSTEM for mark in plan.marks)
        assert kind != "title" or usage.cache_write_tokens == 0
        assert usage.cache_write_1h_tokens == 0
        if lifetime is CacheLifetime.OFF:
            assert b"cache_control" not in orjson.dumps(body)
        if kind != "title":
            talk.said.append(a_pair(words, words[::-1], number if kind == "call" else None))


def test_a_growing_conversation_is_read_up_to_the_last_send_to_the_token() -> None:
    talk = Talk()
    _, first, _ = talk.send("First")
    talk.said.append(a_pair("First", "One"))
    talk.at += timedelta(seconds=60)

    plan, second, body = talk.send("Second")

    whole = first.cache_write_tokens
    assert second.cache_read_tokens == plan.prediction.tokens == whole
    assert plan.prediction.exact
    assert plan.prediction.expires_at == talk.at + timedelta(minutes=4)
    assert 0 < second.cache_write_tokens < 100
    newest = body["messages"][-1]["content"]
    assert newest == [{"type": "text", "text": "Second", "cache_control": {"type": "ephemeral"}}]


def test_a_hit_restarts_the_five_minutes() -> None:
    talk = Talk()
    talk.send("First")
    for _ in range(3):
        talk.at += timedelta(seconds=200)
        plan, usage, _ = talk.send("First")
        assert usage.cache_read_tokens == plan.prediction.tokens > 0

    talk.at += timedelta(seconds=301)
    plan, usage, _ = talk.send("First")

    assert usage.cache_read_tokens == plan.prediction.tokens == 0


def test_a_round_of_many_results_does_not_hide_the_block_before_it() -> None:
    talk = Talk()
    _, first, _ = talk.send("First")
    calls = tuple(ToolCall(f"t{number}", "clock", "{}") for number in range(25))
    results = tuple(ToolResult(call.tool_call_id, (Text("noon"),)) for call in calls)
    user, reply = a_pair("First", "Noon.")
    talk.said.append((user, RequestMessage("assistant", calls), RequestMessage("tool", results), reply))
    talk.at += timedelta(seconds=60)

    plan, second, _ = talk.send("Second")

    assert second.cache_read_tokens == plan.prediction.tokens == first.cache_write_tokens


def test_neither_the_tools_nor_a_missing_system_text_can_be_marked() -> None:
    request = Request(MODEL, "", (RequestMessage("user", (Text("w" * 9_000),)),), tools=(CLOCK,))

    asked = make_cache_request(request, content_hashes(request), CallToCache("", 3_000), rules=RULES)

    assert asked.unmarkable == {TOOLS, SYSTEM}
    assert [mark.place for mark in plan_cache(asked, Warmth(RULES), EPOCH).marks] == [0]


@pytest.mark.parametrize(
    ("message", "contents", "markable"),
    [
        (RequestMessage("user", (Text("a"), Image("f" * 64, "image/png"))), 2, True),
        (RequestMessage("user", (Text(""),)), 1, False),
        (RequestMessage("assistant", (Thinking("hm", None, None), Text("a"))), 1, True),
        (RequestMessage("assistant", (Text("a"), ToolCall("t", "clock", "{}"))), 1, True),
        (RequestMessage("assistant", (ToolCall("t", "clock", "{}"), ToolCall("u", "clock", "{}"))), 1, False),
        (RequestMessage("tool", (ToolResult("t", (Text("1"),)), ToolResult("u", (Text("2"),)))), 2, True),
        (RequestMessage("tool", (ToolResult("t", (Text(""),)),)), 1, False),
        (RequestMessage("tool", (ToolResult("t", (Text("1"), Image("f" * 64, "image/png"))),)), 3, True),
    ],
)
def test_parts_of_contents_are_counted_and_marked(message: RequestMessage, contents: int, markable: bool) -> None:
    assert (count_contents(message), can_be_marked_in_chat(message)) == (contents, markable)


@pytest.mark.parametrize("name", ["qwen3-max", "qwen-plus", "qwen3.5-flash", "qwen3-coder-plus", "qwen3-vl-plus"])
def test_listed_models_have_the_explicit_cache(name: str) -> None:
    assert find_rules(f"alibaba:{name}") is RULES


@pytest.mark.parametrize("name", ["qwen3-max-2026-01-23", "qwen-plus-latest", "qwen-max", "qwen-plus-us", "qwq-plus"])
def test_snapshots_and_other_models_have_no_known_cache(name: str) -> None:
    assert find_rules(f"alibaba:{name}") is None


def test_a_model_that_may_think_is_not_kept_warm() -> None:
    thinker = ModelProfile(MODEL, "Q", thinking=ThinkingStyle.BUDGET)
    cached = plan_prediction()

    assert "Turn thinking off." in (explain_cold_shoulder(RULES, thinker, Parameters(), cached) or "")
    assert "Turn thinking off." in (explain_cold_shoulder(RULES, thinker, Parameters(thinking=True), cached) or "")
    assert explain_cold_shoulder(RULES, thinker, Parameters(thinking=False), cached) is None
    assert explain_cold_shoulder(RULES, ModelProfile(MODEL, "Q"), Parameters(), cached) is None


def plan_prediction() -> Any:
    talk = Talk()
    talk.send("First")
    plan, _, _ = talk.send("First")
    assert plan.prediction != NOTHING
    return plan.prediction


def test_the_bill_refuses_what_the_documentation_does_not_allow() -> None:
    marked = {"type": "text", "text": "x" * 9_000, "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    bodies: tuple[dict[str, Any], ...] = (
        {"model": "m", "messages": [{"role": "user", "content": [marked]}]},
        {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": [{"cache_control": {}}]},
    )
    for body in bodies:
        with pytest.raises(RefusedError):
            AlibabaCache().bill(body, EPOCH)


async def test_a_refresh_reads_the_block_and_restarts_its_lifetime(tmp_path: Path) -> None:
    async with talking(tmp_path, BillingPeer("alibaba", AlibabaCache().bill, play_alibaba), MODEL) as talk:
        await talk.keep(minutes=20)
        await talk.pass_time(271)
        await talk.tend()
        refresh = talk.peer.asked[-1]

        assert refresh.body["max_tokens"] == 1
        assert refresh.usage["prompt_tokens_details"]["cached_tokens"] > 1_024
        assert refresh.usage["prompt_tokens_details"]["cache_creation_input_tokens"] == 0
        await talk.pass_time(200)
        usage = await talk.says("And in spring?")
        assert usage["prompt_tokens_details"]["cached_tokens"] > 1_024


async def test_fifty_pairs_are_predicted_and_priced_as_billed(tmp_path: Path) -> None:
    async with (
        serve_billing(BillingPeer("alibaba", AlibabaCache().bill, play_alibaba)) as peer,
        open_app_context(settings_of(tmp_path, **peer.environment)) as ctx,
    ):
        session = Session(ctx, peer, MODEL)
        await session.run()

        judged = await session.judge()
        report = await report_usage(ctx, LOCAL_OWNER, UsageQuery(), "model")

    bills = [one.usage for one in peer.asked]
    missed = [one for one in judged if one[2].outcome not in AS_FORETOLD]
    exact = [one for one in judged if one[2].outcome is Outcome.AS_PREDICTED]
    assert len(judged) == len(peer.asked)
    assert len(missed) <= 0.02 * len(judged), missed
    assert len(exact) >= 0.95 * len(judged)
    assert sum(map(price, bills)) <= 0.49 * sum(usage["prompt_tokens"] for usage in bills)
    tariff = read_tariff("alibaba", "qwen3-coder-plus")
    assert tariff is not None
    cost = Decimal(0)
    for _, usage, _ in judged:
        assert usage is not None
        prices = tariff.prices_at(EPOCH, usage.prompt_tokens)
        assert prices is not None
        cost += usage.cost(prices)
    assert report.total.cost.amount == cost
