"""The names of the design tokens (colours, fonts, widths) in Tailwind. Their values are in `assets/inview.css`.

A colour has a value for light and one for dark, and only a stylesheet can choose between them by the system setting.
There is one accent colour; the others are greys and one hue each for errors and warnings.

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
    # Only Inview's own code uses Tailwind classes. Scanning libraries would add rules that no element uses.
    "content": [
        "./app/**/*.{js,jsx}",
        "./app_components/**/*.jsx",
        "./utils/components/**/*.jsx",
        "./islands/**/*.tsx",
    ],
}
"""Options of Reflex's Tailwind plugin, for `rxconfig.py`."""
