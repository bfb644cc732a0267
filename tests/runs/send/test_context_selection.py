from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import event

from app.domain.context.composition import Candidate
from app.domain.context.context import OutReason
from app.domain.context.over_budget import OverBudgetError
from app.domain.conversation.conversation import Checkpoint, Mark, Pair, Parameters
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import plain_text
from app.domain.errors import InputError, SendLockedError
from app.domain.filters.language.errors import FilterError
from app.domain.settings.preferences import OverBudget
from app.runs.app_context import AppContext
from app.runs.attachments.uploads import attach_file, load_attached
from app.runs.child_calls.summaries import put_checkpoint
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.request.attachments import AttachedParts
from app.runs.request.context_snapshots import SnapshotCache
from app.runs.request.indexes import Indexer
from app.runs.request.sizes import Sizes
from app.runs.resend.verification import verify_run
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send, start_reply
from app.runs.send.composition import compose_base, compose_view
from app.runs.send.context_selection import ViewOptions, read_base
from app.runs.send.send_request import SendRequest
from app.runs.settings.provider_commands import list_models, save_provider
from app.store.conversation.conversations import next_revision
from app.store.conversation.pairs import insert_pair
from app.store.conversation.rows import MESSAGE, PAIR
from app.store.ledger.ledger import load_calls
from app.store.run.stored_runs import load_run
from app.store.settings.rows_settings import PREFERENCE
from tests.billing.peer import BillingPeer, Usage, serve_billing
from tests.builders import EPOCH
from tests.media.test_pictures import a_picture
from tests.runs.bands.peers import play_compatible
from tests.runs.steps import a_conversation, collect, count_own_statements, pair_of, reply_to
from tests.store.values import a_pair_of

pytestmark = pytest.mark.usefixtures("complete_lists")


async def seed(ctx: AppContext, *pairs: Pair, **fields: Any) -> str:
    conversation_id = await a_conversation(ctx, model="offline:demo", **fields)
    async with ctx.store.write() as session:
        revision = await next_revision(session, conversation_id, EPOCH)
        for position, pair in enumerate(pairs, 1):
            names = {"id": f"{conversation_id}-{position}", "conversation_id": conversation_id, "position": position}
            request = replace(pair.request, id=f"{conversation_id}-{position}-asked")
            reply = replace(pair.reply, id=f"{conversation_id}-{position}-answered") if pair.reply else None
            await insert_pair(session, LOCAL_OWNER, replace(pair, request=request, reply=reply, **names), revision)
    return conversation_id


def some(count: int, **fields: Any) -> list[Pair]:
    places = range(1, count + 1)
    return [replace(a_pair_of("c", place, f"question {place}", f"answer {place}"), **fields) for place in places]


def positions(pairs: Iterable[Candidate]) -> list[int]:
    return [pair.position for pair in pairs]


async def set_preference(ctx: AppContext, name: str, value: object) -> None:
    async with ctx.store.write() as session:
        await session.execute(PREFERENCE.insert().values(owner=LOCAL_OWNER, name=name, value=value, updated_at=EPOCH))


@asynccontextmanager
async def a_peer_with(ctx: AppContext, **windows: int) -> AsyncGenerator[None]:
    """Serve a provider "peer" with models of these windows. It reports two tokens for each word of five characters."""

    def bill(body: dict[str, Any], _: datetime) -> Usage:
        return {"prompt_tokens": len(str(body["messages"])) * 2 // 5}

    async with serve_billing(BillingPeer("peer", bill, play_compatible, windows=windows)) as peer:
        await save_provider(ctx, LOCAL_OWNER, "peer", base_url=f"http://{peer.host}/v1")
        await list_models(ctx, LOCAL_OWNER)
        yield


async def a_picture_of(ctx: AppContext) -> AttachedParts:
    kept = await attach_file(ctx, LOCAL_OWNER, a_picture("PNG", (900, 500)), "a.png")
    return await load_attached(ctx, LOCAL_OWNER, [kept.attachment.id])


async def test_what_a_filter_brings_into_view_is_what_is_sent(ctx: AppContext) -> None:
    pairs = some(6)
    pairs[1], pairs[4] = replace(pairs[1], flagged=True), replace(pairs[4], flagged=True)
    conversation_id = await seed(ctx, *pairs)

    view = await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions(filter="b"))
    preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", ViewOptions(filter="b")))
    started = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", ViewOptions(filter="b")))
    await collect(ctx, started.run_id)

    assert positions(view.composition.sent) == [2, 5]
    assert [message.pair_id for message in preview.built.request.messages][::2] == [
        f"{conversation_id}-2",
        f"{conversation_id}-5",
        None,
    ]
    assert started.content_hash == preview.hashes[-1]
    async with ctx.store.read() as session:
        assert (await load_run(session, LOCAL_OWNER, started.run_id)).sent == ((2, 2), (5, 5))


