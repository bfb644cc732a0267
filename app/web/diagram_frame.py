"""The frame that draws diagrams: one HTML file that holds Mermaid and the script that talks to it.

Not the serving (`files.py` sends it with a policy of its own) nor the page's half (`app/ui/reply/diagram_frame.ts`).
The scripts stand inside the file because a sandboxed frame is no page of ours: the gate refuses what it asks for.
Why: docs/decisions/0106.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from app.domain.errors import InviewError

PACKAGE: Final = "@mermaid-js/tiny@12.0.0"
FRAME: Final = "diagram.html"
_LIBRARY: Final = "@mermaid-js/tiny/dist/mermaid.tiny.js"
_PLACE: Final = "/* MERMAID */"
_ENDS_SCRIPT: Final = ("</script", "<script")
"""What would end the inline script, or keep its end from being seen (HTML, section 4.12.1.3)."""


class DiagramFrameError(InviewError):
    """Mermaid's file is not as we know it: the package changed, and so must this module."""


def write_frame(static_dir: Path, packages: Path) -> None:
    """Write the frame into the built page, from the packages that npm installed for the build.

    Raises:
        DiagramFrameError: Mermaid's file is not there, or cannot stand inside a page.
    """
    library = packages / _LIBRARY
    if not library.is_file():
        raise DiagramFrameError(f"{library} does not exist. Remove .web and build again.")
    (static_dir / FRAME).write_text(frame_of(library.read_text(encoding="utf-8")), encoding="utf-8")


def frame_of(library: str) -> str:
    """Return the frame with this script inside.

    Raises:
        DiagramFrameError: the script cannot stand inside a page.
    """
    if found := [mark for mark in _ENDS_SCRIPT if mark in library.lower()]:
        raise DiagramFrameError(f"Mermaid's file has {found[0]} in it and cannot stand inside a page.")
    return Path(__file__).with_suffix(".html").read_text(encoding="utf-8").replace(_PLACE, library)
