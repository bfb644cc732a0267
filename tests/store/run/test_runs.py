from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from app.domain.conversation.conversation import Message, Role
from app.domain.conversation.lifecycle import FINAL, RUNNING, Lifecycle
from app.domain.conversation.parts import Text
from app.domain.errors import ErrorClass, NotFoundError, failure
from app.domain.run.growth import describe_growth
from app.domain.run.run import (
    AttemptFailed,
    CancelRequested,
    Interrupted,
    RunEvent,
    RunStart,
    RunState,
    StreamEnded,
    apply_event,
    lifecycle_of,
    start_run,
)
from app.domain.run.run_log import events_after
from app.domain.stream.stream_events import Stopped, StopReason, TextReceived, UsageReported
from app.domain.usage import Usage
from app.store.conversation.conversations import delete_conversation, load_with_revision
from app.store.conversation.pairs import insert_pair, load_pair, load_tail
from app.store.database.database import Store
from app.store.run.runs import (
    Progress,
    RunPlace,
    StoredRun,
    finish_run,
    insert_run,
    load_abandoned_pairs,
    load_heartbeats,
    load_run,
    load_running,
    save_heartbeat,
    save_progress,
)
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
    start = RunStart(f"{conversation_id}-run", pair.id, pair.model, "hash")
    await save_conversation(store, a_conversation(conversation_id))
    async with store.write() as session:
        await insert_pair(session, OWNER, pair, 1)
        await insert_run(session, place, start, process, START)
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
        await delete_conversation(session, OWNER, "c1")
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
