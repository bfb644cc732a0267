"""Parses a filter into a tree, without recursion: a list has the open parentheses.

Precedence from high to low: parentheses, `!`, `&` (or only a blank), `|` (or `+`).

    >>> parse_filter("s2 (b | !r3)")  # doctest: +NORMALIZE_WHITESPACE
    And(terms=(Stars(op=<Op.EQUAL: '='>, stars=2), Or(terms=(Flagged(flagged=True), Not(term=Recent(count=3))))))
"""

from __future__ import annotations

from dataclasses import dataclass, field

from app.domain.filters.language.command_parser import read_call
from app.domain.filters.language.commands import BarLine
from app.domain.filters.language.lexer import Token, TokenKind
from app.domain.filters.language.syntax import Everything, Expression, Filter, Not, all_of, any_of
from app.domain.filters.language.terms import A_PREDICATE, read_term
from app.domain.filters.language.token_stream import TokenStream, refuse

MAX_DEPTH = 50
"""Maximum levels of nested parentheses and `!`, so that recursion over a tree is safe."""

MAX_TREE_DEPTH = 2 * (MAX_DEPTH + 1)
"""Maximum levels of a filter's tree: each level of parentheses can add an `Or` and an `And` to the tree."""

MAX_TERMS = 200
"""Maximum number of predicates in a filter, because databases limit the size of an expression."""

_STARTS_OPERAND = frozenset({TokenKind.WORD, TokenKind.SAVED, TokenKind.NOT, TokenKind.OPEN})


@dataclass(slots=True)
class _Group:
    """An open parenthesis with its alternatives; the first group is the whole filter.

    An alternative is a list of terms that `And` combines. `negations` is the number of `!` in front of the parenthesis.
    """

    depth: int = 0
    negations: int = 0
    alternatives: list[list[Expression]] = field(default_factory=lambda: [[]])

    def add(self, term: Expression, negations: int) -> None:
        for _ in range(negations):
            term = Not(term)
        self.alternatives[-1].append(term)

    def close(self) -> Expression:
        return any_of(*(all_of(*terms) for terms in self.alternatives))


def parse_filter(line: str) -> Filter:
    """Parse a filter.

    Raises:
        FilterError: the filter cannot be read, or a command follows it.
    """
    tokens = TokenStream(line)
    found = _read_filter(tokens)
    if tokens.next.kind is not TokenKind.END:
        raise refuse(tokens.next, "the end of the filter", "A command is not allowed here.")
    return found


def parse_line(line: str) -> BarLine:
    """Parse a line: its filter, and the command at its end if there is one.

    Raises:
        FilterError: the filter or the command cannot be read.
    """
    tokens = TokenStream(line)
    found = _read_filter(tokens)
    colon = tokens.take_if(TokenKind.COLON)
    return BarLine(found, read_call(line, colon.end) if colon else None)


def parse_before_command(line: str) -> tuple[Filter, str]:
    """Parse the filter of a line, and return it with the text of the command, which is not parsed.

    The text starts with the colon. It is "" if there is no command.

    Raises:
        FilterError: the filter cannot be read.
    """
    tokens = TokenStream(line)
    found = _read_filter(tokens)
    return found, line[tokens.next.start :] if tokens.next.kind is TokenKind.COLON else ""


def _read_filter(tokens: TokenStream) -> Filter:
    """Parse the filter at the start of a line.

    The filter ends at the end of the line or at a command's colon. The colon is not taken from `tokens`.
    """
    if _is_last(tokens.next):
        return Everything()
    groups = [_Group()]
    terms = 0
    while True:
        _read_operand(tokens, groups)
        terms += 1
        if terms > MAX_TERMS:
            raise refuse(tokens.next, f"at most {MAX_TERMS} filter words in a filter")
        _close_groups(tokens, groups)
        following = tokens.next
        if following.kind is TokenKind.OR:
            groups[-1].alternatives.append([])
            tokens.take()
        elif following.kind is TokenKind.AND:
            tokens.take()
        elif _is_last(following) and len(groups) == 1:
            return groups[0].close()
        elif following.kind not in _STARTS_OPERAND:
            raise refuse(following, _what_may_follow(groups))


def _is_last(token: Token) -> bool:
    return token.kind in {TokenKind.END, TokenKind.COLON}


def _read_operand(tokens: TokenStream, groups: list[_Group]) -> None:
    """Read any number of `!` and `(`, then a predicate. Add the predicate to the innermost group."""
    depth = groups[-1].depth
    negations = 0
    while (token := tokens.take()).kind in {TokenKind.NOT, TokenKind.OPEN}:
        depth += 1
        if depth > MAX_DEPTH:
            raise refuse(token, f'at most {MAX_DEPTH} parentheses and "!" within each other', "Use fewer levels.")
        if token.kind is TokenKind.NOT:
            negations += 1
        else:
            groups.append(_Group(depth, negations))
            negations = 0
    groups[-1].add(read_term(token, tokens), negations)


def _close_groups(tokens: TokenStream, groups: list[_Group]) -> None:
    while len(groups) > 1 and tokens.take_if(TokenKind.CLOSE):
        group = groups.pop()
        groups[-1].add(group.close(), group.negations)


def _what_may_follow(groups: list[_Group]) -> str:
    return f'{"a closing )" if len(groups) > 1 else "the end"}, "&", "|" or {A_PREDICATE}'
