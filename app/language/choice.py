"""Which language a reader gets: the preferred one, else the first that their browser asks for and that there is.

>>> pick_language("", "fr-CH, fr;q=0.9, de;q=0.7, en;q=0.8")
'en'
>>> pick_language("de", "en"), pick_language("", "es-MX,es;q=0.9"), pick_language("", "")
('de', 'es', 'en')
"""

from __future__ import annotations

from app.language.catalogue import LANGUAGES, SOURCE


class _Preferred:
    """What the person of this installation chose. In memory, as files are served before the database is open."""

    language: str = ""


def prefer_language(language: str) -> None:
    """Serve this language from now on; "", or one without a catalogue: the one that each browser asks for."""
    _Preferred.language = language


def reader_language(accepted: str) -> str:
    """Return the language of who sends this Accept-Language (RFC 9110, section 12.5.4)."""
    return pick_language(_Preferred.language, accepted)


def pick_language(preferred: str, accepted: str) -> str:
    """Return one of `LANGUAGES`. `accepted` is a browser's Accept-Language, "" if it sends none."""
    if preferred in LANGUAGES:
        return preferred
    asked = (_read_range(part) for part in accepted.lower().split(","))
    ranked = sorted((each for each in asked if each[1] > 0), key=lambda each: -each[1])
    return next((tag for tag, _ in ranked if tag in LANGUAGES), SOURCE)


def _read_range(part: str) -> tuple[str, float]:
    """A language without its region, and its weight; one that cannot be read weighs nothing."""
    tag, _, weight = part.partition(";q=")
    try:
        return tag.strip().partition("-")[0], float(weight or 1)
    except ValueError:
        return "", 0.0
