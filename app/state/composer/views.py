"""Frozen values that the composer shows in addition to those of `app.views.composer`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class OrderKind(StrEnum):
    """The kinds of actions that the text area carries out with a text.

    - `PUT`: insert the text in front of the draft.
    - `PUT_IF_EMPTY`: put the text into an empty message box.
    - `INSERT`: insert the text at the caret.
    - `REPLACE`: replace the typed "/name" with the text.
    - `PUT_EDIT`: the text is the name of an edit. Insert the text of this edit, which the browser keeps, in front of
      the draft.
    - `SEND`: send the draft, if it is this text ("": any draft).
    - `SAY`: send this text. If there is a draft, insert the text in front of it instead.
    - `FOCUS`: focus the text area.
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
    """An action for the text area, carried out once."""

    id: str
    kind: OrderKind
    text: str


@dataclass(frozen=True)
class SendWaitView:
    """The wait after a send that a rate limit refused.

    - `reason`: the limit. `wait`: the whole wait in words.
    - `until`: the end of the wait. `now`: the server's time when this was created (both ISO 8601).
    """

    reason: str
    wait: str
    until: str
    now: str


@dataclass(frozen=True)
class SendAnswer:
    """The result of a send: accepted or refused. `id` is the id that the text area gave to the send.

    The text of a refused send goes back into a message box. `moved` is the conversation with this message box, if the
    text was sent from another page; otherwise "".
    """

    id: str
    accepted: bool
    moved: str = ""


@dataclass(frozen=True)
class PromptRow:
    """A prompt of an MCP server, in the list that a typed "/" opens.

    - `text`: "/" and the name of the prompt.
    - `means`: its description.
    - `source`: the name of its server.
    - `words`: further words that a search finds it by, in lower case.
    """

    id: str
    text: str
    means: str
    source: str
    words: str


@dataclass(frozen=True)
class WayView:
    """An option for a send that exceeds its budget. `selection` names the pairs that it sends, "" if it names none.

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
    """The dialog for a send that exceeds its budget: its message and its options (`ways`).

    `remembers`: the choice can also apply to later sends. `model` is the model of the send.
    """

    message: str
    ways: tuple[WayView, ...]
    title: str = "This does not fit"
    remembers: bool = True
    model: str = ""


@dataclass(frozen=True)
class SplitRow:
    """One part of a send, with its tokens. `part`: these tokens are part of the tokens of the previous row."""

    name: str
    tokens: str
    part: bool = False


@dataclass(frozen=True)
class SplitView:
    """The figures of a send as text.

    - `x`, `y`: the number of pairs that are sent, and of those in view.
    - `all_fit`: all of them are sent.
    - `whole`: the number of all pairs if a filter is set, else "".
    - `unit`: the word after these numbers.
    - `tokens`: an estimate with its `certainty`.
    - `share`: the part of the limit, in percent, that the estimate and the reserve use.
    - `over`: estimate and reserve together exceed the limit.
    - `priced`: the input has a known price above zero, so the reply costs extra.
    - `look`: a text that changes whenever other pairs are in view or sent, or another model is chosen.
    - `countable`: the provider offers an exact count.
    - `rounds`: tools are sent, so the reply may take further calls; the figures describe the first call.
    """

    x: str
    y: str
    whole: str
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
    priced: bool
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
    """The cost of a send if the provider's cache is used, as a line of text.

    `name` is the label of the line, for example "with 1,200 cached" or "with cache write".
    """

    name: str
    cost: str


@dataclass(frozen=True)
class SummaryWorkView:
    """The progress of a summary that is being written."""

    message: str


@dataclass(frozen=True)
class QueueRow:
    """A text of the queue.

    - `number`: its place, counted from 1; 0: it left the queue while it was being edited.
    - `files`: the number of its files in words, "" for none.
    - `asked`: describes the parameters set for this text alone, "" for none.
    """

    id: str
    text: str
    model_name: str
    number: int
    last: bool
    files: str = ""
    asked: str = ""
