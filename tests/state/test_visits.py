"""Things that a person opened stay open while the page loads and reconnects; a reload and another page close them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple, cast

import pytest
import reflex as rx
from reflex.istate.manager.token import BaseStateToken
from reflex.utils.format import format_event_handler

import app.app as wiring
from app.domain.conversation.conversation import Checkpoint
from app.runs.app_context import AppContext, current
from app.runs.child_calls.summaries import put_checkpoint
from app.runs.runtime.ids import new_id
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.agents.form import AgentFormState
from app.state.compare.answer_again import AnswerAgainState
from app.state.compare.choice import ComparisonChoiceState
from app.state.compare.keeping import KeepingState
from app.state.comparison import ComparisonState
from app.state.composer.inserting import InsertingState
from app.state.composer.parameters import ParametersState
from app.state.composer.schema import SchemaState
from app.state.composer.state import ComposerState
from app.state.conversation.system_prompt import SystemPromptState
from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.state.filters.saved import SavedFilterState
from app.state.filters.sheet import SheetState
from app.state.inspector.cache import CacheState
from app.state.inspector.snapshot import SnapshotState
from app.state.inspector.versions import VersionsState
from app.state.opening import APART, APART_IN_CONVERSATION, OF_CONVERSATION, OpeningState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.resend import ResendState
from app.state.reply.summary import SummaryState
from app.state.settings.access import AccessState
from app.state.settings.context import ContextState
from app.state.settings.keys import KeysState
from app.state.settings.permissions import PermissionRulesState
from app.state.settings.privacy import PrivacyState
from app.state.settings.servers import ServersState
from app.state.shell.menus import MenuState
from app.state.shell.news import NewsState
from app.state.shell.viewer import ViewerState
from app.state.sidebar.folders import FolderState
from app.state.sidebar.sidebar import SidebarState
from app.state.tab.address import PREFIX, conversation_in
from app.state.tab.visit import VisitedState, VisitState, visited_states
from app.state.topics.picker import TopicPickerState
from app.state.transcript.checkpoint import CheckpointState
from app.state.transcript.transcript import TranscriptState
from app.state.trash.trash import TrashState
from app.state.usage.account import AccountState
from app.state.usage.sent_call import SentCallState
from app.ui import routes
from app.views.inspector.cache import CacheNotesView, KeepingOffer
from app.views.reply.panels import ScreenComparisonView
from app.views.shortcuts.shortcuts import FREE_ACTIONS
from tests.state.conftest import Tab
from tests.state.watched import running, watching_two
from tests.waiting import until

LOADS: Final[Mapping[str, list[str]]] = {
    route: [format_event_handler(handler) for handler in handlers]
    for route, handlers in cast("Any", wiring.app)._load_events.items()
}
"""The load events of each page."""

FIRST: Final[tuple[Any, ...]] = (VisitState.begin, FilterState.open, KeepingState.open, TranscriptState.open)
ONE_BY_ONE: Final = [
    format_event_handler(handler) for handler in (*FIRST, *APART, *APART_IN_CONVERSATION, *OF_CONVERSATION)
]
"""The events that do the same as `OpeningState.open`, one for each state."""


class Opening(NamedTuple):
    """How something of a state is opened on the page `route`, and the vars that show if it is open."""

    opens: Callable[[Tab, str], Awaitable[None]]
    vars: str
    route: str = routes.CONVERSATION


def sent(handler: Any, **payload: object) -> Callable[[Tab, str], Awaitable[None]]:
    """Open it by an event. The payload "pair" is the first pair's id."""

    async def opens(tab: Tab, pair_id: str) -> None:
        await tab.send(handler, **{name: pair_id if value == "pair" else value for name, value in payload.items()})

    return opens


async def change(tab: Tab, kind: type[rx.State], **values: object) -> None:
    """Set vars of a state, as if the server had found these values."""
    manager = cast("Any", tab.processor)._root_context.state_manager
    async with manager.modify_state(BaseStateToken(ident=tab.token, cls=kind)) as root:
        state = await root.get_state(kind)
        for name, value in values.items():
            setattr(state, name, value)


async def show_saved(tab: Tab, _: str) -> None:
    await tab.send(SavedFilterState.close)
    await tab.send(SavedFilterState.toggle)


async def show_replies(tab: Tab, _: str) -> None:
    await tab.send(ComparisonState.fold)
    await tab.send(ComparisonState.show)


