"""What is derived from the code, pages of the documentation and a script of the page: its path and what gives its text.

`make docs` writes them; a test fails when one is not up to date.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from app.domain.filters.sheet import SHEET, describe_sheet
from app.domain.lifecycle import TRANSITIONS, describe_diagram

DOCS = Path(__file__).parents[2] / "docs"


def describe_lifecycle() -> str:
    rows = "\n".join(f"| `{origin}` | {step} | `{target}` |" for (origin, step), target in TRANSITIONS.items())
    return (
        "# The lifecycle of a pair\n\n"
        "Generated from `app/domain/lifecycle.py` by `make docs`.\n\n"
        f"```mermaid\n{describe_diagram()}\n```\n\n"
        f"| from | step | to |\n|---|---|---|\n{rows}\n"
    )


def describe_sheet_script() -> str:
    """The cheat sheet of the filter language as the page fetches it when it is opened."""
    tables = json.dumps([asdict(section) for section in SHEET], ensure_ascii=False, indent=1)
    return (
        "/** The cheat sheet of the filter language. Generated from `app/domain/filters` by `make docs`. */\n"
        f"export const SHEET = {tables};\n"
    )


PAGES: Mapping[Path, Callable[[], str]] = {
    DOCS / "lifecycle.md": describe_lifecycle,
    DOCS / "filters.md": describe_sheet,
    DOCS.parent / "app" / "ui" / "components" / "filter_sheet.js": describe_sheet_script,
}
