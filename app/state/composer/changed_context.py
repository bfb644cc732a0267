"""The text and the option of the dialog "The context has changed".

It opens if a send would contain other pairs than those that the page has counted. `over_budget.py` reads the key of the
chosen option.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.context.seen_selection import SelectionChangedError, describe_difference
from app.runs.app_context import current
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.composer.over_budget import AS_COUNTED, add_unsent, name_model
from app.state.composer.views import OverBudgetView, WayView
from app.views.request.composition import describe_cost
from app.views.usage.figures import join_words, money, number, plural

CHANGED = "The context has changed"


def describe_changed_context(
    error: SelectionChangedError, *, models: Sequence[str] = (), kept: bool = True
) -> OverBudgetView:
    """Return the content of the dialog "The context has changed": the send would contain other pairs than were counted.

    `models`: these models get the message, so the text names the model that would get other pairs. If the page counted
    the pairs for a model that is not in `models`, the text names all of `models`, without numbers. `kept`: the send has
    a text of the person, which is saved.
    """
    composition = error.composition
    if models and error.model not in models:
        return _describe_changed_view(error, models, kept=kept)
    now = plural(composition.x, "pair")
    estimate = composition.estimate
    way = WayView(
        AS_COUNTED,
        f"Send {now}" if composition.x else "Send the draft alone",
        f"~{number(estimate.tokens)} tokens · {money(describe_cost(estimate.cost))}",
        "The content of the request now.",
        error.selection,
    )
    to = f" to {name_model(error.model, models)}" if models else ""
    message = f"{now} would be sent{to} now, {describe_difference(error.seen, composition.x)}."
    return OverBudgetView(add_unsent(message, kept=kept), (way,), CHANGED, remembers=False, model=error.model)


def _describe_changed_view(error: SelectionChangedError, models: Sequence[str], *, kept: bool) -> OverBudgetView:
    """Return the content of the dialog if the pairs in view changed and were counted for a model not in `models`."""
    name = "Send the pairs in view now" if error.composition.y else "Send the draft alone"
    way = WayView(AS_COUNTED, name, "", "The content of the requests now.", error.selection)
    names = join_words(current().catalogue.names_of(LOCAL_OWNER, models).values())
    message = f"The pairs in view have changed since they were counted. {names} would get the pairs in view now."
    return OverBudgetView(add_unsent(message, kept=kept), (way,), CHANGED, remembers=False, model=error.model)
