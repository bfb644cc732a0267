"""The `inview` command: its output, and that it works from any folder."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from app.store.database.database import open_store
from app.store.database.presence import claim
from tests.conftest import Golden
from tests.databases import lay_database
from tests.serving import INVIEW, ROOT, server_environment
from tests.store.values import a_conversation, a_pair_of, save_conversation


def inview(*arguments: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = server_environment(folder / "data", 3000, settings)
    return subprocess.run(
        [INVIEW, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_doctor_shows_every_setting_and_no_secret(tmp_path: Path, golden: Golden) -> None:
    shown = inview(
        "doctor",
        folder=tmp_path,
        INVIEW_PORT="0",
        INVIEW_PUBLIC_URL="https://chat.example.org",
        INVIEW_COMPATIBLE="near=http://127.0.0.1:8080/v1; far=https://models.example.org/v1,key-of-far",
        ANTHROPIC_API_KEY="key-of-anthropic",
        OPENAI_BASE_URL="http://127.0.0.1:9000/v1",
    )

    assert shown.returncode == 0, shown.stderr
    assert "key-of" not in shown.stdout
    golden.check("doctor.txt", shown.stdout.replace(str(tmp_path), "FOLDER"))


def test_doctor_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")

    shown = inview("doctor", folder=tmp_path)

    assert shown.returncode == 1
    assert "Cannot write in the data folder" in shown.stderr


@pytest.mark.parametrize("command", ["doctor", "serve"])
def test_compatible_server_with_the_name_of_a_vendor_ends_the_start(tmp_path: Path, command: str) -> None:
    shown = inview(
        command, folder=tmp_path, INVIEW_COMPATIBLE="box=http://127.0.0.1:1; openai=http://127.0.0.1:2,key-x"
    )

    assert shown.returncode == 1
    assert shown.stderr == (
        "inview: INVIEW_COMPATIBLE: 'openai' is the built-in provider OpenAI. Choose another name, or, to change its "
        "address, set OPENAI_BASE_URL.\n"
    )


def test_doctor_lists_what_is_damaged_and_what_to_do_next(tmp_path: Path) -> None:
    asyncio.run(_talk(lay_database(tmp_path / "data")))
    whole = inview("doctor", folder=tmp_path, INVIEW_PORT="0")
    assert (whole.returncode, whole.stdout.splitlines()[-1]) == (0, "No problems found. The server can start.")
    with sqlite3.connect(tmp_path / "data" / "inview.db") as connection:
        connection.execute("UPDATE pair SET lifecycle = 'my-secret-words'")
        connection.execute("UPDATE conversation SET filter = x'00ff'")
    connection.close()

    shown = inview("doctor", folder=tmp_path, INVIEW_PORT="0")

    assert shown.returncode == 1
    assert shown.stderr == ""
    assert shown.stdout.splitlines()[-5:] == [
        "Damaged: filter of conversation c1 (2 bytes): it is bytes, not str",
        "  In conversation c1 “Plans”: Set the filter again, or press Reset at the top of the conversation: /c/c1",
        "Damaged: lifecycle of pair c1-3 (15 bytes): this version does not know its format or a value in it",
        "  In conversation c1 “Plans”: Delete the pair, or export it raw: /c/c1?at=3",
        "The server can start. Damaged values in the database: 2.",
    ]


def test_doctor_mends_what_it_can_once_and_lists_the_rest(tmp_path: Path) -> None:
    asyncio.run(_talk(lay_database(tmp_path / "data")))
    with sqlite3.connect(tmp_path / "data" / "inview.db") as connection:
        connection.execute("UPDATE conversation SET filter = x'00ff'")
    connection.close()

    first = inview("doctor", "--mend", folder=tmp_path, INVIEW_PORT="0")
    with sqlite3.connect(tmp_path / "data" / "inview.db") as connection:
        connection.execute("UPDATE pair SET lifecycle = 'my-secret-words'")
    connection.close()
    second = inview("doctor", "--mend", folder=tmp_path, INVIEW_PORT="0")

    (kept,) = (tmp_path / "data").glob("mended-*.jsonl")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.splitlines()[-3:] == [
        "Mended: Reset the filter of conversation c1, which could not be read.",
        f"The original of each changed or deleted row is saved in {kept}.",
        "No problems found. The server can start.",
    ]
    assert second.returncode == 1
    assert second.stdout.splitlines()[-4] == "Nothing could be repaired."
    assert second.stdout.splitlines()[-1] == "The server can start. Damaged values in the database: 1."


def test_doctor_mends_nothing_while_a_server_runs_on_another_port(tmp_path: Path) -> None:
    database = lay_database(tmp_path / "data")
    asyncio.run(_talk(database))
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE conversation SET filter = x'00ff'")
    connection.close()

    with claim(f"sqlite+aiosqlite:///{database}"):  # as a running server does
        refused = inview("doctor", "--mend", folder=tmp_path, INVIEW_PORT="0")
        listed = inview("doctor", folder=tmp_path, INVIEW_PORT="0")
    mended = inview("doctor", "--mend", folder=tmp_path, INVIEW_PORT="0")

    assert refused.returncode == 1
    assert refused.stderr == (
        f"inview: Inview is running on the database {database}. Nothing was changed. Stop it, then run this again.\n"
    )
    assert "Mended:" not in refused.stdout
    assert "Damaged values in the database: 1." in listed.stdout
    assert "Mended: Reset the filter of conversation c1, which could not be read." in mended.stdout


async def _talk(database: Path) -> None:
    async with open_store(f"sqlite+aiosqlite:///{database}") as store:
        await save_conversation(store, a_conversation(title="Plans"), a_pair_of("c1", 3))


def test_doctor_does_not_search_a_database_of_an_older_version(tmp_path: Path) -> None:
    with sqlite3.connect(lay_database(tmp_path / "data")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.close()

    shown = inview("doctor", folder=tmp_path, INVIEW_PORT="0")

    assert shown.returncode == 0
    assert "not checked for damage. Run `inview migrate` first." in shown.stdout


def test_migrate_makes_the_database_and_then_finds_nothing_to_do(tmp_path: Path) -> None:
    for _ in range(2):
        done = inview("migrate", folder=tmp_path)

        assert done.returncode == 0, done.stderr
        assert "up to date" in done.stdout
    assert (tmp_path / "data" / "inview.db").is_file()


def test_an_interrupted_migration_is_one_sentence(tmp_path: Path) -> None:
    # Like running out of memory: the process that migrates has no time to report anything.
    ended = """
