"""Follows `docs/adding-a-provider.md`, with the exact code of that page."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import orjson
import pytest

from app.domain.conversation.conversation import Parameters
from app.domain.conversation.parts import Text
from app.domain.errors import ErrorClass, InputError
from app.domain.stream.stream_events import Stopped, StopReason
from app.domain.usage import Usage
from app.providers import base, registry
from app.providers.base import Adapter, Credentials, Provider, ProviderRow, encode, load_adapter
from app.providers.models.models import ModelLists
from app.providers.registry import build_providers, make_provider
from app.providers.wire.transport import Transport
from tests.providers.peer import Answer, a_peer
from tests.providers.playing import a_profile, a_request, ask, play, read_recording

PAGE = Path(__file__).parents[2] / "docs/adding-a-provider.md"
GREETING = "Hello, world. Grüße aus\nOslo 🌍"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def a_row(source: str) -> ProviderRow:
    row = eval(source, vars(base) | vars(registry))  # the page's own code is tested
    assert isinstance(row, ProviderRow)
    return row


VENDOR_ROW, ADAPTER_FILE, PROTOCOL_ROW = blocks("python")
(RECORDING,) = blocks("text")


@pytest.fixture
def plainly() -> Generator[ProviderRow, None, None]:
    """Load the page's adapter file, as if it were in `app/providers/vendors`."""
    path = re.match(r"# app/providers/vendors/(\w+)\.py\n", ADAPTER_FILE)
    assert path is not None
    name = f"app.providers.vendors.{path[1]}"
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    exec(compile(ADAPTER_FILE, f"{path[1]}.py", "exec"), vars(module))
    sys.modules[name] = module
    yield a_row(PROTOCOL_ROW)
    del sys.modules[name]
    load_adapter.cache_clear()


def a_plainly(row: ProviderRow, base_url: str | None = None) -> Provider:
    return make_provider(row, Credentials("k", base_url))


async def test_a_compatible_vendor_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    row = a_row(VENDOR_ROW)
    monkeypatch.setattr(registry, "PROVIDERS", {**registry.PROVIDERS, row.name: row})
    body = read_recording("openai_compatible", "text")

    async with a_peer(Answer((body,))) as peer:
        acme = build_providers({"ACME_API_KEY": "k1"}, {"acme": Credentials(base_url=peer.url)}, {})["acme"]
        request = replace(a_request(model="acme:one"), parameters=Parameters(max_output_tokens=9))
        transport = Transport()
        told = await ask(transport, acme, request)
        await transport.close()

    assert told.parts == (Text(GREETING),)
    (heard,) = peer.heard
    assert heard.headers["authorization"] == "Bearer k1"
    assert orjson.loads(heard.body)["max_completion_tokens"] == 9
    with pytest.raises(InputError, match="Acme AI does not support a seed"):
        encode(acme, replace(request, parameters=Parameters(seed=1)), a_profile(), {})


def test_the_adapter_of_the_page_is_one(plainly: ProviderRow) -> None:
    assert isinstance(load_adapter(plainly.protocol), Adapter)
    assert isinstance(sys.modules["app.providers.vendors.plainly"], ModuleType)


async def test_a_new_protocol_is_one_file_a_row_and_a_recorded_stream(plainly: ProviderRow) -> None:
    transport = Transport()

    async with a_peer(Answer((RECORDING.encode(),))) as peer:
        told = await ask(transport, a_plainly(plainly, peer.url), a_request(model="plainly:one", system="Be brief."))
    await transport.close()

    assert told.parts == (Text(GREETING),)
    assert told.usage == Usage(25, 15)
    assert told.stopped == Stopped(StopReason.END)
    (heard,) = peer.heard
    assert heard.path == "/v1/reply"
    assert orjson.loads(heard.body)["lines"] == [{"who": "user", "words": "Hello"}]


async def test_the_base_does_the_rest_for_a_new_protocol(plainly: ProviderRow) -> None:
    provider = a_plainly(plainly)
    body = RECORDING.encode()

    byte_by_byte = await play(provider, [body[place : place + 1] for place in range(len(body))])
    truncated = await play(provider, [body[: body.index(b'data: {"done"')]])
    unreadable = await play(provider, [b'data: {"say":"Hi"}\n\ndata: {"say":5}\n\n'])
    reported = await play(provider, [b'data: {"error":{"type":"overloaded_error","message":"busy"}}\n\n'])

    assert byte_by_byte.parts == (Text(GREETING),)
    assert truncated.fault is not None
    assert truncated.fault.error_class is ErrorClass.STREAM
    assert truncated.parts == (Text(GREETING),)
    assert unreadable.fault is not None
    assert unreadable.parts == (Text("Hi"),)
    assert reported.fault is not None
    assert reported.fault.error_class is ErrorClass.OVERLOADED


async def test_a_new_protocol_lists_its_models(plainly: ProviderRow) -> None:
    transport = Transport()

    async with a_peer(
        Answer((b'{"models":[{"id":"one"},{"id":"two"}]}',), headers=(("Content-Type", "application/json"),))
    ) as peer:
        profiles = await ModelLists(transport).load(a_plainly(plainly, peer.url))
    await transport.close()

    assert [profile.model for profile in profiles] == ["plainly:one", "plainly:two"]


def test_every_field_of_a_row_is_explained() -> None:
    page = PAGE.read_text()

    for field in ProviderRow.__dataclass_fields__:
        assert f"`{field}`" in page
