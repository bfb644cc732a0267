"""Files that Inview reads at its start: one that is not its own is left out or refused with words, within limits."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from app.config.settings import load_settings
from app.domain.errors import InviewError
from app.providers.models.model_lists import LISTS_FILE, MAX_FILE, read_remembered
from app.small_files import RefusedFileError, read_small
from app.store.database.encryption import Seal
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


READERS: dict[str, Callable[[Path], object]] = {
    "the key file": lambda path: Seal(path).close("a secret"),
    "the .env file": lambda path: load_settings(env_file=path),
}
NO_FILES: dict[str, Callable[[Path], object]] = {
    "a named pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a socket": lambda path: os.mknod(path, stat.S_IFSOCK | 0o600),
}
MOST_SMALL_MB = 4
"""Additional memory for a file of at most 64 KiB."""


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("size", [65_537, 200_000_000])
def test_a_small_file_that_is_large_is_refused_with_its_size(reader: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(size)
    memory = Memory.now()
    with pytest.raises(InviewError) as raised:
        READERS[reader](path)

    assert f"file {path} has {size:,} bytes. The maximum is 65,536" in str(raised.value)
    assert memory.growth() <= MOST_SMALL_MB


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", NO_FILES)
def test_what_is_not_a_regular_file_is_refused_with_its_kind(kind: str, reader: str, tmp_path: Path) -> None:
    """Without the check, reading the named pipe waits until the timeout of the test."""
    NO_FILES[kind](path := tmp_path / "file")

    with pytest.raises(InviewError) as raised:
        READERS[reader](path)

    assert f"file {path} is {kind}, not a regular file" in str(raised.value)


@pytest.mark.parametrize("kind", NO_FILES)
def test_lists_of_models_that_are_not_in_a_regular_file_are_left_out(kind: str, tmp_path: Path) -> None:
    NO_FILES[kind](tmp_path / LISTS_FILE)

    remembered = read_remembered(tmp_path / LISTS_FILE)

    assert remembered.find(a_provider("groq", "http://127.0.0.1:1/v1")) is None


def test_a_symbolic_link_to_a_regular_file_is_read_through(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("INVIEW_LOG_LEVEL=verbose\n")
    (link := tmp_path / ".env").symlink_to("secret")

    assert read_small(link, 100) == b"INVIEW_LOG_LEVEL=verbose\n"
    with pytest.raises(InviewError, match="INVIEW_LOG_LEVEL is 'verbose'"):
        load_settings(env_file=link)


def test_a_pipe_that_replaced_the_file_after_the_check_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (regular := tmp_path / "regular").touch()
    os.mkfifo(pipe := tmp_path / "pipe")
    status = regular.stat()

    def stat_before(_: Path) -> os.stat_result:
        return status

    monkeypatch.setattr(Path, "stat", stat_before)

    with pytest.raises(RefusedFileError, match="is a named pipe, not a regular file"):
        read_small(pipe, 10)


@pytest.mark.parametrize("name", FILES)
def test_a_key_file_that_is_not_ours_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(FILES[name])
    with pytest.raises(InviewError, match=f"The key file {path} "):
        Seal(path).close("a secret")
