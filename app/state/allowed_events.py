"""The check of every event that a page sends: a handler that is not in `CALLABLE` is refused.

Any client can call every public method of a state with any arguments, and frameworks add further methods. The list is
therefore written out here, and a test compares it with the existing methods.

Each handler passes the owner to the store, which returns only data of this owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import reflex as rx
import structlog
from reflex.state import BaseState, StateUpdate
from reflex_base.event import Event

from app.patches.sampling import Sampler
from app.state.agents.choice import AgentState
from app.state.agents.form import AgentFormState
from app.state.agents.listing import AgentListState
from app.state.compare.answer_again import AnswerAgainState
from app.state.compare.choice import ComparisonChoiceState
from app.state.compare.keeping import KeepingState
from app.state.comparison import ComparisonState
from app.state.composer.attachments import AttachmentState
from app.state.composer.inserting import InsertingState
from app.state.composer.parameters import ParametersState
from app.state.composer.permissions import PermissionsState
from app.state.composer.queue import QueueState
from app.state.composer.schema import SchemaState
from app.state.composer.state import ComposerState
from app.state.composer.tooltip import TooltipState
from app.state.conversation.model import ModelState
from app.state.conversation.system_prompt import SystemPromptState
from app.state.conversation.temporary import TemporaryState
from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.state.filters.saved import SavedFilterState
from app.state.filters.sheet import SheetState
from app.state.inspector.branches import BranchState
from app.state.inspector.cache import CacheState
from app.state.inspector.frame import InspectorState
from app.state.inspector.lineage import LineageState
from app.state.inspector.log import LogState
from app.state.inspector.messages import MessagesState
from app.state.inspector.preview import PreviewState
from app.state.inspector.snapshot import SnapshotState
from app.state.inspector.tools import ToolChoiceState
from app.state.inspector.versions import VersionsState
from app.state.messages.answered import AnsweredState
from app.state.messages.toasts import ToastState
from app.state.opening import OpeningState
from app.state.reply.damage import DamageState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.edit import EditState
from app.state.reply.marks import MarksState
from app.state.reply.partial import PartialReplyState
from app.state.reply.recovery import RecoveryState
from app.state.reply.request_text import RequestTextState
from app.state.reply.resend import ResendState
from app.state.reply.retry import RetryState
from app.state.reply.structured import StructuredState
from app.state.reply.summary import SummaryState
from app.state.reply.tool_cards import ToolCardState
from app.state.settings.access import AccessState
from app.state.settings.appearance import AppearanceState
from app.state.settings.context import ContextState
from app.state.settings.keys import KeysState
from app.state.settings.permissions import PermissionRulesState
from app.state.settings.preferences import PreferencesState
from app.state.settings.privacy import PrivacyState
from app.state.settings.providers import ProvidersState
from app.state.settings.servers import ServersState
from app.state.settings.titles import TitlesState
from app.state.shell.keyboard import KeyboardState
from app.state.shell.menus import MenuState
from app.state.shell.news import NewsState
from app.state.shell.notice import NoticeState
from app.state.shell.viewer import ViewerState
from app.state.sidebar.folders import FolderState
from app.state.sidebar.sidebar import SidebarState
from app.state.tab.visit import VisitState
from app.state.topics.chosen import TopicState
from app.state.topics.picker import TopicPickerState
from app.state.transcript.chat import ChatState
from app.state.transcript.checkpoint import CheckpointState
from app.state.transcript.transcript import TranscriptState
from app.state.trash.trash import TrashState
from app.state.undo.undo import UndoState
from app.state.usage.account import AccountState
from app.state.usage.bill import BillState
from app.state.usage.budgets import BudgetState
from app.state.usage.prices import OwnPriceState
from app.state.usage.report import UsageState
from app.state.usage.sent_call import SentCallState
from app.state.usage.spent import SpentState

if TYPE_CHECKING:
    from reflex.app import App

_refusals = Sampler(structlog.get_logger(__name__).warning)

CALLABLE: Final[Mapping[type[rx.State], frozenset[str]]] = {
    AccountState: frozenset({"keep_current", "load", "close", "show_older"}),
    AgentFormState: frozenset({
        "load", "close", "save", "suggest_models", "choose_servers", "choose_calls", "add_line", "remove_line",
        "remove_rule", "write", "touch",
    }),
    AgentListState: frozenset({"load", "delete_agent", "restore_agent", "finish_import", "end_focus"}),
    AgentState: frozenset({"load", "choose"}),
    AttachmentState: frozenset({"begin", "progress", "finish", "remove"}),
    AppearanceState: frozenset({"choose_theme"}),
    AnsweredState: frozenset({"tell_answered"}),
    AnswerAgainState: frozenset({"ask", "close", "look", "choose"}),
    BillState: frozenset({"take_piece", "compare"}),
    BudgetState: frozenset({"load", "save", "remove", "clear_fault"}),
    DamageState: frozenset({"reset_setting"}),
    CheckpointState: frozenset({"edit", "end_edit", "write", "save", "remove", "use", "put_back"}),
    ChatState: frozenset({"open", "rename", "make_title"}),
    BranchState: frozenset({"keep_current", "ask_fork", "end_choice", "fork", "make_fork", "take_back"}),
    ComparisonChoiceState: frozenset({
        "ask", "ask_for_next", "ask_for_pair", "close", "look", "search", "tick", "start",
    }),
    ComparisonState: frozenset({"show", "fold"}),
    KeepingState: frozenset({"open", "stop", "keep", "discard", "reopen", "take_back"}),
    ComposerState: frozenset({
        "open", "restore", "write", "estimate_first", "count_files", "send", "deliver", "finish_order", "focus", "put",
        "put_edit", "put_if_empty", "continue_reply", "compare", "compare_next", "require_text", "end_compare",
        "resume_queue", "remember_way", "choose_way", "go_on", "end_over_budget", "stop_summary", "stop_reply",
    }),
    InsertingState: frozenset({
        "ask", "look", "find_prompts", "choose", "choose_prompt", "go_back", "close", "clear_faults",
        "insert", "fetch",
    }),
    PermissionsState: frozenset({"toggle_edit", "toggle_bounds", "note_pointer", "choose", "answer"}),
    QueueState: frozenset({"settle", "edit", "write", "leave", "save", "resume", "move", "drop", "put_back"}),
    MenuState: frozenset({"show_models", "show_agents", "show", "close"}),
    SchemaState: frozenset({"ask", "close", "take_sample", "clear_fault", "use", "take_off"}),
    ParametersState: frozenset({
        "open", "refresh", "ask", "choose_scope", "close", "use", "unset", "take_off", "put_back",
    }),
    SystemPromptState: frozenset({
        "open", "edit", "end_edit", "write", "count", "save", "remove", "put_back",
    }),
    TemporaryState: frozenset({"open", "want", "keep"}),
    TooltipState: frozenset({"look", "count"}),
    MarksState: frozenset({"give_stars", "toggle_flag", "cycle_mark", "take_back"}),
    CacheState: frozenset({"follow", "ask", "end_ask", "keep", "stop"}),
    InspectorState: frozenset({"show", "toggle", "close", "follow"}),
    SnapshotState: frozenset({"open", "close", "choose_tab", "show_page", "open_piece"}),
    SentCallState: frozenset({"open", "open_reply", "close", "show_earlier", "open_piece"}),
    PairDeletionState: frozenset({"ask", "close", "delete", "carry_out", "take_back"}),
    PartialReplyState: frozenset({"include"}),
    RecoveryState: frozenset({"give_back"}),
    EditState: frozenset({"open", "begin", "write", "cancel", "take_up", "leave"}),
    ResendState: frozenset({
        "answer_again", "compare", "send_as_it_was", "send_edit", "choose_later", "remember_way", "choose_way", "end",
        "deliver",
        "take_back",
    }),
    RequestTextState: frozenset({"turn"}),
    StructuredState: frozenset({"toggle_source"}),
    SummaryState: frozenset({"ask", "plan", "end", "choose", "write", "take_back", "stop"}),
    ToolCardState: frozenset({"unfold", "fold", "toggle_piece"}),
    ToolChoiceState: frozenset({"keep_current", "choose_mode", "tick", "tick_server"}),
    VersionsState: frozenset({
        "compare", "choose_before", "choose_after", "close", "restore", "swap", "take_back",
    }),
    PreviewState: frozenset({
        "refresh", "keep_current", "choose_tab", "choose_model", "show_earlier", "open_piece", "show_page",
    }),
    LineageState: frozenset({"keep_current"}),
    LogState: frozenset({"keep_current"}),
    MessagesState: frozenset({"keep_current", "choose", "toggle_tasks", "show_older"}),
    FilterLineState: frozenset({
        "begin", "find_chips", "choose_chip", "leave", "check", "enter", "confirm", "carry_out", "cancel", "undo",
    }),
    FilterState: frozenset({"open", "clear", "learn_zone"}),
    FolderState: frozenset({
        "ask_create", "end_create", "create", "undo_create",
        "show_menu", "close_menu", "ask_move", "end_move", "move", "create_and_move", "file",
        "begin_rename", "end_rename", "rename_folder", "ask_delete", "end_delete", "delete", "restore_folder",
    }),
    ModelState: frozenset({"load", "choose", "look", "find_local"}),
    NewsState: frozenset({"follow", "read_again"}),
    NoticeState: frozenset({"tell", "dismiss"}),
    OpeningState: frozenset({"open", "load"}),
    OwnPriceState: frozenset({"load", "save", "remove"}),
    ContextState: frozenset({"load", "save", "clear_fault"}),
    KeyboardState: frozenset({"perform", "tell_copied"}),
    KeysState: frozenset({"load", "ask", "leave", "press", "take_usual", "reset_all", "enter_view"}),
    AccessState: frozenset({"show", "choose", "show_older"}),
    PermissionRulesState: frozenset({"load", "revoke", "show_audit", "show_older"}),
    PreferencesState: frozenset({"load"}),
    PrivacyState: frozenset({
        "load", "save_about", "tell_about_me", "tell_project", "tell_first_request", "tell_day", "tell_time", "redact",
    }),
    ProvidersState: frozenset({"load", "save_provider", "forget_provider", "test_provider", "add_server"}),
    TitlesState: frozenset({"load", "name_conversations", "choose_model", "replay"}),
    ServersState: frozenset({
        "load", "follow", "switch_built_in", "switch", "test", "show_log", "sign_in", "end_sign_in", "ask_delete",
        "end_delete", "delete", "choose_kind", "add",
    }),
    RetryState: frozenset({"try_now", "give_up"}),
    SavedFilterState: frozenset({
        "toggle", "close", "save", "begin_rename", "end_rename", "rename", "delete", "delete_damaged",
        "delete_damaged_entry", "use",
    }),
    SheetState: frozenset({"show", "close", "search"}),
    SidebarState: frozenset({
        "open", "follow", "load", "look", "search", "show_more", "show_kind", "show_agent", "show_chats",
        "begin_rename", "end_rename", "rename_conversation", "put_title_back", "ask_delete", "end_delete",
        "delete_conversation", "restore_conversation", "step", "toggle_folder",
    }),
    SpentState: frozenset({"follow", "refresh"}),
    ToastState: frozenset({"dismiss", "undo", "take_offer", "confirm_undo"}),
    VisitState: frozenset({"begin"}),
    ViewerState: frozenset({"open", "close", "press", "magnify", "reduce", "fit"}),
    TrashState: frozenset({
        "load", "show_more", "keep_for", "restore", "ask_delete", "ask_empty", "end_delete", "delete_forever",
    }),
    UndoState: frozenset({"open", "recall", "undo_last", "undo_own", "take_back_last", "take_back_own", "bring_back"}),
    UsageState: frozenset({"load", "choose_period", "choose_group", "show_measure"}),
    TranscriptState: frozenset({
        "open", "follow", "show_earlier", "show_later", "show_newest", "show_position",
    }),
    TopicPickerState: frozenset({
        "pick_for_composer", "pick_for_pair", "close", "search", "choose", "file", "arrange", "drop",
        "edit", "back", "escape", "save", "move_up", "move_down", "delete",
    }),
    TopicState: frozenset({"load", "carry"}),
}  # fmt: skip
"""Every handler of Inview that a browser may call."""

# Reflex's own handlers: they hydrate a page, run its load events, copy the browser's storage into vars, and report an
# error of the browser.
_ROOT: Final = "reflex___state____state"
REFLEX: Final = frozenset(
    {
        f"{_ROOT}.hydrate",
        f"{_ROOT}.hydrate_and_load",
        f"{_ROOT}.reflex___state____on_load_internal_state.on_load_internal",
        f"{_ROOT}.reflex___state____on_load_internal_state.set_is_hydrated",
        f"{_ROOT}.reflex___state____update_vars_internal_state.update_vars_internal",
        f"{_ROOT}.reflex___state____frontend_event_exception_state.handle_frontend_exception",
    }
)
"""Reflex's own handlers that a page needs. The handler `setvar`, which writes any var, is not one of them."""

ALLOWED: Final = REFLEX | {
    f"{state.get_full_name()}.{handler}" for state, handlers in CALLABLE.items() for handler in handlers
}


class EventGuard(rx.Middleware):
    """Middleware that refuses events that are not allowed.

    Reflex runs it before each event, under the lock of the state.
    """

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        """Return None to let the event pass, or an empty update to refuse it."""
        _ = app, state
        if event.name in ALLOWED:
            return None
        _refusals.write(state.router.session.client_token, f"Refused an event that no page sends: {event.name}.")
        return StateUpdate()
