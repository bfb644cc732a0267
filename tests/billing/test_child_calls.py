"""Calls for a title and for a summary, against a provider that bills: they read the cache and write nothing to it."""

from __future__ import annotations

from app.runs.child_calls.summaries import summarise
from app.runs.child_calls.titles import ask_title
from app.runs.runtime.owner import LOCAL_OWNER
from tests.billing.talking import DEFAULT_OPTIONS, Talk
from tests.runs.steps import collect, until_quiet


async def test_calls_for_a_title_and_a_summary_read_the_cache_and_write_nothing_to_it(talk: Talk) -> None:
    cached = (await talk.offer()).tokens
    asked = len(talk.peer.asked)

    for ask in (ask_title, summarise):
        made = await ask(talk.ctx, LOCAL_OWNER, talk.conversation_id, DEFAULT_OPTIONS)
        await collect(talk.ctx, made.started.run_id)
        await until_quiet(talk.ctx)

    usages = [one.usage for one in talk.peer.asked[asked:]]
    assert [one["cache_read_input_tokens"] for one in usages] == [cached, cached]
    assert [one["cache_creation_input_tokens"] for one in usages] == [0, 0]


async def test_calls_for_a_title_and_a_summary_write_nothing_to_an_expired_cache(talk: Talk) -> None:
    await talk.pass_time(301)
    asked = len(talk.peer.asked)

    for ask in (ask_title, summarise):
        made = await ask(talk.ctx, LOCAL_OWNER, talk.conversation_id, DEFAULT_OPTIONS)
        await collect(talk.ctx, made.started.run_id)
        await until_quiet(talk.ctx)

    usages = [one.usage for one in talk.peer.asked[asked:]]
    assert [(one["cache_read_input_tokens"], one["cache_creation_input_tokens"]) for one in usages] == [(0, 0)] * 2
