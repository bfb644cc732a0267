"""The file of a backup: what a forged or damaged one is refused for, before anything is written."""

from __future__ import annotations

import gzip
import io
import tarfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.store.backup.archive import check_archive, hash_file, unpack_archive, write_archive
from app.store.backup.manifest import BackupError, Counts, Manifest, write_manifest


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    (tmp_path / "inview.db").write_bytes(b"a database" * 500)
    return Manifest(
        format="inview-backup",
        version=1,
        made_at=datetime(2026, 1, 1, tzinfo=UTC),
        revision="0001",
        digest="sha256:0",
        secrets="none",
        secret_count=0,
        counts=Counts(1, 2, 0, 0, 2),
        pieces=(hash_file(tmp_path / "inview.db"),),
    )


def accept(_manifest: Manifest) -> None:
    """Takes every backup."""


def forge(path: Path, *entries: tuple[tarfile.TarInfo, bytes]) -> Path:
    """A tar of these entries, as anybody could write it."""
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as archive:
        for entry, body in entries:
            archive.addfile(entry, io.BytesIO(body))
    return path


def file_entry(name: str, body: bytes) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.size = len(body)
    return entry, body


def link_entry(name: str, target: str, kind: bytes) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry, b""


def test_what_is_written_is_read_and_tar_can_list_it(tmp_path: Path, manifest: Manifest) -> None:
    path, folder = tmp_path / "backup", tmp_path / "out"
    folder.mkdir()
    with path.open("wb") as file:
        write_archive(file, manifest, tmp_path, None, lambda _done, _total: None)

    assert check_archive(path, "", accept) == manifest
    assert unpack_archive(path, "", accept, folder) == manifest
    assert (folder / "inview.db").read_bytes() == (tmp_path / "inview.db").read_bytes()
    with tarfile.open(path) as archive:
        assert archive.getnames() == ["manifest.json", "inview.db"]


def test_the_manifest_is_judged_before_anything_else_is_read(tmp_path: Path, manifest: Manifest) -> None:
    path = forge(tmp_path / "backup", file_entry("manifest.json", write_manifest(manifest)))

    def refuse(_manifest: Manifest) -> None:
        raise BackupError("too new")

    with pytest.raises(BackupError, match="too new"):
        check_archive(path, "", refuse)


@pytest.mark.parametrize(
    "entry",
    [
        file_entry("../inview.db", b"a database" * 500),
        file_entry("/etc/inview.db", b"a database" * 500),
        file_entry("n" * 300, b""),
        file_entry("inview.db", b"another base" * 500),
        link_entry("inview.db", "/etc/passwd", tarfile.SYMTYPE),
        link_entry("inview.db", "/etc/passwd", tarfile.LNKTYPE),
        link_entry("inview.db", "", tarfile.FIFOTYPE),
        file_entry("inview.db", b"b database" * 500),
    ],
    ids=["outside", "absolute", "long name", "size", "symlink", "hardlink", "fifo", "hash"],
)
def test_a_forged_piece_is_refused(tmp_path: Path, manifest: Manifest, entry: tuple[tarfile.TarInfo, bytes]) -> None:
    path = forge(tmp_path / "backup", file_entry("manifest.json", write_manifest(manifest)), entry)

    with pytest.raises(BackupError):
        check_archive(path, "", accept)


def test_more_than_the_manifest_says_is_refused(tmp_path: Path, manifest: Manifest) -> None:
    database = (tmp_path / "inview.db").read_bytes()
    more = file_entry("inview.key", b"key")
    path = forge(
        tmp_path / "backup",
        file_entry("manifest.json", write_manifest(manifest)),
        file_entry("inview.db", database),
        more,
    )

    with pytest.raises(BackupError, match="more than its manifest"):
        check_archive(path, "", accept)


def test_a_bomb_is_unpacked_no_further_than_its_manifest_goes(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "backup"
    body = write_manifest(manifest)
    with gzip.open(path, "wb") as packed:
        entry = tarfile.TarInfo("manifest.json")
        entry.size = 2**40
        packed.write(entry.tobuf(tarfile.GNU_FORMAT) + body)
        for _ in range(20):
            packed.write(bytes(1_000_000))

    with pytest.raises(BackupError, match="does not begin with a manifest"):
        check_archive(path, "", accept)


@pytest.mark.parametrize("names", [("inview.key",), ("inview.db", "../x"), ("inview.db", "inview.db"), ()])
def test_a_manifest_with_other_pieces_is_refused(tmp_path: Path, manifest: Manifest, names: tuple[str, ...]) -> None:
    pieces = tuple(replace(manifest.pieces[0], name=name) for name in names)
    body = write_manifest(replace(manifest, pieces=pieces))
    path = forge(tmp_path / "backup", file_entry("manifest.json", body))

    with pytest.raises(BackupError, match="not what a backup of Inview holds"):
        check_archive(path, "", accept)


def test_every_way_to_cut_it_off_is_found(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "backup"
    with path.open("wb") as file:
        write_archive(file, manifest, tmp_path, None, lambda _done, _total: None)
    whole = path.read_bytes()

    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(BackupError):
            check_archive(path, "", accept)
