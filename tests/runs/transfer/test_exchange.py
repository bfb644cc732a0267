"""Export and import together: an import restores what an export wrote, against the real store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import orjson
import pytest
from sqlalchemy import func, select, text

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Text, plain_text
from app.domain.errors import ErrorClass
from app.domain.filters.language.commands import Export, ExportOrder
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.filters.filter_commands import apply_filter, list_filters, save_filter
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.stopping import cancel_run
from app.runs.topics.topic_commands import create_topic, list_topics
from app.runs.transfer.importing import import_file
from app.store.conversation.conversations import load_conversation
from app.store.ledger.rows_ledger import LEDGER
from tests.runs.exchange import PAIR_BY_HAND, bring_back, export
from tests.runs.steps import a_conversation, pair_of, pairs_of, reply_to, send, wait_for_text


async def test_importing_twice_gives_two_conversations_and_one_topic(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, title="Plans")
    await create_topic(ctx, LOCAL_OWNER, "Elsewhere")
    topic = await create_topic(ctx, LOCAL_OWNER, "AI > Planning")
    ended = await reply_to(ctx, conversation_id, "/echo one", options=ViewOptions(topic=topic))
    body = await export(ctx, conversation_id)

    first, second = *(await bring_back(ctx, body)), *(await bring_back(ctx, body))

    assert len({conversation_id, first, second}) == 3
    listed = (await list_topics(ctx, LOCAL_OWNER)).items
    assert {topic.path: topic.count for topic in listed} == {"Elsewhere": 0, "AI": 0, "AI > Planning": 3}
    assert [one["path"] for one in orjson.loads(body)["topics"]] == ["AI", "AI > Planning"]
    (copy,) = await pairs_of(ctx, second)
    assert copy.usage == ended.pair.usage is not None
    async with ctx.store.read() as session:
        assert (await session.execute(select(func.count()).select_from(LEDGER))).scalar_one() == 1


async def test_an_export_of_a_selection_has_its_pairs_alone(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    for word in ("one", "two", "three"):
        await reply_to(ctx, conversation_id, f"/echo {word}")

    body = orjson.loads(await export(ctx, conversation_id, options=ViewOptions(filter="!c'two'")))

    pairs = body["conversations"][0]["pairs"]
    assert [(pair["position"], pair["reply_text"]) for pair in pairs] == [(1, "one"), (3, "three")]
    assert [run["sent"] for pair in pairs for run in pair["runs"]] == [None, None]


async def test_an_export_by_topic_has_pairs_without_one_last(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    late, early = await create_topic(ctx, LOCAL_OWNER, "B"), await create_topic(ctx, LOCAL_OWNER, "A > x")
    for word, topic in (("one", None), ("two", late), ("three", early), ("four", late)):
        await reply_to(ctx, conversation_id, f"/echo {word}", options=ViewOptions(topic=topic))

    body = await export(ctx, conversation_id, Export(order=ExportOrder.TOPIC))

    assert [pair["position"] for pair in orjson.loads(body)["conversations"][0]["pairs"]] == [3, 2, 4, 1]
    (again,) = await bring_back(ctx, body)
    assert [pair.position for pair in await pairs_of(ctx, again)] == [1, 2, 3, 4]


async def test_a_reply_that_was_running_comes_back_interrupted_with_what_had_come(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    started = await send(ctx, conversation_id, "/slow 10 /long 500")
    await wait_for_text(ctx, started, 3)
    body = await export(ctx, conversation_id)
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)

    (again,) = await bring_back(ctx, body)

    (pair,) = await pairs_of(ctx, again)
    assert pair.lifecycle is Lifecycle.ERROR
    assert pair.failure is not None
    assert pair.failure.error_class is ErrorClass.INTERRUPTED
    await reply_to(ctx, again, "/echo free to go on")


async def test_saved_filters_in_use_go_along_and_never_replace_others(ctx: AppContext, other: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    for name, line in (("base", "s>=2"), ("good", "@base !e"), ("unused", "b")):
        await save_filter(ctx, LOCAL_OWNER, name, line)
    await apply_filter(ctx, LOCAL_OWNER, conversation_id, "@good r9")
    body = await export(ctx, conversation_id)
    await save_filter(other, LOCAL_OWNER, "base", "b")

    (first,) = await bring_back(other, body)
    (second,) = await bring_back(other, body)

    saved = (await list_filters(other, LOCAL_OWNER)).saved
    assert saved == {"base": "b", "base-2": "s>=2", "good": "@base-2 !e"}
    async with other.store.read() as session:
        for one in (first, second):
            assert (await load_conversation(session, LOCAL_OWNER, one)).filter == "@good r9"


@pytest.mark.parametrize("stored", ["x'00ff'", "'(('"])
async def test_an_export_leaves_out_a_filter_that_uses_a_damaged_one_and_can_be_imported(
    ctx: AppContext, other: AppContext, stored: str
) -> None:
    conversation_id = await a_conversation(ctx)
    for name, line in (("base", "s>=2"), ("good", "@base !e")):
        await save_filter(ctx, LOCAL_OWNER, name, line)
    await apply_filter(ctx, LOCAL_OWNER, conversation_id, "@good r9")
    async with ctx.store.write() as session:
        await session.execute(text(f"UPDATE saved_filter SET filter = {stored} WHERE name = 'base'"))

    body = await export(ctx, conversation_id)

    (one,) = await import_file(other, LOCAL_OWNER, body)
    assert "@good" in one.damaged[0], one.damaged
    (lost,) = orjson.loads(body)["conversations"][0]["damaged"]
    assert (lost["column"], lost["raw"]) == ("filter", "@good r9")
    assert (await list_filters(other, LOCAL_OWNER)).saved == {}
    async with other.store.read() as session:
        assert (await load_conversation(session, LOCAL_OWNER, one.id)).filter == ""


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE run SET failure = '[['",
        "DELETE FROM run",
        "UPDATE message SET created_at = 12 WHERE role = 'assistant'",
        "UPDATE pair SET created_at = 12",
    ],
)
async def test_an_export_with_a_damaged_row_can_be_imported(ctx: AppContext, other: AppContext, damage: str) -> None:
    conversation_id = await a_conversation(ctx)
    await reply_to(ctx, conversation_id, "/echo one")
    async with ctx.store.write() as session:
        await session.execute(text(damage))

    (again,) = await bring_back(other, await export(ctx, conversation_id))

    assert [plain_text(pair.request.parts) for pair in await pairs_of(other, again)] == ["/echo one"]


async def test_a_file_written_by_hand_has_only_what_it_has_to_say(ctx: AppContext) -> None:
    body = orjson.dumps(
        {
            "title": "By hand",
            "pairs": [
                {
                    "user_text": "Hi",
                    "reply_text": "Hello",
                    "model": "offline:demo",
                    "created_at": "2025-01-31T12:00:00+01:00",
                    "stars": 2,
                    "flagged": True,
                    "topic": "AI > Planning",
                },
                {"user_text": "And?", "model": "offline:demo"},
            ],
        }
    )

    (imported,) = await bring_back(ctx, body)

    first, second = await pairs_of(ctx, imported)
    assert (first.request.parts, first.reply and first.reply.parts) == ((Text("Hi"),), (Text("Hello"),))
    assert (first.stars, first.flagged, first.lifecycle) == (2, True, Lifecycle.SUCCEEDED)
    assert first.created_at == datetime(2025, 1, 31, 11, tzinfo=UTC)
    assert (second.reply, second.lifecycle) == (None, Lifecycle.CANCELED)
    assert [topic.path for topic in (await list_topics(ctx, LOCAL_OWNER)).items] == ["AI", "AI > Planning"]


async def test_a_fork_and_its_origin_come_back_as_parent_and_child(ctx: AppContext) -> None:
    origin = await create_conversation(ctx, LOCAL_OWNER, title="Origin")
    file = orjson.loads(await export(ctx, origin.id))
    child = file["conversations"][0] | {"id": "child", "parent_id": origin.id, "title": "Child"}
    stray = file["conversations"][0] | {"id": "stray", "parent_id": "nobody", "title": "Stray"}
    file["conversations"] = [child, *file["conversations"], stray]

    ids = await bring_back(ctx, orjson.dumps(file))

    async with ctx.store.read() as session:
        parents = [(await load_conversation(session, LOCAL_OWNER, one)).parent_id for one in ids]
    assert parents == [ids[1], None, None]


@pytest.mark.exhaustive
async def test_ten_thousand_pairs_go_out_and_come_back(ctx: AppContext) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    pairs = [
        PAIR_BY_HAND | {"created_at": at + timedelta(minutes=number), "reply_text": "word " * 50}
        for number in range(10_000)
    ]

    (imported,) = await bring_back(ctx, orjson.dumps({"title": "long", "pairs": pairs}))
    body = await export(ctx, imported)

    assert len(orjson.loads(body)["conversations"][0]["pairs"]) == 10_000
    assert (await pair_of(ctx, orjson.loads(body)["conversations"][0]["pairs"][-1]["id"])).position == 10_000
