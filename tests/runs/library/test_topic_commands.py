from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from app.domain.errors import ConflictError, InputError, NotFoundError
from app.domain.filters.formatter import format_filter
from app.domain.filters.parser import parse_filter
from app.domain.filters.syntax import Topic as TopicTerm
from app.domain.pattern import Pattern
from app.domain.preferences import TopicOrder
from app.domain.topics.topic_rules import MAX_LEVELS
from app.runs.library.topic_commands import change_topic, create_topic, delete_topic, list_topics
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench
from app.store.organise.topics import touch_topic


async def paths(wb: Workbench, order: TopicOrder = TopicOrder.MANUAL) -> list[str]:
    return [topic.path for topic in (await list_topics(wb, LOCAL_OWNER, order)).items]


async def make(wb: Workbench, path: str) -> str:
    return await create_topic(wb, LOCAL_OWNER, path)


async def test_topics_are_listed_with_their_paths_parents_first(wb: Workbench) -> None:
    await make(wb, "Work > Money")
    await make(wb, "AI > Planning > Deep")
    await make(wb, "Work > Meetings")

    listed = (await list_topics(wb, LOCAL_OWNER, TopicOrder.MANUAL)).items

    assert [(topic.path, topic.depth) for topic in listed] == [
        ("Work", 0),
        ("Work > Money", 1),
        ("Work > Meetings", 1),
        ("AI", 0),
        ("AI > Planning", 1),
        ("AI > Planning > Deep", 2),
    ]


async def test_the_topic_used_last_comes_first_and_brings_those_above_it_along(wb: Workbench) -> None:
    old, new = await make(wb, "Old > Deep"), await make(wb, "New")

    await use(wb, old, timedelta(hours=1))
    assert await paths(wb, TopicOrder.RECENT) == ["Old", "Old > Deep", "New"]
    await use(wb, new, timedelta(hours=2))

    assert await paths(wb, TopicOrder.RECENT) == ["New", "Old", "Old > Deep"]
    assert await paths(wb, TopicOrder.MANUAL) == ["Old", "Old > Deep", "New"]


async def use(wb: Workbench, topic_id: str, later: timedelta) -> None:
    async with wb.store.write() as session:
        await touch_topic(session, LOCAL_OWNER, topic_id, datetime.now(UTC) + later)


async def test_topics_keep_the_order_they_are_put_in_by_hand(wb: Workbench) -> None:
    first, second, third = [await create_topic(wb, LOCAL_OWNER, name) for name in ("A", "B", "C")]

    await change_topic(wb, LOCAL_OWNER, third, {"before": first})
    assert await paths(wb) == ["C", "A", "B"]
    await change_topic(wb, LOCAL_OWNER, first, {"before": None})
    assert await paths(wb) == ["C", "B", "A"]
    with pytest.raises(InputError, match="no other topic under the same parent"):
        await change_topic(wb, LOCAL_OWNER, first, {"before": await make(wb, "B > below")})
    assert second


async def test_a_moved_topic_takes_its_own_along_and_comes_last(wb: Workbench) -> None:
    await make(wb, "AI > Planning > Deep")
    moved = await make(wb, "AI > Planning")
    await make(wb, "Work > Money")
    parent = await make(wb, "Work")

    await change_topic(wb, LOCAL_OWNER, moved, {"parent_id": parent})

    assert await paths(wb) == ["AI", "Work", "Work > Money", "Work > Planning", "Work > Planning > Deep"]
    top = await make(wb, "AI")
    await change_topic(wb, LOCAL_OWNER, moved, {"parent_id": None, "name": "Plans", "before": top})
    assert await paths(wb) == ["Plans", "Plans > Deep", "AI", "Work", "Work > Money"]


async def test_a_topic_cannot_be_moved_below_itself(wb: Workbench) -> None:
    deep = await make(wb, "AI > Planning > Deep")
    top = await make(wb, "AI")

    for below in (top, deep):
        with pytest.raises(ConflictError, match="cannot be moved below itself"):
            await change_topic(wb, LOCAL_OWNER, top, {"parent_id": below})

    assert await paths(wb) == ["AI", "AI > Planning", "AI > Planning > Deep"]


