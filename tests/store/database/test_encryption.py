from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.domain.errors import StoreError
from app.store.database.encryption import Seal

SECRET = "sk-very-secret-1234567890"


def test_a_sealed_secret_opens_to_itself_and_shows_nothing(tmp_path: Path) -> None:
    seal = Seal(tmp_path / "inview.key")

    sealed = seal.close(SECRET)

    assert seal.open(sealed) == SECRET
    assert SECRET.encode() not in sealed
    assert sealed != seal.close(SECRET)


def test_the_key_file_is_its_owners_alone_and_made_once(tmp_path: Path) -> None:
    seal = Seal(tmp_path / "inview.key")

    with ThreadPoolExecutor(8) as pool:
        sealed = list(pool.map(seal.close, [SECRET] * 8))

    assert stat.S_IMODE(seal.path.stat().st_mode) == 0o600
    assert [seal.open(one) for one in sealed] == [SECRET] * 8
    assert [path.name for path in tmp_path.iterdir()] == ["inview.key"]


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"inview\.key is missing.*enter the keys again"):
        Seal(tmp_path / "inview.key").open(b"sealed elsewhere")

    assert list(tmp_path.iterdir()) == []


def test_another_key_file_is_recognised(tmp_path: Path) -> None:
    sealed = Seal(tmp_path / "one.key").close(SECRET)
    Seal(tmp_path / "other.key").close("something")

    with pytest.raises(StoreError, match=r"encrypted with a key file other than .*other\.key"):
        Seal(tmp_path / "other.key").open(sealed)


def test_a_damaged_key_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "inview.key").write_text("scratched")

    with pytest.raises(StoreError, match=r"inview\.key is damaged"):
        Seal(tmp_path / "inview.key").close(SECRET)


def test_a_key_file_that_is_too_large_is_named_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "inview.key").write_bytes(b"x" * 70_000)

    with pytest.raises(StoreError, match=r"inview\.key has 70,000 bytes\. The maximum is 65,536.*Restore it"):
        Seal(tmp_path / "inview.key").open(b"sealed")
