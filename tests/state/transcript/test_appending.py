"""Text that is sent without entering the lock of its state: when this is done, and what the browser has afterwards.

The tab has the real namespace, state manager and states. Its browser applies the frames in Python.
"""

# Reflex has few types, and the parts that are tested or replaced here are private.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest
from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken
from reflex.istate.proxy import StateProxy
from reflex.state import State, StateUpdate
from reflex.utils.format import format_event_handler
from reflex.utils.token_manager import SocketRecord
from reflex_base.event import Event
from reflex_base.event.context import EventContext
from reflex_base.event.processor import BaseStateEventProcessor
from reflex_base.utils.serializers import serialize

import app.app as wiring
from app.patches import namespace as patches
from app.patches.backlog import Backlog
from app.patches.connection import Connection
from app.patches.namespace import PatchedNamespace, _Client, append
from app.patches.wire import to_json
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun
from app.runs.send.stopping import cancel_run
from app.runs.watch.watcher import Watcher
from app.state.composer.state import ComposerState
from app.state.tab.tab_watchers import registered
from app.state.transcript.transcript import TranscriptState
from app.views.conversation.parts import TextView
from app.views.reply.pair import ScreenPairView, show_pair
from tests.effort import examples
from tests.patches.browser import Browser
from tests.runs.steps import a_conversation, pair_of, send
from tests.runs.watch.page import text_of
from tests.store.values import a_pair_of
from tests.waiting import until

Pairs = tuple[ScreenPairView, ...]

VIEW: Final = replace(show_pair(a_pair_of("c", 1)), parts=(TextView(text="Once"),))
SEEDS: Final = examples(300)
MOST_TURNS: Final = 12


def said(text: str) -> Pairs:
    return (replace(VIEW, parts=(TextView(text=text),)),)


@dataclass(eq=False)
class Wire:
    """Brings frames to the browser, or loses, repeats or delays them. `faults`: the share of such frames, from 0 to 1.

    `entries` has, for each frame that only adds text, the number of times that a lock had been entered before it.
    """

    browser: Browser = field(default_factory=Browser)
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    faults: float = 0.0
    frames: list[str] = field(default_factory=list[str])
    entries: list[int] = field(default_factory=list[int])
    entered: int = 0
    _late: list[str] = field(default_factory=list[str])

    async def send(self, _sid: str, frame: str) -> None:
        self.frames.append(frame)
        if frame.startswith("2/_event,+") or (frame.count('"$rev"') == 1 and '"patch":[["+"' in frame):
            self.entries.append(self.entered)
        fault = self.chance.choice(["lost", "twice", "late"]) if self.chance.random() < self.faults else ""
        if fault == "late":
            self._late.append(frame)
        elif fault != "lost":
            self.browser.receive(frame)
            self.deliver_late()
            if fault == "twice":
                self.browser.receive(frame)

    def connect(self, sid: str) -> None:
        """Open a connection. Nothing comes from the one before any more."""
        self._late = []
        self.browser.receive(f'0/_event,{{"sid":"{sid}"}}')

    def deliver_late(self) -> None:
        late, self._late = self._late, []
        for frame in late:
            self.browser.receive(frame)


class Namespace(PatchedNamespace):
    """The real namespace with one tab. It compares a delta up to `most_turns` turns of the loop after it was computed.

    `outside` has the deltas that were sent while no handler held the lock.
    """

    def __init__(self, manager: StateManagerMemory) -> None:
        app: Any = SimpleNamespace(_state=None)
        super().__init__("/_event", app)
        self.wire = Wire()
        self.server = SimpleNamespace(eio=self.wire)
        self.most_turns = 0
        self.deltas = 0
        self.outside: list[StateUpdate] = []
        self._manager = manager
        self._connections = 0

    def open_connection(self, token: str) -> None:
        """Connect the tab, or connect it again: then nothing was sent in its connection."""
        self._connections += 1
        sid = f"sid{self._connections}"
        manager = self._token_manager
        manager.token_to_socket[token] = SocketRecord(instance_id=manager.instance_id, sid=sid)
        socket = SimpleNamespace(closed=False, sid=sid, queue=asyncio.Queue[str]())
        connection = Connection(sid, self._kinds, reads_added=True)
        self._clients[sid] = _Client(connection, socket, Backlog(socket.queue))
        self.wire.connect(sid)

    def drop_connections(self) -> None:
        self._clients.clear()

    async def emit_update(self, update: StateUpdate, token: str) -> None:
        if update.delta:
            self.deltas += 1
            lock = self._manager._states_locks.get(token)
            if lock is None or not lock.locked():
                self.outside.append(update)
        await turns(self.wire.chance, self.most_turns)
        await super().emit_update(update, token)


