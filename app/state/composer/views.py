"""Frozen values that the composer shows in addition to the views of `app.views.screen`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class OrderKind(StrEnum):
    """An action of the text area with a text.

    `PUT`: put it before the draft. `PUT_IF_EMPTY`: put it into an empty box. `INSERT`: insert it at the caret.
    `REPLACE`: replace the typed "/name" by it. `PUT_EDIT`: put the text that the browser keeps of the edit of this name
    before the draft. `SEND`: send the draft, if it is this text ("": any draft). `SAY`: send this text; if there is a
    draft, put it before the draft instead. `FOCUS`: focus the text area.
    """

    PUT = "put"
    PUT_IF_EMPTY = "put_if_empty"
    INSERT = "insert"
    REPLACE = "replace"
    PUT_EDIT = "put_edit"
    SEND = "send"
    SAY = "say"
    FOCUS = "focus"


@dataclass(frozen=True)
class BoxOrder:
    """An order for the text area, carried out once."""

    id: str
    kind: OrderKind
    text: str


@dataclass(frozen=True)
class SendAnswer:
    """The result of a send. `id` is the text area's name for it. Not accepted: its text goes back into the box."""

    id: str
    accepted: bool


@dataclass(frozen=True)
class PromptRow:
    """A prompt of a server, inserted by "/" and its name: `text`. It is also found by its `words`, in lower case."""

    id: str
    text: str
    means: str
    source: str
    words: str


@dataclass(frozen=True)
class WayView:
    """One option of a send that does not fit. `selection` names the pairs that it sends, "" if it names none.

    `up_to` is the position of the last pair that it summarises first, 0 for none.
    """

    key: str
    name: str
    figures: str
    note: str
    selection: str = ""
    up_to: int = 0


@dataclass(frozen=True)
class OverBudgetView:
    """A send that does not fit, and its options. `remembers`: the choice can also apply to later sends.

    `model` is the model of the send.
    """

    message: str
    ways: tuple[WayView, ...]
    title: str = "This does not fit"
    remembers: bool = True
    model: str = ""


@dataclass(frozen=True)
class SplitRow:
    """One part of a send and its tokens. `part`: it is included in the row above."""

    name: str
    tokens: str
    part: bool = False


@dataclass(frozen=True)
class SplitView:
    """The figures of a send as text.

    `x` of the `y` pairs in view are sent, `all_fit`: all of them; `unit` is the noun after them, with the number of all
    pairs if there is a filter. `tokens` is an estimate with its `certainty`. `share` is the part of the limit, in
    percent, used by the estimate and the reserve; `over`: more than all of it. `look` changes with every change of the
    view. `countable`: the provider offers an exact count. `rounds`: tools are sent, so the reply may take further
    calls; the figures describe the first.
    """

    x: str
    y: str
    unit: str
    counted: str
    title: str
    all_fit: bool
    any_in_view: bool
    tokens: str
    certainty: str
    exact: bool
    countable: bool
    cost: str
    cost_known: bool
    over: bool
    rows: tuple[SplitRow, ...]
    pairs: str
    reserve: str
    limit: str
    limited_by: str
    share: float
    look: str
    rounds: bool


@dataclass(frozen=True)
class CachedCostView:
    """The cost of a send with the provider's cache."""

    name: str
    cost: str


@dataclass(frozen=True)
class SummaryWorkView:
    """A summary that is being written."""

    message: str


@dataclass(frozen=True)
class QueueRow:
    """A text of the queue. `number` is its place, counted from 1. 0: it left the queue while it was being edited.

    `files` is the number of its files in words, `asked` describes the parameters set for it alone; "" for none.
    """

    id: str
    text: str
    model: str
    number: int
    last: bool
    files: str = ""
    asked: str = ""