@pytest.mark.parametrize("name", ["planning", "PLANNING", " Planning "])
async def test_siblings_bear_different_names_case_aside(wb: Workbench, name: str) -> None:
    await make(wb, "AI > Planning")
    parent = await make(wb, "AI")
    other = await make(wb, "AI > Other")

    assert await make(wb, f"AI > {name}") == await make(wb, "AI > Planning")
    with pytest.raises(ConflictError, match="Choose another name"):
        await change_topic(wb, LOCAL_OWNER, other, {"name": name})
    moving = await create_topic(wb, LOCAL_OWNER, name)
    with pytest.raises(ConflictError, match="Choose another name"):
        await change_topic(wb, LOCAL_OWNER, moving, {"parent_id": parent})


async def test_a_topic_may_change_the_case_of_its_own_name(wb: Workbench) -> None:
    topic_id = await create_topic(wb, LOCAL_OWNER, "ai")

    await change_topic(wb, LOCAL_OWNER, topic_id, {"name": "AI"})

    assert await paths(wb) == ["AI"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is blank"),
        (" \t ", "is blank"),
        ("x" * 81, "has 81 characters"),
        ("two\nlines", "cannot be seen"),
        ("\ud800", "cannot be seen"),
        ("and so on...", "and below"),
    ],
)
async def test_a_name_that_cannot_be_one_is_refused_with_the_reason(wb: Workbench, name: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        await create_topic(wb, LOCAL_OWNER, name)
    topic_id = await make(wb, "Fine")
    with pytest.raises(InputError, match=reason):
        await change_topic(wb, LOCAL_OWNER, topic_id, {"name": name})


async def test_a_name_holds_no_path(wb: Workbench) -> None:
    topic_id = await make(wb, "Fine")

    with pytest.raises(InputError, match='has a ">"'):
        await change_topic(wb, LOCAL_OWNER, topic_id, {"name": "AI > Planning"})


@pytest.mark.parametrize("name", ["C*", "it's", 'say "so"', "back\\slash", "10", "a.b..", "Ünï", ":star", "(x) | !y"])
async def test_every_name_can_be_written_in_a_filter(wb: Workbench, name: str) -> None:
    await create_topic(wb, LOCAL_OWNER, name)
    (path,) = await paths(wb)

    term = TopicTerm((Pattern((path,)),))

    assert parse_filter(format_filter(term)) == term


async def test_topics_have_a_maximum_depth(wb: Workbench) -> None:
    await make(wb, " > ".join(["x"] * MAX_LEVELS))

    with pytest.raises(InputError, match="topics below each other"):
        await make(wb, " > ".join(["x"] * (MAX_LEVELS + 1)))
    await make(wb, "two > levels")
    parent = (await list_topics(wb, LOCAL_OWNER, TopicOrder.MANUAL)).items[MAX_LEVELS - 2].id
    top = await make(wb, "two")
    with pytest.raises(InputError, match="topics below each other"):
        await change_topic(wb, LOCAL_OWNER, top, {"parent_id": parent})


async def test_a_topic_that_holds_topics_is_not_deleted(wb: Workbench) -> None:
    await make(wb, "AI > Planning")
    await make(wb, "AI > Ethics")
    top = await make(wb, "AI")

    with pytest.raises(ConflictError, match="'AI' still holds 2 topics"):
        await delete_topic(wb, LOCAL_OWNER, top)

    assert len(await paths(wb)) == 3


async def test_an_empty_topic_is_deleted(wb: Workbench) -> None:
    await delete_topic(wb, LOCAL_OWNER, await create_topic(wb, LOCAL_OWNER, "Gone"))

    assert await paths(wb) == []


async def test_another_owners_topics_are_not_found(wb: Workbench) -> None:
    theirs = await create_topic(wb, "somebody else", "Secret")
    mine = await create_topic(wb, LOCAL_OWNER, "Mine")

    with pytest.raises(NotFoundError):
        await change_topic(wb, LOCAL_OWNER, theirs, {"name": "Mine"})
    with pytest.raises(NotFoundError):
        await change_topic(wb, LOCAL_OWNER, mine, {"parent_id": theirs})
    with pytest.raises(NotFoundError):
        await delete_topic(wb, LOCAL_OWNER, theirs)
    assert await paths(wb) == ["Mine"]
