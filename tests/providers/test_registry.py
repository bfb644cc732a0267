from __future__ import annotations

import re

import pytest
from genai_prices.data_snapshot import get_snapshot

from app.domain.errors import InputError
from app.providers.base import Adapter, Credentials, load_adapter
from app.providers.base_urls import normalise_base_url
from app.providers.models.tariffs import OWN_TABLES
from app.providers.registry import (
    ENVIRONMENT_NAMES,
    PROVIDERS,
    build_providers,
    compatible_row,
    make_provider,
)


def test_every_row_can_be_used_unchanged() -> None:
    for name, row in PROVIDERS.items():
        assert row.name == name
        assert re.fullmatch(r"[a-z]+", name)
        assert isinstance(load_adapter(row.protocol), Adapter)
        provider = make_provider(row, Credentials(key="k"))
        assert provider.base_url == row.base_url, "the table holds base URLs in their normal form"
        assert provider.ready
        if row.needs_key:
            assert row.key_env
            assert row.key_page
            assert row.base_url.startswith("https://")
            assert row.prices


def test_every_vendor_of_the_table_has_a_table_of_prices() -> None:
    public = {provider.id for provider in get_snapshot().providers}

    assert {row.prices for row in PROVIDERS.values() if row.prices} <= public | set(OWN_TABLES)
    assert public.isdisjoint(OWN_TABLES), "the public table has the vendor now: remove Inview's own"


def test_a_fresh_installation_has_the_offline_provider_ready() -> None:
    providers = build_providers({}, {}, {})

    assert [name for name, provider in providers.items() if provider.ready] == ["offline"]


def test_vendors_keep_their_order_and_own_servers_follow() -> None:
    providers = build_providers(
        {}, {"zebra": Credentials(None, "http://z:1")}, {"mine": Credentials(None, "http://m:1")}
    )

    assert list(providers)[:2] == ["anthropic", "openai"]
    assert list(providers)[-2:] == ["mine", "zebra"]


def test_keys_and_base_urls_come_from_the_environment() -> None:
    environment = {"ANTHROPIC_API_KEY": " k1 ", "ANTHROPIC_BASE_URL": "http://proxy:9", "GROQ_API_KEY": "k2"}

    providers = build_providers(environment, {}, {})

    assert (providers["anthropic"].key, providers["anthropic"].base_url) == ("k1", "http://proxy:9/v1")
    assert providers["anthropic"].origin == "environment"
    assert providers["groq"].key == "k2"
    assert not providers["openai"].ready


def test_what_a_person_entered_wins_field_by_field() -> None:
    environment = {"OPENAI_API_KEY": "from-environment", "OPENAI_BASE_URL": "http://env:1"}

    provider = build_providers(environment, {"openai": Credentials(key="entered")}, {})["openai"]

    assert (provider.key, provider.base_url, provider.origin) == ("entered", "http://env:1/v1", "settings")

    provider = build_providers(environment, {"openai": Credentials(base_url="http://mine:1")}, {})["openai"]

    assert (provider.key, provider.base_url) == ("from-environment", "http://mine:1/v1")


def test_the_variables_that_set_up_a_provider_are_named() -> None:
    assert {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"} <= set(ENVIRONMENT_NAMES)


def test_local_servers_are_on_offer_when_found_or_entered() -> None:
    found = make_provider(PROVIDERS["ollama"], Credentials(), "detected")

    providers = build_providers({}, {"vllm": Credentials(None, "http://gpu:8000")}, {}, [found])

    assert providers["ollama"].origin == "detected"
    assert providers["vllm"].base_url == "http://gpu:8000/v1"
    assert "llamacpp" not in providers


def test_an_entered_server_wins_over_a_found_one() -> None:
    found = make_provider(PROVIDERS["ollama"], Credentials(), "detected")

    providers = build_providers({}, {"ollama": Credentials(None, "http://gpu:1")}, {}, [found])

    assert providers["ollama"].base_url == "http://gpu:1/v1"


def test_a_server_known_only_here_needs_no_key_but_may_have_one() -> None:
    providers = build_providers({}, {}, {"lab": Credentials("k", "https://lab.example/llm")})

    assert providers["lab"].ready
    assert providers["lab"].key == "k"
    assert providers["lab"].base_url == "https://lab.example/llm"
    assert providers["lab"].row.protocol == "openai_compatible"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Läb", "A name cannot contain “ä”. Use letters (a to z), digits, “-” and “_”."),
        ("a b", "A name cannot contain spaces. Use letters (a to z), digits, “-” and “_”."),
        ("", "Enter a name for the provider."),
        ("x" * 41, "A name has at most 40 characters."),
        ("a:b", "A name cannot contain “:”."),
        ("-a", "A name cannot start with “-”. Start it with a letter or a digit."),
        ("a\x07b", "A name cannot contain an invisible character."),
    ],
)
def test_a_name_that_cannot_be_one_is_refused(name: str, why: str) -> None:
    with pytest.raises(InputError, match=re.escape(why)):
        compatible_row(name, Credentials(None, "http://h:1"))


def test_an_unknown_server_needs_a_base_url() -> None:
    with pytest.raises(InputError, match="Enter its base URL"):
        build_providers({}, {"lab": Credentials("k")}, {})


@pytest.mark.parametrize("key", ["sk-\n", "sk-ä", "sk a", "sk-\u200b1", "“sk-1”"])
def test_a_key_with_a_character_no_key_has_is_refused_without_quoting_it(key: str) -> None:
    if key == "sk-\n":
        assert make_provider(PROVIDERS["groq"], Credentials(key)).key == "sk-"
        return

    with pytest.raises(InputError, match="Copy it again") as raised:
        make_provider(PROVIDERS["groq"], Credentials(key))

    assert key not in str(raised.value)


def test_regions_have_base_urls_in_their_normal_form() -> None:
    regions = [region for row in PROVIDERS.values() for region in row.regions]

    assert regions
    for region in regions:
        assert region.name
        assert not region.domain.startswith(".")
        if region.base_url:
            assert normalise_base_url(region.base_url, versioned=False) == region.base_url


def test_keys_are_in_no_repr() -> None:
    credentials = Credentials("sk-secret-1", "http://h:1")

    assert "secret" not in repr(credentials)
    assert "secret" not in repr(make_provider(PROVIDERS["groq"], credentials))


def test_a_protocol_without_an_adapter_is_a_fault_of_ours() -> None:
    with pytest.raises(ModuleNotFoundError):
        load_adapter("nobody_speaks_this")


def test_detected_base_urls_are_normal() -> None:
    for row in PROVIDERS.values():
        if row.local_port:
            assert normalise_base_url(f"http://127.0.0.1:{row.local_port}", versioned=False) == row.base_url


@pytest.mark.parametrize(
    ("name", "says"), [("openai", "set OPENAI_BASE_URL"), ("groq", "set it in Settings → Providers")]
)
def test_a_compatible_server_cannot_have_the_name_of_a_vendor(name: str, says: str) -> None:
    with pytest.raises(InputError, match=f"'{name}' is the built-in provider .* Choose another name.*{says}"):
        build_providers({}, {}, {name: Credentials(None, "http://h:1")})
