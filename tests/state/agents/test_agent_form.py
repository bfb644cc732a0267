from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import text

from app.domain.agents.agents import Agent
from app.domain.conversation.conversation import Effort, Parameters
from app.domain.costs.budgets import BudgetPeriod, BudgetScope, SpendingBudget
from app.domain.tools.permissions import AllowedTool, ArgumentPattern, Rule
from app.domain.tools.tool_servers import OverStdio
from app.domain.tools.tools import BUILT_IN
from app.runs.agents.agent_commands import AgentFields, create_agent, delete_agent, list_agents
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools.permission_commands import list_rules
from app.runs.tools.server_commands import ServerSettings, add_server
from app.runs.usage.budgets import set_budget
from app.state.agents.fields import REFUSED
from app.state.agents.form import AgentFormState
from app.state.agents.listing import AgentListState
from app.state.agents.views import AgentErrors, AgentForm, AgentServerItem, AllowedItem
from app.state.messages.toasts import ToastState
from app.store.tools.permissions import StoredRule, insert_rule
from tests.state.conftest import Tab

ALLOWED = AllowedTool("srv", "write_*", (ArgumentPattern("path", "/tmp/*"),), ask=False)
FULL: AgentFields = {
    "name": "Reviewer",
    "icon": "🔍",
    "description": "Reads code",
    "model": "offline:demo",
    "system_prompt": "Find the fault.\nAlways.",
    "parameters": Parameters(0.5, 0.9, 100, 7, Effort.HIGH, thinking=False),
    "server_ids": ("srv",),
    "allowed_tools": (ALLOWED,),
}


async def add_rule(ctx: AppContext, rule: Rule) -> None:
    async with ctx.store.write() as session:
        await insert_rule(session, LOCAL_OWNER, StoredRule(rule, "Files", "Write", datetime(2026, 11, 23, tzinfo=UTC)))


def shown(tab: Tab, var: str) -> Any:
    return tab.shows(AgentFormState, var)


async def open_form(tab: Tab, query: str) -> AgentForm:
    tab.path = f"/agents?{query}"
    await tab.send(AgentFormState.load)
    return shown(tab, "form") or AgentForm()


async def stored(ctx: AppContext) -> list[Agent]:
    return list(await list_agents(ctx, LOCAL_OWNER))


def sent(tab: Tab, **changes: str) -> dict[str, str]:
    """Return what the browser sends of the form as shown, with these fields typed."""
    form: AgentForm = shown(tab, "form") or AgentForm()
    fields = asdict(form)
    if shown(tab, "all_servers") is not False:
        fields["all_servers"] = "on"
    else:
        servers: tuple[AgentServerItem, ...] = shown(tab, "servers")
        fields |= {f"server:{server.id}": "on" for server in servers if server.chosen}
    if shown(tab, "any_call") is not False:
        fields["any_call"] = "on"
    lines: tuple[AllowedItem, ...] = shown(tab, "lines") or ()
    for line in lines:
        fields |= {
            f"line:{line.key}:server": line.server_id,
            f"line:{line.key}:tool": line.tool,
            f"line:{line.key}:arguments": line.arguments,
        }
        if line.ask:
            fields[f"line:{line.key}:ask"] = "on"
    return fields | changes


@pytest.mark.parametrize(
    ("query", "editing"),
    [("", ""), ("?agent=new", "new"), ("?agent=a1", "agent a1"), ("?copy=a1", "copy a1"), ("?other=1", "")],
)
async def test_the_address_says_which_form_is_open(tab: Tab, query: str, editing: str) -> None:
    tab.path = f"/agents{query}"
    await tab.send(AgentListState.load)

    assert (shown(tab, "editing") or "") == editing


async def test_every_field_of_an_agent_is_shown_and_saved_back_unchanged(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, FULL)

    form = await open_form(tab, f"agent={agent.id}")

    assert form == AgentForm(
        agent.id, "Reviewer", "🔍", "Reads code", "Find the fault.\nAlways.", "offline:demo",
        "0.5", "0.9", "100", "7", "high", "false",
    )  # fmt: skip
    assert (shown(tab, "all_servers"), shown(tab, "any_call")) == (False, False)
    await tab.send(AgentFormState.save, form=sent(tab))
    (saved,) = await stored(ctx)
    assert saved == replace(agent, updated_at=saved.updated_at)
    assert tab.shows(ToastState, "toast").message == "Saved the agent “Reviewer”"


