"""The prompts and resources of an agent's MCP servers, as rows to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.domain.tools.tool_servers import ListedArgument, Listing
from app.domain.tools.uri_templates import list_variables
from app.runs.agents.agent_commands import read_agent
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.tools.insertions import fill_prompt, read_resource
from app.runs.tools.server_commands import SeenServer, list_servers
from app.state.agents.choice import NO_AGENT
from app.state.composer.views import PromptRow
from app.tools.mcp.sessions import Health
from app.views.composer.options import OptionRow

_NO_SERVER: Final = "No MCP server is on for this conversation. Add one in Settings → Tools."


class OfferKind(StrEnum):
    PROMPT = "Prompt"
    RESOURCE = "Resource"


@dataclass(frozen=True, slots=True)
class Insertable:
    """A prompt or a resource of an MCP server.

    `key` identifies it on its server: the name of a prompt, or the address of a resource. `fields` are its arguments.
    """

    server_id: str
    server: str
    kind: OfferKind
    key: str
    name: str
    about: str
    fields: tuple[ListedArgument, ...]

    @property
    def id(self) -> str:
        """An id that no other prompt or resource has."""
        return f"{self.server} {self.kind} {self.key}"

    async def fetch(self, values: dict[str, str]) -> str:
        """Request the text of the prompt or the resource with these values from its server.

        Raises:
            InviewError: the server did not return a text for these values. An InputError names the field.
        """
        ask = fill_prompt if self.kind is OfferKind.PROMPT else read_resource
        return await ask(current(), LOCAL_OWNER, self.server_id, self.key, values)


@dataclass(frozen=True, slots=True)
class Offered:
    """All prompts and resources of some servers.

    `message` names the servers that are not connected or offer nothing.
    """

    offers: tuple[Insertable, ...]
    message: str


async def find_offers(agent_id: str) -> Offered:
    """Return the prompts and resources of the enabled MCP servers of an agent.

    If `agent_id` is "none" (no agent), return the prompts and resources of all enabled servers.

    Raises:
        NotFoundError: no such agent.
    """
    seen = await list_servers(current(), LOCAL_OWNER)
    agent = None if agent_id == NO_AGENT else await read_agent(current(), LOCAL_OWNER, agent_id)
    used = None if agent is None else agent.server_ids
    servers = tuple(one for one in seen if one.server.enabled and (used is None or one.server.id in used))
    offers = tuple(offer for one in servers for offer in _list(one))
    return Offered(offers, _describe_servers(servers, any_offer=bool(offers)))


def describe_option(offer: Insertable) -> OptionRow:
    """Return the row of a prompt or a resource in the full list."""
    is_prompt = offer.kind is OfferKind.PROMPT
    return OptionRow(
        offer.id,
        offer.name,
        note=offer.about if is_prompt else offer.key,
        group=f"{offer.server} · {offer.kind}s",
        words="" if is_prompt else offer.about,
    )


def describe_prompt(offer: Insertable) -> PromptRow:
    """Return the row of a prompt in the list that a typed "/" opens."""
    words = f"{offer.key} {offer.name}".lower()
    return PromptRow(offer.id, f"/{offer.key}", offer.about or offer.name, offer.server, words)


def _list(seen: SeenServer) -> Iterator[Insertable]:
    server = seen.server
    known = (server.known if seen.session is None else seen.session.known) or Listing()
    for prompt in known.prompts:
        name = prompt.title or prompt.name
        yield Insertable(
            server.id, server.name, OfferKind.PROMPT, prompt.name, name, prompt.description, prompt.arguments
        )
    for one in known.resources:
        variables = list_variables(one.uri) if one.is_template else ()
        fields = tuple(ListedArgument(each.name, "", each.required) for each in variables)
        name = one.name or one.uri
        yield Insertable(server.id, server.name, OfferKind.RESOURCE, one.uri, name, one.description, fields)


def _describe_servers(servers: tuple[SeenServer, ...], *, any_offer: bool) -> str:
    if not servers:
        return _NO_SERVER
    down = tuple(one for one in servers if one.session is None or one.session.health is not Health.READY)
    absent = " ".join(map(_describe_absent, down))
    if any_offer:
        return absent
    names = ", ".join(f"“{one.server.name}”" for one in servers)
    return f"{names} offer{'s' if len(servers) == 1 else ''} no prompts and no resources. {absent}".rstrip()


def _describe_absent(seen: SeenServer) -> str:
    problem = "" if seen.session is None else seen.session.problem
    return f"“{seen.server.name}” is not connected{f': {problem}' if problem else ''}."
