"""Estimates: the tokens that a provider will probably report, computed from counts in a public vocabulary.

OpenAI's vocabularies are public, so texts for OpenAI can be counted exactly. For other vendors the same count is
multiplied by a ratio, which the vendor's reports for earlier sends correct. All results are whole tokens. The database
computes them in the same way (`store/filters/filter_queries.py`).

Not here: counting (`providers/counts/vocabularies.py`), the initial ratios (`families.py`), their correction
(`calibration.py`) and the formulas for images (`images.py`).

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
    write_replacement,
    write_text_file,
)
from app.domain.tokens.images import ImageRule, count_image
from app.domain.tokens.kinds import TextKind

THOUSAND = 1_000

Count = Callable[[str], int]
"""A function that counts the tokens of a text in a vocabulary, exactly."""


@dataclass(frozen=True, slots=True)
class PairSizes:
    """The tokens of a pair in one vocabulary: its request and its reply together.

    - `text`: text, tool calls and tool results.
    - `messages`: the number of messages.
    - `thinking`: the signed thinking, which only the provider `thinking_vendor` accepts in later requests.
    - `images`: widths and heights in pixels.
    """

    text: int
    messages: int
    thinking: int = 0
    thinking_vendor: str | None = None
    images: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Estimator:
    """The rules for estimating the tokens of one model.

    The estimate:

    - `permille`: the tokens that the model counts in a text of a thousand tokens in the vocabulary.
    - `base`: the tokens of any request.
    - `per_message`: the tokens of any message.

    Its error:

    - `band`: the relative error for texts that resemble the texts of earlier requests with a usage report: 0.05 is ± 5
      %, 0 is exact.
    - `new`: for new texts, such as the draft, the lowest and highest `permille` of each kind.
    - `known`: the number of tokens, in the vocabulary, of the last reported request of this conversation.
    - `slack`: an additional error of the request and of each message, in tokens.
    - `base_doubt`: an additional error of the base, in tokens.
    """

    vendor: str
    permille: int = THOUSAND
    per_message: int = 0
    base: int = 0
    band: float = 0.0
    images: ImageRule = ImageRule.NONE
    new: tuple[tuple[TextKind, int, int], ...] = ()
    known: int = 0
    slack: float = 0.0
    base_doubt: float = 0.0

    def range_of(self, kind: TextKind) -> tuple[int, int]:
        """Return the range of the model's tokens for a new text of this kind with 1,000 tokens in the vocabulary."""
        found = next(((low, high) for one, low, high in self.new if one is kind), None)
        return found or (round(self.permille * (1 - self.band)), round(self.permille * (1 + self.band)))

    def of_new(self, counted: int, kind: TextKind) -> tuple[int, float]:
        """Return the estimated tokens of a new text, and their possible error in tokens.

        `counted` is the count in the vocabulary. The estimate is the middle of the range for the kind of text.
        """
        low, high = self.range_of(kind)
        return -(-counted * (low + high) // (2 * THOUSAND)), counted * (high - low) / (2 * THOUSAND)

    def doubt_of_old(self, tokens: int, draft_kind: TextKind) -> float:
        """Return the possible error, in tokens, of the estimate for texts that were in no reported request.

        `tokens` is this estimate, without the draft. The texts count as plain text (English and code). If no provider
        has reported the usage of any request of this conversation, the error covers the kind of the draft as well.
        """
        low, high = self.range_of(TextKind.PLAIN)
        if not self.known:
            of_kind = self.range_of(draft_kind)
            low, high = min(low, of_kind[0]), max(high, of_kind[1])
        return tokens * max(high - self.permille, self.permille - low, 0) / self.permille

    def of_text(self, counted: int, messages: int = 0) -> int:
        """Return the model's tokens for a text with `counted` tokens in the vocabulary, in this number of messages."""
        return -(-counted * self.permille // THOUSAND) + messages * self.per_message

    def of_images(self, sizes: PairSizes) -> int:
        """Return the tokens of a pair's images."""
        return sum(self.of_image(width, height) for width, height in sizes.images)

    def of_image(self, width: int, height: int) -> int:
        """Return the tokens of an image of this width and height in pixels."""
        return count_image(self.images, width, height)

    def of_pair(self, sizes: PairSizes) -> int:
        """Return the tokens of a pair in a request to this model."""
        thinking = sizes.thinking if sizes.thinking_vendor == self.vendor else 0
        return self.of_text(sizes.text + thinking, sizes.messages) + self.of_images(sizes)


def measure_pair(pair: Pair, count: Count) -> PairSizes:
    """Count the tokens of a pair in a vocabulary. This is slow for long texts: do not call it in the event loop."""
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
    """Yield the texts of a message whose tokens are counted, including tool calls, tool results and text files.

    For a picture or a file in a tool result, yield the text that replaces it for most models (`write_replacement`).
    Requests to Anthropic and OpenAI contain the picture or the file instead of this text, some after a line
    "[Result of …]". The replacing text is counted for these models too, because sizes are the same for all models.
    """
    for part in parts:
        match part:
            case Text() if part.text.strip():
                yield part.text
            case ToolCall():
                yield f"{part.name} {part.input_json}"
            case ToolResult():
                yield from list_words(piece for piece in part.content if isinstance(piece, Text))
                yield from (write_replacement(piece) for piece in part.content if not isinstance(piece, Text))
            case File():
                yield part.name
            case TextFile():
                yield write_text_file(part)
            case _:
                pass


def list_images(parts: Iterable[Part]) -> Iterator[Image]:
    """Yield the images of a message, including those in tool results."""
    for part in parts:
        if isinstance(part, Image):
            yield part
        elif isinstance(part, ToolResult):
            yield from list_images(part.content)
