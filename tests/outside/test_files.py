"""Files that Inview reads at its start: one that is not its own is left out with a line in the log, within limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.providers.models.model_lists import LISTS_FILE, MAX_FILE, read_remembered
from tests.outside.attacks import DEEP, WIDE, WRONG
from tests.outside.memory import Memory
from tests.providers.playing import a_provider

FILES = {
    **{f"deep: {name}": body for name, body in DEEP.items()},
    **{f"wrong: {name}": body for name, body in WRONG.items()},
    "wide": b"[" + b"[]," * WIDE + b"[]]",
    "wide, in fields": b'{"groq":{"base_url":"http://127.0.0.1:1/v1","models":[' + b"{}," * WIDE + b"{}]}}",
    "blanks": b" " * (MAX_FILE + 10_000_000),
    "not UTF-8": b"\xff" * 1_000,
}
MOST_MB = 64


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_model_lists_that_is_not_ours_is_left_out(name: str, tmp_path: Path) -> None:
    (tmp_path / LISTS_FILE).write_bytes(FILES[name])
    memory = Memory.now()
    remembered = read_remembered(tmp_path / LISTS_FILE)

    assert remembered.find(a_provider("groq", "http://127.0.0.1:1/v1")) is None
    assert memory.growth() <= MOST_MB
