"""Backups of a real installation: made while replies stream, restored elsewhere, and the same there."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path

import pytest

from app.cli import backup
from app.cli.backup import enter_backup, make_backup, restore_backup
from app.cli.verifying import verify_installation
from app.domain.conversation.attachments import Attachment
from app.runs.derived.summaries import Extent, summarise
from app.runs.derived.titles import ask_title
from app.runs.library.provider_commands import save_provider
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER
from app.runs.wiring import open_workbench
from app.settings import Settings, load_settings
from app.store.backup import envelope
from app.store.backup.manifest import BackupError, Manifest
from app.store.conversation.attachments import keep_attachments
from app.store.database.encryption import KEY_FILE
from app.store.database.migrations import HEAD, REVISIONS
from tests.databases import lay_database
from tests.house.test_command import inview
from tests.runs.steps import a_conversation, reply_to, send, settings_of, wait_for_text
from tests.serving import ROOT, free_port, server_environment

PASSPHRASE = "correct horse battery"
STREAMS = 10


@pytest.fixture(autouse=True, scope="module")
def guesses_are_cheap() -> Generator[None]:
    """The commands that are started as processes derive their keys as ever."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(envelope, "_SCRYPT_N", 2**4)
        yield


def said(_line: str) -> None:
    """What a person is told is of no interest here."""


async def an_installation(folder: Path) -> Settings:
    """One with two conversations, an attachment and the key of a provider."""
    settings = settings_of(folder)
    async with open_workbench(settings) as wb:
        for text in ("first", "second"):
            conversation_id = await a_conversation(wb)
            await reply_to(wb, conversation_id, text)
            await reply_to(wb, conversation_id, "and more")
        async with wb.store.write() as session:
            picture = Attachment("image/png", b"\x89PNG bytes of a picture")
            await keep_attachments(session, LOCAL_OWNER, conversation_id, [picture], now())
        await save_provider(wb, LOCAL_OWNER, "anthropic", key="sk-ant-stored-secret")
    return settings


async def verify(settings: Settings) -> tuple[list[str], list[str]]:
    """What `verify` prints, and what is broken."""
    printed: list[str] = []
    findings = await verify_installation(settings, None, printed.append)
    return printed, findings.faults


def digest_in(printed: list[str]) -> str:
    return printed[-1].removeprefix("Digest: ")


def settings_in(folder: Path) -> Settings:
    return load_settings({"INVIEW_DATA_DIR": str(folder), "INVIEW_TITLES": "off"})


async def test_a_backup_made_while_replies_stream_is_whole(tmp_path: Path) -> None:
    settings = await an_installation(tmp_path / "data")
    async with open_workbench(settings) as wb:
        started = [await send(wb, await a_conversation(wb), "/long 4000 /rate 200") for _ in range(STREAMS)]
        await asyncio.gather(*(wait_for_text(wb, one) for one in started))

        made = await asyncio.to_thread(make_backup, settings, tmp_path / "file", PASSPHRASE, said)

    await asyncio.to_thread(restore_backup, tmp_path / "file", tmp_path / "there", PASSPHRASE, said)
    there = settings_in(tmp_path / "there")
    printed, faults = await verify(there)

    assert faults == []
    assert digest_in(printed) == made.digest
    assert made.counts.conversations == 2 + STREAMS
    assert made.counts.attachments == 1
    async with open_workbench(there):  # what ran at that moment ends as after a crash
        pass
    with closing(sqlite3.connect(tmp_path / "there" / "inview.db")) as database:
        ended = database.execute("SELECT count(*) FROM pair WHERE lifecycle = 'error'").fetchone()
    assert ended == (STREAMS,)


