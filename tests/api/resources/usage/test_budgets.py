"""Budgets of money: they warn, refuse calls that would exceed them, and list who used them. And own prices."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.api.resources.usage.test_usage import ONE_REPLY, SONNET, priced, read
from tests.api.served import Api
from tests.api.talk import AT_ONCE, answered, create_conversation

__all__ = ["priced"]


async def set_budget(api: Api, of: str, amount: str, subject: str = "", **more: Any) -> None:
    answer = await api.http.put(f"/budgets/{of}", json={"amount": amount, **more}, params={"subject": subject})
    assert answer.status_code == 200, answer.text


async def try_to_send(api: Api, conversation_id: str) -> tuple[int, dict[str, Any]]:
    body = {"text": "Once more"}
    answer = await api.http.post(f"/conversations/{conversation_id}/send", json=body, headers=AT_ONCE)
    return answer.status_code, answer.json()


@pytest.mark.parametrize("of", ["all/day", "all/month", "all/ever", "conversation/ever"])
async def test_a_spent_budget_refuses_sends_and_lists_who_used_it(priced: Api, of: str):
    conversation_id = await create_conversation(priced, model=SONNET)
    await answered(priced, conversation_id, "Hello")
    await set_budget(priced, of, "0.0001")

    status, problem = await try_to_send(priced, conversation_id)
    (budget,) = (await read(priced, "/budgets"))["items"]

    assert (status, problem["type"]) == (409, "urn:inview:problem:budget-spent")
    assert "Raise or remove the budget" in problem["detail"]
    assert (budget["standing"], Decimal(budget["spent"]["cost"])) == ("spent", ONE_REPLY)
    assert [model["group"] for model in budget["models"]] == [SONNET]
    assert [one["group"] for one in budget["conversations"]] == [conversation_id]


async def test_a_send_that_would_go_beyond_the_budget_is_stopped_before_it_costs_anything(priced: Api):
    conversation_id = await create_conversation(priced, model=SONNET)
    await set_budget(priced, "all/ever", "0.000001")

    status, problem = await try_to_send(priced, conversation_id)

    assert (status, problem["type"]) == (409, "urn:inview:problem:budget-spent")
    assert (await read(priced, f"/conversations/{conversation_id}/calls"))["items"] == []


async def test_a_budget_that_only_warns_lets_everything_pass(priced: Api):
    conversation_id = await create_conversation(priced, model=SONNET)
    await set_budget(priced, "all/day", "0.0004", stops=False, warn_at=0.5)
    await answered(priced, conversation_id, "Hello")

    (budget,) = (await read(priced, "/budgets"))["items"]
    assert budget["standing"] == "warning"
    await answered(priced, conversation_id, "And again")
    (budget,) = (await read(priced, "/budgets"))["items"]
    assert budget["standing"] == "spent"


async def test_what_costs_nothing_may_always_be_sent_and_other_conversations_have_their_own(priced: Api):
    spent = await create_conversation(priced, model=SONNET)
    await answered(priced, spent, "Hello")
    await set_budget(priced, "conversation/ever", "0.0003", subject=spent)

    assert (await try_to_send(priced, spent))[0] == 409
    await answered(priced, await create_conversation(priced, model=SONNET), "Elsewhere")
    await set_budget(priced, "all/ever", "0.0001")
    await answered(priced, await create_conversation(priced, model="offline:demo"))


async def test_a_budget_can_be_raised_and_removed(priced: Api):
    conversation_id = await create_conversation(priced, model=SONNET)
    await set_budget(priced, "all/month", "0.000001")
    assert (await try_to_send(priced, conversation_id))[0] == 409

    await set_budget(priced, "all/month", "5")
    await answered(priced, conversation_id, "Hello")
    gone = [(await priced.http.delete("/budgets/all/month")).status_code for _ in range(2)]

    assert gone == [204, 404]
    assert (await read(priced, "/budgets"))["items"] == []


@pytest.mark.parametrize(
    ("of", "body", "params", "field"),
    [
        ("all/day", {"amount": "0"}, {}, "amount"),
        ("all/day", {"amount": "1", "warn_at": 0}, {}, "warn_at"),
        ("all/day", {"amount": "1"}, {"subject": "c1"}, "subject"),
    ],
)
async def test_a_budget_that_cannot_be_one_is_refused(api: Api, of: str, body: Any, params: Any, field: str):
    answer = await api.http.put(f"/budgets/{of}", json=body, params=params)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


async def test_a_price_set_by_the_user_corrects_the_past_from_its_day(priced: Api):
    conversation_id = await create_conversation(priced, model=SONNET)
    await answered(priced, conversation_id, "Hello")
    today = datetime.now(UTC).date().isoformat()
    path, model = f"/prices/{today}", {"model": SONNET}

    kept = await priced.http.put(path, params=model, json={"input": "1", "output": "2", "cache_read": "0.5"})

    assert kept.json()["items"][0]["prices"]["cache_read"] == "0.5"
    account = await read(priced, f"/conversations/{conversation_id}/usage")
    assert Decimal(account["total"]["cost"]) == Decimal(25 + 2 * 15) / 1_000_000
    assert (await priced.http.delete(path, params=model)).status_code == 204
    account = await read(priced, f"/conversations/{conversation_id}/usage")
    assert Decimal(account["total"]["cost"]) == ONE_REPLY


async def test_a_budget_of_each_agent_stops_only_the_agent_that_spent_it(priced: Api):
    ids = [(await priced.http.post("/agents", json={"name": name})).json()["id"] for name in ("Dear", "Cheap")]
    conversation_id = await create_conversation(priced, model=SONNET, agent_id=ids[0])
    await answered(priced, conversation_id, "Hello")
    await set_budget(priced, "agent/day", "0.0003")

    stopped = await try_to_send(priced, conversation_id)
    body = {"text": "Once more", "agent_id": ids[1]}
    other = await priced.http.post(f"/conversations/{conversation_id}/send", json=body, headers=AT_ONCE)

    assert (stopped[0], stopped[1]["type"]) == (409, "urn:inview:problem:budget-spent")
    assert "of this agent" in stopped[1]["detail"]
    assert other.status_code == 202
    (budget,) = (await read(priced, "/budgets"))["items"]
    assert (budget["used_by_subject"], budget["standing"]) == (ids[0], "spent")
