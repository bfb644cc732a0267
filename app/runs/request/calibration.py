"""The token estimator of a model: counts in a vocabulary, corrected by the reported usage of earlier sends.

    estimator = await load_estimator(session, owner, profile, conversation_id)
    estimator.of_text(counted, messages=1)

Not here: counting a text (`providers/counts/vocabularies.py`) and the fit (`domain/tokens/calibration.py`).
"""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.models.model_profile import ModelProfile
from app.domain.tokens.calibration import estimator_of
from app.domain.tokens.estimates import Estimator
from app.store.ledger.ledger import load_observations

_estimate = lru_cache(maxsize=500)(estimator_of)
"""The function `estimator_of` with a cache of its results, because a computation takes some milliseconds."""


async def load_estimator(
    session: AsyncSession, owner: str, profile: ModelProfile, conversation_id: str | None = None
) -> Estimator:
    """Load the token estimator of a model, corrected by the usage that the provider reported for earlier sends.

    The reports for sends of this conversation have the highest weight.
    """
    return _estimate(profile, await load_observations(session, owner, profile.model, conversation_id))
