"""What the composer shows beside the views of `app.views.screen`, as frozen values with text to be read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class OrderKind(StrEnum):
    """An action of the text area with a text.

    `PUT` it before what is written, `PUT_IF_EMPTY` only where nothing is; `INSERT` it where the caret is; `REPLACE` the
    "/name" that is written. `PUT_EDIT`: put what the browser keeps of the edit of this name before what is written.
    `SEND`: send what is written, if that is this text ("": whatever it is). `SAY`: send this text; if something is
    written, put it before that instead. `FOCUS`: go on writing there.
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
    """The result of a send, which the text area called `id`. Not accepted: its text goes back into the box."""

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
    """One option of a send that does not fit. `selection` stands for the pairs that it sends, "" where it says none."""

    key: str
    name: str
    figures: str
    note: str
    selection: str = ""


@dataclass(frozen=True)
class OverBudgetView:
    """A send that does not fit, and the options there are. `remembers`: one of them may be taken from now on.

    `model` is the one that all of it is about.
    """

    message: str
    ways: tuple[WayView, ...]
    title: str = "This does not fit"
    remembers: bool = True
    model: str = ""


@dataclass(frozen=True)
class SplitRow:
    """A line of how a send splits. `part`: it belongs to the line above."""

    name: str
    tokens: str
    part: bool = False


@dataclass(frozen=True)
class SplitView:
    """What a send comes to, as text.

    `x` of the `y` pairs in view are sent, `all_fit`: all of them; `unit` names them, with how many pairs the
    conversation has where a filter holds. `tokens` is an estimate with its `certainty`. `share` of the limit is taken
    by it and the reserve, in percent; `over`: more than all of it. `look` changes whenever the view changes.
    `countable`: its provider can be asked for the exact count. `rounds`: tools go along, so the reply may take more
    calls than the first, which the figures are of.
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
    """What a send costs with what the provider keeps of the conversation."""

    name: str
    cost: str


@dataclass(frozen=True)
class SummaryWorkView:
    """A summary that is being written."""

    message: str


@dataclass(frozen=True)
class QueueRow:
    """A text of the queue, the `number`th. 0: it waits no longer, but is being edited.

    `files` says how many go with it, `asked` which parameters are set for it alone; "" for none.
    """

    id: str
    text: str
    model: str
    number: int
    last: bool
    files: str = ""
    asked: str = ""
