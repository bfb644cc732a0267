from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from app.domain.conversation.conversation import Mark
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.transfer.records import PairRecord
from app.runs.app_context import AppContext
from app.runs.conversation.mark_commands import mark_pair, mark_pairs
from app.runs.runtime.event_bus import PairsChanged, PairsRemoved
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.stopping import cancel_run
from app.runs.topics.topic_commands import change_topic, create_topic, delete_topic, list_topics
from app.store.conversation.conversations import insert_conversation, load_with_revision, next_revision
from app.store.conversation.rows import PAIR
from app.store.transfer.pair_records import RecordTarget, insert_records
from tests.runs.steps import a_conversation, count_statements, pair_of, pairs_of, reply_to, send, wait_for_text
from tests.store.values import a_conversation as a_stored_conversation
from tests.store.values import a_pair_of
from tests.work import counting

MANY = 10_000


async def a_past(ctx: AppContext, conversation_id: str, count: int) -> list[str]:
    """Store a conversation with `count` pairs and return their ids."""
    conversation = replace(a_stored_conversation(conversation_id), owner=LOCAL_OWNER)
    records = [PairRecord(a_pair_of(conversation_id, position)) for position in range(1, count + 1)]
    async with ctx.store.write() as session:
        await insert_conversation(session, conversation)
        revision = await next_revision(session, conversation_id, conversation.updated_at)
        target = RecordTarget(LOCAL_OWNER, conversation_id, revision, ctx.process_id)
        await insert_records(session, target, records)
    return [record.pair.id for record in records]


async def state_of(ctx: AppContext, conversation_id: str) -> list[tuple[object, ...]]:
    columns = (PAIR.c.id, PAIR.c.position, PAIR.c.stars, PAIR.c.flagged, PAIR.c.mark, PAIR.c.topic, PAIR.c.deleted_at)
    query = select(*columns).where(PAIR.c.conversation_id == conversation_id).order_by(PAIR.c.position)
    async with ctx.store.read() as session:
        return [tuple(row) for row in await session.execute(query)]


async def test_a_change_touches_what_it_names_and_nothing_else(ctx: AppContext) -> None:
    first, second = await a_past(ctx, "c1", 2)

    await mark_pair(ctx, LOCAL_OWNER, first, Marks(stars=2, mark=Mark.OUT))
    await mark_pair(ctx, LOCAL_OWNER, first, Marks(flagged=True))

    pair = await pair_of(ctx, first)
    assert (pair.stars, pair.flagged, pair.mark, pair.topic) == (2, True, Mark.OUT, None)
    other = await pair_of(ctx, second)
    assert (other.stars, other.flagged, other.mark, other.topic) == (0, False, None, None)


async def test_undo_is_a_change_that_takes_it_back_and_can_be_undone(ctx: AppContext) -> None:
    ids = await a_past(ctx, "c1", 3)
    topic = await create_topic(ctx, LOCAL_OWNER, "AI")
    await mark_pair(ctx, LOCAL_OWNER, ids[0], Marks(stars=3, topic_id=topic))
    before = await state_of(ctx, "c1")
    changes = [
        PairMarks(ids[0], Marks(stars=1, topic_id=None)),
        PairMarks(ids[1], Marks(mark=Mark.IN, flagged=True)),
        PairMarks(ids[2], Marks(stars=0)),
    ]

    undo = await mark_pairs(ctx, LOCAL_OWNER, "c1", changes)
    after = await state_of(ctx, "c1")
    redo = await mark_pairs(ctx, LOCAL_OWNER, "c1", undo)

    assert undo == (
        PairMarks(ids[0], Marks(stars=3, topic_id=topic)),
        PairMarks(ids[1], Marks(mark=None, flagged=False)),
    )
    assert await state_of(ctx, "c1") == before != after
    await mark_pairs(ctx, LOCAL_OWNER, "c1", redo)
    assert await state_of(ctx, "c1") == after