@dataclass(eq=False)
class Page:
    """A tab with a connection, and the events that it sends."""

    processor: BaseStateEventProcessor
    manager: StateManagerMemory
    namespace: Namespace
    token: str = "tab"
    path: str = "/"

    @property
    def wire(self) -> Wire:
        return self.namespace.wire

    @property
    def connection(self) -> Connection:
        client = self.namespace.client_of(self.token)
        assert client is not None
        return client.connection

    @property
    def key(self) -> BaseStateToken:
        return BaseStateToken(ident=self.token, cls=TranscriptState)

    def context(self) -> EventContext:
        """Return the context of a handler that runs for this tab."""
        root = self.processor._root_context
        assert root is not None
        return root.fork(token=self.token)

    async def state(self) -> TranscriptState:
        return await (await self.manager.get_state(self.key)).get_state(TranscriptState)

    async def proxy(self) -> Any:
        """Return the `self` of a background handler. Call it in the context of a handler."""
        return StateProxy(await self.state())

    async def begin(self, handler: Any, **payload: Any) -> Any:
        """Send an event. Return the future that ends with its handlers."""
        headers = {"origin": "http://127.0.0.1:3000"}
        router = {"pathname": self.path, "asPath": self.path, "headers": headers, "token": self.token, "sid": "sid"}
        name = handler if isinstance(handler, str) else format_event_handler(handler)
        return await self.processor.enqueue(self.token, Event(name=name, payload=payload, router_data=router))

    async def hydrate(self) -> None:
        """Request all values, as a page does that connects or received a patch that does not fit."""
        self.connection.forget()  # the namespace does this when the event arrives
        done = await self.begin(f"{State.get_full_name()}.hydrate_and_load", vars={})
        await done.wait_all()

    def shows(self, state: Any, var: str) -> Any:
        return self.wire.browser.values.get((state.get_full_name(), f"{var}_rx_state_"))

    async def expected(self) -> Any:
        """Return the value of the server's pairs as a browser has them."""
        return json.loads(to_json((await self.state()).pairs, fast=False, default=serialize))


@pytest.fixture
async def page(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Page]:
    monkeypatch.setattr(wiring.app, "_load_events", {})
    manager = StateManagerMemory()
    namespace = Namespace(manager)
    processor = BaseStateEventProcessor(
        middleware=wiring.app, backend_exception_handler=wiring.app.backend_exception_handler
    )
    patches._namespaces.add(namespace)
    async with processor.configure(state_manager=manager, event_namespace=namespace):
        made = Page(processor, manager, namespace)
        namespace.open_connection(made.token)
        yield made
    patches._namespaces.discard(namespace)
    await manager.close()
    assert namespace.outside == []


async def flush(proxy: Any, pairs: Pairs) -> bool:
    """Show these pairs as the transcript does. Return whether the lock was not entered."""
    if await append(proxy, "pairs", pairs):
        return True
    async with proxy:
        proxy.pairs = pairs
    return False


async def turns(chance: random.Random, most: int) -> None:
    """Let the other tasks run for a random number of turns of the loop."""
    for _ in range(chance.randint(0, most)):
        await asyncio.sleep(0)


