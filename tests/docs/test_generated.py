from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import PAGES


@pytest.mark.parametrize("path", list(PAGES), ids=lambda path: path.name)
def test_a_generated_page_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PAGES[path](), "run `make docs`"
