"""What a send would be, as values: the pairs in view with their tools, and the one call that would be made of them.

    planned.composed.composition.sent, planned.wire.body

Not here: reading what is in view (`runs/send/context_selection.py`) and planning the call (`runs/send/plan.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.context.composition import Candidate, Composition
from app.domain.context.context import BuiltRequest
from app.domain.context.selection import describe_selection
from app.domain.conversation.parts import Part
from app.domain.run.rounds import ToolLimits
from app.domain.tools.inclusion import NOTHING_CHOSEN, Choice
from app.domain.tools.tools import Tool
from app.providers.base import WireRequest
from app.runs.engine.live import Loop
from app.runs.request.bases import Base
from app.runs.request.send_plan import Plan

TOOL_LIMITS = ToolLimits()
"""How much one reply may do with tools."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A base set with what is in view of it, and which tools go along. `draft_text` is its size in the vocabulary.

    `secrets` are the kinds of those in the draft that go out as marks, `attached` is what goes with it.
    """

    base: Base
    composition: Composition
    draft_text: int
    tools: Choice = NOTHING_CHOSEN
    secrets: tuple[str, ...] = ()
    attached: tuple[Part, ...] = ()

    @property
    def selection(self) -> str:
        """Which pairs would be sent: what a send hands back. Looks at each of them."""
        return describe_selection(self.composition.sent, self.base.running)


@dataclass(frozen=True, slots=True)
class Preview:
    """One call that would be made: what is in view, the pairs of it that go out, and the exact bytes."""

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
        """The name of the agent that is to answer."""
        agent = self.composed.base.agent
        return None if agent is None else agent.name

    @property
    def url(self) -> str:
        return self.plan.wire.url

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Return the tools that it describes, as they are now."""
        return self.composed.tools.tools

    @property
    def loop(self) -> Loop:
        """Return what its reply needs to call tools and to continue."""
        base = self.composed.base
        return Loop(self.plan.hashed, base.profile, self.tools, TOOL_LIMITS, base.agent, self.built.replaced)

    @property
    def hashes(self) -> tuple[str, ...]:
        """As of `domain.request.hashing.content_hashes`."""
        return self.plan.hashes
