"""Says an error in the language of the reader.

Errors are raised in English, which the API, the log and exports keep. The catalogues have their sentences in the tables
`[fault.…]`; an English sentence is recognised there, and its values go into the same sentence of the other language. A
value may be such a sentence itself. What is not recognised, the words of a provider for example, stays as it is.
Why: docs/decisions/0116.

>>> from app.language.translation import speaking
>>> with speaking("de"):
...     translate_fault('There is no tool "clock" any more. Try again, or with less to do.')
'Es gibt das Tool „clock“ nicht mehr. Versuche es noch einmal oder mit weniger.'
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.language.catalogue import SOURCE, Catalogue, load_catalogue
from app.language.translation import current_catalogue

_TABLE: Final = "fault."
_MAX_SENTENCES: Final = 12
_MAX_LENGTH: Final = 2000
"""More sentences, or characters, than that are not an error of ours but a text, which stays as it is."""
_FOREIGN: Final = "quoted"
"""The value that holds the words of somebody else."""
_PLACE: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_END: Final = re.compile(r"(?<=[.!?:]) (?=\S)")
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence of the catalogue: what stands between its values in English."""

    key: str
    text: str
    literals: tuple[str, ...]

    @property
    def length(self) -> int:
        """How many characters are not filled in: of two sentences that fit, the longer one is meant."""
        return sum(map(len, self.literals))

    def match(self, english: str) -> dict[str, str] | None:
        """Return the values of this sentence, or None if it is another."""
        if not english.startswith(self.literals[0]) or not english.endswith(self.literals[-1]):
            return None
        match = _compile(self.text).fullmatch(english)
        return None if match is None else match.groupdict()


def translate_fault(english: str) -> str:
    """Return the text of an error in the reader's language."""
    catalogue = current_catalogue()
    ours = catalogue.language != SOURCE and len(english) <= _MAX_LENGTH
    return _say(english, catalogue) if ours else english


def knows_fault(english: str) -> bool:
    """Return whether the catalogues have this sentence of an error."""
    return _find(english) is not None


def _say(english: str, catalogue: Catalogue) -> str:
    """The longest runs of sentences that are known, each in the other language; the rest as it is."""
    sentences = _END.split(english)
    if len(sentences) > _MAX_SENTENCES:
        return english
    said: list[str] = []
    while sentences:
        for count in range(len(sentences), 0, -1):
            if (text := _say_known(" ".join(sentences[:count]), catalogue)) is not None:
                break
        else:
            count, text = 1, sentences[0]
        said.append(text)
        del sentences[:count]
    return " ".join(said)


def _say_known(english: str, catalogue: Catalogue) -> str | None:
    found = _find(english)
    if found is None:
        return catalogue.decimal(english) if _GROUPED.fullmatch(english) else None
    sentence, values = found
    said = {name: value if name == _FOREIGN else _say(value, catalogue) for name, value in values.items()}
    return catalogue.fill(sentence.key, said)


def _find(english: str) -> tuple[_Sentence, dict[str, str]] | None:
    fitting = ((sentence, values) for sentence in _sentences() if (values := sentence.match(english)) is not None)
    return max(fitting, key=lambda found: found[0].length, default=None)


@lru_cache(maxsize=1)
def _sentences() -> tuple[_Sentence, ...]:
    texts = load_catalogue(SOURCE).texts
    ours = ((key, str(text)) for key, text in texts.items() if key.startswith(_TABLE))
    return tuple(_Sentence(key, text, tuple(_PLACE.split(text)[::2])) for key, text in ours)


@lru_cache(maxsize=512)
def _compile(text: str) -> re.Pattern[str]:
    parts = enumerate(_PLACE.split(text))
    return re.compile("".join(f"(?P<{part}>.*?)" if place % 2 else re.escape(part) for place, part in parts), re.DOTALL)
