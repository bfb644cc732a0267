"""The vocabulary of the audit trail: actions, kinds of objects, and the rules that audit handlers and routes.

Each handler of the page and each route of the API has a rule: `Audited`, or `NotAudited` with the reason. The tables
are `state/audit_rules.py` and `api/http/audit_rules.py`; tests fail where one is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ObjectKind(StrEnum):
    """What something was done to. `UNKNOWN` is what a stored word reads as that is none of these."""

    CONVERSATION = "conversation"
    TEMPORARY = "temporary conversation"
    PAIR = "pair"
    RUN = "run"
    FILE = "file"
    SHARE = "share"
    EXPORT = "export"
    IMPORT = "import"
    TRASH = "trash"
    SESSION = "session"
    TOKEN = "token"  # noqa: S105 - a word
    PERSON = "person"
    INVITATION = "invitation"
    SETTING = "setting"
    PROVIDER = "provider"
    SERVER = "tool server"
    PERMISSION = "permission"
    RULE = "permission rule"
    AGENT = "agent"
    PROMPT = "prompt"
    FOLDER = "folder"
    FILTER = "filter"
    TOPIC = "topic"
    BUDGET = "budget"
    PRICE = "price"
    USAGE = "usage"
    AUDIT = "audit trail"
    INSTALLATION = "installation"
    UNKNOWN = "unknown"


class AuditAction(StrEnum):
    """What was done. `UNKNOWN` is what a stored word reads as that is none of these."""

    CONVERSATIONS_LISTED = "conversations.listed"
    CONVERSATIONS_SEARCHED = "conversations.searched"
    CONVERSATION_READ = "conversation.read"
    CONVERSATION_FOLLOWED = "conversation.followed"
    CONVERSATION_CREATED = "conversation.created"
    CONVERSATION_CHANGED = "conversation.changed"
    CONVERSATION_DELETED = "conversation.deleted"
    CONVERSATION_EXPORTED = "conversation.exported"
    CONVERSATION_IMPORTED = "conversation.imported"
    MESSAGE_SENT = "message.sent"
    RUN_STOPPED = "run.stopped"
    PAIR_CHANGED = "pair.changed"
    PAIR_DELETED = "pair.deleted"
    FILE_READ = "file.read"
    FILE_ADDED = "file.added"
    FILE_DELETED = "file.deleted"
    TRASH_RESTORED = "trash.restored"
    TRASH_DELETED = "trash.deleted"
    SHARE_MADE = "share.made"
    SHARE_VIEWED = "share.viewed"
    SHARE_REVOKED = "share.revoked"
    GRANT_MADE = "grant.made"
    GRANT_REVOKED = "grant.revoked"
    GRANT_COPIED = "grant.copied"
    SIGNED_IN = "session.signed_in"
    SIGN_IN_FAILED = "session.failed"
    SIGN_IN_THROTTLED = "session.throttled"
    SIGNED_OUT = "session.signed_out"
    SESSION_REVOKED = "session.revoked"
    TOKEN_MADE = "token.made"  # noqa: S105 - a word
    TOKEN_USED = "token.used"  # noqa: S105 - a word
    TOKEN_REFUSED = "token.refused"  # noqa: S105 - a word
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - a word
    PERSON_INVITED = "person.invited"
    INVITATION_WITHDRAWN = "person.invitation_withdrawn"
    PERSON_JOINED = "person.joined"
    PERSON_CHANGED = "person.changed"
    PERSON_ROLE_CHANGED = "person.role_changed"
    PERSON_DISABLED = "person.disabled"
    PERSON_ENABLED = "person.enabled"
    PERSON_RESET = "person.reset_made"
    PERSON_SIGNED_OUT = "person.signed_out"
    PERSON_DELETED = "person.deleted"
    SECOND_STEP_CHANGED = "person.second_step_changed"
    ACCOUNT_LINKED = "person.account_linked"
    ACCOUNT_UNLINKED = "person.account_unlinked"
    PASSKEY_ADDED = "person.passkey_added"
    PASSKEY_RENAMED = "person.passkey_renamed"
    PASSKEY_REMOVED = "person.passkey_removed"
    PASSKEY_USED = "session.passkey_used"
    PASSKEY_REFUSED = "session.passkey_refused"
    PASSWORD_CHANGED = "person.password_changed"  # noqa: S105 - a word
    SETTINGS_CHANGED = "settings.changed"
    LIBRARY_CHANGED = "library.changed"
    LIBRARY_DELETED = "library.deleted"
    LIBRARY_EXPORTED = "library.exported"
    SERVER_CHANGED = "server.changed"
    SERVER_USED = "server.used"
    SERVER_SHARED = "server.shared"
    SERVER_UNSHARED = "server.unshared"
    USAGE_EXPORTED = "usage.exported"
    AUDIT_READ = "audit.read"
    AUDIT_EXPORTED = "audit.exported"
    EVENT_REFUSED = "event.refused"
    BACKUP_MADE = "installation.backed_up"
    RESTORED = "installation.restored"
    PERMISSION_ASKED = "permission.asked"
    PERMISSION_ALLOWED = "permission.allowed"
    PERMISSION_DENIED = "permission.denied"
    PERMISSION_REFUSED = "permission.refused"
    PERMISSION_EXPIRED = "permission.expired"
    PERMISSION_RULE_MADE = "permission.rule_made"
    PERMISSION_RULE_REVOKED = "permission.rule_revoked"
    PREAPPROVED = "permission.preapproved"
    PREAPPROVAL_REVOKED = "permission.preapproval_revoked"
    RETENTION_SWEPT = "retention_swept"
    UNKNOWN = "unknown"


READS: Final = frozenset({
    AuditAction.CONVERSATIONS_LISTED, AuditAction.CONVERSATIONS_SEARCHED, AuditAction.CONVERSATION_READ,
    AuditAction.CONVERSATION_FOLLOWED, AuditAction.FILE_READ, AuditAction.SHARE_VIEWED, AuditAction.TOKEN_USED,
    AuditAction.TOKEN_REFUSED, AuditAction.AUDIT_READ, AuditAction.EVENT_REFUSED, AuditAction.SIGN_IN_THROTTLED,
})  # fmt: skip
"""Repeated within a window by the same person from the same place to the same object, these are entered once."""


NAMES_FIELDS: Final = frozenset({
    AuditAction.SETTINGS_CHANGED, AuditAction.PERSON_CHANGED, AuditAction.SERVER_CHANGED,
    AuditAction.LIBRARY_CHANGED,
})  # fmt: skip
"""Their entries name the fields that were sent, without values."""


@dataclass(frozen=True, slots=True)
class Audited:
    """A handler or route that leaves an entry. `argument` names the argument that has the object's id.

    Without an argument the object of a conversation is the one on the screen, or in the address.
    """

    action: AuditAction
    kind: ObjectKind = ObjectKind.CONVERSATION
    argument: str = ""


@dataclass(frozen=True, slots=True)
class NotAudited:
    """A handler or route that leaves none, and why."""

    why: str


AuditRule = Audited | NotAudited
