"""The audit rule of each handler of the page. A handler without a rule fails a test.

The object of a conversation is the one on the screen, unless a rule names the argument that has its id.
Not here: the handlers of Settings (`settings/audit_rules.py`), and what a rule enters (`audited.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.domain.people.audit_actions import AuditAction as A
from app.domain.people.audit_actions import Audited, AuditRule, ObjectKind
from app.state.audited import (
    AGENT,
    AGENT_DELETED,
    AGENT_RESTORED,
    BUDGET,
    BY_COMMAND,
    CHANGED,
    CHANGED_ONE,
    CREATED,
    DELETED,
    DRAWN,
    EXPORTED,
    FILES,
    FILTER,
    FILTER_DELETED,
    FOLDER,
    FOLDER_DELETED,
    FOLDER_RESTORED,
    FOLLOWED,
    IMPORTED,
    LISTED,
    OWN_FIGURES,
    OWN_LISTS,
    PAIR_CHANGED,
    PAIR_DELETED,
    PAIR_READ,
    PAIR_SENT,
    PRICE,
    PROMPT,
    PROMPT_DELETED,
    PROMPT_RESTORED,
    READ,
    RESTORED,
    RESTORED_SOME,
    SEARCHED,
    SENT,
    SETTINGS,
    SHARE_MADE,
    SHARE_REVOKED,
    STOPPED,
    STOPPED_ONE,
    TAKEN_BACK,
    TOOL_USED,
    TOPIC,
    TOPIC_DELETED,
    TRASH_DELETED,
    WRITING,
)
from app.state.settings.audit_rules import OF_SETTINGS

BY_STATE: Final[dict[str, Mapping[AuditRule, str]]] = {
    "AccountState": {
        OWN_FIGURES: "keep_current load close show_older",
    },
    "AgentFormState": {
        AGENT: "save",
        OWN_LISTS: "load suggest_models",
        WRITING: "close choose_servers choose_calls add_line remove_line",
    },
    "AgentListState": {
        AGENT_DELETED: "delete_agent",
        AGENT_RESTORED: "restore_agent share",
        AGENT: "finish_import",
        OWN_LISTS: "load",
        DRAWN: "end_focus",
    },
    "AgentState": {
        CHANGED: "choose",
        OWN_LISTS: "load",
    },
    "AttachmentState": {
        FILES: "finish",
        WRITING: "begin change_form progress remove",
    },
    "AllPairsState": {
        SEARCHED: "load begin enter clear show_more",
        CREATED: "begin_conversation",
        WRITING: "check leave tick tick_all tick_none weigh",
    },
    "AnswerAgainState": {
        OWN_LISTS: "ask look",
        WRITING: "close choose",
    },
    "BillState": {
        OWN_FIGURES: "take_piece compare",
    },
    "BulkExportState": {
        EXPORTED: "export",
        WRITING: "ask close stop",
    },
    "BudgetState": {
        BUDGET: "save remove",
        OWN_FIGURES: "load",
        WRITING: "clear_fault",
    },
    "CheckpointState": {
        CHANGED: "save remove use put_back",
        READ: "edit",
        WRITING: "end_edit",
    },
    "ChatState": {
        READ: "open",
        CHANGED: "rename make_title",
    },
    "BranchState": {
        READ: "keep_current",
        CREATED: "fork",
        CHANGED: "take_back",
        WRITING: "ask_fork end_choice",
    },
    "ComparisonChoiceState": {
        SENT: "start",
        OWN_LISTS: "ask ask_for_pair look",
        WRITING: "close search tick",
    },
    "ComparisonState": {
        READ: "show",
        DRAWN: "fold",
    },
    "KeepingState": {
        READ: "open",
        STOPPED_ONE: "stop",
        CHANGED: "keep discard",
        CHANGED_ONE: "reopen take_back",
    },
    "ComposerState": {
        SENT: "send deliver compare go_on resume_queue",
        STOPPED: "stop_reply stop_summary",
        READ: "open",
        SETTINGS: "remember_way",
        WRITING: "restore write count_files find_secrets finish_order focus put put_if_empty "
        "choose_way end_over_budget",
    },
    "InsertingState": {
        TOOL_USED: "fetch",
        OWN_LISTS: "ask look find_prompts choose choose_prompt",
        WRITING: "go_back close clear_faults insert",
    },
    "LinkState": {
        WRITING: "take fill",
    },
    "PromptFormState": {
        PROMPT: "save",
        OWN_LISTS: "load",
        WRITING: "close",
    },
    "PromptListState": {
        PROMPT_DELETED: "delete_prompt",
        PROMPT_RESTORED: "restore_prompt share",
        PROMPT: "finish_import",
        OWN_LISTS: "load",
        DRAWN: "end_focus",
    },
    "PermissionsState": {
        BY_COMMAND: "choose answer",
        WRITING: "toggle_edit toggle_bounds note_pointer",
    },
    "QueueState": {
        SENT: "resume",
        CHANGED: "save move drop put_back",
        READ: "settle edit",
        WRITING: "write leave",
    },
    "MenuState": {
        OWN_LISTS: "show_models show_agents",
        WRITING: "close",
    },
    "SchemaState": {
        CHANGED: "use take_off",
        READ: "ask",
        WRITING: "close take_sample clear_fault",
    },
    "ParametersState": {
        CHANGED: "use unset take_off",
        CHANGED_ONE: "put_back",
        READ: "open refresh ask",
        WRITING: "choose_scope close",
    },
    "SystemPromptState": {
        CHANGED: "save remove",
        CHANGED_ONE: "put_back",
        READ: "open edit",
        WRITING: "end_edit write count",
    },
    "TemporaryState": {
        CREATED: "want",
        CHANGED: "keep",
        READ: "open",
    },
    "TooltipState": {
        READ: "look count",
    },
    "MarksState": {
        PAIR_CHANGED: "give_stars toggle_flag cycle_mark take_back",
    },
    "CacheState": {
        FOLLOWED: "follow",
        CHANGED: "keep stop",
        WRITING: "ask end_ask",
    },
    "InspectorState": {
        FOLLOWED: "follow",
        DRAWN: "show toggle close",
    },
    "SentState": {
        PAIR_READ: "open",
        DRAWN: "close",
    },
    "SnapshotState": {
        PAIR_READ: "open",
        DRAWN: "close choose_tab show_page open_piece",
    },
    "PairDeletionState": {
        PAIR_DELETED: "delete carry_out",
        PAIR_CHANGED: "take_back",
        READ: "ask",
        WRITING: "close",
    },
    "PartialReplyState": {
        PAIR_CHANGED: "include",
    },
    "RecoveryState": {
        TAKEN_BACK: "give_back",
    },
    "EditState": {
        PAIR_READ: "begin",
        WRITING: "write cancel take_up leave",
    },
    "ResendState": {
        PAIR_SENT: "answer_again compare send_as_it_was",
        SENT: "send_edit deliver",
        TAKEN_BACK: "take_back",
        SETTINGS: "remember_way",
        WRITING: "choose_later choose_way end",
    },
    "StructuredState": {
        DRAWN: "toggle_source",
    },
    "SummaryState": {
        SENT: "write",
        READ: "ask plan",
        TAKEN_BACK: "take_back",
        STOPPED: "stop",
        WRITING: "end choose",
    },
    "ToolCardState": {
        PAIR_READ: "unfold",
        DRAWN: "fold toggle_piece",
    },
    "ToolChoiceState": {
        CHANGED: "choose_mode tick tick_server",
        READ: "keep_current",
    },
    "VersionsState": {
        PAIR_READ: "compare",
        PAIR_CHANGED: "restore swap take_back",
        DRAWN: "choose_before choose_after close",
    },
    "PreviewState": {
        READ: "refresh keep_current show_earlier open_piece show_page",
        DRAWN: "choose_tab",
    },
    "LineageState": {
        READ: "keep_current",
    },
    "ShareState": {
        SHARE_MADE: "make",
        READ: "ask draw",
        WRITING: "close choose sign",
    },
    "GrantState": {
        OWN_LISTS: "load",
        BY_COMMAND: "give end",
    },
    "GrantedState": {
        OWN_LISTS: "load",
        BY_COMMAND: "open copy leave",
    },
    "SharesState": {
        SHARE_REVOKED: "revoke",
        OWN_LISTS: "load",
    },
    "StatusState": {
        OWN_FIGURES: "load ask check",
    },
    "ExportMenuState": {
        WRITING: "show toggle_scope close",
    },
    "ImportState": {
        IMPORTED: "start undo",
        OWN_LISTS: "load follow",
        WRITING: "choose_again finish",
    },
    "FilterLineState": {
        CHANGED: "enter confirm undo",
        READ: "begin",
        WRITING: "leave check cancel",
    },
    "FilterState": {
        READ: "open use_model",
        DRAWN: "clear learn_zone",
    },
    "ModelState": {
        CHANGED: "choose",
        OWN_LISTS: "load look",
    },
    "NewsState": {
        OWN_LISTS: "follow read_again",
    },
    "NoticeState": {
        DRAWN: "tell dismiss",
    },
    "OwnPriceState": {
        PRICE: "save remove",
        OWN_FIGURES: "load",
    },
    "KeyboardState": {
        PAIR_CHANGED: "perform",
        DRAWN: "end_explanation tell_copied",
    },
    "PaletteState": {
        SEARCHED: "search",
        OWN_LISTS: "show",
        WRITING: "close choose",
    },
    "RetryState": {
        PAIR_SENT: "try_now",
        PAIR_CHANGED: "give_up",
    },
    "SavedFilterState": {
        FILTER: "save rename",
        FILTER_DELETED: "delete",
        OWN_LISTS: "toggle",
        READ: "use toggle_chip",
        WRITING: "close begin_rename end_rename",
    },
    "SheetState": {
        WRITING: "show close search",
    },
    "SidebarState": {
        LISTED: "load open show_more show_kind show_agent show_chats follow",
        SEARCHED: "search",
        CHANGED: "rename_conversation",
        DELETED: "delete_conversation",
        Audited(A.TRASH_RESTORED, ObjectKind.CONVERSATION, "conversation_id"): "restore_conversation",
        WRITING: "begin_rename end_rename ask_delete end_delete step",
    },
    "FolderState": {
        FOLDER: "save",
        FOLDER_DELETED: "delete",
        FOLDER_RESTORED: "restore",
        WRITING: "ask_new ask_rename close",
    },
    "PlacementState": {
        CHANGED_ONE: "toggle_pin toggle_archive toggle_unread",
        Audited(A.CONVERSATION_CHANGED, ObjectKind.FOLDER, "folder_id"): "move drop",
        Audited(A.CONVERSATION_CHANGED, ObjectKind.INSTALLATION): "move_to_new archive_selected mark_selected put_back",
        Audited(A.CONVERSATION_DELETED, ObjectKind.INSTALLATION): "delete_selected",
        RESTORED_SOME: "bring_back",
        WRITING: "show_menu look close_menu ask_move ask_move_selected close_move begin_drag begin_select tick "
        "tick_all end_select",
    },
    "SpentState": {
        OWN_FIGURES: "follow refresh",
    },
    "ToastState": {
        CHANGED: "undo confirm_undo",
        DRAWN: "dismiss",
    },
    "UnfoldedState": {
        READ: "toggle",
    },
    "ViewerState": {
        DRAWN: "open close press magnify reduce fit show_previous show_next",
    },
    "TrashState": {
        LISTED: "load show_more",
        SETTINGS: "keep_for",
        RESTORED: "restore",
        TRASH_DELETED: "delete_forever",
        WRITING: "ask_delete ask_empty end_delete",
    },
    "UndoState": {
        CHANGED: "undo_last take_back_last",
        RESTORED: "bring_back",
        OWN_LISTS: "open recall",
    },
    "UsageState": {
        OWN_FIGURES: "load choose_period choose_group show_measure",
    },
    "TranscriptState": {
        READ: "open show_earlier show_later show_newest show_position",
        FOLLOWED: "follow",
    },
    "TopicPickerState": {
        PAIR_CHANGED: "file",
        TOPIC: "save drop move_up move_down choose arrange",
        TOPIC_DELETED: "delete",
        OWN_LISTS: "pick_for_composer pick_for_pair search",
        WRITING: "close edit back escape",
    },
    "TopicState": {
        CHANGED_ONE: "carry",
        OWN_LISTS: "load",
    },
}  # fmt: skip
"""By the name of a state: its handlers, by rule."""


def find_rules() -> dict[str, AuditRule]:
    """The rules by "State.handler".

    Raises:
        ValueError: a handler has two.
    """
    found: dict[str, AuditRule] = {}
    for state, rules in (BY_STATE | OF_SETTINGS).items():
        for rule, handlers in rules.items():
            for handler in handlers.split():
                if f"{state}.{handler}" in found:
                    raise ValueError(f"{state}.{handler} has two rules.")
                found[f"{state}.{handler}"] = rule
    return found
