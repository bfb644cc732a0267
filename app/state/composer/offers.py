"""The rows of the insert dialog: a person's own prompts, and what MCP servers offer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from app.domain.prompts.prompts import Prompt
from app.domain.prompts.variables import fill_in, list_variables
from app.domain.tools.insertions import as_typed
from app.domain.tools.tool_servers import Listing
from app.domain.tools.uri_templates import list_variables as list_uri_variables
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.agent_commands import read_agent
from app.runs.library.preference_commands import read_preferences
from app.runs.library.prompt_commands import list_prompts, read_prompt
from app.runs.tools.insertions import fill_prompt, read_resource
from app.runs.tools.lent_servers import list_lent
from app.runs.tools.server_commands import SeenServer, list_servers
from app.runs.workbench import current
from app.state.agents.choice import NOBODY
from app.state.composer.views import PromptRow
from app.tools.sessions import Health
from app.views.screen.options import OptionRow

OWN: Final = "common.prompts"
"""What the library of a person's own prompts is called beside the names of servers."""
_MAX_ABOUT: Final = 120
_NO_SERVER: Final = "composer.no_server_on"


class OfferKind(StrEnum):
    """What it is called."""

    OWN = "composer.own_prompt"
    PROMPT = "composer.prompt"
    RESOURCE = "composer.resource"


@dataclass(frozen=True, slots=True)
class OfferField:
    """A value that an offer asks for. `default` is the value that its field begins with."""

    name: str
    required: bool
    description: str = ""
    default: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """A prompt or a resource. `key` is what its server knows it by, `fields` what it wants to be told.

    An own prompt has no server: `server_id` is the prompt's id, `key` its name and `server` its folder.
    """

    server_id: str
    server: str
    kind: OfferKind
    key: str
    name: str
    about: str
    fields: tuple[OfferField, ...]

    @property
    def id(self) -> str:
        """Another for each."""
        return f"{self.server} {self.kind.name.title()} {self.key}"

    async def fetch(self, values: dict[str, str]) -> str:
        """Get the text: of an own prompt as it is by now, else from its server.

        Raises:
            InviewError: it is not to be had like this. An InputError names the field.
        """
        if self.kind is OfferKind.OWN:
            return as_typed(fill_in((await read_prompt(current(), caller(), self.server_id)).text, values))
        ask = fill_prompt if self.kind is OfferKind.PROMPT else read_resource
        return await ask(current(), caller(), self.server_id, self.key, values)


@dataclass(frozen=True, slots=True)
class Offered:
    """All that there is, and what is to be said of the servers."""

    offers: tuple[Offer, ...]
    said: str


async def find_own_prompts() -> tuple[Offer, ...]:
    """The prompts that a person keeps, by folder and name."""
    return tuple(map(_describe_own, await list_prompts(current(), caller())))


async def find_offers(agent_id: str) -> Offered:
    """What the servers offer that are switched on for this agent; `NOBODY`: all that are switched on.

    Of servers that others share: those that the agent names, or that the person uses.

    Raises:
        NotFoundError: no such agent.
    """
    seen = await list_servers(current(), caller())
    agent = None if agent_id == NOBODY else await read_agent(current(), caller(), agent_id)
    used = None if agent is None else agent.server_ids
    servers = tuple(one for one in seen if one.server.enabled and (used is None or one.server.id in used))
    wanted = (await read_preferences(current(), caller())).shared_servers if used is None else used
    lent = tuple(one for one in list_lent(current(), caller()) if one.id in wanted)
    of_own = (offer for one in servers for offer in _list(one.server.id, one.server.name, _known(one)))
    of_lent = (offer for one in lent for offer in _list(one.id, one.name, one.known or Listing()))
    offers = (*of_own, *of_lent)
    said = "" if lent and not servers else _describe_servers(servers, any_offer=bool(offers))
    return Offered(offers, said)


def describe_option(offer: Offer) -> OptionRow:
    """The row of an offer in the list of all."""
    is_prompt = offer.kind is OfferKind.PROMPT
    if offer.kind is OfferKind.OWN:
        group = " · ".join(filter(None, (translate(OWN), offer.server)))
        return OptionRow(offer.id, offer.name, note=f"/{offer.key}", group=group, words=offer.about)
    return OptionRow(
        offer.id,
        offer.name,
        note=offer.about if is_prompt else offer.key,
        group=translate("composer.prompts_of" if is_prompt else "composer.resources_of", server=offer.server),
        words="" if is_prompt else offer.about,
    )


def describe_prompt(offer: Offer) -> PromptRow:
    """The row of a prompt in the list that a "/" opens."""
    words = f"{offer.key} {offer.name}".lower()
    if offer.kind is OfferKind.OWN:
        means = offer.about if offer.name == offer.key else offer.name
        return PromptRow(offer.id, f"/{offer.key}", means, offer.server or translate(OWN), words)
    return PromptRow(offer.id, f"/{offer.key}", offer.about or offer.name, offer.server, words)


def _describe_own(prompt: Prompt) -> Offer:
    fields = tuple(
        OfferField(one.name, required=one.default is None, default=one.default or "")
        for one in list_variables(prompt.text)
    )
    first = prompt.text.strip().split("\n", 1)[0]
    about = first if len(first) <= _MAX_ABOUT else f"{first[: _MAX_ABOUT - 1]}…"
    return Offer(prompt.id, prompt.folder, OfferKind.OWN, prompt.name, prompt.title or prompt.name, about, fields)


def _known(seen: SeenServer) -> Listing:
    return (seen.server.known if seen.session is None else seen.session.known) or Listing()


def _list(server_id: str, server_name: str, known: Listing) -> Iterator[Offer]:
    for prompt in known.prompts:
        name = prompt.title or prompt.name
        fields = tuple(OfferField(one.name, one.required, one.description) for one in prompt.arguments)
        yield Offer(server_id, server_name, OfferKind.PROMPT, prompt.name, name, prompt.description, fields)
    for one in known.resources:
        variables = list_uri_variables(one.uri) if one.is_template else ()
        fields = tuple(OfferField(each.name, each.required) for each in variables)
        name = one.name or one.uri
        yield Offer(server_id, server_name, OfferKind.RESOURCE, one.uri, name, one.description, fields)


def _describe_servers(servers: tuple[SeenServer, ...], *, any_offer: bool) -> str:
    if not servers:
        return translate(_NO_SERVER)
    down = tuple(one for one in servers if one.session is None or one.session.health is not Health.READY)
    absent = " ".join(map(_describe_absent, down))
    if any_offer:
        return absent
    names = ", ".join(f"“{one.server.name}”" for one in servers)
    return translate("composer.offers_nothing", count=len(servers), names=names, absent=absent).rstrip()


def _describe_absent(seen: SeenServer) -> str:
    problem = "" if seen.session is None else seen.session.problem
    return translate("composer.is_not_there", name=seen.server.name, value=f": {problem}" if problem else "")
