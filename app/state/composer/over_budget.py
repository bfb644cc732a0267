"""The dialog of a send that does not fit, or would carry other pairs than were counted: its options and their effects.

>>> read_way("fit")
Way(over_budget=<OverBudget.FIT: 'fit'>, model=None, summarise=False, as_counted=False)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.context.over_budget import BudgetOption, BudgetOptions, LargerModel
from app.domain.context.selection import SelectionChangedError, count_of
from app.domain.preferences import OverBudget
from app.language.translation import translate
from app.runs.caller import caller
from app.runs.library.preference_commands import read_preferences, set_preferences
from app.runs.workbench import current
from app.state.composer.views import OverBudgetView, WayView
from app.views.composition import describe_cost
from app.views.figures import money, number, plural

FIT = "fit"
FORCE = "force"
SUMMARISE = "summarise"
AS_COUNTED = "as-counted"
KEPT = "composer.not_sent_draft_saved"
_MODEL = "model "

Counted = tuple[tuple[str, str], ...]
"""Models, each with the `selection` that was counted for it; of two for one model the last."""


@dataclass(frozen=True, slots=True)
class Way:
    """What was chosen. Exactly one of them is set. `as_counted`: send the pairs that were counted again."""

    over_budget: OverBudget | None = None
    model: str | None = None
    summarise: bool = False
    as_counted: bool = False


async def remember_way(over_budget: OverBudget) -> None:
    """Do that with every send that does not fit from now on."""
    preferences = await read_preferences(current(), caller())
    await set_preferences(current(), caller(), replace(preferences, over_budget=over_budget))


def describe_over_budget(
    budget_options: BudgetOptions, *, several: bool = False, summary: bool = True
) -> OverBudgetView:
    """The dialog's content. `several`: several models are asked, so neither a larger one nor a summary is an option.
    It says which of them this is about.

    `summary`: one could be written first; not for a pair that would itself be among those that are summarised.
    """
    x, y = budget_options.x, budget_options.y
    message = (
        translate("composer.of_the_in_view", count=x, total=plural(y, "pair"))
        if x
        else translate("composer.none_fits", plural=plural(y, "pair"))
    )
    message = f"{budget_options.model}: {message}" if several else message
    ways = [_describe_fit(budget_options), _describe_force(budget_options)]
    if not several:
        ways += [_describe_summary(budget_options)] if summary else []
        ways += map(_describe_larger, budget_options.larger, [y] * len(budget_options.larger))
    return OverBudgetView(
        f"{message} {translate(KEPT)}", tuple(ways), translate("composer.this_does_not_fit"), model=budget_options.model
    )


def read_way(key: str) -> Way | None:
    """What a key of the dialog means; None: nothing.

    >>> read_way("model peer:large"), read_way("else")
    (Way(over_budget=None, model='peer:large', summarise=False, as_counted=False), None)
    """
    if key.startswith(_MODEL):
        return Way(model=key.removeprefix(_MODEL))
    fixed = {
        FIT: Way(OverBudget.FIT),
        FORCE: Way(OverBudget.FORCE),
        SUMMARISE: Way(summarise=True),
        AS_COUNTED: Way(as_counted=True),
    }
    return fixed.get(key)


def describe_changed(error: SelectionChangedError, *, several: bool = False) -> OverBudgetView:
    """The dialog's content where other pairs would be sent than were counted. `several` as above."""
    composition = error.composition
    now = plural(composition.x, "pair")
    estimate = composition.estimate
    way = WayView(
        AS_COUNTED,
        translate("composer.send", now=now) if composition.x else translate("composer.send_the_draft_alone"),
        translate("composer.tokens_tokens", tokens=number(estimate.tokens), money=money(describe_cost(estimate.cost))),
        translate("composer.tools_now"),
        error.selection,
    )
    to = " " + translate("composer.to", model=error.model) if several else ""
    if (seen := count_of(error.seen)) == count_of(error.selection):
        message = translate("composer.recount_others", now=now, to=to)
    else:
        message = translate("composer.recount", now=now, to=to, count_of=seen)
    return OverBudgetView(
        f"{message} {translate(KEPT)}",
        (way,),
        translate("composer.the_context_has_changed"),
        remembers=False,
        model=error.model,
    )


def selection_of(view: OverBudgetView | None, key: str) -> str | None:
    """Return the pairs that an option of the dialog sends; None if it names none."""
    ways = () if view is None else view.ways
    return next((way.selection for way in ways if way.key == key), "") or None


def add_counted(counted: Counted, view: OverBudgetView | None, key: str) -> Counted:
    """What was counted for each of several models, with what an option of the dialog stands for."""
    selection = selection_of(view, key)
    return counted if view is None or selection is None else (*counted, (view.model, selection))


def _describe_fit(budget_options: BudgetOptions) -> WayView:
    x, y = budget_options.x, budget_options.y
    name = translate("composer.send_what_fits", count=x) if x else translate("composer.send_the_draft_alone")
    return WayView(
        FIT,
        name,
        _figures(budget_options.fit),
        translate("composer.send_fitting_hint", value=number(y - x)),
        budget_options.fit.selection,
    )


def _describe_force(budget_options: BudgetOptions) -> WayView:
    name = translate("composer.send_all_anyway", y=number(budget_options.y))
    return WayView(
        FORCE,
        name,
        _figures(budget_options.force),
        translate("composer.send_all_hint"),
        budget_options.force.selection,
    )


def _describe_summary(budget_options: BudgetOptions) -> WayView:
    return WayView(
        SUMMARISE,
        translate("composer.summarise_option"),
        _figures(budget_options.summarise),
        translate("composer.summarise_hint"),
    )


def _describe_larger(larger: LargerModel, y: int) -> WayView:
    note = translate("composer.model_fits_all", y=number(y), window=number(larger.window))
    return WayView(
        f"{_MODEL}{larger.model}",
        translate("composer.switch_to", name=larger.name),
        _figures(larger.budget_option),
        note,
    )


def _figures(budget_option: BudgetOption) -> str:
    return translate(
        "composer.tokens_tokens", tokens=number(budget_option.tokens), money=money(describe_cost(budget_option.cost))
    )
