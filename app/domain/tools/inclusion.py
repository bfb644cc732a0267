"""Inclusion: selects the tools of a send, each with the reason and its size.

The conversation's inclusion mode decides. `cached` and `all-on` include all tools, in their fixed order. `all-off`
includes none, `manual` the ticked ones. `auto` includes all tools if they take at most a tenth of the budget. Otherwise
it includes the tools whose name, title or description shares a word with the draft, and the tools that the visible
pairs called. A request to a model that cannot call tools has none.

    offer = OfferedTools(ToolMode.AUTO, (SizedTool(clock, 120), SizedTool(files, 9_000)), overhead=496)
    choice = choose_tools(offer, "What time is it?", budget=8_000)
    choice.definitions, choice.tokens

Not here: the list of existing tools (`app/tools`), and their sizes (`tool_sizes.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from app.domain.conversation.conversation import ToolMode
from app.domain.request.request import ToolDefinition
from app.domain.tools.tools import Tool

SHARE_OF_BUDGET = 10
"""Divisor of the budget. With `auto`, all tools are included if together they take at most the quotient."""
READ_OF_DRAFT = 20_000
"""Number of characters of a draft that are compared with tools. Later text is probably pasted, not the question."""
LEAST_LETTERS = 3

_WORD = re.compile(r"[^\W\d_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""The boundaries between the words of a name such as readFile or HTTPServer."""
_NO_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts without blanks between words. Such texts are compared by each pair of adjacent letters."""
_FUNCTION_WORDS = (
    "about after all and any are before been being but can could does each for from get given has have her him his how "
    "into its just let list may more most must not now off one only other our out over own per please return set "
    "should some such tell than that the their them then there these they this those tool use used uses using want was "
    "were what when where which who whose why will with would you your"
)
_EVERYWHERE = frozenset(_FUNCTION_WORDS.split())
"""Words that do not distinguish tools, because most descriptions and most questions contain them."""


class Why(StrEnum):
    """The reason why a request has a tool, or does not have it."""

    ALL = "all"
    ALL_FIT = "all_fit"
    TICKED = "ticked"
    SHARES_WORDS = "shares_words"
    CALLED_BEFORE = "called_before"
    OFF = "off"
    NOT_TICKED = "not_ticked"
    NOTHING_SHARED = "nothing_shared"
    MODEL_CANNOT = "model_cannot"

    @property
    def chosen(self) -> bool:
        return self in _CHOSEN


_CHOSEN = frozenset({Why.ALL, Why.ALL_FIT, Why.TICKED, Why.SHARES_WORDS, Why.CALLED_BEFORE})


@dataclass(frozen=True, slots=True)
class SizedTool:
    """A tool, and the size of its definition in tokens.

    - `counted`: the number of its tokens in the vocabulary.
    - `tokens`: the estimate for the model, computed from `counted`.
    """

    tool: Tool
    tokens: int
    counted: int = 0


@dataclass(frozen=True, slots=True)
class OfferedTools:
    """The available tools in order, and all other data for the choice of tools, except the draft.

    - `ticked`: the names of the tools that a person ticked.
    - `called`: the names of the tools that the visible pairs called; only `auto` uses them.
    - `overhead`: the number of additional tokens of any request with tools.
    - `able`: the model can call tools.
    """

    mode: ToolMode = ToolMode.CACHED
    tools: tuple[SizedTool, ...] = ()
    ticked: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    overhead: int = 0
    able: bool = True

    @property
    def tokens(self) -> int:
        """The tokens of the definitions of all these tools, including the overhead (see `ToolRule`)."""
        return self.overhead + sum(one.tokens for one in self.tools) if self.tools else 0


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision whether a send includes a tool, with the reason (`why`).

    `words` are the words that the tool shares with the draft, in alphabetical order.
    """

    sized: SizedTool
    why: Why
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """For each available tool (`offer`), in the same order, the decision whether the request includes it."""

    offer: OfferedTools = OfferedTools()
    decided: tuple[Decided, ...] = ()

    @property
    def chosen(self) -> tuple[SizedTool, ...]:
        return tuple(one.sized for one in self.decided if one.why.chosen)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools in the request."""
        return tuple(one.tool for one in self.chosen)

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """The definitions of the tools in the request."""
        return tuple(define_tool(tool) for tool in self.tools)

    @property
    def tokens(self) -> int:
        """The tokens of the tool definitions in the request, including the overhead (see `ToolRule`)."""
        chosen = self.chosen
        return self.offer.overhead + sum(one.tokens for one in chosen) if chosen else 0


NOTHING_CHOSEN = Choice()


def choose_tools(offer: OfferedTools, draft: str = "", budget: int = 0) -> Choice:
    """Decide for each available tool whether the request includes it.

    `budget` is the maximum size of the request, in tokens.
    """
    if not offer.tools:
        return Choice(offer)
    if not offer.able:
        return _all(offer, Why.MODEL_CANNOT)
    match offer.mode:
        case ToolMode.CACHED | ToolMode.ALL_ON:
            return _all(offer, Why.ALL)
        case ToolMode.ALL_OFF:
            return _all(offer, Why.OFF)
        case ToolMode.MANUAL:
            ticked = offer.ticked
            reasons = (Why.TICKED if one.tool.name in ticked else Why.NOT_TICKED for one in offer.tools)
            return Choice(offer, tuple(Decided(one, why) for one, why in zip(offer.tools, reasons, strict=True)))
        case ToolMode.AUTO if offer.tokens * SHARE_OF_BUDGET <= budget:
            return _all(offer, Why.ALL_FIT)
        case ToolMode.AUTO:
            draft_words = words_of(draft[:READ_OF_DRAFT])
            return Choice(offer, tuple(_decide(one, offer.called, draft_words) for one in offer.tools))


def define_tool(tool: Tool) -> ToolDefinition:
    """Return the definition of a tool. If the tool has no description, its title is used."""
    return ToolDefinition(tool.name, tool.description or tool.title, tool.input_schema_json)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that may describe its subject, in lower case and in the singular.

    >>> sorted(words_of("readFiles: read the files in a_folder"))
    ['file', 'folder', 'read']
    """
    return frozenset(_words(text))


def _words(text: str) -> Iterator[str]:
    for found in _WORD.findall(_HUMP.sub(" ", text)):
        word = found.casefold()
        if _NO_BLANKS.search(word):
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
            continue
        plural = len(word) > LEAST_LETTERS and word.endswith("s") and not word.endswith("ss")
        stem = word[:-1] if plural else word
        if len(word) >= LEAST_LETTERS and not {word, stem} & _EVERYWHERE:
            yield stem


@lru_cache(maxsize=2_000)
def _words_of_tool(tool: Tool) -> frozenset[str]:
    """Return the words of a tool's name, title and description. The name includes the name of the server."""
    return words_of(f"{tool.name} {tool.title} {tool.description}")


def _decide(sized: SizedTool, called: frozenset[str], draft_words: frozenset[str]) -> Decided:
    if shared := draft_words & _words_of_tool(sized.tool):
        return Decided(sized, Why.SHARES_WORDS, tuple(sorted(shared)))
    return Decided(sized, Why.CALLED_BEFORE if sized.tool.name in called else Why.NOTHING_SHARED)


def _all(offer: OfferedTools, why: Why) -> Choice:
    return Choice(offer, tuple(Decided(one, why) for one in offer.tools))