async def test_a_send_without_a_filter_goes_by_that_of_the_conversation(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(5))
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(filter="r2"))

    assert positions((await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))).sent) == [4, 5]
    unfiltered = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", ViewOptions(filter="")))
    assert positions(unfiltered.sent) == [1, 2, 3, 4, 5]


async def test_a_filter_that_cannot_be_read_sends_nothing(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(2))

    with pytest.raises(FilterError) as refused:
        await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", ViewOptions(filter="s7")))

    assert (refused.value.field, refused.value.position) == ("filter", 1)


async def test_failed_pairs_are_in_view_and_out(ctx: AppContext) -> None:
    pairs = some(3)
    pairs[1] = replace(pairs[1], lifecycle=Lifecycle.ERROR)
    conversation_id = await seed(ctx, *pairs)

    composition = (await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions())).composition

    assert (composition.x, composition.y, composition.boundary) == (2, 3, None)
    assert composition.out == {f"{conversation_id}-2": OutReason.FAILED}


async def test_a_running_pair_is_in_view_and_not_counted(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(2))
    started = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("/slow"))

    composition = (await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions())).composition

    assert (composition.x, composition.y, len(composition.visible.pairs)) == (2, 2, 3)
    with pytest.raises(SendLockedError):
        await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("too early", ViewOptions(filter="r1")))
    assert started.pair_id not in composition.out


async def test_deleted_pairs_are_nowhere_and_come_back_where_they_were(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(4))
    await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions())

    async def delete(deleted: object) -> list[int]:
        async with ctx.store.write() as session:
            revision = await next_revision(session, conversation_id, None)
            one = PAIR.update().where(PAIR.c.id == f"{conversation_id}-2")
            await session.execute(one.values(deleted_at=deleted, revision=revision))
        preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))
        return positions(preview.sent)

    assert await delete(EPOCH) == [1, 3, 4]
    assert await delete(None) == [1, 2, 3, 4]


# --- the budget ---


async def test_more_than_fits_is_not_sent_without_a_choice_and_each_choice_has_its_figures(
    ctx: AppContext,
) -> None:
    conversation_id = await seed(ctx, *some(30))
    view = (await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions())).composition
    await set_preference(ctx, "send_tokens", 800 + view.estimate.tokens // 2)

    with pytest.raises(OverBudgetError) as refused:
        await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))
    budget_options = refused.value.budget_options

    assert 0 < budget_options.x < budget_options.y == 30
    assert budget_options.fit is not None
    assert budget_options.fit.tokens < budget_options.force.tokens
    assert budget_options.limited_by == "token ceiling"
    fitted = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", over_budget=OverBudget.FIT))
    forced = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", over_budget=OverBudget.FORCE))
    assert positions(fitted.sent) == list(range(31 - budget_options.x, 31))
    assert fitted.composed.composition.estimate.tokens == budget_options.fit.tokens <= 800 + view.estimate.tokens // 2
    assert len(forced.sent) == 30
    assert forced.composed.composition.estimate.tokens == budget_options.force.tokens


