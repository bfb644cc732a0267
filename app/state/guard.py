"""The guard before every event of the page: it refuses a handler that is not on the list.

Every public method of a state can be called by any client with any arguments, and frameworks add some of their own. The
list is therefore written out here, and a test compares it with what there is.

The session is read afresh before each event: without a valid one nothing runs. Who may see which conversation is asked
by each handler, of the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import reflex as rx
import structlog
from reflex.istate.storage import ClientStorageBase
from reflex.state import (
    BaseState,
    FrontendEventExceptionState,
    OnLoadInternalState,
    State,
    StateUpdate,
    UpdateVarsInternalState,
)
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.event import Event

from app.domain.errors import InputError
from app.domain.half_characters import HALF_CHARACTER, has_half_character
from app.domain.people.audit_actions import NAMES_FIELDS, AuditAction, Audited, NotAudited, ObjectKind
from app.language.choice import reader_language
from app.language.translation import use_language
from app.runs.caller import act_as, begin_request, come_from
from app.runs.people.audit import Access, finish, note, note_access
from app.runs.people.sessions import ADDRESS_HEADER, read_caller
from app.state.address import conversation_in
from app.state.agents.choice import AgentState
from app.state.agents.form import AgentFormState
from app.state.agents.listing import AgentListState
from app.state.all_pairs import AllPairsState
from app.state.arguments import find_misfit
from app.state.audit_rules import find_rules
from app.state.chat import ChatState
from app.state.checkpoint import CheckpointState
from app.state.compare.answer_again import AnswerAgainState
from app.state.compare.choice import ComparisonChoiceState
from app.state.compare.keeping import KeepingState
from app.state.comparison import ComparisonState
from app.state.composer.attachments import AttachmentState
from app.state.composer.inserting import InsertingState
from app.state.composer.menus import MenuState
from app.state.composer.parameters import ParametersState
from app.state.composer.permissions import PermissionsState
from app.state.composer.queue import QueueState
from app.state.composer.schema import SchemaState
from app.state.composer.state import ComposerState
from app.state.composer.temporary import TemporaryState
from app.state.composer.tooltip import TooltipState
from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.state.filters.saved import SavedFilterState
from app.state.filters.sheet import SheetState
from app.state.folders import FolderState
from app.state.inspector.branches import BranchState
from app.state.inspector.cache import CacheState
from app.state.inspector.frame import InspectorState
from app.state.inspector.lineage import LineageState
from app.state.inspector.preview import PreviewState
from app.state.inspector.sent import SentState
from app.state.inspector.snapshot import SnapshotState
from app.state.inspector.tools import ToolChoiceState
from app.state.inspector.versions import VersionsState
from app.state.model import ModelState
from app.state.placement import PlacementState
from app.state.prompts.form import PromptFormState
from app.state.prompts.link import LinkState
from app.state.prompts.listing import PromptListState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.edit import EditState
from app.state.reply.marks import MarksState
from app.state.reply.partial import PartialReplyState
from app.state.reply.recovery import RecoveryState
from app.state.reply.resend import ResendState
from app.state.reply.retry import RetryState
from app.state.reply.structured import StructuredState
from app.state.reply.summary import SummaryState
from app.state.reply.tool_cards import ToolCardState
from app.state.settings.allowances import AllowanceState
from app.state.settings.appearance import AppearanceState
from app.state.settings.audit import AuditState
from app.state.settings.context import ContextState
from app.state.settings.everything import EverythingState
from app.state.settings.keys import KeysState
from app.state.settings.people import PeopleState
from app.state.settings.permissions import PermissionRulesState
from app.state.settings.preferences import PreferencesState
from app.state.settings.privacy import PrivacyState
from app.state.settings.providers import ProvidersState
from app.state.settings.retention import RetentionState
from app.state.settings.servers import ServersState
from app.state.settings.session import SessionState
from app.state.settings.shared_servers import SharedServersState
from app.state.settings.titles import TitlesState
from app.state.settings.tokens import TokensState
from app.state.shell.keyboard import KeyboardState
from app.state.shell.news import NewsState
from app.state.shell.notice import NoticeState
from app.state.shell.palette import PaletteState
from app.state.shell.undo import UndoState
from app.state.sidebar import SidebarState
from app.state.status import StatusState
from app.state.system_prompt import SystemPromptState
from app.state.toasts import ToastState
from app.state.topics.chosen import TopicState
from app.state.topics.picker import TopicPickerState
from app.state.transcript import TranscriptState
from app.state.transfer.bulk_export import BulkExportState
from app.state.transfer.export_menu import ExportMenuState
from app.state.transfer.granted import GrantedState
from app.state.transfer.grants import GrantState
from app.state.transfer.imports import ImportState
from app.state.transfer.share import ShareState
from app.state.transfer.shares import SharesState
from app.state.trash import TrashState
from app.state.unfolded import UnfoldedState
from app.state.usage.account import AccountState
from app.state.usage.bill import BillState
from app.state.usage.budgets import BudgetState
from app.state.usage.prices import OwnPriceState
from app.state.usage.report import UsageState
from app.state.usage.spent import SpentState
from app.state.viewer import ViewerState

if TYPE_CHECKING:
    from reflex.app import App

_log = structlog.get_logger(__name__)

CALLABLE: Final[Mapping[type[rx.State], frozenset[str]]] = {
    AccountState: frozenset({"keep_current", "load", "close", "show_older"}),
    AgentFormState: frozenset({
        "load", "close", "save", "suggest_models", "choose_servers", "choose_calls", "add_line", "remove_line",
    }),
    AgentListState: frozenset({"load", "share", "delete_agent", "restore_agent", "finish_import", "end_focus"}),
    AgentState: frozenset({"load", "choose"}),
    AttachmentState: frozenset({"begin", "change_form", "finish", "progress", "remove"}),
    AllowanceState: frozenset({"load", "save_models", "give", "take"}),
    AppearanceState: frozenset({"choose_theme", "choose_language"}),
    AllPairsState: frozenset({
        "load", "begin", "leave", "check", "enter", "clear", "show_more", "tick", "tick_all", "tick_none",
        "weigh", "begin_conversation",
    }),
    AnswerAgainState: frozenset({"ask", "close", "look", "choose"}),
    BillState: frozenset({"take_piece", "compare"}),
    BulkExportState: frozenset({"ask", "close", "export", "stop"}),
    BudgetState: frozenset({"load", "save", "remove", "clear_fault"}),
    CheckpointState: frozenset({"edit", "end_edit", "save", "remove", "use", "put_back"}),
    ChatState: frozenset({"open", "rename", "make_title"}),
    BranchState: frozenset({"keep_current", "ask_fork", "end_choice", "fork", "take_back"}),
    ComparisonChoiceState: frozenset({"ask", "ask_for_pair", "close", "look", "search", "tick", "start"}),
    ComparisonState: frozenset({"show", "fold"}),
    KeepingState: frozenset({"open", "stop", "keep", "discard", "reopen", "take_back"}),
    ComposerState: frozenset({
        "open", "restore", "write", "count_files", "find_secrets", "send", "deliver", "finish_order", "focus", "put",
        "put_if_empty", "compare", "resume_queue", "remember_way", "choose_way", "go_on",
        "end_over_budget", "stop_summary", "stop_reply",
    }),
    GrantState: frozenset({"load", "give", "end"}),
    GrantedState: frozenset({"load", "open", "copy", "leave"}),
    InsertingState: frozenset({
        "ask", "look", "find_prompts", "choose", "choose_prompt", "go_back", "close", "clear_faults", "insert", "fetch",
    }),
    LinkState: frozenset({"take", "fill"}),
    PromptFormState: frozenset({"load", "close", "save"}),
    PromptListState: frozenset({"finish_import", "load", "share", "delete_prompt", "restore_prompt", "end_focus"}),
    PermissionsState: frozenset({"toggle_edit", "toggle_bounds", "note_pointer", "choose", "answer"}),
    QueueState: frozenset({"settle", "edit", "write", "leave", "save", "resume", "move", "drop", "put_back"}),
    MenuState: frozenset({"show_models", "show_agents", "close"}),
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
    SentState: frozenset({"open", "close"}),
    SnapshotState: frozenset({"open", "close", "choose_tab", "show_page", "open_piece"}),
    PairDeletionState: frozenset({"ask", "close", "delete", "carry_out", "take_back"}),
    PartialReplyState: frozenset({"include"}),
    RecoveryState: frozenset({"give_back"}),
    EditState: frozenset({"begin", "write", "cancel", "take_up", "leave"}),
    ResendState: frozenset({
        "answer_again", "compare", "send_as_it_was", "send_edit", "choose_later", "remember_way", "choose_way", "end",
        "deliver",
        "take_back",
    }),
    StructuredState: frozenset({"toggle_source"}),
    SummaryState: frozenset({"ask", "plan", "end", "choose", "write", "take_back", "stop"}),
    ToolCardState: frozenset({"unfold", "fold", "toggle_piece"}),
    ToolChoiceState: frozenset({"keep_current", "choose_mode", "tick", "tick_server"}),
    VersionsState: frozenset({
        "compare", "choose_before", "choose_after", "close", "restore", "swap", "take_back",
    }),
    PreviewState: frozenset({
        "refresh", "keep_current", "choose_tab", "show_earlier", "open_piece", "show_page",
    }),
    LineageState: frozenset({"keep_current"}),
    ShareState: frozenset({"ask", "close", "choose", "sign", "draw", "make"}),
    SharesState: frozenset({"load", "revoke"}),
    StatusState: frozenset({"load", "ask", "check"}),
    EverythingState: frozenset({"export"}),
    ExportMenuState: frozenset({"show", "toggle_scope", "close"}),
    ImportState: frozenset({"load", "choose_again", "follow", "finish", "start", "undo"}),
    FilterLineState: frozenset({"begin", "leave", "check", "enter", "confirm", "cancel", "undo"}),
    FilterState: frozenset({"open", "clear", "use_model", "learn_zone"}),
    ModelState: frozenset({"load", "choose", "look"}),
    NewsState: frozenset({"follow", "read_again"}),
    NoticeState: frozenset({"tell", "dismiss"}),
    OwnPriceState: frozenset({"load", "save", "remove"}),
    ContextState: frozenset({"load", "save", "clear_fault"}),
    KeyboardState: frozenset({"end_explanation", "perform", "tell_copied"}),
    KeysState: frozenset({"load", "ask", "leave", "press", "take_usual", "reset_all", "enter_view"}),
    PaletteState: frozenset({"show", "close", "search", "choose"}),
    PermissionRulesState: frozenset({"load", "revoke", "show_audit", "show_older"}),
    PreferencesState: frozenset({"load"}),
    PrivacyState: frozenset({"load", "save_about", "tell_about_me", "tell_day", "redact"}),
    ProvidersState: frozenset({"load", "save_provider", "forget_provider", "test_provider", "add_server"}),
    RetentionState: frozenset({"load", "choose", "choose_for_folder", "bring_back"}),
    TitlesState: frozenset({"load", "name_conversations", "choose_model", "replay"}),
    TokensState: frozenset({"load", "make", "ask", "end_ask", "revoke"}),
    SessionState: frozenset({"load", "rename", "change_password", "end", "end_others"}),
    AuditState: frozenset({"load", "narrow", "show_more", "check"}),
    PeopleState: frozenset({
        "load", "invite", "withdraw", "change_role", "disable", "enable", "make_reset", "sign_out", "ask", "end_ask",
        "delete",
    }),
    SharedServersState: frozenset({"load", "ask", "end_ask", "share", "end_share", "use"}),
    ServersState: frozenset({
        "load", "switch_built_in", "switch", "test", "show_log", "sign_in", "end_sign_in", "ask_delete", "end_delete",
        "delete", "choose_kind", "add",
    }),
    RetryState: frozenset({"try_now", "give_up"}),
    SavedFilterState: frozenset({
        "toggle", "close", "save", "begin_rename", "end_rename", "rename", "delete", "use", "toggle_chip",
    }),
    SheetState: frozenset({"show", "close", "search"}),
    SidebarState: frozenset({
        "open", "follow", "load", "search", "show_more", "show_kind", "show_agent", "show_chats",
        "begin_rename", "end_rename", "rename_conversation", "ask_delete", "end_delete",
        "delete_conversation", "restore_conversation", "step",
    }),
    FolderState: frozenset({"ask_new", "ask_rename", "close", "save", "delete", "restore"}),
    PlacementState: frozenset({
        "show_menu", "look", "close_menu", "toggle_pin", "toggle_archive", "ask_move", "ask_move_selected",
        "close_move", "move", "move_to_new", "begin_drag", "drop", "begin_select", "tick", "tick_all", "end_select",
        "toggle_unread", "archive_selected", "mark_selected", "delete_selected", "bring_back", "put_back",
    }),
    SpentState: frozenset({"follow", "refresh"}),
    ToastState: frozenset({"dismiss", "undo", "confirm_undo"}),
    UnfoldedState: frozenset({"toggle"}),
    ViewerState: frozenset({"open", "close", "press", "magnify", "reduce", "fit", "show_previous", "show_next"}),
    TrashState: frozenset({
        "load", "show_more", "keep_for", "restore", "ask_delete", "ask_empty", "end_delete", "delete_forever",
    }),
    UndoState: frozenset({"open", "recall", "undo_last", "take_back_last", "bring_back"}),
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
"""Every handler that a browser may call."""

_OF_REFLEX: Final[Mapping[type[BaseState], tuple[str, ...]]] = {
    State: ("hydrate", "hydrate_and_load"),
    OnLoadInternalState: ("on_load_internal", "set_is_hydrated"),
    UpdateVarsInternalState: ("update_vars_internal",),
    FrontendEventExceptionState: ("handle_frontend_exception",),
}
"""Fill a fresh page, run what it loads, take over the browser's storage, report a fault of a script."""
REFLEX: Final = frozenset(f"{state.get_full_name()}.{name}" for state, names in _OF_REFLEX.items() for name in names)
"""Reflex's own handlers that a page needs. Not among them: `setvar`, which writes any var."""