async def ask_cache(tab: Tab, _: str) -> None:
    await tab.send(CacheState.ask)


async def show_request(tab: Tab, _: str) -> None:
    await tab.send(AccountState.load)
    await tab.send(SentCallState.open, call_id=tab.shows(AccountState, "calls")[0].id)


async def ask_delete(tab: Tab, _: str) -> None:
    await tab.send(SidebarState.ask_delete, conversation_id=tab.path.removeprefix(PREFIX))


async def ask_move(tab: Tab, _: str) -> None:
    await tab.send(FolderState.ask_move, conversation_id=tab.path.removeprefix(PREFIX))


async def edit_summary(tab: Tab, _: str) -> None:
    await put_checkpoint(current(), LOCAL_OWNER, tab.path.removeprefix(PREFIX), Checkpoint("They met.", 2))
    await tab.send(CheckpointState.edit)


async def type_agent(tab: Tab, _: str) -> None:
    """Type another name each time, because a reload keeps the typed text."""
    await tab.send(AgentFormState.write, name="name", text=new_id())


async def announce(tab: Tab, _: str) -> None:
    manager = cast("Any", tab.processor)._root_context.state_manager
    async with manager.modify_state(BaseStateToken(ident=tab.token, cls=NewsState)) as root:
        await (await root.get_state(NewsState))._announce("The reply is complete.")
    await tab.send(VisitState.begin)  # the answer to an event has what changed


async def type_anything(_: Tab, __: str) -> None:
    """Do nothing: typed text is only in the browser, and is kept while the fields are not created again."""


OPENINGS: Final[Mapping[type[VisitedState], Opening]] = {
    AccessState: Opening(sent(AccessState.show), "shown", routes.SETTINGS),
    AgentFormState: Opening(type_agent, "changed form", routes.AGENTS),
    AnswerAgainState: Opening(sent(AnswerAgainState.ask, pair_id="pair"), "asking"),
    CacheState: Opening(ask_cache, "asking"),
    CheckpointState: Opening(edit_summary, "editing number"),
    ComparisonChoiceState: Opening(sent(ComparisonChoiceState.ask), "choosing"),
    ComparisonState: Opening(show_replies, "shown"),
    ComposerState: Opening(sent(ComposerState.compare, models=["offline:demo", "offline:tiny"]), "order"),
    ContextState: Opening(type_anything, "opened", routes.SETTINGS),
    FilterLineState: Opening(sent(FilterLineState.check, line="s3", cursor=2), "feedback"),
    FolderState: Opening(ask_move, "moving"),
    InsertingState: Opening(sent(InsertingState.ask), "opened"),
    KeysState: Opening(sent(KeysState.ask, action_id=FREE_ACTIONS[0].id), "actions", routes.SETTINGS),
    NewsState: Opening(announce, "said"),
    MenuState: Opening(sent(MenuState.show_models), "shown"),
    PairDeletionState: Opening(sent(PairDeletionState.ask, pair_id="pair"), "deleting"),
    ParametersState: Opening(sent(ParametersState.ask), "form"),
    PermissionRulesState: Opening(sent(PermissionRulesState.show_audit), "audit_loaded", routes.SETTINGS),
    PrivacyState: Opening(type_anything, "opened", routes.SETTINGS),
    ResendState: Opening(sent(ResendState.answer_again, pair_id="pair", model=""), "later"),
    SavedFilterState: Opening(show_saved, "shown"),
    SchemaState: Opening(sent(SchemaState.ask), "writing"),
    SentCallState: Opening(show_request, "call"),
    ServersState: Opening(sent(ServersState.choose_kind, kind="stdio"), "kind", routes.SETTINGS),
    SidebarState: Opening(ask_delete, "deleting"),
    SheetState: Opening(sent(SheetState.show, part=""), "open"),
    SnapshotState: Opening(sent(SnapshotState.open, pair_id="pair"), "pair"),
    SummaryState: Opening(sent(SummaryState.ask, pair_id=""), "choice"),
    SystemPromptState: Opening(sent(SystemPromptState.edit), "editing number"),
    TopicPickerState: Opening(sent(TopicPickerState.pick_for_composer), "picking"),
    TrashState: Opening(sent(TrashState.ask_empty), "deleting", routes.TRASH),
    ViewerState: Opening(
        sent(ViewerState.open, address=f"/api/v1/attachments/{'0' * 64}", name="", width=1, height=1), "picture"
    ),
    VersionsState: Opening(sent(VersionsState.compare, pair_id="pair"), "pair"),
}


