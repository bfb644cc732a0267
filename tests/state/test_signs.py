"""Signs in the search field and in the filter line: no sign has a special meaning, and no text is an error."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.transfer.records import PairRecord
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.filters.line import FilterLineState
from app.state.sidebar.sidebar import SidebarState
from app.store.conversation.conversations import insert_conversation, next_revision
from app.store.transfer.pair_records import RecordTarget, insert_records
from app.views.filters.line_feedback import LineFeedbackView
from tests.state.conftest import Tab
from tests.state.filters.filtering import CONVERSATION, opened, positions
from tests.store.values import a_conversation, a_pair_of

MIXED = r"看[帮助](/help)页, fix ABC-12 in C++ a_b 100% don't [x] \ * 改用foo-bar后 naïve e-mail"
PLAIN = "axb 1000 ABC 12"


async def write_mixed(ctx: AppContext) -> None:
    """Write a conversation of two pairs with these requests, and another conversation without the searched words."""
    async with ctx.store.write() as session:
        for conversation_id, requests in ((CONVERSATION, (MIXED, PLAIN)), ("c2", ("Nothing", "else"))):
            conversation = replace(a_conversation(conversation_id), owner=LOCAL_OWNER, model="offline:demo")
            await insert_conversation(session, conversation)
            revision = await next_revision(session, conversation_id, conversation.updated_at)
            pairs = [
                PairRecord(replace(a_pair_of(conversation_id, place, text), topic=None))
                for place, text in enumerate(requests, 1)
            ]
            target = RecordTarget(LOCAL_OWNER, conversation_id, revision, ctx.process_id)
            await insert_records(session, target, pairs)


async def search(tab: Tab, words: str) -> list[tuple[str, list[str]]]:
    """Type a text letter by letter. Return the address of each place, and the words that are marked in it."""
    for end in range(1, len(words) + 1):
        await tab.send(SidebarState.search, words=words[:end])
    rows = tab.shows(SidebarState, "conversations")
    return [(row.path, [piece.text for piece in row.excerpt if piece.found]) for row in rows]


@pytest.mark.parametrize(
    ("words", "place", "marked"),
    [
        ("[帮助](/help)", 1, ["帮助](/help"]),
        ("ABC-12", 2, ["ABC 12"]),
        ("don't", 1, ["don't"]),
        ("帮助", 1, ["帮助"]),
        ("助", 1, ["助"]),
        ("naive", 1, ["naïve"]),
        ("C++", 1, ["C"]),
        ("-fix", 1, ["fix"]),
        ('"don\'t"', 1, ["don't"]),
        ("e-mail", 1, ["e-mail"]),
        ("改用foo", 1, ["改用foo"]),
        ("bar", 1, ["bar后"]),
    ],
)
async def test_text_with_signs_is_found_and_only_what_was_looked_for_is_marked(
    ctx: AppContext, tab: Tab, words: str, place: int, marked: list[str]
) -> None:
    """Signs between letters do not matter: the best place of `ABC-12` is a short text with `ABC 12`."""
    await write_mixed(ctx)

    assert await search(tab, words) == [(f"/c/{CONVERSATION}?at={place}", marked)]


@pytest.mark.parametrize(
    "words", ["[", "\\", "*", '"', "(/", "NEAR(a b)", "a AND", "user_text:fix", "foo", '"foo', "%", "_", "--"]
)
async def test_text_without_a_match_as_words_finds_nothing_and_is_no_error(
    ctx: AppContext, tab: Tab, words: str
) -> None:
    """As the search field says, `foo` is not found where a Chinese letter comes directly before it."""
    await write_mixed(ctx)

    assert await search(tab, words) == []


async def test_unfinished_phrase_is_searched_as_words(ctx: AppContext, tab: Tab) -> None:
    await write_mixed(ctx)

    assert [path.partition("?")[0] for path, _ in await search(tab, '"ABC')] == [f"/c/{CONVERSATION}"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("c'['", [1]),
        ("c'100%'", [1]),
        ("c'a_b'", [1]),
        (r"c'\*'", [1]),
        (r"c'\\'", [1]),
        ("c'[x]'", [1]),
        (r"c'don\'t'", [1]),
        ("c'帮助'", [1]),
        ("c'(/help)'", [1]),
        ("c'C++'", [1]),
        ("c'a*b'", [1, 2]),
        ("c'?'", []),
    ],
)
async def test_filter_is_literal_but_for_the_star(ctx: AppContext, tab: Tab, line: str, found: list[int]) -> None:
    await write_mixed(ctx)

    async with opened(tab):
        await tab.send(FilterLineState.enter, line=line)
        feedback = tab.shows(FilterLineState, "feedback")
        assert feedback is None or (isinstance(feedback, LineFeedbackView) and feedback.mistake is None)
        assert positions(tab) == found
