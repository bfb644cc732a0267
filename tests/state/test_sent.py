"""The recorded calls of a pair in state: what is listed of each, and what of one whose words are gone."""

from __future__ import annotations

from hashlib import sha256

from app.domain.conversation.marks import Marks, PairMarks
from app.runs.library.mark_commands import mark_pairs
from app.runs.library.trash import delete_for_good
from app.runs.resend.resend import Replacement, resend_pair
from app.runs.send.commands import LOCAL_OWNER, create_conversation
from app.runs.workbench import Workbench
from app.state.inspector.sent import SentState
from app.store.run.sent_calls import list_sent_calls
from tests.runs.steps import collect, reply_to
from tests.state.conftest import Tab

WORDS = "/echo The swordfish is in the second drawer."


async def test_each_call_of_a_pair_is_listed_with_its_versions(wb: Workbench, tab: Tab) -> None:
    conversation = await create_conversation(wb, LOCAL_OWNER, model="offline:demo")
    pair_id = (await reply_to(wb, conversation.id, WORDS)).pair.id
    resent = await resend_pair(wb, LOCAL_OWNER, Replacement(pair_id, "/echo Another one"))
    await collect(wb, resent.started.run_id)
    async with wb.store.read() as session:
        stored = await list_sent_calls(session, LOCAL_OWNER, pair_id)

    await tab.send(SentState.open, pair_id=pair_id)

    assert tab.shows(SentState, "title") == "Sent for pair 1"
    calls = tab.shows(SentState, "calls")
    assert calls is not None
    assert [(one.what, one.model, one.standing) for one in calls] == [("Reply, call 1", "demo", "complete")] * 2
    assert [one.sha256 for one in calls] == [sha256(one.body or b"").hexdigest() for one in stored]
    assert [one.digest for one in calls] == [one.body_sha256[:12] for one in stored]
    assert [one.size for one in calls] == [f"{one.body_bytes} bytes" for one in stored]
    assert [one.download for one in calls] == [f"/api/v1/calls/{one.call.run_id}-1/body" for one in stored]

    await tab.send(SentState.close)
    assert tab.shows(SentState, "pair") == ""


async def test_a_call_whose_words_are_gone_says_so_and_has_no_link(wb: Workbench, tab: Tab) -> None:
    conversation = await create_conversation(wb, LOCAL_OWNER, model="offline:demo")
    first, second = [(await reply_to(wb, conversation.id, words)).pair for words in (WORDS, "/echo Another matter")]
    await mark_pairs(wb, LOCAL_OWNER, conversation.id, [PairMarks(first.id, Marks(deleted=True))])
    await delete_for_good(wb, LOCAL_OWNER, first.id)

    await tab.send(SentState.open, pair_id=second.id)

    calls = tab.shows(SentState, "calls")
    assert calls is not None
    assert [(one.kept, one.standing, one.download) for one in calls] == [("forgotten", "words deleted for good", "")]
    assert calls[0].sha256


async def test_a_pair_that_is_not_there_is_said(wb: Workbench, tab: Tab) -> None:
    await tab.send(SentState.open, pair_id="nowhere")

    assert "nowhere" in tab.shows(SentState, "fault")
    assert tab.shows(SentState, "calls") is None
