r"""The offline provider's answers to requests for a title or a summary, made by fixed rules from earlier requests.

>>> derive(titles.INSTRUCTION, ["/rate 50\nWhy is the sky blue?", "It scatters."])
'Why is the sky blue'
>>> derive(titles.INSTRUCTION, ['What is this?<file name="a.csv">\nx,y\n</file>'])
'What is this'
>>> derive(titles.INSTRUCTION, ['<file name="a.csv">\nx,y\n</file>'])
'a.csv'
>>> derive(titles.INSTRUCTION, ["Explain recursion to a ten-year-old in five sentences."])
'Explain recursion to a ten-year-old in five…'
>>> derive("Something else", ["Hello"]) is None
True
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from app.domain.child_calls import summaries, titles

_FILE = re.compile(r'<file name="(?P<name>[^"\n]*)">\n.*?</file>', re.DOTALL)
"""Matches a text file in a request, as `write_text_file` writes it."""

MAX_WORDS = 7
MAX_CHARACTERS = 60
"""Maximum characters of a title, because scripts without blanks have words as long as sentences."""
MAX_LINE = 160
_ENDS = " ,;:.?!"
UNSAID = "Trying out the offline provider"


def derive(prompt: str, requests: Sequence[str]) -> str | None:
    """Return the title or summary that `prompt` requests, made from the earlier requests.

    Return None if it requests neither.
    """
    answer = _ANSWERS.get(prompt)
    return None if answer is None else answer([_words_of(request) for request in requests])


def _title(requests: Sequence[str]) -> str:
    words = next((words for words in requests if words), UNSAID).rstrip(_ENDS)
    title = " ".join(words.split()[:MAX_WORDS])[:MAX_CHARACTERS]
    return title if title == words else f"{title.rstrip(_ENDS)}…"


def _summary(requests: Sequence[str]) -> str:
    listed = "\n".join(f"- {_cut(words or UNSAID)}" for words in requests)
    return f"Made by fixed rules, as I am no model. So far it was asked:\n\n{listed}"


def _words_of(request: str) -> str:
    """Return the text of a request on one line, without commands of the offline provider and without files.

    If there is no other text, return the name of the first file.
    """
    words = _without_commands(leave_out_files(request))
    file = None if words else _FILE.search(_divide(request)[0])
    return words if file is None else file["name"]


def leave_out_files(request: str) -> str:
    """Return the text of a request without its text files."""
    files, rest = _divide(request)
    return _FILE.sub("\n", files) + rest


def _divide(request: str) -> tuple[str, str]:
    """Divide a request after its last file.

    `_FILE` is not used on the rest: it would read to the end of the text for each incomplete file there.
    """
    files, end, rest = request.rpartition("</file>")
    return files + end, rest


def _without_commands(request: str) -> str:
    lines = (line.removeprefix("/echo") if line.startswith("/echo") else line for line in request.splitlines())
    return " ".join(" ".join(line for line in lines if not line.startswith("/")).split())


def _cut(words: str) -> str:
    return words if len(words) <= MAX_LINE else words[: MAX_LINE - 1].rstrip() + "…"


_ANSWERS: Mapping[str, Callable[[Sequence[str]], str]] = MappingProxyType(
    {titles.INSTRUCTION: _title, summaries.INSTRUCTION: _summary}
)
