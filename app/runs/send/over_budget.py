"""The options for a send that exceeds its budget, each with its tokens and its cost.

The options are computed only for such a send, because every known model is checked for a larger window. No provider is
called: the models come from provider lists that were read earlier, and from the adapters.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from app.domain.child_calls.summaries import INSTRUCTION
from app.domain.context.composition import Candidate, Composition, draw_boundary, measure, price_tokens
from app.domain.context.context import list_refused
from app.domain.context.over_budget import BudgetOption, BudgetOptions, LargerModel
from app.domain.conversation.conversation import Parameters
from app.domain.models.model_profile import ModelProfile
from app.domain.tokens.calibration import estimator_of
from app.domain.tokens.estimates import Estimator, list_images
from app.domain.tools.tool_sizes import tool_rule_of
from app.providers.base import Provider
from app.providers.models.fitting import fit_parameters
from app.runs.app_context import AppContext
from app.runs.request.calibration import load_estimator
from app.runs.request.preview import Composed
from app.runs.request.texts import count_text
from app.runs.send.composition import compose_base
from app.runs.send.context_selection import state_terms

MAX_LARGER = 3
MAX_TRIED = 20
"""Maximum number of models whose token estimates are corrected by earlier sends."""


async def list_ways_out(ctx: AppContext, composed: Composed, draft: str, parameters: Parameters) -> BudgetOptions:
    """Return the options for a send of this `draft` with these `parameters` that exceeds its budget."""
    base, fitted = composed.base, composed.composition
    schema = parameters.reply_schema
    all_of_it = await compose_base(base, draft, forced=True, schema=schema, attached=composed.attached)
    forced = all_of_it.composition
    larger = await _list_larger(ctx, composed, forced.sent, parameters)
    return BudgetOptions(
        model=base.profile.model,
        x=fitted.x,
        y=forced.x,
        limit=fitted.estimate.limit,
        limited_by=fitted.estimate.limited_by,
        reserve=fitted.estimate.reserve,
        fit=None
        if fitted.too_large_alone
        else BudgetOption(fitted.estimate.tokens, fitted.estimate.cost, composed.selection),
        force=BudgetOption(forced.estimate.tokens, forced.estimate.cost, all_of_it.selection),
        summarise=await _offer_summary(composed, forced),
        larger=larger,
        older=0 if fitted.boundary is None else fitted.boundary - 1,
        allowance=base.terms.limits.allowance_of(fitted.estimate.limited_by),
    )


async def _offer_summary(composed: Composed, forced: Composition) -> BudgetOption | None:
    """Return the option to summarise the pairs that do not fit.

    None: a summary would not help, or the model cannot read these pairs.
    """
    base, fitted = composed.base, composed.composition
    left_out = forced.estimate.pairs - fitted.estimate.pairs
    if fitted.too_large_alone or not left_out:
        return None
    instruction_tokens = base.terms.estimator.of_text(await count_text(base.vocabulary, INSTRUCTION), 1)
    tokens = base.terms.system + fitted.estimate.tools + instruction_tokens + left_out
    if tokens > base.profile.context_window - base.terms.limits.reserve:
        return None
    return BudgetOption(tokens, price_tokens(base.terms, tokens))


async def _list_larger(
    ctx: AppContext, composed: Composed, pairs: Sequence[Candidate], parameters: Parameters
) -> tuple[LargerModel, ...]:
    """Return the cheapest models that can take all of these pairs, the draft with its files, and the `parameters`.

    Models of unknown price come last.
    """
    base, found = composed.base, list[LargerModel]()
    async with ctx.store.read() as session:
        providers = (await ctx.catalogue.providers(session, base.owner)).values()
    ready = [provider for provider in providers if provider.ready]
    larger_models = await asyncio.to_thread(_sort_larger, ctx, composed, ready, pairs)
    async with ctx.store.read() as session:
        for provider, profile in larger_models:
            if fit_parameters(parameters, provider, profile)[1]:
                continue
            estimator = await load_estimator(session, base.owner, profile, base.conversation.id)
            if (larger := _measure(composed, profile, estimator, pairs)) is not None:
                found.append(larger)
            if len(found) == MAX_LARGER:
                break
    return tuple(sorted(found, key=_order))


def _sort_larger(
    ctx: AppContext, composed: Composed, providers: Sequence[Provider], pairs: Sequence[Candidate]
) -> list[tuple[Provider, ModelProfile]]:
    """Return the models with a window that is probably large enough, the cheapest first.

    Their token estimates are not yet corrected by the reported usage of earlier sends.
    """
    least = composed.base.profile.context_window
    found: list[tuple[LargerModel, Provider, ModelProfile]] = []
    for provider in providers:
        for profile in ctx.catalogue.lists.known(provider):
            if profile.context_window <= least or list_refused(composed.attached, profile):
                continue
            if (larger := _measure(composed, profile, estimator_of(profile), pairs)) is not None:
                found.append((larger, provider, profile))
    found.sort(key=lambda one: _order(one[0]))
    return [(provider, profile) for _, provider, profile in found[:MAX_TRIED]]


def _order(larger: LargerModel) -> tuple[bool, Decimal, int]:
    option = larger.budget_option
    return option.cost is None, option.cost or Decimal(0), larger.window


def _measure(
    composed: Composed, profile: ModelProfile, estimator: Estimator, pairs: Sequence[Candidate]
) -> LargerModel | None:
    """Return the size of the send for this model, None if it does not fit."""
    terms = state_terms(profile, estimator, composed.base.terms.limits, composed.base.system_text)
    terms = replace(terms, tools=_size_tools(composed, profile, estimator))
    text = composed.draft_text
    draft = estimator.of_new(text, composed.draft_kind)[0] + estimator.per_message if text else 0
    draft += sum(estimator.of_image(image.width, image.height) for image in list_images(composed.attached))
    drawn = draw_boundary(measure((), estimator), terms, draft)
    # Make one estimate for all pairs together, because estimating each pair for each of a thousand models would take
    # seconds.
    words = sum(pair.sizes.text + pair.sizes.thinking for pair in pairs)
    size = estimator.of_text(words, sum(pair.sizes.messages for pair in pairs))
    size += sum(estimator.of_images(pair.sizes) for pair in pairs if pair.sizes.images)
    tokens = size + drawn.request.system + drawn.request.tools + drawn.request.draft
    if tokens + terms.limits.reserve > drawn.budget.total:
        return None
    option = BudgetOption(tokens, price_tokens(terms, tokens))
    return LargerModel(profile.model, profile.name, profile.context_window, option)


def _size_tools(composed: Composed, profile: ModelProfile, estimator: Estimator) -> int:
    """Estimate the tokens of the same tools for another model, from their count for the current model."""
    chosen = composed.tools.chosen
    if not chosen or not profile.tools:
        return 0
    return tool_rule_of(profile.model).overhead + estimator.of_text(sum(one.counted for one in chosen))
