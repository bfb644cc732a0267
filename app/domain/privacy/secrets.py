"""Secrets: finds the places in a text that have the form of a key, a token or a password.

Only known forms are found, not a secret that looks like an ordinary word. A form begins with a fixed string, which is
searched for, and continues with characters of one kind. So each search takes time in proportion to the length of the
text.

    >>> find_secrets("Take AKIAIOSFODNN7EXAMPLE.")
    (FoundSecret(kind='AWS access key', start=5, end=25),)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

MAX_KEY_BLOCK = 20_000
"""Maximum number of characters of a private key block. A key of 16,384 bits has about 13,000."""
_LETTERS_AND_DIGITS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A secret in a text, from position `start` up to, but not including, `end`."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Form:
    """The form of a kind of token: one of the strings `begins`, not in the middle of a word, then `follows`.

    - `digit`: the token must contain a digit.
    - `apart`: no dash or underscore may come before the token. It is set for tokens that can contain their own
      beginning: otherwise the search would read a token again from each beginning in it.
    """

    kind: str
    begins: tuple[str, ...]
    follows: re.Pattern[str]
    digit: bool = False
    apart: bool = False


def _form(kind: str, begins: str, follows: str, *, digit: bool = False, apart: bool = False) -> _Form:
    return _Form(kind, tuple(begins.split()), re.compile(follows, re.ASCII), digit, apart)


_FORMS: Final = (
    _form("Anthropic key", "sk-ant-", r"[\w-]{20,}"),
    _form("OpenRouter key", "sk-or-", r"[\w-]{20,}"),
    _form("API key", "sk-", r"[\w-]{20,}", digit=True),  # OpenAI, and vendors that use the same form
    _form("AWS access key", "AKIA ASIA ABIA ACCA", r"[0-9A-Z]{16}(?![0-9A-Za-z])"),
    _form("Google API key", "AIza", r"[\w-]{35,}"),
    _form("Google token", "ya29.", r"[\w-]{20,}"),
    _form("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[0-9A-Za-z]{36,}"),
    _form("GitHub token", "github_pat_", r"\w{22,}"),
    _form("GitLab token", "glpat- gldt- glrt-", r"[\w-]{20,}"),
    _form("Slack token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"[0-9A-Za-z-]{10,}"),
    _form("Slack webhook", "https://hooks.slack.com/services/", r"[\w/]{20,}"),
    _form("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"[0-9A-Za-z]{16,}"),
    _form("Hugging Face token", "hf_", r"[0-9A-Za-z]{30,}"),
    _form("Groq key", "gsk_", r"[0-9A-Za-z]{40,}"),
    _form("xAI key", "xai-", r"[0-9A-Za-z]{40,}"),
    _form("Perplexity key", "pplx-", r"[0-9A-Za-z]{32,}"),
    _form("Replicate token", "r8_", r"[0-9A-Za-z]{30,}"),
    _form("npm token", "npm_", r"[0-9A-Za-z]{36,}"),
    _form("PyPI token", "pypi-", r"[\w-]{50,}"),
    _form("SendGrid key", "SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    _form("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    _form("JSON web token", "eyJ", r"[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}", apart=True),
    _form("bearer token", "Bearer bearer", r" +[\w.~+/-]{16,}=*", digit=True),
)

_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_CUT_BLOCK = re.compile(r"(?:(?:\s|\\n){0,4}[A-Za-z0-9+/=]{40,})+")
_BLOCK_END = "-----END "
_BLOCK_END_REST = re.compile(r"[A-Z0-9 ]{0,60}-----")

_IN_ADDRESS = re.compile(r"://[^\s/:@\"'<>\[\]]{0,200}:([^\s/@\"'<>\[\]]{1,400})@")

_NAMES = ("password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "credentials", "key")
_SPELLED: Final = tuple(way for name in _NAMES for way in (name, name.upper(), name.capitalize()))
"""The spellings of names that are searched for. So `Token`, `apiKey` and `API_KEY` are found, but not `pAssWord`."""
_KEY_OF = re.compile(r"(?:secret|access|private|auth|api|account|signing|encryption)[_ -]?$", re.IGNORECASE | re.ASCII)
_MAX_KEY_OF = 12
_ASSIGNED = re.compile(
    r"\\?[\"'`]?\s{0,4}(?::=|=>|[:=])\s{0,4}(?:\\?[\"'`])?([^\s\"'`,;<>()\[\]{}\\]{6,})",
    re.ASCII,
)
_DIGIT = re.compile("[0-9]")
_TELLING = re.compile(r"[0-9!@#%^&*+~?|]")
"""Characters that a password usually has, but a value such as `required` or `os.environ` does not have."""
_NAMED_ELSEWHERE = ("$", "%", "*", "&", "@", "env.", "os.", "process.")
"""Beginnings of values that only say where the secret is stored."""


def find_secrets(text: str) -> tuple[FoundSecret, ...]:
    """Return all secrets in a text, in order. Overlapping secrets are joined to one."""
    found = sorted(_search(text), key=lambda secret: (secret.start, -secret.end))
    kept: list[FoundSecret] = []
    for secret in found:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
        elif secret.end > kept[-1].end:
            kept[-1] = FoundSecret(kept[-1].kind, kept[-1].start, secret.end)
    return tuple(kept)


def cut_outside_secrets(text: str, length: int) -> str:
    """Return the first `length` characters of a text, or only those before a secret that would be cut.

    A part of a secret no longer has the form of a secret, so redaction would not find it. `text` must continue for
    `MAX_KEY_BLOCK` characters after the cut, if it is that long.

    >>> cut_outside_secrets("Take AKIAIOSFODNN7EXAMPLE.", 20)
    'Take '
    """
    if len(text) <= length:
        return text
    cut = (secret for secret in find_secrets(text) if secret.start < length < secret.end)
    return text[: next((secret.start for secret in cut), length)]


def _search(text: str) -> Iterator[FoundSecret]:
    return chain(_find_blocks(text), _find_forms(text), _find_in_addresses(text), _find_assigned(text))


def _find_forms(text: str) -> Iterator[FoundSecret]:
    for form in _FORMS:
        for begin in form.begins:
            place = text.find(begin)
            while place >= 0:
                match = _match(text, place, begin, form)
                if match is not None and (not form.digit or _DIGIT.search(text, place, match.end())):
                    yield FoundSecret(form.kind, place, match.end())
                place = text.find(begin, match.end() if match else place + len(begin))


def _match(text: str, place: int, begin: str, form: _Form) -> re.Match[str] | None:
    before = text[place - 1] if place else " "
    if before in _LETTERS_AND_DIGITS or (form.apart and before in "-_"):
        return None
    return form.follows.match(text, place + len(begin))


def _find_blocks(text: str) -> Iterator[FoundSecret]:
    """Find private keys, from their first line to their last. A key that is cut off is found as far as its lines go."""
    if "PRIVATE KEY" not in text:
        return
    place, ends = 0, -1  # `ends`: the first end of a block after `place`; each end is searched for only once
    while (match := _BLOCK.search(text, place)) is not None:
        place = match.end()
        if ends < place and ends != len(text):
            ends = text.find(_BLOCK_END, place)
            ends = len(text) if ends < 0 else ends
        last = _BLOCK_END_REST.match(text, ends + len(_BLOCK_END)) if ends - place <= MAX_KEY_BLOCK else None
        if last is None:
            last = _CUT_BLOCK.match(text, place)
        if last is not None:
            place = last.end()
            yield FoundSecret("private key", match.start(), place)


def _find_in_addresses(text: str) -> Iterator[FoundSecret]:
    """Find the passwords in addresses, as in `postgres://app:hunter2@db`."""
    place = text.find("://")
    while place >= 0:
        if (match := _IN_ADDRESS.match(text, place)) is not None:
            yield FoundSecret("password", match.start(1), match.end(1))
        place = text.find("://", match.end() if match else place + 3)


def _find_assigned(text: str) -> Iterator[FoundSecret]:
    """Find values that are assigned to a password, a secret or a token.

    A value that only says where the secret is stored, such as `os.environ`, is no secret.
    """
    for name in _SPELLED:
        place = text.find(name)
        while place >= 0:
            after = place + len(name)
            match = _ASSIGNED.match(text, after)
            if match is not None and _is_key_of(text, place, name) and _tells(match[1]):
                kind = "password" if name.lower().startswith("p") else "secret"
                yield FoundSecret(kind, match.start(1), match.start(1) + len(match[1].rstrip(".:")))
            place = text.find(name, match.end() if match else after)


def _is_key_of(text: str, place: int, name: str) -> bool:
    """Return false if "key" has another meaning here, such as the key of a map; true for every other `name`."""
    return name.lower() != "key" or _KEY_OF.search(text, max(0, place - _MAX_KEY_OF), place) is not None


def _tells(value: str) -> bool:
    return _TELLING.search(value) is not None and not value.startswith(_NAMED_ELSEWHERE)
