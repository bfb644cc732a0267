"""`make docs`: write every page that is generated from the code."""

from __future__ import annotations

import sys

from tests.docs.pages import DOCS, PAGES

for path, describe in PAGES.items():
    path.write_text(describe(), encoding="utf-8")
    sys.stdout.write(f"wrote {path.relative_to(DOCS.parent)}\n")
