"""Saved filters: saved, renamed, deleted, used; errors are shown above the list."""

from __future__ import annotations

import pytest
from sqlalchemy import text as sql

from app.domain.errors import ConflictError
from app.runs.app_context import AppContext
from app.runs.filters.filter_commands import apply_filter, list_filters, rename_filter, save_filter
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.state.filters.saved import SavedFilterState
from app.store.filters.filters import UNREADABLE_NAME
from tests.runs.steps import a_conversation
from tests.state.conftest import Tab
from tests.state.filters.filtering import opened, positions, write_pairs


@pytest.fixture
async def good(ctx: AppContext) -> None:
    await save_filter(ctx, LOCAL_OWNER, "good", "s3")


async def saved(ctx: AppContext) -> dict[str, str]:
    return (await list_filters(ctx, LOCAL_OWNER)).saved


def names(tab: Tab) -> list[str]:
    return [item.name for item in tab.shows(SavedFilterState, "items")]


async def test_list_is_read_when_it_is_opened_and_closed_again(ctx: AppContext, tab: Tab, good: None) -> None:
    await tab.send(SavedFilterState.toggle)
    assert (tab.shows(SavedFilterState, "shown"), names(tab)) == (True, ["good"])

    await tab.send(SavedFilterState.toggle)
    assert tab.shows(SavedFilterState, "shown") is False
    await tab.send(SavedFilterState.toggle)
    await tab.send(SavedFilterState.close)
    assert tab.shows(SavedFilterState, "shown") is False


async def test_filter_in_force_is_saved_under_a_name(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab, "?f=s3"):
        await tab.send(SavedFilterState.save, form={"name": " @best "})

    assert await saved(ctx) == {"best": "s3"}
    assert names(tab) == ["best"]


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"name": "two words"}, "letters, digits"),
        ({"name": 7}, "letters, digits"),
        ({}, "letters, digits"),
        ({"name": "good"}, "@good already exists"),
    ],
)
async def test_name_that_cannot_be_used_is_refused(
    ctx: AppContext, tab: Tab, good: None, form: object, why: str
) -> None:
    await tab.send(SavedFilterState.toggle)

    await tab.send(SavedFilterState.save, form=form)

    assert why in tab.shows(SavedFilterState, "fault")
    assert await saved(ctx) == {"good": "s3"}


async def test_filter_is_renamed_wherever_it_is_used(ctx: AppContext, tab: Tab, good: None) -> None:
    await save_filter(ctx, LOCAL_OWNER, "best", "@good b")
    await tab.send(SavedFilterState.toggle)
    await tab.send(SavedFilterState.begin_rename, name="good")
    assert tab.shows(SavedFilterState, "renaming") == "good"

    await tab.send(SavedFilterState.rename, form={"name": "fine"})

    assert await saved(ctx) == {"best": "@fine b", "fine": "s3"}
    assert tab.shows(SavedFilterState, "renaming") == ""


async def test_name_that_stays_as_it_is_ends_the_renaming(ctx: AppContext, tab: Tab, good: None) -> None:
    await tab.send(SavedFilterState.toggle)
    for end, payload in ((SavedFilterState.rename, {"form": {"name": "good"}}), (SavedFilterState.end_rename, {})):
        await tab.send(SavedFilterState.begin_rename, name="good")
        await tab.send(end, **payload)
        assert tab.shows(SavedFilterState, "renaming") == ""

    await tab.send(SavedFilterState.begin_rename, name="nobody")
    assert tab.shows(SavedFilterState, "renaming") == ""
    assert await saved(ctx) == {"good": "s3"}


async def test_filter_in_use_is_not_deleted(ctx: AppContext, tab: Tab, good: None) -> None:
    await save_filter(ctx, LOCAL_OWNER, "best", "@good b")
    await tab.send(SavedFilterState.toggle)

    await tab.send(SavedFilterState.delete, name="good")
    assert "used by @best" in tab.shows(SavedFilterState, "fault")
    await tab.send(SavedFilterState.delete, name="best")
    await tab.send(SavedFilterState.delete, name=7)

    assert await saved(ctx) == {"good": "s3"}
    assert (names(tab), tab.shows(SavedFilterState, "fault")) == (["good"], "")


async def test_used_filter_is_in_force_by_its_name(ctx: AppContext, tab: Tab, good: None) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(SavedFilterState.toggle)
        await tab.send(SavedFilterState.use, name="nobody")
        assert tab.shows(SavedFilterState, "shown") is True
        await tab.send(SavedFilterState.use, name="good")
        assert (tab.shows(FilterState, "filter"), positions(tab)) == ("@good", [2, 4])
    assert (tab.shows(SavedFilterState, "shown"), tab.shows(FilterState, "done")) == (False, 1)


async def test_unreadable_filter_stays_in_the_list_and_is_deleted_there(ctx: AppContext, tab: Tab) -> None:
    for name in ("a", "b", "c"):
        await save_filter(ctx, LOCAL_OWNER, name, "s3")
    async with ctx.store.write() as session:
        await session.execute(sql("UPDATE saved_filter SET filter = x'00ff' WHERE name = 'b'"))
        await session.execute(sql("UPDATE saved_filter SET name = x'ff' WHERE name = 'c'"))

    await tab.send(SavedFilterState.toggle)

    shown = tab.shows(SavedFilterState, "items")
    assert [(one.name, one.filter, one.damage) for one in shown] == [
        ("a", "s3", ""),
        ("b", "", "Filter: This text is not stored as text (2 bytes of binary data)."),
        (UNREADABLE_NAME, "s3", "Name: This text is not stored as text (1 byte of binary data)."),
    ]
    with pytest.raises(ConflictError, match="cannot be read"):
        await rename_filter(ctx, LOCAL_OWNER, "b", "d")
    await tab.send(SavedFilterState.delete_damaged, number=shown[0].number)
    assert "There is no damaged saved filter" in tab.shows(SavedFilterState, "fault"), (
        "a whole one is not deleted as a damaged one"
    )
    for one in shown[1:]:
        await tab.send(SavedFilterState.delete_damaged, number=one.number)
    assert names(tab) == ["a"]


async def test_entry_of_the_history_that_cannot_be_read_says_why_and_is_deleted(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    for line in ("s1", "s2", "s3"):
        await apply_filter(ctx, LOCAL_OWNER, conversation_id, line)
    async with ctx.store.write() as session:
        await session.execute(sql("UPDATE applied_filter SET filter = x'00ff' WHERE filter = 's1'"))
        await session.execute(sql("UPDATE applied_filter SET filter = '((' WHERE filter = 's2'"))

    await tab.send(SavedFilterState.toggle)

    await tab.send(FilterLineState.begin)
    assert tab.shows(FilterLineState, "past") == ("s3",)
    shown = tab.shows(SavedFilterState, "damaged")
    assert [(one.filter, one.damage.split(":")[0]) for one in shown] == [("((", "Filter"), ("", "Filter")]
    assert "2 bytes of binary data" in shown[1].damage
    await tab.send(SavedFilterState.delete_damaged_entry, number=shown[0].number + shown[1].number + 1_000)
    assert "There is no damaged entry of the filter history" in tab.shows(SavedFilterState, "fault")
    for one in shown:
        await tab.send(SavedFilterState.delete_damaged_entry, number=one.number)
    assert (tab.shows(SavedFilterState, "damaged"), tab.shows(SavedFilterState, "fault")) == ((), "")
    known = await list_filters(ctx, LOCAL_OWNER)
    assert (known.history, known.damaged) == (("s3",), ())
