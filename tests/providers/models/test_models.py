"""Models of a provider, and their known properties."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import orjson
import pytest
from genai_prices.data_snapshot import get_snapshot

from app.domain.errors import ErrorClass, ProviderError, SettingsError, failure
from app.domain.models.model_profile import UNKNOWN_WINDOW, Prices, ThinkingStyle
from app.domain.models.provider_trials import describe_trial_failure
from app.providers.base import Adapter, Credentials, ListedModel, ListedModels, Provider, load_adapter
from app.providers.models import detection, models, tariffs
from app.providers.models.abilities import abilities_of
from app.providers.models.detection import detect_local_servers
from app.providers.models.model_lists import RememberedList, read_remembered
from app.providers.models.models import NOT_FOR_CHAT, ModelLists
from app.providers.models.profiles import build_profile, is_local
from app.providers.registry import PROVIDERS, compatible_row, make_provider
from app.providers.wire.transport import Transport
from tests.providers.peer import Answer, a_peer
from tests.providers.playing import a_provider
from tests.work import counting

NOW = datetime(2026, 11, 1, tzinfo=UTC)
JSON = (("Content-Type", "application/json"),)


@pytest.fixture
async def transport() -> AsyncGenerator[Transport, None]:
    transport = Transport()
    yield transport
    await transport.close()


def a_list(*models: dict[str, object]) -> Answer:
    return Answer((json.dumps({"object": "list", "data": models}).encode(),), headers=JSON)


# --- profiles ---


def test_a_known_model_has_its_window_prices_and_abilities() -> None:
    profile = build_profile(a_provider("anthropic"), ListedModel("claude-sonnet-4-5-20250929"), NOW)

    assert profile.known
    assert profile.context_window >= 200_000
    assert profile.prices is not None
    assert profile.prices.input == Decimal(3)
    assert profile.prices.cache_read == Decimal("0.3")
    assert profile.prices.cache_write == Decimal("3.75")
    assert profile.prices.cache_write_1h == Decimal(6)
    assert (profile.images, profile.files, profile.tools) == (True, True, True)
    assert profile.thinking is ThinkingStyle.BUDGET


def test_an_unknown_model_gets_the_stated_default_and_unknown_prices() -> None:
    profile = build_profile(a_provider("groq"), ListedModel("nobody/knows-me"), NOW)

    assert not profile.known
    assert profile.context_window == UNKNOWN_WINDOW
    assert profile.prices is None
    assert (profile.images, profile.files, profile.tools) == (False, False, False)


def test_prices_are_those_valid_at_the_time() -> None:
    provider = a_provider("openai")
    before, after = (
        build_profile(provider, ListedModel("o3"), datetime(year, 1, 1, tzinfo=UTC)).prices for year in (2025, 2026)
    )

    assert isinstance(before, Prices)
    assert isinstance(after, Prices)
    assert before.input > after.input  # it became cheaper on 10 June 2025


def test_what_the_provider_lists_wins_over_the_tables() -> None:
    listed = ListedModel("claude-sonnet-4-5", "Listed", 123_456, 7_890, False, False, False, ThinkingStyle.ADAPTIVE)

    profile = build_profile(a_provider("anthropic"), listed, NOW)

    assert (profile.name, profile.context_window, profile.max_output_tokens) == ("Listed", 123_456, 7_890)
    assert (profile.images, profile.files, profile.tools) == (False, False, False)
    assert profile.thinking is ThinkingStyle.ADAPTIVE


def test_an_installation_knows_better() -> None:
    overrides = {"groq:mine": {"context_window": 32_768, "images": True}}

    profile = build_profile(a_provider("groq"), ListedModel("mine"), NOW, overrides)

    assert (profile.context_window, profile.images) == (32_768, True)


def test_an_override_of_what_no_profile_has_is_refused() -> None:
    with pytest.raises(SettingsError, match="no field 'colour'"):
        build_profile(a_provider("groq"), ListedModel("mine"), NOW, {"groq:mine": {"colour": "red"}})


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("claude-3-5-sonnet-20241022", ThinkingStyle.NONE),
        ("claude-3-7-sonnet-latest", ThinkingStyle.BUDGET),
        ("claude-opus-4-20250514", ThinkingStyle.BUDGET),
        ("claude-opus-4-1-20250805", ThinkingStyle.BUDGET),
        ("claude-opus-4-5-20251101", ThinkingStyle.BUDGET),
        ("anthropic/claude-sonnet-4.5", ThinkingStyle.BUDGET),
        ("claude-opus-4-6", ThinkingStyle.ADAPTIVE),
        ("claude-opus-4-7", ThinkingStyle.ADAPTIVE),
        ("claude-sonnet-5-5", ThinkingStyle.ADAPTIVE),
        ("claude-fable-5-2", ThinkingStyle.ADAPTIVE),
        ("gpt-4o", ThinkingStyle.NONE),
        ("gpt-4.1-mini", ThinkingStyle.NONE),
        ("gpt-5-mini", ThinkingStyle.EFFORT),
        ("gpt-5-chat-latest", ThinkingStyle.NONE),
        ("gpt-6.2-astra", ThinkingStyle.EFFORT),
        ("o4-mini-2025-04-16", ThinkingStyle.EFFORT),
        ("deepseek-reasoner", ThinkingStyle.ALWAYS),
        ("openai/gpt-oss-120b", ThinkingStyle.EFFORT),
        ("smollm2-135m", ThinkingStyle.NONE),
    ],
)
def test_families_think_as_their_vendors_say(name: str, style: ThinkingStyle) -> None:
    assert abilities_of(name).thinking is style


@pytest.mark.parametrize("name", ["claude-opus-4-7", "claude-opus-5", "claude-haiku-5-5", "gpt-5", "o3"])
def test_models_that_refuse_a_temperature_are_known(name: str) -> None:
    assert not abilities_of(name).sampling


@pytest.mark.parametrize("name", ["claude-opus-4-6", "claude-sonnet-4-5", "gpt-4o", "gemini-2.5-pro", "whatever"])
def test_models_that_take_a_temperature_are_known(name: str) -> None:
    assert abilities_of(name).sampling


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:8080", True),
        ("http://localhost:8080", True),
        ("http://[::1]:8080", True),
        ("http://192.168.1.9:8000", True),
        ("http://gpu.local:8000", True),
        ("http://ollama:11434", True),
        ("https://api.example.com", False),
        ("http://8.8.8.8:80", False),
    ],
)
def test_a_local_server_is_recognised_by_its_address(url: str, local: bool) -> None:
    credentials = Credentials(None, url)

    assert is_local(make_provider(compatible_row("mine", credentials), credentials)) is local


# --- lists ---


async def test_models_are_listed_in_the_providers_order_without_those_that_do_not_chat(transport: Transport) -> None:
    answer = a_list({"id": "b-chat"}, {"id": "text-embedding-3-small"}, {"id": "whisper-1"}, {"id": "a-chat"})

    async with a_peer(answer) as peer:
        profiles = await ModelLists(transport).load(a_provider("openai", peer.url))

    assert [profile.model for profile in profiles] == ["openai:b-chat", "openai:a-chat"]
    assert peer.heard[0].path == "/v1/models"
    assert peer.heard[0].method == "GET"


@pytest.mark.parametrize(
    "name",
    [
        "tts-1-hd",
        "gpt-4o-mini-tts",
        "veo-3.1",
        "sora-2",
        "mistral-ocr-latest",
        "gpt-live-1",
        "gpt-image-2",
        "omni-moderation",
    ],
)
def test_models_for_other_things_are_hidden(name: str) -> None:
    assert NOT_FOR_CHAT.search(name)


def test_profiles_of_a_routers_whole_list_take_few_calls_for_a_model() -> None:
    tables = get_snapshot().providers
    names = [model.id for table in tables if table.id == "openrouter" for model in table.models]
    assert len(names) > 500

    tariffs.find_entry.cache_clear()
    tariffs.read_tariff.cache_clear()
    with counting() as calls:
        profiles = [build_profile(a_provider("openrouter"), ListedModel(name), NOW) for name in names]

    # The list has about 260 names. Searching the rules of the price table for each of them takes 3,800 calls.
    assert calls.made < 400 * len(names)
    assert all(profile.known for profile in profiles)


@pytest.mark.parametrize("name", ["qwen3-asr-flash", "wan2.7-t2v", "happyhorse-1.0-i2v", "qwen3-livetranslate-flash"])
def test_alibabas_models_of_other_kinds_are_hidden(name: str) -> None:
    assert NOT_FOR_CHAT.search(name)


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o",
        "gpt-5.4-mini",
        "claude-opus-5",
        "llama-3.3-70b-versatile",
        "o3",
        "gemini-3-pro",
        "qwen-vl-max",
        "taiwan-llm",
    ],
)
def test_models_for_conversations_are_not_hidden(name: str) -> None:
    assert not NOT_FOR_CHAT.search(name)


async def test_a_list_is_asked_for_once_and_afresh_on_request(transport: Transport) -> None:
    async with a_peer(a_list({"id": "one"}), a_list({"id": "two"})) as peer:
        provider = a_provider("groq", peer.url)
        lists = ModelLists(transport)

        both = await asyncio.gather(lists.load(provider), lists.load(provider))
        assert [[profile.name for profile in profiles] for profiles in both] == [["one"], ["one"]]
        assert len(peer.heard) == 1

        (afresh,) = await lists.load(provider, afresh=True)
        assert afresh.name == "two"


async def test_name_of_a_model_is_that_of_the_last_list(transport: Transport) -> None:
    async with a_peer(a_list({"id": "one", "name": "Number One"}), a_list({"id": "one"})) as peer:
        provider, lists = a_provider("groq", peer.url), ModelLists(transport)
        names = [lists.name(provider, "groq:one")]
        for _ in range(2):
            await lists.load(provider, afresh=True)
            names.append(lists.name(provider, "groq:one"))

    assert names == ["one", "Number One", "one"]


async def test_all_callers_of_a_list_share_one_request_and_its_error(transport: Transport) -> None:
    async with a_peer(Answer((b"{}",), 500, JSON)) as peer:
        lists = ModelLists(transport)
        loading = (lists.load(a_provider("groq", peer.url)) for _ in range(5))

        faults = await asyncio.gather(*loading, return_exceptions=True)

    assert all(isinstance(fault, ProviderError) for fault in faults)
    assert len(peer.heard) == 1


async def test_lists_are_parsed_one_at_a_time_and_a_slow_one_delays_no_other(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, at_work, most = threading.Lock(), 0, 0
    release = threading.Event()

    def parse(_body: bytes) -> ListedModels:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        release.wait(30)
        with lock:
            at_work -= 1
        return ListedModels((ListedModel("one"),))

    adapter = replace(load_adapter("openai_compatible"), parse_models=parse)

    def load(_protocol: str) -> Adapter:
        return adapter

    monkeypatch.setattr(models, "load_adapter", load)
    listed = a_list({"id": "one"})
    async with a_peer(listed) as peer, a_peer(listed) as other, a_peer(Answer(then="silent")) as slow:
        lists = ModelLists(transport)
        waiting = asyncio.create_task(lists.load(a_provider("groq", slow.url)))
        await slow.until_heard(1)
        loading = [asyncio.create_task(lists.load(a_provider("groq", one.url))) for one in (peer, other)]
        await peer.until_heard(1)
        await other.until_heard(1)
        for _ in range(1_000):
            await asyncio.sleep(0)
        release.set()
        loaded = await asyncio.gather(*loading)
        waiting.cancel()

    assert [[profile.name for profile in profiles] for profiles in loaded] == [["one"], ["one"]]
    assert most == 1


async def test_a_list_is_loaded_although_its_first_caller_was_cancelled(transport: Transport) -> None:
    answer = a_list({"id": "mine"})
    async with a_peer(Answer((*answer.chunks, 0.01), headers=JSON)) as peer:
        provider = a_provider("groq", peer.url)
        lists = ModelLists(transport)
        first = asyncio.create_task(lists.load(provider))
        await peer.asked.wait()

        first.cancel()

        assert [profile.name for profile in await lists.load(provider)] == ["mine"]
    assert len(peer.heard) == 1


async def test_a_profile_is_had_without_asking_and_knows_the_list_once_it_was_loaded(transport: Transport) -> None:
    async with a_peer(a_list({"id": "mine", "max_model_len": 40_960})) as peer:
        provider = a_provider("groq", peer.url)
        lists = ModelLists(transport)

        assert lists.profile(provider, "groq:mine").context_window == UNKNOWN_WINDOW
        assert peer.heard == []

        await lists.load(provider)
        assert lists.profile(provider, "groq:mine").context_window == 40_960


async def test_a_list_that_cannot_be_had_says_why_and_is_asked_for_again(transport: Transport) -> None:
    refusing = Answer((b'{"error":{"message":"bad key"}}',), 401, JSON)

    async with a_peer(refusing, a_list({"id": "mine"})) as peer:
        provider = a_provider("groq", peer.url)
        lists = ModelLists(transport)

        with pytest.raises(ProviderError, match="bad key") as raised:
            await lists.load(provider)
        assert raised.value.failure.error_class is ErrorClass.AUTH
        assert len(await lists.load(provider)) == 1


NO_LISTS = {
    b"<!doctype html><title>Chat</title>": "it sent a web page.",
    b"\n<html><body>Hello</body></html>": "it sent a web page.",
    b"": "it sent nothing.",
    b"  \n": "it sent nothing.",
    b"Hello": "it sent data that is not JSON.",
    b"\xff\xfe": "it sent data that is not JSON.",
    b'{"data": [': "it sent data that is not JSON.",
    b"{}": 'it sent an object without the list "data".',
    b'{"models": []}': 'it sent an object without the list "data".',
    b'{"data": null}': 'it sent an object whose "data" is null instead of a list.',
    b'{"data": {"id": "m"}}': 'it sent an object whose "data" is an object instead of a list.',
    b"7": "it sent a number.",
    b'"text"': "it sent a text.",
    b"true": "it sent true or false.",
    b"[" + b"1," * 500_000 + b"1]": "it sent more than 400,000 values.",
}


@pytest.mark.parametrize(
    ("provider", "next_step"),
    [
        (
            make_provider(PROVIDERS["anthropic"], Credentials("k")),
            "Check this server's internet connection, then try again.",
        ),
        (
            make_provider(PROVIDERS["anthropic"], Credentials("k", "https://proxy.example/v1")),
            "Start the server or correct its base URL, then try again.",
        ),
        (
            make_provider(PROVIDERS["ollama"], Credentials()),
            "Start the server or correct its base URL, then try again.",
        ),
    ],
    ids=["vendor", "own address", "own server"],
)
def test_an_unreachable_vendor_means_no_internet_and_another_address_may_be_wrong(
    provider: Provider, next_step: str
) -> None:
    why = failure(ErrorClass.NETWORK, f"{provider.row.label} could not be reached.")

    assert describe_trial_failure(why, own_address=provider.own_address).next_step == next_step


@pytest.mark.parametrize("name", ["anthropic", "openai", "groq"])
@pytest.mark.parametrize(("body", "what"), NO_LISTS.items(), ids=range(len(NO_LISTS)))
async def test_what_is_no_list_is_named_with_its_address_and_the_next_step(
    transport: Transport, name: str, body: bytes, what: str
) -> None:
    async with a_peer(Answer((body,), headers=JSON)) as peer:
        provider = a_provider(name, peer.url)
        lists = ModelLists(transport)
        with pytest.raises(ProviderError) as raised:
            await lists.load(provider)

    said = raised.value.failure
    asked = f"{provider.row.label} at {provider.base_url}"
    assert said.message == f"{asked} did not return a list of models: {what}"
    end = "" if provider.base_url.endswith("/v1") else "; it often ends with /v1"
    assert said.next_step == f"Check the address{end}."
    assert describe_trial_failure(said).next_step == said.next_step


@pytest.mark.parametrize("name", ["anthropic", "openai"])
async def test_list_of_another_form_is_reported(transport: Transport, name: str) -> None:
    async with a_peer(Answer((b'[{"id": "m"}]',), headers=JSON)) as peer:
        with pytest.raises(ProviderError, match="it sent a list of another format"):
            await ModelLists(transport).load(a_provider(name, peer.url))


async def test_error_instead_of_a_list_is_reported_in_the_words_of_the_provider(transport: Transport) -> None:
    async with a_peer(Answer((b'{"error": {"type": "overloaded_error", "message": "Busy"}}',), headers=JSON)) as peer:
        with pytest.raises(ProviderError, match="Busy") as raised:
            await ModelLists(transport).load(a_provider("groq", peer.url))

    assert raised.value.failure.error_class is ErrorClass.OVERLOADED


@pytest.mark.parametrize("body", [b'{"data":[1]}', b'{"data":[{"name":"no id"}]}'])
async def test_list_of_invalid_entries_is_reported_with_the_first(transport: Transport, body: bytes) -> None:
    async with a_peer(Answer((body,), headers=JSON)) as peer:
        for name in ("anthropic", "openai", "groq"):
            with pytest.raises(ProviderError, match=r"cannot be read \(entry 1: "):
                await ModelLists(transport).load(a_provider(name, peer.url))


async def test_without_a_key_no_list_is_asked_for(transport: Transport) -> None:
    async with a_peer(a_list()) as peer:
        with pytest.raises(ProviderError, match='There is no key for provider "groq"'):
            await ModelLists(transport).load(a_provider("groq", peer.url, key=None))

    assert peer.heard == []


async def test_the_offline_models_are_known_with_and_without_their_list(transport: Transport) -> None:
    lists = ModelLists(transport)
    provider = a_provider("offline")

    before = lists.profile(provider, "offline:tiny")
    listed = await lists.load(provider)

    assert before in listed
    assert before.context_window == 2_048
    assert {profile.model for profile in listed} == {"offline:demo", "offline:tiny"}
    assert all(profile.known and profile.local for profile in listed)


# Each has the shape that its vendor documents or sends.
@pytest.mark.parametrize(
    ("protocol", "model", "expected"),
    [
        (
            "anthropic",
            {
                "id": "claude-x", "type": "model", "display_name": "Claude X", "max_input_tokens": 1_000_000,
                "max_tokens": 128_000, "capabilities": {
                    "image_input": {"supported": True}, "pdf_input": {"supported": False},
                    "thinking": {"supported": True, "types": {"adaptive": {"supported": True}}},
                },
            },
            ListedModel("claude-x", "Claude X", 1_000_000, 128_000, True, False, None, ThinkingStyle.ADAPTIVE),
        ),
        ("anthropic", {"id": "claude-y", "display_name": "Y"}, ListedModel("claude-y", "Y")),
        ("openai", {"id": "gpt-x", "object": "model", "owned_by": "openai"}, ListedModel("gpt-x")),
        (
            "openai_compatible",
            {"id": "smollm2", "owned_by": "llamacpp", "meta": {"n_ctx_train": 8192, "n_params": 1}},
            ListedModel("smollm2", context_window=8192),
        ),
        ("openai_compatible", {"id": "v", "max_model_len": 4096}, ListedModel("v", context_window=4096)),
        (
            "openai_compatible",
            {
                "id": "or/x", "name": "X by OR", "context_length": 65_536, "supported_parameters": ["tools", "seed"],
                "architecture": {"input_modalities": ["text", "image"]}, "top_provider": {"max_completion_tokens": 99},
            },
            ListedModel("or/x", "X by OR", 65_536, 99, True, False, True, structured=False),
        ),
        (
            "openai_compatible",
            {"id": "m", "max_context_length": 32_768, "capabilities": {"vision": True, "function_calling": True}},
            ListedModel("m", None, 32_768, None, True, None, True),
        ),
    ],
)  # fmt: skip
def test_lists_are_read_with_what_vendors_add(protocol: str, model: dict[str, object], expected: ListedModel) -> None:
    body = json.dumps({"object": "list", "data": [model]}).encode()

    assert load_adapter(protocol).parse_models(body) == ListedModels((expected,))


def test_a_bare_list_of_models_is_read_too() -> None:
    assert load_adapter("openai_compatible").parse_models(b'[{"id":"m"}]') == ListedModels((ListedModel("m"),))


# --- detection ---


async def test_a_local_server_that_lists_models_is_found() -> None:
    async with a_peer(a_list({"id": "smollm2"})) as peer:
        port = int(peer.url.rpartition(":")[2])
        (found,) = await detect_local_servers([replace(PROVIDERS["llamacpp"], local_port=port), PROVIDERS["openai"]])

    assert found.base_url == f"http://127.0.0.1:{port}/v1"
    assert found.origin == "detected"
    assert found.ready


@pytest.mark.parametrize(
    "answer",
    [
        Answer((b"<html>A router's page</html>",), headers=(("Content-Type", "text/html"),)),
        Answer((b"[]",), headers=JSON),
        Answer((b"{}",), status=404, headers=JSON),
        Answer((b"{",), then="cut"),
    ],
)
async def test_another_program_on_the_port_is_not_taken_for_a_model_server(answer: Answer) -> None:
    async with a_peer(answer) as peer:
        port = int(peer.url.rpartition(":")[2])

        assert await detect_local_servers([replace(PROVIDERS["llamacpp"], local_port=port)]) == ()


async def test_a_server_that_says_nothing_is_left_when_the_limit_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else would end this: the server never answers, and never disconnects."""
    assert detection.ANSWER_SECONDS <= 0.5
    monkeypatch.setattr(detection, "ANSWER_SECONDS", 0.05)

    async with a_peer(Answer(then="silent")) as peer:
        port = int(peer.url.rpartition(":")[2])
        assert await detect_local_servers([replace(PROVIDERS["llamacpp"], local_port=port)]) == ()
        await peer.until_left()


