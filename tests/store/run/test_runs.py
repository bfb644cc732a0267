from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.event import listen
from structlog.testing import capture_logs

from app.domain.conversation.conversation import Message, Role
from app.domain.conversation.lifecycle import FINAL, RUNNING, Lifecycle
from app.domain.conversation.parameters import Parameters
from app.domain.conversation.parts import Text
from app.domain.errors import ErrorClass, NotFoundError, failure
from app.domain.run.growth import Growth, describe_growth
from app.domain.run.queue import QueuedText, decide_hold
from app.domain.run.run import RunStart, RunState, apply_event, lifecycle_of, start_run
from app.domain.run.run_events import AttemptFailed, CancelRequested, Interrupted, RunEvent, StreamEnded
from app.domain.run.run_log import events_after
from app.domain.stream.stream_events import Stopped, StopReason, TextReceived, UsageReported
from app.domain.usage import Usage
from app.store.conversation.conversations import delete_conversation_forever, load_with_revision, next_revision
from app.store.conversation.pairs import insert_pair, load_pair, load_standing, load_tail
from app.store.database.database import Store
from app.store.run.ends import finish_run, finish_runs
from app.store.run.journal import Addition, add_to_journal, load_additions
from app.store.run.queues import insert_queued, load_queue
from app.store.run.runs import NewRun, Progress, RunPlace, insert_run, save_heartbeat, save_progress
from app.store.run.stored_runs import StoredRun, load_abandoned_pairs, load_heartbeats, load_run, load_running
from tests.domain.run.test_run import run_events
from tests.effort import examples
from tests.store.values import OWNER, START, a_conversation, a_pair_of, save_conversation

LATER = START + timedelta(hours=1)


async def begin(store: Store, conversation_id: str = "c1", *, process: str = "me") -> tuple[RunPlace, RunState]:
    """Store a conversation whose only pair is running."""
    pair = a_pair_of(conversation_id, 1, reply=None)
    reply = Message(f"{pair.id}-answered", Role.ASSISTANT, (), START)
    pair = replace(pair, reply=reply, lifecycle=Lifecycle.SENDING, run_id=f"{conversation_id}-run")
    place = RunPlace(OWNER, conversation_id, pair.id, reply.id)
    start = RunStart(f"{conversation_id}-run", pair.id, conversation_id, pair.model, "hash")
    await save_conversation(store, a_conversation(conversation_id))
    async with store.write() as session:
        await insert_pair(session, OWNER, pair, 1)
        await insert_run(session, NewRun(place, start, process, START))
    return place, start_run(start)[0]


def after(state: RunState, *events: RunEvent) -> RunState:
    for event in events:
        state, _ = apply_event(state, event)
    return state


async def save(store: Store, place: RunPlace, state: RunState) -> None:
    async with store.write() as session:
        await save_progress(session, [Progress(place, state, START)])


async def finish(store: Store, place: RunPlace, state: RunState) -> bool:
    async with store.write() as session:
        return await finish_run(session, place, state, LATER)


async def load(store: Store, run_id: str = "c1-run") -> StoredRun:
    async with store.read() as session:
        return await load_run(session, OWNER, run_id)


@given(events=st.lists(run_events, max_size=12), saves=st.sets(st.integers(0, 11)), wholes=st.sets(st.integers(0, 11)))
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_whatever_happens_what_is_stored_is_what_was_live(
    store: Store, events: list[RunEvent], saves: set[int], wholes: set[int]
) -> None:
    """Some saves store the whole reply, the others only its growth."""
    place, state = await begin(store)
    last: RunState | None = None
    for number, event in enumerate(events):
        state = after(state, event)
        if number in saves and state.outcome is None:
            growth = None if last is None or number in wholes else describe_growth(last, state)
            async with store.write() as session:
                await save_progress(session, [Progress(place, state, START, growth)])
            last = state
            stored = (await load(store)).state
            assert events_after(stored, 0) == events_after(state, 0)
            assert stored.phase == state.phase
    async with store.read() as session:
        running = await load_pair(session, OWNER, place.pair_id)
    assert running.lifecycle in RUNNING

    state = after(state, Interrupted())
    assert await finish(store, place, state)

    assert (await load(store)).state == state
    async with store.read() as session:
        pair = await load_pair(session, OWNER, place.pair_id)
        await delete_conversation_forever(session, OWNER, "c1")
        await session.commit()
    assert pair.lifecycle is lifecycle_of(state)
    assert pair.lifecycle in FINAL
    assert pair.reply is not None
    assert pair.reply.parts == state.parts
    assert (pair.usage, pair.stop_reason) == (state.usage, state.stop_reason)