ALLOWED: Final = REFLEX | {
    f"{state.get_full_name()}.{handler}" for state, handlers in CALLABLE.items() for handler in handlers
}


MAX_ID: Final = 64
"""Characters of an id or of a field's name that the audit trail gets: both are what a browser sent."""
KEPT: Final = "vars"
"""The argument in which handlers of Reflex take what a browser keeps: texts by the names of vars."""
FORM: Final = "form"
"""The argument in which handlers take the fields of a form."""
HANDLERS: Final[Mapping[str, Callable[..., Any]]] = {
    f"{state.get_full_name()}.{name}": state.event_handlers[name].fn
    for state, names in (*CALLABLE.items(), *_OF_REFLEX.items())
    for name in names
}
"""The functions behind the handlers that a browser may call, by the full name of the event."""
STORED: Final = frozenset(
    f"{state.get_full_name()}.{var}{FIELD_MARKER}"
    for state in CALLABLE
    for var, field in state.get_fields().items()
    if isinstance(field.default, ClientStorageBase)
)
"""The vars that a browser keeps, by the names under which it sends them."""
NOTHING: Final = NotAudited("Reflex's own: it shows what the page is made of")
_THROUGH: Final = {
    f"{state.get_full_name()}.{handler}": f"{state.__name__}.{handler}"
    for state, handlers in CALLABLE.items()
    for handler in handlers
}
_FOUND: Final = find_rules()
_RULES: Final = {name: _FOUND.get(through, NOTHING) for name, through in _THROUGH.items()}


