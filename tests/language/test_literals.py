"""No text of the screen stands outside the catalogues."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.language.literals import find_literals

APP = Path(__file__).parents[2] / "app"

ALLOWED = frozenset({
    # names of keys and modes, of the product, and of what is sent
    "Inview", "INPUT", "VIEW", "COMMAND", "Enter", "Esc", "Tab", "JSON", "Backspace", "Delete", "POST {}",
    # examples of what is typed, the same in every language
    "@name", "important", "lab", "files", "read_*", '{"type": "object", …}', "http://10.0.0.5:8000/v1",
    "https://example.org/mcp", "npx -y @modelcontextprotocol/server-filesystem /srv/notes",
    # values and names
    "model", "bound", "built in", "token ceiling", "money ceiling",
    "in/out", "all", "seen", "star", "attach", "attach camera", "recovered", "unsupported", "json", "new", "agent=new",
    "agent={}", "agent {}", "prompt=new", "prompt={}", "prompt {}", "copy={}", "copy {}", "{}_tokens", "{}_money",
})  # fmt: skip
DRAWING = re.compile(r"[Mm]\d")
"""The path of an icon."""
NAME = re.compile(r"[a-z]+(_[a-z]+)*")
"""The name of a field of a form or of a value."""

BUILD = {"chunks.py", "languages.py", "link.py", "prerender.py", "islands.py"}
"""Modules of `app/ui` that change what was built: their texts are code."""
RULES = {"audit_rules.py", "audited.py"}
"""Modules that name handlers, and say to developers why."""

MODULES = sorted(
    path.relative_to(APP).as_posix()
    for folder in ("ui", "state", "views/screen")
    for path in (APP / folder).rglob("*.py")
    if path.name not in BUILD | RULES
)


def outside(module: str) -> list[str]:
    """What looks like a text of the screen in a module, but for what is the same in every language."""
    return [
        str(found)
        for found in find_literals(APP / module)
        if found.text.strip() not in ALLOWED and not DRAWING.match(found.text) and not NAME.fullmatch(found.text)
    ]


@pytest.mark.parametrize("module", MODULES)
def test_no_text_of_the_screen_stands_in_code(module: str) -> None:
    assert outside(module) == []


def test_texts_are_found_and_names_are_not(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text(
        '''
"""A docstring."""
GREETING = "Good morning"
def view(item):
    """Another one."""
    return rx.el.p("of", f"Restore {item.name}", "Delete " + item.name, phrase("trash.title"), class_name="flex gap-2",
                   on_click=State.choose("two words"), title=rx.cond(item, "Flag", translate("a.b", name="Ann Lee")))
'''
    )

    assert [found.text for found in find_literals(source)] == [
        "Good morning", "of", "Restore {}", "Delete {}", "two words", "Flag", "Ann Lee",
    ]  # fmt: skip
