"""The line of the filter bar: feedback during typing, filters and commands on Enter."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl

import pytest

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import Image
from app.runs.app_context import AppContext
from app.runs.attachments.uploads import attach_file
from app.runs.conversation.conversation_commands import create_conversation, delete_conversation
from app.runs.filters.filter_commands import apply_filter, list_filters
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.topics.topic_commands import create_topic
from app.state.filters import line as line_module
from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.state.messages.toasts import Toast, ToastState
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import insert_pair, load_pairs
from app.views.filters.filter_chips import ChipView
from app.views.filters.line_feedback import CommandQuestionView, LineFeedbackView
from tests.media.test_pictures import a_photo
from tests.state.conftest import Tab
from tests.state.filters.filtering import CONVERSATION, flagged, kept_filter, opened, positions, write_pairs
from tests.store.values import a_pair_of
from tests.waiting import until


def feedback(tab: Tab) -> LineFeedbackView:
    shown = tab.shows(FilterLineState, "feedback")
    assert isinstance(shown, LineFeedbackView)
    return shown


def toast(tab: Tab) -> Toast:
    shown = tab.shows(ToastState, "toast")
    assert isinstance(shown, Toast)
    return shown


async def test_typed_line_is_described_and_completed(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)
    tab.path = f"/c/{CONVERSATION}"

    await tab.send(FilterLineState.check, line="s3", cursor=2)
    assert (feedback(tab).line, feedback(tab).description) == ("s3", "pairs with 3 stars")
    await tab.send(FilterLineState.check, line="b sta", cursor=5)

    found = feedback(tab)
    assert (found.start, found.end, found.suggestions[0].text) == (2, 5, "stars")


async def test_typed_line_changes_nothing_before_enter(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.check, line="s3", cursor=2)
        assert feedback(tab).description == "pairs with 3 stars"
        assert feedback(tab).count.endswith(" of 4 pairs will be sent")
        assert positions(tab) == [1, 2, 3, 4]
    assert await kept_filter(ctx) == ""


async def test_plain_words_filter_by_one_enter(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.check, line="question 4", cursor=10)
        assert (feedback(tab).offered, feedback(tab).suggestions[0].text) == (True, "c'question 4'")
        assert (feedback(tab).description, feedback(tab).mistake) == ("Search for “question 4”", None)
        await tab.send(FilterLineState.check, line="star", cursor=4)
        assert (feedback(tab).offered, feedback(tab).suggestions[0].text) == (False, "stars")
        await tab.send(FilterLineState.check, line="s7", cursor=2)
        assert (feedback(tab).offered, feedback(tab).suggestions, feedback(tab).entered) == (False, (), False)
        await tab.send(FilterLineState.enter, line="s7")
        assert feedback(tab).entered
        await tab.send(FilterLineState.enter, line="question 4")
        assert positions(tab) == []
    assert await kept_filter(ctx) == "c'question 4'"


async def test_mistake_is_marked_where_it_is(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)
    tab.path = f"/c/{CONVERSATION}"

    await tab.send(FilterLineState.check, line="c'👩‍👩‍👧é' s7 b", cursor=3)

    mistake = feedback(tab).mistake
    assert mistake is not None
    assert (mistake.before, mistake.wrong, mistake.after) == ("c'👩‍👩‍👧é' s", "7", " b")
    assert "from 0 to 3" in mistake.message


async def test_command_is_previewed(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)
    tab.path = f"/c/{CONVERSATION}"

    await tab.send(FilterLineState.check, line="s3 :flag", cursor=8)

    assert "2 pairs" in feedback(tab).command


@pytest.mark.parametrize(("line", "cursor"), [(7, 1), ("s3", "one"), (None, None), ("s" * 30_000, 1)])
async def test_what_is_no_line_is_passed_over(ctx: AppContext, tab: Tab, line: object, cursor: object) -> None:
    await write_pairs(ctx)
    tab.path = f"/c/{CONVERSATION}"

    await tab.send(FilterLineState.check, line=line, cursor=cursor)
    await tab.send(FilterLineState.enter, line=line if isinstance(line, int) else None)

    assert tab.shows(FilterLineState, "feedback") in (None, LineFeedbackView())


async def test_entered_filter_is_in_force_kept_and_remembered(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.enter, line="s3")
        assert positions(tab) == [2, 4]
    assert await kept_filter(ctx) == "s3"
    assert tab.shows(FilterLineState, "past") == ("s3",)
    assert (tab.shows(FilterState, "done"), tab.shows(FilterState, "steps")) == (1, 1)


async def test_line_that_cannot_be_used_leaves_the_filter_in_force(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx, kept="s3")

    async with opened(tab):
        for line in ("b s7", "@nobody"):
            await tab.send(FilterLineState.enter, line=line)
            assert feedback(tab).line == line
            assert feedback(tab).mistake is not None
        assert positions(tab) == [2, 4]
    assert await kept_filter(ctx) == "s3"
    assert tab.shows(FilterState, "done") in (None, 0)


async def test_command_is_executed_reported_and_undone(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.enter, line="s3 :flag")
        assert await flagged(ctx) == [2, 4]
        assert (toast(tab).message, toast(tab).undo) == ("Flagged 2 pairs.", True)
        assert tab.shows(FilterState, "done") == 1

        await tab.send(ToastState.undo, toast_id=toast(tab).id)
        assert await flagged(ctx) == []
        await tab.send(FilterLineState.undo, undo_id="nothing")


async def test_fork_leads_to_a_new_conversation_of_what_was_selected(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.enter, line="s3 :fork")

    (place,) = tab.way
    async with ctx.store.read() as session:
        made = await load_pairs(session, LOCAL_OWNER, place.removeprefix("/c/"))
    assert [pair.stars for pair in made] == [3, 3]


async def test_dry_run_answers_in_the_line_and_changes_nothing(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.enter, line="s3 :flag --dry-run")
        assert (feedback(tab).refused, "2" in feedback(tab).answer) == (False, True)
        await tab.send(FilterLineState.check, line="s3 :flag --dry-run", cursor=1)
        assert feedback(tab).answer  # it remains until different text is typed
        await tab.send(FilterLineState.check, line="s3", cursor=1)
        assert not feedback(tab).answer
    assert await flagged(ctx) == []


async def test_deletion_is_done_after_a_yes_and_not_after_a_no(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.enter, line="s3 :delete")
        asked = tab.shows(FilterLineState, "asking")
        assert isinstance(asked, CommandQuestionView)
        assert (asked.line, "2 pairs" in asked.question) == ("s3 :delete", True)
        await tab.send(FilterLineState.cancel)
        await tab.send(FilterLineState.confirm)  # no question is open any more
        assert positions(tab) == [1, 2, 3, 4]

        await tab.send(FilterLineState.enter, line="s3 :delete")
        await tab.send(FilterLineState.confirm)
        assert toast(tab).message == "Deleted 2 pairs."
        assert tab.shows(FilterLineState, "asking") is None


async def test_refused_command_says_why_in_the_line(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.enter, line="s3 :topic 'Nowhere'")

    assert (feedback(tab).refused, "There is no topic" in feedback(tab).answer) == (True, True)


async def test_unknown_command_names_the_known_ones(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.enter, line="s3 :explode")

    mistake = feedback(tab).mistake
    assert mistake is not None
    assert "delete" in mistake.message


async def test_lines_used_before_are_offered_newest_first(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)
    for line in ("s1", "s2"):
        await apply_filter(ctx, LOCAL_OWNER, CONVERSATION, line)

    async with opened(tab):
        await tab.send(FilterLineState.enter, line="s3 :flag")
        await tab.send(FilterLineState.begin)

    assert tab.shows(FilterLineState, "past") == ("s3 :flag", "s2", "s1")
    assert (await list_filters(ctx, LOCAL_OWNER)).history == ("s2", "s1")


async def test_left_line_is_forgotten(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)
    tab.path = f"/c/{CONVERSATION}"
    await tab.send(FilterLineState.check, line="s7", cursor=1)

    await tab.send(FilterLineState.leave)

    assert feedback(tab) == LineFeedbackView()


def chip(tab: Tab, name: str) -> ChipView | None:
    return next((one for one in tab.shows(FilterLineState, "chips") or () if one.name == name), None)


async def test_chip_writes_its_term_into_the_filter_and_takes_it_out_again(tab: Tab, ctx: AppContext) -> None:
    await write_pairs(ctx)
    async with opened(tab):
        await tab.send(FilterLineState.find_chips)
        shown = [one.name for one in tab.shows(FilterLineState, "chips")]
        assert shown == ["stars", "date", "model"]  # no topic, no file, no error in this conversation

        await tab.send(FilterLineState.choose_chip, name="stars", term="s>=1")
        await until(lambda: tab.shows(FilterState, "filter") == "s>=1")
        assert positions(tab) == [2, 3, 4]
        stars = chip(tab, "stars")
        assert stars is not None
        assert stars.chosen == "s>=1"
        assert await kept_filter(ctx) == "s>=1"

        await tab.send(FilterLineState.choose_chip, name="date", term="d30d")
        await tab.send(FilterLineState.choose_chip, name="date", term="d7d")
        await until(lambda: tab.shows(FilterState, "filter") == "s>=1 d7d")
        await asyncio.gather(  # the second press comes before the first is applied
            tab.send(FilterLineState.choose_chip, name="date", term=""),
            tab.send(FilterLineState.choose_chip, name="stars", term=""),
        )
        await until(lambda: tab.shows(FilterState, "filter") == "")
        assert chip(tab, "stars") == replace(stars, chosen="")


async def test_conversation_that_was_deleted_meanwhile_has_no_chips(tab: Tab, ctx: AppContext) -> None:
    await write_pairs(ctx)
    tab.path = f"/c/{CONVERSATION}"
    await tab.send(FilterLineState.find_chips)
    assert chip(tab, "stars") is not None
    await delete_conversation(ctx, LOCAL_OWNER, CONVERSATION)

    await tab.send(FilterLineState.find_chips)

    assert tab.shows(FilterLineState, "chips") == ()


async def test_chips_offer_the_values_that_occur_in_the_conversation(tab: Tab, ctx: AppContext) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    topic = await create_topic(ctx, LOCAL_OWNER, "AI > Planning")
    photo = await attach_file(ctx, LOCAL_OWNER, a_photo(), "photo.jpg")
    await create_topic(ctx, LOCAL_OWNER, "Unused")
    pairs = [
        replace(a_pair_of(conversation.id, 1), topic=topic, flagged=True, stars=0),
        replace(a_pair_of(conversation.id, 2, reply=None), lifecycle=Lifecycle.ERROR, topic=None, stars=0),
        a_pair_of(conversation.id, 3),
    ]
    image = Image(photo.attachment.id, "image/jpeg", 40, 20)
    pairs[2] = replace(pairs[2], topic=None, stars=0, request=replace(pairs[2].request, parts=(image,)))
    async with ctx.store.write() as session:
        for pair in pairs:
            revision = await next_revision(session, conversation.id, conversation.updated_at)
            await insert_pair(session, LOCAL_OWNER, pair, revision)
    tab.path = f"/c/{conversation.id}"
    await tab.send(FilterLineState.check, line="i", cursor=1)  # makes the server index the pairs
    await tab.send(FilterLineState.find_chips)

    shown = {one.name: [option.label for option in one.options] for one in tab.shows(FilterLineState, "chips")}
    assert shown == {
        "topic": ["AI > Planning"],
        "date": ["Today", "Last 7 days", "Last 30 days"],
        "model": [pairs[0].model],
        "kind": ["With an image or file", "With an error", "Flagged"],
    }
    kind = chip(tab, "kind")
    assert kind is not None
    assert kind.chosen == "i"


async def test_chip_goes_by_the_line_that_is_typed_and_never_carries_out_its_command(tab: Tab, ctx: AppContext) -> None:
    await write_pairs(ctx)
    async with opened(tab):
        await tab.send(FilterLineState.find_chips)
        await tab.send(FilterLineState.check, line="r2", cursor=2)
        await tab.send(FilterLineState.choose_chip, name="stars", term="s>=1")
        await until(lambda: tab.shows(FilterState, "filter") == "r2 s>=1")
        assert tab.shows(FilterLineState, "written").line == "r2 s>=1"

        await tab.send(FilterLineState.check, line="r2 s>=1 :flag", cursor=2)
        await tab.send(FilterLineState.choose_chip, name="stars", term="")
        assert tab.shows(FilterLineState, "written").line == "r2 :flag"
        assert await flagged(ctx) == []
        assert tab.shows(FilterState, "filter") == "r2 s>=1"

        await tab.send(FilterLineState.check, line="s7", cursor=2)
        await tab.send(FilterLineState.choose_chip, name="date", term="d7d")
        assert tab.shows(FilterLineState, "feedback").entered is True
        assert tab.shows(FilterLineState, "written").line == "r2 :flag"


async def test_today_is_the_day_of_the_choice_also_after_midnight(
    tab: Tab, ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening = datetime(2026, 3, 10, 23, 59, 30, tzinfo=UTC)
    at = [evening]
    monkeypatch.setattr(line_module, "now", lambda: at[0])
    await write_pairs(ctx)
    async with opened(tab):
        await tab.send(FilterLineState.find_chips)
        assert tab.shows(FilterLineState, "day_left") == 30_001
        await tab.send(FilterLineState.choose_chip, name="date", term="d2026-03-10")
        await until(lambda: tab.shows(FilterState, "filter") == "d2026-03-10")

        at[0] = evening + timedelta(minutes=1)
        await tab.send(FilterLineState.find_chips)  # as the page does when the day ends
        date = chip(tab, "date")
        assert date is not None
        assert (date.chosen, date.options[0].term) == ("", "d2026-03-11")
        assert tab.shows(FilterLineState, "day_left") == 86_370_001

        at[0] = evening + timedelta(days=1, minutes=1)
        await tab.send(FilterLineState.choose_chip, name="date", term="d2026-03-11")  # a chip that was drawn before
        await until(lambda: tab.shows(FilterState, "filter") == "d2026-03-12")


@pytest.mark.parametrize(("name", "term"), [("stars", "s3"), ("colour", "s>=1"), ("topic", ""), (7, None)])
async def test_value_that_no_chip_has_changes_nothing(tab: Tab, ctx: AppContext, name: object, term: object) -> None:
    await write_pairs(ctx)
    async with opened(tab):
        await tab.send(FilterLineState.find_chips)
        await tab.send(FilterLineState.choose_chip, name=name, term=term)
        assert tab.shows(FilterLineState, "written").number == 0
        assert tab.shows(FilterState, "filter") == ""


async def test_late_check_of_an_entered_line_keeps_its_mistake(tab: Tab, ctx: AppContext) -> None:
    await write_pairs(ctx)
    async with opened(tab):
        await tab.send(FilterLineState.enter, line="b s7")
        await tab.send(FilterLineState.check, line="b s7", cursor=4)
        assert feedback(tab).entered is True


async def test_export_of_a_selection_is_downloaded(ctx: AppContext, tab: Tab) -> None:
    await write_pairs(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.enter, line="s3 :export md")

    (address,) = tab.downloads
    path, _, query = address.partition("?")
    asked = dict(parse_qsl(query))
    assert path == f"/api/v1/conversations/{CONVERSATION}/export"
    assert (asked["format"], asked["filter"]) == ("md", "s3")
