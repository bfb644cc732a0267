"""The event bus: publishes facts about a conversation to its subscribers, within this process.

An event names the change, and has no content. A subscriber reads the stored data, so a late or repeated event does no
harm.

Not here: the text of a running reply (`broadcast.follow`).
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from weakref import WeakSet

from app.domain.conversation.conversation import Pair


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The event that a reply was started.

    `pair` is the stored pair, so that a subscriber need not read it before the first chunk arrives.
    """

    run_id: str
    pair_id: str
    pair: Pair = field(compare=False)


@dataclass(frozen=True, slots=True)
class PairsChanged:
    """The event that these pairs are new or have changed."""

    pair_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairsRemoved:
    """The event that these pairs were deleted."""

    pair_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConversationChanged:
    """The event that the title, the model or another setting of the conversation has changed."""


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The event that the queue of the conversation, or the reason why the queue is held, has changed."""


@dataclass(frozen=True, slots=True)
class ComparisonChanged:
    """The event that a comparison was opened or closed, or that a compared reply was interrupted or recovered."""


@dataclass(frozen=True, slots=True)
class RetryHurried:
    """The event that a person ended the wait for the next attempt of this pair's reply: the attempt starts now."""

    pair_id: str


@dataclass(frozen=True, slots=True)
class PermissionsChanged:
    """The event that a tool call of the conversation began or stopped waiting for permission."""


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """The event with the progress of a tool that a reply called: `progress` of `total` (None: unknown), and a message.

    If the tool is `delegate`, `conversation_id` is the conversation of the delegated task. This event has content,
    because the progress is not stored.
    """

    run_id: str
    tool_call_id: str
    progress: float
    total: float | None
    message: str
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True)
class PairsCounted:
    """The event with the progress of counting the tokens of pairs: `done` of `total` pairs are counted.

    This event has content, like `ToolProgress`, because the progress is not stored.
    """

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class ConversationRemoved:
    """The event that the conversation was deleted. No other event of this conversation follows."""


FeedEvent = (
    RunStarted
    | PairsChanged
    | PairsRemoved
    | ConversationChanged
    | QueueChanged
    | ComparisonChanged
    | RetryHurried
    | PermissionsChanged
    | ToolProgress
    | PairsCounted
    | ConversationRemoved
)


class Subscription(AsyncIterator[FeedEvent]):
    """An iterator over the events of a conversation that are published after the iterator was made.

    The bus keeps only a weak reference to it, so no subscriber has to unsubscribe.
    """

    def __init__(self) -> None:
        self._events: asyncio.Queue[FeedEvent] = asyncio.Queue()
        self._ended = False

    def put(self, event: FeedEvent) -> None:
        self._events.put_nowait(event)

    async def __anext__(self) -> FeedEvent:
        if self._ended:
            raise StopAsyncIteration
        event = await self._events.get()
        self._ended = isinstance(event, ConversationRemoved)
        return event


class ListChanges:
    """A page's subscription to changes of an owner's list of conversations or of MCP servers.

    All changes since the last `wait` count as one change.
    """

    def __init__(self) -> None:
        self._changed = asyncio.Event()

    def note(self) -> None:
        self._changed.set()

    async def wait(self) -> None:
        """Wait for the next change. Return at once if there was a change since the last call."""
        await self._changed.wait()
        self._changed.clear()


@dataclass(slots=True)
class _Lists:
    """The subscribers to lists, and the version number of each list, both by owner."""

    watching: defaultdict[str, WeakSet[ListChanges]] = field(default_factory=lambda: defaultdict(WeakSet))
    versions: Counter[str] = field(default_factory=Counter[str])


_SHOWN_IN_LISTS = (RunStarted, PairsChanged, PairsRemoved, ConversationChanged, ComparisonChanged, ConversationRemoved)
"""Events that change an entry of the list: its title, newest text, running reply or comparison, or its existence."""


class EventBus:
    """The subscriptions to conversations and to the owners' lists of conversations.

    `lists_of` is another bus. This bus then shares its list subscriptions, as the bus of temporary conversations does.
    """

    def __init__(self, lists_of: EventBus | None = None) -> None:
        self._of: defaultdict[tuple[str, str], WeakSet[Subscription]] = defaultdict(WeakSet)
        self._lists: _Lists = _Lists() if lists_of is None else lists_of._lists  # noqa: SLF001 - of the same class
        self._servers: defaultdict[str, WeakSet[ListChanges]] = defaultdict(WeakSet)

    def subscribe(self, owner: str, conversation_id: str) -> Subscription:
        """Subscribe to a conversation. The conversation of another owner sends no events."""
        subscription = Subscription()
        self._of[owner, conversation_id].add(subscription)
        return subscription

    def subscribe_to_list(self, owner: str) -> ListChanges:
        """Subscribe to changes of the owner's list of conversations, until the result is freed."""
        changes = ListChanges()
        self._lists.watching[owner].add(changes)
        return changes

    def subscribe_to_servers(self, owner: str) -> ListChanges:
        """Subscribe to changes of an owner's MCP servers, until the result is freed."""
        changes = ListChanges()
        self._servers[owner].add(changes)
        return changes

    def publish_servers(self, owner: str) -> None:
        """Publish that an MCP server of this owner was added, changed or deleted, or has another state."""
        for changes in tuple(self._servers.get(owner, ())):
            changes.note()

    def list_version(self, owner: str) -> int:
        """Return a number that changes with each change of the list of conversations."""
        return self._lists.versions[owner]

    def publish_list(self, owner: str) -> None:
        """Publish that the owner's list of conversations changed, for example that a conversation was added."""
        self._lists.versions[owner] += 1
        for changes in tuple(self._lists.watching.get(owner, ())):
            changes.note()

    @property
    def any_watched(self) -> bool:
        """True while a page or a program watches any conversation."""
        return any(map(len, self._of.values()))

    def watched(self, owner: str) -> tuple[str, ...]:
        """List the conversations of an owner that a page or a program watches now."""
        return tuple(one for whose, one in self._of if whose == owner)

    def publish(self, owner: str, conversation_id: str, event: FeedEvent) -> None:
        if isinstance(event, _SHOWN_IN_LISTS):
            self.publish_list(owner)
        watching = self._of.get((owner, conversation_id))
        if watching is None:
            return
        for subscription in tuple(watching):
            subscription.put(event)
        if not watching or isinstance(event, ConversationRemoved):
            del self._of[owner, conversation_id]
