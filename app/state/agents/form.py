"""The form of one agent: new, edited or copied. The address names the form, so that it survives a restart.

    /agents?agent=new      a new agent
    /agents?agent=a1       edit the agent a1
    /agents?copy=a1        a new agent with the fields of a1

The browser holds the typed text and sends all fields at once. If a field is refused, the vars take the submitted
values, and nothing is lost.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Final

import reflex as rx

from app.domain.agents.agents import Agent
from app.domain.costs.budgets import BudgetPeriod, BudgetScope, BudgetStatus
from app.domain.errors import InviewError, NotFoundError
from app.domain.tools.tools import BUILT_IN
from app.runs.agents.agent_commands import change_agent, create_agent, read_agent
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.provider_commands import list_models
from app.runs.tools.permission_commands import list_rules, revoke_rule
from app.runs.tools.server_commands import list_servers
from app.runs.usage.budgets import Budgeted, list_budgets
from app.state.agents.fields import (
    describe_refusal,
    first_refused,
    place_damage,
    read_submitted,
    show_agent,
    show_allowed,
)
from app.state.agents.listing import AgentListState
from app.state.agents.views import AgentErrors, AgentForm, AgentServerItem, AllowedItem, ModelItem
from app.state.messages.toasts import show_fault, show_toast
from app.state.settings.permissions import RuleItem, describe_rule
from app.state.sidebar.sidebar import SidebarState
from app.state.tab.inputs import text_in
from app.state.tab.visit import VisitedState

LIST: Final = "/agents"
"""The address of the list of agents."""
NEW: Final = "new"
"""The value of the query parameter `agent` for a new agent. No agent has this id."""
MAX_FIELD: Final = 900_000
"""Maximum characters of a field. A longer text would close the page's connection. The form keeps a longer text."""
_FIELDS: Final = frozenset(field.name for field in fields(AgentForm)) - {"id"}

_SPANS: Final = {BudgetPeriod.DAY: "a day", BudgetPeriod.MONTH: "a month", BudgetPeriod.EVER: "all time"}
_STANDINGS: Final = {BudgetStatus.FINE: "not spent", BudgetStatus.WARNING: "nearly spent", BudgetStatus.SPENT: "spent"}


