"""Opening a page: one event shows the same as the events of all regions, with few statements and few updates."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

import pytest
import reflex as rx
from reflex.istate.manager import memory
from reflex.istate.manager.memory import StateManagerMemory
from reflex.state import OnLoadInternalState, State
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.event.processor import base_state_processor
from structlog.testing import capture_logs

import app.app as wiring
from app.domain.audit import AuditAction
from app.domain.settings.preferences import Preferences
from app.patches.connection import Connection
from app.patches.namespace import has_own_json, is_shared
from app.patches.values import Kinds
from app.providers.base import Credentials, Provider
from app.providers.registry import PROVIDERS, make_provider
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext, context_for
from app.runs.audit.audit import read_audit
from app.runs.child_calls.titles import ask_title
from app.runs.conversation.conversation_commands import (
    SettingChanges,
    change_conversation,
    create_conversation,
    delete_conversation,
)
from app.runs.conversation.folder_commands import create_folder
from app.runs.conversation.forks import fork_from
from app.runs.runtime import catalogue
from app.runs.runtime.catalogue import Catalogue
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send import prefetch
from app.runs.settings.preference_commands import set_preferences
from app.runs.temporary.temporary import create_temporary
from app.runs.topics.topic_commands import create_topic
from app.runs.watch import watcher
from app.state import opening
from app.state.agents.choice import NO_AGENT_NAME, AgentState
from app.state.compare.keeping import KeepingState
from app.state.composer.parameters import ParametersState
from app.state.composer.state import ComposerState
from app.state.conversation.model import ModelState
from app.state.conversation.system_prompt import SystemPromptState
from app.state.conversation.temporary import TemporaryState
from app.state.filters.applied import FilterState
from app.state.filters.kept_topics import keep_topic
from app.state.inspector import cache
from app.state.inspector.branches import BranchState
from app.state.opening import APART, APART_IN_CONVERSATION, OpeningState
from app.state.settings.preferences import PreferencesState
from app.state.shell.news import NewsState
from app.state.sidebar.sidebar import SidebarState
from app.state.tab import tab_watchers
from app.state.tab.visit import VisitState
from app.state.topics.chosen import TopicState
from app.state.transcript.chat import ChatState
from app.state.transcript.transcript import TranscriptState
from app.state.usage import spent
from app.state.usage.spent import SpentState
from app.store.audit.audit import AuditCriteria
from app.store.conversation.conversations import update_conversation
from app.store.database.database import open_store
from app.store.settings.provider_settings import (
    ProviderSetting,
    delete_provider_setting,
    load_provider_settings,
    load_provider_stamp,
    save_provider_setting,
)
from tests.runs.clock import HANG_SECONDS
from tests.runs.steps import count_statements, pairs_of, reply_to, until_quiet
from tests.state.conftest import Processor, Tab
from tests.state.watched import running
from tests.waiting import until

LOADS: Final = dict(cast("Any", wiring.app)._load_events)
BEFORE: Final[tuple[Any, ...]] = (FilterState.open, KeepingState.open, TranscriptState.open)
FILLED: Final[tuple[type[rx.State], ...]] = (
    FilterState, KeepingState, TopicState, ChatState, ComposerState, TemporaryState, SystemPromptState,
    PreferencesState, SidebarState, ModelState, AgentState, ParametersState, BranchState, TranscriptState,
)  # fmt: skip
"""The states that are filled when a page is opened."""


# --- the same data ---

Situation = Callable[[AppContext], Awaitable[str]]


async def start(ctx: AppContext) -> str:
    await create_agent(ctx, LOCAL_OWNER, {"name": "Reviewer", "model": "offline:echo"})
    return ""


async def plain(ctx: AppContext) -> str:
    made = await create_conversation(ctx, LOCAL_OWNER, title="Light", system_prompt="Be brief.", model="offline:echo")
    return made.id


async def with_pairs(ctx: AppContext) -> str:
    made = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await reply_to(ctx, made.id, "/echo Why is the sky blue?")
    return made.id


async def with_agent(ctx: AppContext) -> str:
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Reviewer", "system_prompt": "Find the fault."})
    return (await create_conversation(ctx, LOCAL_OWNER, agent_id=agent.id)).id


async def forked(ctx: AppContext) -> str:
    origin = await with_pairs(ctx)
    return (await fork_from(ctx, LOCAL_OWNER, origin)).conversation.id


async def filed(ctx: AppContext) -> str:
    folder_id = (await create_folder(ctx, LOCAL_OWNER, "Work")).folder.id
    await create_folder(ctx, LOCAL_OWNER, "Home")
    conversation_id = await with_pairs(ctx)
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(folder_id=folder_id))
    return conversation_id


async def parent_of_fork(ctx: AppContext) -> str:
    origin = await with_pairs(ctx)
    await fork_from(ctx, LOCAL_OWNER, origin)
    return origin


async def derived(ctx: AppContext) -> str:
    made = await ask_title(ctx, LOCAL_OWNER, await with_pairs(ctx))
    await until_quiet(ctx)
    return made.conversation_id


async def temporary(ctx: AppContext) -> str:
    return (await create_temporary(ctx, LOCAL_OWNER, model="offline:demo", title="Secret")).id


async def deleted(ctx: AppContext) -> str:
    conversation_id = await plain(ctx)
    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
    return conversation_id


async def unknown(ctx: AppContext) -> str:
    return "nowhere"


async def with_missing_provider(ctx: AppContext) -> str:
    conversation_id = await plain(ctx)
    await rename_model(ctx, conversation_id, "gone:model")
    return conversation_id


async def rename_model(ctx: AppContext, conversation_id: str, model: str) -> None:
    """Store this model, which may be of a provider that is not set up."""
    async with ctx.store.write() as session:
        await update_conversation(session, LOCAL_OWNER, conversation_id, {"model": model})


SITUATIONS: Final[tuple[Situation, ...]] = (
    start, plain, with_pairs, with_agent, forked, filed, parent_of_fork, derived, temporary, deleted, unknown,
    with_missing_provider,
)  # fmt: skip


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the transcript follow nothing, so that only the opening changes the states."""

    async def follow(*_: object) -> bool:
        return False

    monkeypatch.setattr(TranscriptState, "_follow", follow)
    monkeypatch.setattr(opening, "OF_START", ())


