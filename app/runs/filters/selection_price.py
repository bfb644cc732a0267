"""What reading the selected pairs of all conversations would cost, before a conversation is begun with copies of them.

    weight = await weigh_selection(wb, owner, pair_ids)
    weight.tokens, weight.cost

The model is that of the newest pair: the conversation has it (`across.begin_with_copies`). Every pair is counted, as
copies of all of them are in view there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from app.domain.costs.prices import price_usage
from app.domain.usage import Usage
from app.providers.tokens.vocabularies import vocabulary_of
from app.runs.process.ids import now
from app.runs.request.calibration import load_estimator
from app.runs.request.indexes import describe_pairs
from app.runs.usage.prices import learn_tariffs
from app.runs.workbench import Workbench
from app.store.conversation.pairs import load_pairs_by_id


@dataclass(frozen=True, slots=True)
class SelectionWeight:
    """The tokens of pairs for a model, give or take a `band` (0.05 is 5 %). `cost` None: the price is not known."""

    model: str
    tokens: int
    band: float
    cost: Decimal | None


async def weigh_selection(wb: Workbench, owner: str, pair_ids: Sequence[str]) -> SelectionWeight | None:
    """Count these pairs for the model of the newest of them; None: none of them is there.

    Raises:
        InviewError: the provider of that model was deleted.
    """
    async with wb.store.read() as session:
        pairs = await load_pairs_by_id(session, owner, tuple(pair_ids))
        if not pairs:
            return None
        newest = max(pairs, key=lambda pair: (pair.created_at, pair.id))
        _, profile = await wb.catalogue.find(session, owner, newest.model)
        estimator = await load_estimator(session, owner, profile)
    indexed = await describe_pairs(pairs, vocabulary_of(profile.model))
    tokens = estimator.base + sum(estimator.of_pair(one.sizes) for one in indexed)
    tariffs = await learn_tariffs(wb, owner, {newest.model})
    cost = price_usage(Usage(input_tokens=tokens), tariffs.get(newest.model), now())
    return SelectionWeight(newest.model, tokens, estimator.band, cost)