@pytest.mark.parametrize("pairs_in_view", ["none yet", "filtered out", "before a checkpoint", "some"])
async def test_message_that_alone_is_too_large_is_never_sent_without_a_choice(
    ctx: AppContext, pairs_in_view: str
) -> None:
    conversation_id = await seed(ctx, *some(0 if pairs_in_view == "none yet" else 3))
    options = ViewOptions(filter="c'no such word'" if pairs_in_view == "filtered out" else None)
    if pairs_in_view == "before a checkpoint":
        await put_checkpoint(ctx, LOCAL_OWNER, conversation_id, Checkpoint(position=4, summary="Three pairs."))
    await set_preference(ctx, "send_tokens", 1_500)
    await set_preference(ctx, "over_budget", "fit")
    text = "word " * 2_000

    with pytest.raises(OverBudgetError, match=r"even without earlier pairs .* for the reply: 800 tokens") as refused:
        await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest(text, options))

    budget_options = refused.value.budget_options
    assert (budget_options.fit, budget_options.summarise) == (None, None)
    assert budget_options.limit == 1_500 < budget_options.force.tokens
    started = await start_reply(
        ctx, LOCAL_OWNER, conversation_id, SendRequest(text, options, over_budget=OverBudget.FORCE)
    )
    assert plain_text((await pair_of(ctx, started.pair_id)).request.parts) == text


async def test_summary_is_not_offered_where_the_model_cannot_read_its_pairs(ctx: AppContext) -> None:
    long = [a_pair_of("c", place, "question", "word " * 3_000) for place in range(1, 13)]
    conversation_id = await seed(ctx, *long)  # offline:tiny reads 8,192 tokens

    with pytest.raises(OverBudgetError) as refused:
        await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", ViewOptions(model="offline:tiny")))

    assert refused.value.budget_options.fit is not None
    assert refused.value.budget_options.summarise is None
    assert refused.value.budget_options.larger


@pytest.mark.parametrize(
    ("words", "ceiling", "offered"), [(3_000, None, True), (200_000, None, False), (3_000, 2_000, False)]
)
async def test_larger_model_is_offered_only_where_a_message_without_pairs_fits(
    ctx: AppContext, words: int, ceiling: int | None, offered: bool
) -> None:
    conversation_id = await seed(ctx)
    await set_preference(ctx, "send_tokens", ceiling)

    with pytest.raises(OverBudgetError) as refused:
        await start_reply(
            ctx, LOCAL_OWNER, conversation_id, SendRequest("word " * words, ViewOptions(model="offline:tiny"))
        )

    larger = [one.model for one in refused.value.budget_options.larger]
    assert larger == (["offline:demo"] if offered else [])


async def test_larger_model_is_not_offered_where_its_reports_say_that_the_message_does_not_fit(ctx: AppContext) -> None:
    async with a_peer_with(ctx, small=8_192, middle=16_384):
        for number in range(6):
            await reply_to(ctx, await seed(ctx), "word " * (600 + number), options=ViewOptions(model="peer:middle"))
        conversation_id, text = await seed(ctx), "word " * 12_500

        with pytest.raises(OverBudgetError) as refused:
            await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest(text, ViewOptions(model="peer:small")))

        larger = [one.model for one in refused.value.budget_options.larger]
        assert "peer:middle" not in larger
        for model in larger:
            started = await start_reply(ctx, LOCAL_OWNER, await seed(ctx), SendRequest(text, ViewOptions(model=model)))
            await collect(ctx, started.run_id)


async def test_draft_whose_file_the_model_does_not_take_is_refused_before_the_question(ctx: AppContext) -> None:
    conversation_id, attached = await seed(ctx), await a_picture_of(ctx)

    with pytest.raises(InputError, match="does not support images"):
        await start_reply(
            ctx,
            LOCAL_OWNER,
            conversation_id,
            SendRequest("word " * 3_000, ViewOptions(model="offline:tiny"), attached=attached),
        )


async def test_larger_model_that_does_not_take_the_files_or_parameters_is_not_offered(ctx: AppContext) -> None:
    async with a_peer_with(ctx, small=8_192, large=1_000_000):
        conversation_id, attached = await seed(ctx), await a_picture_of(ctx)

        with pytest.raises(OverBudgetError) as refused:
            await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("word " * 200_000, attached=attached))
        assert refused.value.budget_options.larger == ()
        with pytest.raises(OverBudgetError) as refused:
            await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("word " * 200_000))
        assert [one.model for one in refused.value.budget_options.larger] == ["peer:large"]


