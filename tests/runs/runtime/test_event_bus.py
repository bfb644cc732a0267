"""Feeds of lists: a subscriber to an owner's conversations is notified when that list may have changed."""

from __future__ import annotations

import asyncio

from app.runs.runtime.event_bus import ConversationChanged, EventBus, ListChanges, QueueChanged


async def test_changes_wake_subscribers_of_the_list_and_count_as_one_while_none_waits() -> None:
    event_bus = EventBus()
    mine, theirs = event_bus.subscribe_to_list("me"), event_bus.subscribe_to_list("them")

    event_bus.publish("me", "c1", ConversationChanged())
    event_bus.publish("me", "c2", ConversationChanged())

    await mine.wait()
    for quiet in (mine, theirs):
        await _stays_quiet(quiet)


async def test_changes_of_servers_wake_only_subscribers_of_that_owner() -> None:
    event_bus = EventBus()
    mine, theirs = event_bus.subscribe_to_servers("me"), event_bus.subscribe_to_servers("them")
    conversations = event_bus.subscribe_to_list("me")

    event_bus.publish_servers("me")

    await mine.wait()
    for quiet in (theirs, conversations):
        await _stays_quiet(quiet)


def test_what_no_row_shows_changes_no_list() -> None:
    event_bus = EventBus()

    event_bus.publish("me", "c1", QueueChanged())
    assert event_bus.list_version("me") == 0
    event_bus.publish_list("me")

    assert event_bus.list_version("me") == 1


async def test_conversations_kept_elsewhere_are_in_the_same_list() -> None:
    event_bus = EventBus()
    list_changes = event_bus.subscribe_to_list("me")

    EventBus(event_bus).publish("me", "c1", ConversationChanged())

    await list_changes.wait()


async def _stays_quiet(changes: ListChanges) -> None:
    waiting = asyncio.create_task(changes.wait())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