async def test_added_text_is_assigned_and_sent_without_a_delta(page: Page) -> None:
    with page.context():
        proxy = await page.proxy()
        await flush(proxy, said("Once"))
        deltas = page.namespace.deltas

        assert await append(proxy, "pairs", said("Once upon"))

    state = await page.state()
    assert state.pairs == said("Once upon")
    assert (state.dirty_vars, page.namespace.deltas) == (set(), deltas)
    assert '[["+",[0,"parts",0,"text"]," upon"]]' in page.wire.frames[-1]
    assert page.shows(TranscriptState, "pairs") == await page.expected()


async def test_a_delta_after_added_text_is_compared_with_it(page: Page) -> None:
    with page.context():
        proxy = await page.proxy()
        await flush(proxy, said("Once"))
        assert await append(proxy, "pairs", said("Once upon"))
        frames = len(page.wire.frames)
        async with proxy:
            proxy.pairs = said("Once upon")
        assert len(page.wire.frames) == frames  # the browser has it

        assert not await flush(proxy, (*said("Once upon"), replace(VIEW, id="second")))

    assert page.shows(TranscriptState, "pairs") == await page.expected()


async def test_nothing_suspends_until_the_text_is_assigned_and_in_the_queue(page: Page) -> None:
    with page.context():
        proxy = await page.proxy()
        await flush(proxy, said("Once"))
        adding = append(proxy, "pairs", said("Once upon"))
        adding.send(None)  # until it suspends for the first time
        adding.close()

    assert (await page.state()).pairs == said("Once upon")
    assert page.shows(TranscriptState, "pairs") == await page.expected()


async def test_text_replaces_a_value_that_a_failed_handler_did_not_send(page: Page) -> None:
    with page.context():
        proxy = await page.proxy()
        await flush(proxy, said("Once"))
        (await page.state()).pairs = ()

        assert await append(proxy, "pairs", said("Once upon"))
        async with proxy:
            proxy.running = "pair"

    assert page.shows(TranscriptState, "running") == "pair"
    assert page.shows(TranscriptState, "pairs") == await page.expected() != []


async def hold_the_lock(page: Page) -> None:
    await page.manager._states_locks[page.token].acquire()


async def request_all_values(page: Page) -> None:
    page.connection.forget()


async def connect_again(page: Page) -> None:
    page.namespace.open_connection(page.token)


async def disconnect(page: Page) -> None:
    page.namespace.drop_connections()


async def expire(page: Page) -> None:
    page.manager._purge_token(page.key)


async def expire_and_return(page: Page) -> None:
    await expire(page)
    async with page.manager.modify_state(page.key):  # another handler gets a new state
        pass


@pytest.mark.parametrize(
    "happens", [hold_the_lock, request_all_values, connect_again, disconnect, expire, expire_and_return]
)
async def test_nothing_is_done_without_the_lock_if_it_is_not_certain(
    page: Page, happens: Callable[[Page], Awaitable[None]]
) -> None:
    with page.context():
        proxy = await page.proxy()
        await flush(proxy, said("Once"))
        frames = len(page.wire.frames)
        await happens(page)

        assert not await append(proxy, "pairs", said("Once upon"))

    assert proxy.__wrapped__.pairs == said("Once")
    assert len(page.wire.frames) == frames


@pytest.mark.parametrize(
    "pairs",
    [
        said("Once"),
        said("Onc"),
        said("Then"),
        (*said("Once"), replace(VIEW, id="second")),
        (replace(VIEW, stars=VIEW.stars + 1, parts=(TextView(text="Once upon"),)),),
        (replace(VIEW, parts=(TextView(text="Once"), TextView(text=" upon"))),),
        (),
    ],
    ids=["nothing", "less", "other text", "a pair", "a star as well", "a part", "no pair"],
)
async def test_what_is_not_only_added_text_enters_the_lock(page: Page, pairs: Pairs) -> None:
    with page.context():
        proxy = await page.proxy()
        await flush(proxy, said("Once"))

        assert not await append(proxy, "pairs", pairs)

    assert proxy.__wrapped__.pairs == said("Once")