async def test_options_of_a_send_with_a_schema_count_the_schema(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(30))
    fields = ",".join(f'"field{number}":{{"type":"string"}}' for number in range(100))
    parameters = Parameters(reply_schema=f'{{"type":"object","properties":{{{fields}}}}}')
    view = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", parameters=parameters))
    await set_preference(ctx, "send_tokens", 800 + view.composed.composition.estimate.tokens - 50)

    with pytest.raises(OverBudgetError) as refused:
        await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", parameters=parameters))

    budget_options = refused.value.budget_options
    assert budget_options.force.tokens == view.composed.composition.estimate.tokens
    assert budget_options.older == 30 - budget_options.x


@pytest.mark.parametrize(("choice", "sent"), [("fit", [3]), ("force", [1, 2, 3])])
async def test_a_preference_decides_where_the_send_says_nothing(ctx: AppContext, choice: str, sent: list[int]) -> None:
    conversation_id = await seed(ctx, *some(3))
    base = await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
    newest = base.measured.sum_newest(1)[0]
    draft = base.terms.estimator.of_text(1, 1)
    await set_preference(ctx, "send_tokens", 800 + base.terms.estimator.base + newest + draft + 2)
    await set_preference(ctx, "over_budget", choice)

    started = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("next"))

    async with ctx.store.read() as session:
        spans = (await load_run(session, LOCAL_OWNER, started.run_id)).sent or ()
    assert [place for first, last in spans for place in range(first, last + 1)] == sent


async def test_an_o_term_shows_what_does_not_fit_and_asks_no_question(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(5))
    base = await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
    await set_preference(ctx, "send_tokens", 800 + base.terms.estimator.base + base.measured.sum_newest(2)[0] + 10)

    composition = (await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions(filter="o1"), "hi")).composition
    started = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("hi", ViewOptions(filter="o1")))

    assert positions(composition.visible.pairs) == [3, 4, 5]
    assert (composition.x, composition.y, composition.boundary, composition.boundary_reason) == (2, 3, 4, "filtered")
    async with ctx.store.read() as session:
        assert (await load_run(session, LOCAL_OWNER, started.run_id)).sent == ((4, 5),)


async def test_what_a_conversation_and_a_day_have_spent_is_taken_from_their_ceilings(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    ended = await reply_to(ctx, conversation_id, "/long 50 /rate 0")
    assert ended.pair.usage is not None
    spent = ended.pair.usage.all_tokens
    await set_preference(ctx, "conversation_tokens", 5_000)
    await set_preference(ctx, "day_tokens", 4_000)

    estimate = (await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions())).composition.estimate

    assert (estimate.limit, estimate.limited_by) == (4_000 - spent, "token ceiling")


async def test_the_ledger_keeps_what_was_counted_of_a_send(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(3), system_prompt="Be brief.")
    preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("/rate 0"))
    await reply_to(ctx, conversation_id, "/rate 0")

    async with ctx.store.read() as session:
        (call,) = await load_calls(session, LOCAL_OWNER, conversation_id)

    assert call.counted is not None
    assert call.counted.estimated_tokens == preview.composed.composition.estimate.tokens
    assert call.counted.counted_messages == len(preview.built.request.messages) + 1


# --- what it costs ---


async def test_another_draft_asks_the_database_nothing(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(50))
    base = await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions(filter="(b & o) | r3 o"))
    await compose_base(base, "a draft")
    asked = count_own_statements(ctx)

    longer = await compose_base(base, "a longer draft " * 50)

    assert asked == []
    assert longer.composition.estimate.draft > 100


async def test_a_look_as_before_reads_no_pair(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(5))
    await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions(filter="s<3"))
    asked = count_own_statements(ctx)

    await compose_view(ctx, LOCAL_OWNER, conversation_id, ViewOptions(filter="s<3"), "a draft")

    assert asked
    assert not [statement for statement in asked if "pair" in tables_of(statement)]


def tables_of(statement: str) -> list[str]:
    """Return the words after FROM, without subqueries: here these look up the end of an index."""
    while (shorter := re.sub(r"\([^()]*\)", "", statement)) != statement:
        statement = shorter
    return statement.partition("FROM")[2].split("WHERE")[0].split()


