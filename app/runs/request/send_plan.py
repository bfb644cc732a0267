"""The plan of a send: everything from the pairs in view to the bytes of the request.

    plan = await plan_send(view, profile, provider)

Preview, send and reaper all use it. No provider is called and nothing is stored here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.domain.agents.agents import Agent
from app.domain.cache.warmth import Breakpoint
from app.domain.context.composition import Candidate
from app.domain.context.context import BuiltRequest, View, build_request, join_cards
from app.domain.context.middleware import NO_USER_OPTIONS, UserOptions, compose_system_prelude
from app.domain.conversation.conversation import Conversation, Pair, Parameters
from app.domain.conversation.parameters import NO_PARAMETERS
from app.domain.conversation.parts import Part
from app.domain.models.model_profile import ModelProfile
from app.domain.privacy.redaction import redact_text
from app.domain.request.hashing import Hashed, content_hashes
from app.domain.request.request import ToolDefinition
from app.providers.base import Attachments, Provider, WireRequest, encode
from app.runs.request.attachments import NO_ATTACHMENTS
from app.runs.request.caches import Caching, plan_use
from app.store.cache.prompt_caches import CacheUse
from app.store.run.runs import Sent, SentWith

LONG_HISTORY = 500
"""Number of pairs from which the plan is made in a thread, because planning would block the event loop for too long."""


Breakpoints = tuple[Breakpoint, ...]


@dataclass(frozen=True, slots=True)
class RequestExtras:
    """Data of a request that does not come from the conversation.

    - `prelude`: the text about the person.
    - `redact`: secrets are redacted.
    - `timed`: the prelude has the time of day.
    """

    prelude: str | None = None
    redact: bool = False
    timed: bool = False


NO_EXTRAS = RequestExtras()


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned provider call.

    - `hashes`: the content hashes of `domain.request.hashing.content_hashes`.
    - `cache`: the call's use of the provider's prompt cache; None if the cache rules of the model are unknown.
    """

    provider: Provider
    built: BuiltRequest
    wire: WireRequest
    hashes: tuple[str, ...]
    cache: CacheUse | None = None
    prelude: str | None = None

    @property
    def sent_with(self) -> SentWith:
        """The data that is needed to build the request again, in addition to its pairs and tools."""
        return SentWith(self.prelude, self.built.replaced)

    @property
    def content_hash(self) -> str:
        """The hash of the whole request."""
        return self.hashes[-1]

    @property
    def hashed(self) -> Hashed:
        """The hashes that the next plan in the same conversation reuses."""
        return Hashed(self.built.request, self.hashes)


def compose_request_extras(options: UserOptions = NO_USER_OPTIONS) -> RequestExtras:
    """Return the prelude (the text about the user) for a request, and whether its secrets are redacted."""
    return RequestExtras(compose_system_prelude(options), options.redact, options.context.time != "")


def extras_of(sent_with: SentWith) -> RequestExtras:
    """Return the prelude (the text about the user) of a request that was sent, and whether its secrets were redacted.

    Both are needed to build the request again.
    """
    return RequestExtras(sent_with.prelude, sent_with.replaced is not None)


def build_view(  # noqa: PLR0913, PLR0917 - the data of a request
    conversation: Conversation,
    agent: Agent | None,
    pairs: tuple[Pair, ...],
    draft: tuple[Part, ...],
    parameters: Parameters,
    tools: tuple[ToolDefinition, ...] = (),
    extras: RequestExtras = NO_EXTRAS,
) -> View:
    """Build the content of a send (`View`) from the pairs, the draft and the settings of the conversation.

    `agent` is the agent that answers; None: no agent.
    """
    return View(
        pairs=pairs,
        draft=draft,
        agent_prompt="" if agent is None else agent.system_prompt,
        system_prompt=conversation.system_prompt,
        prelude=extras.prelude,
        checkpoint=conversation.checkpoint,
        parameters=parameters,
        tools=tools,
        redact=extras.redact,
    )


def system_text_of(conversation: Conversation, agent: Agent | None, extras: RequestExtras = NO_EXTRAS) -> str:
    """Return the system text of a request: the text of all its cards, redacted if redaction is on."""
    text = join_cards(build_view(conversation, agent, (), (), NO_PARAMETERS, extras=extras))
    return redact_text(text).text if extras.redact else text


async def plan_send(  # noqa: PLR0913 - the data of a request
    view: View,
    profile: ModelProfile,
    provider: Provider,
    known: Hashed | None = None,
    *,
    caching: Caching | Breakpoints | None = None,
    attachments: Attachments = NO_ATTACHMENTS,
) -> Plan:
    """Plan the send of this view to this model.

    - `known`: the hashes of an earlier plan, which are reused for equal messages.
    - `caching`: the expected state of the provider's prompt cache, from which the breakpoints are planned, or the
      breakpoints of a request that was sent before.
    - `attachments`: the bytes of the attachments that the view names (`attachments.py`).

    Raises:
        InputError: the provider's protocol cannot carry the view.
    """
    if len(view.pairs) < LONG_HISTORY:
        return _plan(view, profile, provider, known, caching, attachments)
    return await asyncio.to_thread(_plan, view, profile, provider, known, caching, attachments)


def list_sent(sent: Sequence[Candidate]) -> Sent:
    """Return the positions of these pairs as ranges.

    >>> from app.domain.tokens.estimates import PairSizes
    >>> list_sent([Candidate(str(position), position, PairSizes(1, 2)) for position in (1, 2, 3, 7)])
    ((1, 3), (7, 7))
    """
    spans: list[tuple[int, int]] = []
    for pair in sent:
        if spans and spans[-1][1] == pair.position - 1:
            spans[-1] = (spans[-1][0], pair.position)
        else:
            spans.append((pair.position, pair.position))
    return tuple(spans)


def require_same(built: BuiltRequest, sent: Collection[Candidate]) -> None:
    """Check that a planned request has all pairs of its composition.

    Raises:
        ValueError: a pair is missing. Then its index entry and its messages differ, which is a defect of Inview.
    """
    if built.out:
        raise ValueError(f"{len(built.out)} of {len(sent)} pairs cannot be sent: {built.out[0]}.")


def _plan(  # noqa: PLR0913, PLR0917 - the arguments of plan_send
    view: View,
    profile: ModelProfile,
    provider: Provider,
    known: Hashed | None,
    caching: Caching | Breakpoints | None,
    attachments: Attachments,
) -> Plan:
    built = build_request(view, profile)
    hashes = content_hashes(built.request, known)
    use = plan_use(built.request, hashes, caching) if isinstance(caching, Caching) else None
    marks = caching if isinstance(caching, tuple) else ()
    wire = encode(provider, built.request, profile, attachments, marks if use is None else use.plan.marks)
    return Plan(provider, built, wire, hashes, use, view.prelude)
