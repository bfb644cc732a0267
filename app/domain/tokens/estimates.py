"""Estimates: from counts in a public vocabulary to the tokens that a model will report.

OpenAI's vocabularies are public, so its texts can be counted exactly. Other vendors' counts are made of the same ones
by a ratio, which is corrected by what the vendor reported for earlier sends. All figures are tokens and whole numbers,
worked out the same way here and in the database (`store/index/filter_queries.py`).

Not here: counting itself (`providers/tokens/vocabularies.py`), the ratios models start with (`families.py`), how they
are corrected (`calibration.py`) and the formulas for images (`images.py`).

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

PAGE_WIDTH, PAGE_HEIGHT = 1_240, 1_754
"""Pixels assumed of a page that a vendor draws of a document: A4 at 150 dots an inch."""
PAGE_BAND = 0.5
"""The share by which the tokens of such a page may be off: its vendors say no more than 1,500 to 3,000 a page. Source:
https://platform.claude.com/docs/en/build-with-claude/pdf-support, "Estimate your costs"."""
CHARACTERS_PER_TOKEN = 4
"""Assumed of a document's text, whose words are not at hand where it is counted."""

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

    `band` is the share by which an estimate may be off: 0.05 is ± 5 %, 0 is exact.
    """

    vendor: str
    permille: int = THOUSAND
    per_message: int = 0
    base: int = 0
    band: float = 0.0
    images: ImageRule = ImageRule.NONE

    def of_text(self, counted: int, messages: int = 0) -> int:
        """Tokens of a text that has so many in the vocabulary, in so many messages."""
        return -(-counted * self.permille // THOUSAND) + messages * self.per_message

    def of_images(self, sizes: PairSizes) -> int:
        """Tokens of a pair's images."""
        return sum(self.of_image(width, height) for width, height in sizes.images)

    def of_image(self, width: int, height: int) -> int:
        """Tokens of an image of so many pixels."""
        return count_image(self.images, width, height)

    def of_pages(self, sizes: Iterable[tuple[int, int]]) -> int:
        """Tokens of those of these images that are pages of documents, which nobody knows better than `PAGE_BAND`."""
        return sum(self.of_image(*size) for size in sizes if size == (PAGE_WIDTH, PAGE_HEIGHT))

    def widen(self, tokens: int, pages: int) -> float:
        """The band of so many tokens, of which `pages` are those of documents' pages."""
        if not pages or not tokens:
            return self.band
        return round((self.band * (tokens - pages) + max(self.band, PAGE_BAND) * pages) / tokens, 3)

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
        text=sum(map(count, list_words(parts))) + count_documents(parts),
        messages=1 + sum(1 for _ in groupby(reply, key=lambda part: isinstance(part, ToolResult))),
        thinking=sum(count(part.text or part.signature or "") for part in signed),
        thinking_vendor=signed[0].vendor if signed else None,
        images=tuple(list_images(parts)),
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


def list_images(parts: Iterable[Part]) -> Iterator[tuple[int, int]]:
    """Widths and heights of the images of a message, those in tool results included.

    A page of a document counts as one: vendors draw each page, and read it beside its text. Source:
    https://platform.claude.com/docs/en/build-with-claude/pdf-support, "Estimate your costs".
    """
    for part in parts:
        if isinstance(part, Image):
            yield part.width, part.height
        elif isinstance(part, File):
            yield from ((PAGE_WIDTH, PAGE_HEIGHT),) * part.pages
        elif isinstance(part, ToolResult):
            yield from list_images(part.content)


def count_documents(parts: Iterable[Part]) -> int:
    """About how many tokens of a vocabulary the text of these documents has, those in tool results included."""
    total = 0
    for part in parts:
        if isinstance(part, File):
            total += -(-part.characters // CHARACTERS_PER_TOKEN)
        elif isinstance(part, ToolResult):
            total += count_documents(part.content)
    return total