@asynccontextmanager
async def opened(tab: Tab, *handlers: Any) -> AsyncGenerator[None]:
    """Send these events, which may start others that never end, and wait until the page has its data."""
    async with AsyncExitStack() as going:
        for handler in handlers:
            await going.enter_async_context(running(tab, handler))
        await until(lambda: tab.shows(PreferencesState, "loaded") and tab.shows(SidebarState, "loaded"))
        await until(lambda: tab.shows(ModelState, "chosen_name"))
        yield


def filled(tab: Tab) -> dict[tuple[str, str], Any]:
    names = {state.get_full_name() for state in FILLED}
    return {var: value for var, value in tab.vars.items() if var[0] in names}


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
async def test_one_event_shows_the_same_as_one_event_for_each_region(
    ctx: AppContext, processor: Processor, situation: Situation
) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(about_me="I like birds.", tell_about_me=True))
    conversation_id = await situation(ctx)
    path = f"/c/{conversation_id}" if conversation_id else "/"
    others = APART_IN_CONVERSATION if conversation_id else ()
    together, apart = Tab(processor, path), Tab(processor, path)
    for tab in (together, apart):
        tab.path = "/"
        await tab.send(SystemPromptState.save, form={"prompt": "Be brief."})
        await tab.send(TemporaryState.want, wanted=True)
        tab.path = path

    async with opened(apart, VisitState.begin, *BEFORE, *APART, *others):
        await until(lambda: tab_has_branches(apart) or not conversation_id)
        async with opened(together, OpeningState.open, OpeningState.load):
            if tab_has_forks(apart):
                await until(lambda: tab_has_branches(together))
            shown, expected = filled(together), filled(apart)

    if not tab_has_forks(apart):  # the tree of one conversation is read when the inspector shows it
        branches = BranchState.get_full_name()
        shown, expected = (
            {var: value for var, value in each.items() if var[0] != branches} for each in (shown, expected)
        )
    assert shown == expected


def tab_has_branches(tab: Tab) -> bool:
    return bool(tab.shows(BranchState, "conversation"))


def tab_has_forks(tab: Tab) -> bool:
    return bool(tab.shows(BranchState, "forks"))


