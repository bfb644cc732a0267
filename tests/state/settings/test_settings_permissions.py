from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.domain.tools.permissions import ArgumentPattern, Rule
from app.runs.agents.agent_commands import create_agent
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools.permission_commands import list_rules
from app.state.settings.permissions import PAGE, AuditItem, PermissionRulesState, RuleItem
from app.store.audit.audit import AuditEntry, insert_entries
from app.store.tools.permissions import StoredRule, insert_rule
from tests.state.conftest import Tab

AT = datetime(2026, 11, 23, 12, tzinfo=UTC)


async def a_rule(ctx: AppContext, rule_id: str = "r1", *patterns: ArgumentPattern, agent_id: str | None = None) -> None:
    rule = Rule(rule_id, "s1", "write_file", "", patterns, None, agent_id)
    async with ctx.store.write() as session:
        await insert_rule(session, LOCAL_OWNER, StoredRule(rule, "Files", "Write", AT))


async def an_entry(ctx: AppContext, action: str, number: int = 0, **data: str) -> None:
    at = AT + timedelta(seconds=number)
    data = {"server": "Files", "tool": "write_file", **data}
    async with ctx.store.write() as session:
        await insert_entries(session, [AuditEntry(LOCAL_OWNER, at, action, f"p{number}", None, data)])


def audit(tab: Tab) -> tuple[AuditItem, ...]:
    return tab.shows(PermissionRulesState, "audit")


async def test_rules_are_shown_with_their_patterns(ctx: AppContext, tab: Tab) -> None:
    await a_rule(ctx, "r1", ArgumentPattern("path", "/notes/*"))

    await tab.send(PermissionRulesState.load)

    assert tab.shows(PermissionRulesState, "rules") == (
        RuleItem("r1", "Files: Write", "", AT.isoformat(), ("path: /notes/*",)),
    )
    assert tab.shows(PermissionRulesState, "loaded") is True


async def test_rules_of_agents_name_the_agent(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Reviewer"})
    await a_rule(ctx, "r1")
    await a_rule(ctx, "r2", agent_id=agent.id)
    await a_rule(ctx, "r3", agent_id="gone")

    await tab.send(PermissionRulesState.load)

    rules: tuple[RuleItem, ...] = tab.shows(PermissionRulesState, "rules")
    assert [(rule.id, rule.agent) for rule in rules] == [("r3", "a deleted agent"), ("r2", "Reviewer"), ("r1", "")]


async def test_revoked_rule_is_removed_and_added_to_the_open_trail(ctx: AppContext, tab: Tab) -> None:
    await a_rule(ctx)
    await tab.send(PermissionRulesState.load)
    await tab.send(PermissionRulesState.show_audit)

    await tab.send(PermissionRulesState.revoke, rule_id="r1")

    assert await list_rules(ctx, LOCAL_OWNER) == ()
    assert tab.shows(PermissionRulesState, "rules") == ()
    assert tab.shows(PermissionRulesState, "said") == "Revoked. Write needs permission again from now on."
    assert (audit(tab)[0].action, audit(tab)[0].reason) == ("Rule revoked", "by you, scope: always")

    await tab.send(PermissionRulesState.revoke, rule_id="r1")
    assert "r1" in tab.shows(PermissionRulesState, "said")


async def test_decisions_are_read_once_they_are_asked_for_and_say_why(ctx: AppContext, tab: Tab) -> None:
    await an_entry(ctx, "permission.expired", 1, why="time", input='{"path": "/a"}')
    await an_entry(ctx, "permission.allowed", 2, by="person", scope="once", input="{}", edited='{"path": "/b"}')
    await tab.send(PermissionRulesState.load)
    assert not audit(tab)

    await tab.send(PermissionRulesState.show_audit)

    assert [(item.action, item.tool, item.reason, item.arguments) for item in audit(tab)] == [
        ("Allowed", "Files: write_file", "by you, scope: once", '{"path": "/b"}'),
        ("Expired", "Files: write_file", "no answer", '{"path": "/a"}'),
    ]


async def test_older_decisions_come_page_by_page(ctx: AppContext, tab: Tab) -> None:
    for number in range(PAGE + 2):
        await an_entry(ctx, "permission.asked", number)
    await tab.send(PermissionRulesState.show_audit)
    assert (len(audit(tab)), tab.shows(PermissionRulesState, "older")) == (PAGE, True)

    await tab.send(PermissionRulesState.show_older)

    numbers = [item.number for item in audit(tab)]
    assert (len(numbers), tab.shows(PermissionRulesState, "older")) == (PAGE + 2, False)
    assert numbers == sorted(numbers, reverse=True)
