"""`inview export` and `inview import`: files out of one installation and into another, and what is reported of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.transfer import ExportWish, export_to, import_files
from app.domain.errors import InputError, NotFoundError
from app.runs.wiring import open_workbench
from app.settings import Settings
from tests.foreign import chatgpt, chatgpt_node
from tests.house.test_command import inview
from tests.runs.steps import a_conversation, reply_to, settings_of


async def an_installation(folder: Path) -> tuple[Settings, list[str]]:
    """One with two conversations of the same title."""
    settings = settings_of(folder)
    async with open_workbench(settings) as wb:
        ids = [await a_conversation(wb, title="Plans") for _ in range(2)]
        for conversation_id in ids:
            await reply_to(wb, conversation_id, f"/echo the words of {conversation_id}")
    return settings, ids


async def exported(settings: Settings, folder: Path) -> list[Path]:
    await export_to(settings, ExportWish(folder), print)
    return list_files(folder)


def list_files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


async def test_what_is_exported_is_imported_elsewhere_without_loss(tmp_path: Path) -> None:
    settings, ids = await an_installation(tmp_path / "here")
    there, report = settings_of(tmp_path / "there"), list[str]()

    files = await exported(settings, tmp_path / "out")
    done = await import_files(there, None, files, report.append)
    again = await import_files(there, None, files, report.append)

    assert [path.name for path in files] == ["Plans (2).json", "Plans.json"]
    assert (done, again) == (True, True)
    assert [line for line in report if "1 imported with 1 pairs, 0 here" in line] != []
    assert "0 imported with 0 pairs, 1 here already" in report[-1]
    texts = " ".join(path.read_text() for path in await exported(there, tmp_path / "again"))
    assert all(f"the words of {one}" in texts for one in ids)
    assert [path.name for path in list_files(tmp_path / "there") if path.name.startswith((".", "imports"))] == []


async def test_one_conversation_may_be_given_a_name_and_nothing_is_overwritten(tmp_path: Path) -> None:
    _, ids = await an_installation(tmp_path / "data")

    first = inview("export", ids[0], "--format", "md", "--out", "plans.md", folder=tmp_path)
    second = inview("export", ids[0], "--format", "md", "--out", "plans.md", folder=tmp_path)

    assert first.returncode == 0, first.stderr
    assert f"the words of {ids[0]}" in (tmp_path / "plans.md").read_text()
    assert (second.returncode, second.stdout) == (1, "")
    assert "exists, and is left as it is" in second.stderr


async def test_a_file_of_another_application_is_imported_and_what_fails_is_reported(tmp_path: Path) -> None:
    settings, report = settings_of(tmp_path / "data"), list[str]()
    talk = chatgpt(chatgpt_node("a", "root", text="Why?"), chatgpt_node("b", "a", "assistant", "So."))
    (tmp_path / "chats.json").write_text(json.dumps([talk]))
    (tmp_path / "bad.json").write_text("not a file of anybody")

    whole = await import_files(settings, None, [tmp_path / "chats.json", tmp_path / "bad.json"], report.append)

    assert not whole
    assert report[0].startswith("chats.json (chatgpt): 1 imported with 1 pairs")
    assert report[-1].startswith("bad.json: nothing was imported.")


async def test_a_person_or_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "data")

    with pytest.raises(NotFoundError, match="No person 'ann@example"):
        await export_to(settings, ExportWish(tmp_path / "out", owner="ann@example.org"), print)
    with pytest.raises(InputError, match=r"nothing\.json: is not there"):
        await import_files(settings, None, [tmp_path / "nothing.json"], print)
