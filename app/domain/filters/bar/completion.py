"""Completion in the filter bar: suggests predicates, names, saved filters and commands.

>>> complete_line("s2 fl", 5, Vocabulary())
Completion(start=3, end=5, suggestions=(Suggestion(text='flagged', means='pairs that are flagged'),))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from app.domain.filters.bar.sentence import describe_filter
from app.domain.filters.evaluation.scope import Vocabulary
from app.domain.filters.language.commands import COMMANDS, DRY_RUN, CommandRow, FlagRow
from app.domain.filters.language.lexer import Token, TokenKind, tokenize, tokenize_command
from app.domain.filters.language.parser import parse_filter
from app.domain.filters.language.predicates import NAMES, PREDICATES, STARTERS, Name
from app.domain.filters.language.quoting import quote_pattern, quote_topic, read_text
from app.domain.filters.language.syntax import TopicTerm, Unit
from app.domain.text.pattern import Pattern, fold

MOST = 30
"""Maximum number of suggestions."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text that can be inserted, and its meaning."""

    text: str
    means: str


@dataclass(frozen=True, slots=True)
class Completion:
    """The suggestions for a line, the best first. A suggestion replaces the part of the line from `start` to `end`."""

    start: int
    end: int
    suggestions: tuple[Suggestion, ...] = ()


def complete_line(line: str, cursor: int, vocabulary: Vocabulary) -> Completion:
    """Return the suggestions for a line of the filter bar.

    `cursor` is the number of characters in front of the cursor.
    """
    before = line[:cursor]
    *tokens, last = tokenize(before)
    match last.kind:
        case TokenKind.COLON:
            return _complete_command(line, before, last.end, vocabulary)
        case TokenKind.UNCLOSED:
            return _complete_string(line, before, last, _names_after(tokens, vocabulary))
        case TokenKind.END:
            word = _word_at(tokens, len(before))
            return _offer(word.start, len(before), _terms(word, tokens, vocabulary))
        case _:
            return Completion(len(before), len(before))


# --- filters ---


class _Named(NamedTuple):
    """An object that has a name. `written` is the name in the form for a filter, `means` describes the object."""

    name: str
    written: str
    means: str


def _terms(word: Token, tokens: Sequence[Token], vocabulary: Vocabulary) -> Iterator[Suggestion]:
    match word.kind:
        case TokenKind.WORD:
            yield from _predicates(word.text)
            yield from _arguments(word.text, vocabulary)
        case TokenKind.SAVED:
            yield from _saved(word.text[1:], vocabulary)
        case TokenKind.NUMBER if _is_age(tokens):
            yield from (Suggestion(f"{word.text}{unit}", f"{unit.name.lower()}s") for unit in Unit)
        case TokenKind.END:
            yield from _starters()
            yield from _saved("", vocabulary)
        case _:
            pass


def _predicates(typed: str) -> Iterator[Suggestion]:
    for row in PREDICATES.values():
        if row.short.startswith(typed):
            yield Suggestion(row.short, f"pairs that {row.selects}")
        elif row.name.startswith(typed):
            yield Suggestion(row.name.value, f"pairs that {row.selects}")


def _starters() -> Iterator[Suggestion]:
    """Suggest whole filters with long names. The meaning of each ends with the short form of the filter."""
    for name, (starter, means) in STARTERS.items():
        short = f"{PREDICATES[name].short}{starter.removeprefix(name).lstrip()}"
        yield Suggestion(starter, means if short == starter else f"{means} · short: {short}")


def _arguments(word: str, vocabulary: Vocabulary) -> Iterator[Suggestion]:
    """Suggest arguments for a complete predicate: existing names, or examples if the predicate takes no name."""
    name = NAMES.get(word)
    if name in _NAMES:
        yield from (Suggestion(f"{word}{named.written}", named.means) for named in _NAMES[name](vocabulary))
    elif name is not None:
        row = PREDICATES[name]
        examples = (example.removeprefix(row.short) for example in row.examples if example.startswith(row.short))
        for argument in filter(None, examples):
            yield Suggestion(f"{word}{argument}", describe_filter(parse_filter(f"{word}{argument}")))


def _saved(typed: str, vocabulary: Vocabulary) -> Iterator[Suggestion]:
    return _matching(typed, (_Named(name, f"@{name}", text) for name, text in vocabulary.saved.items()))


def _is_age(tokens: Sequence[Token]) -> bool:
    words = [token.text for token in tokens if token.kind is not TokenKind.COMPARISON]
    return len(words) > 1 and NAMES.get(words[-2]) is Name.DATE


# --- names in quotes ---


def _complete_string(line: str, before: str, quote: Token, names: Iterable[_Named]) -> Completion:
    # the rest of the word, up to its closing quote, is replaced too
    rest = re.compile(rf"[\w-]*{quote.text}").match(line, len(before))
    typed = read_text(before[quote.end :])
    return _offer(quote.start, rest.end() if rest else len(before), _matching(typed, names))


