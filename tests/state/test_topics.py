"""Topics: the topic chosen in the composer, the picker, the form of one topic."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.conversation.marks import Marks
from app.domain.errors import NotFoundError
from app.runs.app_context import AppContext
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.topics.topic_commands import create_topic, delete_topic, list_topics
from app.state.composer.state import ComposerState
from app.state.filters.applied import FilterState
from app.state.messages.toasts import Toast, ToastState
from app.state.topics.chosen import TopicState
from app.state.topics.picker import TopicPickerState, TopicPickerView
from app.state.topics.rows import TopicFormView, TopicTreeRow
from app.store.conversation.pairs import load_pairs
from tests.state.conftest import Tab
from tests.state.filters.filtering import CONVERSATION, opened, positions, write_pairs
from tests.waiting import until


async def make(ctx: AppContext, *paths: str) -> list[str]:
    return [await create_topic(ctx, LOCAL_OWNER, path) for path in paths]


async def paths(ctx: AppContext) -> list[str]:
    return [topic.path for topic in (await list_topics(ctx, LOCAL_OWNER)).items]


async def topic_of(ctx: AppContext) -> str | None:
    """Return the id of the topic of the first pair."""
    async with ctx.store.read() as session:
        return (await load_pairs(session, LOCAL_OWNER, CONVERSATION))[0].topic


def rows(tab: Tab) -> list[str]:
    found: tuple[TopicTreeRow, ...] = tab.shows(TopicPickerState, "rows")
    return [row.name for row in found]


def place(tab: Tab, path: str) -> int:
    found: tuple[TopicTreeRow, ...] = tab.shows(TopicPickerState, "rows")
    return next(at for at, row in enumerate(found) if path in (row.path, row.create))


def form(tab: Tab) -> TopicFormView:
    shown = tab.shows(TopicPickerState, "editing")
    assert isinstance(shown, TopicFormView)
    return shown


@pytest.fixture
async def picker(ctx: AppContext, tab: Tab) -> Tab:
    """Open the picker for the first pair; there are the topics AI > Planning and Garden."""
    first = (await write_pairs(ctx))[0]
    await make(ctx, "AI > Planning", "Garden")
    tab.path = f"/c/{CONVERSATION}"
    await tab.send(TopicPickerState.pick_for_pair, pair_id=first)
    await tab.send(TopicPickerState.arrange)
    return tab


# --- the picker ---


async def test_picker_says_what_it_is_for_and_lists_the_tree_with_its_counts(ctx: AppContext, tab: Tab) -> None:
    first = (await write_pairs(ctx))[0]
    _, planning = await make(ctx, "Garden", "AI > Planning")
    await mark_pair(ctx, LOCAL_OWNER, first, Marks(topic_id=planning))

    await tab.send(TopicPickerState.pick_for_pair, pair_id=first)

    assert tab.shows(TopicPickerState, "picking") == TopicPickerView("Topic of pair 1", first, 1)
    found: tuple[TopicTreeRow, ...] = tab.shows(TopicPickerState, "rows")
    assert [row.label for row in found] == [
        "No topic", "AI, 0 pairs, 1 including topics below", "AI > Planning, 1 pair", "Garden, 0 pairs",
    ]  # fmt: skip
    assert (tab.shows(TopicPickerState, "at"), found[2].chosen) == (2, True)


async def test_picker_for_a_pair_that_is_not_there_is_not_opened(tab: Tab) -> None:
    with pytest.raises(NotFoundError):
        await tab.send(TopicPickerState.pick_for_pair, pair_id="nowhere")
    await tab.send(TopicPickerState.pick_for_pair, pair_id=7)

    assert tab.shows(TopicPickerState, "picking") is None


async def test_topics_are_searched_and_what_is_not_there_is_offered(picker: Tab) -> None:
    await picker.send(TopicPickerState.search, query="ai PLAN")
    assert rows(picker) == ["AI > Planning", "Create “ai PLAN”"]
    await picker.send(TopicPickerState.search, query="AI >Planning")
    assert rows(picker) == ["Create “AI > Planning”"] or rows(picker) == []
    await picker.send(TopicPickerState.search, query=None)
    assert rows(picker) == ["No topic", "AI", "Planning", "Garden"]


async def test_pair_is_filed_and_the_filing_taken_back(ctx: AppContext, picker: Tab) -> None:
    await picker.send(TopicPickerState.choose, query="garden", index=0)

    garden = (await list_topics(ctx, LOCAL_OWNER)).items[-1]
    assert (garden.path, await topic_of(ctx)) == ("Garden", garden.id)
    toast = picker.shows(ToastState, "toast")
    assert isinstance(toast, Toast)
    assert toast.message == "Pair 1: Filed under Garden"
    assert picker.shows(TopicPickerState, "picking") is None
    await picker.send(ToastState.undo, toast_id=toast.id)
    assert await topic_of(ctx) is None


async def test_written_path_is_created_and_the_pair_filed_before_the_rows_are_there(
    ctx: AppContext, picker: Tab
) -> None:
    await picker.send(TopicPickerState.choose, query="Home > Roof", index=0)

    assert "Home > Roof" in await paths(ctx)
    async with ctx.store.read() as session:
        assert (await load_pairs(session, LOCAL_OWNER, CONVERSATION))[0].topic is not None


async def test_path_that_cannot_be_is_refused_in_the_picker(ctx: AppContext, picker: Tab) -> None:
    await picker.send(TopicPickerState.choose, query="x" * 200, index=0)

    assert "characters" in picker.shows(TopicPickerState, "fault")
    assert picker.shows(TopicPickerState, "picking") is not None
    assert await topic_of(ctx) is None


@pytest.mark.parametrize(("query", "index"), [("", 99), ("", -1), ("", None), (None, 0), (7, 0)])
async def test_choice_of_no_row_changes_nothing(ctx: AppContext, picker: Tab, query: object, index: object) -> None:
    await picker.send(TopicPickerState.choose, query=query, index=index)

    assert picker.shows(TopicPickerState, "picking") is not None
    assert await topic_of(ctx) is None


async def test_closed_picker_chooses_nothing(ctx: AppContext, picker: Tab) -> None:
    await picker.send(TopicPickerState.close)
    assert picker.shows(TopicPickerState, "picking") is None

    await picker.send(TopicPickerState.choose, query="garden", index=0)
    await picker.send(TopicPickerState.file, pair_id=None, topic_id=7)

    assert await topic_of(ctx) is None


async def test_dragged_topic_is_moved_before_into_or_behind_another(ctx: AppContext, picker: Tab) -> None:
    ids = {topic.path: topic.id for topic in (await list_topics(ctx, LOCAL_OWNER)).items}
    drop = TopicPickerState.drop

    await picker.send(drop, topic_id=ids["Garden"], target_id=ids["AI"], place="before")
    assert await paths(ctx) == ["Garden", "AI", "AI > Planning"]
    await picker.send(drop, topic_id=ids["Garden"], target_id=ids["AI"], place="after")
    assert await paths(ctx) == ["AI", "AI > Planning", "Garden"]
    await picker.send(drop, topic_id=ids["Garden"], target_id=ids["AI"], place="into")
    assert await paths(ctx) == ["AI", "AI > Planning", "AI > Garden"]
    await picker.send(drop, topic_id=ids["AI"], target_id=ids["Garden"], place="into")
    assert picker.shows(TopicPickerState, "fault") != ""
    await picker.send(drop, topic_id=ids["AI"], target_id="nowhere", place="into")
    await picker.send(drop, topic_id=ids["Garden"], target_id=ids["AI"], place="beside")
    assert await paths(ctx) == ["AI", "AI > Planning", "AI > Garden"]


async def test_order_is_by_hand_or_by_use(ctx: AppContext, picker: Tab) -> None:
    assert picker.shows(TopicPickerState, "by_hand") is True

    await picker.send(TopicPickerState.arrange)

    assert picker.shows(TopicPickerState, "by_hand") is False


# --- the form ---


@pytest.fixture
async def garden(ctx: AppContext, picker: Tab) -> Tab:
    """Show the form of Garden."""
    topic = next(one for one in (await list_topics(ctx, LOCAL_OWNER)).items if one.name == "Garden")
    await picker.send(TopicPickerState.edit, topic_id=topic.id)
    return picker


async def test_form_offers_the_possible_parents_of_a_topic(garden: Tab) -> None:
    assert [parent.path for parent in form(garden).parents] == ["AI", "AI > Planning"]
    assert (form(garden).first, form(garden).last, form(garden).held) == (False, True, "")

    await garden.send(TopicPickerState.back)
    assert garden.shows(TopicPickerState, "editing") is None
    await garden.send(TopicPickerState.edit, topic_id="nowhere")
    assert garden.shows(TopicPickerState, "editing") is None


async def test_escape_leaves_the_form_and_then_the_picker(garden: Tab) -> None:
    await garden.send(TopicPickerState.escape)
    assert garden.shows(TopicPickerState, "editing") is None
    assert garden.shows(TopicPickerState, "picking") is not None

    await garden.send(TopicPickerState.escape)  # pressed before the form was seen to close
    assert garden.shows(TopicPickerState, "picking") is None


async def test_topic_is_renamed_and_moved(ctx: AppContext, garden: Tab) -> None:
    ai = form(garden).parents[0].id

    await garden.send(TopicPickerState.save, form={"name": " Roses ", "parent": ai})

    assert await paths(ctx) == ["AI", "AI > Planning", "AI > Roses"]
    assert form(garden).path == "AI > Roses"
    await garden.send(TopicPickerState.save, form={"name": "Roses", "parent": ai})  # the form is unchanged
    assert garden.shows(TopicPickerState, "editing") is None
    await garden.send(TopicPickerState.save, form={"name": "Nobody's"})
    assert await paths(ctx) == ["AI", "AI > Planning", "AI > Roses"]


@pytest.mark.parametrize("name", ["ai", "", "a > b", 7])
async def test_name_that_cannot_be_is_refused_in_the_form(ctx: AppContext, garden: Tab, name: Any) -> None:
    await garden.send(TopicPickerState.save, form={"name": name, "parent": ""})

    assert garden.shows(TopicPickerState, "fault") != ""
    assert await paths(ctx) == ["AI", "AI > Planning", "Garden"]


async def test_topic_is_moved_among_its_siblings(ctx: AppContext, garden: Tab) -> None:
    await garden.send(TopicPickerState.move_up)
    assert await paths(ctx) == ["Garden", "AI", "AI > Planning"]
    assert (form(garden).first, form(garden).last) == (True, False)

    await garden.send(TopicPickerState.move_down)
    assert await paths(ctx) == ["AI", "AI > Planning", "Garden"]


async def test_only_an_empty_topic_is_deleted(ctx: AppContext, garden: Tab) -> None:
    await garden.send(TopicPickerState.delete)
    assert await paths(ctx) == ["AI", "AI > Planning"]
    assert garden.shows(TopicPickerState, "editing") is None

    ai = next(topic.id for topic in (await list_topics(ctx, LOCAL_OWNER)).items if topic.name == "AI")
    await garden.send(TopicPickerState.edit, topic_id=ai)
    assert form(garden).held == "There are topics below this topic"
    await garden.send(TopicPickerState.delete)
    assert "still has 1 topic" in garden.shows(TopicPickerState, "fault")
    assert await paths(ctx) == ["AI", "AI > Planning"]


async def test_buttons_of_a_form_that_is_closed_do_nothing(ctx: AppContext, garden: Tab) -> None:
    await garden.send(TopicPickerState.back)

    for handler in (TopicPickerState.move_up, TopicPickerState.move_down, TopicPickerState.delete):
        await garden.send(handler)

    assert await paths(ctx) == ["AI", "AI > Planning", "Garden"]


# --- the composer's topic ---


async def test_composers_topic_is_chosen_kept_and_shown(ctx: AppContext, tab: Tab) -> None:
    (garden,) = await make(ctx, "Garden")
    await write_pairs(ctx)
    tab.path = f"/c/{CONVERSATION}"

    await tab.send(TopicPickerState.pick_for_composer)
    assert tab.shows(TopicPickerState, "picking") == TopicPickerView("Topic of the next messages")
    await tab.send(TopicPickerState.choose, query="", index=place(tab, "Garden"))

    assert (tab.shows(TopicState, "chosen"), tab.shows(TopicState, "path")) == (garden, "Garden")
    assert tab.shows(FilterState, "topic") == garden
    tab.path = "/"
    await tab.send(FilterState.open)
    await tab.send(TopicState.load)
    assert (tab.shows(TopicState, "path"), tab.shows(FilterState, "topic")) == ("", "")
    tab.path = f"/c/{CONVERSATION}"
    await tab.send(FilterState.open)
    await tab.send(TopicState.load)
    assert (tab.shows(TopicState, "path"), tab.shows(FilterState, "topic")) == ("Garden", garden)


async def test_filters_speak_of_the_chosen_topic(ctx: AppContext, tab: Tab) -> None:
    second = (await write_pairs(ctx))[1]
    (garden,) = await make(ctx, "Garden")
    await mark_pair(ctx, LOCAL_OWNER, second, Marks(topic_id=garden))

    async with opened(tab, "?f=t"):
        assert positions(tab) == []
        await tab.send(TopicPickerState.pick_for_composer)
        await tab.send(TopicPickerState.choose, query="garden", index=0)
        await until(lambda: positions(tab) == [2])


async def test_topic_chosen_before_there_was_a_conversation_goes_along(ctx: AppContext, tab: Tab) -> None:
    await make(ctx, "Garden")
    await tab.send(TopicPickerState.pick_for_composer)
    await tab.send(TopicPickerState.choose, query="garden", index=0)

    await tab.send(TopicState.carry, conversation_id=7)
    await tab.send(TopicState.carry, conversation_id=CONVERSATION)

    await tab.send(TopicState.load)
    assert tab.shows(TopicState, "path") == ""  # still on the first page, where the choice is removed
    tab.path = f"/c/{CONVERSATION}"
    await tab.send(TopicState.load)
    assert tab.shows(TopicState, "path") == "Garden"


async def test_deleted_topic_is_no_longer_chosen(ctx: AppContext, tab: Tab) -> None:
    (garden,) = await make(ctx, "Garden")
    await tab.send(TopicPickerState.pick_for_composer)
    await tab.send(TopicPickerState.choose, query="garden", index=0)
    await delete_topic(ctx, LOCAL_OWNER, garden)

    await tab.send(TopicState.load)

    assert (tab.shows(TopicState, "chosen"), tab.shows(FilterState, "topics")) == ("", "{}")


async def test_text_is_filed_under_the_chosen_topic(ctx: AppContext, tab: Tab) -> None:
    (garden,) = await make(ctx, "Garden")
    await tab.send(ComposerState.open)
    await tab.send(TopicPickerState.pick_for_composer)
    await tab.send(TopicPickerState.choose, query="garden", index=0)

    await tab.send(ComposerState.send, send_id="1", text="/echo filed", order_id="")

    async with ctx.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, tab.shows(ComposerState, "made"))
    assert pair.topic == garden
