r"""Titles: the instruction to the model that writes a title, the extracts that it reads, and the reading of its answer.

Not here: when a title is requested (`runs/child_calls/titles.py`), and the name on screen of an untitled conversation.

>>> read_title('**Title:** "Why the sky is blue."\n\nLet me know if you want another!')
'Why the sky is blue'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.domain.conversation.conversation import Conversation, ConversationKind, Message, Pair
from app.domain.conversation.parts import Text, plain_text
from app.domain.privacy.redaction import redact_text
from app.domain.privacy.secrets import cut_outside_secrets
from app.domain.stream.reasoning_tags import TagReader
from app.domain.stream.stream_events import TextReceived, TextWasThinking

INSTRUCTION = """\
Give the conversation above a title: three to seven words that say what it is about, in its language. Answer with the \
title alone: one line, no quotation marks, no full stop."""

MAX_TITLE = 120
"""Maximum number of characters of a title from a model. A longer one is shortened."""
MAX_TOKENS = 2_000
"""Maximum number of tokens of the reply with a title: enough for a model that thinks first."""

MAX_READ: Final = 2_000
"""Number of tokens of the pairs above which a title is written from extracts of the first and the newest pair."""
_BEGINNING: Final = 1_000
_END_OF_TEXT: Final = 500
"""Numbers of characters at the beginning and at the end of a text that an extract has."""
_NO_TEXT: Final = "(no text)"

_LABEL = re.compile(r"^(?:title|titel|titre|título|titolo)\s*[:\uff1a]\s*", re.IGNORECASE)
_AROUND = " \t\"'`*_#\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\u201a\u2039\u203a\u300c\u300d\u300e\u300f"
"""Characters that are removed around a title: blanks, Markdown characters, and quotation marks of several languages."""
_END = ".。"
_FENCES = ("```", "~~~")
_FILE_TAG = re.compile(r'</?file(?: name="([^"\n]*)")?>')
"""Matches the tags around a text file in a request (`write_text_file`), which some models repeat."""


def read_title(answer: str) -> str:
    r"""Return the title in an answer, or "".

    The title is the first line with words, without quotes, labels and Markdown.

    >>> read_title("  \n "), read_title("# Lists in Python"), read_title("<think>Hm, lists</think>Lists in Python")
    ('', 'Lists in Python', 'Lists in Python')
    >>> read_title("```text\nLists in Python\n```"), read_title('<file name="cities.csv">')
    ('Lists in Python', 'cities.csv')
    """
    for line in _FILE_TAG.sub(r"\1", _leave_out_reasoning(answer)).splitlines():
        if line.lstrip().startswith(_FENCES):
            continue
        words = " ".join(_LABEL.sub("", line.strip(_AROUND)).split()).strip(_AROUND)
        bare = words.rstrip(_END).strip(_AROUND) if not words.endswith("...") else words
        if any(character.isalnum() for character in bare):
            return bare if len(bare) <= MAX_TITLE else cut_outside_secrets(bare, MAX_TITLE - 1).rstrip() + "…"
    return ""


def _leave_out_reasoning(answer: str) -> str:
    """Return an answer without its reasoning. Any model may write reasoning tags, so tags are always looked for."""
    reader = TagReader()
    words: list[str] = []
    for event in [*reader.feed([TextReceived(answer)]), *reader.end()]:
        if isinstance(event, TextWasThinking):
            words.clear()
        elif isinstance(event, TextReceived):
            words.append(event.text)
    return "".join(words)


def extract_pairs(pairs: Sequence[Pair], *, redact: bool) -> tuple[Pair, ...]:
    """Return the first and the newest pair with the beginning and the end of each text, without other parts.

    `redact`: replace secrets before a text is shortened, because a part of a secret would not be recognised.
    """

    def extract(message: Message) -> Message:
        text = plain_text(message.parts)
        text = (redact_text(text).text if redact else text).strip()
        if len(text) > _BEGINNING + _END_OF_TEXT:
            text = f"{text[:_BEGINNING]}\n[…]\n{text[-_END_OF_TEXT:]}"
        return replace(message, parts=(Text(text or _NO_TEXT),))

    ends = pairs if len(pairs) == 1 else (pairs[0], pairs[-1])
    return tuple(
        replace(pair, request=extract(pair.request), reply=None if pair.reply is None else extract(pair.reply))
        for pair in ends
    )


def may_be_titled(conversation: Conversation) -> bool:
    """Return true if a title from a model may be set: there is no title, or a model made the current one."""
    return not conversation.title or conversation.titled_by_model


def waits_for_title(conversation: Conversation) -> bool:
    """Return true if the first successful reply starts a title call: the chat has no title, and is not temporary."""
    return not conversation.title and conversation.kind is ConversationKind.AGENT and not conversation.temporary
