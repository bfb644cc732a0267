"""`make types`: write the TypeScript types of the props of islands."""

from __future__ import annotations

import sys

from app.ui.kit.island import UI
from tests.islands.views import all_views

for path, text in all_views().items():
    path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"wrote {path.relative_to(UI.parents[1])}\n")
