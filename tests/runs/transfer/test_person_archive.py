"""The archive of everything about a person: all of theirs, nothing of others, and no secret."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import orjson
import pytest

from app.domain.conversation.attachments import Attachment
from app.domain.errors import NotFoundError
from app.domain.people.audit import Actor, AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import Role
from app.runs.library.agent_commands import create_agent
from app.runs.library.prompt_commands import create_prompt
from app.runs.library.provider_commands import save_provider
from app.runs.people.tokens import NewToken, make_token
from app.runs.process.ids import now
from app.runs.send.commands import create_conversation, start_reply
from app.runs.send.intents import NewSend
from app.runs.transfer.exports.bulk import read_bulk_export
from app.runs.transfer.exports.person_archive import write_archive, write_person_export
from app.runs.watch.broadcast import follow
from app.runs.workbench import Workbench
from app.store.audit.entries import insert_entry
from app.store.conversation.attachments import keep_attachments
from app.store.people import everything
from app.store.people.everything import list_tables
from app.store.tables import Row
from tests.runs.people.accounts import a_person, a_session

SECRET = "sk-never-leaves-0123456789"
HASH = "$argon2id$never-leaves"


async def fill(wb: Workbench, name: str) -> str:
    """Give a person something of everything; the token's text."""
    person = await a_person(wb, name, Role.MEMBER, HASH)
    await a_session(wb, person, f"{name}s-browser")
    conversation = await create_conversation(wb, name, title=f"{name}s-title", model="offline:demo")
    started = await start_reply(wb, name, NewSend(conversation.id, f"{name}s-text"))
    async for _ in follow(wb, name, started.run_id):
        pass
    await create_agent(wb, name, {"name": f"{name}s-agent"})
    await create_prompt(wb, name, {"name": f"{name}s-prompt", "text": f"{name}s-words"})
    await save_provider(wb, name, "openai", key=SECRET)
    async with wb.store.write() as session:
        await keep_attachments(session, name, conversation.id, [Attachment("text/plain", b"%s" % name.encode())], now())
        data = {"role": f"{name}s-entry"}
        done = AuditAction.PERSON_ROLE_CHANGED
        await insert_entry(session, AuditEntry(now(), Actor("ada"), done, ObjectKind.PERSON, name, None, data))
    return (await make_token(wb.store, name, NewToken("nightly", ("read",))))[1]


async def test_it_has_everything_of_a_person_and_nothing_of_others(
    wb: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(everything, "_ROWS_AT_ONCE", 1)  # every table with more than one row takes several pages
    monkeypatch.setattr(everything, "_LARGE_AT_ONCE", 1)
    await fill(wb, "mia")
    token = await fill(wb, "max")
    told: list[tuple[int, int]] = []
    path = tmp_path / "mia.zip"

    await write_archive(wb.store, "mia", path, lambda done, total: told.append((done, total)))

    assert told == [(0, 1), (1, 1)]
    with ZipFile(path) as archive:
        names = set(archive.namelist())
        assert {f"tables/{table.name}.jsonl" for table in list_tables()} <= names
        whole = b"\n".join(archive.read(name) for name in names)
        [written] = [name for name in names if name.startswith("conversations/")]
        assert orjson.loads(archive.read(written))["conversations"][0]["title"] == "mias-title"
        assert [archive.read(name) for name in names if name.startswith("files/")] == [b"mia"]
        assert orjson.loads(archive.read("tables/person.jsonl"))["email"] == "mia@example.org"
        assert archive.read("tables/ledger.jsonl").count(b"\n") == 1
    for own in ("browser", "title", "text", "agent", "prompt", "words", "entry"):
        assert f"mias-{own}".encode() in whole, own
    for secret in (b"maxs-", SECRET.encode(), HASH.encode(), token.encode()):
        assert secret not in whole


def test_no_table_about_a_person_is_forgotten() -> None:
    named = {
        table.name for table in Row.metadata.sorted_tables if {"owner", "person_id", "person"} & set(table.c.keys())
    }

    assert named - {table.name for table in list_tables()} == {"invitation", "recovery_code", "sign_in_step"}


async def test_it_is_downloaded_by_its_person_alone(wb: Workbench) -> None:
    await fill(wb, "mia")
    made_id = await write_person_export(wb, "mia", lambda _done, _total: None)

    assert (await read_bulk_export(wb, "mia", made_id)).size > 0
    with pytest.raises(NotFoundError):
        await read_bulk_export(wb, "max", made_id)


async def test_an_existing_file_is_not_written_over(wb: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "mia.zip"
    path.write_bytes(b"mine")

    with pytest.raises(FileExistsError):
        await write_archive(wb.store, "mia", path, lambda _done, _total: None)
    assert path.read_bytes() == b"mine"
