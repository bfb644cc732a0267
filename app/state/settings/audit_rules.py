"""The audit rule of each handler of Settings. See `app/state/audit_rules.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.domain.people.audit_actions import AuditAction as A
from app.domain.people.audit_actions import Audited, AuditRule, ObjectKind
from app.state.audited import (
    BY_COMMAND,
    EXPORTED,
    OWN_LISTS,
    PERSON,
    PROVIDER,
    RESTORED_SOME,
    SERVER,
    SETTINGS,
    WRITING,
)

OF_SETTINGS: Final[dict[str, Mapping[AuditRule, str]]] = {
    "AllowanceState": {
        SETTINGS: "save_models give take",
        OWN_LISTS: "load",
    },
    "AppearanceState": {
        SETTINGS: "choose_theme choose_language",
    },
    "ContextState": {
        SETTINGS: "save",
        OWN_LISTS: "load",
        WRITING: "clear_fault",
    },
    "KeysState": {
        SETTINGS: "press take_usual reset_all enter_view",
        OWN_LISTS: "load",
        WRITING: "ask leave",
    },
    "PermissionRulesState": {
        BY_COMMAND: "revoke",
        OWN_LISTS: "load show_audit show_older",
    },
    "PreferencesState": {
        OWN_LISTS: "load",
    },
    "PrivacyState": {
        SETTINGS: "save_about tell_about_me tell_day redact",
        OWN_LISTS: "load",
    },
    "ProvidersState": {
        PROVIDER: "forget_provider test_provider",
        SETTINGS: "save_provider add_server",
        OWN_LISTS: "load",
    },
    "RetentionState": {
        SETTINGS: "choose choose_for_folder",
        RESTORED_SOME: "bring_back",
        OWN_LISTS: "load",
    },
    "TitlesState": {
        SETTINGS: "name_conversations choose_model replay",
        OWN_LISTS: "load",
    },
    "TokensState": {
        BY_COMMAND: "make revoke",
        OWN_LISTS: "load",
        WRITING: "ask end_ask",
    },
    "SessionState": {
        PERSON: "rename",
        BY_COMMAND: "change_password end end_others",
        OWN_LISTS: "load",
    },
    "AuditState": {
        BY_COMMAND: "load narrow show_more check",
    },
    "PeopleState": {
        BY_COMMAND: "invite withdraw change_role disable enable make_reset sign_out delete",
        OWN_LISTS: "load",
        WRITING: "ask end_ask",
    },
    "ServersState": {
        SERVER: "switch sign_in end_sign_in test",
        Audited(A.SERVER_CHANGED, ObjectKind.SERVER): "switch_built_in delete add",
        OWN_LISTS: "load show_log",
        WRITING: "ask_delete end_delete choose_kind",
    },
    "SharedServersState": {
        BY_COMMAND: "share end_share",
        Audited(A.SETTINGS_CHANGED, ObjectKind.SERVER, "server_id"): "use",
        OWN_LISTS: "load",
        WRITING: "ask end_ask",
    },
    "EverythingState": {
        EXPORTED: "export",
    },
}  # fmt: skip
"""By the name of a state: its handlers, by rule."""