@pytest.mark.usefixtures("still")
async def test_chosen_topic_is_shown_and_a_deleted_one_is_not(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await plain(ctx)
    topic = await create_topic(ctx, LOCAL_OWNER, "Birds")  # returns its id
    tab.path = f"/c/{conversation_id}"
    kept = f"{FilterState.get_full_name()}.topics"

    for topic_id, path in ((topic, "Birds"), ("gone", "")):
        topics = keep_topic("{}", conversation_id, topic_id)
        await tab.send_event(f"{State.get_full_name()}.hydrate_and_load", {"vars": {kept: topics}, "hashes": []})
        async with opened(tab, OpeningState.open, OpeningState.load):
            await until(lambda path=path: tab.shows(TopicState, "path") == path)
            assert tab.shows(TopicState, "chosen") == (topic_id if path else "")


@pytest.mark.usefixtures("still")
async def test_regions_read_their_own_data_if_it_cannot_be_read_together(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab.path = f"/c/{await plain(ctx)}"

    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError("one region's data is damaged")

    monkeypatch.setattr(opening, "read_opened", fail)

    async with opened(tab, OpeningState.open, OpeningState.load):
        await until(lambda: tab.shows(ChatState, "title") == "Light")
        assert tab.shows(TranscriptState, "conversation") == tab.path.removeprefix("/c/")


@pytest.mark.usefixtures("still")
async def test_page_does_not_wait_for_the_search_for_the_server_of_its_model(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = asyncio.Event()

    async def look_around(_: Catalogue) -> None:
        await found.wait()

    monkeypatch.setattr(Catalogue, "look_around", look_around)
    conversation_id = await plain(ctx)
    await rename_model(ctx, conversation_id, "ollama:llama3")
    tab.path = f"/c/{conversation_id}"

    async with running(tab, OpeningState.load):
        await until(lambda: tab.shows(ChatState, "title") == "Light")
        assert tab.shows(ModelState, "chosen_name") in {None, ""}
        found.set()
        await until(lambda: tab.shows(ModelState, "chosen_name") == "ollama:llama3")


@pytest.mark.usefixtures("still")
async def test_regions_fill_their_own_states_if_one_of_them_fails(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab.path = f"/c/{await plain(ctx)}"

    def fail(*_: object) -> None:
        raise RuntimeError("one region's data is damaged")

    monkeypatch.setattr(opening, "show_agents", fail)

    async with opened(tab, OpeningState.open, OpeningState.load):
        await until(lambda: tab.shows(AgentState, "chosen_name") == NO_AGENT_NAME)


@pytest.mark.usefixtures("still")
async def test_server_that_is_not_found_is_not_searched_for_again_after_each_change(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches: list[Catalogue] = []

    async def look_around(catalogue: Catalogue) -> None:
        searches.append(catalogue)

    monkeypatch.setattr(Catalogue, "look_around", look_around)
    conversation_id = await plain(ctx)
    await rename_model(ctx, conversation_id, "ollama:llama3")
    tab.path = f"/c/{conversation_id}"

    async with opened(tab, OpeningState.load):
        assert tab.shows(ModelState, "chosen_name") == "ollama:llama3"
        before = len(searches)
        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(title="Waves"))
        await tab.send(NewsState.read_again)

        assert tab.shows(ChatState, "title") == "Waves"
        assert len(searches) == before


@pytest.mark.usefixtures("still")
async def test_agents_have_the_names_of_the_models_of_a_server_that_was_found(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def detect() -> tuple[Provider, ...]:
        return (make_provider(PROVIDERS["ollama"], Credentials(base_url="http://127.0.0.1:1/v1"), "detected"),)

    monkeypatch.setattr(catalogue, "detect_local_servers", detect)
    await create_agent(ctx, LOCAL_OWNER, {"name": "Local", "model": "ollama:llama3"})
    remembered = {f"{ModelState.get_full_name()}.remembered": "ollama:llama3"}
    await tab.send_event(f"{State.get_full_name()}.hydrate_and_load", {"vars": remembered, "hashes": []})

    async with opened(tab, OpeningState.load):
        await until(lambda: "llama3" in {row.note for row in tab.shows(AgentState, "rows")})


async def test_pairs_are_read_before_the_data_around_them(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person may press a key for a pair that the page showed before it was loaded again.

    `load` holds the lock of the tab's state while it reads, so the pairs are read without it.
    """
    reads, goes_on, read_opened = asyncio.Event(), asyncio.Event(), opening.read_opened
    follow = cast("Any", TranscriptState)._follow

    async def read_late(*of: Any, **more: Any) -> Any:
        reads.set()
        await goes_on.wait()
        return await read_opened(*of, **more)

    async def follow_meanwhile(*of: Any) -> bool:
        await reads.wait()
        is_gone: bool = await follow(*of)
        return is_gone

    monkeypatch.setattr(opening, "read_opened", read_late)
    monkeypatch.setattr(TranscriptState, "_follow", follow_meanwhile)
    conversation_id = await with_pairs(ctx)
    (pair,) = await pairs_of(ctx, conversation_id)
    tab.path = f"/c/{conversation_id}"
    await tab.send(VisitState.begin)

    async with running(tab, OpeningState.open), running(tab, OpeningState.load):
        try:
            tabs = cast("Any", tab_watchers)._TABS
            await until(lambda: tab.token in tabs and tabs[tab.token].watcher.pair(pair.id))
            assert tab.shows(ChatState, "title") in {None, ""}
        finally:
            goes_on.set()
        await until(lambda: tab.shows(ChatState, "title"))


@pytest.mark.usefixtures("still")
async def test_choices_in_the_storage_of_the_browser_are_sent_again_although_they_are_the_same(
    ctx: AppContext, tab: Tab
) -> None:
    """Another tab may have changed the storage meanwhile."""
    tab.path = f"/c/{await plain(ctx)}"
    for _ in range(2):
        tab.log.clear()
        async with opened(tab, OpeningState.open, OpeningState.load):
            await until(lambda: tab.received(SidebarState, "kind"))
        assert set(tab.received(SidebarState, "kind")) == {"chats"}
        assert set(tab.received(SidebarState, "agent")) == {"any"}


# --- changes in another process ---


async def change_elsewhere(ctx: AppContext, *settings: ProviderSetting) -> None:
    """Replace the provider settings in the database, as another process would: this one is not notified."""
    url = ctx.store.engine.url.render_as_string(hide_password=False)
    async with open_store(url) as other, other.write() as session:
        for before in await load_provider_settings(session, LOCAL_OWNER):
            await delete_provider_setting(session, LOCAL_OWNER, before.provider)
        for setting in settings:
            await save_provider_setting(session, LOCAL_OWNER, setting)


@pytest.mark.usefixtures("still")
async def test_opening_shows_a_provider_that_another_process_has_added(ctx: AppContext, processor: Processor) -> None:
    conversation_id = await plain(ctx)
    await rename_model(ctx, conversation_id, "lab:echo-1")

    names: list[str] = []
    for settings in ((), (ProviderSetting("lab", "http://127.0.0.1:1/v1", None, now()),), ()):
        await change_elsewhere(ctx, *settings)
        tab = Tab(processor, f"/c/{conversation_id}")
        async with opened(tab, OpeningState.open, OpeningState.load):
            names.append(tab.shows(ModelState, "chosen_name"))

    assert names == ["lab:echo-1", "echo-1", "lab:echo-1"]


@pytest.mark.parametrize(
    "changed",
    [
        {"base_url": "http://127.0.0.1:2/v1"},
        {"base_url": None, "sealed_key": b"sealed"},
        {"sealed_key": b"sealed"},
        {"provider": "laboratory"},
    ],
    ids=str,
)
async def test_stamp_of_provider_settings_differs_after_each_change(ctx: AppContext, changed: dict[str, Any]) -> None:
    first = ProviderSetting("lab", "http://127.0.0.1:1/v1", None, now())
    stamps: list[str] = []
    for setting in (first, first, replace(first, **changed)):
        await change_elsewhere(ctx, setting)
        async with ctx.store.read() as session:
            stamps.append(await load_provider_stamp(session, LOCAL_OWNER))

    assert stamps[0] == stamps[1] != stamps[2]


# --- the number of statements and updates ---


@dataclass
class Counts:
    """The cost of opening a page once.

    - `frames`: the updates that a browser would get.
    - `handlers`: the names of the handlers.
    - `locks`: how often the state of a tab was locked.
    """

    statements: list[str] = field(default_factory=list[str])
    frames: list[list[str]] = field(default_factory=list[list[str]])
    handlers: list[str] = field(default_factory=list[str])
    locks: int = 0


@pytest.fixture
async def loading(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Processor]:
    """A processor that runs the load events of a page, as the server does."""
    monkeypatch.setattr(wiring.app, "_load_events", LOADS)
    monkeypatch.setattr(spent, "SETTLE_SECONDS", 0.01)
    monkeypatch.setattr(cache, "SETTLE_SECONDS", 0.01)
    monkeypatch.setattr(prefetch, "DELAY_SECONDS", 0.5)  # after the page is open, also on a busy machine
    monkeypatch.setattr(watcher, "PATIENCE_SECONDS", HANG_SECONDS)  # a busy machine causes no further screen
    made = Processor(middleware=wiring.app, backend_exception_handler=wiring.app.backend_exception_handler)
    async with made.configure(state_manager=StateManagerMemory(), event_namespace=cast("Any", made)):
        yield made


async def count_opening(
    ctx: AppContext, loading: Processor, conversation_id: str, monkeypatch: pytest.MonkeyPatch, *, spends: bool
) -> Counts:
    """Open the page of a conversation in a new tab. Return the counts when nothing more happens."""
    tab, counts = Tab(loading, f"/c/{conversation_id}"), Counts()
    processor, lock = cast("Any", base_state_processor), cast("Any", memory)._ModifyState
    process, enter = processor.process_event, lock.__aenter__

    async def process_event(handler: Any, **more: Any) -> None:
        counts.handlers.append(handler.fn.__qualname__)
        await process(handler=handler, **more)

    async def entered(entering: object) -> object:
        counts.locks += 1
        found: object = await enter(entering)
        return found

    monkeypatch.setattr(processor, "process_event", process_event)
    monkeypatch.setattr(lock, "__aenter__", entered)
    counts.statements = count_statements(await context_for(ctx, conversation_id))

    page = asyncio.create_task(tab.connect("first", anew=True))
    try:
        await until(lambda: tab.shows(ComposerState, "estimate"))
        await until(lambda: not spends or tab.shows(SpentState, "spent"))
        before = -1
        while (now := len(counts.statements) + len(counts.handlers) + counts.locks) != before or ctx.warming:
            before = now
            await asyncio.sleep(0.2)
    finally:
        page.cancel()
        await asyncio.wait((page,))
    sent = Connection("one", Kinds(has_own_json), is_shared)
    counts.frames = [_names(news) for delta in tab.deltas if (news := sent.news(delta))]
    return counts


async def test_page_that_goes_to_another_address_gets_each_change_of_is_hydrated(
    ctx: AppContext, loading: Processor
) -> None:
    """The page has made it false itself by then."""
    tab, values, pages = Tab(loading), list[object](), list[asyncio.Task[None]]()
    sent, hydrated = Connection("one", Kinds(has_own_json), is_shared), f"is_hydrated{FIELD_MARKER}"
    load = f"{OnLoadInternalState.get_full_name()}.on_load_internal"
    try:
        for number in range(2):
            tab.path, tab.deltas = f"/c/{await plain(ctx)}", []
            going = tab.send_event(load, {}) if number else tab.connect("first", anew=True)
            pages.append(asyncio.create_task(going))
            await until(lambda: tab.shows(TranscriptState, "conversation") == tab.path.removeprefix("/c/"))
            await until(lambda: tab.shows(ChatState, "opened") == tab.path.removeprefix("/c/"))
            await until(lambda: tab.shows(State, "is_hydrated"))
            news = [sent.news(delta).get(State.get_full_name(), {}) for delta in tab.deltas]
            values += [one[hydrated].value for one in news if hydrated in one]
    finally:
        for page in pages:
            page.cancel()
        await asyncio.wait(pages)

    assert values == [False, True, False, True]


async def test_first_data_of_a_page_that_is_loaded_has_its_address(ctx: AppContext, loading: Processor) -> None:
    """The state may have the data of another page. The filter of that page must not be written into this address."""
    first, second = await with_pairs(ctx), await plain(ctx)
    tab = Tab(loading, f"/c/{first}?f=s%3E%3D2")
    for path in (tab.path, f"/c/{second}"):
        tab.path, tab.deltas = path, []
        tab.vars.clear()
        page = asyncio.create_task(tab.connect(path, anew=True))
        try:
            await until(lambda: tab.shows(FilterState, "known") and tab.shows(TranscriptState, "known"))
        finally:
            page.cancel()
            await asyncio.wait((page,))

    states = tab.deltas[0]
    filters, transcript = states[FilterState.get_full_name()], states[TranscriptState.get_full_name()]
    assert (filters[f"read{FIELD_MARKER}"], filters[f"known{FIELD_MARKER}"]) == (f"/c/{second} ", False)
    assert (transcript[f"conversation{FIELD_MARKER}"], transcript[f"pairs{FIELD_MARKER}"]) == (second, ())


def _names(news: Mapping[str, Mapping[str, object]]) -> list[str]:
    return [f"{state.rpartition('.')[2]}.{var}" for state, sent in news.items() for var in sent]


async def test_new_conversation_is_opened_with_few_statements_and_updates(
    ctx: AppContext, loading: Processor, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await plain(ctx)

    counts = await count_opening(ctx, loading, conversation_id, monkeypatch, spends=False)

    assert len(counts.statements) <= 12, counts.statements
    assert len(counts.frames) <= 3, counts.frames
    assert len(counts.handlers) <= 11, counts.handlers
    assert counts.locks <= 19


@pytest.mark.parametrize("situation", [with_pairs, filed])
async def test_conversation_with_replies_is_opened_with_few_statements_and_updates(
    ctx: AppContext, loading: Processor, monkeypatch: pytest.MonkeyPatch, situation: Situation
) -> None:
    conversation_id = await situation(ctx)
    await until_quiet(ctx)

    counts = await count_opening(ctx, loading, conversation_id, monkeypatch, spends=True)

    assert len(counts.statements) <= 12, counts.statements
    assert len(counts.frames) <= 4, counts.frames
    assert len(counts.handlers) <= 11, counts.handlers
    assert counts.locks <= 19


# --- the audit trail ---


async def list_openings(ctx: AppContext) -> list[str | None]:
    await ctx.accesses.flush()
    found = await read_audit(ctx.store, LOCAL_OWNER, limit=99, criteria=AuditCriteria(actions=(AuditAction.OPENED,)))
    return [entry.conversation_id for _, entry in reversed(found)]


async def test_each_opening_of_a_page_is_audited_once(ctx: AppContext, tab: Tab) -> None:
    here = await plain(ctx)

    async def load(connection: str, path: str, *, anew: bool = False) -> None:
        tab.path = path
        await tab.connect(connection, anew=anew)
        await tab.send(VisitState.begin)  # as `OpeningState.open` begins it
        tab.log.clear()
        async with running(tab, OpeningState.load):
            await until(lambda: tab.received(State, "is_hydrated"))

    await load("first", f"/c/{here}", anew=True)
    assert await list_openings(ctx) == [here]
    await load("second", f"/c/{here}")
    assert await list_openings(ctx) == [here], "it was connected again"
    await load("second", "/")
    await load("second", f"/c/{here}")
    assert await list_openings(ctx) == [here] * 2, "another page and back"
    await load("third", f"/c/{here}", anew=True)
    assert await list_openings(ctx) == [here] * 3, "it was loaded again"
    await load("third", "/c/nowhere")
    assert await list_openings(ctx) == [here] * 3, "there is no such conversation"


async def test_an_opening_is_written_after_the_page_is_open(
    ctx: AppContext, loading: Processor, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await plain(ctx)

    counts = await count_opening(ctx, loading, conversation_id, monkeypatch, spends=False)

    assert not [one for one in counts.statements if "audit" in one]
    assert await list_openings(ctx) == [conversation_id]


async def test_a_page_of_a_missing_conversation_is_logged(ctx: AppContext, tab: Tab) -> None:
    tab.path = "/c/nowhere"

    with capture_logs() as logged:
        async with opened(tab, OpeningState.open, OpeningState.load):
            await until(lambda: [one for one in logged if one["event"] == "a conversation is missing"])

    assert {one["conversation_id"] for one in logged if one["event"] == "a conversation is missing"} == {"nowhere"}