async def test_a_new_agent_has_nothing_but_what_was_typed(ctx: AppContext, tab: Tab) -> None:
    await open_form(tab, "agent=new")

    await tab.send(AgentFormState.save, form=sent(tab, name="  Writer ", temperature=" 1 ", system_prompt=" Write. "))

    (agent,) = await stored(ctx)
    assert (agent.name, agent.system_prompt, agent.model) == ("Writer", " Write. ", None)
    assert agent.parameters == Parameters(temperature=1.0)
    assert (agent.server_ids, agent.allowed_tools) == (None, None)
    assert tab.shows(ToastState, "toast").message == "Created the agent “Writer”"
    assert tab.way == ["/agents"]


async def test_a_copy_is_a_new_agent_under_another_name(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, FULL)

    form = await open_form(tab, f"copy={agent.id}")
    assert (form.id, form.name, form.system_prompt) == ("", "Reviewer copy", agent.system_prompt)
    await tab.send(AgentFormState.save, form=sent(tab))

    first, second = await stored(ctx)
    assert (first.name, second.name) == ("Reviewer", "Reviewer copy")
    assert (second.parameters, second.allowed_tools, second.server_ids) == (
        agent.parameters, agent.allowed_tools, agent.server_ids,
    )  # fmt: skip


async def test_invalid_numbers_are_reported_at_their_fields_and_no_typed_text_is_lost(
    ctx: AppContext, tab: Tab
) -> None:
    await open_form(tab, "agent=new")

    await tab.send(AgentFormState.save, form=sent(tab, name="Writer", temperature="warm", seed="1.5", icon="W"))

    errors: AgentErrors = shown(tab, "errors")
    assert errors == AgentErrors(
        temperature="Not a number. Correct it or leave it empty.",
        seed="Not a whole number. Correct it or leave it empty.",
        form=REFUSED,
    )
    form: AgentForm = shown(tab, "form")
    assert (form.name, form.temperature, form.seed, form.icon) == ("Writer", "warm", "1.5", "W")
    assert await stored(ctx) == []


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("name", " ", "Is blank"),
        ("icon", "a\nb", "Has a line break"),
        ("description", "x" * 501, "Has 501 characters"),
        ("system_prompt", "a\0", "Has a NUL character"),
        ("model", "demo", "'demo' is not a model"),
        ("temperature", "3", "Must be a number from 0 to 2"),
        ("temperature", "nan", "Must be a number from 0 to 2"),
        ("top_p", "2", "Must be a number from 0 to 1"),
        ("max_output_tokens", "0", "Must be a number of tokens"),
        ("seed", "-1", "Must be a whole number"),
    ],
)
async def test_refused_values_are_reported_at_their_fields(
    ctx: AppContext, tab: Tab, field: str, value: str, reason: str
) -> None:
    await open_form(tab, "agent=new")

    await tab.send(AgentFormState.save, form=sent(tab, **{"name": "Writer", field: value}))

    errors: AgentErrors = shown(tab, "errors")
    assert getattr(errors, field).startswith(reason)
    assert errors.form == REFUSED
    assert getattr(shown(tab, "form"), field) == value
    assert await stored(ctx) == []


async def test_a_taken_name_is_reported_at_the_name(ctx: AppContext, tab: Tab) -> None:
    await create_agent(ctx, LOCAL_OWNER, {"name": "Writer"})
    await open_form(tab, "agent=new")

    await tab.send(AgentFormState.save, form=sent(tab, name="writer"))

    assert "Choose another name" in shown(tab, "errors").name


async def test_an_agent_deleted_meanwhile_is_reported_under_the_form_and_the_typed_text_stays(
    ctx: AppContext, tab: Tab
) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Writer"})
    await open_form(tab, f"agent={agent.id}")
    await delete_agent(ctx, LOCAL_OWNER, agent.id)

    await tab.send(AgentFormState.save, form=sent(tab, system_prompt="Write."))

    assert "agent" in shown(tab, "errors").form
    assert shown(tab, "form").system_prompt == "Write."


