"""The list of events by which a control opens a text field or a dialog, or leads to another conversation.

The browser holds the keys that are pressed after such an event, and passes them to the field or the page when it
exists. Add each new handler that opens a field or a dialog or leads to a conversation. For keys that open something,
see `keyboard.py`.
"""

from __future__ import annotations

from typing import Any, Final

from reflex_base.utils.format import format_event_handler

from app.state.compare.answer_again import AnswerAgainState
from app.state.compare.choice import ComparisonChoiceState
from app.state.composer.inserting import InsertingState
from app.state.composer.parameters import ParametersState
from app.state.composer.permissions import PermissionsState
from app.state.composer.queue import QueueState
from app.state.composer.schema import SchemaState
from app.state.conversation.system_prompt import SystemPromptState
from app.state.filters.line import FilterLineState
from app.state.filters.saved import SavedFilterState
from app.state.filters.sheet import SheetState
from app.state.inspector.branches import BranchState
from app.state.messages.toasts import ToastState
from app.state.reply.edit import EditState
from app.state.reply.resend import ResendState
from app.state.shell.menus import MenuState
from app.state.sidebar.folders import FolderState
from app.state.sidebar.sidebar import SidebarState
from app.state.topics.picker import TopicPickerState
from app.state.transcript.checkpoint import CheckpointState

_HANDLERS: Final[tuple[Any, ...]] = (
    AnswerAgainState.ask,
    BranchState.ask_fork,
    BranchState.fork,
    CheckpointState.edit,
    ComparisonChoiceState.ask,
    EditState.begin,
    FilterLineState.confirm,
    FolderState.ask_create,
    FolderState.ask_move,
    FolderState.begin_rename,
    InsertingState.ask,
    MenuState.show_agents,
    MenuState.show_models,
    ParametersState.ask,
    PermissionsState.toggle_edit,
    QueueState.edit,
    ResendState.choose_later,
    ResendState.choose_way,
    SavedFilterState.begin_rename,
    SavedFilterState.toggle,
    SchemaState.ask,
    SheetState.show,
    SidebarState.begin_rename,
    SidebarState.delete_conversation,
    SystemPromptState.edit,
    ToastState.undo,
    TopicPickerState.edit,
    TopicPickerState.pick_for_composer,
    TopicPickerState.pick_for_pair,
)

OPENERS: Final = tuple(map(format_event_handler, _HANDLERS))
"""The names of the handlers, as the browser sends them."""