async def test_port_without_a_server_is_no_error() -> None:
    assert await detect_local_servers([replace(PROVIDERS["llamacpp"], local_port=1)]) == ()


LIES: tuple[object, ...] = (
    {"id": 7}, {"id": None}, {}, {"id": ""}, {"id": ["m"]}, {"id": "two words"}, {"id": "m\u202eevil"}, {"id": "m\n"},
    {"id": "x" * 300}, "m", None, 7, [],
)  # fmt: skip
WINDOW_LIES = ("8192", 8192.5, 8192.0, -1, 2**63, 1e300, True, [8192], {"tokens": 8192}, "NaN")


@pytest.mark.parametrize("protocol", ["anthropic", "openai", "openai_compatible"])
@pytest.mark.parametrize("entry", LIES, ids=repr)
def test_an_entry_without_a_usable_name_is_left_out_and_named(protocol: str, entry: object) -> None:
    body = json.dumps({"data": [{"id": "good"}, entry, {"id": "<b>bold</b>"}]}).encode()

    listed = load_adapter(protocol).parse_models(body)

    assert [model.name for model in listed.models] == ["good", "<b>bold</b>"]
    assert len(listed.skipped) == 1
    assert listed.skipped[0].startswith("entry 2: ")


@pytest.mark.parametrize(
    ("protocol", "field"),
    [("anthropic", "max_input_tokens"), ("anthropic", "max_tokens"), ("openai_compatible", "context_length"),
     ("openai_compatible", "max_model_len"), ("openai_compatible", "max_completion_tokens")],
)  # fmt: skip
@pytest.mark.parametrize("window", WINDOW_LIES, ids=repr)
def test_an_entry_with_a_count_that_is_none_is_left_out_and_named(protocol: str, field: str, window: object) -> None:
    body = json.dumps({"data": [{"id": "liar", field: window}, {"id": "good"}]}).encode()

    listed = load_adapter(protocol).parse_models(body)

    assert [model.name for model in listed.models] == ["good"]
    assert listed.skipped[0].startswith(f"entry 1: {field} is ")


