"""The design tokens: their names for Tailwind. Their values are in `assets/inview.css`.

Not the values: a colour has two of them, for light and for dark, and only a stylesheet can choose by the system. One
accent colour; the rest are greys, and one hue each for "failed" and "look here".

    >>> TAILWIND["theme"]["extend"]["colors"]["accent"]
    'var(--accent)'
"""

from __future__ import annotations

from typing import Any, Final

STYLESHEETS: Final = ["/inview.css"]

_COLORS: Final = (
    "page", "surface", "raised", "sunken", "hover", "line", "line-strong", "ink", "muted", "faint",
    "accent", "accent-ink", "accent-soft", "danger", "danger-soft", "warn", "warn-soft",
)  # fmt: skip

TAILWIND: Final[dict[str, Any]] = {
    "theme": {
        "extend": {
            "colors": {name: f"var(--{name})" for name in _COLORS},
            "fontFamily": {"sans": "var(--font)", "mono": "var(--mono)"},
            "maxWidth": {"measure": "var(--measure)", "column": "var(--column)"},
        }
    },
    # Only what we write names classes: scanning libraries would ship rules that nothing uses.
    "content": [
        "./app/**/*.{js,jsx}",
        "./app_components/**/*.jsx",
        "./utils/components/**/*.jsx",
        "./islands/**/*.tsx",
    ],
}
"""Options of Reflex's Tailwind plugin, for `rxconfig.py`."""
