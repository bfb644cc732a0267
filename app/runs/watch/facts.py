"""The facts that a screen shows about a pair: its size, its cost, the parts that the chosen model refuses, and so on.

facts = Showing(base, await load_topic_paths(ctx, owner, pairs)).facts_of(pair)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.domain.context.composition import Composition
from app.domain.context.context import OutReason, list_unsupported
from app.domain.conversation.conversation import Pair
from app.domain.conversation.damage import Damage
from app.domain.costs.costs import price_cache_saving, price_pair
from app.domain.costs.prices import Tariff
from app.domain.models.model_profile import ModelProfile
from app.domain.privacy.redaction import list_replaced
from app.domain.topics.topics import UNKNOWN_TOPIC, build_topic_tree
from app.runs.app_context import AppContext
from app.runs.request.context_snapshots import ContextSnapshot
from app.runs.usage.prices import learn_tariffs
from app.store.database.damage import log_damage
from app.store.topics.topics import NO_TOPIC, load_topics
from app.views.conversation.pair import PairFacts


@dataclass(frozen=True, slots=True)
class Showing:
    """The data that is needed to describe pairs.

    - `out`: the reasons why pairs in view are not sent.
    - `paths`: the paths of topics by id; None for a missing topic.
    - `tariffs`: the tariffs of the models that answered.
    - `profiles`: the models that get the draft, if there are several.
    """

    base: ContextSnapshot
    paths: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    out: Mapping[str, OutReason] = field(default_factory=dict[str, OutReason])
    tariffs: Mapping[str, Tariff | None] = field(default_factory=dict[str, Tariff | None])
    profiles: tuple[ModelProfile, ...] = ()

    def facts_of(self, pair: Pair) -> PairFacts:
        """Return the facts about this pair."""
        missing = pair.topic is not None and self.paths.get(pair.topic, "") is None
        tariff = self.tariffs.get(pair.model)
        return PairFacts(
            tokens=self.base.tokens_of(pair.id, pair.position),
            topic=UNKNOWN_TOPIC if missing else self.paths.get(pair.topic or ""),
            topic_is_missing=missing,
            out=self.out.get(pair.id),
            checkpoint=self.base.conversation.checkpoint,
            cost=price_pair(pair, tariff),
            cache_saving=price_cache_saving(pair, tariff),
            secrets=list_replaced(pair) if self.base.extras.redact else (),
            unsupported=self._list_unsupported(pair),
        )

    def _list_unsupported(self, pair: Pair) -> tuple[str, ...]:
        """Return the reasons why models do not accept parts of the pair, each once."""
        several = (list_unsupported(pair, profile) for profile in self.profiles or (self.base.profile,))
        return tuple(dict.fromkeys(part.reason for parts in several for part in parts))


async def load_topic_paths(ctx: AppContext, owner: str, pairs: Iterable[Pair]) -> Mapping[str, str | None]:
    """Return the paths of an owner's topics by id. If none of these pairs has a topic, return an empty mapping.

    The path of a topic that a pair names but that does not exist is None.
    """
    filed = [(pair.id, pair.topic) for pair in pairs if pair.topic is not None]
    if not filed:
        return {}
    async with ctx.store.read() as session:
        tree = build_topic_tree(await load_topics(session, owner))
    missing = [(pair_id, topic) for pair_id, topic in filed if topic not in tree.paths]
    for pair_id, topic in missing:
        log_damage(Damage("pair", pair_id, "topic", NO_TOPIC, len(topic.encode())))
    return {topic_id: tree.path_text(topic_id) for topic_id in tree.paths} | {topic: None for _, topic in missing}


async def show_pairs(
    ctx: AppContext, base: ContextSnapshot, composition: Composition, pairs: Iterable[Pair]
) -> Showing:
    """Load the data that is needed to describe these pairs, including the reasons why pairs are not sent."""
    pairs = tuple(pairs)
    paths, tariffs = await load_topic_paths(ctx, base.owner, pairs), await learn_prices(ctx, base.owner, pairs)
    return Showing(base, paths, composition.out, tariffs)


async def learn_prices(ctx: AppContext, owner: str, pairs: Iterable[Pair]) -> Mapping[str, Tariff | None]:
    """Load the tariffs of the models that answered these pairs."""
    return await learn_tariffs(ctx, owner, {pair.model for pair in pairs})