class Guard(rx.Middleware):
    """Runs before each event, under the lock of its state."""

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        """None lets the event pass; an update ends it here."""
        _ = app
        begin_request()
        headers = state.router.headers.raw_headers
        if event.name not in ALLOWED:
            _log.warning("refused an event that no page sends", event_name=event.name[:200])
            come_from(headers.get(ADDRESS_HEADER, ""))
            note(AuditAction.EVENT_REFUSED, ObjectKind.INSTALLATION, "")
            return StateUpdate()
        actor = await read_caller(headers)
        if actor is None:
            _log.warning("refused an event without a valid session", event_name=event.name[:200])
            return StateUpdate()
        act_as(actor.person, actor.credential, actor.address)  # for all that this event runs, as is the language
        use_language(reader_language(state.router.headers.accept_language))
        if (wrong := _find_forged(event)) is not None:
            _log.warning("refused an event with an argument that no page sends", event_name=event.name, argument=wrong)
            note(AuditAction.EVENT_REFUSED, ObjectKind.INSTALLATION, "")
            return StateUpdate()
        if (halved := next(filter(has_half_character, event.payload.items()), None)) is not None:
            _log.warning("refused an event with half a character", event_name=event.name, field=halved[0][:MAX_ID])
            raise InputError(halved[0][:MAX_ID], HALF_CHARACTER)
        await _audit(event, conversation_in(state.router.url.path))
        return None


