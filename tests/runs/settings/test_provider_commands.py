from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.errors import ErrorClass, InputError, StoreError
from app.providers.base import Credentials
from app.providers.models.detection import detect_local_servers
from app.providers.registry import PROVIDERS
from app.runs.app_context import AppContext
from app.runs.runtime import catalogue
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send, start_reply
from app.runs.send.send_request import SendRequest
from app.runs.settings.provider_commands import (
    PATIENCE_SECONDS,
    ProviderSetup,
    list_models,
    list_providers,
    remove_provider,
    save_provider,
)
from app.runs.wiring import open_app_context
from tests.providers.peer import Answer, a_peer
from tests.runs.clock import LoopClock
from tests.runs.steps import a_conversation, collect, reply_to, settings_of

KEY = "sk-very-secret-1234567890"
JSON = (("Content-Type", "application/json"),)
MODELS = Answer((b'{"object":"list","data":[{"id":"small-model"},{"id":"text-embed"}]}',), headers=JSON)
REPLY = Answer(
    (
        b'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
        b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    )
)


async def setup_of(ctx: AppContext, name: str) -> ProviderSetup | None:
    return next((one for one in await list_providers(ctx, LOCAL_OWNER) if one.name == name), None)


def read_files(folder: Path) -> dict[str, str]:
    """Return every file in a folder by its name, each byte as one character."""
    return {path.name: path.read_bytes().decode("latin-1") for path in folder.iterdir() if path.is_file()}


async def test_a_key_is_nowhere_in_clear_but_in_the_call_it_is_for(
    data: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    async with a_peer(REPLY) as peer:
        with capture_logs() as logs:
            async with open_app_context(settings_of(data)) as ctx:
                await save_provider(ctx, LOCAL_OWNER, "mine", key=KEY, base_url=f"{peer.url}/v1")
                conversation_id = await a_conversation(ctx, model="mine:any")
                preview = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hi"))
                started = await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("Hi"))
                shown = repr((ctx, ctx.engine.runs, preview, await list_providers(ctx, LOCAL_OWNER)))
                await collect(ctx, started.run_id)
                peer.answers = [Answer((b'{"error":{"message":"bad key"}}',), status=401, headers=JSON)]
                failed = await reply_to(ctx, conversation_id, "Hi")
                assert failed.pair.failure is not None
                assert failed.pair.failure.error_class is ErrorClass.AUTH

    assert peer.heard[0].headers["authorization"] == f"Bearer {KEY}"
    contents = read_files(data)
    assert contents.keys() >= {"inview.db", "inview.key"}
    output = capfd.readouterr()
    for where in (*contents.values(), shown, str(logs), caplog.text, output.out, output.err):
        assert KEY not in where


async def test_what_was_entered_is_there_after_a_restart_and_shows_that_there_is_a_key(data: Path) -> None:
    async with open_app_context(settings_of(data)) as ctx:
        before = await setup_of(ctx, "anthropic")
        assert before is not None
        assert (before.ready, before.has_key, before.entered, before.origin) == (False, False, False, "built in")
        await save_provider(ctx, LOCAL_OWNER, "anthropic", key=f" {KEY}\n")

    async with open_app_context(settings_of(data)) as ctx:
        after = await setup_of(ctx, "anthropic")
        assert after is not None
        assert (after.ready, after.has_key, after.entered_key, after.origin) == (True, True, True, "settings")
        assert after.entered_base_url is None


async def test_key_and_base_url_are_entered_and_removed_apart(ctx: AppContext) -> None:
    await save_provider(ctx, LOCAL_OWNER, "openai", key=KEY)
    await save_provider(ctx, LOCAL_OWNER, "openai", base_url="http://127.0.0.1:9/v1")
    both = await setup_of(ctx, "openai")
    await save_provider(ctx, LOCAL_OWNER, "openai", key="")
    url_only = await setup_of(ctx, "openai")
    await save_provider(ctx, LOCAL_OWNER, "openai", base_url="")
    nothing = await setup_of(ctx, "openai")

    assert both is not None
    assert url_only is not None
    assert nothing is not None
    assert (both.entered_key, both.entered_base_url) == (True, "http://127.0.0.1:9/v1")
    assert (url_only.entered_key, url_only.entered_base_url) == (False, "http://127.0.0.1:9/v1")
    assert nothing.entered is False


async def test_a_custom_server_is_added_and_removed(ctx: AppContext) -> None:
    await save_provider(ctx, LOCAL_OWNER, "attic", base_url="http://127.0.0.1:9/v1")
    assert (await setup_of(ctx, "attic")) is not None

    await remove_provider(ctx, LOCAL_OWNER, "attic")
    await remove_provider(ctx, LOCAL_OWNER, "attic")

    assert (await setup_of(ctx, "attic")) is None


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("No Name!", {"base_url": "http://127.0.0.1:9/v1"}),
        ("attic", {"key": KEY}),
        ("openai", {"base_url": "ftp://example.org"}),
        ("openai", {"key": "sk with blanks"}),
    ],
)
async def test_what_cannot_be_used_is_refused_and_not_stored(
    ctx: AppContext, name: str, fields: dict[str, str]
) -> None:
    before = await list_providers(ctx, LOCAL_OWNER)

    with pytest.raises(InputError) as refused:
        await save_provider(ctx, LOCAL_OWNER, name, **fields)

    assert KEY not in str(refused.value)
    assert await list_providers(ctx, LOCAL_OWNER) == before


