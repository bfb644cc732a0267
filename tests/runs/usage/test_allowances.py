"""What a role may use and a person may spend: asked afresh before every call, whoever makes it."""

from __future__ import annotations

import ast
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import app
from app.domain.costs.budgets import BudgetSpentError, Scope, Span, SpendingBudget
from app.domain.errors import ForbiddenError, InputError
from app.domain.model_profile import Prices
from app.domain.people.allowances import ModelNotAllowedError, clean_patterns
from app.domain.people.people import Role
from app.providers.transport import Transport
from app.runs.library.provider_commands import list_models
from app.runs.people.administration import change_role, delete_person
from app.runs.send import plan
from app.runs.send.commands import create_conversation, hurry_run, start_reply
from app.runs.send.intents import NewSend
from app.runs.usage.allowances import (
    give_budget,
    list_allowances,
    read_allowance,
    set_role_models,
    take_budget,
)
from app.runs.usage.budgets import list_budgets, require_budgets_for
from app.runs.usage.prices import set_price
from app.runs.watch.broadcast import follow
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.store.conversation.pairs import load_pair
from app.store.ledger.ledger import Call, load_calls
from app.store.ledger.prices import OwnPrice
from tests.api.limited import watch_wire
from tests.runs.people.accounts import a_person
from tests.runs.steps import settings_of

APP = Path(app.__file__).parent
DEMO = "offline:demo"


