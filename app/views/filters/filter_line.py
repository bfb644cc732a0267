"""Views of a line of the filter bar for programs: its meaning, its error, completions, the outcome of its command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

from app.domain.filters.bar.command_rules import ConfirmCommand, Decision, PerformCommand, RefuseCommand, ShowText
from app.domain.filters.language.commands import Command, Delete, Export, FileUnder, Fork, Rate, SetFlag, SetMark
from app.domain.filters.language.errors import FilterError
from app.views.conversation.marks import ChangeView

Would = Literal["act", "ask", "tell", "refuse"]
Outcome = Literal["done", "ask", "told", "refused"]


@dataclass(frozen=True, slots=True)
class FilterErrorView:
    """The error in a line. `position` is its place in characters from 0; `message` is the complete description."""

    position: int
    found: str
    expected: str
    hint: str
    message: str


@dataclass(frozen=True, slots=True)
class CommandView:
    """The command of a line of the filter bar, and the effect that entering the line would have on `count` pairs.

    `would` is the kind of the effect, and `what` is a text about it:

    - "act": the command is performed; `what` describes its effect.
    - "ask": a person must first confirm the question `what`.
    - "tell": the text `what` is shown.
    - "refuse": the command is refused for the reason `what`.
    """

    name: str
    what: str
    would: Would
    count: int


@dataclass(frozen=True, slots=True)
class SuggestionView:
    """A completion: a text to insert, and its meaning."""

    text: str
    means: str


@dataclass(frozen=True, slots=True)
class CompletionView:
    """The texts that can replace the characters of the line from `start` to `end`, the best first."""

    start: int
    end: int
    suggestions: tuple[SuggestionView, ...]


@dataclass(frozen=True, slots=True)
class FilterLineView:
    """The meaning of a line of the filter bar.

    If the line has an `error`, only `completion` is set in addition; the other fields are empty.

    - `canonical`: the filter in its shortest form.
    - `sentence`: describes the pairs that the filter selects.
    - `notices`: a sentence for each name in the filter that does not exist or is ambiguous.
    - `sent`, `pairs`: a send with this filter would contain `sent` of the `pairs` pairs of the conversation.
    """

    ok: bool
    canonical: str
    sentence: str
    notices: tuple[str, ...]
    error: FilterErrorView | None
    command: CommandView | None
    completion: CompletionView
    sent: int = 0
    pairs: int = 0


@dataclass(frozen=True, slots=True)
class OutcomeView:
    """The outcome of a command on `count` pairs. To undo it, send `undo` as `changes` to `POST …/marks`.

    - `outcome`: "ask": `message` is a question, and the command is performed if it is repeated with `confirmed`.
    - `conversation_id`: the new conversation of a fork, otherwise null.
    - `export_url`: the address of an exported file, otherwise null.
    """

    outcome: Outcome
    message: str
    count: int
    undo: tuple[ChangeView, ...]
    conversation_id: str | None
    export_url: str | None


def describe_filter_error(error: FilterError) -> FilterErrorView:
    """Convert an error in a filter to the form that the HTTP API returns."""
    found = f'"{error.found}"' if error.found else "the end"
    hint = error.message.removeprefix(f"Found {found}, expected {error.expected}.").strip()
    return FilterErrorView(error.position, error.found, error.expected, hint, error.message)


def describe_decision(decision: Decision, what: str) -> tuple[Would, str]:
    """Return the fields `would` and `what` of `CommandView` for a decision about a command.

    The argument `what` describes the effect of the command.
    """
    match decision:
        case PerformCommand():
            return "act", what
        case ConfirmCommand(question):
            return "ask", question
        case ShowText(text):
            return "tell", text
        case RefuseCommand(reason):
            return "refuse", reason
        case _:
            assert_never(decision)


def describe_done(command: Command, count: int, topic: str = "") -> str:
    """Describe the effect that a command had on `count` pairs. `topic` is the path of their new topic."""
    pairs = f"{count:,} pair{'' if count == 1 else 's'}"
    match command:
        case Export(format_):
            return f"Exporting {pairs} as {format_}."
        case FileUnder():
            return f"Filed {pairs} under {topic}."
        case Rate(stars):
            return f"Gave {pairs} {stars} star{'' if stars == 1 else 's'}."
        case SetFlag(flagged):
            return f"{'Flagged' if flagged else 'Unflagged'} {pairs}."
        case SetMark(mark):
            return f"Tagged {pairs} “{mark.tag}”."
        case Delete():
            return f"Deleted {pairs}."
        case Fork():
            return f"Started a new conversation from {pairs}."
        case _:
            assert_never(command)