@pytest.mark.parametrize(
    "field", ["meta", "top_provider", "capabilities", "architecture", "supported_parameters", "name"]
)
def test_an_entry_with_another_field_of_a_wrong_type_is_left_out_too(field: str) -> None:
    body = json.dumps({"data": [{"id": "liar", field: 7}, {"id": "good"}]}).encode()

    listed = load_adapter("openai_compatible").parse_models(body)

    assert [model.name for model in listed.models] == ["good"]
    assert listed.skipped == (f"entry 1: {field} is 7",)


def test_of_ten_thousand_models_two_thousand_are_kept_and_the_rest_is_reported() -> None:
    body = json.dumps({"data": [{"id": f"model-{number}"} for number in range(10_000)]}).encode()

    listed = load_adapter("openai_compatible").parse_models(body)

    assert len(listed.models) == 2_000
    assert listed.skipped == ("8,000 entries after the first 2,000 models",)


def test_remembered_models_that_cannot_be_right_are_left_out(tmp_path: Path) -> None:
    provider = make_provider(PROVIDERS["openai"], Credentials("k"))
    models = (ListedModel("good"), ListedModel("liar", context_window=-1), ListedModel("\u202e"))
    path = tmp_path / "lists.json"
    path.write_bytes(orjson.dumps({"openai": RememberedList(provider.base_url, models)}))

    assert read_remembered(path).find(provider) == (ListedModel("good"),)
