"""The texts and options of the dialog "This does not fit", and the options of the dialogs that hold back a send.

The texts of the other such dialog, "The context has changed", are in `changed_context.py`.

>>> read_way("fit")
Way(over_budget=<OverBudget.FIT: 'fit'>, model=None, summarise=False, as_counted=False, current=False)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from app.domain.context.over_budget import BudgetOption, BudgetOptions, LargerModel
from app.domain.settings.preferences import OverBudget
from app.runs.app_context import current
from app.runs.child_calls.summaries import Extent
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.state.composer.views import OverBudgetView, WayView
from app.views.request.composition import NAMES_OF_LIMITS, describe_cost
from app.views.usage.figures import money, number, plural

FIT = "fit"
FORCE = "force"
SUMMARISE = "summarise"
AS_COUNTED = "as-counted"
CURRENT = "current"
UNSENT = "Nothing has been sent."
KEPT = "Nothing has been sent; your text is saved."
_MODEL = "model "
_SOURCES = {"window": "the part of its window that a send may use (Settings → Context)"}
"""The origin of a limit, for limits whose name does not include it."""
_NEW_REQUEST = WayView(
    CURRENT, "Send current request", "", "Built from the pairs in view now, instead of the stored one."
)

Counted = tuple[tuple[str, str], ...]
"""Models, each with its counted `selection`: the short text that names the pairs to send to it.

If a model has several entries, only its last entry is used.
"""
Choices = tuple[tuple[str, OverBudget], ...]
"""Models, each with the option that was chosen for it in the dialog "This does not fit".

