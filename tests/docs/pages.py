"""Generated pages of the documentation: the path of each, and the function that returns its text.

`make docs` writes them; a test fails if one is not up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from app.domain.conversation.lifecycle import TRANSITIONS, describe_diagram
from app.domain.errors import NEXT_STEP, ErrorClass
from app.domain.filters.bar.sheet import describe_sheet
from tests.dialects.table import describe_providers

DOCS = Path(__file__).parents[2] / "docs"


def describe_lifecycle() -> str:
    rows = "\n".join(f"| `{origin}` | {step} | `{target}` |" for (origin, step), target in TRANSITIONS.items())
    classes = "\n".join(f"| `{each}` | {NEXT_STEP[each]} |" for each in ErrorClass)
    return (
        "# The lifecycle of a pair\n\n"
        "Generated from `app/domain/conversation/lifecycle.py` and `app/domain/errors.py` by `make docs`.\n\n"
        f"```mermaid\n{describe_diagram()}\n```\n\n"
        f"| from | step | to |\n|---|---|---|\n{rows}\n\n"
        "## Why a reply fails\n\n"
        "Each error of a reply has a class and says what to do next. The box in the pair has the class in its\n"
        "accessible name; exports write it as `[error: class]`. Every box offers “Edit & resend” (`e`) and “Delete”\n"
        "(`x`) in addition to the steps that fit the class.\n\n"
        f"| class | what to do |\n|---|---|\n{classes}\n"
    )


PAGES: Mapping[Path, Callable[[], str]] = {
    DOCS / "lifecycle.md": describe_lifecycle,
    DOCS / "filters.md": describe_sheet,
    DOCS / "providers.md": describe_providers,
}
