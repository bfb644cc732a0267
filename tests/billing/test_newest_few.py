"""Filters that show the newest few pairs: pairs that stay in view are cached, those that soon leave are not."""

from __future__ import annotations

from itertools import pairwise

from app.domain.conversation.marks import Marks, PairMarks
from app.runs.conversation.mark_commands import mark_pairs
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from tests.billing.talking import Talk
from tests.runs.steps import pairs_of, reply_to


async def read_through(talk: Talk, line: str, sends: int) -> list[tuple[int, int]]:
    """Send through a filter `sends` times, and return the cached tokens read and written at each."""
    for number in range(sends):
        await talk.pass_time(20)
        await reply_to(
            talk.ctx, talk.conversation_id, f"And what of winter number {number}?", options=ViewOptions(filter=line)
        )
    usages = [one.usage for one in talk.peer.asked[-sends:]]
    return [(one["cache_read_input_tokens"], one["cache_creation_input_tokens"]) for one in usages]


async def test_while_there_are_fewer_pairs_than_a_filter_shows_all_of_them_are_kept(talk: Talk) -> None:
    reads = await read_through(talk, "r9", 4)

    assert all(later > earlier > 1_000 for (earlier, _), (later, _) in pairwise(reads))
    assert all(written > 0 for _, written in reads)


async def test_once_the_oldest_falls_out_with_every_send_nothing_is_written(talk: Talk) -> None:
    *_, before, last = await read_through(talk, "r2", 4)

    assert before[1] == last[1] == 0
    assert before[0] == last[0] > 1_000


async def test_question_is_not_kept_under_a_filter_that_asks_for_stars(talk: Talk) -> None:
    """The new pair has no stars yet, whatever the pair before it has."""
    marks = [PairMarks(pair.id, Marks(stars=2)) for pair in await pairs_of(talk.ctx, talk.conversation_id)]
    await mark_pairs(talk.ctx, LOCAL_OWNER, talk.conversation_id, marks)

    await read_through(talk, "s>=1", 1)

    content = talk.peer.asked[-1].body["messages"][-1]["content"]
    assert isinstance(content, str) or "cache_control" not in content[-1]
    assert talk.peer.asked[-1].usage["input_tokens"] > 0