async def test_an_encrypted_backup_brings_everything_and_verify_says_the_same(tmp_path: Path) -> None:
    settings = await an_installation(tmp_path / "data")

    make_backup(settings, tmp_path / "file", PASSPHRASE, said)
    restored = restore_backup(tmp_path / "file", tmp_path / "there", PASSPHRASE, said)

    assert restored.secrets == "included"
    assert await verify(settings_in(tmp_path / "there")) == await verify(settings)
    assert (tmp_path / "there" / KEY_FILE).read_bytes() == (tmp_path / "data" / KEY_FILE).read_bytes()
    for path in (tmp_path / "file", *(tmp_path / "there").iterdir()):
        assert path.stat().st_mode & 0o077 == 0
    assert b"inview.db" not in (tmp_path / "file").read_bytes()


async def test_verify_finds_calls_about_pairs_in_the_record_of_calls(tmp_path: Path) -> None:
    settings = settings_in(tmp_path / "data")
    async with open_workbench(settings) as wb:
        conversation_id = await a_conversation(wb)
        await reply_to(wb, conversation_id, "first")
        title = await ask_title(wb, LOCAL_OWNER, conversation_id)
        await wait_for_text(wb, title.started)
        summary = await summarise(wb, LOCAL_OWNER, conversation_id, extent=Extent(everything=True))
        await wait_for_text(wb, summary.started)
    printed, faults = await verify(settings)

    assert faults == []
    assert "1 of 1 requests can be made again exactly as they were sent" in printed
    assert "2 requests for titles, summaries and cache refreshes are in the record" in printed

    with closing(sqlite3.connect(tmp_path / "data" / "inview.db")) as database:
        database.executescript("DROP TRIGGER sent_call_is_not_deleted; DELETE FROM sent_call WHERE purpose = 'title'")
    _, faults = await verify(settings)

    assert f"run {title.started.run_id}: its call is not in the record" in faults


async def test_a_plain_backup_has_no_secrets_and_nothing_that_signs_in(tmp_path: Path) -> None:
    settings = await an_installation(tmp_path / "data")
    with closing(sqlite3.connect(tmp_path / "data" / "inview.db")) as database:
        sealed = database.execute("SELECT sealed_key FROM provider_setting").fetchone()[0]
        database.execute("INSERT INTO invitation VALUES ('i', 'hash of a token', 'member', NULL, 0, 0)")
        database.commit()

    made = make_backup(settings, tmp_path / "file", None, said)
    restore_backup(tmp_path / "file", tmp_path / "there", "", said)

    assert (made.secrets, made.secret_count) == ("left_out", 1)
    content = (tmp_path / "there" / "inview.db").read_bytes()
    assert sealed not in content
    assert b"hash of a token" not in content
    assert not (tmp_path / "there" / KEY_FILE).exists()
    printed, faults = await verify(settings_in(tmp_path / "there"))
    assert faults == []
    assert digest_in(printed) == digest_in((await verify(settings))[0])


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    lay_database(tmp_path / "data")
    settings = settings_in(tmp_path / "data")
    make_backup(settings, tmp_path / "one", None, said)
    before = (tmp_path / "one").read_bytes()

    with pytest.raises(BackupError, match="exists, and is left as it is"):
        make_backup(settings, tmp_path / "one", None, said)
    with pytest.raises(BackupError, match=r"has something in it \(inview.db\), and nothing is overwritten"):
        restore_backup(tmp_path / "one", tmp_path / "data", "", said)

    assert (tmp_path / "one").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "one"]


def test_the_commands_say_what_they_did(tmp_path: Path) -> None:
    lay_database(tmp_path / "data")
    (tmp_path / "words").write_text(f"{PASSPHRASE}\n")

    made = inview("backup", "one", "--encrypt", "--passphrase-file", "words", folder=tmp_path)
    wrong = inview("restore", "one", "--into", "there", folder=tmp_path, INVIEW_BACKUP_PASSPHRASE="wrong words")
    restored = inview("restore", "one", "--into", "there", folder=tmp_path, INVIEW_BACKUP_PASSPHRASE=PASSPHRASE)
    verified = inview("verify", folder=tmp_path, INVIEW_DATA_DIR=str(tmp_path / "there"))

    assert "encrypted" in made.stdout, made.stderr
    assert "passphrase is not the one of this backup" in wrong.stderr
    assert restored.returncode == 0, restored.stderr
    assert "Restored 0 conversations" in restored.stdout
    assert verified.returncode == 0, verified.stderr
    assert verified.stdout.splitlines()[-1] == made.stdout.splitlines()[-1]
    for folder in ("data", "there"):
        assert entries_in(tmp_path / folder)[-1] == ("installation.backed_up", "command line")


