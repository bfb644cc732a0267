"""All pairs: those a filter selects, what is selected of them, and the conversation that begins with copies."""

from __future__ import annotations

import pytest

from app.domain.conversation.marks import Marks
from app.runs.library.mark_commands import mark_pair
from app.runs.send.commands import LOCAL_OWNER, create_conversation, delete_conversation
from app.runs.workbench import Workbench
from app.state import all_pairs
from app.state.all_pairs import AllPairsState, FoundPairItem
from app.state.toasts import ToastState
from app.store.conversation.conversations import list_conversations
from app.store.conversation.pairs import load_pairs_by_id
from tests.runs.steps import pairs_of, reply_to
from tests.runs.watch.page import a_page
from tests.state.conftest import Tab


async def a_pair_about(wb: Workbench, word: str, title: str = "Talk") -> tuple[str, str]:
    """The conversation and the pair."""
    conversation = await create_conversation(wb, LOCAL_OWNER, title=title, model="offline:demo")
    return conversation.id, (await reply_to(wb, conversation.id, f"/echo {word}")).pair.id


def shown(tab: Tab) -> tuple[FoundPairItem, ...]:
    return tab.shows(AllPairsState, "pairs")


async def test_the_pairs_of_all_conversations_are_listed_newest_first_with_their_places(wb: Workbench, tab: Tab):
    first, _ = await a_pair_about(wb, "apples", "Fruit")
    await a_pair_about(wb, "pears", "")

    await tab.send(AllPairsState.load)

    pears, apples = shown(tab)
    assert (apples.asked, apples.answered, apples.conversation) == ("/echo apples", "apples", "Fruit")
    assert (apples.path, apples.about) == (f"/c/{first}?at=1", "offline:demo")
    assert pears.conversation
    assert tab.shows(AllPairsState, "more") in {None, False}


async def test_a_filter_of_the_address_or_the_bar_selects_and_what_is_hidden_is_not_selected(wb: Workbench, tab: Tab):
    for word in ("apples", "pears"):
        await a_pair_about(wb, word)
    tab.path = "/pairs?f=c%27apples%27"

    await tab.send(AllPairsState.load)
    assert [pair.answered for pair in shown(tab)] == ["apples"]
    assert tab.shows(AllPairsState, "filter") == "c'apples'"
    assert "apples" in tab.shows(AllPairsState, "description")
    await tab.send(AllPairsState.tick_all)
    assert len(tab.shows(AllPairsState, "selected")) == 1

    await tab.send(AllPairsState.enter, line="c'pears'")

    assert [pair.answered for pair in shown(tab)] == ["pears"]
    assert tab.shows(AllPairsState, "selected") == ()


@pytest.mark.parametrize(("line", "why"), [("s7", "s7"), ("r3", "within one conversation")])
async def test_a_filter_that_cannot_be_used_says_why_and_what_was_shown_stays(
    wb: Workbench, tab: Tab, line: str, why: str
):
    await a_pair_about(wb, "apples")
    await tab.send(AllPairsState.load)

    await tab.send(AllPairsState.enter, line=line)

    refusal = tab.shows(AllPairsState, "refusal")
    assert why in refusal.message or why in refusal.before + refusal.wrong + refusal.after
    assert len(shown(tab)) == 1
    await tab.send(AllPairsState.clear)
    assert tab.shows(AllPairsState, "refusal") is None


async def test_what_is_typed_is_explained_and_completed(wb: Workbench, tab: Tab):
    await a_pair_about(wb, "apples")

    await tab.send(AllPairsState.check, line="m", cursor=1)

    feedback = tab.shows(AllPairsState, "feedback")
    assert any(suggestion.means == "offline:demo" for suggestion in feedback.suggestions)
    assert "within one conversation" in feedback.notices[0]


