"""The raw history over HTTP, by the kinds of its messages, with cache hits and with child conversations."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from app.domain.conversation.conversation import Message, Pair, Role
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Part, Text, ToolCall, ToolResult
from app.runs.runtime.ids import new_id
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import insert_pair
from app.store.conversation.rows import MESSAGE, RUN
from tests.api.served import Api
from tests.api.talk import AT_ONCE, answered, create_conversation, follow
from tests.builders import EPOCH

CALLED = (ToolCall("t1", "clock", "{}", complete=True), ToolResult("t1", (Text("noon"),)), Text("At noon"))
QUOTED = (Text('A call has {"tool_call_id":"t1"}'),)


async def store(api: Api, conversation_id: str, *replies: tuple[Part, ...] | None) -> None:
    """Store pairs with these replies, as if they had been sent earlier."""
    async with api.ctx.store.write() as session:
        revision = await next_revision(session, conversation_id, EPOCH)
        for position, parts in enumerate(replies, start=1):
            pair = Pair(
                id=new_id(),
                conversation_id=conversation_id,
                position=position,
                request=Message(new_id(), Role.USER, (Text(f"question {position}"),), EPOCH),
                reply=None if parts is None else Message(new_id(), Role.ASSISTANT, parts, EPOCH),
                model="offline:demo",
                lifecycle=Lifecycle.SUCCEEDED,
                created_at=EPOCH,
                updated_at=EPOCH,
            )
            await insert_pair(session, "local", pair, revision)


async def report(api: Api, run_id: str, read: int | None, *rounds: int) -> None:
    """Set the tokens that the provider read from its cache: in the last call of a run, and in its earlier calls."""
    usages = [{"attempt": 1, "usage": {"input_tokens": 9, "cache_read_tokens": one}} for one in rounds]
    usage = None if read is None else {"input_tokens": 9, "cache_read_tokens": read}
    async with api.ctx.store.write() as session:
        await session.execute(update(RUN).where(RUN.c.id == run_id).values(usage=usage, rounds=usages))


async def pages(api: Api, conversation_id: str, **params: Any) -> list[list[dict[str, Any]]]:
    """Return all pages of the history with these parameters."""
    found: list[list[dict[str, Any]]] = []
    while True:
        answer = await api.http.get(f"/conversations/{conversation_id}/history", params=params)
        assert answer.status_code == 200, answer.text
        found.append(answer.json()["items"])
        if (cursor := answer.json()["next_cursor"]) is None:
            return found
        params["cursor"] = cursor


async def read(api: Api, conversation_id: str, **params: Any) -> list[dict[str, Any]]:
    return [message for page in await pages(api, conversation_id, **params) for message in page]


def places(messages: list[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(message["position"], message["role"]) for message in messages]


async def test_history_has_only_messages_of_the_given_kinds(api: Api):
    conversation_id = await create_conversation(api)
    await store(api, conversation_id, QUOTED, CALLED, None, CALLED)

    human, assistant, tool, both = [
        await read(api, conversation_id, kind=kind) for kind in ("human", "assistant", "tool", ["human", "tool"])
    ]

    assert places(human) == [(position, "user") for position in (1, 2, 3, 4)]
    assert places(assistant) == [(position, "assistant") for position in (1, 2, 4)]
    assert places(tool) == [(2, "assistant"), (4, "assistant")]
    assert places(both) == [(1, "user"), (2, "user"), (2, "assistant"), (3, "user"), (4, "user"), (4, "assistant")]
    assert [one["kinds"] for one in (human[0], assistant[0], tool[0])] == [
        ["human"], ["assistant"], ["assistant", "tool"],
    ]  # fmt: skip


async def test_pages_of_a_kind_are_full(api: Api):
    conversation_id = await create_conversation(api)
    await store(api, conversation_id, CALLED, QUOTED, QUOTED, CALLED, CALLED, QUOTED)

    found = await pages(api, conversation_id, kind="tool", limit=2)

    assert [places(page) for page in found] == [[(1, "assistant"), (4, "assistant")], [(5, "assistant")]]


async def test_cache_hits_are_the_replies_whose_provider_read_from_its_cache(api: Api):
    conversation_id = await create_conversation(api)
    hit, hit_in_a_round, miss, unknown = [(await answered(api, conversation_id))["run_id"] for _ in range(4)]
    await report(api, hit, 7)
    await report(api, hit_in_a_round, 0, 7)
    await report(api, miss, 0, 0)
    await report(api, unknown, None)

    misses_by_page = [places(page) for page in await pages(api, conversation_id, cache_hit=False, limit=1)]
    hits, misses, every, human = [
        await read(api, conversation_id, **params)
        for params in ({"cache_hit": True}, {"cache_hit": False}, {}, {"cache_hit": True, "kind": "human"})
    ]

    assert places(hits) == [(1, "assistant"), (2, "assistant")]
    assert places(misses) == [(3, "assistant")]
    assert [one["cache_hit"] for one in every] == [None, True, None, True, None, False, None, None]
    assert human == []
    assert misses_by_page == [[(3, "assistant")]]


async def test_messages_of_child_conversations_are_included_on_request(api: Api):
    conversation_id = await create_conversation(api)
    await answered(api, conversation_id)
    started = (await api.http.post(f"/conversations/{conversation_id}/title", json={}, headers=AT_ONCE)).json()
    await follow(api, started["run_id"])
    await answered(api, conversation_id)
    fork = await api.http.post(f"/conversations/{conversation_id}/fork", json={})
    child = started["conversation_id"]

    alone = await read(api, conversation_id)
    found = await pages(api, conversation_id, children=True, limit=1)
    replies = await read(api, conversation_id, children=True, kind="assistant")

    assert fork.is_success
    assert places(alone) == [(1, "user"), (1, "assistant"), (2, "user"), (2, "assistant")]
    assert [[(one["conversation_id"], one["conversation_kind"], one["role"]) for one in page] for page in found] == [
        [(conversation_id, "agent", "user"), (conversation_id, "agent", "assistant")],
        [(child, "tool", "system-title"), (child, "tool", "title")],
        [(conversation_id, "agent", "user"), (conversation_id, "agent", "assistant")],
    ]
    assert [one["role"] for one in replies] == ["assistant", "title", "assistant"]
    assert (await api.http.delete(f"/conversations/{child}")).is_success
    assert await read(api, conversation_id, children=True) == alone


async def test_filtered_history_is_read_although_a_message_and_a_run_are_damaged(api: Api):
    conversation_id = await create_conversation(api)
    run_id = (await answered(api, conversation_id))["run_id"]
    await report(api, (await answered(api, conversation_id))["run_id"], 7)
    async with api.ctx.store.write() as session:
        await session.execute(update(RUN).where(RUN.c.id == run_id).values(usage=b"{", rounds=b"["))
        await session.execute(
            update(MESSAGE)
            .where(MESSAGE.c.conversation_id == conversation_id, MESSAGE.c.role == "user")
            .values(parts=b"[")
        )

    assert places(await read(api, conversation_id, cache_hit=True)) == [(2, "assistant")]
    assert places(await read(api, conversation_id, cache_hit=False)) == []
    assert places(await read(api, conversation_id, kind="tool")) == []
    assert places(await read(api, conversation_id, kind="human")) == [(1, "user"), (2, "user")]


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"kind": "person"}, "kind"),
        ({"kind": ["human"] * 4}, "kind"),
        ({"cache_hit": "maybe"}, "cache_hit"),
        ({"cursor": "after-1", "children": "true"}, "cursor"),
        ({"cursor": "after-pair-1"}, "cursor"),
    ],
)
async def test_parameters_that_cannot_be_used_are_refused_by_name(api: Api, params: dict[str, Any], field: str):
    conversation_id = await create_conversation(api)

    refused = await api.http.get(f"/conversations/{conversation_id}/history", params=params)

    assert refused.status_code == 422
    assert [error["field"].split("[")[0].split(".")[0] for error in refused.json()["errors"]] == [field]
