"""`make client`: write the modules of the client that are derived from the OpenAPI document."""

from __future__ import annotations

import sys

from tests.client.generation import ROOT, generate

for path, text in generate().items():
    path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