def _names_after(tokens: Sequence[Token], vocabulary: Vocabulary) -> Iterable[_Named]:
    name = NAMES.get(tokens[-1].text) if tokens else None
    return _NAMES[name](vocabulary) if name in _NAMES else ()


def _topics(vocabulary: Vocabulary) -> Iterator[_Named]:
    for topic_id, path in vocabulary.topics.paths.items():
        text = vocabulary.topics.path_text(topic_id)
        yield _Named(text, quote_topic(_topic(path)), text)


def _topics_and_below(vocabulary: Vocabulary) -> Iterator[_Named]:
    for (topic_id, path), named in zip(vocabulary.topics.paths.items(), _topics(vocabulary), strict=True):
        yield named
        if topic_id in vocabulary.topics.children:
            yield _Named(named.name, quote_topic(_topic(path, below=True)), f"{named.name} and below")


def _topic(path: tuple[str, ...], *, below: bool = False) -> TopicTerm:
    return TopicTerm(tuple(Pattern((name,)) for name in path), below)


def _plain_names(names: Iterable[tuple[str, str]]) -> Iterator[_Named]:
    return (_Named(name, quote_pattern(Pattern((name,))), means) for name, means in names)


_NAMES: Mapping[Name | None, Callable[[Vocabulary], Iterator[_Named]]] = MappingProxyType(
    {
        Name.TOPIC: _topics_and_below,
        Name.MODEL: lambda known: _plain_names((model.partition(":")[2] or model, model) for model in known.models),
        Name.AGENT: lambda known: _plain_names((name, "agent") for name in known.agents.values()),
        Name.TOOL: lambda known: _plain_names((tool, "tool") for tool in known.tools),
    }
)


# --- commands ---


def _complete_command(line: str, before: str, start: int, vocabulary: Vocabulary) -> Completion:
    *tokens, last = tokenize_command(before, start)
    row = COMMANDS.get(tokens[0].text) if tokens else None
    if last.kind is TokenKind.UNCLOSED:
        topics = _topics(vocabulary) if row is not None and row.name == "topic" else ()
        return _complete_string(line, before, last, topics)
    word = _word_at(tokens, len(before))
    if tokens == [word] or not tokens:
        names = (Suggestion(row.name, row.does) for row in COMMANDS.values() if row.name.startswith(word.text))
        return _offer(word.start, len(before), names)
    return Completion(len(before), len(before)) if row is None else _complete_call(row, tokens, word, len(before))


def _complete_call(row: CommandRow, tokens: Sequence[Token], word: Token, cursor: int) -> Completion:
    """Complete the words after the name of a command.

    After a flag that takes a value, suggest values for it. Otherwise, suggest the argument and the unused flags.
    """
    earlier = [token for token in tokens if token != word]
    flags = {f"--{flag.name}": flag for flag in (*row.flags, DRY_RUN)}
    if word.text.endswith("="):
        return _offer(cursor, cursor, _choices("", flags.get(word.text[:-1])))
    asking = flags.get(earlier[-1].text.removesuffix("="))
    if asking is not None and asking.value:
        return _offer(word.start, cursor, _choices(word.text, asking))
    used = {token.text.removesuffix("=") for token in earlier}
    unused = (Suggestion(text, flag.does) for text, flag in flags.items() if text not in used)
    arguments = _choices(word.text, row) if len(earlier) == 1 else ()
    return _offer(word.start, cursor, [*arguments, *(flag for flag in unused if flag.text.startswith(word.text))])


def _choices(typed: str, row: CommandRow | FlagRow | None) -> Iterator[Suggestion]:
    if row is not None:
        yield from (Suggestion(choice, row.does) for choice in row.choices if choice.startswith(typed))


# --- shared ---


def _word_at(tokens: Sequence[Token], cursor: int) -> Token:
    """Return the token that ends at the cursor and may be incomplete; an empty token if a new term can start there."""
    nothing = Token(TokenKind.END, "", cursor)
    if not tokens or tokens[-1].kind in {TokenKind.NOT, TokenKind.AND, TokenKind.OR, TokenKind.OPEN}:
        return nothing
    return tokens[-1] if tokens[-1].end == cursor else nothing


def _matching(typed: str, names: Iterable[_Named]) -> Iterator[Suggestion]:
    """Return the names that contain the typed text. Names that start with it come first."""
    key = _key(typed)
    found = [named for named in names if key in _key(named.name)]
    found.sort(key=lambda named: not _key(named.name).startswith(key))
    return (Suggestion(named.written, named.means) for named in found)


def _key(name: str) -> str:
    return re.sub(r"\s*>\s*", ">", fold(name))


def _offer(start: int, end: int, suggestions: Iterable[Suggestion]) -> Completion:
    return Completion(start, end, tuple(islice(dict.fromkeys(suggestions), MOST)))
