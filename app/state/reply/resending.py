"""The values of a resend: the request with its decisions, the question about later pairs, and the final message.

    resent = await send_again(request)      # raises the reason if it is refused

>>> describe_later(3, 1, (Later.KEEP,)).ways[0].name
'Keep the 1 later pair'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.domain.compare.comparisons import Comparison
from app.domain.settings.preferences import OverBudget
from app.runs.app_context import context_for, current
from app.runs.child_calls.summaries import OLDER, Extent
from app.runs.compare.comparisons import ComparedModels
from app.runs.compare.pair_comparisons import compare_again
from app.runs.resend.in_place import ResendResult
from app.runs.resend.kept_requests import resend_as_it_was
from app.runs.resend.resend import Later, ResendOptions, Seen, resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.state.composer.over_budget import Choices, Counted
from app.views.usage.figures import plural

BRANCHED: Final = "Branched: this is a new conversation with copies of the pairs above. The other one is unchanged."
ALL_WAYS: Final = (Later.KEEP, Later.DISCARD, Later.BRANCH)
AS_IT_WAS_WAYS: Final = (Later.KEEP, Later.DISCARD)
"""The choices for the later pairs when a stored request is sent again.

A new branch is no choice: the stored request contains the pairs of this conversation, not those of a branch.
"""


@dataclass(frozen=True, slots=True)
class ResendRequest:
    """A pair that is sent again, with the view options `options` and the user's decisions.

    The pair and its new request:

    - `as_it_was`: send the stored request, byte for byte.
    - `models`: these models answer side by side.
    - `edit`: the id of the edit with the new `text`; "": the text is unchanged.
    - `was`: the text before the edit.
    - `version`: the version of the pair that the user saw.
    - `newest`: no pair in view is newer.

    The decisions:

    - `later`: the decision about the later pairs.
    - `later_count`: the number of later pairs when the user decided.
    - `over_budget`: the decision about a request that exceeds its budget.
    - `remembered`: when the pair is sent, this decision is stored in the preferences.
    - `summarise`: first summarise the pairs up to the position `older`.
    - `selection`: names the pairs to send, if the user chose an option of a dialog.
    - `choices`, `selections`: for several models, the decision and the pairs for each model that the user was asked
      about.
    """

    pair_id: str
    conversation_id: str
    position: int
    version: int
    text: str
    options: ViewOptions
    newest: bool
    edit: str = ""
    was: str = ""
    as_it_was: bool = False
    models: tuple[str, ...] = ()
    later: Later | None = None
    later_count: int | None = None
    over_budget: OverBudget | None = None
    remembered: OverBudget | None = None
    summarise: bool = False
    older: Extent = OLDER
    selection: str | None = None
    selections: Counted = ()
    choices: Choices = ()

    @property
    def resend(self) -> ResendOptions:
        """The view options and the decisions about the resend."""
        seen = Seen(self.version, self.later_count)
        return ResendOptions(
            self.options, later=self.later, over_budget=self.over_budget, seen=seen, selection=self.selection
        )

    @property
    def ways(self) -> tuple[Later, ...]:
        """The choices that the user has for the later pairs.

        There are fewer if the stored request is sent (`as_it_was`).
        """
        return AS_IT_WAS_WAYS if self.as_it_was else ALL_WAYS


@dataclass(frozen=True, slots=True)
class SendUndo:
    """The data that undoes a resend: its run, the previous version of the pair, and the pairs that were discarded."""

    run_id: str
    pair_id: str
    conversation_id: str
    version: int
    discarded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LaterWay:
    """One option of the question what to do with the later pairs."""

    key: str
    name: str
    note: str


@dataclass(frozen=True, slots=True)
class LaterView:
    """The question about the `count` later pairs when a pair is sent again, with the choices (`ways`)."""

    message: str
    ways: tuple[LaterWay, ...]
    count: int


async def send_again(request: ResendRequest) -> ResendResult:
    """Send the pair again, as its new version or in a branch.

    Raises:
        LaterPairsError: there are later pairs, and `later` is not decided.
        OverBudgetError: the request is over the budget, and `over_budget` is not decided.
        InviewError: the send is refused for another reason.
    """
    ctx, resend = await context_for(current(), request.pair_id), request.resend
    if request.as_it_was:
        return await resend_as_it_was(ctx, LOCAL_OWNER, request.pair_id, resend)
    text = request.text if request.edit else None
    return await resend_pair(ctx, LOCAL_OWNER, request.pair_id, resend, text=text)


async def compare(request: ResendRequest) -> Comparison:
    """Let several models answer the pair again.

    Raises:
        LaterPairsError: as in `send_again`.
        OverBudgetError: the request is over the budget of a model, and `choices` has no decision for this model.
        InviewError: the comparison is refused for another reason.
    """
    compared = ComparedModels(request.models, dict(request.choices), dict(request.selections))
    ctx = await context_for(current(), request.pair_id)
    return await compare_again(ctx, LOCAL_OWNER, request.pair_id, compared, request.resend)


def describe_later(position: int, count: int, ways: tuple[Later, ...]) -> LaterView:
    """Return the question about the `count` pairs that follow the pair at this position. `ways` are the choices."""
    later, them = plural(count, "later pair"), "it" if count == 1 else "them"
    texts = {
        Later.KEEP: LaterWay(Later.KEEP, f"Keep the {later}", f"{later} will be kept."),
        Later.DISCARD: LaterWay(
            Later.DISCARD, f"Discard the {later}", f"{later} will be deleted. Undo brings {them} back."
        ),
        Later.BRANCH: LaterWay(
            Later.BRANCH,
            "Branch into a new conversation",
            "This one does not change. The new one has copies of the pairs above, and the request is sent there.",
        ),
    }
    message = (
        f"{plural(count, 'pair')} {'follows' if count == 1 else 'follow'} pair {position}. "
        "The request includes the pairs in view above it."
    )
    return LaterView(message, tuple(texts[way] for way in ways), count)


def describe_sent(request: ResendRequest, resent: ResendResult) -> tuple[str, str]:
    """Return two texts about a resend: the message of its toast, and the words for the message after an undo.

    >>> from app.runs.send.commands import StartedRun
    >>> request = ResendRequest("p1", "c1", 2, 1, "Why?", ViewOptions(), newest=True, later=Later.KEEP)
    >>> describe_sent(request, ResendResult(StartedRun("r1", "p1", "hash"), "c1"))
    ('Pair 2: Regenerated', 'pair 2 regenerated')
    """
    discarded = f", {plural(len(resent.undo), 'later pair')} discarded" if resent.undo else ""
    if request.edit:
        done = "edited and resent" if request.text != request.was else "resent"
    else:
        done = "resent as it was" if request.as_it_was else "regenerated"
    return f"Pair {request.position}: {done.capitalize()}{discarded}", f"pair {request.position} {done}{discarded}"