@pytest.fixture
async def wb(data: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(replace(settings_of(data), accounts=True)) as opened:
        for name, role in (("owen", Role.OWNER), ("ada", Role.ADMIN), ("mia", Role.MEMBER), ("max", Role.MEMBER)):
            await a_person(opened, name, role)
        yield opened


def a_budget(amount: str, span: Span = Span.MONTH, *, stops: bool = True) -> SpendingBudget:
    return SpendingBudget(Scope.ALL, "", span, Decimal(amount), stops=stops)


async def a_send(wb: Workbench, owner: str) -> None:
    conversation = await create_conversation(wb, owner, title="t", model=DEMO)
    started = await start_reply(wb, owner, NewSend(conversation.id, "Hello"))
    async for _ in follow(wb, owner, started.run_id):
        pass


async def test_a_model_that_the_role_may_not_use_is_refused_and_not_listed(wb: Workbench) -> None:
    await set_role_models(wb, "ada", Role.MEMBER, ["anthropic:*"])

    with pytest.raises(ModelNotAllowedError):
        await a_send(wb, "mia")
    assert [one.model for offer in await list_models(wb, "mia") for one in offer.models] == []

    await a_send(wb, "ada")
    await change_role(wb.store, "owen", "mia", Role.ADMIN)
    await a_send(wb, "mia")


async def test_child_calls_and_comparisons_obey(wb: Workbench) -> None:
    conversation = await create_conversation(wb, "mia", title="t", model=DEMO)
    await set_role_models(wb, "ada", Role.MEMBER, ["anthropic:*"])

    with pytest.raises(ModelNotAllowedError):
        await require_budgets_for(wb, conversation, DEMO, 10)


async def test_no_list_allows_everything_and_an_unusable_pattern_is_refused(wb: Workbench) -> None:
    await set_role_models(wb, "ada", Role.MEMBER, ["x:*"])
    await set_role_models(wb, "ada", Role.MEMBER, None)
    await a_send(wb, "mia")

    for wrong in ("gpt", "a b:c", "x:" + "y" * 300):
        with pytest.raises(InputError):
            clean_patterns([wrong])


async def test_a_persons_budget_counts_instead_of_their_roles(wb: Workbench) -> None:
    await set_price(wb, "mia", OwnPrice(DEMO, date(2000, 1, 1), Prices(Decimal(1000), Decimal(1000))))
    await give_budget(wb, "ada", Role.MEMBER, a_budget("0.000001"))

    with pytest.raises(BudgetSpentError, match="Ask an owner or admin"):
        await a_send(wb, "mia")
    await give_budget(wb, "ada", "mia", a_budget("100"))
    await a_send(wb, "mia")

    [shown] = await list_budgets(wb, "mia")
    assert (shown.budget.amount, shown.budget.given) == (Decimal(100), True)
    await take_budget(wb, "ada", "mia", Span.MONTH)
    with pytest.raises(BudgetSpentError):
        await a_send(wb, "mia")


async def test_each_person_of_a_role_spends_for_themselves(wb: Workbench) -> None:
    for name in ("mia", "max"):
        await set_price(wb, name, OwnPrice(DEMO, date(2000, 1, 1), Prices(Decimal(1000), Decimal(1000))))
    await a_send(wb, "mia")
    await give_budget(wb, "ada", Role.MEMBER, a_budget("0.2"))
    spent = (await list_budgets(wb, "max"))[0].report.total.cost.amount

    assert spent == 0


@pytest.mark.parametrize("to", [Role.MEMBER, Role.OWNER, "owen", "max"])
async def test_members_set_nothing(wb: Workbench, to: Role | str) -> None:
    with pytest.raises(ForbiddenError):
        await give_budget(wb, "mia", to, a_budget("5"))
    with pytest.raises(ForbiddenError):
        await take_budget(wb, "mia", to, Span.MONTH)
    with pytest.raises(ForbiddenError):
        await list_allowances(wb, "mia")


async def test_admins_set_nothing_of_owners(wb: Workbench) -> None:
    for to in (Role.OWNER, "owen"):
        with pytest.raises(ForbiddenError):
            await give_budget(wb, "ada", to, a_budget("5"))
    with pytest.raises(ForbiddenError):
        await set_role_models(wb, "ada", Role.OWNER, ["x:*"])


async def test_a_deleted_person_leaves_no_budget(wb: Workbench) -> None:
    await give_budget(wb, "ada", "mia", a_budget("5"))
    await delete_person(wb, "ada", "mia", "mia")

    assert (await list_allowances(wb, "ada")).persons == ()
    assert (await read_allowance(wb, "mia")).budgets == ()


# --- the engine's own look before each call ---


async def _admit(*_: object) -> None:
    """Let it be sent, as a place that forgot to ask would."""


async def _settle(wb: Workbench, owner: str, text: str) -> tuple[str, list[Call]]:
    """Send, and give what became of it: the message of its failure, and the calls in the ledger."""
    conversation = await create_conversation(wb, owner, title="t", model=DEMO)
    started = await start_reply(wb, owner, NewSend(conversation.id, text))
    async for events in follow(wb, owner, started.run_id):
        if any(event.kind == "retry" for event in events):
            await set_role_models(wb, "ada", Role.MEMBER, ["anthropic:*"])
            await hurry_run(wb, owner, started.run_id)
    async with wb.store.read() as session:
        pair = await load_pair(session, owner, started.pair_id)
        calls = await load_calls(session, owner, conversation.id)
    return "" if pair.failure is None else pair.failure.message, list(calls)


async def test_a_place_that_does_not_ask_sends_nothing_with_a_model_that_is_not_allowed(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "require_model", _admit)
    wire = watch_wire(monkeypatch)
    await set_role_models(wb, "ada", Role.MEMBER, ["anthropic:*"])

    message, calls = await _settle(wb, "mia", "Hello")

    assert message.startswith(f"Your role may not use {DEMO}. Nothing was sent.")
    assert (wire.calls, calls) == ({}, [])


async def test_a_place_that_does_not_ask_sends_nothing_beyond_a_budget(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "require_budgets", _admit)
    wire = watch_wire(monkeypatch)
    await set_price(wb, "mia", OwnPrice(DEMO, date(2000, 1, 1), Prices(Decimal(1000), Decimal(1000))))
    await give_budget(wb, "ada", Role.MEMBER, a_budget("0.000001"))

    message, calls = await _settle(wb, "mia", "Hello")

    assert "Ask an owner or admin" in message
    assert (wire.calls, calls) == ({}, [])


async def test_what_was_allowed_for_the_first_attempt_is_asked_again_for_the_next(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire = watch_wire(monkeypatch)

    message, calls = await _settle(wb, "mia", "/fail overloaded times 1 /rate 0")

    assert message.startswith(f"Your role may not use {DEMO}.")
    assert (wire.calls.total(), len(calls)) == (1, 1)


def test_providers_are_called_by_the_engine_and_for_exact_counts_alone() -> None:
    """Who else holds a transport could send what no budget and no role allows, and has to be looked at here."""
    holders = {
        path.relative_to(APP).as_posix(): names
        for path in sorted(APP.rglob("*.py"))
        if path.parent.name != "tools"  # pipes of programs, which asyncio calls transports
        if (names := _transport_calls(ast.parse(path.read_text())))
    }

    assert holders == {
        "providers/models/model_lists.py": {"fetch"},
        "providers/tokens/counting.py": {"ask"},
        "runs/engine/engine.py": {"stream"},
        "runs/send/prefetch.py": {"warm"},
        "runs/wiring.py": {"close"},
    }
    handed = {path.relative_to(APP).as_posix() for path in APP.rglob("*.py") if "engine.transport" in path.read_text()}
    assert handed == {"runs/send/exact_counts.py", "runs/send/prefetch.py", "runs/temporary.py"}


def _transport_calls(tree: ast.Module) -> set[str]:
    """The methods of a transport that a module names."""
    methods = {name for name in vars(Transport) if not name.startswith("_")}
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in methods and "transport" in ast.unparse(node.value).lower()
    }
