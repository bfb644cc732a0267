"""Bases: what a filter selected of a conversation at a revision, and the last of them, kept between looks.

Not how a base is read (`composing.py`). The key of a base names all that it depends on, so none is ever out of date.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from app.domain.agents import Agent
from app.domain.composition import Measured, Terms
from app.domain.conversation import Conversation, Parameters
from app.domain.filters.condition import Condition
from app.domain.filters.lowering import asks_boundary
from app.domain.filters.scope import Scope
from app.domain.filters.syntax import Age, Filter, leaves
from app.domain.inclusion import Offer
from app.domain.model_profile import ModelProfile
from app.domain.preferences import OverBudget
from app.providers.base import Provider
from app.runs.sending import Beside

MOST_BASES = 64


@dataclass(frozen=True, slots=True)
class Base:
    """The base set of a filter, read at a revision, with all that does not depend on the draft.

    `agent` answers, with `usual` parameters as far as the model takes them.

    `filter` is the line as written, `tree` its syntax with saved filters put in. `system_text` is the size of the
    system prompt in the vocabulary. `running`: the pair whose reply is on, in view or not. `parts`: for which
    pairs each part of the filter's second step holds; `views`: what came of it for boundaries drawn before. `tokens` is
    what every pair of the conversation comes to, in view or not. `offer` are the tools that could go along, `beside` is
    what else does.
    """

    owner: str
    conversation: Conversation
    agent: Agent | None
    usual: Parameters
    revision: int
    provider: Provider
    profile: ModelProfile
    vocabulary: str
    filter: str
    tree: Filter
    scope: Scope
    sentence: str
    notices: tuple[str, ...]
    terms: Terms
    over_budget: OverBudget
    replay: bool
    measured: Measured
    tokens: Mapping[str, int]
    system_text: int
    offer: Offer
    beside: Beside
    running: str | None
    parts: Mapping[Condition, frozenset[str]]
    views: dict[int | None, Measured] = field(default_factory=dict[int | None, Measured], repr=False)

    @property
    def explicit(self) -> bool:
        """Whether the filter speaks of the boundary itself."""
        return asks_boundary(self.tree)

    @property
    def ages(self) -> bool:
        """Whether what it selects depends on the instant at which it is read."""
        return any(isinstance(leaf, Age) for leaf in leaves(self.tree))

    @property
    def as_of(self) -> datetime:
        """The instant at which ages were read."""
        return self.scope.now


@dataclass(eq=False)
class Bases:
    """The bases asked for last."""

    _kept: OrderedDict[Hashable, Base] = field(default_factory=OrderedDict[Hashable, Base], repr=False)

    def find(self, key: Hashable) -> Base | None:
        if (base := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
        return base

    def keep(self, key: Hashable, base: Base) -> None:
        self._kept[key] = base
        while len(self._kept) > MOST_BASES:
            self._kept.popitem(last=False)
