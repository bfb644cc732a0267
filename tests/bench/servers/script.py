"""The replies of the stub: a deterministic markdown text, cut into tokens, chosen by the model's name.

It is not random text: paragraphs, lists, tables, headings and fenced code have the proportions of a chat reply, and
words have the length that a tokenizer gives (about 5 bytes per chunk). The first chunk, the last and about every
`MARK_EVERY`-th are markers such as ` mk17x`: plain words that tell a browser which chunk it is showing.

    >>> script = script_of("t2000-r100")
    >>> script.tokens, script.rate
    (2000, 100.0)
    >>> script.chunks[0]
    'mk0x'
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle

MARK_EVERY = 5
MARK = re.compile(r"mk(\d+)x")
WORD = re.compile(r" [a-z]+")
TOKEN = re.compile(r"```\w*\n|\n+| *[^\s]{1,7}| +")
MODEL = re.compile(r"t(\d+)-r(\d+)(?:-w(\d+))?")

WORDS = tuple(
    """
    the of a to in is it that for was on are as with they be at one have this from or had by hot but some what
    there we can out other were all your when up use word how said an each she which do their time if will way
    about many then them would write like so these her long make thing see him two has look more day could go come
    did my sound no most number who over know water than call first people may down side been now find any new
    work part take get place made live where after back little only round man year came show every good me give
    our under
    """.split()  # noqa: SIM905 - one word a line is no list to read
)
CODE = (
    "def total(rows):",
    "    count = 0",
    "    for row in rows:",
    "        if row.kind == 'pair' and row.size > 10:",
    "            count += row.size * 2",
    "    return count",
)


@dataclass(frozen=True)
class Script:
    """A reply: its chunks in order, and their rate per second (0 = as fast as the client reads).

    `wait` is the thinking time of the provider before the first chunk, in seconds.
    """

    model: str
    rate: float
    chunks: tuple[str, ...]
    wait: float = 0.0

    @property
    def tokens(self) -> int:
        return len(self.chunks)

    @property
    def text(self) -> str:
        return "".join(self.chunks)

    @property
    def marks(self) -> tuple[int, ...]:
        """Return the indexes of the chunks that are markers, including the first and the last."""
        return tuple(int(mark) for mark in MARK.findall(self.text))

    @property
    def last_mark(self) -> int:
        return self.tokens - 1


def model_name(tokens: int, rate: int, wait: int = 0) -> str:
    """Return the model name of a script. `wait` is in milliseconds."""
    return f"t{tokens}-r{rate}" + (f"-w{wait}" if wait else "")


@cache
def script_of(model: str) -> Script:
    """Return the script for a model name. Raises ValueError for another format."""
    match = MODEL.fullmatch(model)
    if match is None:
        raise ValueError(f"No script is called {model!r}. Ask for t<tokens>-r<tokens a second>, such as t2000-r100.")
    tokens, rate, wait = int(match[1]), float(match[2]), int(match[3] or 0) / 1000
    return Script(model, rate, tuple(_marked(tokens)), wait)


def warm_up() -> Script:
    """Return a short reply without markers, which warms up page and server and makes the page load its late parts."""
    rng = random.Random(1)
    blocks = (_code(rng), _sentence(rng), _table(rng), _list(rng))
    return Script("warm-up", 100.0, tuple(TOKEN.findall("\n\n".join(blocks))))


def stored_pair(index: int) -> tuple[str, str]:
    """Return request and reply (about 1.1 KB, no markers) of the pair at `index` of a long stored conversation."""
    body = _stored_bodies()[index % 40]
    return f"Question {index}: what did we say of this?", f"Answer {index}. {body}\n\n{end_of_stored(index)}"


def end_of_stored(index: int) -> str:
    """Return the last words of that reply. They are in no other text, neither in a title nor in a snippet."""
    return f"End of answer {index}."


@cache
def _stored_bodies() -> tuple[str, ...]:
    return tuple(_body(random.Random(seed), 1050) for seed in range(40))


def _body(rng: random.Random, size: int) -> str:
    blocks: list[str] = []
    for make in cycle(BLOCKS):
        blocks.append(make(rng))
        if sum(map(len, blocks)) >= size:
            break
    return "\n\n".join(blocks)


def _marked(tokens: int) -> Iterator[str]:
    """Yield exactly `tokens` chunks. A marker replaces only a whole word, so the markdown stays valid."""
    body, fenced, due = _tokens(random.Random(7)), False, MARK_EVERY
    yield "mk0x"
    for index in range(1, tokens - 1):
        chunk = next(body)
        fenced ^= "```" in chunk
        if index >= due and WORD.fullmatch(chunk):
            chunk, due = f" mk{index}x", index + MARK_EVERY
        yield chunk
    yield ("\n```" if fenced else "") + f"\n\nmk{tokens - 1}x"


def _tokens(rng: random.Random) -> Iterator[str]:
    for make in cycle(BLOCKS):
        yield from TOKEN.findall(make(rng) + "\n\n")


def _words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(count))


def _sentence(rng: random.Random) -> str:
    words = _words(rng, rng.randint(6, 16)).capitalize()
    style = rng.random()
    if style < 0.15:
        words += f" **{_words(rng, 2)}**"
    elif style < 0.3:
        words += f" `{rng.choice(WORDS)}_{rng.choice(WORDS)}`"
    return words + "."


def _paragraph(rng: random.Random) -> str:
    return " ".join(_sentence(rng) for _ in range(rng.randint(2, 5)))


def _list(rng: random.Random) -> str:
    mark = rng.choice(("- ", "1. "))
    return "\n".join(mark + _sentence(rng) for _ in range(rng.randint(3, 5)))


def _code(rng: random.Random) -> str:
    lines = [CODE[0], *CODE[1 : rng.randint(4, len(CODE))]]
    return "```python\n" + "\n".join(lines) + "\n```"


def _table(rng: random.Random) -> str:
    rows = [f"| {_words(rng, 1)} | {_words(rng, 2)} | {rng.randint(1, 999)} |" for _ in range(3)]
    return "| name | what it is | count |\n|---|---|---|\n" + "\n".join(rows)


def _heading(rng: random.Random) -> str:
    return "## " + _words(rng, 4).capitalize()


BLOCKS = (_paragraph, _paragraph, _list, _paragraph, _code, _paragraph, _table, _heading)
