"""Reads a command: its name, its argument, and its flags in any order.

>>> read_call("b :star 3 --dry-run", 3)
CommandCall(command=Rate(stars=3), dry_run=True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from app.domain.conversation.conversation import Mark
from app.domain.filters.language.commands import (
    COMMANDS,
    DRY_RUN,
    Command,
    CommandCall,
    CommandRow,
    Delete,
    Export,
    ExportFormat,
    ExportOrder,
    FileUnder,
    FlagRow,
    Fork,
    Rate,
    SetFlag,
    SetMark,
)
from app.domain.filters.language.lexer import Token, TokenKind, tokenize_command
from app.domain.filters.language.quoting import read_text, read_topic
from app.domain.filters.language.token_stream import refuse


def read_call(line: str, start: int) -> CommandCall:
    """Read the command at the end of a line. `start` is the position after its colon.

    Raises:
        FilterError: no command has this name, or its argument or flags are invalid.
    """
    tokens = tokenize_command(line, start)
    name = next(tokens)
    if name.kind is not TokenKind.WORD or name.text not in COMMANDS:
        raise refuse(name, f"a command ({', '.join(COMMANDS)})")
    given = _sort(COMMANDS[name.text], name, tokens)
    return CommandCall(_READERS[name.text](given), dry_run=DRY_RUN.name in given.flags)


_QUOTE_IT = "Put a value of several words in quotes."


@dataclass(slots=True)
class _Given:
    """The argument and the flags of a command, as tokens. `last` is the last token that was read.

    `flags` has the value of each flag; for a flag without a value, it has the token of the flag.
    """

    last: Token
    argument: Token | None = None
    flags: dict[str, Token] = field(default_factory=dict[str, Token])


def _sort(row: CommandRow, name: Token, tokens: Iterator[Token]) -> _Given:
    given = _Given(name)
    for token in tokens:
        given.last = token
        if token.kind is TokenKind.FLAG:
            flag = _known_flag(row, token, given)
            given.flags[flag.name] = _value(flag, token, next(tokens)) if flag.value else _bare(token)
        elif token.kind in {TokenKind.WORD, TokenKind.STRING} and row.argument and given.argument is None:
            given.argument = token
        elif token.kind is not TokenKind.END:
            raise refuse(token, f"{_flags(row)} or the end", _QUOTE_IT if given.argument else "")
    return given


def _known_flag(row: CommandRow, token: Token, given: _Given) -> FlagRow:
    name = token.text.removeprefix("--").removesuffix("=")
    if name in given.flags:
        raise refuse(token, f"--{name} once")
    for flag in (*row.flags, DRY_RUN):
        if flag.name == name:
            return flag
    raise refuse(token, f"a flag of :{row.name} ({_flags(row)})")


def _flags(row: CommandRow) -> str:
    return ", ".join(f"--{flag.name}" for flag in (*row.flags, DRY_RUN))


def _value(flag: FlagRow, token: Token, following: Token) -> Token:
    if following.kind not in {TokenKind.WORD, TokenKind.STRING} or (
        token.text.endswith("=") and following.start != token.end
    ):
        raise refuse(following, f"{flag.value} after --{flag.name}")
    return following


def _bare(token: Token) -> Token:
    if token.text.endswith("="):
        raise refuse(token, f"{token.text[:-1]} without a value")
    return token


# --- reading arguments and flags ---


def _read_export(given: _Given) -> Export:
    export = COMMANDS["export"]
    format_ = _choice(given.argument, export.choices) if given.argument else ExportFormat.JSON
    order = _choice(given.flags["order"], tuple(ExportOrder)) if "order" in given.flags else ExportOrder.TIME
    filename = _filename(given.flags["filename"]) if "filename" in given.flags else None
    return Export(ExportFormat(format_), filename, ExportOrder(order))


def _read_file_under(given: _Given) -> FileUnder:
    if given.argument is None:
        return FileUnder()
    topic = read_topic(given.argument.content if given.argument.kind is TokenKind.STRING else given.argument.text)
    if topic is None or topic.below or not all(name.is_literal for name in topic.names):
        raise refuse(given.argument, "the path of one topic, without stars", "Write :topic 'AI > Planning'.")
    return FileUnder(tuple(name.pieces[0] for name in topic.names))


def _read_rate(given: _Given) -> Rate:
    return Rate(int(_choice(given.argument or given.last, COMMANDS["star"].choices)))


def _choice(token: Token, choices: tuple[str, ...]) -> str:
    if _text(token) not in choices:
        *others, last = choices
        raise refuse(token, f"{', '.join(others)} or {last}")
    return _text(token)


def _filename(token: Token) -> str:
    name = _text(token)
    if not name.strip() or not name.isprintable() or set(name) & set("/\\"):
        raise refuse(token, "a file's name, without folders")
    return name


def _text(token: Token) -> str:
    return read_text(token.content) if token.kind is TokenKind.STRING else token.text


_READERS: Mapping[str, Callable[[_Given], Command]] = MappingProxyType(
    {
        "export": _read_export,
        "topic": _read_file_under,
        "star": _read_rate,
        "flag": lambda _: SetFlag(flagged=True),
        "unflag": lambda _: SetFlag(flagged=False),
        "in": lambda _: SetMark(Mark.IN),
        "out": lambda _: SetMark(Mark.OUT),
        "delete": lambda given: Delete(force="force" in given.flags),
        "fork": lambda _: Fork(),
    }
)
