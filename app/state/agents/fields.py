"""Conversion between the form of an agent and the fields that `agent_commands` takes.

    submitted = read_submitted(form)              # the form as the browser sent it; only its texts are read
    submitted.form.temperature                    # "warm", as typed
    submitted.fields                              # None, because:
    submitted.errors.temperature                  # "Not a number. …"

`domain.agents.agents` decides which values are allowed. This module only checks that they can be read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from app.domain.agents.agents import Agent
from app.domain.conversation.damage import DamagedRowError
from app.domain.errors import ConflictError, InputError, InviewError
from app.domain.tools.permissions import AllowedTool, ArgumentPattern
from app.runs.agents.agent_commands import AgentFields
from app.state.agents.views import AgentErrors, AgentForm, AllowedItem
from app.state.conversation.parameter_texts import read_parameters, write_parameters
from app.state.messages.error_messages import describe_fault
from app.state.tab.inputs import json_in

SERVER: Final = "server:"
"""The beginning of the name of a server's checkbox. The id of the server follows."""
LINE: Final = "line:"
"""The beginning of a control's name in the list of allowed tools.

The key of the control's line follows, as in "line:3:tool".
"""
REFUSED: Final = "Not saved. See the messages next to the fields."

_FORM_FIELDS: Final = tuple(field.name for field in fields(AgentForm))
_ERROR_FIELDS: Final = frozenset(field.name for field in fields(AgentErrors))
_COLUMNS: Final = {
    "server_ids": "Servers",
    "allowed_tools": "Allowed tools",
    "created_at": "Creation time",
    "updated_at": "Time of the last change",
    "deleted_at": "Deletion time",
}


@dataclass(frozen=True)
class Submitted:
    """A submitted form: its texts (`form`), and the values that were read from these texts.

    - `server_ids`: the chosen servers; None: all servers.
    - `lines`: the allowed tools; None: the agent may make any call.
    - `fields`: the values to store; None: some cannot be read, and `errors` says why.
    """

    form: AgentForm
    server_ids: tuple[str, ...] | None
    lines: tuple[AllowedItem, ...] | None
    fields: AgentFields | None
    errors: AgentErrors


def show_agent(agent: Agent) -> AgentForm:
    """Return the fields of an agent as texts for its form."""
    return AgentForm(
        id=agent.id,
        name=agent.name,
        icon=agent.icon,
        description=agent.description,
        system_prompt=agent.system_prompt,
        model=agent.model or "",
        **asdict(write_parameters(agent.parameters)),
    )


def show_allowed(agent: Agent) -> tuple[AllowedItem, ...]:
    """Return the allowed tools of an agent as lines for the form; no lines if it may make any call."""
    return tuple(
        AllowedItem(
            str(place), entry.server_id, entry.tool, entry.ask, json.dumps([asdict(one) for one in entry.arguments])
        )
        for place, entry in enumerate(agent.allowed_tools or ())
    )


def read_submitted(sent: Mapping[str, Any]) -> Submitted:
    """Read a submitted form. A value that is missing, or is not a text, counts as empty."""
    given = {name: value for name, value in sent.items() if isinstance(value, str)}
    form = AgentForm(**{name: given.get(name, "") for name in _FORM_FIELDS})
    server_ids = None if "all_servers" in given else _read_servers(given)
    lines = None if "any_call" in given else _read_lines(given)
    read = read_parameters(given)
    errors = dict(read.faults)
    try:
        allowed = None if lines is None else tuple(map(_read_allowed, lines))
    except (ValueError, TypeError, KeyError):
        allowed, errors["tools"] = None, "A line has patterns of arguments that cannot be read. Remove it."
    if errors or read.parameters is None:
        return Submitted(form, server_ids, lines, None, AgentErrors(**errors, form=REFUSED))
    agent_fields: AgentFields = {
        "name": form.name.strip(),
        "icon": form.icon.strip(),
        "description": form.description.strip(),
        "system_prompt": form.system_prompt,
        "model": form.model.strip() or None,
        "parameters": read.parameters,
        "server_ids": server_ids,
        "allowed_tools": allowed,
    }
    return Submitted(form, server_ids, lines, agent_fields, AgentErrors())


def describe_refusal(error: InviewError) -> AgentErrors:
    """Return the errors of the form after a command refused its values. The reason is shown at the refused field."""
    if isinstance(error, ConflictError) and not isinstance(error, DamagedRowError):
        return AgentErrors(name=str(error), form=REFUSED)
    if not isinstance(error, InputError):
        return AgentErrors(form=describe_fault(error))
    field = _error_field(error.field.removeprefix("parameters."))
    if field == "form":
        return AgentErrors(form=describe_fault(error))
    return replace(AgentErrors(form=REFUSED), **{field: error.reason[:1].upper() + error.reason[1:]})


def describe_damage(agent: Agent, mend: str) -> str:
    """Return a text that names the unreadable parts of an agent and the way to repair them; "" if all can be read.

    The text ends with `mend`, the way to repair them in the form. If the form lacks a field for one of the parts, the
    text ends with a command of `inview doctor` instead.
    """
    if not agent.damage:
        return ""
    lost = " ".join(f"{_COLUMNS.get(one.column, _name(one.column))}: {one.sentence}" for one in agent.damage)
    is_of_the_form = all(one.column in AgentFields.__annotations__ for one in agent.damage)
    way = mend if is_of_the_form else "Stop Inview and run `inview doctor --mend`."
    return f"Part of this agent cannot be read, so nothing is sent under it. {lost} {way}"


def place_damage(agent: Agent) -> AgentErrors:
    """Return the errors that the form shows for an agent whose stored fields cannot all be read.

    One message is above the form, and one is at each damaged field.
    """
    at = {_error_field(one.column): one.sentence for one in agent.damage}
    return AgentErrors(**at | {"form": describe_damage(agent, "Check these fields, then save the agent.")})


def first_refused(errors: AgentErrors) -> str:
    """Return the name of the form's first field with an error, "" if no field has one."""
    return next((name for name in _FORM_FIELDS if getattr(errors, name, "")), "")


def _name(field: str) -> str:
    return field.replace("_", " ").capitalize()


def _error_field(field: str) -> str:
    """Return the field of `AgentErrors` that shows a message about this field of an agent."""
    if field.startswith(("server_ids", "allowed_tools")):
        return "tools"
    return field if field in _ERROR_FIELDS else "form"


def _read_servers(given: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(name.removeprefix(SERVER) for name in given if name.startswith(SERVER))


def _read_lines(given: Mapping[str, str]) -> tuple[AllowedItem, ...]:
    keys = [name.split(":")[1] for name in given if name.startswith(LINE) and name.endswith(":tool")]
    return tuple(
        AllowedItem(
            key=key,
            server_id=given.get(f"{LINE}{key}:server", ""),
            tool=given[f"{LINE}{key}:tool"],
            ask=f"{LINE}{key}:ask" in given,
            arguments=given.get(f"{LINE}{key}:arguments", "[]"),
        )
        for key in keys
    )


def _read_allowed(line: AllowedItem) -> AllowedTool:
    read: Any = json_in(line.arguments)
    patterns = tuple(ArgumentPattern(str(one["name"]), str(one["pattern"])) for one in read)
    return AllowedTool(line.server_id, line.tool.strip(), patterns, line.ask)
