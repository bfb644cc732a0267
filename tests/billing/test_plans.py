"""Plans against bills: whatever a person does, the predicted cache reads are those on the bill."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.cache.misses import Outcome, find_break, judge
from app.domain.cache.plan import CachePlan, CallToCache, make_cache_request, measure_request, plan_cache
from app.domain.cache.prefix import SYSTEM, TOOLS
from app.domain.cache.rules import FIVE_MINUTES, HOUR, CacheLifetime, CacheStyle, find_rules
from app.domain.cache.warmth import Breakpoint, CachedCall, Warmth, after_call, replay
from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import Text, Thinking, ToolCall, ToolResult
from app.domain.models.model_profile import ModelProfile
from app.domain.request.hashing import content_hashes
from app.domain.request.request import Request, RequestMessage, ToolDefinition
from app.domain.usage import Usage
from app.providers.base import encode
from tests.billing.anthropic import AnthropicCache, RefusedError, list_blocks, price
from tests.effort import examples
from tests.providers.playing import a_provider

MODEL = "anthropic:claude-sonnet-4-5"
RULES = find_rules(MODEL) or pytest.fail(f"{MODEL} has rules")
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)

Step = tuple[str, int]
Sent = tuple[CachePlan, Usage, dict[str, Any]]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["send", "send", "send", "edit", "hide", "show", "system", "cooler", "title"]),
        st.integers(0, 9),
    ),
    min_size=3,
    max_size=30,
)
GAPS = (5, 20, 60, 120, 200, 290, 310, 700, 2_000, 4_000)


@dataclass
class Talk:
    """A conversation that is planned, encoded and billed send by send."""

    warmth: Warmth = field(default_factory=lambda: Warmth(RULES))
    cache: AnthropicCache = field(default_factory=AnthropicCache)
    at: datetime = EPOCH
    system: str = "Be brief. " * 500
    shown: int = 0
    pairs: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    parameters: Parameters = field(default_factory=Parameters)
    lifetime: CacheLifetime = CacheLifetime.AUTO

    def send(self, text: str, *, frozen: bool = False) -> Sent:
        messages: list[RequestMessage] = []
        for asked, answered in self.pairs[self.shown :]:
            messages += [RequestMessage("user", (Text(asked),)), RequestMessage("assistant", (Text(answered),))]
        return self.ask((*messages, RequestMessage("user", (Text(text),))), frozen=frozen)

    def ask(self, messages: tuple[RequestMessage, ...], *, frozen: bool = False) -> Sent:
        request = Request(MODEL, self.system, messages, self.parameters)
        tokens = sum(block.tokens for block in list_blocks(encode_body(request)))
        asked = make_cache_request(request, content_hashes(request), CallToCache("c1", tokens))
        plan = plan_cache(asked, self.warmth, self.at, lifetime=self.lifetime, frozen=frozen)
        body = encode_body(request, plan.marks)
        usage = usage_of(self.cache.bill(body, self.at))
        call = CachedCall(f"r{len(self.warmth.calls)}", "c1", self.at, asked.prefix, plan.marks, usage)
        self.warmth = after_call(self.warmth, call)
        return plan, usage, body


def encode_body(request: Request, marks: tuple[Breakpoint, ...] = ()) -> dict[str, Any]:
    return orjson.loads(encode(a_provider("anthropic"), request, ModelProfile(MODEL, "S", tools=True), {}, marks).body)


def usage_of(billed: dict[str, Any]) -> Usage:
    written = billed["cache_creation"]
    return Usage(
        input_tokens=billed["input_tokens"],
        output_tokens=1,
        cache_read_tokens=billed["cache_read_input_tokens"],
        cache_write_tokens=written["ephemeral_5m_input_tokens"],
        cache_write_1h_tokens=written["ephemeral_1h_input_tokens"],
    )


@given(STEPS, st.sampled_from(list(CacheLifetime)), st.integers(0, 1_000))
@settings(max_examples=examples(150), deadline=None)
def test_what_is_predicted_is_what_is_billed(steps: list[Step], lifetime: CacheLifetime, seed: int) -> None:
    said, talk = random.Random(seed), Talk(lifetime=lifetime)
    for kind, number in steps:
        talk.at += timedelta(seconds=GAPS[number])
        words = " ".join(said.choices(["arch", "pier", "load", "winter"], k=said.randint(20, 200)))
        if kind == "hide":
            talk.shown = min(len(talk.pairs), number)
        elif kind == "show":
            talk.shown = 0
        elif kind == "system":
            talk.system += words
        elif kind == "cooler":
            talk.parameters = Parameters(temperature=number / 10, max_output_tokens=100 + number)
        elif kind == "edit" and talk.pairs:
            talk.pairs.pop()
        plan, usage, body = talk.send(words, frozen=kind == "title")

        assert judge(plan.prediction, usage).outcome in {Outcome.AS_PREDICTED, Outcome.AS_ESTIMATED}, (
            plan,
            usage,
        )
        assert len(plan.marks) <= 4
        assert kind != "title" or usage.cache_write_tokens + usage.cache_write_1h_tokens == 0
        if lifetime is CacheLifetime.OFF:
            assert b"cache_control" not in orjson.dumps(body)
        if kind != "title":
            talk.pairs.append((words, words[::-1]))


def test_growing_conversation_is_read_up_to_the_last_send_to_the_token() -> None:
    talk = Talk()
    talk.send("First")
    talk.pairs.append(("First", "One"))
    talk.at += timedelta(seconds=60)

    plan, usage, _ = talk.send("Second")

    assert plan.prediction.exact
    assert plan.prediction.tokens == usage.cache_read_tokens > 1_400
    assert plan.prediction.expires_at == talk.at - timedelta(seconds=60) + timedelta(seconds=300)


def talk_on(talk: Talk, pairs: int) -> None:
    for _ in range(pairs):
        question = f"Question {len(talk.pairs)} " * 40
        talk.send(question)
        talk.pairs.append((question, "Answer " * 60))
        talk.at += timedelta(seconds=30)


def test_edit_of_the_newest_question_is_read_to_the_token() -> None:
    talk = Talk(lifetime=CacheLifetime.SHORT)
    talk_on(talk, 3)
    talk.pairs.pop()

    plan, usage, _ = talk.send("Asked in other words")

    assert plan.prediction.exact
    assert plan.prediction.tokens == usage.cache_read_tokens > 1_700


def test_edit_of_an_older_question_after_a_full_rewrite_is_read_to_the_token() -> None:
    talk = Talk(lifetime=CacheLifetime.SHORT)
    talk_on(talk, 6)
    talk.at += timedelta(seconds=400)
    talk_on(talk, 1)
    del talk.pairs[-4:]

    plan, usage, _ = talk.send("Asked in other words")

    assert plan.prediction.exact
    assert plan.prediction.tokens == usage.cache_read_tokens > 2_000


def test_much_that_is_new_is_protected_by_the_next_send_which_writes_little() -> None:
    talk, pairs = Talk(), [(f"Question {number} " * 40, "Answer " * 60) for number in range(20)]
    talk.pairs = pairs[:10]
    talk.send("First")
    talk.pairs = pairs
    talk.at += timedelta(seconds=20)
    much, _, _ = talk.send("Second")
    talk.pairs = [*pairs, ("Second", "Answer " * 60)]
    talk.at += timedelta(seconds=20)
    little, usage, _ = talk.send("Third")

    assert {mark.lifetime for mark in much.marks} == {FIVE_MINUTES}
    assert [mark.lifetime for mark in little.marks] == [HOUR, FIVE_MINUTES]
    assert 0 < usage.cache_write_1h_tokens < 300


def test_call_that_only_read_shows_what_is_cached_without_its_writer() -> None:
    """Only some calls are examined, and an entry that is read repeatedly lives longer than these calls reach back."""
    talk = Talk()
    talk.send("First")
    talk.at += timedelta(seconds=60)
    talk.send("First", frozen=True)
    talk.warmth = replay(talk.warmth.calls[-1:], RULES)
    talk.pairs.append(("First", "One"))
    talk.at += timedelta(seconds=60)

    plan, usage, _ = talk.send("Second")

    assert plan.prediction.exact
    assert plan.prediction.tokens == usage.cache_read_tokens > 1_400


def test_after_its_lifetime_nothing_is_promised_but_what_was_kept_for_an_hour() -> None:
    talk = Talk(lifetime=CacheLifetime.SHORT)
    talk.send("First")
    talk.pairs.append(("First", "One"))
    talk.at += timedelta(seconds=301)

    plan, usage, _ = talk.send("Second")

    assert (plan.prediction.tokens, usage.cache_read_tokens) == (0, 0)


@pytest.mark.parametrize("lifetime", [CacheLifetime.AUTO, CacheLifetime.LONG])
def test_what_is_kept_for_an_hour_outlives_a_pause(lifetime: CacheLifetime) -> None:
    talk = Talk(lifetime=lifetime)
    talk.send("First")
    talk.pairs.append(("First", "One"))
    talk.at += timedelta(seconds=1_800)

    plan, usage, _ = talk.send("Second")

    assert plan.prediction.tokens == usage.cache_read_tokens > 1_400


def test_long_reply_of_tools_does_not_put_the_last_send_out_of_sight() -> None:
    """More than 20 positions lie between: only a breakpoint at the entry itself finds it."""
    talk = Talk()
    parts = tuple(Text(f"Step {number}. ") for number in range(30))
    first = RequestMessage("user", (Text("Build"),))
    talk.ask((first,))
    talk.at += timedelta(seconds=30)

    plan, usage, _ = talk.ask((first, RequestMessage("assistant", parts), RequestMessage("user", (Text("Go on"),))))

    assert plan.prediction.place == 0
    assert usage.cache_read_tokens == plan.prediction.tokens > 0


def test_tools_and_thinking_are_marked_where_the_vendor_allows_it() -> None:
    tool = ToolDefinition("look", "Looks. " * 600, '{"type":"object"}')
    called = (Thinking("Hm", "sig", "anthropic"), ToolCall("t1", "look", "{}", complete=True))
    answered = RequestMessage("tool", (ToolResult("t1", (Text("Seen"),)),))
    ends_in_thought = RequestMessage("assistant", (Text("So"), Thinking("Hm", "sig", "anthropic")))
    messages = (RequestMessage("user", (Text("Look"),)), RequestMessage("assistant", called), answered, ends_in_thought)
    request = Request(MODEL, "Be brief.", messages, tools=(tool,))

    plan = plan_cache(
        make_cache_request(request, content_hashes(request), CallToCache("", 3_000)), Warmth(RULES), EPOCH
    )
    body = encode_body(request, plan.marks)

    assert [mark.place for mark in plan.marks if mark.place >= 0] == [2]
    assert {SYSTEM, TOOLS} <= {mark.place for mark in plan.marks}
    assert "cache_control" in body["tools"][0]
    AnthropicCache().bill(body, EPOCH)


def test_what_is_shorter_than_the_minimum_is_not_marked() -> None:
    talk = Talk(system="Be brief.")

    plan, usage, body = talk.send("Hello")

    assert plan.marks == ()
    assert usage.prompt_tokens == usage.input_tokens
    assert body["system"] == "Be brief."


def test_report_of_nothing_read_takes_the_belief_away() -> None:
    talk = Talk()
    talk.send("First")
    talk.pairs.append(("First", "One"))
    talk.at += timedelta(seconds=60)
    talk.cache.entries.clear()
    plan, usage, _ = talk.send("Second")
    assert judge(plan.prediction, usage).why == "The provider evicted it early."
    talk.pairs.append(("Second", "Two"))
    talk.at += timedelta(seconds=60)

    plan, usage, _ = talk.send("Third")

    assert judge(plan.prediction, usage).outcome is Outcome.AS_PREDICTED


def test_break_names_the_first_difference_and_what_it_costs() -> None:
    talk = Talk()
    for number in range(6):
        talk.send(f"Question {number} " * 40)
        talk.pairs.append((f"Question {number} " * 40, "Answer " * 60))
        talk.at += timedelta(seconds=30)
    whole = Request(
        MODEL, talk.system, tuple(RequestMessage("user", (Text(words),)) for pair in talk.pairs[2:] for words in pair)
    )
    asked = make_cache_request(whole, content_hashes(whole), CallToCache("c1", 5_000))
    plan = plan_cache(asked, talk.warmth, talk.at)

    broken = find_break(asked, plan.prediction, talk.warmth, talk.at)

    assert broken is not None
    assert broken.place == 0
    assert broken.tokens > 500


def test_sizes_between_known_ones_are_shared_out_by_length() -> None:
    request = Request(MODEL, "s" * 400, (RequestMessage("user", (Text("w" * 384),)),))
    asked = make_cache_request(request, content_hashes(request), CallToCache("", 200))

    assert (measure_request(asked, SYSTEM, ()).tokens, measure_request(asked, 0, ()).tokens) == (100, 200)


@pytest.mark.parametrize(
    ("model", "style", "minimum"),
    [
        ("anthropic:claude-opus-5-5", CacheStyle.MARKED, 512),
        ("anthropic:claude-opus-4-7", CacheStyle.MARKED, 2_048),
        ("anthropic:claude-haiku-4-5", CacheStyle.MARKED, 4_096),
        ("anthropic:claude-sonnet-4-5-20250929", CacheStyle.MARKED, 1_024),
        ("openai:gpt-4o", CacheStyle.STEPPED, 1_024),
        ("openai:gpt-5.6-sol", CacheStyle.NEWEST, 1_024),
        ("openai:gpt-6.1-sol", CacheStyle.NEWEST, 1_024),
    ],
)
def test_rules_are_found_by_model(model: str, style: CacheStyle, minimum: int) -> None:
    rules = find_rules(model)

    assert rules is not None
    assert (rules.style, rules.minimum) == (style, minimum)


def test_bill_refuses_what_the_vendor_refuses() -> None:
    block = {"type": "text", "text": "x" * 9_000}
    short, long = {"type": "ephemeral"}, {"type": "ephemeral", "ttl": "1h"}
    for controls in ([short] * 5, [short, long]):
        content = [block | {"cache_control": control} for control in controls]
        with pytest.raises(RefusedError):
            AnthropicCache().bill({"model": "m", "messages": [{"role": "user", "content": content}]}, EPOCH)


def test_bill_is_that_of_the_vendors_own_example() -> None:
    """Three turns of 10, 15 and 35 blocks with a breakpoint on the last: the lookback of the third is too short."""
    cache = AnthropicCache(minimum=1)
    reads: list[bool] = []
    for count in (10, 15, 35):
        content: list[dict[str, Any]] = [{"type": "text", "text": f"{number}"} for number in range(count)]
        content[-1]["cache_control"] = {"type": "ephemeral"}
        billed = cache.bill({"model": "m", "messages": [{"role": "user", "content": content}]}, EPOCH)
        reads.append(billed["cache_read_input_tokens"] > 0)

    assert reads == [False, True, False]
    assert price(billed) == billed["cache_creation_input_tokens"] * 1.25
