"""Feeds of lists: whoever shows an owner's conversations hears when the list may be another."""

from __future__ import annotations

import asyncio

import pytest

from app.runs.process.feeds import ConversationChanged, Feeds, QueueChanged


async def test_changes_wake_whoever_shows_the_list_and_count_as_one_while_nobody_waits() -> None:
    feeds = Feeds()
    mine, theirs = feeds.subscribe_to_list("me"), feeds.subscribe_to_list("them")

    feeds.publish("me", "c1", ConversationChanged())
    feeds.publish("me", "c2", ConversationChanged())

    await asyncio.wait_for(mine.wait(), 1)
    for quiet in (mine, theirs):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(quiet.wait(), 0.01)


def test_what_no_row_shows_changes_no_list() -> None:
    feeds = Feeds()

    feeds.publish("me", "c1", QueueChanged())
    assert feeds.list_version("me") == 0
    feeds.publish_list("me")

    assert feeds.list_version("me") == 1


async def test_conversations_kept_elsewhere_are_in_the_same_list() -> None:
    feeds = Feeds()
    list_changes = feeds.subscribe_to_list("me")

    Feeds(feeds).publish("me", "c1", ConversationChanged())

    await asyncio.wait_for(list_changes.wait(), 1)
