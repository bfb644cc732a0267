"""A planned send as values: the pairs in view, the tools, and the call that would be made.

    planned.composed.composition.sent, planned.wire.body

Not here: reading the pairs in view (`runs/send/context_selection.py`) and planning the call (`runs/send/planning.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.context.composition import Candidate, Composition
from app.domain.context.context import BuiltRequest
from app.domain.context.seen_selection import describe_selection
from app.domain.conversation.parts import Part
from app.domain.run.rounds import ToolLimits
from app.domain.tokens.kinds import TextKind
from app.domain.tools.inclusion import NOTHING_CHOSEN, Choice
from app.domain.tools.tools import Tool
from app.providers.base import WireRequest
from app.runs.engine.live import Loop
from app.runs.request.context_snapshots import ContextSnapshot
from app.runs.request.send_plan import Plan

TOOL_LIMITS = ToolLimits()
"""Limits for tool calls in one reply."""


@dataclass(frozen=True, slots=True)
class Composed:
    """The pairs of a send, before its provider call is planned.

    - `base`: the context snapshot.
    - `composition`: the pairs in view, the pairs that are sent, and the tokens.
    - `tools`: the tools that are sent.
    - `draft_text`: the size of the draft in tokens of the vocabulary.
    - `secrets`: the kinds of secrets that are redacted from the draft.
    - `attached`: the parts that are sent with the draft.
    - `draft_kind`: the kind of text of the draft and these parts.
    """

    base: ContextSnapshot
    composition: Composition
    draft_text: int
    tools: Choice = NOTHING_CHOSEN
    secrets: tuple[str, ...] = ()
    attached: tuple[Part, ...] = ()
    draft_kind: TextKind = TextKind.PLAIN

    @property
    def selection(self) -> str:
        """The pairs that would be sent, as a text that a client passes to the send.

        Each read of this property goes through all pairs.
        """
        return describe_selection(self.composition.sent, self.base.running)


@dataclass(frozen=True, slots=True)
class Preview:
    """A planned call: the composition, the pairs that are sent, and the exact bytes."""

    composed: Composed
    sent: tuple[Candidate, ...]
    plan: Plan

    @property
    def built(self) -> BuiltRequest:
        return self.plan.built

    @property
    def wire(self) -> WireRequest:
        return self.plan.wire

    @property
    def agent_name(self) -> str | None:
        """The name of the agent that will answer."""
        agent = self.composed.base.agent
        return None if agent is None else agent.name

    @property
    def url(self) -> str:
        return self.plan.wire.url

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that the request offers, in their current versions."""
        return self.composed.tools.tools

    @property
    def loop(self) -> Loop:
        """The data that the reply needs to call tools and to continue."""
        base = self.composed.base
        return Loop(self.plan.hashed, base.profile, self.tools, TOOL_LIMITS, base.agent, self.built.replaced)

    @property
    def hashes(self) -> tuple[str, ...]:
        """The content hashes of the request's messages (`domain.request.hashing.content_hashes`)."""
        return self.plan.hashes