async def test_a_var_that_computed_vars_depend_on_enters_the_lock(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    with page.context():
        proxy = await page.proxy()
        await flush(proxy, said("Once"))
        monkeypatch.setitem(cast("Any", TranscriptState)._var_dependencies, "pairs", set[tuple[str, str]]())

        assert not await append(proxy, "pairs", said("Once upon"))


def test_no_computed_var_depends_on_the_pairs() -> None:
    assert "pairs" not in TranscriptState._var_dependencies, "Each flush of a reply would enter the lock."


async def test_a_state_that_gets_text_does_not_expire(page: Page) -> None:
    with page.context():
        proxy = await page.proxy()
        await flush(proxy, said("Once"))
        expires, key = page.manager._token_expires_at[page.token]
        page.manager._token_expires_at[page.token] = expires - 1_000, key

        assert await append(proxy, "pairs", said("Once upon"))

    assert page.manager._token_expires_at[page.token][0] >= expires


async def test_every_delta_is_sent_while_its_handler_holds_the_lock(page: Page) -> None:
    """Text is sent while the lock is free: then no delta may be on its way that was computed before."""
    await page.hydrate()
    for handler in (TranscriptState.open, TranscriptState.follow):
        await (await page.begin(handler)).wait_all()
    with page.context():
        proxy = await page.proxy()
        await flush(proxy, said("Once"))

    assert page.namespace.deltas >= 3
    assert page.namespace.outside == []


# --- whatever happens meanwhile ---


def grown(pairs: Pairs, chance: random.Random) -> Pairs:
    """Return the next pairs of a page while a reply streams: mostly with more text."""
    last, what = pairs[-1], chance.random()
    if what < 0.1:
        return (*pairs, replace(VIEW, id=f"pair {len(pairs)}"))
    if what < 0.2:
        return (*pairs[:-1], replace(last, stars=(last.stars + 1) % 4))
    if what < 0.3:
        return (*pairs[:-1], replace(last, parts=(*last.parts, TextView(text="Then"))))
    part = cast("TextView", last.parts[-1])
    more = TextView(text=part.text + chance.choice(["a", " é", "😀"]))
    return (*pairs[:-1], replace(last, parts=(*last.parts[:-1], more)))


@dataclass(eq=False)
class Reply:
    """A reply that streams into a page. `appended`: the number of flushes that did not enter the lock."""

    page: Page
    chance: random.Random
    pairs: Pairs = (VIEW,)
    appended: int = 0

    async def stream(self, flushes: int) -> None:
        with self.page.context():
            proxy = await self.page.proxy()
            for _ in range(flushes):
                self.appended += await flush(proxy, self.pairs)
                self.pairs = grown(self.pairs, self.chance)
                await turns(self.chance, MOST_TURNS)

    async def say_more(self) -> None:
        """Add text once more, and answer the page if it did not have the text before."""
        self.page.wire.browser.misses = False
        last = self.pairs[-1]
        self.pairs = (*self.pairs[:-1], replace(last, parts=(*last.parts, TextView(text="The end"))))
        await self.stream(1)
        if self.page.wire.browser.misses:
            await self.page.hydrate()


async def hydrate(page: Page) -> None:
    await page.hydrate()


async def reconnect(page: Page) -> None:
    page.namespace.open_connection(page.token)
    await turns(page.wire.chance, MOST_TURNS)
    await page.hydrate()


async def hold(page: Page) -> None:
    """Run another handler of the state, which takes some turns inside the lock."""
    with page.context():
        proxy = await page.proxy()
        async with proxy:
            await turns(page.wire.chance, MOST_TURNS)
            proxy.running = str(page.wire.chance.random())


async def lose_the_state(page: Page) -> None:
    lock = page.manager._states_locks.get(page.token)
    if lock is not None and not lock.locked() and not lock._waiters:
        page.manager._purge_token(page.key)


async def after_turns(happens: Callable[[Page], Awaitable[None]], page: Page) -> None:
    await turns(page.wire.chance, 4 * MOST_TURNS)
    await happens(page)


@pytest.mark.parametrize("faulty", [False, True], ids=["all frames arrive", "frames are lost, repeated or late"])
async def test_whatever_happens_meanwhile_the_browser_ends_with_the_value_of_the_server(
    page: Page, faulty: bool
) -> None:
    happenings = [hydrate, hydrate, hold, hold, reconnect, *([lose_the_state] if faulty else [])]
    appended = 0
    for seed in range(SEEDS):
        chance = random.Random(seed)
        page.token, page.namespace.most_turns = f"tab {seed}", chance.choice([0, MOST_TURNS])
        wire = page.namespace.wire = Wire(chance=chance, faults=chance.choice([0.2, 0.6]) if faulty else 0.0)
        page.namespace.server = SimpleNamespace(eio=wire)
        page.namespace.open_connection(page.token)
        reply = Reply(page, chance)
        meanwhile = [after_turns(each, page) for each in chance.choices(happenings, k=chance.randint(1, 4))]

        await asyncio.gather(reply.stream(chance.randint(3, 15)), *meanwhile)
        wire.faults = 0.0
        wire.deliver_late()
        if faulty:
            await reply.say_more()

        assert page.shows(TranscriptState, "pairs") == await page.expected(), f"seed {seed}"
        assert faulty or not wire.browser.misses, f"seed {seed}"
        appended += reply.appended
    assert appended > SEEDS


# --- a reply ---


async def stream_reply(ctx: AppContext, page: Page, text: str) -> tuple[Any, StartedRun]:
    """Send this text in a new conversation on the page. Return the visit and the run, once the page got added text."""
    conversation_id = await a_conversation(ctx, model="offline:demo")
    page.path = f"/c/{conversation_id}"
    visit = await page.begin(TranscriptState.open)
    await until(lambda: page.shows(ComposerState, "estimate") is not None)
    started = await send(ctx, conversation_id, text)
    await until(lambda: page.wire.entries)
    return visit, started


async def test_the_text_of_a_reply_does_not_enter_the_lock(
    ctx: AppContext, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    modify_state = StateManagerMemory.modify_state

    def count(self: StateManagerMemory, token: Any, **context: Any) -> Any:
        page.wire.entered += 1
        return modify_state(self, token, **context)

    monkeypatch.setattr(StateManagerMemory, "modify_state", count)
    visit, started = await stream_reply(ctx, page, "/long 60 /rate 50")
    await until(lambda: page.shows(TranscriptState, "ended") == started.pair_id)

    entries = page.wire.entries
    assert any(one == other for one, other in pairwise(entries)), entries
    assert page.shows(TranscriptState, "pairs") == await page.expected()
    (pair,) = (await page.state()).pairs
    assert pair.lifecycle == "succeeded"
    assert text_of(pair) == text_of(show_pair(await pair_of(ctx, started.pair_id)))
    visit.cancel()
    await page.processor.join()


async def test_text_of_a_conversation_that_the_page_has_left_is_not_sent(ctx: AppContext, page: Page) -> None:
    visit, started = await stream_reply(ctx, page, "/long 300 /rate 100")

    page.path = "/"
    await (await page.begin(TranscriptState.open)).wait_all()
    entries = len(page.wire.entries)
    await visit.wait_all()  # until the handler that followed the conversation has ended
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)

    assert len(page.wire.entries) == entries
    assert page.shows(TranscriptState, "pairs") == await page.expected() == []


async def test_a_watcher_that_was_replaced_sends_no_text(ctx: AppContext, page: Page) -> None:
    visit, started = await stream_reply(ctx, page, "/long 300 /rate 100")
    entries = len(page.wire.entries)

    with registered(page.token, Watcher(ctx, LOCAL_OWNER, page.path.removeprefix("/c/"))):
        await visit.wait_all()
    await cancel_run(ctx, LOCAL_OWNER, started.run_id)

    assert len(page.wire.entries) == entries