For a model with several entries, the last one is used.
"""


@dataclass(frozen=True, slots=True)
class Way:
    """The option that a person chose in the dialog "This does not fit" or "The context has changed".

    Exactly one field is set. `as_counted`: send the pairs that the dialog "The context has changed" shows. `current`:
    send a new request, not the stored one.
    """

    over_budget: OverBudget | None = None
    model: str | None = None
    summarise: bool = False
    as_counted: bool = False
    current: bool = False


async def remember_way(over_budget: OverBudget) -> None:
    """Store this choice in the preferences, so that it applies to every later send that exceeds its budget."""
    preferences = await read_preferences(current(), LOCAL_OWNER)
    await set_preferences(current(), LOCAL_OWNER, replace(preferences, over_budget=over_budget))


def describe_over_budget(
    budget_options: BudgetOptions, *, models: Sequence[str] = (), summary: bool = True, kept: bool = True
) -> OverBudgetView:
    """Return the content of the dialog "This does not fit", for a send that exceeds its budget.

    `models`: the send goes to several models. Then neither a larger model nor a summary is an option, and the message
    names the model whose budget is exceeded. `summary`: offer a summary of the older pairs, if one would fit. The
    caller sets `summary` to False if a pair is sent again and the summary would include this pair. `kept`: the send has
    a text of the person, which is saved.
    """
    message = _explain(budget_options, name_model(budget_options.model, models), several=bool(models))
    fit, summarised = budget_options.fit, budget_options.summarise
    ways = [] if fit is None else [_describe_fit(budget_options, fit)]
    ways.append(_describe_force(budget_options))
    if budget_options.stored:
        ways.append(_NEW_REQUEST)
    if not models:
        if summary and summarised is not None:
            ways.append(_describe_summary(summarised, budget_options.older))
        names = Counter(larger.name for larger in budget_options.larger)
        for larger in budget_options.larger:
            name = larger.name if names[larger.name] == 1 else larger.model
            ways.append(_describe_larger(larger, name, budget_options.y))
    remembers = fit is not None
    return OverBudgetView(add_unsent(message, kept=kept), tuple(ways), remembers=remembers, model=budget_options.model)


def read_way(key: str) -> Way | None:
    """Return the option that this key of a dialog's button names, or None if no option has this key.

    >>> read_way("model peer:large"), read_way("else")
    (Way(over_budget=None, model='peer:large', summarise=False, as_counted=False, current=False), None)
    """
    if key.startswith(_MODEL):
        return Way(model=key.removeprefix(_MODEL))
    fixed = {
        FIT: Way(OverBudget.FIT),
        FORCE: Way(OverBudget.FORCE),
        SUMMARISE: Way(summarise=True),
        AS_COUNTED: Way(as_counted=True),
        CURRENT: Way(current=True),
    }
    return fixed.get(key)


def selection_of(view: OverBudgetView | None, key: str) -> str | None:
    """Return the selection (`seen_selection.py`) of an option in the dialog `view`: a text that names its pairs.

    Return None if no dialog is open, if it has no such option, or if the option names no pairs.
    """
    ways = () if view is None else view.ways
    return next((way.selection for way in ways if way.key == key), "") or None


def extent_of(view: OverBudgetView | None, key: str) -> Extent:
    """Return the pairs that are summarised before the send if the person chooses the option with this key.

    If the option summarises no pairs, or if there is no such option, return the default extent.
    """
    ways = () if view is None else view.ways
    return Extent(up_to=next((way.up_to for way in ways if way.key == key), 0) or None)


def add_counted(counted: Counted, view: OverBudgetView | None, key: str) -> Counted:
    """Return `counted` with one more entry: the model that the dialog names, and the pairs that the option `key` sends.

    If the option names no pairs, return `counted` unchanged.
    """
    selection = selection_of(view, key)
    return counted if view is None or selection is None else (*counted, (view.model, selection))


def add_choice(choices: Choices, view: OverBudgetView | None, way: Way) -> Choices:
    """Return `choices` with one more entry: the option `way`, for the model that the dialog names."""
    return choices if view is None or way.over_budget is None else (*choices, (view.model, way.over_budget))


def add_unsent(message: str, *, kept: bool) -> str:
    """Return `message` with a last sentence: nothing has been sent. `kept`: the text of the person is saved."""
    return f"{message} {KEPT if kept else UNSENT}"


def name_model(model: str, models: Sequence[str]) -> str:
    """Return the display name of a model, such that no other model of the send has the same name."""
    return current().catalogue.names_of(LOCAL_OWNER, {model, *models})[model]


def _explain(budget_options: BudgetOptions, name: str, *, several: bool) -> str:
    """Explain why the send does not fit, and the limit.

    `name`: the name of the model for people. `several`: the send goes to other models too.
    """
    reserve = budget_options.reserve
    verb = "is" if reserve == 1 else "are"
    kept = f" {plural(reserve, 'token')} {verb} kept free for the reply." if reserve else ""
    return f"{_count_fitting(budget_options)} {_describe_limit(budget_options, name, several=several)}{kept}"


def _count_fitting(budget_options: BudgetOptions) -> str:
    x, y = budget_options.x, budget_options.y
    if budget_options.fit is None:
        subject = "The stored request" if budget_options.stored else "This message"
        earlier = y and not budget_options.stored
        without = f", even without the {'pair' if y == 1 else 'pairs'} in view" if earlier else ""
        return f"{subject} does not fit{without}."
    if x:
        return f"{number(x)} of the {plural(y, 'pair')} in view {'fits' if x == 1 else 'fit'}."
    if y == 1:
        return "The pair in view does not fit together with the draft."
    return f"None of the {plural(y, 'pair')} in view fits together with the draft."


def _describe_limit(budget_options: BudgetOptions, name: str, *, several: bool) -> str:
    limit, limited_by = budget_options.limit, budget_options.limited_by
    allowance = budget_options.allowance
    if allowance is None:
        source = _SOURCES.get(limited_by) or NAMES_OF_LIMITS[limited_by]
        return f"The limit for {name} is {number(limit)} tokens: {source}."
    of_money = limited_by == "money ceiling"
    amount = _dollars(allowance.amount) if of_money else plural(int(allowance.amount), "token")
    used = _dollars(allowance.used) if of_money else number(int(allowance.used))
    users = "This one has" if allowance.scope == "conversation" else "Today's requests have"
    rest = f"{plural(limit, 'token')} {'is' if limit == 1 else 'are'}" if limit else "nothing is"
    left = f", so {rest} left{f' for {name}' if several else ''}" if limit or several else ""
    return f"Your limit for a {allowance.scope} is {amount}. {users} used {used}, as far as known{left}."


def _dollars(amount: Decimal) -> str:
    return money(str(amount)) if amount else "$0"


def _describe_fit(budget_options: BudgetOptions, fit: BudgetOption) -> WayView:
    x, y = budget_options.x, budget_options.y
    name = f"Send the {plural(x, 'pair')} that {'fits' if x == 1 else 'fit'}" if x else "Send the draft alone"
    return WayView(
        FIT,
        name,
        _figures(fit),
        f"Leaves out {_describe_older(y - x, x)} in view, this time.",
        fit.selection,
    )


def _describe_older(left_out: int, sent: int) -> str:
    if left_out > 1:
        return f"the {number(left_out)} older" if sent else f"all {plural(left_out, 'pair')}"
    return "the older one" if sent else "the pair"


def _describe_force(budget_options: BudgetOptions) -> WayView:
    match 0 if budget_options.stored else budget_options.y:
        case 0:
            sent = "it"
        case 1:
            sent = "it with the pair"
        case y:
            sent = f"all {number(y)}"
    return WayView(
        FORCE,
        f"Send {sent} anyway",
        _figures(budget_options.force),
        "Exceeds the limit for the model's window. The provider may reject it."
        if budget_options.limited_by == "window"
        else "Exceeds your limit, this time.",
        budget_options.force.selection,
    )


def _describe_summary(summarise: BudgetOption, older: int) -> WayView:
    return WayView(
        SUMMARISE,
        "Summarise the older ones first",
        _figures(summarise),
        "The model reads them once more. Its summary then replaces them, as a card you can edit or remove.",
        up_to=older,
    )


def _describe_larger(larger: LargerModel, name: str, y: int) -> WayView:
    match y:
        case 0:
            fits = "It fits"
        case 1:
            fits = "It fits with the pair"
        case _:
            fits = f"All {number(y)} fit"
    note = f"{fits} into its {number(larger.window)} tokens."
    return WayView(f"{_MODEL}{larger.model}", f"Switch to {name}", _figures(larger.budget_option), note)


def _figures(budget_option: BudgetOption) -> str:
    return f"~{number(budget_option.tokens)} tokens · {money(describe_cost(budget_option.cost))}"
