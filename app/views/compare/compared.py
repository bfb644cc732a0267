"""The columns of a comparison: one for each model's reply, and one for the current reply if a pair is answered again.

>>> describe_sent(2, None, ended=False), describe_sent(1, None, ended=True)
('2 earlier pairs sent', '1 earlier pair sent · tokens not reported by the provider')
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from math import ceil
from types import MappingProxyType
from typing import Final

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import RUNNING, Lifecycle
from app.domain.costs.costs import Cost
from app.domain.usage import Usage
from app.views.reply.pair import FailureNote, ScreenPairView, ScreenPart, show_failure, show_parts
from app.views.reply.panels import ComparedReplyView
from app.views.usage.cost import describe_amount
from app.views.usage.figures import charged, number, plural

WAITS: Final = "Waits for your permission"
UNREADABLE: Final = (
    "These stored replies cannot be read, so you can keep none of them. "
    "Nothing is sent in this conversation until they are discarded. Its pairs stay as they are."
)
_THINKING: Final = "Thinking…"
_ANSWERING: Final = "Answering…"
_ENDINGS: Final[Mapping[Lifecycle, str]] = MappingProxyType(
    {Lifecycle.SUCCEEDED: "Complete", Lifecycle.CANCELED: "Stopped", Lifecycle.ERROR: "Failed"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedColumnView:
    """A column of the dialog with the compared replies: one reply. `model_name` is the display name of `model`.

    - `status`: describes its progress.
    - `figures`: the size of its request, and its usage.
    - `is_current`: this is the current reply of the pair that is answered again; `run_id` is then "".
    """

    run_id: str
    model: str
    model_name: str
    lifecycle: Lifecycle
    status: str
    running: bool
    is_current: bool = False
    parts: tuple[ScreenPart, ...] = ()
    error: FailureNote | None = None
    figures: str = ""


@dataclass(frozen=True, slots=True)
class ComparedColumnsView:
    """All columns of the dialog with the compared replies, and the title of the comparison.

    `damage` says that the replies cannot be read, with the next step; "" if they can be read.
    """

    title: str
    columns: tuple[ComparedColumnView, ...]
    damage: str = ""


def begin_column(run: ComparedReplyView) -> ComparedColumnView:
    """Return the column of a reply whose text and usage are not known yet."""
    return ComparedColumnView(
        run_id=run.run_id,
        model=run.model,
        model_name=run.model_name or run.model,
        lifecycle=Lifecycle.AWAITING,
        status=_THINKING,
        running=True,
        figures=describe_sent(run.sent_pairs, None, ended=False),
    )


def grow_column(
    column: ComparedColumnView, parts: tuple[ScreenPart, ...], retry_seconds: float | None
) -> ComparedColumnView:
    """Return the column of a compared reply with its text so far.

    `retry_seconds` is the time until the next attempt, or None if the run does not wait for one.
    """
    status = _ANSWERING if parts else _THINKING
    if retry_seconds is not None:
        status = f"Retrying in {ceil(retry_seconds)} s…"
    return replace(column, parts=parts, status=status)


def end_column(column: ComparedColumnView, run: ComparedReplyView, pair: Pair, cost: Cost) -> ComparedColumnView:
    """Return the column with the current figures of a reply and, if it has ended, with its status and text."""
    running = pair.lifecycle in RUNNING
    figures = describe_sent(run.sent_pairs, pair.usage, cost, ended=not running)
    if running:
        return replace(column, figures=figures)
    failure = pair.failure if pair.lifecycle is Lifecycle.ERROR else None
    return replace(
        column,
        lifecycle=pair.lifecycle,
        status=_ENDINGS.get(pair.lifecycle, ""),
        running=False,
        parts=() if pair.reply is None else show_parts(pair.reply.parts, running=False),
        error=None if failure is None else show_failure(failure),
        figures=figures,
    )


def show_compared(
    count: int, columns: tuple[ComparedColumnView, ...], asking: Collection[str], standing: ScreenPairView | None
) -> ComparedColumnsView:
    """Return the columns side by side with a title for `count` replies.

    `asking` are the ids of runs with a tool call that waits for permission. `standing` is the pair that is answered
    again; None: the comparison makes a new pair.
    """
    shown = tuple(replace(column, status=WAITS) if column.run_id in asking else column for column in columns)
    if count == 0:  # a comparison without replies is damaged
        return ComparedColumnsView("Replies that cannot be read", (), UNREADABLE)
    title = f"{count} replies to compare"
    if standing is None:
        return ComparedColumnsView(title, shown)
    return ComparedColumnsView(f"{title} for pair {standing.position}", (*shown, _show_standing(standing)))


def describe_sent(pairs: int, usage: Usage | None, cost: Cost | None = None, *, ended: bool) -> str:
    """Describe the call of a compared reply: the number of sent pairs, and its tokens and cost once they are known.

    If `usage` is None, the provider has not reported it. `ended`: the call has ended.
    """
    sent = f"{plural(pairs, 'earlier pair')} sent" if pairs else "No earlier messages sent"
    if usage is None or cost is None:
        return f"{sent} · tokens not reported by the provider" if ended else sent
    written = usage.cache_write_tokens + usage.cache_write_1h_tokens
    read = usage.input_tokens + usage.cache_read_tokens + written
    charge = charged(describe_amount(cost), at_least=cost.at_least)
    return f"{sent} · {number(read)} in · {number(usage.output_tokens)} out · {charge}"


def _show_standing(pair: ScreenPairView) -> ComparedColumnView:
    return ComparedColumnView(
        run_id="",
        model=pair.model,
        model_name=pair.model_name,
        lifecycle=pair.lifecycle,
        status="Current",
        running=False,
        is_current=True,
        parts=pair.parts,
        error=pair.error,
    )
