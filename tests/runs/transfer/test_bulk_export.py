"""Several conversations as one file: it comes back without loss, an archive has a file for each, bounds hold."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import orjson
import pytest

from app.domain.errors import InputError, NotFoundError
from app.domain.filters.language.commands import ExportFormat
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER
from app.runs.transfer.exports import bulk, exporting
from app.runs.transfer.exports.bulk import read_bulk_export, sweep_bulk_exports, write_bulk_export
from app.runs.transfer.imports.storing import import_file
from app.runs.workbench import Workbench
from tests.runs.exchange import PAIR_BY_HAND, bring_back
from tests.runs.transfer.test_exchange_round_trip import but_for_ids, differences

TOPICS = ("Work > Plans", "Home", None)


async def make(wb: Workbench, count: int = 3) -> list[str]:
    """Conversations with pairs under topics that they share, the last one a fork of the first."""
    made: list[str] = []
    for number in range(count):
        pairs = [
            {**PAIR_BY_HAND, "user_text": f"Question {number}.{place}", "topic": topic}
            for place, topic in enumerate(TOPICS)
        ]
        body = {"title": "Plans", "pairs": pairs, "parent_id": made[0] if number == count - 1 and made else None}
        made += [one.id for one in await import_file(wb, LOCAL_OWNER, orjson.dumps(body))]
    return made


def but_for_parents(body: bytes) -> Any:
    file = but_for_ids(body)
    for one in file["conversations"]:
        one["parent_id"] = one["parent_id"] is not None
    return file


async def write(wb: Workbench, ids: list[str], format_: ExportFormat = ExportFormat.JSON) -> bytes:
    told: list[int] = []
    made = await write_bulk_export(wb, LOCAL_OWNER, ids, format_, told.append)
    assert told == list(range(1, len(ids) + 1))
    file = await read_bulk_export(wb, LOCAL_OWNER, made.id)
    body = b"".join([chunk async for chunk in file.chunks])
    assert (file.size, file.filename, made.conversations) == (len(body), made.filename, len(ids))
    return body


async def test_what_goes_out_together_comes_back_without_loss_forks_and_topics_included(
    wb: Workbench, other: Workbench
) -> None:
    body = await write(wb, await make(wb))

    brought = await bring_back(other, body)
    again = await write(other, brought)

    assert differences(but_for_parents(body), but_for_parents(again)) == []
    parents = [one["parent_id"] for one in orjson.loads(again)["conversations"]]
    assert parents == [None, None, brought[0]]
    assert [one["path"] for one in orjson.loads(again)["topics"]] == ["Work", "Work > Plans", "Home"]


@pytest.mark.parametrize(("format_", "ending"), [(ExportFormat.MARKDOWN, "md"), (ExportFormat.HTML, "html")])
async def test_texts_are_files_of_an_archive_each_with_a_name_of_its_own(
    wb: Workbench, format_: ExportFormat, ending: str
) -> None:
    body = await write(wb, await make(wb), format_)

    with ZipFile(io.BytesIO(body)) as archive:
        assert archive.namelist() == [f"Plans.{ending}", f"Plans (2).{ending}", f"Plans (3).{ending}"]
        assert archive.testzip() is None
        for number, name in enumerate(archive.namelist()):
            assert f"Question {number}.2".encode() in archive.read(name)


async def test_a_file_too_large_to_be_imported_is_refused_and_leaves_nothing_behind(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await make(wb)
    monkeypatch.setattr(exporting, "MAX_FILE_BYTES", exporting.FOR_THE_REST + 2_000)

    with pytest.raises(InputError, match="too large to be imported, at conversation 1 of 3"):
        await write_bulk_export(wb, LOCAL_OWNER, ids, ExportFormat.JSON, lambda _: None)

    assert list((wb.settings.data_dir / "exports").rglob("*.*")) == []


async def test_of_what_is_not_there_nothing_is_written(wb: Workbench) -> None:
    ids = await make(wb, 1)

    for wanted in ([], [*ids, "gone"], ["c"] * 0, [f"c{number}" for number in range(1_001)]):
        with pytest.raises((InputError, NotFoundError)):
            await write_bulk_export(wb, LOCAL_OWNER, wanted, ExportFormat.MARKDOWN, lambda _: None)
    with pytest.raises(NotFoundError):
        await write_bulk_export(wb, "bob", ids, ExportFormat.JSON, lambda _: None)

    assert list((wb.settings.data_dir / "exports").rglob("*.*")) == []


async def test_a_file_is_its_owners_for_an_hour(wb: Workbench) -> None:
    made = await write_bulk_export(wb, LOCAL_OWNER, await make(wb, 1), ExportFormat.JSON, lambda _: None)

    for owner, export_id in (("bob", made.id), (LOCAL_OWNER, "../inview"), (LOCAL_OWNER, made.id[:-1] + "*")):
        with pytest.raises(NotFoundError):
            await read_bulk_export(wb, owner, export_id)
    assert await sweep_bulk_exports(wb, now()) == 0
    assert await sweep_bulk_exports(wb, now() + bulk.KEPT + timedelta(minutes=1)) == 1
    with pytest.raises(NotFoundError):
        await read_bulk_export(wb, LOCAL_OWNER, made.id)
