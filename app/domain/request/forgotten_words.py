r"""Decides which pieces of recorded bodies hold a forgotten pair's text, and which only share words with it.

A text of some length is looked for line by line, wherever it stands. A short one ("ok") is looked for as a whole text
or a whole line, and only if no text that is kept has it as well: what others still say is not forgotten.

>>> words = find_words(["ok", "The swordfish is here."], kept=[])
>>> has_words(words, b'{"role":"user","content":"ok"}'), has_words(words, b'{"role":"user","content":"That is ok."}')
(True, False)
>>> has_words(words, b'{"role":"user","content":"You said: \\"The swordfish is here.\\""}')
True
>>> has_words(find_words(["ok"], kept=["Well,\nok"]), b'{"role":"user","content":"ok"}')
False
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MIN_LINE: Final = 12
"""Characters of a text or line that is looked for wherever it stands. What is shorter is said in many texts."""
_ALONE: Final = rb'(?:"|\\n)\s*%b\s*(?:"(?!:)|\\)'
"""A short text stands between quotes or ends of lines; it is no name of a field."""
_ALONE_AS_TEXT: Final = rb'(?:(?<!"role":)(?<!"type":)"|\\n)\s*%b\s*(?:"(?!:)|\\)'
"""And no value of the protocols themselves."""
_VALUES: Final = frozenset(
    {"assistant", "custom", "developer", "document", "file", "function", "image", "input_text", "model", "output_text"}
    | {"system", "text", "tool", "user"}
)


@dataclass(frozen=True, slots=True)
class Words:
    """What is looked for, as it stands in JSON: texts that may be anywhere, and short ones that stand by themselves."""

    anywhere: frozenset[bytes]
    alone: re.Pattern[bytes] | None


def find_words(texts: Iterable[str], kept: Iterable[str]) -> Words:
    """Return what is looked for when these texts are forgotten and those are kept."""
    anywhere, short = set[bytes](), set[str]()
    for text in texts:
        lines = [line for line in text.split("\n") if len(line) >= MIN_LINE]
        if lines or len(text) >= MIN_LINE:
            anywhere.update(map(_encode, lines or [text]))
        elif text.strip():
            short.add(text.strip())
    if short:
        for text in kept:
            short -= {text.strip(), *map(str.strip, text.split("\n"))}
    either = b"|".join(
        (_ALONE_AS_TEXT if text in _VALUES else _ALONE) % re.escape(_encode(text)) for text in sorted(short)
    )
    return Words(frozenset(anywhere), re.compile(either) if short else None)


def has_short(texts: Iterable[str]) -> bool:
    """Whether any of the texts is so short that it matters what is kept."""
    return any(len(text) < MIN_LINE and text.strip() for text in texts)


def has_words(words: Words, piece: bytes) -> bool:
    """Whether a piece of a body has any of the words."""
    return any(one in piece for one in words.anywhere) or (
        words.alone is not None and words.alone.search(piece) is not None
    )


def _encode(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
