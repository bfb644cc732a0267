"""Working folders: what is in use stays, what was abandoned goes, and no file takes the place of another."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from app.store.backup.manifest import BackupError
from app.store.backup.working_folder import PREFIX, publish, remove_abandoned, working_folder


def test_a_folder_in_use_stays_and_an_abandoned_one_goes(tmp_path: Path) -> None:
    abandoned = tmp_path / f"{PREFIX}abandoned"
    abandoned.mkdir()
    (abandoned / "half").write_text("half a backup")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)

    with working_folder(tmp_path) as used:
        remove_abandoned(tmp_path)

        assert used.is_dir()
        assert not abandoned.exists()
        assert elsewhere.is_dir()
    assert not used.exists()


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_no_file_takes_the_place_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, links: bool) -> None:
    def refuse(_self: Path, _target: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    if not links:
        monkeypatch.setattr(Path, "hardlink_to", refuse)
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)

    publish(tmp_path / "one", tmp_path / "target")
    with pytest.raises(BackupError, match="is left as it is"):
        publish(tmp_path / "two", tmp_path / "target")

    assert (tmp_path / "target").read_text() == "one"
