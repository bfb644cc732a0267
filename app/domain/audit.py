"""The actions that the audit trail records."""

from __future__ import annotations

from enum import StrEnum


class AuditAction(StrEnum):
    """An action in the audit trail: on a conversation, or a decision about a tool call or a permission rule.

    - `OPENED`: a page showed the conversation.
    - `READ`: a program read its content.
    - `SENT`: a text was sent, a pair was sent again, or a provider counted the tokens of a send.
    - `DELETED`: the conversation was deleted permanently.
    """

    OPENED = "conversation.opened"
    READ = "conversation.read"
    EXPORTED = "conversation.exported"
    CREATED = "conversation.created"
    CHANGED = "conversation.changed"
    SENT = "conversation.sent"
    TRASHED = "conversation.trashed"
    RESTORED = "conversation.restored"
    DELETED = "conversation.deleted"
    ASKED = "permission.asked"
    ALLOWED = "permission.allowed"
    DENIED = "permission.denied"
    REFUSED = "permission.refused"
    EXPIRED = "permission.expired"
    RULE_MADE = "permission.rule_made"
    RULE_REVOKED = "permission.rule_revoked"


DECISIONS = tuple(action for action in AuditAction if action.startswith("permission."))
"""The actions that are decisions about tool calls, and changes of permission rules."""