async def test_the_first_start_after_a_restore_enters_it_once(tmp_path: Path) -> None:
    settings = await an_installation(tmp_path / "data")
    make_backup(settings, tmp_path / "file", PASSPHRASE, said)
    restore_backup(tmp_path / "file", tmp_path / "there", PASSPHRASE, said)

    for _ in range(2):
        async with open_workbench(settings_in(tmp_path / "there")):
            pass

    found = entries_in(tmp_path / "there")
    assert found.count(("installation.restored", "command line")) == 1
    assert ("installation.restored", "command line") not in entries_in(tmp_path / "data")


def entries_in(folder: Path) -> list[tuple[str, str]]:
    """Actions of the audit trail, and by what they were done."""
    with closing(sqlite3.connect(folder / "inview.db")) as database:
        return database.execute("SELECT action, credential FROM audit ORDER BY id").fetchall()


async def test_verify_names_the_first_broken_link_of_the_audit_trail(
    tmp_path: Path, whole: tuple[Path, Manifest]
) -> None:
    restore_backup(whole[0], tmp_path / "there", PASSPHRASE, said)
    for _ in range(4):
        await enter_backup(settings_in(tmp_path / "there"), encrypted=True)
    with closing(sqlite3.connect(tmp_path / "there" / "inview.db")) as database:
        database.executescript("DROP TRIGGER audit_is_not_changed; UPDATE audit SET subject = 'x' WHERE id = 3")

    _, faults = await verify(settings_in(tmp_path / "there"))

    assert [fault for fault in faults if fault.startswith("Entry ")] == [
        "Entry 3 does not follow entry 2: it was changed, or one between them was deleted or added. Put a backup back."
    ]


def test_a_newer_backup_is_refused_and_an_older_one_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_database(tmp_path / "data")
    database = tmp_path / "data" / "inview.db"
    settings = settings_in(tmp_path / "data")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    make_backup(settings, tmp_path / "newer", None, said)

    with pytest.raises(BackupError, match="made by a newer Inview"):
        restore_backup(tmp_path / "newer", tmp_path / "there", "", said)

    assert not (tmp_path / "there").exists()
    older = upgrade_to(tmp_path / "older", REVISIONS[-2])
    made = make_backup(older, tmp_path / "old", None, said)
    restore_backup(tmp_path / "old", tmp_path / "there", "", said)
    assert made.revision == REVISIONS[-2]
    with closing(sqlite3.connect(tmp_path / "there" / "inview.db")) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (HEAD,)
    assert {path.name for path in (tmp_path / "there").iterdir()} == {"inview.db", "restored"}


def upgrade_to(folder: Path, revision: str) -> Settings:
    """An installation as an older version left it."""
    from alembic.config import Config  # noqa: PLC0415 - only here

    from alembic import command  # noqa: PLC0415 - only here
    from app.store.database.database import make_blocking_engine  # noqa: PLC0415 - only here

    folder.mkdir()
    settings = settings_in(folder)
    engine = make_blocking_engine(settings.database_url)
    with engine.begin() as connection:
        config = Config(str(ROOT / "alembic.ini"))
        config.set_main_option("script_location", str(ROOT / "alembic"))
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()
    return settings


def test_progress_is_told_only_of_what_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[str]()
    clock = iter((1.0, 3.0, 3.0, 4.0))
    monkeypatch.setattr(backup.time, "monotonic", lambda: next(clock))
    progress = backup.Progress("Packing", told.append, said_at=0.0)

    for done in (10, 30, 40):
        progress(done * 1_000_000, 100_000_000)

    assert told == ["Packing: 30 % of 100 MB"]


