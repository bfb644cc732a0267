"""A pair that is to be sent again: what is asked of the run, what has to be decided first, what is said of it then.

    resent = await send_again(wish)      # raises what refuses it

>>> describe_later(3, 1, (Later.KEEP,)).ways[0].name
'Keep the 1 later pair'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.domain.conversation.comparisons import Comparison
from app.domain.preferences import OverBudget
from app.runs.resend.in_place import Resent
from app.runs.resend.kept_requests import resend_as_it_was
from app.runs.resend.pair_comparisons import compare_again
from app.runs.resend.resend import Later, Seen, resend_pair
from app.runs.send.commands import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.workbench import bench_of, current
from app.state.composer.over_budget import Counted
from app.views.usage.figures import plural

BRANCHED: Final = "Branched: this is a new conversation with copies of the pairs above. The other one is as it was."
ALL_WAYS: Final = (Later.KEEP, Later.DISCARD, Later.BRANCH)
AS_IT_WAS_WAYS: Final = (Later.KEEP, Later.DISCARD)
"""What was sent then holds this conversation: it cannot be sent in another."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A pair to be sent again, as `look` says; `as_it_was`: byte for byte as the request kept of it. `models`: these
    answer it side by side.

    `edit` names the edit in which `text` was written, in the place of what it `was`; "": the text is the pair's own.

    `version` is the one that was seen, `newest`: no pair is in view after it. What was decided: `later` and how many
    pairs that was about, `over_budget` and whether it is `remembered`. `summarise`: the older pairs are summarised
    first. What a dialog named: the `selection` of pairs, `selections` for each of several models.
    """

    pair_id: str
    conversation_id: str
    position: int
    version: int
    text: str
    look: ViewOptions
    newest: bool
    edit: str = ""
    was: str = ""
    as_it_was: bool = False
    models: tuple[str, ...] = ()
    later: Later | None = None
    later_count: int | None = None
    over_budget: OverBudget | None = None
    remembered: bool = False
    summarise: bool = False
    selection: str | None = None
    selections: Counted = ()

    @property
    def ways(self) -> tuple[Later, ...]:
        """What may become of the pairs after it."""
        return AS_IT_WAS_WAYS if self.as_it_was else ALL_WAYS


@dataclass(frozen=True, slots=True)
class Sent:
    """What takes a sending back: its run, the version before it, and the pairs that were discarded for it."""

    run_id: str
    pair_id: str
    conversation_id: str
    version: int
    discarded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LaterWay:
    """One thing that may become of the later pairs."""

    key: str
    name: str
    note: str


@dataclass(frozen=True, slots=True)
class LaterView:
    """The question what becomes of the pairs after one that is sent again."""

    message: str
    ways: tuple[LaterWay, ...]
    count: int


async def send_again(wish: Wish) -> Resent:
    """Send the pair again, in its place or in a branch.

    Raises:
        LaterPairsError: pairs stand after it, and nobody said what becomes of them.
        OverBudgetError: more is in view above it than may be sent, and nobody said what to do about it.
        InviewError: whatever else refuses it.
    """
    bench, seen = await bench_of(current(), wish.pair_id), Seen(wish.version, wish.later_count)
    if wish.as_it_was:
        return await resend_as_it_was(bench, LOCAL_OWNER, wish.pair_id, later=wish.later, seen=seen)
    return await resend_pair(
        bench,
        LOCAL_OWNER,
        wish.pair_id,
        text=wish.text if wish.edit else None,
        look=wish.look,
        later=wish.later,
        over_budget=wish.over_budget,
        seen=seen,
        selection=wish.selection,
    )


async def compare(wish: Wish) -> Comparison:
    """Have the pair answered again by several models.

    Raises:
        LaterPairsError: as `send_again`.
        OverBudgetError: more is in view above it than may be sent to one of them, and nobody said what to do about it.
        InviewError: whatever else refuses it.
    """
    return await compare_again(
        await bench_of(current(), wish.pair_id),
        LOCAL_OWNER,
        wish.pair_id,
        wish.models,
        wish.look,
        later=wish.later,
        over_budget=wish.over_budget,
        seen=Seen(wish.version, wish.later_count),
        selections=dict(wish.selections),
    )


def describe_later(position: int, count: int, ways: tuple[Later, ...]) -> LaterView:
    """The question about so many pairs after the one at this position."""
    later, them = plural(count, "later pair"), "it" if count == 1 else "them"
    said = {
        Later.KEEP: LaterWay(Later.KEEP, f"Keep the {later}", f"{later} will be kept."),
        Later.DISCARD: LaterWay(
            Later.DISCARD, f"Discard the {later}", f"{later} will be deleted. Undo brings {them} back."
        ),
        Later.BRANCH: LaterWay(
            Later.BRANCH,
            "Branch into a new conversation",
            "This one stays as it is. The new one has copies of the pairs above, and sends there.",
        ),
    }
    message = (
        f"{plural(count, 'pair')} {'stands' if count == 1 else 'stand'} after pair {position}. "
        "What is sent are the pairs in view above it."
    )
    return LaterView(message, tuple(said[way] for way in ways), count)


def describe_sent(wish: Wish, resent: Resent) -> str:
    """What was done, in a line.

    >>> from app.runs.send.commands import StartedRun
    >>> wish = Wish("p1", "c1", 2, 1, "Why?", Look(), newest=True, later=Later.KEEP)
    >>> describe_sent(wish, Resent(StartedRun("r1", "p1", "hash"), "c1"))
    'Pair 2: Sent again'
    """
    if resent.conversation_id != wish.conversation_id:
        return BRANCHED
    discarded = f", {plural(len(resent.undo), 'later pair')} discarded" if resent.undo else ""
    done = "Edited and sent again" if wish.edit and wish.text != wish.was else "Sent again"
    return f"Pair {wish.position}: {done}{discarded}"
