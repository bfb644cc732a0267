"""Copies the islands, the page's parts in TypeScript, into the folder from which Reflex builds the page.

The file `app/ui/<region>/<name>.tsx` becomes `.web/islands/<region>/<name>.tsx`.

Vite compiles the copies that the page imports. Imports between islands work as in the source, because the folders are
the same. `rxconfig.py` lists `IslandsPlugin`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Unpack

import reflex as rx
from reflex_base.plugins.base import PreCompileContext

_UI: Final = Path(__file__).parents[1]
_FOLDER: Final = "islands"


class IslandsPlugin(rx.plugins.Plugin):
    """The plugin that adds the islands to the files of the build, and removes copies whose source no longer exists."""

    def pre_compile(self, **context: Unpack[PreCompileContext]) -> None:
        context["add_save_task"](_save)


def sources(ui: Path = _UI) -> list[Path]:
    """Return the TypeScript files of all regions, without the declarations (`*.d.ts`) for the compiler's checks."""
    return sorted(path for path in ui.rglob("*.ts*") if path.suffix in {".ts", ".tsx"} and ".d" not in path.suffixes)


def remove_stale(folder: Path, expected: set[str]) -> None:
    """Remove files of earlier builds: all files in `folder` whose paths, relative to it, are not in `expected`."""
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in expected:
            path.unlink()


def _save() -> list[tuple[str, str]]:
    names = {path: path.relative_to(_UI).as_posix() for path in sources()}
    remove_stale(Path.cwd() / ".web" / _FOLDER, set(names.values()))
    return [(f"{_FOLDER}/{name}", path.read_text(encoding="utf-8")) for path, name in names.items()]
