"""Routes of agents: create, list, read, change, delete, restore, export and import."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import ConfigDict, Field
from starlette.responses import Response

from app.api.http.access import Ctx, Owner
from app.api.http.answers import WITH_BODY, answer, fails, says
from app.api.http.bodies import NOTHING_ASKED, Body, ModelName, ParametersBody
from app.api.http.negotiation import JSON, HasBody, ReadsJson
from app.api.http.problems import refuse_field
from app.api.resources.transfer.transfer import write_disposition
from app.domain.agents.agents import (
    MAX_AGENTS,
    MAX_ALLOWED,
    MAX_DESCRIPTION,
    MAX_ICON,
    MAX_NAME,
    MAX_PATTERN,
    MAX_PATTERNS,
    MAX_PROMPT,
    MAX_SERVERS,
    ask_always,
)
from app.domain.errors import InputError
from app.domain.tools.permissions import AllowedTool, ArgumentPattern
from app.runs.agents import agent_commands
from app.runs.runtime.ids import now
from app.views.agents.agent import AGENTS_FORMAT, AgentsFile, AgentsView, AgentView, describe_agent, write_agents
from app.views.encode import to_readable_json

router = APIRouter(prefix="/agents", tags=["agents"], dependencies=[ReadsJson])

_NO_LETTERS = re.compile(r"[\W_]+")

AgentId = Annotated[str, Path(max_length=64, description="An agent.")]
Name = Annotated[
    str, Field(min_length=1, max_length=MAX_NAME, description="The name, on one line. Unique, ignoring case.")
]
Icon = Annotated[
    str,
    Field(
        max_length=MAX_ICON,
        description="The icon: an emoji, or one or two letters. Empty: the first letter of the name.",
    ),
]
Description = Annotated[
    str, Field(max_length=MAX_DESCRIPTION, description="What the agent is good at, on one line. Other agents see it.")
]
Prompt = Annotated[
    str,
    Field(max_length=MAX_PROMPT, description="The system prompt of the agent, sent before that of the conversation."),
]
Allowed = Annotated[
    "list[AllowedToolBody] | None",
    Field(max_length=MAX_ALLOWED, description="The tool calls that the agent may make; null: all calls."),
]
Servers = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=64)]] | None,
    Field(max_length=MAX_SERVERS, description="The servers whose tools the agent can use; null: all servers."),
]


class ArgumentBody(Body):
    """A pattern that an argument must match: see `docs/permissions.md`."""

    name: str = Field(min_length=1, max_length=MAX_PATTERN)
    pattern: str = Field(max_length=MAX_PATTERN)


class AllowedToolBody(Body):
    """Tool calls that the agent may make: a server, a pattern for tool names, and patterns for arguments."""

    server_id: str = Field(min_length=1, max_length=64)
    tool: str = Field(
        min_length=1, max_length=MAX_PATTERN, description="A pattern in which `*` matches any characters."
    )
    arguments: list[ArgumentBody] = Field(default_factory=list[ArgumentBody], max_length=MAX_PATTERNS)
    ask: bool = Field(
        default=True, description="Each call still needs permission from a person, unless a rule allows it."
    )

    def to_domain(self) -> AllowedTool:
        arguments = tuple(ArgumentPattern(one.name, one.pattern) for one in self.arguments)
        return AllowedTool(self.server_id, self.tool, arguments, self.ask)


class NewAgent(Body):
    """A new agent."""

    name: Name
    icon: Icon = ""
    description: Description = ""
    model: ModelName | None = Field(None, description="Null: the value of the conversation.")
    system_prompt: Prompt = ""
    parameters: ParametersBody = Field(
        NOTHING_ASKED, description="The provider's default applies to parameters that are left out."
    )
    server_ids: Servers = None
    allowed_tools: Allowed = None


class ChangedAgent(Body):
    """The new values of an agent. A missing field is not changed; `parameters` are replaced as a whole."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    # Only fields that were sent are read, so these defaults are never used. A default of None must be in the type.
    name: Name = Field(default_factory=str)
    icon: Icon = Field(default_factory=str)
    description: Description = Field(default_factory=str)
    model: ModelName | None = Field(None, description="Null: the value of the conversation.")
    system_prompt: Prompt = Field(default_factory=str)
    parameters: ParametersBody = Field(
        NOTHING_ASKED, description="The provider's default applies to parameters that are left out."
    )
    server_ids: Servers = None
    allowed_tools: Allowed = None


class AgentInFile(NewAgent):
    """An exported agent. Its id is ignored."""

    id: str | None = Field(None, max_length=64)


class AgentsToImport(Body):
    """A file of agents from `GET /agents/export`."""

    format: Literal["inview-agents"] = AGENTS_FORMAT
    version: Literal[1] = 1
    exported_at: str | None = Field(None, max_length=64)
    agents: list[AgentInFile] = Field(min_length=1, max_length=MAX_AGENTS)


