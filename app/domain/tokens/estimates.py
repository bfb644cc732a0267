"""Estimates: from counts in a public vocabulary to the tokens a model will say it read.

OpenAI's vocabularies are public, so its texts can be counted exactly. Other vendors' counts are made of the same ones
by a ratio, which is corrected by what the vendor reported for earlier sends. All figures are tokens and whole numbers,
worked out the same way here and in the database (`store/index/filter_queries.py`).

Not here: counting itself (`providers/vocabularies.py`), the ratios models start with (`families.py`), how they are
corrected (`calibration.py`) and the formulas for images (`images.py`).

    >>> Estimator(vendor="anthropic", permille=1_180, per_message=4).of_pair(PairSizes(text=1_000, messages=2))
    1188
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import (
    File,
    Image,
    Part,
    Text,
    TextFile,
    Thinking,
    ToolCall,
    ToolResult,
    write_text_file,
)
from app.domain.tokens.images import ImageRule, count_image
from app.domain.tokens.kinds import Kind

THOUSAND = 1_000

Count = Callable[[str], int]
"""Counts the tokens of a text in a vocabulary, exactly."""


@dataclass(frozen=True, slots=True)
class PairSizes:
    """How large a pair is in one vocabulary: its request and its reply together.

    `text` counts words, tool calls and their results; `thinking` the signed thinking, which only `thinking_vendor`
    takes back. `images` are widths and heights in pixels.
    """

    text: int
    messages: int
    thinking: int = 0
    thinking_vendor: str | None = None
    images: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Estimator:
    """How one model counts. `permille`: its tokens for a thousand of the vocabulary's. `base`: of any request.

    `band` is the share by which an estimate may be off: 0.05 is ± 5 %, 0 is exact. It holds for texts like those that
    were reported; of texts that are new, `new` tells the range of each kind, in tokens for a thousand. `known` tokens
    of the vocabulary went out with the last report of this conversation. `slack` tokens a request and a message
    may be off whatever they say, and the base by `base_doubt` besides.
    """

    vendor: str
    permille: int = THOUSAND
    per_message: int = 0
    base: int = 0
    band: float = 0.0
    images: ImageRule = ImageRule.NONE
    new: tuple[tuple[Kind, int, int], ...] = ()
    known: int = 0
    slack: float = 0.0
    base_doubt: float = 0.0

    def range_of(self, kind: Kind) -> tuple[int, int]:
        """Between how many tokens a thousand of the vocabulary's come to in a new text of this kind."""
        found = next(((low, high) for one, low, high in self.new if one is kind), None)
        return found or (round(self.permille * (1 - self.band)), round(self.permille * (1 + self.band)))

    def of_new(self, counted: int, kind: Kind) -> tuple[int, float]:
        """Tokens of a new text, in the middle of what they can be, and by how many that may be off."""
        low, high = self.range_of(kind)
        return -(-counted * (low + high) // (2 * THOUSAND)), counted * (high - low) / (2 * THOUSAND)

    def doubt_of_old(self, tokens: int, beside: Kind) -> float:
        """By how many tokens texts may be off that wait for a first report, in addition to a new one of a kind.

        Without any report of this conversation they may be of that kind as well.
        """
        low, high = self.range_of(Kind.PLAIN)
        if not self.known:
            of_kind = self.range_of(beside)
            low, high = min(low, of_kind[0]), max(high, of_kind[1])
        return tokens * max(high - self.permille, self.permille - low, 0) / self.permille

    def of_text(self, counted: int, messages: int = 0) -> int:
        """Tokens of a text that has so many in the vocabulary, in so many messages."""
        return -(-counted * self.permille // THOUSAND) + messages * self.per_message

    def of_images(self, sizes: PairSizes) -> int:
        """Tokens of a pair's images."""
        return sum(self.of_image(width, height) for width, height in sizes.images)

    def of_image(self, width: int, height: int) -> int:
        """Tokens of an image of so many pixels."""
        return count_image(self.images, width, height)

    def of_pair(self, sizes: PairSizes) -> int:
        """Tokens of a pair as it would be sent to this model."""
        thinking = sizes.thinking if sizes.thinking_vendor == self.vendor else 0
        return self.of_text(sizes.text + thinking, sizes.messages) + self.of_images(sizes)


def measure_pair(pair: Pair, count: Count) -> PairSizes:
    """The sizes of a pair in a vocabulary. Slow for long texts: not for the event loop."""
    reply = () if pair.reply is None else pair.reply.parts
    parts = pair.request.parts + reply
    signed = [part for part in parts if isinstance(part, Thinking) and part.vendor is not None]
    return PairSizes(
        text=sum(map(count, list_words(parts))),
        messages=1 + sum(1 for _ in groupby(reply, key=lambda part: isinstance(part, ToolResult))),
        thinking=sum(count(part.text or part.signature or "") for part in signed),
        thinking_vendor=signed[0].vendor if signed else None,
        images=tuple((image.width, image.height) for image in list_images(parts)),
    )


def list_words(parts: Iterable[Part]) -> Iterator[str]:
    """The texts of a message that are counted as words, those of tool calls, results and files included."""
    for part in parts:
        match part:
            case Text() if part.text.strip():
                yield part.text
            case ToolCall():
                yield f"{part.name} {part.input_json}"
            case ToolResult():
                yield from list_words(part.content)
            case File():
                yield part.name
            case TextFile():
                yield write_text_file(part)
            case _:
                pass


def list_images(parts: Iterable[Part]) -> Iterator[Image]:
    """The images of a message, those in tool results included."""
    for part in parts:
        if isinstance(part, Image):
            yield part
        elif isinstance(part, ToolResult):
            yield from list_images(part.content)
