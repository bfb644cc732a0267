"""A browser's name in two words, from its user agent.

>>> describe_agent("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36")
'Chrome · Linux'
>>> describe_agent("curl/8.5.0")
'curl/8.5.0'
"""

from __future__ import annotations

from typing import Final

_BROWSERS: Final = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""In this order: most of them name others too."""
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
_MAX: Final = 60


def describe_agent(agent: str) -> str:
    """Return browser and system of a User-Agent header; the beginning of it where neither is known."""
    named = [next((name for mark, name in marks if mark in agent), "") for marks in (_BROWSERS, _SYSTEMS)]
    return " · ".join(filter(None, named)) or agent[:_MAX]
