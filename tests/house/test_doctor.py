"""`inview doctor`: each check finds what it is for, says what to do, and nothing else is a fault."""

from __future__ import annotations

import json
import os
import time
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.cli import build, doctor
from app.cli.checks import Check, Status
from app.cli.doctor import check_installation
from app.cli.doctor_online import check_online, describe_skew
from app.domain.errors import SettingsError
from app.runs.library.provider_commands import save_provider
from app.runs.send.commands import LOCAL_OWNER
from app.runs.wiring import open_workbench
from app.settings import Settings, load_settings
from app.store.database.encryption import KEY_FILE
from tests.house.test_command import inview
from tests.providers.peer import Answer, a_peer
from tests.runs.steps import a_conversation, reply_to, settings_of
from tests.serving import free_port

MODELS = json.dumps({"object": "list", "data": [{"id": "tiny", "object": "model"}]}).encode()


@pytest.fixture(autouse=True)
def the_page_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "is_built", lambda: True)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "data").mkdir(mode=0o700)
    made = settings_of(tmp_path / "data", INVIEW_PORT=str(free_port()))
    (tmp_path / "data" / "inview.db").chmod(0o600)
    return made


def bad_ones(checks: list[Check]) -> list[tuple[str, Status]]:
    return [(check.name, check.status) for check in checks if check.status is not Status.OK]


async def test_a_healthy_installation_with_calls_has_nothing_to_report(settings: Settings) -> None:
    async with open_workbench(settings) as wb:
        await reply_to(wb, await a_conversation(wb), "hello")
    for path in settings.data_dir.iterdir():
        path.chmod(0o600)

    checks = await check_installation(settings)

    assert bad_ones(checks) == []
    assert [check.name for check in checks] == [
        "settings",
        "folder",
        "disk",
        "port",
        "page",
        "database",
        "integrity",
        "keys",
    ]


async def test_files_that_others_can_read_are_named(settings: Settings) -> None:
    (settings.data_dir / "inview.db").chmod(0o644)

    [found] = [check for check in await check_installation(settings) if check.name == "folder"]

    assert found.status is Status.WARNING
    assert "inview.db" in found.message


@pytest.mark.parametrize(("free", "status"), [(1_000, Status.FAULT), (100_000_000, Status.WARNING)])
async def test_a_disk_without_room_is_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, free: int, status: Status
) -> None:
    def usage(_folder: Path) -> SimpleNamespace:
        return SimpleNamespace(free=free)

    monkeypatch.setattr(doctor.shutil, "disk_usage", usage)

    assert bad_ones(await check_installation(settings)) == [("disk", status)]


async def test_a_port_that_another_program_has_is_a_fault(settings: Settings) -> None:
    async with a_peer(Answer(status=404)) as peer:
        taken = load_settings({"INVIEW_DATA_DIR": str(settings.data_dir), "INVIEW_PORT": peer.url.rpartition(":")[2]})
        checks = await check_installation(taken)

    assert bad_ones(checks) == [("port", Status.FAULT)]
    assert peer.heard[0].path == "/api/v1/health"


async def test_a_port_that_this_inview_has_is_none(settings: Settings) -> None:
    async with a_peer(Answer((b'{"status": "ok", "version": "0"}',))) as peer:
        taken = load_settings({"INVIEW_DATA_DIR": str(settings.data_dir), "INVIEW_PORT": peer.url.rpartition(":")[2]})
        checks = await check_installation(taken)

    assert bad_ones(checks) == []


async def test_a_page_that_cannot_be_built_is_a_fault(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(build, "is_built", lambda: False)
    assert bad_ones(await check_installation(settings)) == [("page", Status.WARNING)]

    monkeypatch.setattr(doctor.sys, "executable", str(tmp_path / "python"))
    assert ("page", Status.FAULT) in bad_ones(await check_installation(settings))


async def test_a_key_that_the_key_file_does_not_open_is_a_fault(settings: Settings) -> None:
    async with open_workbench(settings) as wb:
        await save_provider(wb, LOCAL_OWNER, "anthropic", key="sk-ant-secret")
    (settings.data_dir / KEY_FILE).unlink()

    [found] = [check for check in await check_installation(settings) if check.name == "keys"]

    assert found.status is Status.FAULT
    assert found.message.startswith("The secret of provider anthropic: The key file")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer((MODELS,), headers=(("Content-Type", "application/json"),)), ("models", Status.OK)),
        (Answer((b"{}",), status=401), ("keys", Status.FAULT)),
        (Answer((b"{}",), status=503), ("models", Status.FAULT)),
    ],
    ids=["accepted", "key refused", "out of order"],
)
async def test_providers_are_asked_online(settings: Settings, answer: Answer, expected: tuple[str, Status]) -> None:
    async with a_peer(answer) as peer:
        checks = await check_online(with_server(settings, peer.url))

    found = [(check.name, check.status) for check in checks if "Near" in check.message or "near" in check.message]
    assert expected in found


async def test_the_clock_is_compared_with_what_a_provider_says(settings: Settings) -> None:
    late = Answer((MODELS,), headers=(("Date", formatdate(time.time() + 4_000, usegmt=True)),))
    async with a_peer(late) as peer:
        checks = await check_online(with_server(settings, peer.url))

    [clock] = [check for check in checks if check.name == "clock"]
    assert clock.status is Status.FAULT
    assert "behind" in clock.message


@pytest.mark.parametrize(
    ("skew", "status", "says"),
    [
        (0.0, Status.OK, "agrees"),
        (-59.0, Status.OK, "agrees"),
        (120.0, Status.WARNING, "120 s behind"),
        (-120.0, Status.WARNING, "120 s ahead"),
        (-400.0, Status.FAULT, "400 s ahead"),
    ],
)
def test_a_skew_is_judged(skew: float, status: Status, says: str) -> None:
    found = describe_skew(skew, "https://models.example.org")

    assert found.status is status
    assert says in found.message


def with_server(settings: Settings, url: str) -> Settings:
    return load_settings({"INVIEW_DATA_DIR": str(settings.data_dir), "INVIEW_COMPATIBLE": f"near={url}/v1,key-of-near"})


def test_a_mistyped_name_of_a_setting_gets_the_nearest_known_one() -> None:
    with pytest.raises(SettingsError, match=r"INVIEW_PROT is not a setting of Inview\. Did you mean INVIEW_PORT\?"):
        load_settings({"INVIEW_PROT": "3000"})


def test_it_answers_in_json_for_programs(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")

    shown = inview("doctor", "--json", folder=tmp_path, OPENAI_API_KEY="key-of-openai")

    told = json.loads(shown.stdout)
    assert (shown.returncode, told["ok"]) == (1, False)
    assert told["checks"][-1]["name"] == "folder"
    assert told["checks"][-1]["status"] == "fault"
    assert "key-of" not in shown.stdout


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of this machine does not lead to the peer."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
