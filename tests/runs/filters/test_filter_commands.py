from __future__ import annotations

import pytest

from app.domain.errors import ConflictError, NotFoundError
from app.domain.filters.language.errors import FilterError
from app.runs.app_context import AppContext
from app.runs.filters.filter_commands import apply_filter, delete_filter, list_filters, rename_filter, save_filter
from app.runs.runtime.event_bus import ConversationChanged
from app.runs.runtime.owner import LOCAL_OWNER
from app.store.conversation.conversations import load_conversation
from app.store.filters.filters import MAX_APPLIED
from tests.runs.steps import a_conversation


async def save(ctx: AppContext, **lines: str) -> None:
    for name, line in lines.items():
        await save_filter(ctx, LOCAL_OWNER, name, line)


async def saved(ctx: AppContext) -> dict[str, str]:
    return (await list_filters(ctx, LOCAL_OWNER)).saved


async def filter_of(ctx: AppContext, conversation_id: str) -> str:
    async with ctx.store.read() as session:
        return (await load_conversation(session, LOCAL_OWNER, conversation_id)).filter


async def test_a_filter_is_saved_and_replaced_under_its_name(ctx: AppContext) -> None:
    await save(ctx, good="s2", best="@good b")
    await save(ctx, good="s>=2")

    assert await saved(ctx) == {"best": "@good b", "good": "s>=2"}
    assert (await list_filters(ctx, "somebody else")).saved == {}


async def test_a_filter_that_leads_to_itself_is_not_saved(ctx: AppContext) -> None:
    await save(ctx, a="s2", b="@a")

    with pytest.raises(FilterError, match="does not refer to itself"):
        await save_filter(ctx, LOCAL_OWNER, "a", "e | @b")

    assert await saved(ctx) == {"a": "s2", "b": "@a"}


async def test_a_renamed_filter_is_renamed_wherever_it_is_used(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    await save(ctx, good="s2", best="@good b")
    await apply_filter(ctx, LOCAL_OWNER, conversation_id, "r5 @good")
    feed = ctx.event_bus.subscribe(LOCAL_OWNER, conversation_id)

    await rename_filter(ctx, LOCAL_OWNER, "good", "fine")

    assert await saved(ctx) == {"best": "@fine b", "fine": "s2"}
    assert await filter_of(ctx, conversation_id) == "r5 @fine"
    assert await anext(feed) == ConversationChanged()


async def test_a_filter_is_not_renamed_over_another(ctx: AppContext) -> None:
    await save(ctx, good="s2", best="b")

    with pytest.raises(ConflictError, match="filter named @best already exists"):
        await rename_filter(ctx, LOCAL_OWNER, "good", "best")
    await rename_filter(ctx, LOCAL_OWNER, "good", "good")
    with pytest.raises(NotFoundError):
        await rename_filter(ctx, LOCAL_OWNER, "none", "some")

    assert await saved(ctx) == {"best": "b", "good": "s2"}


async def test_a_filter_in_use_is_not_deleted_and_its_users_are_named(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, title="Plans")
    await save(ctx, good="s2", best="@good b")
    await apply_filter(ctx, LOCAL_OWNER, conversation_id, "@good")

    with pytest.raises(ConflictError, match='@good is used by @best, the conversation "Plans"'):
        await delete_filter(ctx, LOCAL_OWNER, "good")
    await delete_filter(ctx, LOCAL_OWNER, "best")
    await apply_filter(ctx, LOCAL_OWNER, conversation_id, "")
    await delete_filter(ctx, LOCAL_OWNER, "good")

    assert await saved(ctx) == {}
    with pytest.raises(NotFoundError):
        await delete_filter(ctx, LOCAL_OWNER, "good")


async def test_an_applied_filter_is_kept_with_the_conversation_and_first_in_the_history(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    feed = ctx.event_bus.subscribe(LOCAL_OWNER, conversation_id)

    for line in ("s2", "b", "s2", "", "e"):
        await apply_filter(ctx, LOCAL_OWNER, conversation_id, line)

    assert await filter_of(ctx, conversation_id) == "e"
    assert (await list_filters(ctx, LOCAL_OWNER)).history == ("e", "s2", "b")
    assert [await anext(feed) for _ in range(5)] == [ConversationChanged()] * 5


async def test_a_filter_that_cannot_be_used_changes_nothing(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    await apply_filter(ctx, LOCAL_OWNER, conversation_id, "s2")

    for line in ("s7", "@unknown", "b :flag"):
        with pytest.raises(FilterError):
            await apply_filter(ctx, LOCAL_OWNER, conversation_id, line)

    assert await filter_of(ctx, conversation_id) == "s2"
    assert (await list_filters(ctx, LOCAL_OWNER)).history == ("s2",)


async def test_the_history_keeps_a_limited_number_and_drops_the_oldest(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx)

    for number in range(1, MAX_APPLIED + 3):
        await apply_filter(ctx, LOCAL_OWNER, conversation_id, f"r{number}")

    history = (await list_filters(ctx, LOCAL_OWNER)).history
    assert len(history) == MAX_APPLIED
    assert (history[0], history[-1]) == (f"r{MAX_APPLIED + 2}", "r3")