@router.get("", summary="List the agents", responses=says(AgentsView, description="By name."))
async def list_them(ctx: Ctx, owner: Owner) -> Response:
    return answer(AgentsView(tuple(map(describe_agent, await agent_commands.list_agents(ctx, owner)))))


@router.post(
    "",
    summary="Create an agent",
    status_code=201,
    dependencies=[HasBody],
    responses=says(AgentView, *WITH_BODY, "conflict", status=201, description="Created. `Location` is its address."),
)
async def create(ctx: Ctx, owner: Owner, body: NewAgent) -> Response:
    made = await agent_commands.create_agent(ctx, owner, _fields(body))
    return answer(describe_agent(made), 201, {"Location": f"/api/v1/agents/{made.id}"})


@router.get(
    "/export",
    summary="Export all agents as a file",
    responses=says(AgentsFile, "not-found", description="`POST /agents/import` imports the file."),
)
async def export(
    ctx: Ctx,
    owner: Owner,
    *,
    agent: Annotated[str | None, Query(max_length=64, description="Only this one.")] = None,
) -> Response:
    if agent is None:
        found = await agent_commands.list_agents(ctx, owner)
    else:
        found = (await agent_commands.read_agent(ctx, owner, agent),)
    name = "agents.json" if agent is None else f"agent-{_NO_LETTERS.sub('-', found[0].name)}.json"
    headers = {"Content-Disposition": write_disposition(name), "Cache-Control": "no-store"}
    return Response(to_readable_json(write_agents(found, now())), 200, headers, JSON)


@router.post(
    "/import",
    summary="Import agents from a file",
    description="Creates each agent. If its name is taken, a number is added to the name. A file grants no "
    "permissions: a person is still asked before each call.",
    status_code=201,
    dependencies=[HasBody],
    responses=says(AgentsView, *WITH_BODY, "conflict", status=201, description="The created agents."),
)
async def take_in(ctx: Ctx, owner: Owner, body: AgentsToImport) -> Response:
    imported: list[agent_commands.AgentFields] = []
    for one in body.agents:
        fields: Any = _fields(one)
        fields.pop("id", None)
        fields["allowed_tools"] = ask_always(fields.get("allowed_tools"))
        imported.append(fields)
    try:
        made = await agent_commands.import_agents(ctx, owner, imported)
    except InputError as error:
        raise InputError(f"agents.{error.field}", error.reason) from None
    return answer(AgentsView(tuple(map(describe_agent, made))), 201)


@router.get("/{agent_id}", summary="Read an agent", responses=says(AgentView, "not-found"))
async def read(ctx: Ctx, owner: Owner, agent_id: AgentId) -> Response:
    return answer(describe_agent(await agent_commands.read_agent(ctx, owner, agent_id)))


@router.patch(
    "/{agent_id}",
    summary="Change an agent",
    description=(
        "The change applies to the next send of every conversation with this agent. Earlier pairs do not change."
    ),
    dependencies=[HasBody],
    responses=says(AgentView, *WITH_BODY, "not-found", "conflict", description="The updated agent."),
)
async def change(ctx: Ctx, owner: Owner, agent_id: AgentId, body: ChangedAgent) -> Response:
    fields = _fields(body)
    if not fields:
        refuse_field("body", "has no changes. Give at least one field.")
    return answer(describe_agent(await agent_commands.change_agent(ctx, owner, agent_id, fields)))


@router.delete(
    "/{agent_id}",
    summary="Delete an agent",
    description="Conversations with this agent continue without an agent. Earlier pairs keep its name. `POST "
    "/agents/{id}/undelete` restores it.",
    status_code=204,
    response_class=Response,
    responses={204: {"description": "Deleted."}} | fails("not-found"),
)
async def delete(ctx: Ctx, owner: Owner, agent_id: AgentId) -> Response:
    await agent_commands.delete_agent(ctx, owner, agent_id)
    return Response(status_code=204)


@router.post(
    "/{agent_id}/undelete",
    summary="Restore an agent",
    responses=says(AgentView, "not-found", "conflict", description="Restored, also in the conversations that had it."),
)
async def undelete(ctx: Ctx, owner: Owner, agent_id: AgentId) -> Response:
    return answer(describe_agent(await agent_commands.restore_agent(ctx, owner, agent_id)))


def _fields(body: NewAgent | ChangedAgent) -> agent_commands.AgentFields:
    """Return the fields that were sent, as domain values."""
    sent: Any = body.model_dump(exclude_unset=True)
    if "parameters" in sent:
        sent["parameters"] = body.parameters.to_domain()
    if sent.get("server_ids") is not None:
        sent["server_ids"] = tuple(sent["server_ids"])
    if body.allowed_tools is not None and "allowed_tools" in sent:
        sent["allowed_tools"] = tuple(one.to_domain() for one in body.allowed_tools)
    return sent