async def test_the_end_of_a_run_is_claimed_once(store: Store) -> None:
    place, state = await begin(store)

    assert await finish(store, place, after(state, TextReceived("first"), CancelRequested()))
    assert not await finish(store, place, after(state, TextReceived("second"), Interrupted()))

    stored = await load(store)
    assert stored.state.parts == (Text("first"),)
    async with store.read() as session:
        assert (await load_pair(session, OWNER, place.pair_id)).lifecycle is Lifecycle.CANCELED


async def test_ends_that_are_stored_together_are_stored_as_each_alone(store: Store) -> None:
    events: dict[str, tuple[RunEvent, ...]] = {
        "succeeded": (TextReceived("whole reply"), UsageReported(Usage(1)), Stopped(StopReason.END), StreamEnded()),
        "failed": (TextReceived("half"), AttemptFailed(failure(ErrorClass.STREAM, "cut"), 0.5)),
        "stopped": (CancelRequested(),),
        "ended before": (TextReceived("other text"), Stopped(StopReason.END), StreamEnded()),
    }
    begun = {name: await begin(store, name) for name in events}
    async with store.write() as session:
        for changes, (name, (_, state)) in enumerate(begun.items()):
            await add_to_journal(session, [Addition(OWNER, state.start.run_id, Growth(0, "", (Text("half"),)))])
            for _ in range(changes):  # each conversation has another revision
                await next_revision(session, name, None)
            queued = QueuedText(f"{name}-next", name, "Next", "", None, None, None, "UTC", Parameters(), None, START)
            await insert_queued(session, OWNER, queued)
    place, state = begun["ended before"]
    before = after(state, TextReceived("text"), Interrupted())
    assert await finish(store, place, before)
    async with store.read() as session:
        revisions = {name: (await load_with_revision(session, OWNER, name))[1] for name in events}

    ends = {name: (place, after(state, *events[name])) for name, (place, state) in begun.items()}
    async with store.write() as session:
        claimed = await finish_runs(session, tuple(ends.values()), LATER)

    assert claimed == {"succeeded-run", "failed-run", "stopped-run"}
    for name, (place, state) in ends.items():
        is_claimed = name != "ended before"
        ended = state if is_claimed else before
        assert (await load(store, f"{name}-run")).state == ended
        async with store.read() as session:
            ((revision, pair),) = (await load_standing(session, OWNER, (place.pair_id,))).values()
            conversation = await load_with_revision(session, OWNER, name)
            hold = (await load_queue(session, OWNER, name)).hold
        assert pair.reply is not None
        assert (pair.lifecycle, pair.reply.parts) == (lifecycle_of(ended), ended.parts)
        assert (conversation[0].updated_at, conversation[1]) == (LATER, revisions[name] + is_claimed)
        assert revision == conversation[1]
        assert ended.outcome is not None
        assert hold == decide_hold(ended.outcome)
    async with store.read() as session:
        assert await load_additions(session, [f"{name}-run" for name in events]) == {}


async def test_each_further_end_takes_one_more_statement(store: Store) -> None:
    asked: list[str] = []
    listen(store.engine.sync_engine, "before_cursor_execute", lambda *args: asked.append(args[2]))

    async def count_for(numbers: range) -> int:
        ends = [
            (place, after(state, TextReceived("text"), Stopped(StopReason.END), StreamEnded()))
            for place, state in [await begin(store, f"c{number}") for number in numbers]
        ]
        asked.clear()
        async with store.write() as session:
            assert len(await finish_runs(session, ends, LATER)) == len(numbers)
        return len(asked)

    assert [await count_for(range(1)), await count_for(range(1, 11))] == [5, 14]