class AgentFormState(VisitedState, rx.State):
    """The form of an agent: the initial values of its fields, and the lists to choose from.

    - `form` has the initial values, `errors` the error of each field.
    - `servers`: all servers that can be chosen; they are hidden while `all_servers` is ticked.
    - `lines`: the allowed tools; they are hidden while `any_call` is ticked.
    - `rules`: the permission rules of the agent. They are stored and removed separately from the form.
    - `models`: the suggested models.
    - `budgets` describes the budgets that apply to the agent, "" for a new agent.
    - `changed`: the form differs from the stored agent, so that closing it loses something.
    - `opened`: the value that `editing` had when the vars were loaded, "" if they were not.
    """

    form: rx.Field[AgentForm] = rx.field(default_factory=AgentForm)
    errors: rx.Field[AgentErrors] = rx.field(default_factory=AgentErrors)
    all_servers: rx.Field[bool] = rx.field(default=True)
    servers: rx.Field[tuple[AgentServerItem, ...]] = rx.field(())
    any_call: rx.Field[bool] = rx.field(default=True)
    lines: rx.Field[tuple[AllowedItem, ...]] = rx.field(())
    rules: rx.Field[tuple[RuleItem, ...]] = rx.field(())
    models: rx.Field[tuple[ModelItem, ...]] = rx.field(())
    budgets: rx.Field[str] = rx.field("")
    opened: rx.Field[str] = rx.field("")
    changed: rx.Field[bool] = rx.field(default=False)
    _lines_made: int = 0
    _stored: AgentForm = AgentForm()  # the texts of the form when it was opened
    _typed: AgentForm = AgentForm()
    _touched: bool = False  # a control was changed that is no text: a checkbox, or a line of the allowed tools

    @rx.var
    def editing(self) -> str:
        """The form that the address names: "new", "agent a1" to edit an agent, "copy a1" to copy one; "": the list."""
        query = self.router.url.query_parameters
        if "copy" in query:
            return f"copy {query['copy']}"
        agent_id = query.get("agent", "")
        return agent_id if agent_id in ("", NEW) else f"agent {agent_id}"

    @rx.var
    def ready(self) -> bool:
        """True if the form can be shown: the vars have the values of this form, or no values yet.

        It is False while the vars have the values of another form, which the fields would show. After a restart of the
        server, the vars have no values: then it is True, so that the form with the typed text stays on screen.
        """
        return bool(self.editing) and self.opened in ("", self.editing)

    @rx.event
    async def load(self) -> rx.event.EventType[()] | None:
        """Fill the form that the address names. An open form is not changed, because a reconnect also calls this."""
        if self.editing == self.opened:
            return None
        self.reset()
        self.opened = self.editing
        if not self.editing:
            return None
        what, _, agent_id = self.editing.partition(" ")
        agents, chosen = await self.get_state(AgentListState), None
        agents.focused = self.editing
        if what != NEW:
            try:
                agent = await read_agent(current(), LOCAL_OWNER, agent_id)
            except NotFoundError as error:
                await show_fault(self, error)
                return rx.redirect(LIST, replace=True)
            self._show(agent, copied=what == "copy")
            chosen = agent.server_ids
        self._stored = self._typed = self.form
        await self._offer_servers(chosen)
        if self.form.id:
            self.budgets = await _describe_budgets(self.form.id)
            await self._read_rules()
        return AgentFormState.suggest_models

    @rx.event
    async def close(self) -> rx.event.EventType[()]:
        """Go back to the list of agents."""
        return rx.redirect(LIST)

    @rx.event
    async def write(self, name: str, text: str) -> None:
        """Note the text typed in a field. The browser sends all fields again when the form is saved."""
        field, typed = text_in(name, MAX_FIELD), text_in(text, MAX_FIELD)
        if field not in _FIELDS or typed is None:
            return
        await self._come()
        self._typed = replace(self._typed, **{field: typed})
        self._compare()

    @rx.event
    async def touch(self) -> None:
        """Note that a control was changed that is no text."""
        self._touch()

    @rx.event(background=True)
    async def suggest_models(self) -> None:
        """Request the providers' models, and suggest all of them except the model that the agent has."""
        offers = await list_models(current(), LOCAL_OWNER)
        models = tuple(
            ModelItem(profile.model, f"{profile.name} · {offer.provider.row.label}")
            for offer in offers
            for profile in offer.models
        )
        async with self:
            self.models = tuple(one for one in models if one.model != self.form.model)

    @rx.event
    async def choose_servers(self, all_of_them: bool) -> None:
        """Set whether the agent has the tools of all servers or only those of ticked servers.

        Both choices start with no server ticked.
        """
        self.all_servers = bool(all_of_them)
        self.servers = tuple(replace(server, chosen=False) for server in self.servers)
        self._touch()

    @rx.event
    async def choose_calls(self, any_of_them: bool) -> None:
        """Set whether the agent may make any tool call or only those in the list of allowed tools.

        Both choices start with an empty list.
        """
        self.any_call = bool(any_of_them)
        self.lines = ()
        self._touch()

    @rx.event
    async def add_line(self) -> None:
        """Add a line to the list of allowed tools."""
        first = next((server.id for server in self.servers if server.known and server.id != BUILT_IN), BUILT_IN)
        self._lines_made += 1
        self.lines = (*self.lines, AllowedItem(f"new{self._lines_made}", first, "*", ask=True, arguments="[]"))
        self._touch()

    @rx.event
    async def remove_line(self, key: str) -> None:
        self.lines = tuple(line for line in self.lines if line.key != key)
        self._touch()

    @rx.event
    async def remove_rule(self, rule_id: str) -> None:
        """Revoke a permission rule of the agent, at once and not only when the form is saved."""
        try:
            await revoke_rule(current(), LOCAL_OWNER, str(rule_id))
        except NotFoundError as error:
            await show_fault(self, error)
        await self._read_rules()

    @rx.event
    async def save(self, form: dict[str, Any]) -> rx.event.EventType[()] | None:
        """Store the form and go back to the list, or show at each refused field why it was refused."""
        submitted = read_submitted(form)
        if submitted.fields is None:
            errors = submitted.errors
        else:
            agent_id = submitted.form.id
            try:
                if agent_id:
                    agent = await change_agent(current(), LOCAL_OWNER, agent_id, submitted.fields)
                else:
                    agent = await create_agent(current(), LOCAL_OWNER, submitted.fields)
            except InviewError as error:
                errors = describe_refusal(error)
            else:
                await show_toast(self, f"{'Saved' if agent_id else 'Created'} the agent “{agent.name}”")
                return [rx.redirect(LIST), SidebarState.load]
        self.form, self.errors = submitted.form, errors
        self._typed = submitted.form
        self._compare()
        self.all_servers, self.any_call = submitted.server_ids is None, submitted.lines is None
        self.lines = submitted.lines or ()
        await self._offer_servers(submitted.server_ids)
        field = first_refused(errors)
        return rx.set_focus(f"agent-{field}") if field else None

    def _show(self, agent: Agent, *, copied: bool) -> None:
        form = show_agent(agent)
        self.form = replace(form, id="", name=f"{agent.name} copy") if copied else form
        self.all_servers, self.any_call = agent.server_ids is None, agent.allowed_tools is None
        self.lines = show_allowed(agent)
        self.errors = place_damage(agent)

    def _touch(self) -> None:
        self._touched = True
        self._compare()

    def _compare(self) -> None:
        self.changed = self._touched or self._typed != self._stored

    async def _end_visit(self) -> None:
        """If the page was loaded again, restore the typed texts, because the page has new fields. Otherwise close."""
        if self.router.url.path.rstrip("/") != LIST:
            self.reset()
            return
        self.form = self._typed
        self._compare()
        await self._come()

    async def _read_rules(self) -> None:
        agent_id, found = self.form.id, await list_rules(current(), LOCAL_OWNER)
        self.rules = tuple(describe_rule(kept, {}) for kept in found if kept.rule.agent_id == agent_id)

    async def _offer_servers(self, chosen: tuple[str, ...] | None) -> None:
        """List the servers to choose from: those that are set up, and chosen ones that no longer exist."""
        chosen_ids = set(chosen or ())
        known = [seen.server for seen in await list_servers(current(), LOCAL_OWNER)]
        gone = sorted(chosen_ids.union(line.server_id for line in self.lines) - {BUILT_IN, *(one.id for one in known)})
        self.servers = (
            *(AgentServerItem(one.id, one.name, one.id in chosen_ids) for one in known),
            *(AgentServerItem(server_id, server_id, server_id in chosen_ids, known=False) for server_id in gone),
        )


async def _describe_budgets(agent_id: str) -> str:
    """Describe the budgets that apply to an agent, and their status."""
    found = [one for one in await list_budgets(current(), LOCAL_OWNER) if one.budget.scope is BudgetScope.AGENT]
    own = [one for one in found if one.budget.subject in ("", agent_id)]
    return " ".join(map(_describe_budget, own)) or "No budget."


def _describe_budget(one: Budgeted) -> str:
    budget = one.budget
    warns = "" if budget.stops else " (only warns)"
    return f"Budget for {_SPANS[budget.span]}: ${budget.amount.normalize():f}, {_STANDINGS[one.standing]}{warns}."