async def test_settings_of_one_owner_are_not_anothers(ctx: AppContext) -> None:
    await save_provider(ctx, LOCAL_OWNER, "anthropic", key=KEY)

    theirs = {one.name: one for one in await list_providers(ctx, "bob")}

    assert theirs["anthropic"].has_key is False


async def test_a_lost_key_file_is_reported_with_the_next_step(data: Path) -> None:
    async with open_app_context(settings_of(data)) as ctx:
        await save_provider(ctx, LOCAL_OWNER, "anthropic", key=KEY)
    (data / "inview.key").unlink()

    async with open_app_context(settings_of(data)) as ctx:
        with pytest.raises(StoreError, match=r"inview\.key is missing"):
            await list_providers(ctx, LOCAL_OWNER)


async def test_models_are_listed_by_provider_and_a_list_that_fails_says_why(data: Path) -> None:
    async with a_peer(MODELS) as peer:
        settings = settings_of(data, INVIEW_COMPATIBLE=f"peer={peer.url}/v1; down=http://127.0.0.1:9/v1")
        async with open_app_context(settings) as ctx:
            offers = {offer.provider.name: offer for offer in await list_models(ctx, LOCAL_OWNER)}

            assert [model.model for model in offers["offline"].models] == ["offline:demo", "offline:tiny"]
            assert [model.model for model in offers["peer"].models] == ["peer:small-model"]
            assert offers["down"].models == ()
            assert offers["down"].failure is not None
            assert offers["down"].failure.error_class is ErrorClass.NETWORK
            assert "anthropic" not in offers  # it has no key: it cannot be asked for models
            asked = len(peer.heard)
            await list_models(ctx, LOCAL_OWNER)
            assert len(peer.heard) == asked
            await list_models(ctx, LOCAL_OWNER, afresh=True)
            assert len(peer.heard) == asked + 1


async def test_a_slow_provider_delays_no_other_list(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_peer(Answer(then="silent")) as slow, a_peer(MODELS) as quick:
        settings = settings_of(data, INVIEW_COMPATIBLE=f"slow={slow.url}/v1; peer={quick.url}/v1")
        async with open_app_context(settings) as ctx:
            listing = asyncio.create_task(list_models(ctx, LOCAL_OWNER))
            await slow.until_heard(1)
            others = [task for task in asyncio.all_tasks() if task.get_name() in {"offer of peer", "offer of offline"}]
            await asyncio.gather(*others)

            await LoopClock.at_work(monkeypatch).move(
                PATIENCE_SECONDS
            )  # once: the request itself ends after ten seconds
            offers = {offer.provider.name: offer for offer in await listing}

            assert [model.model for model in offers["peer"].models] == ["peer:small-model"]
            assert offers["slow"].failure is not None
            assert "has not listed its models yet" in offers["slow"].failure.message
            assert not slow.left.is_set(), "it is asked on"


async def test_local_server_on_its_usual_port_is_found_offered_and_asked(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_peer(MODELS, MODELS, REPLY) as peer:
        here = replace(PROVIDERS["ollama"], local_port=int(peer.url.rpartition(":")[2]))
        monkeypatch.setattr(catalogue, "detect_local_servers", partial(detect_local_servers, [here]))

        offers = {offer.provider.name: offer for offer in await list_models(ctx, LOCAL_OWNER)}
        found = await setup_of(ctx, "ollama")
        told = await reply_to(ctx, await a_conversation(ctx, model="ollama:small-model"), "Hi")

    assert [model.model for model in offers["ollama"].models] == ["ollama:small-model"]
    assert found is not None
    assert (found.origin, found.ready, found.has_key) == ("detected", True, False)
    assert told.pair.lifecycle is Lifecycle.SUCCEEDED
    assert [heard.path for heard in peer.heard] == ["/v1/models", "/v1/models", "/v1/chat/completions"]


async def test_a_key_changed_in_settings_is_used_by_the_next_send(data: Path) -> None:
    async with a_peer(REPLY) as peer, open_app_context(settings_of(data)) as ctx:
        await save_provider(ctx, LOCAL_OWNER, "mine", key="sk-old", base_url=f"{peer.url}/v1")
        conversation_id = await a_conversation(ctx, model="mine:any")
        await reply_to(ctx, conversation_id, "Hi")

        await save_provider(ctx, LOCAL_OWNER, "mine", key="sk-new")
        await reply_to(ctx, conversation_id, "Hi")

        assert [heard.headers["authorization"] for heard in peer.heard] == ["Bearer sk-old", "Bearer sk-new"]


def test_credentials_show_no_key() -> None:
    assert KEY not in repr(Credentials(KEY))
