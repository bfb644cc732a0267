"""The start page offers the models of servers that were found on this machine."""

from __future__ import annotations

import json

import pytest

from app.providers.base import Credentials
from app.providers.registry import PROVIDERS, make_provider
from app.runs.app_context import AppContext
from app.runs.runtime import catalogue
from app.state.conversation.model import LocalServer, ModelState
from tests.providers.peer import Answer, a_peer
from tests.state.conftest import Tab


async def test_server_that_is_found_is_offered_with_its_first_model(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = json.dumps({"data": [{"id": "llama3.2:3b"}, {"id": "qwen3:8b"}]}).encode()
    async with a_peer(Answer((names,))) as peer:
        found = make_provider(PROVIDERS["ollama"], Credentials(base_url=f"{peer.url}/v1"), "detected")

        async def find() -> tuple[object, ...]:
            return (found,)

        monkeypatch.setattr(catalogue, "detect_local_servers", find)
        await tab.send(ModelState.load)
        assert tab.shows(ModelState, "local") == ()
        await tab.send(ModelState.find_local)
        assert tab.shows(ModelState, "local") == (LocalServer("Ollama", "ollama:llama3.2:3b", "llama3.2:3b"),)

        await tab.send(ModelState.choose, model="ollama:llama3.2:3b")
    assert tab.shows(ModelState, "chosen_name") == "llama3.2:3b"