def _find_forged(event: Event) -> str | None:
    """The name of an argument that no page sends; None if there is none."""
    wrong = find_misfit(HANDLERS[event.name], event.payload)
    kept = event.payload.get(KEPT)
    if wrong is None and event.name in REFLEX and isinstance(kept, Mapping):
        wrong = None if all(name in STORED and isinstance(value, str) for name, value in kept.items()) else KEPT
    return wrong[:MAX_ID] if wrong is not None else None


async def _audit(event: Event, on_screen: str) -> None:
    """Leave an entry before the handler runs; a change that stored nothing when it has ended is entered as that."""
    rule = _RULES.get(event.name)
    if not isinstance(rule, Audited):
        await note_access(NOTHING, Access(event.name))
        return
    subject = str(event.payload.get(rule.argument, ""))[:MAX_ID] if rule.argument else ""
    if rule.kind is ObjectKind.CONVERSATION and not rule.argument:
        subject = on_screen[:MAX_ID]
    form = event.payload.get(FORM)
    fields = (*event.payload, *(form if isinstance(form, Mapping) else ())) if rule.action in NAMES_FIELDS else ()
    access = Access(
        _THROUGH[event.name], subject, on_screen[:MAX_ID] or None, tuple(str(one)[:MAX_ID] for one in fields)
    )
    asked = await note_access(rule, access)
    task = asyncio.current_task()
    if asked is not None and task is not None:
        task.add_done_callback(lambda _: finish(asked))
