"""The audit rule of each route of the API. A route without a rule fails a test.

A rule's argument names the part of the address that has the object's id; a conversation's is `conversation_id`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.domain.people.audit_actions import AuditAction as A
from app.domain.people.audit_actions import Audited, AuditRule, NotAudited, ObjectKind

OWN_FIGURES: Final = NotAudited("shows the person's own sums: numbers and no text")
OWN_LISTS: Final = NotAudited("lists names and settings of the person's own; using or changing one has an entry")
OF_ALL: Final = NotAudited("counts and times of the installation, and nothing of a person")
PUBLIC: Final = NotAudited("says the same to everybody")
BY_COMMAND: Final = NotAudited("its command enters it with what only the command knows")
NOTHING_STORED: Final = NotAudited("works out what the caller sent and reads nothing of anybody")

LISTED: Final = Audited(A.CONVERSATIONS_LISTED, ObjectKind.INSTALLATION)
SEARCHED: Final = Audited(A.CONVERSATIONS_SEARCHED, ObjectKind.INSTALLATION)
READ: Final = Audited(A.CONVERSATION_READ, argument="conversation_id")
CREATED: Final = Audited(A.CONVERSATION_CREATED)
CHANGED: Final = Audited(A.CONVERSATION_CHANGED, argument="conversation_id")
SENT: Final = Audited(A.MESSAGE_SENT, argument="conversation_id")
PAIR_READ: Final = Audited(A.CONVERSATION_READ, ObjectKind.PAIR, "pair_id")
PAIR_SENT: Final = Audited(A.MESSAGE_SENT, ObjectKind.PAIR, "pair_id")
PAIR_CHANGED: Final = Audited(A.PAIR_CHANGED, ObjectKind.PAIR, "pair_id")
RUN_READ: Final = Audited(A.CONVERSATION_READ, ObjectKind.RUN, "run_id")
EXPORTED: Final = Audited(A.CONVERSATION_EXPORTED, ObjectKind.EXPORT)
IMPORTED: Final = Audited(A.CONVERSATION_IMPORTED, ObjectKind.IMPORT)
IMPORTED_ONE: Final = Audited(A.CONVERSATION_IMPORTED, ObjectKind.IMPORT, "import_id")
SETTINGS: Final = Audited(A.SETTINGS_CHANGED, ObjectKind.SETTING)
BUDGET: Final = Audited(A.SETTINGS_CHANGED, ObjectKind.BUDGET)
PRICE: Final = Audited(A.SETTINGS_CHANGED, ObjectKind.PRICE)
OF_PERSON: Final = Audited(A.SETTINGS_CHANGED, ObjectKind.PERSON, "person_id")
SERVER: Final = Audited(A.SERVER_CHANGED, ObjectKind.SERVER, "server_id")
TOOL_USED: Final = Audited(A.SERVER_USED, ObjectKind.SERVER, "server_id")
TRASH_DELETED: Final = Audited(A.TRASH_DELETED, ObjectKind.TRASH)


def _library(kind: ObjectKind, argument: str = "") -> Audited:
    return Audited(A.LIBRARY_CHANGED, kind, argument)


def _gone(kind: ObjectKind, argument: str) -> Audited:
    return Audited(A.LIBRARY_DELETED, kind, argument)


_CONVERSATION: Final = "/conversations/{conversation_id}"

RULES: Final[Mapping[str, AuditRule]] = {
    "GET /health": PUBLIC,
    "GET /ready": PUBLIC,
    "GET /models": OWN_LISTS,
    "GET /conversations": LISTED,
    "POST /conversations": CREATED,
    f"GET {_CONVERSATION}": READ,
    f"PATCH {_CONVERSATION}": CHANGED,
    f"POST {_CONVERSATION}/keep": CHANGED,
    f"DELETE {_CONVERSATION}": Audited(A.CONVERSATION_DELETED, argument="conversation_id"),
    f"GET {_CONVERSATION}/pairs": READ,
    f"GET {_CONVERSATION}/history": READ,
    "POST /attachments": Audited(A.FILE_ADDED, ObjectKind.FILE),
    "DELETE /attachments/{attachment_id}": Audited(A.FILE_DELETED, ObjectKind.FILE, "attachment_id"),
    "GET /attachments/{attachment_id}": Audited(A.FILE_READ, ObjectKind.FILE, "attachment_id"),
    "PATCH /pairs/{pair_id}": PAIR_CHANGED,
    "DELETE /pairs/{pair_id}": Audited(A.PAIR_DELETED, ObjectKind.PAIR, "pair_id"),
    "POST /pairs/{pair_id}/undelete": PAIR_CHANGED,
    f"POST {_CONVERSATION}/marks": CHANGED,
    "GET /pairs/{pair_id}/raw": Audited(A.CONVERSATION_EXPORTED, ObjectKind.PAIR, "pair_id"),
    f"POST {_CONVERSATION}/filter": READ,
    f"POST {_CONVERSATION}/commands": CHANGED,
    f"POST {_CONVERSATION}/preview": READ,
    f"POST {_CONVERSATION}/send": SENT,
    "POST /send": SENT,
    f"GET {_CONVERSATION}/preview/{{body_sha256}}": READ,
    "GET /pairs/{pair_id}/snapshot/body": PAIR_READ,
    f"GET {_CONVERSATION}/queue": READ,
    f"POST {_CONVERSATION}/queue": SENT,
    f"POST {_CONVERSATION}/queue/pause": CHANGED,
    f"POST {_CONVERSATION}/queue/resume": SENT,
    f"PATCH {_CONVERSATION}/queue/{{queued_id}}": CHANGED,
    f"DELETE {_CONVERSATION}/queue/{{queued_id}}": CHANGED,
    f"POST {_CONVERSATION}/compare": SENT,
    "POST /pairs/{pair_id}/compare": PAIR_SENT,
    f"GET {_CONVERSATION}/comparison": READ,
    f"POST {_CONVERSATION}/comparison/keep": CHANGED,
    f"DELETE {_CONVERSATION}/comparison": CHANGED,
    f"POST {_CONVERSATION}/comparison/reopen": CHANGED,
    f"POST {_CONVERSATION}/count": READ,
    f"GET {_CONVERSATION}/cache": READ,
    f"PUT {_CONVERSATION}/keep-warm": CHANGED,
    f"GET {_CONVERSATION}/keep-warm": READ,
    f"DELETE {_CONVERSATION}/keep-warm": CHANGED,
    f"POST {_CONVERSATION}/summarize": SENT,
    f"POST {_CONVERSATION}/summarize/preview": READ,
    f"PUT {_CONVERSATION}/checkpoint": CHANGED,
    f"DELETE {_CONVERSATION}/checkpoint": CHANGED,
    f"GET {_CONVERSATION}/nodes": READ,
    f"POST {_CONVERSATION}/title": SENT,
    f"POST {_CONVERSATION}/fork": CHANGED,
    f"GET {_CONVERSATION}/branches": READ,
    "GET /pairs": SEARCHED,
    "GET /pairs/{pair_id}/source": PAIR_READ,
    f"GET {_CONVERSATION}/lineage": READ,
    "POST /pairs/{pair_id}/resend": PAIR_SENT,
    "POST /pairs/{pair_id}/preview": PAIR_READ,
    "GET /pairs/{pair_id}/versions": PAIR_READ,
    "POST /pairs/{pair_id}/restore": PAIR_CHANGED,
    "GET /pairs/{pair_id}/snapshot": PAIR_READ,
    "POST /pairs/{pair_id}/snapshot/resend": PAIR_SENT,
    "GET /pairs/{pair_id}/structured": PAIR_READ,
    "POST /schemas/check": NOTHING_STORED,
    "GET /runs/{run_id}/events": Audited(A.CONVERSATION_FOLLOWED, ObjectKind.RUN, "run_id"),
    "POST /runs/{run_id}/cancel": Audited(A.RUN_STOPPED, ObjectKind.RUN, "run_id"),
    "POST /runs/{run_id}/retry": Audited(A.MESSAGE_SENT, ObjectKind.RUN, "run_id"),
    "GET /pairs/{pair_id}/tool-calls": PAIR_READ,
    f"GET {_CONVERSATION}/tools": READ,
    f"GET {_CONVERSATION}/permissions": READ,
    "GET /permissions/{request_id}": Audited(A.CONVERSATION_READ, ObjectKind.PERMISSION, "request_id"),
    "POST /permissions/{request_id}": BY_COMMAND,
    "GET /permission-rules": OWN_LISTS,
    "DELETE /permission-rules/{rule_id}": BY_COMMAND,
    "GET /audit": BY_COMMAND,
    "GET /audit/export": BY_COMMAND,
    "GET /pairs/{pair_id}/calls": PAIR_READ,
    "GET /calls/{call_id}/body": Audited(A.CONVERSATION_READ, ObjectKind.RUN, "call_id"),
    "PUT /agents/{agent_id}/shared": _library(ObjectKind.AGENT, "agent_id"),
    "DELETE /agents/{agent_id}/shared": _library(ObjectKind.AGENT, "agent_id"),
    "PUT /prompts/{prompt_id}/shared": _library(ObjectKind.PROMPT, "prompt_id"),
    "DELETE /prompts/{prompt_id}/shared": _library(ObjectKind.PROMPT, "prompt_id"),
    "/metrics": OF_ALL,
    "GET /topics": OWN_LISTS,
    "POST /topics": _library(ObjectKind.TOPIC),
    "PATCH /topics/{topic_id}": _library(ObjectKind.TOPIC, "topic_id"),
    "DELETE /topics/{topic_id}": _gone(ObjectKind.TOPIC, "topic_id"),
    "GET /folders": OWN_LISTS,
    "POST /folders": _library(ObjectKind.FOLDER),
    "PATCH /folders/{folder_id}": _library(ObjectKind.FOLDER, "folder_id"),
    "DELETE /folders/{folder_id}": _gone(ObjectKind.FOLDER, "folder_id"),
    "GET /agents": OWN_LISTS,
    "POST /agents": _library(ObjectKind.AGENT),
    "GET /agents/export": Audited(A.LIBRARY_EXPORTED, ObjectKind.AGENT),
    "POST /agents/import": _library(ObjectKind.AGENT),
    "GET /agents/{agent_id}": OWN_LISTS,
    "PATCH /agents/{agent_id}": _library(ObjectKind.AGENT, "agent_id"),
    "DELETE /agents/{agent_id}": _gone(ObjectKind.AGENT, "agent_id"),
    "POST /agents/{agent_id}/undelete": _library(ObjectKind.AGENT, "agent_id"),
    "GET /prompts": OWN_LISTS,
    "POST /prompts": _library(ObjectKind.PROMPT),
    "GET /prompts/export": Audited(A.LIBRARY_EXPORTED, ObjectKind.PROMPT),
    "POST /prompts/import": _library(ObjectKind.PROMPT),
    "GET /prompts/{prompt_id}": OWN_LISTS,
    "PATCH /prompts/{prompt_id}": _library(ObjectKind.PROMPT, "prompt_id"),
    "DELETE /prompts/{prompt_id}": _gone(ObjectKind.PROMPT, "prompt_id"),
    "POST /prompts/{prompt_id}/undelete": _library(ObjectKind.PROMPT, "prompt_id"),
    "GET /trash": LISTED,
    f"GET {_CONVERSATION}/trash": READ,
    "POST /trash/{entry_id}/restore": Audited(A.TRASH_RESTORED, ObjectKind.TRASH, "entry_id"),
    "DELETE /trash/{entry_id}": Audited(A.TRASH_DELETED, ObjectKind.TRASH, "entry_id"),
    "DELETE /trash": TRASH_DELETED,
    "GET /retention": OWN_LISTS,
    "POST /retention/sweeps/{number}/undo": Audited(A.TRASH_RESTORED, ObjectKind.TRASH),
    "GET /filters": OWN_LISTS,
    "GET /filters/{name}": OWN_LISTS,
    "PUT /filters/{name}": _library(ObjectKind.FILTER),
    "PATCH /filters/{name}": _library(ObjectKind.FILTER),
    "DELETE /filters/{name}": Audited(A.LIBRARY_DELETED, ObjectKind.FILTER),
    "GET /preferences": OWN_LISTS,
    "GET /preferences/prelude": OWN_LISTS,
    "POST /preferences/redaction": NOTHING_STORED,
    "PUT /preferences": SETTINGS,
    f"GET {_CONVERSATION}/export": Audited(A.CONVERSATION_EXPORTED, argument="conversation_id"),
    "POST /exports": EXPORTED,
    "GET /exports/{export_id}": Audited(A.CONVERSATION_EXPORTED, ObjectKind.EXPORT, "export_id"),
    "POST /import": IMPORTED,
    f"POST {_CONVERSATION}/shares/preview": READ,
    f"POST {_CONVERSATION}/shares": Audited(A.SHARE_MADE, argument="conversation_id"),
    "GET /shares": OWN_LISTS,
    f"GET {_CONVERSATION}/grants": OWN_LISTS,
    f"POST {_CONVERSATION}/grants": BY_COMMAND,
    "GET /grants": OWN_LISTS,
    "GET /grants/{grant_id}": BY_COMMAND,
    "POST /grants/{grant_id}/copy": BY_COMMAND,
    "DELETE /grants/{grant_id}": BY_COMMAND,
    "DELETE /shares/{share_id}": Audited(A.SHARE_REVOKED, ObjectKind.SHARE, "share_id"),
    "POST /imports": IMPORTED,
    "GET /imports/{import_id}": OWN_LISTS,
    "POST /imports/{import_id}/commit": IMPORTED_ONE,
    "POST /imports/{import_id}/undo": IMPORTED_ONE,
    "DELETE /imports/{import_id}": IMPORTED_ONE,
    "GET /runs/{run_id}/verify": RUN_READ,
    "GET /runs/{run_id}/request": RUN_READ,
    "GET /usage": OWN_FIGURES,
    "GET /usage/export": Audited(A.USAGE_EXPORTED, ObjectKind.USAGE),
    "POST /usage/reconcile": OWN_FIGURES,
    f"GET {_CONVERSATION}/usage": OWN_FIGURES,
    f"GET {_CONVERSATION}/calls": OWN_FIGURES,
    "GET /budgets": OWN_FIGURES,
    "PUT /budgets/{scope}/{span}": BUDGET,
    "DELETE /budgets/{scope}/{span}": BUDGET,
    "GET /prices": OWN_FIGURES,
    "PUT /prices/{since}": PRICE,
    "DELETE /prices/{since}": PRICE,
    "GET /mcp-servers": OWN_LISTS,
    "POST /mcp-servers": Audited(A.SERVER_CHANGED, ObjectKind.SERVER),
    "GET /mcp-servers/{server_id}": OWN_LISTS,
    "PATCH /mcp-servers/{server_id}": SERVER,
    "DELETE /mcp-servers/{server_id}": SERVER,
    "POST /mcp-servers/{server_id}/test": TOOL_USED,
    "GET /mcp-servers/{server_id}/log": OWN_LISTS,
    "PUT /mcp-servers/{server_id}/shared": BY_COMMAND,
    "DELETE /mcp-servers/{server_id}/shared": BY_COMMAND,
    "POST /mcp-servers/{server_id}/prompt": TOOL_USED,
    "POST /mcp-servers/{server_id}/resource": TOOL_USED,
    "POST /mcp-servers/{server_id}/sign-in": SERVER,
    "DELETE /mcp-servers/{server_id}/sign-in": SERVER,
    "GET /tokens": OWN_LISTS,
    "POST /tokens": BY_COMMAND,
    "DELETE /tokens/{token_id}": BY_COMMAND,
    "GET /allowances": OWN_LISTS,
    "PUT /allowances/roles/{role}/models": SETTINGS,
    "PUT /allowances/roles/{role}/budgets/{span}": BUDGET,
    "DELETE /allowances/roles/{role}/budgets/{span}": BUDGET,
    "PUT /allowances/people/{person_id}/budgets/{span}": OF_PERSON,
    "DELETE /allowances/people/{person_id}/budgets/{span}": OF_PERSON,
    "/sign-in": BY_COMMAND,
    "/sign-in/code": BY_COMMAND,
    "/security": BY_COMMAND,
    "/sign-in/passkey": BY_COMMAND,
    "/sign-in/passkeys.js": PUBLIC,
    "/sign-in/provider": BY_COMMAND,
    "/sign-in/provider/back": BY_COMMAND,
    "/sign-out": BY_COMMAND,
    "/welcome": BY_COMMAND,
    "/s/{token:path}": BY_COMMAND,
    "/api/v1/mcp-servers/oauth/callback": Audited(A.SERVER_CHANGED, ObjectKind.SERVER),
    "/v1/chat/completions": Audited(A.MESSAGE_SENT),
    "/v1/messages": Audited(A.MESSAGE_SENT),
    "/v1/messages/count_tokens": NOTHING_STORED,
    "/v1/models": OWN_LISTS,
    "/v1/models/{model:path}": OWN_LISTS,
    "/api/v1/docs": PUBLIC,
    "/api/v1/docs.css": PUBLIC,
    "/api/v1/openapi.json": PUBLIC,
}
"""By method and address of the described routes; those beside them by address alone."""