async def test_a_missing_agent_is_reported_above_the_list(tab: Tab) -> None:
    await open_form(tab, "agent=gone")

    assert tab.shows(ToastState, "toast").fault
    assert "gone" in tab.shows(ToastState, "toast").message


async def test_a_reconnect_leaves_an_open_form_alone_and_the_list_forgets_it(ctx: AppContext, tab: Tab) -> None:
    await open_form(tab, "agent=new")
    await tab.send(AgentFormState.save, form=sent(tab, name="Writer", seed="x"))
    await tab.send(AgentFormState.load)
    assert shown(tab, "form").name == "Writer"
    assert shown(tab, "errors").seed

    tab.path = "/agents"
    await tab.send(AgentFormState.load)

    assert shown(tab, "form") == AgentForm()
    assert shown(tab, "errors") == AgentErrors()
    assert await stored(ctx) == []


async def test_a_form_is_not_drawn_with_the_values_of_the_one_before(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, FULL)
    tab.path = f"/agents?agent={agent.id}"
    await tab.send(AgentListState.load)
    assert shown(tab, "ready") is True
    await tab.send(AgentFormState.load)
    tab.path = "/agents?agent=new"

    await tab.send(AgentListState.load)
    assert (shown(tab, "editing"), shown(tab, "ready")) == ("new", False)
    await tab.send(AgentFormState.load)

    assert shown(tab, "ready") is True
    assert shown(tab, "form") == AgentForm()


async def test_closing_the_form_is_called_discard_only_if_something_would_be_lost(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, FULL)
    await open_form(tab, f"agent={agent.id}")
    changes: list[bool] = []
    for typed in (agent.description, "Reads all code", agent.description):
        await tab.send(AgentFormState.write, name="description", text=typed)
        changes.append(shown(tab, "changed") or False)
    assert changes == [False, True, False]

    await tab.send(AgentFormState.touch)
    assert shown(tab, "changed") is True
    await open_form(tab, "")
    await open_form(tab, f"copy={agent.id}")
    assert not shown(tab, "changed")
    await tab.send(AgentFormState.add_line)
    assert shown(tab, "changed") is True


async def test_form_that_was_refused_still_has_something_to_lose(tab: Tab) -> None:
    await open_form(tab, "agent=new")

    await tab.send(AgentFormState.save, form=sent(tab, name="Reviewer", temperature="warm"))

    assert shown(tab, "changed") is True


async def test_reload_keeps_the_typed_texts_of_the_form(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, FULL)
    tab.path = f"/agents?agent={agent.id}"
    await tab.connect("first", anew=True)
    await tab.send(AgentFormState.load)
    await tab.send(AgentFormState.write, name="description", text="Reads all code")

    await tab.connect("second", anew=True)
    await tab.send(AgentFormState.load)

    assert shown(tab, "form").description == "Reads all code"
    assert (shown(tab, "form").name, shown(tab, "changed")) == (agent.name, True)


@pytest.mark.parametrize(("name", "typed"), [("id", "x"), ("nothing", "x"), ("name", 7), (None, "x"), (["name"], "x")])
async def test_text_of_no_field_changes_nothing(tab: Tab, name: object, typed: object) -> None:
    await open_form(tab, "agent=new")

    await tab.send(AgentFormState.write, name=name, text=typed)

    assert not shown(tab, "changed")


async def test_a_restarted_server_stores_what_the_browser_still_has(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, FULL)
    await open_form(tab, f"agent={agent.id}")
    form = sent(tab, name="Critic")
    tab.token = "another"

    await tab.send(AgentFormState.save, form=form)

    (saved,) = await stored(ctx)
    assert (saved.id, saved.name, saved.allowed_tools) == (agent.id, "Critic", agent.allowed_tools)


