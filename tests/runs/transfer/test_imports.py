"""Imports of other applications' exports: described before, brought once, reported, undone."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from app.domain.conversation.marks import Marks
from app.domain.errors import ConflictError, NotFoundError
from app.runs.library.mark_commands import mark_pair
from app.runs.library.trash import list_trash
from app.runs.process.ids import new_id, now
from app.runs.send.commands import LOCAL_OWNER
from app.runs.transfer.foreign import archive, items
from app.runs.transfer.imports import staging
from app.runs.transfer.imports.job import CUT_OFF, CUT_OFF_BEFORE
from app.runs.transfer.imports.staging import carry_out_import, drop_import, read_import, receive_import, undo_import
from app.runs.workbench import Workbench
from app.store.conversation.conversations import Listed, list_conversations
from app.store.conversation.pairs import load_pairs
from app.store.conversation.versions import load_versions
from app.store.conversation.wanted import Wanted, count_listed
from app.store.ledger.ledger import count_calls
from app.views.encode import to_json
from app.views.imports import ImportStatus, ImportView
from tests import foreign
from tests.media.test_pictures import a_picture
from tests.runs.exchange import export


async def _pieces(data: bytes) -> AsyncGenerator[bytes]:
    for start in range(0, max(len(data), 1), 65_536):
        yield data[start : start + 65_536]


async def hand_in(wb: Workbench, data: bytes, name: str = "export.json") -> ImportView:
    return await receive_import(wb, LOCAL_OWNER, new_id(), name, _pieces(data), len(data))


async def bring(wb: Workbench, data: bytes) -> ImportView:
    ready = await hand_in(wb, data)
    assert ready.status is ImportStatus.READY, ready
    return await carry_out_import(wb, LOCAL_OWNER, ready.id)


async def listed(wb: Workbench) -> list[Listed]:
    async with wb.store.read() as session:
        return list(await list_conversations(session, LOCAL_OWNER, limit=100))


async def pairs_of(wb: Workbench, conversation_id: str) -> list[Any]:
    async with wb.store.read() as session:
        return list(await load_pairs(session, LOCAL_OWNER, conversation_id))


async def texts_of(wb: Workbench, conversation_id: str) -> list[tuple[str, str | None]]:
    pairs = await pairs_of(wb, conversation_id)
    return [(foreign_text(pair.request), foreign_text(pair.reply)) for pair in pairs]


def foreign_text(message: Any) -> Any:
    return None if message is None else "".join(getattr(part, "text", "") for part in message.parts)


async def test_a_file_is_described_before_anything_is_stored(wb: Workbench) -> None:
    file = foreign.written(foreign.chatgpt_with_branches(), {"title": "Odd"}, foreign.chatgpt(key="empty", title=""))

    ready = await hand_in(wb, file, "conversations.json")

    assert (ready.status, ready.format, ready.file_name, ready.message) == (
        ImportStatus.READY,
        "chatgpt",
        "conversations.json",
        "",
    )
    assert (ready.conversations, ready.pairs, ready.known) == (2, 2, 0)
    assert ready.titles == ("Postgres or MongoDB", "")
    assert ([one.name for one in ready.faults], ready.fault_count) == (["Odd"], 1)
    assert ready.first_at is not None
    assert ready.first_at.year == 2025
    assert await listed(wb) == []
    assert await read_import(wb, LOCAL_OWNER, ready.id) == ready


async def test_branches_become_versions_and_what_went_on_a_fork(wb: Workbench) -> None:
    done = await bring(wb, foreign.written(foreign.chatgpt_with_branches()))

    assert (done.status, done.brought_count, done.brought_pairs) == (ImportStatus.DONE, 2, 5)
    main = next(one for one in done.brought if one.title == "Postgres or MongoDB")
    fork = next(one for one in done.brought if one.id != main.id)
    assert await texts_of(wb, main.id) == [("Which database?", "MongoDB."), ("Why not Postgres?", "It would do.")]
    assert await texts_of(wb, fork.id) == [
        ("Which database?", "MongoDB."), ("Why?", "Schemas."), ("Go on", "And scale."),
    ]  # fmt: skip
    first, second = await pairs_of(wb, main.id)
    async with wb.store.read() as session:
        of_first = await load_versions(session, LOCAL_OWNER, first)
        of_second = await load_versions(session, LOCAL_OWNER, second)
    assert [(foreign_text(one.reply), one.standing) for one in of_first] == [("Postgres.", False), ("MongoDB.", True)]
    assert [foreign_text(one.request) for one in of_second] == ["Why?", "Why not Postgres?"]
    assert {pair.model for pair in (first, second)} == {"chatgpt:gpt-4o"}
    (listed_fork,) = [one for one in await listed(wb) if one.conversation.id == fork.id]
    assert listed_fork.conversation.parent_id == main.id
    assert listed_fork.conversation.fork_pair_id == first.id


async def test_what_came_says_from_which_application_and_when_also_after_it_was_replaced(wb: Workbench) -> None:
    one = foreign.chatgpt_with_branches()
    before = now()
    await bring(wb, foreign.written(one))
    first = await listed(wb)
    assert [one.imported.format for one in first if one.imported is not None and one.imported.at >= before] == [
        "chatgpt",
        "chatgpt",
    ]

    await bring(wb, foreign.written({**one, "title": "Changed there"}))

    async with wb.store.read() as session:
        assert await count_listed(session, LOCAL_OWNER, {"imported": Wanted(imported=True)}) == {
            "imported": 3  # the fork that came first stays, the conversation itself was replaced
        }


async def test_an_import_again_brings_nothing_twice_and_what_changed_anew(wb: Workbench) -> None:
    one, other = foreign.chatgpt_with_branches(), foreign.chatgpt(
        foreign.chatgpt_node("q", "root", text="Hi"), foreign.chatgpt_node("a", "q", "assistant", "Hello"), key="other"
    )  # fmt: skip
    await bring(wb, foreign.written(one, other))
    before = await listed(wb)

    again = await bring(wb, foreign.written(one, other))

    assert (again.known, again.brought_count) == (2, 0)
    assert await listed(wb) == before
    longer = {**other, "mapping": {**other["mapping"], "q2": foreign.chatgpt_node("q2", "a", text="More")}}
    longer["current_node"] = "q2"
    ready = await hand_in(wb, foreign.written(one, longer))
    assert (ready.known, ready.changed) == (1, 1)
    changed = await carry_out_import(wb, LOCAL_OWNER, ready.id)
    assert (changed.known, changed.changed, changed.brought_count) == (1, 1, 1)
    assert len(await listed(wb)) == len(before)
    assert await texts_of(wb, changed.brought[0].id) == [("Hi", "Hello"), ("More", None)]


async def test_a_conversation_that_was_changed_here_too_stays_as_it_is(wb: Workbench) -> None:
    nodes = (foreign.chatgpt_node("q", "root", text="Hi"), foreign.chatgpt_node("a", "q", "assistant", "Hello"))
    done = await bring(wb, foreign.written(foreign.chatgpt(*nodes)))
    (pair,) = await pairs_of(wb, done.brought[0].id)
    await mark_pair(wb, LOCAL_OWNER, pair.id, Marks(stars=3))

    again = await bring(wb, foreign.written(foreign.chatgpt(*nodes, foreign.chatgpt_node("q2", "a", text="More"))))

    assert (again.kept, again.changed, again.brought_count) == (1, 0, 0)
    assert [one.conversation.id for one in await listed(wb)] == [done.brought[0].id]


async def test_undo_moves_what_came_to_the_trash_and_it_may_come_again(wb: Workbench) -> None:
    file = foreign.written(foreign.chatgpt_with_branches())
    done = await bring(wb, file)

    undone = await undo_import(wb, LOCAL_OWNER, done.id)

    assert undone.status is ImportStatus.UNDONE
    assert await listed(wb) == []
    assert len((await list_trash(wb, LOCAL_OWNER, limit=10)).entries) == 2
    assert (await bring(wb, file)).brought_count == 2


async def test_an_archive_brings_its_images_and_says_which_it_lacks(wb: Workbench) -> None:
    def pointer(key: str) -> dict[str, Any]:
        return {"content_type": "image_asset_pointer", "asset_pointer": f"file-service://{key}", "width": 40}

    content = {"content_type": "multimodal_text", "parts": [pointer("file-Ab3"), pointer("file-Zz9"), "What is it?"]}
    file = foreign.written(
        foreign.chatgpt(
            foreign.chatgpt_node("q", "root", content=content), foreign.chatgpt_node("a", "q", "assistant", "A cat.")
        )
    )

    done = await bring(wb, foreign.packed(file, **{"file-Ab3-cat__png": a_picture("PNG")}))

    (pair,) = await pairs_of(wb, done.brought[0].id)
    assert [type(part).__name__ for part in pair.request.parts] == ["Image", "Text", "Text"]
    assert foreign_text(pair.request) == "[image: not in the export]\nWhat is it?"
    assert [(one.what, one.count) for one in done.left_out] == [("images and files that the export does not hold", 1)]


async def test_nothing_of_it_is_in_the_ledger(wb: Workbench) -> None:
    done = await bring(wb, foreign.written(foreign.chatgpt_with_branches()))

    async with wb.store.read() as session:
        assert [await count_calls(session, LOCAL_OWNER, one.id) for one in done.brought] == [0, 0]


async def test_own_export_comes_once_by_the_same_way(wb: Workbench, other: Workbench) -> None:
    done = await bring(wb, foreign.written(foreign.chatgpt_with_branches()))
    file = await export(wb, done.brought[0].id)

    ready = await hand_in(other, file)
    first = await carry_out_import(other, LOCAL_OWNER, ready.id)
    again = await bring(other, file)

    assert (ready.format, ready.conversations, ready.pairs) == ("inview", 1, 2)
    assert (first.brought_count, again.brought_count, again.known) == (1, 0, 1)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "is empty"),
        (b"hello", "is no export: it is not JSON"),
        (b"[]", "holds no conversations"),
        (b'[{"title": "x"}]', "holds nothing that can be imported"),
        (b"PK\x03\x04 and nothing more", "is a damaged archive"),
        (b'{"format": "inview", "version": 1, "conversations": [{"titel": ""}]}', "$.conversations[0].titel"),
    ],
    ids=["empty", "text", "nothing", "unknown", "archive", "own"],
)
async def test_a_file_that_is_none_says_why(wb: Workbench, body: bytes, message: str) -> None:
    view = await hand_in(wb, body)

    assert view.status is ImportStatus.FAILED
    assert message in view.message
    with pytest.raises(ConflictError):
        await carry_out_import(wb, LOCAL_OWNER, view.id)


async def test_what_is_cut_off_brings_what_came_before(wb: Workbench) -> None:
    whole = foreign.written(foreign.chatgpt_with_branches(), foreign.chatgpt_with_branches() | {"id": "2"})

    done = await bring(wb, whole[: len(whole) // 2 + 500])

    assert done.brought_count == 2
    assert done.faults[0].name == "The rest of the file"


async def test_bounds_hold(wb: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "MAX_ITEM", 2_000)
    monkeypatch.setattr(archive, "_FREE", 100_000)
    long = foreign.chatgpt(foreign.chatgpt_node("q", "root", text="x" * 3_000), key="long")
    short = foreign.chatgpt(foreign.chatgpt_node("q", "root", text="Hi"), key="short")

    view = await hand_in(wb, foreign.written(long, short))
    bomb = await hand_in(wb, foreign.packed(b"[" + b" " * 50_000_000 + b"]"))

    assert (view.conversations, view.fault_count) == (1, 1)
    assert "larger than" in view.faults[0].reason
    assert (bomb.status, "unpacks to far more" in bomb.message) == (ImportStatus.FAILED, True)


async def test_a_file_that_is_not_wanted_is_forgotten(wb: Workbench) -> None:
    view = await hand_in(wb, foreign.written(foreign.chatgpt_with_branches()))

    await drop_import(wb, LOCAL_OWNER, view.id)

    with pytest.raises(NotFoundError):
        await read_import(wb, LOCAL_OWNER, view.id)
    assert list((wb.settings.data_dir / "imports" / LOCAL_OWNER).iterdir()) == []


async def test_an_import_whose_process_was_killed_has_failed_and_can_be_undone(wb: Workbench) -> None:
    brought = await bring(wb, foreign.written(foreign.chatgpt_with_branches()))
    note = wb.settings.data_dir / "imports" / LOCAL_OWNER / f"{brought.id}.json"
    note.write_bytes(to_json(replace(brought, status=ImportStatus.IMPORTING)))  # what kill -9 leaves behind

    found = await read_import(wb, LOCAL_OWNER, brought.id)
    assert (found.status, found.message) == (ImportStatus.FAILED, CUT_OFF)

    assert (await undo_import(wb, LOCAL_OWNER, brought.id)).status is ImportStatus.UNDONE
    assert await listed(wb) == []


async def test_an_upload_whose_process_was_killed_promises_nothing_that_is_not_here(wb: Workbench) -> None:
    ready = await hand_in(wb, foreign.written(foreign.chatgpt_with_branches()))
    note = wb.settings.data_dir / "imports" / LOCAL_OWNER / f"{ready.id}.json"
    note.write_bytes(to_json(replace(ready, status=ImportStatus.RECEIVING)))  # what kill -9 leaves behind

    found = await read_import(wb, LOCAL_OWNER, ready.id)

    assert (found.status, found.message) == (ImportStatus.FAILED, CUT_OFF_BEFORE)


async def test_another_owner_finds_nothing_of_an_import(wb: Workbench) -> None:
    data = foreign.written(foreign.chatgpt_with_branches())
    ready = await hand_in(wb, data)

    for ask in (read_import, carry_out_import, undo_import, drop_import):
        with pytest.raises(NotFoundError):
            await ask(wb, "another", ready.id)
    assert await staging.find_interrupted(wb, "another") is None
    theirs = await receive_import(wb, "another", ready.id, "mine.json", _pieces(data), len(data))

    assert (theirs.file_name, theirs.known) == ("mine.json", 0)
    assert (await read_import(wb, LOCAL_OWNER, ready.id)).file_name == "export.json"


async def test_files_of_imports_are_swept_after_a_day(wb: Workbench) -> None:
    ready = await hand_in(wb, foreign.written(foreign.chatgpt_with_branches()))

    assert await staging.sweep_imports(wb, now() + timedelta(hours=23)) == 0
    assert await staging.sweep_imports(wb, now() + timedelta(hours=25)) == 2

    with pytest.raises(NotFoundError):
        await read_import(wb, LOCAL_OWNER, ready.id)