async def test_a_save_that_comes_after_the_end_changes_nothing(store: Store) -> None:
    place, state = await begin(store)
    await finish(store, place, after(state, TextReceived("whole reply"), Stopped(StopReason.END), StreamEnded()))

    await save(store, place, after(state, TextReceived("whole")))

    assert (await load(store)).state.parts == (Text("whole reply"),)
    async with store.read() as session:
        assert (await load_pair(session, OWNER, place.pair_id)).lifecycle is Lifecycle.SUCCEEDED


async def test_many_runs_are_saved_in_one_transaction(store: Store) -> None:
    begun = [await begin(store, f"c{number}") for number in range(5)]
    received = [
        (place, after(state, TextReceived(f"text {number}"), UsageReported(Usage(number))))
        for number, (place, state) in enumerate(begun)
    ]

    async with store.write() as session:
        await save_progress(session, [Progress(place, state, LATER) for place, state in received])

    for number, (_, state) in enumerate(received):
        stored = await load(store, f"c{number}-run")
        assert (stored.state, stored.attempt_started_at) == (replace(state, part_open=False), LATER)


async def test_the_first_save_says_that_the_provider_was_asked(store: Store) -> None:
    place, state = await begin(store)

    await save(store, place, state)

    async with store.read() as session:
        assert (await load_pair(session, OWNER, place.pair_id)).lifecycle is Lifecycle.AWAITING
        assert (await load_tail(session, "c1")).running == place.pair_id


async def test_a_finished_pair_counts_a_revision_of_its_conversation(store: Store) -> None:
    place, state = await begin(store)
    async with store.read() as session:
        _, before = await load_with_revision(session, OWNER, "c1")

    await finish(store, place, after(state, CancelRequested()))

    async with store.read() as session:
        conversation, revision = await load_with_revision(session, OWNER, "c1")
        assert (await load_tail(session, "c1")).running is None
    assert revision == before + 1
    assert conversation.updated_at == LATER


async def test_a_waiting_run_is_read_with_what_it_waits_for(store: Store) -> None:
    place, state = await begin(store)
    waiting = after(state, AttemptFailed(failure(ErrorClass.RATE, "slow down", retry_after=7.5), 0.5))

    await save(store, place, waiting)

    assert (await load(store)).state == waiting


async def test_signs_of_life_are_those_of_runs_that_are_not_driven_here(store: Store) -> None:
    for name, process in (("mine", "me"), ("theirs", "them"), ("gone", "dead")):
        await begin(store, name, process=process)
    async with store.write() as session:
        for process in ("me", "them"):
            await save_heartbeat(session, process, LATER)

    async with store.read() as session:
        signs = await load_heartbeats(session, ("mine-run",))
        running = await load_running(session, tuple(signs))

    assert set(signs) == {"theirs-run", "gone-run"}
    assert signs["theirs-run"] == LATER > signs["gone-run"]
    assert {run.place.conversation_id for run in running} == {"theirs", "gone"}


async def test_a_run_without_a_piece_of_reply_is_not_reported_as_damage(store: Store) -> None:
    await begin(store, "empty")

    with capture_logs() as logged:
        run = await load(store, "empty-run")

    assert run.state.parts == ()
    assert logged == []


async def test_a_pair_that_runs_without_a_run_is_found(store: Store) -> None:
    await begin(store, "running")
    lost = replace(a_pair_of("lost", 1), lifecycle=Lifecycle.SENDING)
    await save_conversation(store, a_conversation("lost"), lost, a_pair_of("lost", 2))

    async with store.read() as session:
        found = await load_abandoned_pairs(session)

    assert [pair.id for pair in found] == [lost.id]


async def test_another_owners_run_is_as_if_it_were_not_there(store: Store) -> None:
    await begin(store)

    async with store.read() as session:
        with pytest.raises(NotFoundError):
            await load_run(session, "bob", "c1-run")