async def test_a_first_look_at_what_is_indexed_asks_four_questions_of_one_moment(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(5))
    await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
    asked = count_own_statements(ctx)

    restarted = replace(ctx, snapshots=SnapshotCache(), indexer=Indexer(ctx.store), sizes=Sizes())
    await read_base(restarted, LOCAL_OWNER, conversation_id, ViewOptions())

    assert (len(asked), asked[0], asked.count("BEGIN")) == (1 + 4, "BEGIN", 1)


async def test_the_questions_of_a_look_are_made_once(ctx: AppContext) -> None:
    first, second = await seed(ctx, *some(5)), await a_conversation(ctx)
    for conversation_id in (first, second):
        await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())
    made: list[list[object]] = []
    task = asyncio.current_task()

    def note(_connection: object, statement: object, *_rest: object) -> None:
        if asyncio.current_task() is task:
            made[-1].append(statement)

    event.listen(ctx.store.engine.sync_engine, "before_execute", note)
    for conversation_id in (first, second):
        made.append([])
        fresh = replace(ctx, snapshots=SnapshotCache(), sizes=Sizes())
        await read_base(fresh, LOCAL_OWNER, conversation_id, ViewOptions())

    assert len(made[0]) == len(made[1]) > 0
    assert all(one is other for one, other in zip(*made, strict=True))


async def test_the_first_send_asks_one_question_before_it_writes(ctx: AppContext) -> None:
    before, conversation_id = await a_conversation(ctx), await a_conversation(ctx)
    await preview_send(
        ctx, LOCAL_OWNER, before, SendRequest("Hello")
    )  # statements that a process makes only once are made here
    await read_base(ctx, LOCAL_OWNER, conversation_id, ViewOptions())  # opening the conversation does this, too
    asked = count_own_statements(ctx)

    preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hello"))

    assert len(asked) == asked.count("BEGIN") + 1 == 2
    assert len(preview.built.request.messages) == 1


async def test_a_read_while_pairs_change_sees_one_state_of_them(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(20))

    async def mark() -> None:
        for place in range(1, 21):
            async with ctx.store.write() as session:
                revision = await next_revision(session, conversation_id, None)
                one = PAIR.update().where(PAIR.c.id == f"{conversation_id}-{place}")
                await session.execute(one.values(mark=Mark.IN.value, revision=revision))

    marking = asyncio.create_task(mark())
    seen: list[int] = []
    while not marking.done():
        preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("next", ViewOptions(filter="in")))
        seen.append(len(preview.sent))
        assert len(preview.built.request.messages) == 2 * len(preview.sent) + 1
    await marking

    assert seen == sorted(seen)


# --- verifying ---


async def test_every_stored_request_can_be_made_again_until_something_of_it_changes(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(4), system_prompt="Be brief.")
    good = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("/rate 0", ViewOptions(filter="r3")))
    await collect(ctx, good.run_id)
    bad = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("/fail model", ViewOptions(filter="r1")))
    await collect(ctx, bad.run_id)

    fine, kept = [await verify_run(ctx, LOCAL_OWNER, run.run_id) for run in (good, bad)]
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(system_prompt="Be long."))
    changed = await verify_run(ctx, LOCAL_OWNER, good.run_id)

    assert (fine.matches, fine.bytes_match, fine.hashes[-1]) == (True, None, good.content_hash)
    assert (kept.matches, kept.bytes_match) == (True, True)
    assert not changed.matches
    (reason,) = changed.reasons
    assert reason.startswith("The agent, the system prompt, the summary before the pairs, or ")
    assert changed.recorded == fine.request
    assert fine.recorded is None


async def test_a_changed_text_is_found_by_its_hash(ctx: AppContext) -> None:
    conversation_id = await seed(ctx, *some(2))
    ended = await reply_to(ctx, conversation_id, "/rate 0")
    async with ctx.store.write() as session:
        one = MESSAGE.update().where(MESSAGE.c.id == f"{conversation_id}-1-asked")
        await session.execute(one.values(parts=[{"type": "text", "text": "forged"}]))

    assert not (await verify_run(ctx, LOCAL_OWNER, ended.started.run_id)).matches