def test_a_visit_begins_with_every_page_and_nothing_else_closes_anything() -> None:
    """A load event that closes something must have another name than these."""
    firsts = {f"{VisitState.get_full_name()}.begin", f"{OpeningState.get_full_name()}.open"}
    assert {events[0] for events in LOADS.values()} == firsts
    others = {name.rpartition(".")[2] for events in (*LOADS.values(), ONE_BY_ONE) for name in events[1:]}
    assert others == {"open", "load", "follow", "keep_current"}
    assert set(OPENINGS) == set(visited_states())


@pytest.mark.parametrize("kind", OPENINGS, ids=lambda kind: kind.__name__)
async def test_what_is_open_outlives_a_reconnect_and_not_a_visit(
    ctx: AppContext, tab: Tab, kind: type[VisitedState]
) -> None:
    async with watching_two(ctx, tab) as watcher:
        opening = OPENINGS[kind]
        page = tab.path if opening.route == routes.CONVERSATION else opening.route
        pair_id = watcher.screen.pairs[0].id

        async def load(connection: str, path: str, *, anew: bool) -> None:
            tab.path = path
            await tab.connect(connection, anew=anew)
            await run_loads(tab, kind)

        async def opened() -> list[Any]:
            await change(tab, CacheState, notes=CacheNotesView(offer=KeepingOffer("", "", ())))
            await change(tab, ComparisonState, comparison=ScreenComparisonView("x", "", "", "", ()))
            await opening.opens(tab, pair_id)
            return seen()

        def seen() -> list[Any]:
            return [tab.shows(kind, var) for var in opening.vars.split()]

        await load("first", page, anew=True)
        before = seen()
        shown = await opened()
        assert shown != before or opening.opens is type_anything
        await run_loads(tab, kind)
        assert seen() == shown, "the page goes on loading"
        await load("second", page, anew=False)
        assert seen() == shown, "it was connected again"

        await load("second", "/", anew=False)
        assert seen() != shown or opening.opens is type_anything, "another page"
        await load("second", page, anew=False)
        assert seen() != shown, "another page and back"

        shown = await opened()
        await tab.connect("third", anew=True)
        shown = await opened()
        await run_loads(tab, kind)
        assert seen() == shown or opening.opens is type_anything, "opened before the page was loaded"
        await tab.connect("fourth", anew=True)
        assert seen() != shown or opening.opens is type_anything, "the first data of a page that was loaded again"
        await run_loads(tab, kind)
        assert seen() != shown, "it was loaded again"


async def run_loads(tab: Tab, kind: type[VisitedState]) -> None:
    """Run the load events of the page at the tab's path, for visits and for this state, except those that never end."""
    own = () if kind is SidebarState else (kind.get_full_name(),)  # its event follows the list
    route = routes.CONVERSATION if tab.path.startswith(PREFIX) else tab.path
    loads = LOADS[route.strip("/") or "index"]
    for name in ONE_BY_ONE if loads[0] == f"{OpeningState.get_full_name()}.open" else loads:
        state, _, handler = name.rpartition(".")
        if state in {VisitState.get_full_name(), *own} and handler != "follow":
            await tab.send_event(name, {})


async def test_what_a_send_was_answered_outlives_a_reconnect_and_not_a_reload(tab: Tab) -> None:
    await tab.connect("first", anew=True)
    await tab.send(ComposerState.open)
    await change(tab, ComposerState, fault="No key")

    await tab.connect("second")
    await tab.send(ComposerState.open)
    assert tab.shows(ComposerState, "fault") == "No key"

    await tab.connect("third", anew=True)
    await tab.send(ComposerState.open)
    assert tab.shows(ComposerState, "fault") == ""


async def test_opening_a_page_begins_its_visit(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        here = tab.path
        await tab.connect("first", anew=True)
        await tab.send(SheetState.show, part="")
        for path, is_open in ((here, True), ("/", False)):
            tab.path = path
            async with running(tab, OpeningState.open):
                await until(lambda path=path: tab.shows(TranscriptState, "conversation") == conversation_in(path))
            assert tab.shows(SheetState, "open") is is_open
        assert watcher.conversation_id == conversation_in(here)
