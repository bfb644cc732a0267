from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.filters.language.formatter import format_filter
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.syntax import TopicTerm
from app.domain.settings.preferences import TopicOrder
from app.domain.text.pattern import Pattern
from app.domain.topics.topic_rules import MAX_LEVELS
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.topics.topic_commands import change_topic, create_topic, delete_topic, list_topics
from app.store.topics.topics import touch_topic


async def paths(ctx: AppContext, order: TopicOrder = TopicOrder.MANUAL) -> list[str]:
    return [topic.path for topic in (await list_topics(ctx, LOCAL_OWNER, order)).items]


async def make(ctx: AppContext, path: str) -> str:
    return await create_topic(ctx, LOCAL_OWNER, path)


async def test_topics_are_listed_with_their_paths_parents_first(ctx: AppContext) -> None:
    await make(ctx, "Work > Money")
    await make(ctx, "AI > Planning > Deep")
    await make(ctx, "Work > Meetings")

    listed = (await list_topics(ctx, LOCAL_OWNER, TopicOrder.MANUAL)).items

    assert [(topic.path, topic.depth) for topic in listed] == [
        ("Work", 0),
        ("Work > Money", 1),
        ("Work > Meetings", 1),
        ("AI", 0),
        ("AI > Planning", 1),
        ("AI > Planning > Deep", 2),
    ]


async def test_the_topic_used_last_comes_first_and_brings_those_above_it_along(ctx: AppContext) -> None:
    old, new = await make(ctx, "Old > Deep"), await make(ctx, "New")

    await use(ctx, old, timedelta(hours=1))
    assert await paths(ctx, TopicOrder.RECENT) == ["Old", "Old > Deep", "New"]
    await use(ctx, new, timedelta(hours=2))

    assert await paths(ctx, TopicOrder.RECENT) == ["New", "Old", "Old > Deep"]
    assert await paths(ctx, TopicOrder.MANUAL) == ["Old", "Old > Deep", "New"]


async def use(ctx: AppContext, topic_id: str, later: timedelta) -> None:
    async with ctx.store.write() as session:
        await touch_topic(session, LOCAL_OWNER, topic_id, datetime.now(UTC) + later)


async def test_topics_keep_the_order_they_are_put_in_by_hand(ctx: AppContext) -> None:
    first, second, third = [await create_topic(ctx, LOCAL_OWNER, name) for name in ("A", "B", "C")]

    await change_topic(ctx, LOCAL_OWNER, third, {"before": first})
    assert await paths(ctx) == ["C", "A", "B"]
    await change_topic(ctx, LOCAL_OWNER, first, {"before": None})
    assert await paths(ctx) == ["C", "B", "A"]
    with pytest.raises(InputError, match="not another topic under the same parent"):
        await change_topic(ctx, LOCAL_OWNER, first, {"before": await make(ctx, "B > below")})
    assert second


async def test_a_moved_topic_takes_its_own_along_and_comes_last(ctx: AppContext) -> None:
    await make(ctx, "AI > Planning > Deep")
    moved = await make(ctx, "AI > Planning")
    await make(ctx, "Work > Money")
    parent = await make(ctx, "Work")

    await change_topic(ctx, LOCAL_OWNER, moved, {"parent_id": parent})

    assert await paths(ctx) == ["AI", "Work", "Work > Money", "Work > Planning", "Work > Planning > Deep"]
    top = await make(ctx, "AI")
    await change_topic(ctx, LOCAL_OWNER, moved, {"parent_id": None, "name": "Plans", "before": top})
    assert await paths(ctx) == ["Plans", "Plans > Deep", "AI", "Work", "Work > Money"]


async def test_a_topic_cannot_be_moved_below_itself(ctx: AppContext) -> None:
    deep = await make(ctx, "AI > Planning > Deep")
    top = await make(ctx, "AI")

    for below in (top, deep):
        with pytest.raises(ConflictError, match="cannot be moved below itself"):
            await change_topic(ctx, LOCAL_OWNER, top, {"parent_id": below})

    assert await paths(ctx) == ["AI", "AI > Planning", "AI > Planning > Deep"]


