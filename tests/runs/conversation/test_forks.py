"""Forks: their pairs, their costs, and the tree of branches."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import func, select

from app.domain.conversation.parts import File, Image, Part, Text, plain_text
from app.domain.errors import ConflictError, InputError, NotFoundError
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, delete_conversation
from app.runs.conversation.forks import fork_from, read_tree
from app.runs.conversation.mark_commands import mark_pair
from app.runs.resend.resend import Later, ResendOptions, resend_pair, restore_version
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.stopping import cancel_run
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import insert_pair
from app.store.conversation.versions import load_versions
from app.store.ledger.ledger import load_calls
from app.store.ledger.rows_ledger import LEDGER
from tests.builders import a_pair
from tests.runs.steps import a_conversation, collect, pairs_of, reply_to, send


async def talked(ctx: AppContext, *texts: str, **fields: str) -> str:
    conversation_id = await a_conversation(ctx, model="offline:demo", **fields)
    for text in texts:
        await reply_to(ctx, conversation_id, f"/echo {text}")
    return conversation_id


async def words(ctx: AppContext, conversation_id: str) -> list[str]:
    return [plain_text(pair.request.parts).removeprefix("/echo ") for pair in await pairs_of(ctx, conversation_id)]


async def drawn(ctx: AppContext, conversation_id: str) -> list[str]:
    """Return the tree, one line per branch: indented, with the position of the fork in its parent."""
    return [
        "  " * one.depth + one.branch.title + ("" if one.branch.fork is None else f" @{one.branch.fork.position}")
        for one in await read_tree(ctx, LOCAL_OWNER, conversation_id)
    ]


async def fork(
    ctx: AppContext,
    conversation_id: str,
    at: int | None = None,
    filter: str | None = None,  # noqa: A002 - its name
) -> str:
    pairs = await pairs_of(ctx, conversation_id)
    options = None if filter is None else ViewOptions(filter=filter)
    made = await fork_from(ctx, LOCAL_OWNER, conversation_id, options, None if at is None else pairs[at - 1].id)
    return made.conversation.id


async def test_fork_from_a_pair_has_all_up_to_it(ctx: AppContext) -> None:
    origin = await talked(ctx, "one", "two", "three", title="Plans")

    made = await fork(ctx, origin, at=2)

    assert await words(ctx, made) == ["one", "two"]
    assert [pair.position for pair in await pairs_of(ctx, made)] == [1, 2]
    assert await words(ctx, origin) == ["one", "two", "three"]
    await reply_to(ctx, made, "/echo other")
    assert await words(ctx, made) == ["one", "two", "other"]
    assert await words(ctx, origin) == ["one", "two", "three"]


async def test_fork_of_a_selection_has_what_the_filter_selects_up_to_the_pair(ctx: AppContext) -> None:
    origin = await talked(ctx, "one", "two", "three", "four")
    for pair in (await pairs_of(ctx, origin))[1:]:
        await mark_pair(ctx, LOCAL_OWNER, pair.id, {"stars": 3})

    assert await words(ctx, await fork(ctx, origin, filter="s3")) == ["two", "three", "four"]
    assert await words(ctx, await fork(ctx, origin, at=3, filter="s3")) == ["two", "three"]
    await change_conversation(ctx, LOCAL_OWNER, origin, SettingChanges(filter="s3"))
    assert await words(ctx, await fork(ctx, origin, at=3)) == ["one", "two", "three"]


async def test_missing_pair_to_fork_from_is_reported(ctx: AppContext) -> None:
    origin, other = await talked(ctx, "one"), await talked(ctx, "two")

    with pytest.raises(InputError, match="selects no pairs to fork"):
        await fork(ctx, origin, filter="s3")
    with pytest.raises(InputError, match="selects no pair"):
        await fork_from(ctx, LOCAL_OWNER, await a_conversation(ctx))
    with pytest.raises(NotFoundError):
        await fork_from(ctx, LOCAL_OWNER, origin, up_to=(await pairs_of(ctx, other))[0].id)
    with pytest.raises(NotFoundError):
        await fork_from(ctx, "somebody", origin)


async def test_running_pair_cannot_be_copied_but_those_above_it_can(ctx: AppContext) -> None:
    origin = await talked(ctx, "one")
    started = await send(ctx, origin, "/long 500 /rate 50")

    with pytest.raises(ConflictError, match="still running"):
        await fork(ctx, origin)
    assert await words(ctx, await fork(ctx, origin, at=1)) == ["one"]

    await cancel_run(ctx, LOCAL_OWNER, started.run_id)


async def test_fork_costs_no_copy_of_attachments_and_no_call(ctx: AppContext) -> None:
    """Messages name an attachment by its content, so the copy names the same attachment."""
    origin = await talked(ctx, "one")
    image = Image("a" * 64, "image/png", 640, 480)
    request: tuple[Part, ...] = (Text("Look"), image, File("b" * 64, "application/pdf", "plan.pdf"))
    pair = replace(a_pair(request, position=2), conversation_id=origin)
    async with ctx.store.write() as session:
        revision = await next_revision(session, origin, pair.created_at)
        await insert_pair(session, LOCAL_OWNER, pair, revision)
        calls = (await session.execute(select(func.count()).select_from(LEDGER))).scalar_one()

    made = await fork(ctx, origin)

    assert (await pairs_of(ctx, made))[1].request.parts == request
    async with ctx.store.read() as session:
        assert (await session.execute(select(func.count()).select_from(LEDGER))).scalar_one() == calls
        assert await load_calls(session, LOCAL_OWNER, made) == ()


async def test_fork_has_the_versions_of_its_pairs_and_they_can_be_restored(ctx: AppContext) -> None:
    origin = await talked(ctx, "one")
    (pair,) = await pairs_of(ctx, origin)
    await collect(ctx, (await resend_pair(ctx, LOCAL_OWNER, pair.id, text="/echo uno")).started.run_id)

    made = await fork(ctx, origin)

    (copy,) = await pairs_of(ctx, made)
    await restore_version(ctx, LOCAL_OWNER, copy.id, 1)
    assert (await words(ctx, made), await words(ctx, origin)) == (["one"], ["uno"])
    async with ctx.store.read() as session:
        (now,) = await pairs_of(ctx, made)
        found = await load_versions(session, LOCAL_OWNER, now)
    assert [plain_text(version.request.parts) for version in found] == ["/echo one", "/echo uno"]


async def test_tree_is_the_same_from_each_of_its_branches(ctx: AppContext) -> None:
    origin = await talked(ctx, "one", "two", "three", title="Plans")
    late = await fork(ctx, origin, at=3)
    early = await fork(ctx, origin, at=1)
    await reply_to(ctx, early, "/echo elsewhere")
    deep = await fork(ctx, early, at=2)
    await talked(ctx, "stranger")

    tree = await drawn(ctx, origin)

    assert tree == ["Plans", "  Fork 2 of Plans @1", "    Fork 3 of Plans @2", "  Fork of Plans @3"]
    assert [await drawn(ctx, one) for one in (late, early, deep)] == [tree] * 3
    branches = [one.branch for one in await read_tree(ctx, LOCAL_OWNER, deep)]
    assert [branch.id for branch in branches] == [origin, early, deep, late]
    assert [branch.pair_count for branch in branches] == [3, 2, 2, 3]
    assert branches[1].fork is not None
    assert (branches[1].fork.words, branches[1].snippet) == ("/echo one", "/echo elsewhere")


async def test_tree_holds_together_when_a_conversation_of_it_is_deleted(ctx: AppContext) -> None:
    origin = await talked(ctx, "one", "two", title="Plans")
    first, second = await fork(ctx, origin, at=1), await fork(ctx, origin, at=2)
    deep = await fork(ctx, first)

    await delete_conversation(ctx, LOCAL_OWNER, origin)

    remaining = ["Fork of Plans", "  Fork 3 of Plans @1", "Fork 2 of Plans"]
    assert [await drawn(ctx, one) for one in (first, second, deep)] == [remaining] * 3


async def test_edit_into_a_branch_is_in_the_tree_at_its_fork_point(ctx: AppContext) -> None:
    origin = await talked(ctx, "one", "two", "three", title="Plans")
    pair = (await pairs_of(ctx, origin))[2]

    again = await resend_pair(ctx, LOCAL_OWNER, pair.id, ResendOptions(later=Later.BRANCH), text="/echo drei")
    await collect(ctx, again.started.run_id)

    assert await drawn(ctx, origin) == ["Plans", "  Fork of Plans @2"]
    assert await words(ctx, again.conversation_id) == ["one", "two", "drei"]
    assert await words(ctx, origin) == ["one", "two", "three"]


async def test_subscribers_of_the_origin_are_notified_of_the_fork(ctx: AppContext) -> None:
    origin = await talked(ctx, "one")
    heard = ctx.event_bus.subscribe(LOCAL_OWNER, origin)

    await fork(ctx, origin)

    assert await anext(heard) == ConversationChanged()
