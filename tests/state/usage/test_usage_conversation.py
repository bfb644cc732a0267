from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import pytest

from app.domain.cache.misses import Judgement, Outcome
from app.domain.cache.plan import Prediction
from app.domain.costs.costs import Cost
from app.domain.costs.spending import Spent
from app.domain.usage import Usage
from app.runs.app_context import AppContext, context_for
from app.runs.child_calls.child_calls import wait_for_text
from app.runs.child_calls.summaries import summarise
from app.runs.child_calls.titles import ask_title
from app.runs.conversation.conversation_commands import create_conversation, delete_conversation
from app.runs.resend.resend import resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.temporary.temporary import create_temporary
from app.runs.usage.accounts import list_booked
from app.state.inspector.frame import InspectorState
from app.state.usage import account as accounts
from app.state.usage.account import AccountState
from app.state.usage.account_view import describe_call
from app.state.usage.budgets import BudgetState
from app.state.usage.labels import charge_alone, describe_both
from app.state.usage.spent import SpentState
from tests.runs.steps import collect
from tests.state.conftest import Tab
from tests.state.usage.spending import MODEL, send, talk
from tests.state.watched import running, stored, watching
from tests.waiting import until


def tokens_of(tab: Tab) -> int:
    spent = tab.shows(SpentState, "spent")
    return 0 if spent is None else int(spent.tokens.removesuffix(" tokens"))


async def test_figure_of_the_conversation_on_screen_follows_its_replies(ctx: AppContext, tab: Tab) -> None:
    conversation = await talk(ctx, "/echo one")
    tab.path = f"/c/{conversation}"

    await tab.send(SpentState.refresh)
    first = tab.shows(SpentState, "spent")
    assert first.conversation == conversation
    assert first.cost.startswith("$0.")
    assert first.label.startswith(f"Used in this conversation: {first.tokens} · {first.cost}")
    assert first.included == ""
    assert "tokens of context used" in first.label
    assert first.standing == ""

    await send(ctx, conversation, "/echo two")
    await tab.send(SpentState.refresh)
    assert tokens_of(tab) > int(first.tokens.removesuffix(" tokens"))