async def test_servers_are_chosen_from_those_set_up_and_one_that_is_gone_stays_chosen(
    ctx: AppContext, tab: Tab
) -> None:
    settings = ServerSettings(name="files", way=OverStdio("true", ()), enabled=False)
    server = (await add_server(ctx, LOCAL_OWNER, settings)).server
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Writer", "server_ids": ("srv",)})
    await open_form(tab, f"agent={agent.id}")
    assert shown(tab, "servers") == (
        AgentServerItem(server.id, "files", chosen=False),
        AgentServerItem("srv", "srv", chosen=True, known=False),
    )

    await tab.send(AgentFormState.save, form=sent(tab) | {f"server:{server.id}": "on"})

    (saved,) = await stored(ctx)
    assert set(saved.server_ids or ()) == {server.id, "srv"}


async def test_the_boxes_mean_all_servers_and_any_call(ctx: AppContext, tab: Tab) -> None:
    await open_form(tab, "agent=new")

    await tab.send(AgentFormState.choose_servers, all_of_them=False)
    await tab.send(AgentFormState.choose_calls, any_of_them=False)
    assert (shown(tab, "all_servers"), shown(tab, "any_call")) == (False, False)
    await tab.send(AgentFormState.save, form=sent(tab, name="Writer"))
    (saved,) = await stored(ctx)
    assert (saved.server_ids, saved.allowed_tools) == ((), ())

    await open_form(tab, f"agent={saved.id}")
    await tab.send(AgentFormState.choose_servers, all_of_them=True)
    await tab.send(AgentFormState.choose_calls, any_of_them=True)
    await tab.send(AgentFormState.save, form=sent(tab))
    (saved,) = await stored(ctx)
    assert (saved.server_ids, saved.allowed_tools) == (None, None)


