"""The feedback about a line of the filter bar on the page: its meaning, its mistake, its completions."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.errors import InviewError
from app.domain.filters.language.errors import FilterError
from app.domain.filters.language.plain_words import search_for
from app.views.filters.filter_line import FilterLineView, SuggestionView
from app.views.usage.figures import number, plural


@dataclass(frozen=True, slots=True)
class MistakeView:
    """The mistake in a line of the filter bar.

    `has_place`: its place is known. The line then consists of `before`, the mistake `wrong`, and `after`. `place`
    describes the place for screen readers.
    """

    message: str
    has_place: bool = False
    before: str = ""
    wrong: str = ""
    after: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class LineFeedbackView:
    """The feedback about `line`, the line of the filter bar.

    - `answer`: the answer of its command after Enter.
    - `refused`: the answer is a refusal.
    - `command`: describes the effect that the command of the line would have.
    - `description`: describes the pairs that its filter selects.
    - `suggestions`: each of them replaces the characters from `start` to `end`.
    - `offered`: the line consists of plain words. The only suggestion is the filter that searches for them, and Enter
      applies it.
    - `entered`: the person pressed Enter, so a mistake is shown as an error, not as a hint.
    - `count`: describes how many pairs would be sent.
    """

    line: str = ""
    command: str = ""
    description: str = ""
    notices: tuple[str, ...] = ()
    mistake: MistakeView | None = None
    answer: str = ""
    refused: bool = False
    start: int = 0
    end: int = 0
    suggestions: tuple[SuggestionView, ...] = ()
    offered: bool = False
    entered: bool = False
    count: str = ""


@dataclass(frozen=True, slots=True)
class CommandQuestionView:
    """A line of the filter bar whose command needs a confirmation, and the question."""

    line: str
    question: str


def show_line(line: str, read: FilterLineView) -> LineFeedbackView:
    """Return the feedback about a line. `read` describes the line in the form of the HTTP API.

    If the line is plain words without completions, the feedback offers a search for them.
    """
    error, command, completion = read.error, read.command, read.completion
    if error is not None and not completion.suggestions:
        return _offer_search(line, _mark(line, error.message, error.position, error.found))
    return LineFeedbackView(
        line,
        "" if command is None else _capital(command.what or command.name),
        read.sentence,
        read.notices,
        None if error is None else _mark(line, error.message, error.position, error.found),
        start=completion.start,
        end=completion.end,
        suggestions=completion.suggestions,
        count="" if error is not None or command is not None else _describe_count(read),
    )


def show_mistake(line: str, error: InviewError) -> LineFeedbackView:
    """Return the feedback about a line that cannot be used."""
    if not isinstance(error, FilterError):
        return LineFeedbackView(line, mistake=MistakeView(str(error)))
    return _offer_search(line, _mark(line, error.message, error.position, error.found))


def _offer_search(line: str, mistake: MistakeView) -> LineFeedbackView:
    """Return the feedback about a line with a mistake. If it consists of plain words, offer a search instead."""
    search = search_for(line)
    if not search:
        return LineFeedbackView(line, mistake=mistake)
    means = f"search for “{line.strip()}”"
    return LineFeedbackView(
        line, description=_capital(means), end=len(line), suggestions=(SuggestionView(search, means),), offered=True
    )


def _describe_count(read: FilterLineView) -> str:
    return f"{number(read.sent)} of {plural(read.pairs, 'pair')} will be sent"


def _mark(line: str, message: str, position: int, found: str) -> MistakeView:
    """Split the line at its mistake, which is at least one character wide.

    >>> _mark("b s7 r", "Found 7.", 3, "7")
    MistakeView(message='Found 7.', has_place=True, before='b s', wrong='7', after=' r', place='At character 4.')
    """
    end = position + max(1, len(found))
    before, wrong, after = line[:position], line[position:end] or " ", line[end:]
    place = f"At character {position + 1}."
    return MistakeView(message, has_place=True, before=before, wrong=wrong, after=after, place=place)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
