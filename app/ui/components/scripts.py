"""The JavaScript of the page: the files beside this one, and what they need from npm.

Not a bundler: Vite follows their imports, so every file is put where it finds it, even if no component wraps it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import reflex as rx

_FILES: Final = sorted(path.name for path in Path(__file__).parent.glob("*.js*"))


_FOLDER: Final = f"external/{__name__.replace('.', '/')}"
"""In `assets`: where Reflex puts the files of a component, and what it does not take for sources of the page."""


def _expose(names: list[str]) -> dict[str, str]:
    """Link the files where Vite finds them; their import paths.

    `rx.asset` does the same for one file, but to find out who calls it, it looks through all modules: an eighth of a
    second of each start.
    """
    folder = Path.cwd() / "assets" / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        source, link = Path(__file__).with_name(name), folder / name
        if not (link.is_symlink() and link.readlink() == source):
            link.unlink(missing_ok=True)
            link.symlink_to(source)
    return {name: f"$/public/{_FOLDER}/{name}" for name in names}


_PATHS: Final = _expose(_FILES)


class Script(rx.Component):
    """Base of what is drawn by one of our files. Drawn at build time too: a page is there before its scripts."""


def script(name: str) -> str:
    """The import path of one of our files."""
    return _PATHS[name]
