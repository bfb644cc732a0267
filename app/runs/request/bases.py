"""Bases: which pairs a filter selected of a conversation at a revision. The latest are cached.

Not how a base is read (`runs/send/context_selection.py`). The key of a base names all that it depends on, so none is
ever out of date.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from app.domain.agents.agents import Agent
from app.domain.context.composition import Measured, Terms
from app.domain.context.pair_index import PairIndex
from app.domain.conversation.conversation import Conversation, Parameters
from app.domain.filters.conditions.condition import Condition
from app.domain.filters.conditions.lowering import asks_boundary
from app.domain.filters.conditions.scope import Scope
from app.domain.filters.language.syntax import Age, Filter, leaves
from app.domain.model_profile import ModelProfile
from app.domain.preferences import OverBudget
from app.domain.tools.inclusion import Offer
from app.providers.base import Provider
from app.runs.process.memory_cache import MemoryCache
from app.runs.request.send_plan import RequestExtras
from app.views.filter_words import describe_selected

MAX_BASES = 64


@dataclass(frozen=True, slots=True)
class Base:
    """The base set of a filter, read at a revision, with all that does not depend on the draft.

    `agent` answers. `own` are the conversation's parameters as far as the model takes them, `usual` these and, where
    they say nothing, the agent's.

    `filter` is the line, `written` its syntax, `tree` that with saved filters put in. `system_text` is the size of the
    system prompt in the vocabulary. `running`: the pair whose reply is on, in view or not. `parts`: for which
    pairs each part of the filter's second step holds; `views`: what came of it for boundaries drawn before. `index` has
    every pair of the conversation, in view or not. `offer` are the tools that could go along, `beside` is
    what else does.
    """

    owner: str
    conversation: Conversation
    agent: Agent | None
    own: Parameters
    usual: Parameters
    revision: int
    provider: Provider
    profile: ModelProfile
    vocabulary: str
    filter: str
    tree: Filter
    scope: Scope
    written: Filter
    notices: tuple[str, ...]
    terms: Terms
    over_budget: OverBudget
    replay: bool
    measured: Measured
    index: PairIndex
    system_text: int
    offer: Offer
    beside: RequestExtras
    running: str | None
    parts: Mapping[Condition, frozenset[str]]
    views: dict[int | None, Measured] = field(default_factory=dict[int | None, Measured], repr=False)

    @property
    def sentence(self) -> str:
        """What the filter selects, in the language of who reads it."""
        return describe_selected(self.written)

    @property
    def explicit(self) -> bool:
        """Whether the filter speaks of the boundary itself."""
        return asks_boundary(self.tree)

    @property
    def ages(self) -> bool:
        """Whether what it selects depends on the instant at which it is read."""
        return any(isinstance(leaf, Age) for leaf in leaves(self.tree))

    def tokens_of(self, pair_id: str, position: int) -> int | None:
        """Return the tokens of a pair, in view or not; None if it was not there when this was read."""
        found = self.index.find(position)
        return None if found is None or found.pair_id != pair_id else self.terms.estimator.of_pair(found.sizes)

    @property
    def as_of(self) -> datetime:
        """The instant at which ages were read."""
        return self.scope.now


@dataclass(eq=False)
class Bases:
    """The bases asked for last."""

    kept: MemoryCache[Hashable, Base] = field(default_factory=lambda: MemoryCache[Hashable, Base](MAX_BASES))

    def find(self, key: Hashable) -> Base | None:
        return self.kept.find(key)

    def keep(self, key: Hashable, base: Base) -> None:
        self.kept.keep(key, base)