def test_a_damaged_backup_leaves_nothing_behind(tmp_path: Path) -> None:
    lay_database(tmp_path / "data")
    make_backup(settings_in(tmp_path / "data"), tmp_path / "file", None, said)
    body = bytearray((tmp_path / "file").read_bytes())
    body[len(body) // 2] ^= 0xFF
    (tmp_path / "file").write_bytes(body)

    with pytest.raises(BackupError, match="damaged"):
        restore_backup(tmp_path / "file", tmp_path / "there", "", said)

    assert not (tmp_path / "there").exists()


# The command as it is, but for what happens at the first word of the packing's progress.
AT_PACKING = """
import os, resource, signal, sys
from app.cli import backup, main

class Progress(backup.Progress):
    def __call__(self, done, total):
        if self.what == "Packing":
            {act}

backup.Progress = Progress
main.main()
"""


def back_up(folder: Path, act: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", AT_PACKING.format(act=act), "backup", str(folder / "out" / "file")],
        cwd=ROOT,
        env=server_environment(folder / "data", free_port()),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_backup_that_is_killed_leaves_nothing_under_its_name_and_the_next_one_tidies_up(tmp_path: Path) -> None:
    lay_database(tmp_path / "data")
    (tmp_path / "out").mkdir()

    killed = back_up(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    left = [path.name for path in (tmp_path / "out").iterdir()]
    again = back_up(tmp_path, "pass")

    assert killed.returncode == -signal.SIGKILL
    assert len(left) == 1
    assert left[0].startswith(".inview-work-")
    assert again.returncode == 0, again.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["file"]
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["inview.db"]


@pytest.mark.parametrize(
    ("act", "limit"),
    [("resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))", None), ("pass", 300_000)],
    ids=["while packing", "while copying"],
)
def test_a_full_disk_is_one_sentence_and_no_file(tmp_path: Path, act: str, limit: int | None) -> None:
    lay_database(tmp_path / "data")
    (tmp_path / "out").mkdir()

    done = back_up(tmp_path, act) if limit is None else limited(limit, lambda: back_up(tmp_path, act))

    assert done.returncode == 1
    assert done.stderr.startswith("inview: ")
    assert done.stderr.count("\n") == 1, done.stderr
    assert "room" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def limited(size: int, act: Callable[[], subprocess.CompletedProcess[str]]) -> subprocess.CompletedProcess[str]:
    """Do this where no file may be larger."""
    import resource  # noqa: PLC0415 - only here

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        return act()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("UPDATE attachment SET data = x'00'", "the bytes are not those that were stored"),
        ("DROP TRIGGER ledger_is_not_deleted", "The rule ledger_is_not_deleted of the ledger is missing"),
        ("UPDATE usage_day SET calls = calls + 1", "The sums in usage_day are not those of the ledger"),
        ("DROP TRIGGER ledger_is_not_deleted; DELETE FROM ledger WHERE rowid = 2", "some were deleted"),
        ("UPDATE provider_setting SET sealed_key = x'00'", "The secret of provider anthropic"),
        ("UPDATE run SET request_hash = 'other'", "differs"),
        ("UPDATE message SET parts = 'no JSON'", "it is no JSON"),
    ],
)
async def test_verify_names_the_first_broken_thing(
    tmp_path: Path, whole: tuple[Path, Manifest], statement: str, first: str
) -> None:
    restore_backup(whole[0], tmp_path / "there", PASSPHRASE, said)
    settings = settings_in(tmp_path / "there")
    with closing(sqlite3.connect(tmp_path / "there" / "inview.db")) as database:
        database.executescript(statement)

    printed, faults = await verify(settings)

    assert first in faults[0]
    assert digest_in(printed) != whole[1].digest or "sealed" in statement or "TRIGGER" in statement


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Manifest]:
    """A backup of an installation with something of everything."""
    folder = tmp_path_factory.mktemp("whole")
    settings = asyncio.run(an_installation(folder / "data"))
    return folder / "file", make_backup(settings, folder / "file", PASSPHRASE, said)
