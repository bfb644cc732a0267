"""The applied filter: the address, the conversation's own filter, stored filters, and refused filters."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from app.runs.app_context import AppContext
from app.runs.filters.filter_commands import list_filters
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.temporary.temporary import create_temporary
from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.views.composer.context import RefusalView
from tests.state.conftest import Tab
from tests.state.filters.filtering import CONVERSATION, kept_filter, opened, positions, write_pairs
from tests.waiting import until


async def test_first_screen_is_that_of_the_filter_in_the_address(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx, kept="s1")

    async with opened(tab, "?f=s3"):
        assert positions(tab) == [2, 4]
        assert tab.shows(FilterState, "description") == "pairs with 3 stars"
    assert await kept_filter(ctx) == "s1"  # an address does not change the stored filter


async def test_address_without_a_filter_shows_that_of_the_conversation(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx, kept="s1")

    async with opened(tab):
        assert (tab.shows(FilterState, "filter"), positions(tab)) == ("s1", [3])


async def test_empty_filter_in_the_address_shows_all(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx, kept="s1")

    async with opened(tab, "?f="):
        assert positions(tab) == [1, 2, 3, 4]


async def test_filter_that_cannot_be_read_leaves_the_kept_one_and_says_why(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx, kept="s3")

    async with opened(tab, "?f=s7"):
        refusal = tab.shows(FilterState, "refusal")
        assert isinstance(refusal, RefusalView)
        assert "from 0 to 3" in refusal.message
        assert (tab.shows(FilterState, "filter"), positions(tab)) == ("s3", [2, 4])


async def test_back_goes_to_the_filter_of_the_address_and_keeps_it(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx, kept="s1")
    async with opened(tab, "?f=s3"):
        pass

    async with opened(tab):  # the same connection: a step within the page
        await until(lambda: tab.shows(FilterState, "filter") == "")
        assert positions(tab) == [1, 2, 3, 4]
    assert await kept_filter(ctx) == ""


async def test_reload_of_an_address_without_a_filter_shows_that_of_the_conversation(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx, kept="s1")
    async with opened(tab, "?f=s3"):
        pass
    tab.connection = "second"

    async with opened(tab):
        assert tab.shows(FilterState, "filter") == "s1"


async def test_clear_shows_all_and_keeps_that(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx, kept="s3")

    async with opened(tab):
        assert positions(tab) == [2, 4]
        await tab.send(FilterState.clear)
        assert positions(tab) == [1, 2, 3, 4]
    assert await kept_filter(ctx) == ""
    assert (tab.shows(FilterState, "steps"), tab.shows(FilterState, "done")) == (1, 1)


async def test_temporary_conversation_writes_no_filter_into_the_address_or_the_history(
    ctx: AppContext, tab: Tab
) -> None:
    conversation = await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"
    await tab.send(FilterState.open)
    assert tab.shows(FilterState, "temporary") is True

    await tab.send(FilterLineState.enter, line="s3")
    await tab.send(FilterState.open)  # a step within the page: the address has no filter

    assert (await list_filters(ctx, LOCAL_OWNER)).history == ()


@pytest.mark.parametrize("zone", ["Nowhere/City", "", None, 7, "../../etc/passwd"])
async def test_time_zone_that_is_none_changes_nothing(tab: Tab, zone: object) -> None:
    await tab.send(FilterState.learn_zone, zone="Asia/Tokyo")

    await tab.send(FilterState.learn_zone, zone=zone)

    assert tab.shows(FilterState, "zone") == "Asia/Tokyo"


async def test_ages_are_read_in_the_readers_time_zone(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab, "?f=d%3C9y"):
        before = tab.shows(FilterState, "as_of")
        await tab.send(FilterState.learn_zone, zone="Asia/Tokyo")
        await until(lambda: tab.shows(FilterState, "as_of") != before)


async def test_conversation_that_is_opened_next_has_its_own_filter(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)
    async with opened(tab, "?f=s3"):
        pass

    tab.path = "/"
    await tab.send(FilterState.open)
    assert (tab.shows(FilterState, "filter"), tab.shows(FilterState, "known")) == ("", False)
    assert CONVERSATION


async def test_export_of_the_pairs_in_view_selects_the_same_pairs(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)
    async with opened(tab):
        assert not tab.shows(FilterState, "export_query")
    async with opened(tab, "?f=s3%20d%3C9y"):
        await until(lambda: tab.shows(FilterState, "filter") == "s3 d<9y")
        query = dict(parse_qsl(tab.shows(FilterState, "export_query")))

    assert query == {"filter": "s3 d<9y", "zone": "UTC", "as_of": tab.shows(FilterState, "as_of")}