async def test_a_mark_counts_as_a_change_but_leaves_the_conversation_where_it_is_in_the_list(ctx: AppContext) -> None:
    ids = await a_past(ctx, "c1", 2)
    async with ctx.store.read() as session:
        before, revision = await load_with_revision(session, LOCAL_OWNER, "c1")

    await mark_pair(ctx, LOCAL_OWNER, ids[0], Marks(stars=1))
    await mark_pair(ctx, LOCAL_OWNER, ids[0], Marks(stars=1))  # the pair has this mark already

    async with ctx.store.read() as session:
        assert await load_with_revision(session, LOCAL_OWNER, "c1") == (before, revision + 1)
        of_pairs = (await session.execute(select(PAIR.c.revision).order_by(PAIR.c.position))).scalars().all()
    assert of_pairs == [revision + 1, revision]


async def test_subscribers_are_notified_of_changed_and_removed_pairs(ctx: AppContext) -> None:
    first, second, third = await a_past(ctx, "c1", 3)
    feed = ctx.event_bus.subscribe(LOCAL_OWNER, "c1")
    changes = [
        PairMarks(first, Marks(stars=1)),
        PairMarks(second, Marks(deleted=True)),
        PairMarks(third, Marks(stars=0)),
    ]

    await mark_pairs(ctx, LOCAL_OWNER, "c1", changes)

    assert [await anext(feed), await anext(feed)] == [PairsRemoved((second,)), PairsChanged((first,))]


async def test_a_deleted_pair_comes_back_at_its_place(ctx: AppContext) -> None:
    first, second, third = await a_past(ctx, "c1", 3)
    before = await state_of(ctx, "c1")

    undo = await mark_pair(ctx, LOCAL_OWNER, second, Marks(deleted=True))
    with pytest.raises(NotFoundError):
        await mark_pair(ctx, LOCAL_OWNER, second, Marks(stars=1))
    assert await mark_pair(ctx, LOCAL_OWNER, second, Marks(deleted=True)) == ()
    await mark_pairs(ctx, LOCAL_OWNER, "c1", undo)

    assert undo == (PairMarks(second, Marks(deleted=False)),)
    assert await state_of(ctx, "c1") == before
    assert [pair.id for pair in await pairs_of(ctx, "c1")] == [first, second, third]


async def test_a_pair_that_is_running_can_be_marked_but_not_deleted(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    ended = await reply_to(ctx, conversation_id, "/echo one")
    started = await send(ctx, conversation_id, "/slow 10 /long 100")
    await wait_for_text(ctx, started)

    with pytest.raises(ConflictError, match="still running"):
        await mark_pairs(
            ctx,
            LOCAL_OWNER,
            conversation_id,
            [PairMarks(ended.pair.id, Marks(deleted=True)), PairMarks(started.pair_id, Marks(deleted=True))],
        )
    await mark_pair(ctx, LOCAL_OWNER, started.pair_id, Marks(stars=2))
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)

    assert [pair.stars for pair in await pairs_of(ctx, conversation_id)] == [0, 2]
    await mark_pair(ctx, LOCAL_OWNER, started.pair_id, Marks(deleted=True))


async def test_nothing_is_changed_unless_everything_can_be(ctx: AppContext) -> None:
    ids = await a_past(ctx, "c1", 2)
    before = await state_of(ctx, "c1")

    with pytest.raises(NotFoundError, match="pair 'elsewhere'"):
        await mark_pairs(
            ctx, LOCAL_OWNER, "c1", [PairMarks(ids[0], Marks(stars=1)), PairMarks("elsewhere", Marks(stars=1))]
        )
    with pytest.raises(NotFoundError, match="topic 'none'"):
        await mark_pairs(
            ctx, LOCAL_OWNER, "c1", [PairMarks(ids[0], Marks(stars=1)), PairMarks(ids[1], Marks(topic_id="none"))]
        )
    with pytest.raises(InputError, match="named twice"):
        await mark_pairs(ctx, LOCAL_OWNER, "c1", [PairMarks(ids[0], Marks(stars=1)), PairMarks(ids[0], Marks(stars=2))])

    assert await state_of(ctx, "c1") == before