import os, signal
from app.cli import main, migrating
migrating.upgrade = lambda _url: os.kill(os.getpid(), signal.SIGKILL)
main.cli = main.serve
main.main()
"""
    environment = server_environment(tmp_path / "data", 0)

    said = subprocess.run(
        [sys.executable, "-c", ended],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert said.returncode == 1
    assert said.stderr == "inview: Signal 9 ended the migration of the database. Nothing was changed. Start again.\n"


def test_settings_may_be_in_a_file_of_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("INVIEW_LOG_LEVEL=verbose\n")

    shown = inview("doctor", folder=tmp_path)

    assert shown.returncode == 1
    assert "INVIEW_LOG_LEVEL is 'verbose'" in shown.stderr


def test_settings_in_a_named_pipe_end_the_start_with_the_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")

    shown = inview("doctor", folder=tmp_path)

    assert shown.returncode == 1
    assert shown.stderr == (
        f"inview: The file {tmp_path / '.env'} is a named pipe, not a regular file. Replace it with a file that has "
        "only the settings of Inview, one NAME=value per line, or move it away.\n"
    )


def test_no_command_is_no_fault_but_shows_what_there_is(tmp_path: Path) -> None:
    shown = inview("--help", folder=tmp_path)

    for command in ("serve", "build", "migrate", "doctor"):
        assert command in shown.stdout
