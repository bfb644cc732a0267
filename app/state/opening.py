"""Opening the start page or the page of a conversation: two events fill the states of all regions.

    on_load=[OpeningState.open, OpeningState.load]

The data around the pairs is read once (`runs/conversation/opening.py`), and the page gets it in one update. If that
fails, each region fills its own states, and shows its own error. The pairs are more urgent: `open` starts to follow
them before `load` reads anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import reflex as rx
import structlog

from app.domain.audit import AuditAction
from app.runs.app_context import context_for, current
from app.runs.audit.access_log import Access
from app.runs.conversation.opening import OpenedConversation, read_opened
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.agents.choice import AgentState, show_agents
from app.state.compare.keeping import KeepingState, open_keeping
from app.state.composer.parameters import ParametersState, open_parameters
from app.state.composer.state import ComposerState, open_composer
from app.state.conversation.model import ModelState, open_model
from app.state.conversation.system_prompt import SystemPromptState, open_system_prompt
from app.state.conversation.temporary import TemporaryState, open_temporary
from app.state.filters.applied import FilterState, note_address, open_filter
from app.state.inspector.branches import BranchState, open_branches
from app.state.inspector.cache import CacheState, open_cache
from app.state.inspector.frame import InspectorState
from app.state.reply.edit import EditState
from app.state.settings.preferences import PreferencesState, show_preferences
from app.state.shell.news import NewsState, open_news
from app.state.sidebar.sidebar import SidebarState, open_sidebar
from app.state.tab.address import conversation_in
from app.state.tab.visit import begin_visit, number_visit
from app.state.topics.chosen import TopicState, kept_topic, show_topic
from app.state.transcript.chat import ChatState, show_chat
from app.state.transcript.transcript import TranscriptState, clear_other_transcript, open_transcript
from app.state.undo.undo import UndoState, open_undo
from app.state.usage.spent import SpentState

if TYPE_CHECKING:
    from reflex.state import BaseState

log = structlog.get_logger()

APART: Final[tuple[Any, ...]] = (
    TopicState.load,
    ChatState.open,
    ComposerState.open,
    TemporaryState.open,
    SystemPromptState.open,
    PreferencesState.load,
    SidebarState.open,
    UndoState.open,
    ModelState.load,
    AgentState.load,
    ParametersState.open,
)
"""The events that fill the states one by one, if their data cannot be read together."""
APART_IN_CONVERSATION: Final[tuple[Any, ...]] = (EditState.open, InspectorState.follow, BranchState.keep_current)
OF_START: Final[tuple[Any, ...]] = (ComposerState.estimate_first, ModelState.find_local)
"""The events that only the start page needs."""
OF_CONVERSATION: Final[tuple[Any, ...]] = (CacheState.follow, NewsState.follow, SpentState.follow)
"""The events that keep the page of a conversation current."""


async def prepare_page(state: BaseState) -> None:
    """Note the address of a page that is loaded, and clear the data of other conversations.

    The first data of the page then has these changes, so `open` need not send them in another update.
    """
    if here := conversation_in(state.router.url.path):
        note_address(await state.get_state(FilterState))
        await clear_other_transcript(await state.get_state(TranscriptState), here)


class OpeningState(rx.State):
    """The event handlers that open the start page or the page of a conversation.

    `_noted` is the last visit that the audit trail has.
    """

    _noted: int = 0

    @rx.event
    async def open(self) -> list[Any]:
        """Clear the data of the previous page, and start to follow the pairs of this one."""
        await begin_visit(self)
        here = conversation_in(self.router.url.path)
        temporary = bool(here) and await context_for(current(), here) is not current()
        # The view options come before the transcript, whose first screen depends on them.
        await open_filter(await self.get_state(FilterState), temporary=temporary)
        open_keeping(await self.get_state(KeepingState))
        follows = await open_transcript(await self.get_state(TranscriptState))
        return [] if follows is None else [follows]

    @rx.event
    async def load(self) -> list[Any]:
        """Show the data around the pairs in one update. Return the events that keep it current."""
        here = conversation_in(self.router.url.path)
        models, topics = await self.get_state(ModelState), await self.get_state(TopicState)
        try:
            opened = await read_opened(
                current(), LOCAL_OWNER, here, model=models.remembered, topic=kept_topic(topics), searches=False
            )
            events = await self._show(opened)
            events.append(await open_sidebar(await self.get_state(SidebarState), opened.agents))
            await self._note(here if opened.conversation else "")
            self.is_hydrated = True  # Reflex sets it after this event, in another update
        except Exception as error:  # each region then reads its own data, and shows its own error
            log.warning("the data of a page could not be shown together", conversation_id=here, exc_info=error)
            await self._note(here)
            return [*APART, *(APART_IN_CONVERSATION if here else ()), *_rest(here)]
        return [*events, *_rest(here)]

    async def _note(self, conversation_id: str) -> None:
        """Note for the audit trail that this page shows a conversation, once on each visit."""
        number = await number_visit(self)
        if conversation_id and number != self._noted:
            self._noted = number
            current().accesses.note(LOCAL_OWNER, Access(AuditAction.OPENED, conversation_id, conversation_id))

    async def _show(self, opened: OpenedConversation) -> list[Any]:
        """Fill the states. Return the events that read the data that is still missing."""
        events: list[Any] = []
        show_topic(await self.get_state(TopicState), opened.topic_path)
        show_chat(await self.get_state(ChatState), opened)
        events += await open_composer(await self.get_state(ComposerState), opened.preferences)
        open_temporary(await self.get_state(TemporaryState))
        open_system_prompt(await self.get_state(SystemPromptState))
        if opened.preferences is None:
            events.append(PreferencesState.load)  # shows the error
        else:
            show_preferences(await self.get_state(PreferencesState), opened.preferences)
        events.append(await open_undo(await self.get_state(UndoState)))
        show_agents(await self.get_state(AgentState), opened)
        if (search := await open_model(await self.get_state(ModelState), opened)) is None:
            open_parameters(await self.get_state(ParametersState), opened)
        else:  # the server may be found, and then its models have names
            events += [search, AgentState.load, ParametersState.open]
        open_news(await self.get_state(NewsState), opened)
        if opened.id:
            events += await self._show_around(opened)
        return [event for event in events if event is not None]

    async def _show_around(self, opened: OpenedConversation) -> list[Any]:
        """Fill the states that only the page of a conversation has."""
        open_cache(await self.get_state(CacheState), opened.id)
        edits, inspector = await self.get_state(EditState), await self.get_state(InspectorState)
        return [
            EditState.open if edits.kept else None,  # after the message box and the toast are cleared
            InspectorState.follow if inspector.section else None,
            open_branches(await self.get_state(BranchState), opened),
        ]


def _rest(conversation_id: str) -> tuple[Any, ...]:
    return OF_CONVERSATION if conversation_id else OF_START