async def test_figure_follows_each_reply_also_if_the_next_one_runs_at_once(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = await talk(ctx, "/echo one")
    tab.path = f"/c/{conversation}"
    shown = list[int]()

    async def moments(*_: object, **__: object) -> AsyncGenerator[SimpleNamespace]:
        for number in range(3):
            yield SimpleNamespace(running=f"pair {number}", ended_run=f"run {number}", charges=(number,))
            await send(ctx, conversation, "/echo next")
            yield SimpleNamespace(running=f"pair {number}", ended_run=f"run {number}", charges=(number, "streams"))
            shown.append(tokens_of(tab))

    monkeypatch.setattr("app.state.usage.spent.moments", moments)
    monkeypatch.setattr("app.state.usage.spent.SETTLE_SECONDS", 0)
    await tab.send(SpentState.follow)

    assert len(shown) == 3
    assert shown == sorted(set(shown)), "it grows with each reply that ends"


async def test_figure_follows_a_pair_that_is_answered_again_and_again(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.state.usage.spent.SETTLE_SECONDS", 0.01)
    conversation = await talk(ctx, "/echo one")

    async with watching(ctx, tab, conversation) as watcher, running(tab, SpentState.follow):
        (pair,) = await stored(watcher)
        await until(lambda: tokens_of(tab) > 0)
        for _ in range(3):
            before = tokens_of(tab)
            await resend_pair(ctx, LOCAL_OWNER, pair.id)
            await until(lambda: tokens_of(tab) > before)  # noqa: B023 - it is called within this round


async def test_figure_names_the_worst_budget(ctx: AppContext, tab: Tab) -> None:
    tab.path = f"/c/{await talk(ctx, '/echo one')}"
    for span, amount in (("month", "100"), ("day", "0.001"), ("ever", "0.0001")):
        await tab.send(BudgetState.save, form={"scope": "all", "span": span, "amount": amount})

    await tab.send(SpentState.refresh)

    spent = tab.shows(SpentState, "spent")
    assert spent.standing == "spent"
    assert "The budget for a day: " in spent.label or "The budget: " in spent.label
    assert spent.title == spent.label.replace(". ", "\n")


async def test_figure_and_account_say_which_tokens_were_used_for_the_title(ctx: AppContext, tab: Tab) -> None:
    conversation = await talk(ctx, "/echo one", title="")
    tab.path = f"/c/{conversation}"
    await tab.send(SpentState.refresh)
    before = tokens_of(tab)
    await wait_for_text(ctx, LOCAL_OWNER, await ask_title(ctx, LOCAL_OWNER, conversation))

    await tab.send(SpentState.refresh)
    await tab.send(AccountState.load)

    spent, account = tab.shows(SpentState, "spent"), tab.shows(AccountState, "account")
    assert (spent.included, tokens_of(tab) > before) == ("incl. title", True)
    parts = {part.label: part.value for part in account.by_purpose}
    assert parts["Reply"].startswith(f"{before} tokens · $")
    assert parts["Title"].startswith(f"{tokens_of(tab) - before} tokens · $")
    for label, value in parts.items():
        assert f"\n{label}: {value}" in spent.title


def test_cost_that_is_unknown_is_said_in_words() -> None:
    unknown = Spent(calls=1, cut=1, cost=Cost(at_least=True))
    known = Spent(calls=2, cut=1, usage=Usage(120), cost=Cost(Decimal("0.03"), at_least=True))

    assert (describe_both(unknown), charge_alone(unknown)) == ("tokens not reported · cost unknown", "unknown")
    assert describe_both(known) == "at least 120 tokens · at least $0.030"


@pytest.mark.parametrize("path", ["/", "/c/nothing"])
async def test_nothing_is_shown_where_nothing_was_sent(ctx: AppContext, tab: Tab, path: str) -> None:
    tab.path = path
    await tab.send(SpentState.refresh)
    assert tab.shows(SpentState, "spent") is None

    tab.path = f"/c/{(await create_conversation(ctx, LOCAL_OWNER)).id}"
    await tab.send(SpentState.refresh)
    assert tab.shows(SpentState, "spent") is None


async def test_temporary_conversation_has_a_figure_and_an_account(ctx: AppContext, tab: Tab) -> None:
    temporary = await create_temporary(ctx, LOCAL_OWNER, model=MODEL)
    await send(await context_for(ctx, temporary.id), temporary.id, "/echo one")
    tab.path = f"/c/{temporary.id}"

    await tab.send(SpentState.refresh)
    await tab.send(AccountState.load)

    assert tab.shows(SpentState, "spent").conversation == temporary.id
    assert [call.what for call in tab.shows(AccountState, "calls")] == ["Reply, pair 1"]


async def test_context_used_after_a_summary_is_that_of_the_summary(ctx: AppContext, tab: Tab) -> None:
    conversation = await talk(ctx, "/echo one", "/echo two")
    tab.path = f"/c/{conversation}"
    await tab.send(AccountState.load)
    before = tab.shows(AccountState, "account").facts[-1]

    summary = await summarise(ctx, LOCAL_OWNER, conversation)
    await collect(ctx, summary.started.run_id)
    for task in tuple(ctx.background):
        await task
    await tab.send(AccountState.load)
    await tab.send(SpentState.refresh)

    after = tab.shows(AccountState, "account").facts[-1]
    written = await list_booked(ctx, LOCAL_OWNER, conversation, limit=1)
    usage = written[0].call.usage
    assert usage is not None
    assert (before.label, before.note) == ("Context used", "By the last request and its reply")
    assert (after.value, after.note) == (str(usage.output_tokens), "By the summary. No reply followed it yet")
    assert f"{after.value} tokens of context used by the summary" in tab.shows(SpentState, "spent").label

    await send(ctx, conversation, "/echo three")
    await tab.send(AccountState.load)
    assert tab.shows(AccountState, "account").facts[-1].note == "By the last request and its reply"


async def test_account_lists_sums_and_requests_the_newest_first(ctx: AppContext, tab: Tab) -> None:
    conversation = await talk(ctx, "/echo one", "/fail auth")
    tab.path = f"/c/{conversation}"

    await tab.send(AccountState.load)

    account = tab.shows(AccountState, "account")
    assert (account.conversation, account.requests) == (conversation, "2 requests")
    assert [fact.label for fact in account.facts] == ["Cost", "Saved by caching", "Tokens", "Context used"]
    assert account.facts[-1].note == "By the last request and its reply"
    assert [kind.label for kind in account.kinds] == ["Input", "Output"]
    failed, answered = tab.shows(AccountState, "calls")
    assert (failed.what, failed.end, failed.tokens) == (
        "Reply, pair 2",
        "failed (auth)",
        "tokens not reported by the provider",
    )
    assert (answered.what, answered.end, answered.model) == ("Reply, pair 1", "", MODEL)
    assert answered.model_name == "Offline tiny"
    assert answered.cost == account.facts[0].value
    assert answered.tokens.endswith(" out")

    await tab.send(AccountState.close)
    assert (tab.shows(AccountState, "account"), tab.shows(AccountState, "calls")) == (None, ())


async def test_older_requests_come_page_by_page(ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "PAGE", 2)
    tab.path = f"/c/{await talk(ctx, '/echo 1', '/echo 2', '/echo 3')}"
    await tab.send(AccountState.load)
    assert (len(tab.shows(AccountState, "calls")), tab.shows(AccountState, "more")) == (2, True)

    await tab.send(AccountState.show_older)

    assert [call.what for call in tab.shows(AccountState, "calls")] == [f"Reply, pair {n}" for n in (3, 2, 1)]
    assert tab.shows(AccountState, "more") is False


async def test_older_requests_of_another_conversation_are_not_mixed_in(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "PAGE", 1)
    tab.path = f"/c/{await talk(ctx, '/echo 1', '/echo 2')}"
    await tab.send(AccountState.load)
    before = tab.shows(AccountState, "calls")

    tab.path = f"/c/{await talk(ctx, '/echo 3', '/echo 4')}"
    await tab.send(AccountState.show_older)

    assert tab.shows(AccountState, "calls") == before


async def test_open_account_follows_the_conversation_on_screen(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.state.inspector.frame.SETTLE_SECONDS", 0.01)
    first, other = await talk(ctx, "/echo one"), await talk(ctx, title="Quiet talk")

    def shows(conversation: str, *requests: str) -> bool:
        account, calls = tab.shows(AccountState, "account"), tab.shows(AccountState, "calls")
        return bool(account) and account.conversation == conversation and [it.what for it in calls] == list(requests)

    async with watching(ctx, tab, first), running(tab, InspectorState.show, section="usage"):
        await until(lambda: shows(first, "Reply, pair 1"))
        await send(ctx, first, "/echo two")
        await until(lambda: shows(first, "Reply, pair 2", "Reply, pair 1"))
    async with watching(ctx, tab, other), running(tab, InspectorState.follow):
        await until(lambda: shows(other))


async def test_account_of_a_missing_conversation_is_reported_as_missing(ctx: AppContext, tab: Tab) -> None:
    conversation = await talk(ctx, "/echo one")
    await delete_conversation(ctx, LOCAL_OWNER, conversation)
    tab.path = "/c/nothing"

    await tab.send(AccountState.load)

    assert tab.shows(AccountState, "fault").startswith("There is no conversation")


async def test_implausible_report_is_marked_at_its_request(ctx: AppContext) -> None:
    conversation = await talk(ctx, "/echo " + "The quick brown fox. " * 150)
    (booked,) = await list_booked(ctx, LOCAL_OWNER, conversation, limit=1)
    assert describe_call(booked, conversation).report == ""

    unread = replace(booked, call=replace(booked.call, report_fault="prompt_tokens: -7"))
    assert describe_call(unread, conversation).report.startswith(
        "The usage report could not be read in full (prompt_tokens: -7)."
    )
    far_off = replace(booked, call=replace(booked.call, usage=Usage(10, 2)))
    report = describe_call(far_off, conversation).report
    assert report.startswith("Implausible: 10 input tokens reported, where the text comes to")
    assert report.endswith("estimates do not learn from it.")


@pytest.mark.parametrize(
    ("outcome", "why", "said"),
    [
        (Outcome.AS_PREDICTED, None, "cache as predicted"),
        (Outcome.AS_ESTIMATED, None, "cache nearly as predicted (~500)"),
        (Outcome.LESS, "It expired.", "500 cached tokens were predicted. It expired."),
    ],
)
async def test_request_shows_the_outcome_of_its_cache_prediction(
    ctx: AppContext, outcome: Outcome, why: str | None, said: str
) -> None:
    conversation = await talk(ctx, "/echo one")
    (booked,) = await list_booked(ctx, LOCAL_OWNER, conversation, limit=1)
    assert describe_call(booked, conversation).prediction == ""

    foretold = replace(booked, foretold=Prediction(tokens=500), judged=Judgement(outcome, why))
    assert describe_call(foretold, conversation).prediction == said
