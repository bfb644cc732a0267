"""Settings → Permissions: the rules that allow tool calls without asking, and the audit trail of past decisions.

Calls that wait for an answer are shown in their conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import reflex as rx

from app.domain.audit import DECISIONS
from app.domain.errors import NotFoundError
from app.runs.agents.agent_commands import list_agents
from app.runs.app_context import current
from app.runs.audit.audit import read_audit
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools.permission_commands import list_rules, revoke_rule
from app.state.messages.error_messages import describe_fault
from app.state.tab.address import conversation_path
from app.state.tab.visit import VisitedState
from app.store.audit.audit import AuditCriteria, AuditEntry
from app.store.tools.permissions import StoredRule

PAGE: Final = 50
"""Number of entries of the audit trail that are shown at first, and that each "Show older" adds."""

_DONE: Final = {
    "permission.asked": "Asked",
    "permission.allowed": "Allowed",
    "permission.denied": "Denied",
    "permission.refused": "Refused",
    "permission.expired": "Expired",
    "permission.rule_made": "Rule created",
    "permission.rule_revoked": "Rule revoked",
}
_DECIDED: Final = AuditCriteria(actions=DECISIONS)
_BY: Final = {
    "person": "by you",
    "rule": "by a rule",
    "agent": "by the agent’s list",
    "built-in": "read-only tool",
    "server": "server changed",
}
_WHY: Final = {"time": "no answer", "stopped": "the reply was stopped", "interrupted": "Inview stopped"}


@dataclass(frozen=True)
class RuleItem:
    """A permission rule in the list.

    - `conversation`: the address of the only conversation with this rule, "" if the rule applies in all.
    - `since`: the time when the rule was made (ISO 8601).
    - `patterns`: the patterns that arguments must match.
    - `agent`: the name of the only agent with this rule, "" if the rule applies to all calls.
    """

    id: str
    name: str
    conversation: str
    since: str
    patterns: tuple[str, ...]
    agent: str = ""


@dataclass(frozen=True)
class AuditItem:
    """An entry of the audit trail: a decision about a tool call, or a change of a rule.

    `arguments` are the arguments of the call, whether the call was made or not.
    """

    number: int
    at: str
    action: str
    tool: str
    reason: str
    arguments: str


class PermissionRulesState(VisitedState, rx.State):
    """The section Permissions of the settings: the rules and the audit trail.

    - `loaded`: the rules were read.
    - `said`: the message after the last command.
    - `audit_loaded`: the audit trail was read, because the user opened it.
    - `older`: there are older entries.
    """

    rules: rx.Field[tuple[RuleItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    said: rx.Field[str] = rx.field("")
    audit: rx.Field[tuple[AuditItem, ...]] = rx.field(())
    audit_loaded: rx.Field[bool] = rx.field(default=False)
    older: rx.Field[bool] = rx.field(default=False)

    @rx.event
    async def load(self) -> None:
        """Read and show the permission rules."""
        await self._come()
        await self._read()

    @rx.event
    async def revoke(self, rule_id: str) -> None:
        """Revoke a rule, so that the calls which it allowed need a person's permission again."""
        try:
            kept = await revoke_rule(current(), LOCAL_OWNER, str(rule_id))
            self.said = f"Revoked. {kept.title} needs permission again from now on."
        except NotFoundError as error:
            self.said = describe_fault(error)
        await self._read()
        if self.audit_loaded:
            await self._read_audit(None)

    @rx.event
    async def show_audit(self) -> None:
        """Show the newest entries of the audit trail, unless they are shown already."""
        await self._come()
        if not self.audit_loaded:
            await self._read_audit(None)

    async def _end_visit(self) -> None:
        self.said, self.audit, self.audit_loaded, self.older = "", (), False, False

    @rx.event
    async def show_older(self) -> None:
        """Show older entries of the audit trail in addition, at the end of the list."""
        await self._read_audit(self.audit[-1].number if self.audit else None)

    async def _read(self) -> None:
        names = {agent.id: agent.name for agent in await list_agents(current(), LOCAL_OWNER)}
        self.rules = tuple(describe_rule(kept, names) for kept in await list_rules(current(), LOCAL_OWNER))
        self.loaded = True

    async def _read_audit(self, before: int | None) -> None:
        found = await read_audit(current().store, LOCAL_OWNER, limit=PAGE + 1, before=before, criteria=_DECIDED)
        items = tuple(_describe_entry(number, entry) for number, entry in found[:PAGE])
        self.audit = items if before is None else (*self.audit, *items)
        self.audit_loaded, self.older = True, len(found) > PAGE


def describe_rule(kept: StoredRule, names: Mapping[str, str]) -> RuleItem:
    """Return a permission rule as an item of a list. `names`: the names of the agents by id."""
    rule = kept.rule
    return RuleItem(
        id=rule.id,
        name=f"{kept.server_name}: {kept.title}",
        conversation="" if rule.conversation_id is None else conversation_path(rule.conversation_id),
        since=kept.created_at.isoformat(),
        patterns=tuple(f"{each.name}: {each.pattern}" for each in rule.arguments),
        agent="" if rule.agent_id is None else names.get(rule.agent_id, "a deleted agent"),
    )


def _describe_entry(number: int, entry: AuditEntry) -> AuditItem:
    data = entry.data
    reasons = (_BY.get(data.get("by", "")), _WHY.get(data.get("why", "")), _describe_scope(data))
    return AuditItem(
        number=number,
        at=entry.at.isoformat(),
        action=_DONE.get(entry.action, entry.action),
        tool=f"{data.get('server', '')}: {data.get('tool', '')}",
        reason=", ".join(filter(None, reasons)),
        arguments=str(data.get("edited") or data.get("input") or ""),
    )


def _describe_scope(data: dict[str, Any]) -> str:
    return f"scope: {data['scope']}" if data.get("scope") else ""
