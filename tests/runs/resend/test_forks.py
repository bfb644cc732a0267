"""Forks: their pairs, their costs, and the tree of branches."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import func, select

from app.domain.conversation.parts import File, Image, Part, Text, plain_text
from app.domain.errors import ConflictError, InputError, NotFoundError
from app.runs.library.mark_commands import mark_pair
from app.runs.process.event_bus import ConversationChanged
from app.runs.resend.forks import fork_from, read_tree
from app.runs.resend.resend import Later, resend_pair, restore_version
from app.runs.send.commands import LOCAL_OWNER, cancel_run, change_conversation, delete_conversation
from app.runs.send.context_selection import ViewOptions
from app.runs.workbench import Workbench
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import insert_pair
from app.store.conversation.versions import load_versions
from app.store.ledger.ledger import load_calls
from app.store.ledger.rows_ledger import LEDGER
from tests.builders import a_pair
from tests.runs.steps import a_conversation, collect, pairs_of, reply_to, send


async def talked(wb: Workbench, *texts: str, **fields: str) -> str:
    conversation_id = await a_conversation(wb, model="offline:demo", **fields)
    for text in texts:
        await reply_to(wb, conversation_id, f"/echo {text}")
    return conversation_id


async def words(wb: Workbench, conversation_id: str) -> list[str]:
    return [plain_text(pair.request.parts).removeprefix("/echo ") for pair in await pairs_of(wb, conversation_id)]


async def drawn(wb: Workbench, conversation_id: str) -> list[str]:
    """Return the tree, one line per branch: indented, with the position of the fork in its parent."""
    return [
        "  " * one.depth + one.branch.title + ("" if one.branch.fork is None else f" @{one.branch.fork.position}")
        for one in await read_tree(wb, LOCAL_OWNER, conversation_id)
    ]


async def fork(
    wb: Workbench,
    conversation_id: str,
    at: int | None = None,
    filter: str | None = None,  # noqa: A002 - its name
) -> str:
    pairs = await pairs_of(wb, conversation_id)
    look = None if filter is None else ViewOptions(filter=filter)
    made = await fork_from(wb, LOCAL_OWNER, conversation_id, look, None if at is None else pairs[at - 1].id)
    return made.conversation.id


async def test_fork_from_a_pair_has_all_up_to_it(wb: Workbench) -> None:
    origin = await talked(wb, "one", "two", "three", title="Plans")

    made = await fork(wb, origin, at=2)

    assert await words(wb, made) == ["one", "two"]
    assert [pair.position for pair in await pairs_of(wb, made)] == [1, 2]
    assert await words(wb, origin) == ["one", "two", "three"]
    await reply_to(wb, made, "/echo other")
    assert await words(wb, made) == ["one", "two", "other"]
    assert await words(wb, origin) == ["one", "two", "three"]


async def test_fork_of_a_selection_has_what_the_filter_selects_up_to_the_pair(wb: Workbench) -> None:
    origin = await talked(wb, "one", "two", "three", "four")
    for pair in (await pairs_of(wb, origin))[1:]:
        await mark_pair(wb, LOCAL_OWNER, pair.id, {"stars": 3})

    assert await words(wb, await fork(wb, origin, filter="s3")) == ["two", "three", "four"]
    assert await words(wb, await fork(wb, origin, at=3, filter="s3")) == ["two", "three"]
    await change_conversation(wb, LOCAL_OWNER, origin, filter="s3")
    assert await words(wb, await fork(wb, origin, at=3)) == ["one", "two", "three"]


async def test_missing_pair_to_fork_from_is_reported(wb: Workbench) -> None:
    origin, other = await talked(wb, "one"), await talked(wb, "two")

    with pytest.raises(InputError, match="selects no pair to fork from"):
        await fork(wb, origin, filter="s3")
    with pytest.raises(InputError, match="selects no pair"):
        await fork_from(wb, LOCAL_OWNER, await a_conversation(wb))
    with pytest.raises(NotFoundError):
        await fork_from(wb, LOCAL_OWNER, origin, up_to=(await pairs_of(wb, other))[0].id)
    with pytest.raises(NotFoundError):
        await fork_from(wb, "somebody", origin)


async def test_running_pair_cannot_be_copied_but_those_above_it_can(wb: Workbench) -> None:
    origin = await talked(wb, "one")
    started = await send(wb, origin, "/long 500 /rate 50")

    with pytest.raises(ConflictError, match="still running"):
        await fork(wb, origin)
    assert await words(wb, await fork(wb, origin, at=1)) == ["one"]

    await cancel_run(wb, LOCAL_OWNER, started.run_id)


async def test_fork_costs_no_copy_of_attachments_and_no_call(wb: Workbench) -> None:
    """Messages name an attachment by its content, so the copy names the same attachment."""
    origin = await talked(wb, "one")
    image = Image("a" * 64, "image/png", 640, 480)
    request: tuple[Part, ...] = (Text("Look"), image, File("b" * 64, "application/pdf", "plan.pdf"))
    pair = replace(a_pair(request, position=2), conversation_id=origin)
    async with wb.store.write() as session:
        revision = await next_revision(session, origin, pair.created_at)
        await insert_pair(session, LOCAL_OWNER, pair, revision)
        calls = (await session.execute(select(func.count()).select_from(LEDGER))).scalar_one()

    made = await fork(wb, origin)

    assert (await pairs_of(wb, made))[1].request.parts == request
    async with wb.store.read() as session:
        assert (await session.execute(select(func.count()).select_from(LEDGER))).scalar_one() == calls
        assert await load_calls(session, LOCAL_OWNER, made) == ()


async def test_fork_has_the_versions_of_its_pairs_and_they_can_be_restored(wb: Workbench) -> None:
    origin = await talked(wb, "one")
    (pair,) = await pairs_of(wb, origin)
    await collect(wb, (await resend_pair(wb, LOCAL_OWNER, pair.id, text="/echo uno")).started.run_id)

    made = await fork(wb, origin)

    (copy,) = await pairs_of(wb, made)
    await restore_version(wb, LOCAL_OWNER, copy.id, 1)
    assert (await words(wb, made), await words(wb, origin)) == (["one"], ["uno"])
    async with wb.store.read() as session:
        (now,) = await pairs_of(wb, made)
        found = await load_versions(session, LOCAL_OWNER, now)
    assert [plain_text(version.request.parts) for version in found] == ["/echo one", "/echo uno"]


async def test_tree_is_the_same_from_each_of_its_branches(wb: Workbench) -> None:
    origin = await talked(wb, "one", "two", "three", title="Plans")
    late = await fork(wb, origin, at=3)
    early = await fork(wb, origin, at=1)
    await reply_to(wb, early, "/echo elsewhere")
    deep = await fork(wb, early, at=2)
    await talked(wb, "stranger")

    tree = await drawn(wb, origin)

    assert tree == ["Plans", "  Fork 2 of Plans @1", "    Fork 3 of Plans @2", "  Fork of Plans @3"]
    assert [await drawn(wb, one) for one in (late, early, deep)] == [tree] * 3
    branches = [one.branch for one in await read_tree(wb, LOCAL_OWNER, deep)]
    assert [branch.id for branch in branches] == [origin, early, deep, late]
    assert [branch.pair_count for branch in branches] == [3, 2, 2, 3]
    assert branches[1].fork is not None
    assert (branches[1].fork.words, branches[1].snippet) == ("/echo one", "/echo elsewhere")


async def test_tree_holds_together_when_a_conversation_of_it_is_deleted(wb: Workbench) -> None:
    origin = await talked(wb, "one", "two", title="Plans")
    first, second = await fork(wb, origin, at=1), await fork(wb, origin, at=2)
    deep = await fork(wb, first)

    await delete_conversation(wb, LOCAL_OWNER, origin)

    remaining = ["Fork of Plans", "  Fork 3 of Plans @1", "Fork 2 of Plans"]
    assert [await drawn(wb, one) for one in (first, second, deep)] == [remaining] * 3


async def test_edit_into_a_branch_is_in_the_tree_at_its_fork_point(wb: Workbench) -> None:
    origin = await talked(wb, "one", "two", "three", title="Plans")
    pair = (await pairs_of(wb, origin))[2]

    again = await resend_pair(wb, LOCAL_OWNER, pair.id, text="/echo drei", later=Later.BRANCH)
    await collect(wb, again.started.run_id)

    assert await drawn(wb, origin) == ["Plans", "  Fork of Plans @2"]
    assert await words(wb, again.conversation_id) == ["one", "two", "drei"]
    assert await words(wb, origin) == ["one", "two", "three"]


async def test_subscribers_of_the_origin_are_notified_of_the_fork(wb: Workbench) -> None:
    origin = await talked(wb, "one")
    heard = wb.event_bus.subscribe(LOCAL_OWNER, origin)

    await fork(wb, origin)

    assert await anext(heard) == ConversationChanged()
