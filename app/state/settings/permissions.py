"""Settings → Permissions: the rules that allow calls without asking, and every decision about a call so far.

Not the calls that wait for an answer in a conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

import reflex as rx

from app.domain.agents.agents import Agent, list_preapproved
from app.domain.errors import NotFoundError
from app.domain.tools.tools import BUILT_IN, BUILT_IN_NAME
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.agent_commands import list_agents
from app.runs.tools.lent_servers import list_lent
from app.runs.tools.permission_commands import list_decisions, list_rules, revoke_rule
from app.runs.tools.server_commands import list_servers
from app.runs.workbench import current
from app.state.address import conversation_path
from app.state.faults import describe_fault
from app.store.audit.entries import StoredEntry
from app.store.tools.permissions import StoredRule

PAGE: Final = 50
"""Entries of the audit trail shown at first, and added by each "Show older"."""

_DONE: Final = {
    "permission.asked": "settings.permissions.asked",
    "permission.allowed": "settings.permissions.allowed",
    "permission.denied": "settings.permissions.denied",
    "permission.refused": "settings.permissions.refused",
    "permission.expired": "settings.permissions.expired",
    "permission.rule_made": "settings.permissions.rule_made",
    "permission.rule_revoked": "settings.permissions.rule_revoked",
    "permission.preapproved": "settings.permissions.pre_approved",
    "permission.preapproval_revoked": "settings.permissions.pre_approval_revoked",
}
_BY: Final = {
    "person": "settings.permissions.by_you",
    "rule": "settings.permissions.by_a_rule",
    "agent": "settings.permissions.by_agent_list",
    "built-in": "settings.permissions.it_only_reads",
    "server": "settings.permissions.its_server_was_changed",
}
_WHY: Final = {
    "time": "settings.permissions.no_answer",
    "stopped": "settings.permissions.the_reply_was_stopped",
    "interrupted": "settings.permissions.inview_ended",
}


@dataclass(frozen=True)
class RuleItem:
    """A rule. `conversation` is the address of the only one it holds in, "" if it holds in all. `since` is ISO.

    `agent` is the name of the only agent it is for, "" if it is for all.
    """

    id: str
    name: str
    conversation: str
    agent: str
    since: str
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class PreapprovedItem:
    """Calls that an agent makes without asking, by its own list. `place` is the address of the agent's form."""

    key: str
    agent: str
    place: str
    name: str
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class AuditItem:
    """A decision about a call, or a change of a rule. `arguments` are what the call was or would be made with."""

    number: int
    at: str
    action: str
    tool: str
    reason: str
    arguments: str


class PermissionRulesState(rx.State):
    """`rules` are those people made when asked, `preapproved` the calls that agents make without asking.

    `audit` is read once it is asked for (`audit_loaded`); `older` says whether there is more of it.
    """

    rules: rx.Field[tuple[RuleItem, ...]] = rx.field(())
    preapproved: rx.Field[tuple[PreapprovedItem, ...]] = rx.field(())
    loaded: rx.Field[bool] = rx.field(default=False)
    said: rx.Field[str] = rx.field("")
    audit: rx.Field[tuple[AuditItem, ...]] = rx.field(())
    audit_loaded: rx.Field[bool] = rx.field(default=False)
    older: rx.Field[bool] = rx.field(default=False)

    @rx.event
    async def load(self) -> None:
        """Show the rules."""
        self.said, self.audit, self.audit_loaded, self.older = "", (), False, False
        await self._read()

    @rx.event
    async def revoke(self, rule_id: str) -> None:
        """Revoke a rule. Later calls ask for permission again."""
        try:
            kept = await revoke_rule(current(), caller(), str(rule_id))
            self.said = translate("settings.permissions.revoked_needs_permission_again", title=kept.title)
        except NotFoundError as error:
            self.said = describe_fault(error)
        await self._read()
        if self.audit_loaded:
            await self._read_audit(None)

    @rx.event
    async def show_audit(self) -> None:
        """Show the newest decisions, unless they are shown already."""
        if not self.audit_loaded:
            await self._read_audit(None)

    @rx.event
    async def show_older(self) -> None:
        """Add older decisions below."""
        await self._read_audit(self.audit[-1].number if self.audit else None)

    async def _read(self) -> None:
        self.rules = tuple(map(_describe_rule, await list_rules(current(), caller())))
        known = await list_servers(current(), caller())
        servers = {BUILT_IN: BUILT_IN_NAME} | {seen.server.id: seen.server.name for seen in known}
        servers |= {one.id: one.name for one in list_lent(current(), caller())}
        agents = await list_agents(current(), caller())
        self.preapproved = tuple(item for agent in agents for item in _describe_preapproved(agent, servers))
        self.loaded = True

    async def _read_audit(self, before: int | None) -> None:
        found = await list_decisions(current(), caller(), limit=PAGE + 1, before=before)
        items = tuple(map(_describe_entry, found[:PAGE]))
        self.audit = items if before is None else (*self.audit, *items)
        self.audit_loaded, self.older = True, len(found) > PAGE


def _describe_rule(kept: StoredRule) -> RuleItem:
    rule = kept.rule
    return RuleItem(
        id=rule.id,
        name=f"{kept.server_name}: {kept.title}",
        conversation="" if rule.conversation_id is None else conversation_path(rule.conversation_id),
        agent=kept.agent,
        since=kept.created_at.isoformat(),
        patterns=tuple(f"{each.name}: {each.pattern}" for each in rule.arguments),
    )


def _describe_preapproved(agent: Agent, servers: Mapping[str, str]) -> Iterator[PreapprovedItem]:
    for place, entry in enumerate(list_preapproved(agent)):
        yield PreapprovedItem(
            key=f"{agent.id}-{place}",
            agent=agent.name,
            place=f"/agents?{urlencode({'agent': agent.id})}",
            name=f"{servers.get(entry.server_id, entry.server_id)}: {entry.tool}",
            patterns=tuple(f"{each.name}: {each.pattern}" for each in entry.arguments),
        )


def _describe_entry(stored: StoredEntry) -> AuditItem:
    number, entry, data = stored.number, stored.entry, dict(stored.entry.data)
    agent = translate("settings.permissions.agent_is", agent=data["agent"]) if data.get("agent") else ""
    reasons = (_say(_BY, data.get("by", "")), _say(_WHY, data.get("why", "")), _describe_scope(data), agent)
    return AuditItem(
        number=number,
        at=entry.at.isoformat(),
        action=_say(_DONE, entry.action) or entry.action,
        tool=f"{data.get('server', '')}: {data.get('tool', '')}",
        reason=", ".join(filter(None, reasons)),
        arguments=str(data.get("edited") or data.get("input") or ""),
    )


def _describe_scope(data: dict[str, Any]) -> str:
    return translate("settings.permissions.scope_is", scope=data["scope"]) if data.get("scope") else ""


def _say(texts: Mapping[str, str], word: str) -> str:
    return translate(texts[word]) if word in texts else ""
