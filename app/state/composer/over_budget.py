"""A send that does not fit: what its dialog shows, and what each of its options means.

>>> read_way("fit")
Way(over_budget=<OverBudget.FIT: 'fit'>, model=None, summarise=False)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.over_budget import LargerModel, WayOut, WaysOut
from app.domain.preferences import OverBudget
from app.runs.commands import LOCAL_OWNER
from app.runs.preference_commands import read_preferences, set_preferences
from app.runs.workbench import current
from app.state.composer.views import OverBudgetView, WayView
from app.views.composition import describe_cost
from app.views.figures import money, number, plural

FIT = "fit"
FORCE = "force"
SUMMARISE = "summarise"
_MODEL = "model "


@dataclass(frozen=True, slots=True)
class Way:
    """What was chosen. Exactly one of them is set."""

    over_budget: OverBudget | None = None
    model: str | None = None
    summarise: bool = False


async def remember_way(over_budget: OverBudget) -> None:
    """Do that with every send that does not fit from now on."""
    preferences = await read_preferences(current(), LOCAL_OWNER)
    await set_preferences(current(), LOCAL_OWNER, replace(preferences, over_budget=over_budget))


def describe_over_budget(ways_out: WaysOut, *, several: bool = False, summary: bool = True) -> OverBudgetView:
    """The dialog's content. `several`: several models are asked, so neither a larger one nor a summary is an option.

    `summary`: one could be written first; not for a pair that would itself be among those that are summarised.
    """
    x, y = ways_out.x, ways_out.y
    message = (
        f"{number(x)} of the {plural(y, 'pair')} in view {'fits' if x == 1 else 'fit'}."
        if x
        else f"None of the {plural(y, 'pair')} in view fits beside the draft."
    )
    ways = [_describe_fit(ways_out), _describe_force(ways_out)]
    if not several:
        ways += [_describe_summary(ways_out)] if summary else []
        ways += map(_describe_larger, ways_out.larger, [y] * len(ways_out.larger))
    return OverBudgetView(f"{message} Nothing has been sent; your text is kept.", tuple(ways))


def read_way(key: str) -> Way | None:
    """What a key of the dialog means; None: nothing.

    >>> read_way("model peer:large"), read_way("else")
    (Way(over_budget=None, model='peer:large', summarise=False), None)
    """
    if key.startswith(_MODEL):
        return Way(model=key.removeprefix(_MODEL))
    fixed = {FIT: Way(OverBudget.FIT), FORCE: Way(OverBudget.FORCE), SUMMARISE: Way(summarise=True)}
    return fixed.get(key)


def _describe_fit(ways_out: WaysOut) -> WayView:
    x, y = ways_out.x, ways_out.y
    name = f"Send the {plural(x, 'pair')} that {'fits' if x == 1 else 'fit'}" if x else "Send the draft alone"
    return WayView(FIT, name, _figures(ways_out.fit), f"Leaves out the {number(y - x)} older in view, this time.")


def _describe_force(ways_out: WaysOut) -> WayView:
    name = f"Send all {number(ways_out.y)} anyway"
    return WayView(FORCE, name, _figures(ways_out.force), "Passes your limit. The provider may refuse it.")


def _describe_summary(ways_out: WaysOut) -> WayView:
    return WayView(
        SUMMARISE,
        "Summarise the older ones first",
        _figures(ways_out.summarise),
        "The model reads them once more; its summary then stands for them, as a card you can edit or remove.",
    )


def _describe_larger(larger: LargerModel, y: int) -> WayView:
    note = f"All {number(y)} fit into its {number(larger.window)} tokens."
    return WayView(f"{_MODEL}{larger.model}", f"Switch to {larger.name}", _figures(larger.way_out), note)


def _figures(way_out: WayOut) -> str:
    return f"~{number(way_out.tokens)} tokens · {money(describe_cost(way_out.cost))}"