@pytest.mark.parametrize("name", ["planning", "PLANNING", " Planning "])
async def test_siblings_bear_different_names_case_aside(ctx: AppContext, name: str) -> None:
    await make(ctx, "AI > Planning")
    parent = await make(ctx, "AI")
    other = await make(ctx, "AI > Other")

    assert await make(ctx, f"AI > {name}") == await make(ctx, "AI > Planning")
    with pytest.raises(ConflictError, match="Choose another name"):
        await change_topic(ctx, LOCAL_OWNER, other, {"name": name})
    moving = await create_topic(ctx, LOCAL_OWNER, name)
    with pytest.raises(ConflictError, match="Choose another name"):
        await change_topic(ctx, LOCAL_OWNER, moving, {"parent_id": parent})


async def test_a_topic_may_change_the_case_of_its_own_name(ctx: AppContext) -> None:
    topic_id = await create_topic(ctx, LOCAL_OWNER, "ai")

    await change_topic(ctx, LOCAL_OWNER, topic_id, {"name": "AI"})

    assert await paths(ctx) == ["AI"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is blank"),
        (" \t ", "is blank"),
        ("x" * 81, "has 81 characters"),
        ("two\nlines", "invisible"),
        ("\ud800", "invisible"),
        ("and so on...", "and below"),
    ],
)
async def test_a_name_that_cannot_be_one_is_refused_with_the_reason(ctx: AppContext, name: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        await create_topic(ctx, LOCAL_OWNER, name)
    topic_id = await make(ctx, "Fine")
    with pytest.raises(InputError, match=reason):
        await change_topic(ctx, LOCAL_OWNER, topic_id, {"name": name})


async def test_a_name_holds_no_path(ctx: AppContext) -> None:
    topic_id = await make(ctx, "Fine")

    with pytest.raises(InputError, match='has a ">"'):
        await change_topic(ctx, LOCAL_OWNER, topic_id, {"name": "AI > Planning"})


@pytest.mark.parametrize("name", ["C*", "it's", 'say "so"', "back\\slash", "10", "a.b..", "Ünï", ":star", "(x) | !y"])
async def test_every_name_can_be_written_in_a_filter(ctx: AppContext, name: str) -> None:
    await create_topic(ctx, LOCAL_OWNER, name)
    (path,) = await paths(ctx)

    term = TopicTerm((Pattern((path,)),))

    assert parse_filter(format_filter(term)) == term


async def test_topics_have_a_maximum_depth(ctx: AppContext) -> None:
    await make(ctx, " > ".join(["x"] * MAX_LEVELS))

    with pytest.raises(InputError, match="levels"):
        await make(ctx, " > ".join(["x"] * (MAX_LEVELS + 1)))
    await make(ctx, "two > levels")
    parent = (await list_topics(ctx, LOCAL_OWNER, TopicOrder.MANUAL)).items[MAX_LEVELS - 2].id
    top = await make(ctx, "two")
    with pytest.raises(InputError, match="levels"):
        await change_topic(ctx, LOCAL_OWNER, top, {"parent_id": parent})


async def test_a_topic_that_holds_topics_is_not_deleted(ctx: AppContext) -> None:
    await make(ctx, "AI > Planning")
    await make(ctx, "AI > Ethics")
    top = await make(ctx, "AI")

    with pytest.raises(ConflictError, match="'AI' still has 2 topics"):
        await delete_topic(ctx, LOCAL_OWNER, top)

    assert len(await paths(ctx)) == 3


async def test_an_empty_topic_is_deleted(ctx: AppContext) -> None:
    await delete_topic(ctx, LOCAL_OWNER, await create_topic(ctx, LOCAL_OWNER, "Gone"))

    assert await paths(ctx) == []


async def test_another_owners_topics_are_not_found(ctx: AppContext) -> None:
    theirs = await create_topic(ctx, "somebody else", "Secret")
    mine = await create_topic(ctx, LOCAL_OWNER, "Mine")

    with pytest.raises(NotFoundError):
        await change_topic(ctx, LOCAL_OWNER, theirs, {"name": "Mine"})
    with pytest.raises(NotFoundError):
        await change_topic(ctx, LOCAL_OWNER, mine, {"parent_id": theirs})
    with pytest.raises(NotFoundError):
        await delete_topic(ctx, LOCAL_OWNER, theirs)
    assert await paths(ctx) == ["Mine"]
