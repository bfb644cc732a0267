"""Data of providers on their models, known again after a restart."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.domain.errors import ProviderError
from app.domain.models.model_profile import UNKNOWN_WINDOW, ThinkingStyle
from app.providers.base import ListedModel, Provider
from app.providers.models.model_lists import LISTS_FILE, RememberedLists, read_remembered
from app.providers.models.models import ModelLists
from app.providers.wire.transport import Transport
from tests.providers.peer import Answer, a_peer
from tests.providers.playing import a_provider

JSON = (("Content-Type", "application/json"),)
WINDOW = 40_960


@pytest.fixture
async def transport() -> AsyncGenerator[Transport, None]:
    transport = Transport()
    yield transport
    await transport.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / LISTS_FILE


def files_beside(path: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in path.parent.iterdir()}


def a_list(window: int = WINDOW) -> Answer:
    return Answer((json.dumps({"data": [{"id": "mine", "max_model_len": window}]}).encode(),), headers=JSON)


def window_of(lists: ModelLists, provider: Provider) -> int:
    return lists.profile(provider, f"{provider.name}:mine").context_window


async def test_reported_data_of_a_provider_are_known_after_a_restart_without_a_request(
    transport: Transport, path: Path
) -> None:
    async with a_peer(a_list()) as peer:
        provider = a_provider("groq", peer.url)
        await ModelLists(transport, read_remembered(path)).load(provider)
        after = ModelLists(transport, read_remembered(path))

        assert window_of(after, provider) == WINDOW
        assert [profile.context_window for profile in after.known(provider)] == [WINDOW]
        assert len(peer.heard) == 1


async def test_a_remembered_list_is_requested_again_and_the_new_data_count(transport: Transport, path: Path) -> None:
    async with a_peer(a_list(), a_list(4_096)) as peer:
        provider = a_provider("groq", peer.url)
        await ModelLists(transport, read_remembered(path)).load(provider)
        after = ModelLists(transport, read_remembered(path))
        await after.load(provider)

    assert window_of(after, provider) == 4_096
    assert window_of(ModelLists(transport, read_remembered(path)), provider) == 4_096


async def test_a_provider_that_is_away_after_a_restart_leaves_what_is_remembered(
    transport: Transport, path: Path
) -> None:
    async with a_peer(a_list(), Answer((b"{}",), 503, JSON)) as peer:
        provider = a_provider("groq", peer.url)
        await ModelLists(transport, read_remembered(path)).load(provider)
        after = ModelLists(transport, read_remembered(path))
        with pytest.raises(ProviderError):
            await after.load(provider)

    assert window_of(after, provider) == WINDOW


async def test_data_reported_at_another_address_are_not_used(transport: Transport, path: Path) -> None:
    async with a_peer(a_list()) as peer:
        await ModelLists(transport, read_remembered(path)).load(a_provider("groq", peer.url))

    elsewhere = a_provider("groq", "http://127.0.0.1:9")
    assert window_of(ModelLists(transport, read_remembered(path)), elsewhere) == UNKNOWN_WINDOW


async def test_data_that_this_code_has_are_not_stored(transport: Transport, path: Path) -> None:
    await ModelLists(transport, read_remembered(path)).load(a_provider("offline"))

    assert files_beside(path) == {}


async def test_lists_that_come_at_once_are_all_remembered_whole_and_without_keys(path: Path) -> None:
    models = (
        ListedModel("a", "Ä", 1, 2, True, False, None, ThinkingStyle.BUDGET, structured=True),
        ListedModel("b"),
    )
    providers = [a_provider(name, "http://127.0.0.1:9") for name in ("groq", "xai", "together")]
    remembered = RememberedLists(path)

    await asyncio.gather(*(remembered.keep(provider, models) for provider in providers))

    assert [read_remembered(path).find(provider) for provider in providers] == [models] * 3
    (content,) = files_beside(path).values()
    assert not [provider for provider in providers if (provider.key or "") in content]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"groq": {"base_url": "x", "models": [{}]}}', b"\xff"])
def test_a_damaged_file_is_reported_and_written_again(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    provider = a_provider("groq", "http://127.0.0.1:9")

    with capture_logs() as logs:
        remembered = read_remembered(path)
    found = remembered.find(provider)
    asyncio.run(remembered.keep(provider, (ListedModel("a"),)))

    assert found is None
    assert [entry["log_level"] for entry in logs] == ["warning"]
    assert read_remembered(path).find(provider) == (ListedModel("a"),)


async def test_a_list_that_cannot_be_written_is_used_and_the_error_reported(path: Path) -> None:
    remembered = RememberedLists(path.parent / "no folder" / path.name)
    provider = a_provider("groq", "http://127.0.0.1:9")

    with capture_logs() as logs:
        await remembered.keep(provider, (ListedModel("a"),))

    assert remembered.find(provider) == (ListedModel("a"),)
    assert [entry["log_level"] for entry in logs] == ["warning"]


def test_additional_data_of_a_newer_inview_are_ignored(path: Path) -> None:
    told = {"base_url": "http://127.0.0.1:9/v1", "models": [{"name": "a", "smell": "sweet"}], "at": 1}
    path.write_text(json.dumps({"groq": told}))

    assert read_remembered(path).find(a_provider("groq", "http://127.0.0.1:9")) == (ListedModel("a"),)