async def test_another_owners_pairs_are_not_found(ctx: AppContext) -> None:
    ids = await a_past(ctx, "c1", 1)

    with pytest.raises(NotFoundError):
        await mark_pair(ctx, "somebody else", ids[0], Marks(stars=1))
    with pytest.raises(NotFoundError):
        await mark_pairs(ctx, "somebody else", "c1", [PairMarks(ids[0], Marks(stars=1))])
    theirs = await create_topic(ctx, "somebody else", "Secret")
    with pytest.raises(NotFoundError):
        await mark_pair(ctx, LOCAL_OWNER, ids[0], Marks(topic_id=theirs))


async def test_topics_count_the_pairs_filed_under_them_but_not_deleted_ones(ctx: AppContext) -> None:
    ids = await a_past(ctx, "c1", 4)
    top, below = await create_topic(ctx, LOCAL_OWNER, "AI"), await create_topic(ctx, LOCAL_OWNER, "AI > Planning")
    filed = [PairMarks(ids[0], Marks(topic_id=top)), *(PairMarks(one, Marks(topic_id=below)) for one in ids[1:])]
    await mark_pairs(ctx, LOCAL_OWNER, "c1", filed)

    await mark_pair(ctx, LOCAL_OWNER, ids[3], Marks(deleted=True))

    listed = (await list_topics(ctx, LOCAL_OWNER)).items
    assert [(topic.path, topic.count, topic.total) for topic in listed] == [("AI", 1, 3), ("AI > Planning", 2, 2)]


async def test_a_topic_with_pairs_is_not_deleted_and_deleted_pairs_do_not_hold_it(ctx: AppContext) -> None:
    first, second = await a_past(ctx, "c1", 2)
    topic = await create_topic(ctx, LOCAL_OWNER, "AI")
    await mark_pairs(ctx, LOCAL_OWNER, "c1", [PairMarks(one, Marks(topic_id=topic)) for one in (first, second)])

    with pytest.raises(ConflictError, match="still has 2 pairs"):
        await delete_topic(ctx, LOCAL_OWNER, topic)
    undo = await mark_pairs(ctx, LOCAL_OWNER, "c1", [PairMarks(one, Marks(deleted=True)) for one in (first, second)])
    await delete_topic(ctx, LOCAL_OWNER, topic)
    await mark_pairs(ctx, LOCAL_OWNER, "c1", undo)

    assert [pair.topic for pair in await pairs_of(ctx, "c1")] == [None, None]


async def test_a_renamed_topic_is_published_to_subscribers_of_its_pairs(ctx: AppContext) -> None:
    first, second = await a_past(ctx, "c1", 2)
    await create_topic(ctx, LOCAL_OWNER, "AI > Planning")
    top, below = await create_topic(ctx, LOCAL_OWNER, "AI"), await create_topic(ctx, LOCAL_OWNER, "AI > Planning")
    await mark_pair(ctx, LOCAL_OWNER, first, Marks(topic_id=below))
    feed = ctx.event_bus.subscribe(LOCAL_OWNER, "c1")

    await change_topic(ctx, LOCAL_OWNER, top, {"name": "Machines"})

    assert await anext(feed) == PairsChanged((first,))
    assert second


async def test_ten_thousand_pairs_are_marked_by_as_many_statements_as_a_few_and_few_calls_for_a_pair(
    ctx: AppContext,
) -> None:
    asked = count_statements(ctx)
    made: dict[str, list[int]] = {}
    for conversation_id, count in (("few", 10), ("many", MANY)):
        ids = await a_past(ctx, conversation_id, count)
        changes = [PairMarks(pair_id, Marks(stars=place % 4, flagged=True)) for place, pair_id in enumerate(ids)]
        asked.clear()
        with counting() as calls:
            undo = await mark_pairs(ctx, LOCAL_OWNER, conversation_id, changes)
            await mark_pairs(ctx, LOCAL_OWNER, conversation_id, undo)
        assert len(undo) == count
        made[conversation_id] = [len(asked), calls.made]

    # Marking a pair and undoing it take about 45 calls.
    assert made["many"][0] == made["few"][0] > 0
    assert made["many"][1] < 60 * MANY
