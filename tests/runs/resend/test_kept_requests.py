"""The stored request of a failed pair, sent again unchanged; and the options after a request that was too long."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

import orjson
import pytest

from app.domain.context.over_budget import OverBudgetError
from app.domain.conversation.accounting import RemovalReason
from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.middleware_choices import MiddlewareChoices
from app.domain.costs.budgets import BudgetPeriod, BudgetScope, BudgetSpentError, SpendingBudget
from app.domain.errors import ConflictError, ErrorClass, InputError, LaterPairsError, NotFoundError
from app.domain.models.model_profile import Prices
from app.domain.settings.preferences import OverBudget, Preferences
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.resend.kept_requests import resend_as_it_was
from app.runs.resend.resend import Later, ResendOptions, preview_resend, resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.settings.preference_commands import set_preferences
from app.runs.usage.budgets import set_budget
from app.runs.usage.prices import set_price
from app.runs.wiring import open_app_context
from app.store.conversation.nodes import load_accounting
from app.store.ledger.prices import OwnPrice
from tests.providers.peer import Answer, Peer, a_peer
from tests.providers.playing import read_recording
from tests.runs.steps import a_conversation, collect, pair_of, pairs_of, reply_to, settings_of

MODEL = "peer:any"
FINE = Answer((read_recording("openai_compatible", "text"),))
JSON = (("Content-Type", "application/json"),)
REFUSED = Answer((b'{"error":{"message":"Not today."}}',), 400, JSON)
TOO_LONG = Answer((b'{"error":{"message":"too long","code":"context_length_exceeded"}}',), 400, JSON)


@dataclass
class Bench:
    ctx: AppContext
    peer: Peer

    async def talk(self, *texts: str) -> tuple[str, list[Pair]]:
        conversation_id = await a_conversation(self.ctx, model=MODEL)
        return conversation_id, [(await reply_to(self.ctx, conversation_id, text)).pair for text in texts]

    async def fail(self, conversation_id: str, text: str, answer: Answer = REFUSED) -> Pair:
        """Send a text that the peer refuses. The peer accepts all later calls."""
        self.peer.answers = [answer]
        failed = (await reply_to(self.ctx, conversation_id, text)).pair
        assert failed.lifecycle is Lifecycle.ERROR
        self.peer.answers = [FINE]
        return failed

    def asked(self) -> list[str]:
        body = orjson.loads(self.peer.heard[-1].body)
        return [message["content"] for message in body["messages"] if message["role"] == "user"]


@pytest.fixture
async def bench(data: Path) -> AsyncGenerator[Bench]:
    async with (
        a_peer(FINE) as peer,
        open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"peer={peer.url}/v1")) as ctx,
    ):
        yield Bench(ctx, peer)


async def test_a_secret_of_a_stored_request_is_not_sent_again_once_secrets_are_replaced(bench: Bench) -> None:
    conversation_id, _ = await bench.talk("Hello")
    failed = await bench.fail(conversation_id, "Mine is AKIAIOSFODNN7EXAMPLE")
    heard = len(bench.peer.heard)
    await set_preferences(bench.ctx, LOCAL_OWNER, Preferences(redact=True))

    with pytest.raises(ConflictError, match="AWS access key"):
        await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)

    assert len(bench.peer.heard) == heard
    off = SettingChanges(middleware=MiddlewareChoices(redaction=False))
    await change_conversation(bench.ctx, LOCAL_OWNER, conversation_id, off)
    await collect(bench.ctx, (await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)).started.run_id)
    assert len(bench.peer.heard) == heard + 1


async def test_failed_request_is_sent_again_byte_for_byte_whatever_has_changed_since(bench: Bench) -> None:
    conversation_id, (one,) = await bench.talk("First")
    failed = await bench.fail(conversation_id, "Second")
    left = bench.peer.heard[-1].body
    await collect(
        bench.ctx,
        (
            await resend_pair(bench.ctx, LOCAL_OWNER, one.id, ResendOptions(later=Later.KEEP), text="Other")
        ).started.run_id,
    )
    assert bench.asked() == ["Other"]

    resent = await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)
    await collect(bench.ctx, resent.started.run_id)

    assert bench.peer.heard[-1].body == left
    assert resent.started.content_hash
    again = await pair_of(bench.ctx, failed.id)
    assert (again.lifecycle, again.request, again.versions) == (Lifecycle.SUCCEEDED, failed.request, 2)
    async with bench.ctx.store.read() as session:
        reasons = [node.reason for node in await load_accounting(session, LOCAL_OWNER, conversation_id)]
    assert reasons == [RemovalReason.EDIT, RemovalReason.RETRY]


async def test_only_stored_requests_of_current_versions_can_be_sent_unchanged(bench: Bench) -> None:
    conversation_id, (fine,) = await bench.talk("First")
    failed = await bench.fail(conversation_id, "Second")
    with pytest.raises(NotFoundError):
        await resend_as_it_was(bench.ctx, LOCAL_OWNER, fine.id)
    with pytest.raises(NotFoundError):
        await resend_as_it_was(bench.ctx, "somebody else", failed.id)
    with pytest.raises(InputError, match="branch"):
        await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id, ResendOptions(later=Later.BRANCH))

    await collect(bench.ctx, (await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)).started.run_id)

    with pytest.raises(NotFoundError, match="snapshot"):
        await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)


async def test_unchanged_requests_use_the_same_budgets(bench: Bench) -> None:
    conversation_id, _ = await bench.talk("One")
    failed = await bench.fail(conversation_id, "Two")
    await set_price(bench.ctx, LOCAL_OWNER, OwnPrice(MODEL, date(2020, 1, 1), Prices(Decimal(1_000), Decimal(1_000))))
    await set_budget(bench.ctx, LOCAL_OWNER, SpendingBudget(BudgetScope.ALL, "", BudgetPeriod.EVER, Decimal("0.001")))
    heard = len(bench.peer.heard)

    with pytest.raises(BudgetSpentError):
        await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)

    assert len(bench.peer.heard) == heard


async def test_unchanged_requests_have_the_same_limits_as_others(bench: Bench) -> None:
    conversation_id, _ = await bench.talk("One " * 2_000)
    failed = await bench.fail(conversation_id, "Two")
    left = bench.peer.heard[-1].body
    await set_preferences(bench.ctx, LOCAL_OWNER, Preferences(send_tokens=2_000))
    heard = len(bench.peer.heard)

    for choice in (None, OverBudget.ASK, OverBudget.FIT):
        with pytest.raises(OverBudgetError, match="The stored request does not fit") as refused:
            await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id, ResendOptions(over_budget=choice))
    options = refused.value.budget_options
    assert (options.model, options.y, options.limit, options.limited_by) == (MODEL, 1, 2_000, "token ceiling")
    assert (options.fit, options.summarise, options.larger) == (None, None, ())
    assert options.force.tokens > 2_000
    assert len(bench.peer.heard) == heard

    bench.peer.answers = [REFUSED]
    resent = await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id, ResendOptions(over_budget=OverBudget.FORCE))
    await collect(bench.ctx, resent.started.run_id)
    assert bench.peer.heard[-1].body == left
    with pytest.raises(OverBudgetError) as again:  # the estimate is kept with the second send
        await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)
    assert again.value.budget_options.force.tokens == options.force.tokens
    await set_preferences(bench.ctx, LOCAL_OWNER, Preferences(send_tokens=2_000, over_budget=OverBudget.FORCE))
    await collect(bench.ctx, (await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)).started.run_id)


async def test_unchanged_request_that_was_too_long_is_not_sent_again_without_a_choice(bench: Bench) -> None:
    conversation_id, _ = await bench.talk("First " * 300)
    failed = await bench.fail(conversation_id, "Second", TOO_LONG)
    heard = len(bench.peer.heard)

    with pytest.raises(OverBudgetError) as refused:
        await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)

    assert refused.value.budget_options.limited_by == "window"
    assert len(bench.peer.heard) == heard


async def test_unchanged_request_without_an_estimate_is_estimated_from_its_bytes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id, _ = await bench.talk("One " * 2_000)
    failed = await bench.fail(conversation_id, "Two")

    async def find_none(*_: object) -> None:
        return None

    monkeypatch.setattr("app.runs.resend.kept_requests.load_request_tokens", find_none)
    await set_preferences(bench.ctx, LOCAL_OWNER, Preferences(send_tokens=2_000))

    with pytest.raises(OverBudgetError):
        await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)


async def test_later_pairs_want_a_decision_here_too(bench: Bench) -> None:
    conversation_id = await a_conversation(bench.ctx, model=MODEL)
    failed = await bench.fail(conversation_id, "First")
    await reply_to(bench.ctx, conversation_id, "Second")
    with pytest.raises(LaterPairsError):
        await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id)

    resent = await resend_as_it_was(bench.ctx, LOCAL_OWNER, failed.id, ResendOptions(later=Later.DISCARD))
    await collect(bench.ctx, resent.started.run_id)

    assert [pair.id for pair in await pairs_of(bench.ctx, conversation_id)] == [failed.id]
    assert len(resent.undo) == 1


async def test_preview_of_a_resend_is_what_the_resend_sends(bench: Bench) -> None:
    _, (_, two, _) = await bench.talk("First", "Second", "Third")

    planned = await preview_resend(bench.ctx, LOCAL_OWNER, two.id, text="Other")
    resent = await resend_pair(bench.ctx, LOCAL_OWNER, two.id, ResendOptions(later=Later.KEEP), text="Other")
    await collect(bench.ctx, resent.started.run_id)

    assert bench.peer.heard[-1].body == planned.wire.body
    assert bench.asked() == ["First", "Other"]
    assert resent.started.content_hash == planned.plan.content_hash


async def test_request_that_was_too_long_is_not_sent_again_without_a_choice(bench: Bench) -> None:
    conversation_id, _ = await bench.talk("First " * 300, "Second " * 300, "Third " * 300)
    failed = await bench.fail(conversation_id, "Fourth", TOO_LONG)
    assert failed.failure is not None
    assert failed.failure.error_class is ErrorClass.CONTEXT_LENGTH
    asked = len(bench.peer.heard)

    with pytest.raises(OverBudgetError) as refused:
        await resend_pair(bench.ctx, LOCAL_OWNER, failed.id)

    assert (refused.value.budget_options.x, refused.value.budget_options.y) == (2, 3)
    assert len(bench.peer.heard) == asked
    await collect(
        bench.ctx,
        (
            await resend_pair(bench.ctx, LOCAL_OWNER, failed.id, ResendOptions(over_budget=OverBudget.FIT))
        ).started.run_id,
    )
    assert bench.asked() == ["Second " * 300, "Third " * 300, "Fourth"]


async def test_too_long_for_one_model_is_not_too_long_for_another_or_if_forced(bench: Bench) -> None:
    conversation_id, _ = await bench.talk("First " * 300, "Second " * 300)
    failed = await bench.fail(conversation_id, "Third", TOO_LONG)

    await collect(
        bench.ctx,
        (
            await resend_pair(bench.ctx, LOCAL_OWNER, failed.id, ResendOptions(options=ViewOptions(model="peer:other")))
        ).started.run_id,
    )
    assert len(bench.asked()) == 3

    failed = await bench.fail(conversation_id, "Fourth", TOO_LONG)
    forced = await resend_pair(bench.ctx, LOCAL_OWNER, failed.id, ResendOptions(over_budget=OverBudget.FORCE))
    await collect(bench.ctx, forced.started.run_id)
    assert len(bench.asked()) == 4