async def test_older_pairs_come_when_asked_for(wb: Workbench, tab: Tab, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(all_pairs, "PAGE", 2)
    for number in range(5):
        await a_pair_about(wb, f"number {number}")

    await tab.send(AllPairsState.load)
    assert [pair.answered for pair in shown(tab)] == ["number 4", "number 3"]
    assert tab.shows(AllPairsState, "more") is True
    await tab.send(AllPairsState.show_more)
    await tab.send(AllPairsState.show_more)

    assert [pair.answered for pair in shown(tab)] == [f"number {number}" for number in (4, 3, 2, 1, 0)]
    assert tab.shows(AllPairsState, "more") is False


async def test_a_conversation_begins_with_copies_that_lead_to_their_sources(wb: Workbench, tab: Tab):
    source, apples = await a_pair_about(wb, "apples")
    _, pears = await a_pair_about(wb, "pears")
    await a_pair_about(wb, "plums")
    await tab.send(AllPairsState.load)
    await tab.send(AllPairsState.tick, pair_id=pears, ticked=True)
    await tab.send(AllPairsState.tick, pair_id=apples, ticked=True)

    await tab.send(AllPairsState.begin_conversation)

    async with wb.store.read() as session:
        newest, *_ = await list_conversations(session, LOCAL_OWNER, limit=10)
    copies = await pairs_of(wb, newest.conversation.id)
    assert [pair.request.parts for pair in copies] == [
        pair.request.parts for made in (apples, pears) for pair in [await _pair(wb, made)]
    ]
    assert "2 pairs" in tab.shows(ToastState, "toast").message
    async with a_page(wb, newest.conversation.id) as page:
        copy = (await page.until_known()).pairs[0]
        assert (copy.source_conversation, copy.source_position) == (source, 1)
    await delete_conversation(wb, LOCAL_OWNER, source)
    async with a_page(wb, newest.conversation.id) as page:
        kept = (await page.until_known()).pairs[0]
        assert (kept.source_conversation, kept.user_text) == ("", "/echo apples")


async def test_nothing_begins_with_a_pair_that_went_to_the_trash(wb: Workbench, tab: Tab):
    _, apples = await a_pair_about(wb, "apples")
    await tab.send(AllPairsState.load)
    await tab.send(AllPairsState.tick_all)
    await mark_pair(wb, LOCAL_OWNER, apples, Marks(deleted=True))

    await tab.send(AllPairsState.begin_conversation)

    assert tab.shows(ToastState, "toast").fault
    async with wb.store.read() as session:
        assert len(await list_conversations(session, LOCAL_OWNER, limit=10)) == 1


async def test_only_pairs_that_are_shown_can_be_ticked(wb: Workbench, tab: Tab):
    await a_pair_about(wb, "apples")
    await tab.send(AllPairsState.load)

    for forged in ("another", "", "x" * 1_000, None, 7):
        await tab.send(AllPairsState.tick, pair_id=forged, ticked=True)

    assert tab.shows(AllPairsState, "selected") in {None, ()}


async def test_a_selection_stays_as_far_as_it_is_shown(wb: Workbench, tab: Tab):
    _, apples = await a_pair_about(wb, "apples")
    await a_pair_about(wb, "pears")
    await tab.send(AllPairsState.load)
    await tab.send(AllPairsState.tick_all)

    await tab.send(AllPairsState.load)
    assert len(tab.shows(AllPairsState, "selected")) == 2
    await tab.send(AllPairsState.enter, line="c'apples'")

    assert tab.shows(AllPairsState, "selected") == (apples,)


async def _pair(wb: Workbench, pair_id: str):
    async with wb.store.read() as session:
        (pair,) = await load_pairs_by_id(session, LOCAL_OWNER, (pair_id,))
    return pair


async def test_what_is_selected_says_its_tokens_and_price_before_a_conversation_begins(wb: Workbench, tab: Tab):
    _, short = await a_pair_about(wb, "apples")
    _, long = await a_pair_about(wb, "pears " * 400)
    await tab.send(AllPairsState.load)

    def tokens() -> int:
        return int(tab.shows(AllPairsState, "weight").removeprefix("~").split(" ")[0].replace(",", ""))

    await tab.send(AllPairsState.tick, pair_id=short, ticked=True)
    assert tab.shows(AllPairsState, "weight").endswith("free to read once with demo")
    alone = tokens()
    await tab.send(AllPairsState.tick, pair_id=long, ticked=True)
    assert tokens() > alone + 400

    await tab.send(AllPairsState.tick_none)
    assert tab.shows(AllPairsState, "weight") == ""
    assert len(await wb_conversations(wb)) == 2


async def wb_conversations(wb: Workbench) -> list[str]:
    async with wb.store.read() as session:
        return [one.conversation.id for one in await list_conversations(session, LOCAL_OWNER, limit=5)]
