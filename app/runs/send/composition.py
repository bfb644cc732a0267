"""Composition: the pairs in view, those that would be sent with a draft, and their tokens.

    composed = await compose_view(ctx, owner, conversation_id, ViewOptions(filter="s>=2 o"), draft="Why?")
    composed.composition.sent

The page, the HTTP API, the preview and the send all use this module. It computes the boundary, which depends on the
length of the draft, from a context snapshot (`context_selection.py`), without the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

from app.domain.context.composition import (
    NEW_IMAGES,
    Candidate,
    SizedPairs,
    budget_of,
    compose,
    draw_boundary,
    measure_as,
)
from app.domain.conversation.parts import Part
from app.domain.filters.evaluation.combining import combine
from app.domain.filters.evaluation.lowering import BoundaryPairs, lower_view
from app.domain.privacy.redaction import redact_text
from app.domain.settings.preferences import OverBudget
from app.domain.tokens.estimates import THOUSAND, list_images, list_words
from app.domain.tokens.kinds import KindFigures, measure_kind
from app.domain.tools.inclusion import choose_tools
from app.runs.app_context import AppContext
from app.runs.request.context_snapshots import ContextSnapshot
from app.runs.request.preview import Composed
from app.runs.request.send_plan import Plan
from app.runs.request.texts import count_text
from app.runs.send.context_selection import ViewOptions, read_base
from app.store.ledger.ledger import CountedRequest

_Result = TypeVar("_Result")

LONG_DRAFT = 50_000
"""Length in characters above which a draft is searched for secrets in a thread, to keep the event loop free."""

MAX_VIEWS = 16
"""Maximum number of boundaries per context snapshot whose pairs in view are cached."""


async def compose_view(  # noqa: PLR0913 - the conversation, the view options and the draft
    ctx: AppContext,
    owner: str,
    conversation_id: str,
    options: ViewOptions,
    draft: str = "",
    *,
    attached: tuple[Part, ...] = (),
) -> Composed:
    """Select the pairs in view, and those that would be sent with this draft and the parts in `attached`.

    Raises:
        NotFoundError: this owner has no such conversation.
        FilterError: the filter cannot be used. The error has the place of the fault.
        InputError: the time zone cannot be used.
    """
    base = await read_base(ctx, owner, conversation_id, options)
    return await compose_base(base, draft, attached=attached)


async def compose_base(
    base: ContextSnapshot,
    draft: str = "",
    *,
    forced: bool | None = None,
    schema: str | None = None,
    attached: tuple[Part, ...] = (),
) -> Composed:
    """Select the pairs in view and the pairs to send, as `compose_view` does, from a context snapshot (`base`).

    `forced`: include pairs that do not fit; None: the preferences decide. `schema` is the schema of the reply. The
    schema and the parts in `attached` are sent with the draft and use part of the budget.
    """
    if forced is None:
        forced = base.over_budget is OverBudget.FORCE
    new = await _measure_new(base, draft, attached)
    draft, draft_text, kind = new.draft, new.tokens, new.figures.kind
    if schema is not None:
        draft_text += await count_text(base.vocabulary, schema)
    estimator = base.terms.estimator
    tools = choose_tools(base.offer, draft, budget_of(base.terms).total)
    terms = replace(base.terms, tools=tools.tokens) if tools.decided else base.terms
    draft_tokens, doubt = estimator.of_new(draft_text, kind) if draft.strip() or schema or attached else (0, 0.0)
    draft_tokens += estimator.per_message if draft.strip() or schema or attached else 0
    if base.profile.images:
        images = sum(estimator.of_image(image.width, image.height) for image in list_images(attached))
        draft_tokens, doubt = draft_tokens + images, doubt + NEW_IMAGES * images
    terms = replace(terms, draft_kind=kind, draft_doubt=doubt)
    drawn = draw_boundary(base.measured, terms, draft_tokens)
    visible = _select_visible(base, drawn.position) if base.explicit else None
    composition = compose(base.measured, drawn, visible, explicit=base.explicit, forced=forced)
    return Composed(base, composition, draft_text, tools, new.secrets, attached, kind)


@dataclass(frozen=True, slots=True)
class _NewTexts:
    """The draft and the texts of its attachments.

    - `draft`: the draft after redaction.
    - `tokens`: the token count of all texts.
    - `figures`: measurements of all texts together, from which the kind of text follows (`domain/tokens/kinds.py`).
    - `secrets`: the kinds of the secrets that are redacted from the texts.
    """

    draft: str
    tokens: int
    figures: KindFigures
    secrets: tuple[str, ...]


async def _measure_new(base: ContextSnapshot, draft: str, attached: tuple[Part, ...]) -> _NewTexts:
    """Redact and measure the texts, one after the other: the texts of all files at once take much memory."""
    new = _NewTexts("", 0, KindFigures(), ())
    for number, text in enumerate(chain((draft,), list_words(attached))):
        secrets = new.secrets
        if base.extras.redact:
            redacted = await _apply(redact_text, text)
            text, secrets = redacted.text, (*secrets, *redacted.kinds)  # noqa: PLW2901 - the text that is sent
        tokens = new.tokens + await count_text(base.vocabulary, text)
        figures = new.figures + await _apply(measure_kind, text)
        new = _NewTexts(new.draft if number else text, tokens, figures, secrets)
    return new


async def _apply(measure: Callable[[str], _Result], text: str) -> _Result:
    """Apply a function to a text, in a thread if the text is long."""
    return await asyncio.to_thread(measure, text) if len(text) > LONG_DRAFT else measure(text)


def _select_visible(base: ContextSnapshot, boundary: int | None) -> SizedPairs:
    """Return the pairs in view for this boundary, for a filter that refers to the boundary."""
    if (known := base.views.get(boundary)) is not None:
        return known
    pairs = base.measured.pairs
    included = frozenset(
        pair.pair_id
        for pair in pairs
        if pair.running or (pair.sendable and (boundary is None or pair.position >= boundary))
    )
    ids = tuple(pair.pair_id for pair in pairs)
    view = lower_view(base.tree, base.scope, BoundaryPairs(ids, included))
    shown = combine(view, frozenset(ids), base.parts)
    tokens = zip(pairs, base.measured.tokens, strict=True)
    kept = [(pair, count) for pair, count in tokens if pair.pair_id in shown]
    visible = measure_as([pair for pair, _ in kept], tuple(count for _, count in kept), base.terms.estimator)
    if len(base.views) >= MAX_VIEWS:
        base.views.clear()
    base.views[boundary] = visible
    return visible


def count_sent(composed: Composed, sent: Sequence[Candidate], plan: Plan) -> CountedRequest:
    """Return the token counts of this send for the ledger."""
    base, estimate = composed.base, composed.composition.estimate
    if any(pair.sizes.images for pair in sent) or any(list_images(composed.attached)):
        return CountedRequest(None, None, estimate.tokens)
    vendor = base.terms.estimator.vendor
    words = sum(pair.sizes.text + (pair.sizes.thinking if pair.sizes.thinking_vendor == vendor else 0) for pair in sent)
    texts_outside = [size for size in (base.system_text, composed.draft_text) if size]
    messages = sum(pair.sizes.messages for pair in sent) + len(texts_outside)
    text = words + sum(texts_outside) + _count_tools(composed)
    return CountedRequest(text, messages, estimate.tokens, plan.built.request.characters, len(plan.wire.body))


def _count_tools(composed: Composed) -> int:
    """Count the tokens of the tools and of their fixed overhead, in the vocabulary.

    The overhead is known in the provider's tokens, so it is converted.
    """
    chosen = composed.tools.chosen
    if not chosen:
        return 0
    permille = composed.base.terms.estimator.permille
    return sum(one.counted for one in chosen) + round(composed.tools.offer.overhead * THOUSAND / permille)
