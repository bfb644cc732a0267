"""Context snapshots: the pairs that a filter selects in a conversation at a revision, and a cache of the latest ones.

The key of a snapshot contains everything that it depends on, so no snapshot in the cache is out of date.

Not here: making a snapshot (`runs/send/context_selection.py`), and request snapshots, the stored requests of failed
pairs (`store/run/snapshots.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from app.domain.agents.agents import Agent
from app.domain.context.composition import BoundaryInputs, SizedPairs
from app.domain.context.pair_index import PairIndex
from app.domain.conversation.conversation import Conversation, Parameters
from app.domain.filters.evaluation.condition import Condition
from app.domain.filters.evaluation.lowering import asks_boundary
from app.domain.filters.evaluation.scope import FilterScope
from app.domain.filters.language.syntax import Age, Filter, leaves
from app.domain.models.model_profile import ModelProfile
from app.domain.settings.preferences import OverBudget
from app.domain.settings.rate_limits import RateLimits
from app.domain.tools.inclusion import OfferedTools
from app.providers.base import Provider
from app.runs.memory.memory_cache import MemoryCache
from app.runs.request.send_plan import RequestExtras

MAX_BASES = 64


@dataclass(frozen=True, slots=True)
class ContextSnapshot:
    """The pairs that a filter selects at a revision, with all other data of a send that does not depend on the draft.

    The agent, the filter and the pairs in view:

    - `agent`: the agent that answers.
    - `own`: the conversation's parameters that the model accepts.
    - `usual`: the same parameters, with the agent's parameters as defaults.
    - `filter`: the filter as the person wrote it.
    - `tree`: its syntax tree, with saved filters expanded.
    - `sentence`: the filter in plain words.
    - `measured`: the pairs that the filter selects, without regard to its terms `o` (“inside the context boundary”).
    - `parts`: for each part of the filter that has no term `o`, the ids of the matching pairs. Empty if the whole
      filter has no term `o`.
    - `views`: a cache of the pairs in view by boundary, used for a filter with a term `o`.

    The conversation and the request:

    - `index`: every pair of the conversation, in view or not.
    - `running`: the pair whose reply is running, in view or not.
    - `terms`: the data from which the boundary is computed.
    - `system_text`: the size of the system prompt in tokens of the vocabulary.
    - `offer`: the tools that can be sent.
    - `extras`: the other data of the request (`send_plan.py`).
    - `rate_limits`: those of the preferences.
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
    scope: FilterScope
    sentence: str
    notices: tuple[str, ...]
    terms: BoundaryInputs
    over_budget: OverBudget
    replay: bool
    rate_limits: RateLimits
    measured: SizedPairs
    index: PairIndex
    system_text: int
    offer: OfferedTools
    extras: RequestExtras
    running: str | None
    parts: Mapping[Condition, frozenset[str]]
    views: dict[int | None, SizedPairs] = field(default_factory=dict[int | None, SizedPairs], repr=False)

    @property
    def explicit(self) -> bool:
        """True if the filter has a term `o` (“inside the context boundary”)."""
        return asks_boundary(self.tree)

    @property
    def timed(self) -> bool:
        """True if a send depends on the current time.

        The filter has ages, such as `d<7d`, or the text about the person has the time of day.
        """
        return self.extras.timed or any(isinstance(leaf, Age) for leaf in leaves(self.tree))

    def tokens_of(self, pair_id: str, position: int) -> int | None:
        """Return the tokens of a pair of the conversation, in view or not.

        Return None if the index does not have this pair at this position.
        """
        found = self.index.find(position)
        return None if found is None or found.pair_id != pair_id else self.terms.estimator.of_pair(found.sizes)

    @property
    def as_of(self) -> datetime:
        """The time of the send: of the text about the person, and of the filter, which counts ages back from it."""
        return self.scope.now


@dataclass(eq=False)
class SnapshotCache:
    """A cache of the context snapshots that were used last."""

    kept: MemoryCache[Hashable, ContextSnapshot] = field(
        default_factory=lambda: MemoryCache[Hashable, ContextSnapshot](MAX_BASES)
    )

    def find(self, key: Hashable) -> ContextSnapshot | None:
        return self.kept.find(key)

    def keep(self, key: Hashable, base: ContextSnapshot) -> None:
        self.kept.keep(key, base)
