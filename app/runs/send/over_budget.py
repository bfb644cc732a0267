"""The options for a send that exceeds its budget, each with its tokens and its cost.

They are computed only in that case, because every known model is checked: the models of lists that were read before,
and those that an adapter knows. No provider is called.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from app.domain.child_calls.summaries import INSTRUCTION
from app.domain.context.composition import Candidate, Composition, draw_boundary, measure, price_tokens
from app.domain.context.over_budget import BudgetOption, BudgetOptions, LargerModel
from app.domain.model_profile import ModelProfile
from app.domain.tokens.calibration import estimator_of
from app.domain.tokens.estimates import Estimator, list_images
from app.domain.tools.tool_sizes import tool_rule_of
from app.runs.app_context import AppContext
from app.runs.request.preview import Composed
from app.runs.request.texts import count_text
from app.runs.send.context_selection import compose_base, state_terms

MAX_LARGER = 3


async def list_ways_out(ctx: AppContext, composed: Composed, draft: str) -> BudgetOptions:
    """Return the options for a send of this `draft` that exceeds its budget."""
    base, fitted = composed.base, composed.composition
    all_of_it = await compose_base(base, draft, forced=True, attached=composed.attached)
    forced = all_of_it.composition
    async with ctx.store.read() as session:
        providers = (await ctx.catalogue.providers(session, base.owner)).values()
    ready = [provider for provider in providers if provider.ready]
    larger = await asyncio.to_thread(
        lambda: _list_larger(
            composed, [profile for provider in ready for profile in ctx.catalogue.lists.known(provider)], forced.sent
        )
    )
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
    )


async def _offer_summary(composed: Composed, forced: Composition) -> BudgetOption | None:
    """Return the option to summarise the pairs that do not fit.

    None: it would not help, or the model cannot read them.
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


def _list_larger(
    composed: Composed, profiles: Sequence[ModelProfile], pairs: Sequence[Candidate]
) -> tuple[LargerModel, ...]:
    """Return the cheapest models that can take all of these pairs and the draft. Models of unknown price are last."""
    text = sum(pair.sizes.text + pair.sizes.thinking for pair in pairs)
    messages = sum(pair.sizes.messages for pair in pairs)
    with_images = [pair.sizes for pair in pairs if pair.sizes.images]
    found: list[LargerModel] = []
    for profile in profiles:
        if profile.context_window <= composed.base.profile.context_window:
            continue
        terms = state_terms(profile, estimator_of(profile), composed.base.terms.limits, composed.base.system_text)
        estimator = terms.estimator
        terms = replace(terms, tools=_size_tools(composed, profile, estimator))
        draft = estimator.of_text(composed.draft_text, 1) if composed.draft_text else 0
        draft += sum(estimator.of_image(image.width, image.height) for image in list_images(composed.attached))
        drawn = draw_boundary(measure((), estimator), terms, draft)
        # One estimate for all pairs together: estimating each pair for each of a thousand models would take seconds.
        size = estimator.of_text(text, messages) + sum(map(estimator.of_images, with_images))
        tokens = size + drawn.request.system + drawn.request.tools + drawn.request.draft
        if tokens + terms.limits.reserve <= drawn.budget.total:
            budget_option = BudgetOption(tokens, price_tokens(terms, tokens))
            found.append(LargerModel(profile.model, profile.name, profile.context_window, budget_option))
    found.sort(key=lambda one: (one.budget_option.cost is None, one.budget_option.cost or Decimal(0), one.window))
    return tuple(found[:MAX_LARGER])


def _size_tools(composed: Composed, profile: ModelProfile, estimator: Estimator) -> int:
    """Estimate the tokens of the same tools for another model, from their count for the current one."""
    chosen = composed.tools.chosen
    if not chosen or not profile.tools:
        return 0
    return tool_rule_of(profile.model).overhead + estimator.of_text(sum(one.counted for one in chosen))