async def test_lines_of_allowed_tools_are_added_and_removed(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Writer", "allowed_tools": (ALLOWED,)})
    await open_form(tab, f"agent={agent.id}")
    await tab.send(AgentFormState.add_line)
    await tab.send(AgentFormState.add_line)
    stored_line, first, second = shown(tab, "lines")
    assert (first.server_id, first.tool, first.ask) == (BUILT_IN, "*", True)
    assert first.key != second.key

    await tab.send(AgentFormState.remove_line, key=first.key)
    await tab.send(AgentFormState.save, form=sent(tab) | {f"line:{second.key}:tool": " clock "})

    (saved,) = await stored(ctx)
    assert saved.allowed_tools == (ALLOWED, AllowedTool(BUILT_IN, "clock"))
    assert json.loads(stored_line.arguments) == [{"name": "path", "pattern": "/tmp/*"}]


@pytest.mark.parametrize("arguments", ["no JSON", "[1]", '[{"name": 1}]', "7"])
async def test_arguments_that_cannot_be_read_are_refused(ctx: AppContext, tab: Tab, arguments: str) -> None:
    form = {"name": "Writer", "line:0:server": "srv", "line:0:tool": "*", "line:0:arguments": arguments}

    await tab.send(AgentFormState.save, form=form)

    assert "cannot be read" in shown(tab, "errors").tools
    assert await stored(ctx) == []


async def test_a_line_without_a_tool_is_refused_at_the_tools(ctx: AppContext, tab: Tab) -> None:
    await tab.send(AgentFormState.save, form={"name": "Writer", "line:0:server": "srv", "line:0:tool": " "})

    assert shown(tab, "errors").tools.startswith("Is empty")
    assert [line.server_id for line in shown(tab, "lines")] == ["srv"]
    assert await stored(ctx) == []


@pytest.mark.parametrize("form", [{}, {"name": 7, "seed": None}, {"line:": "x", "line::tool": "x"}, {"id": "x" * 9999}])
async def test_a_form_that_no_page_sends_stores_nothing(ctx: AppContext, tab: Tab, form: dict[str, Any]) -> None:
    await tab.send(AgentFormState.save, form=form)

    assert shown(tab, "errors").form
    assert await stored(ctx) == []


async def test_budgets_of_an_agent_are_shown(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Writer"})
    await open_form(tab, f"agent={agent.id}")
    assert shown(tab, "budgets") == "No budget."
    await set_budget(ctx, LOCAL_OWNER, SpendingBudget(BudgetScope.AGENT, agent.id, BudgetPeriod.MONTH, Decimal("2.50")))
    await set_budget(ctx, LOCAL_OWNER, SpendingBudget(BudgetScope.AGENT, "", BudgetPeriod.DAY, Decimal(1), stops=False))
    await set_budget(ctx, LOCAL_OWNER, SpendingBudget(BudgetScope.AGENT, "other", BudgetPeriod.EVER, Decimal(9)))

    await open_form(tab, "agent=new")
    await open_form(tab, f"agent={agent.id}")

    assert set(shown(tab, "budgets").split(" Budget")) == {
        "Budget for a day: $1, not spent (only warns).", " for a month: $2.5, not spent.",
    }  # fmt: skip


async def test_the_rules_of_an_agent_are_listed_and_removed_in_its_form(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, FULL)
    await add_rule(ctx, Rule("r1", "s1", "write", "f", (ArgumentPattern("path", "/notes/*"),), agent_id=agent.id))
    await add_rule(ctx, Rule("r2", "s1", "write", "f", agent_id="other"))
    await add_rule(ctx, Rule("r3", "s1", "write", "f"))

    await open_form(tab, f"copy={agent.id}")
    assert not shown(tab, "rules")
    await open_form(tab, f"agent={agent.id}")

    (rule,) = shown(tab, "rules")
    assert (rule.id, rule.name, rule.patterns) == ("r1", "Files: Write", ("path: /notes/*",))
    await tab.send(AgentFormState.remove_rule, rule_id="r1")
    assert shown(tab, "rules") == ()
    assert {kept.rule.id for kept in await list_rules(ctx, LOCAL_OWNER)} == {"r2", "r3"}
    await tab.send(AgentFormState.remove_rule, rule_id="r1")
    assert "r1" in tab.shows(ToastState, "toast").message


async def test_models_of_the_providers_are_in_the_menu_and_the_own_one_once(ctx: AppContext, tab: Tab) -> None:
    await open_form(tab, "agent=new")
    await tab.send(AgentFormState.suggest_models)
    assert "offline:demo" in [model.model for model in shown(tab, "models")]

    agent = await create_agent(ctx, LOCAL_OWNER, {"name": "Tester", "model": "offline:demo"})
    await open_form(tab, f"agent={agent.id}")
    await tab.send(AgentFormState.suggest_models)
    assert shown(tab, "form").model == "offline:demo"
    assert [model.model for model in shown(tab, "models")].count("offline:demo") == 0


async def test_a_form_names_what_cannot_be_read_at_its_field_and_saving_it_mends_the_agent(
    ctx: AppContext, tab: Tab
) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, FULL)
    async with ctx.store.write() as session:
        await session.execute(text("UPDATE agent SET system_prompt = x'00ff', allowed_tools = '[{'"))

    await open_form(tab, f"agent={agent.id}")
    errors: AgentErrors = shown(tab, "errors")
    assert errors == AgentErrors(
        system_prompt="This text is not stored as text (2 bytes of binary data).",
        tools="The stored data is garbled or incomplete (2 bytes).",
        form=(
            "Part of this agent cannot be read, so nothing is sent under it. "
            "System prompt: This text is not stored as text (2 bytes of binary data). "
            "Allowed tools: The stored data is garbled or incomplete (2 bytes). "
            "Check these fields, then save the agent."
        ),
    )
    await tab.send(AgentFormState.save, form=sent(tab, system_prompt="Find it."))

    (mended,) = await stored(ctx)
    assert (mended.damage, mended.system_prompt, mended.allowed_tools) == ((), "Find it.", ())


async def test_errors_without_a_field_are_shown_above_the_form_and_not_at_the_name(ctx: AppContext, tab: Tab) -> None:
    agent = await create_agent(ctx, LOCAL_OWNER, FULL)
    async with ctx.store.write() as session:
        await session.execute(text("UPDATE agent SET created_at = 'once'"))

    await open_form(tab, f"agent={agent.id}")
    await tab.send(AgentFormState.save, form=sent(tab))

    errors: AgentErrors = shown(tab, "errors")
    assert errors.name == ""
    assert "inview doctor --mend" in errors.form
