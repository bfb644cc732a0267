"""Error of the estimates against reported counts: with a small real model, and with third-party mock servers.

Each test plays a person who writes prose, questions and code in several conversations. It prints the median and the
95th percentile of the error before any report and after twenty sends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from random import Random
from statistics import median

import pytest
from llmock.testing import LLMockServer

from app.domain.conversation.conversation import Parameters
from app.domain.tokens.calibration import Observation, estimate_send, estimator_of
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.wiring import open_app_context
from app.store.ledger.ledger import EndedCall
from tests.real_model import MODEL, real_model
from tests.runs.steps import a_conversation, calls_of, reply_to, settings_of

WARM = 20
CONVERSATION = 10
"""Sends per conversation. The first is the hardest to estimate: none of its text was ever counted."""
PROSE = (Path(__file__).parent / "prose.txt").read_text().strip().split("\n\n")
"""Paragraphs that never change, so that the figures do not change."""
CODE = (Path(__file__).parent / "code.txt").read_text().split("\f")
"""Pieces of this project's code that never change, for the same reason."""
REAL_SENDS = 40
MOCK_SENDS = 120
GOAL = 0.05
FIRST_GOAL = 0.08


@dataclass(frozen=True)
class Errors:
    """Relative errors of estimates."""

    shares: tuple[float, ...]

    @property
    def middle(self) -> float:
        return median(self.shares)

    @property
    def p95(self) -> float:
        return sorted(self.shares)[ceil(0.95 * len(self.shares)) - 1]

    def __str__(self) -> str:
        return f"median {self.middle:.1%}, p95 {self.p95:.1%}"


def anything(random: Random) -> str:
    """Return a text that a person might send: a question, prose, a piece of code."""
    match random.randrange(10):
        case 0 | 1 | 2:
            return random.choice(("Why?", "Go on.", "What is the capital of France?", "Explain that in two sentences."))
        case 3 | 4 | 5 | 6:
            return prose(random)
        case _:
            return random.choice(CODE)


def prose(random: Random) -> str:
    """Return one or two paragraphs of plain English."""
    return "\n\n".join(random.sample(PROSE, random.randrange(1, 3)))


async def talk(ctx: AppContext, model: str, words: Callable[[Random], str], sends: int) -> list[EndedCall]:
    """Send in conversations of several pairs, which open with prose. Return the calls of the ledger in order."""
    random = Random(1)
    calls: list[EndedCall] = []
    conversation_id = ""
    for place in range(sends):
        opens = place % CONVERSATION == 0
        if opens:
            conversation_id = await a_conversation(
                ctx, system_prompt="You are a helpful assistant who answers briefly."
            )
        ended = await reply_to(
            ctx,
            conversation_id,
            prose(random) if opens else words(random),
            options=ViewOptions(model=model),
            parameters=Parameters(max_output_tokens=random.randrange(4, 24), temperature=0.0),
        )
        call = (await calls_of(ctx, conversation_id))[-1]
        assert call.usage is not None, ended.events[-1]
        calls.append(call)
    return calls


async def compare(ctx: AppContext, model: str, calls: list[EndedCall]) -> tuple[Errors, Errors, Errors]:
    """Return the errors of uncorrected estimates, of those shown after twenty sends, and of later sends among these."""
    async with ctx.store.read() as session:
        _, profile = await ctx.catalogue.find(session, LOCAL_OWNER, model)
    untaught = estimator_of(profile)
    before: list[float] = []
    after: list[float] = []
    later: list[float] = []
    for place, call in enumerate(calls):
        assert call.usage is not None
        assert call.counted is not None
        assert call.counted.counted_text is not None
        assert call.counted.counted_messages is not None
        told = call.usage.prompt_tokens
        send = Observation(call.counted.counted_text, call.counted.counted_messages, told)
        before.append(abs(estimate_send(untaught, send) - told) / told)
        if place >= WARM:
            after.append(abs(call.counted.estimated_tokens - told) / told)
            later += after[-1:] if place % CONVERSATION else []
    return Errors(tuple(before)), Errors(tuple(after)), Errors(tuple(later))


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.real_model
@pytest.mark.timeout(400)
async def test_estimates_of_a_real_model_are_within_five_percent_after_twenty_sends(data: Path) -> None:
    model = f"small:{MODEL}"
    with real_model() as url:
        async with open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"small={url}/v1")) as ctx:
            calls = await talk(ctx, model, anything, REAL_SENDS)
            before, after, _ = await compare(ctx, model, calls)

    print(f"\nthe real small model: before {before}; after {WARM} sends {after}")
    assert after.p95 <= GOAL
    assert after.middle < before.middle


@pytest.mark.exhaustive
@pytest.mark.third_party
@pytest.mark.parametrize("model", ["anthropic:claude-sonnet-4-5", "openai:gpt-4o", "mock:llama-3.3-70b-versatile"])
async def test_estimates_of_a_mock_are_near_what_it_reports_after_twenty_sends(data: Path, model: str) -> None:
    """The mock counts one token per four characters, as no model does: prose, code and figures differ widely in that.

    So the test sends prose: its ratio of characters to words is nearly constant. The length of the words is unknown at
    the first send of a conversation. First sends are a tenth of all sends here: the goal is for the later ones.
    """
    name = model.partition(":")[0]
    with LLMockServer() as mock:
        environment = {
            "ANTHROPIC_BASE_URL": mock.base_url("anthropic"),
            "ANTHROPIC_API_KEY": "sk-test",
            "OPENAI_BASE_URL": mock.base_url("openai"),
            "OPENAI_API_KEY": "sk-test",
            "INVIEW_COMPATIBLE": f"mock={mock.base_url('openai')}",
        }
        async with open_app_context(settings_of(data, **environment)) as ctx:
            calls = await talk(ctx, model, prose, MOCK_SENDS)
            before, after, later = await compare(ctx, model, calls)

    print(f"\nthe mock as {name}: before {before}; after {WARM} sends {after}, less first sends {later}")
    assert later.p95 <= GOAL
    assert after.p95 <= FIRST_GOAL
    assert after.middle < before.middle
