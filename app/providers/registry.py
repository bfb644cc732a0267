"""The table of vendors. A row, the environment and Settings together make a `Provider`.

A vendor with a known protocol needs only a row here. `compatible_row` makes a row for a server of this installation
(from `INVIEW_COMPATIBLE`, or added in Settings).

    >>> PROVIDERS["groq"].base_url
    'https://api.groq.com/openai/v1'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from app.domain.errors import InputError
from app.providers.base import Credentials, Dialect, Origin, Provider, ProviderRow, Region, load_adapter
from app.providers.base_urls import normalise_base_url

_CHAT = "openai_compatible"
_TEMPLATE_SWITCH = Dialect(thinking_switch="chat_template_kwargs", reasoning_back="by family")
_SCHEMAS = Dialect(json_schema=True)
_LOCAL = Dialect(json_schema=True, reasoning_back="by family")
_OWN_SERVER = replace(_LOCAL, thinking_switch="chat_template_kwargs")

# Source: Alibaba Cloud Model Studio, "Base URL overview" (11 October 2026), read 2026-11-30. The row has the base
# URL of Singapore.
_ALIBABA_REGIONS = (
    Region("China (Beijing)", "https://dashscope.aliyuncs.com/compatible-mode/v1", "cn-beijing.maas.aliyuncs.com"),
    Region("US (Virginia)", "https://dashscope-us.aliyuncs.com/compatible-mode/v1", "us-east-1.maas.aliyuncs.com"),
    Region(
        "China (Hong Kong)",
        "https://cn-hongkong.dashscope.aliyuncs.com/compatible-mode/v1",
        "cn-hongkong.maas.aliyuncs.com",
    ),
    Region("Japan (Tokyo)", "", "ap-northeast-1.maas.aliyuncs.com"),
    Region("Germany (Frankfurt)", "", "eu-central-1.maas.aliyuncs.com"),
)

_ROWS = (
    ProviderRow(
        "anthropic",
        "Anthropic",
        "anthropic",
        "https://api.anthropic.com/v1",
        key_env="ANTHROPIC_API_KEY",
        base_url_env="ANTHROPIC_BASE_URL",
        prices="anthropic",
        key_page="https://platform.claude.com/settings/keys",
        counts=True,
    ),
    ProviderRow(
        "openai",
        "OpenAI",
        "openai",
        "https://api.openai.com/v1",
        key_env="OPENAI_API_KEY",
        base_url_env="OPENAI_BASE_URL",
        prices="openai",
        key_page="https://platform.openai.com/api-keys",
        counts=True,
    ),
    ProviderRow(
        "google",
        "Google Gemini",
        _CHAT,
        "https://generativelanguage.googleapis.com/v1beta/openai",
        key_env="GEMINI_API_KEY",
        prices="google",
        key_page="https://aistudio.google.com/apikey",
        dialect=Dialect(seed_field=None, json_schema=True, signed_calls=True),
    ),
    ProviderRow(
        "openrouter",
        "OpenRouter",
        _CHAT,
        "https://openrouter.ai/api/v1",
        key_env="OPENROUTER_API_KEY",
        prices="openrouter",
        key_page="https://openrouter.ai/keys",
        dialect=Dialect(thinking_switch="reasoning"),
    ),
    ProviderRow(
        "mistral",
        "Mistral",
        _CHAT,
        "https://api.mistral.ai/v1",
        key_env="MISTRAL_API_KEY",
        prices="mistral",
        key_page="https://console.mistral.ai/api-keys",
        # Mistral refuses unknown fields, and reports usage without a request for it.
        dialect=Dialect(include_usage=False, seed_field="random_seed", json_schema=True),
    ),
    ProviderRow(
        "groq",
        "Groq",
        _CHAT,
        "https://api.groq.com/openai/v1",
        key_env="GROQ_API_KEY",
        prices="groq",
        key_page="https://console.groq.com/keys",
        dialect=Dialect(max_tokens_field="max_completion_tokens", json_schema=True),
    ),
    ProviderRow(
        "deepseek",
        "DeepSeek",
        _CHAT,
        "https://api.deepseek.com/v1",
        key_env="DEEPSEEK_API_KEY",
        prices="deepseek",
        key_page="https://platform.deepseek.com/api_keys",
        # With tools, DeepSeek refuses a history without the reasoning that led to the calls.
        dialect=Dialect(seed_field=None, thinking_switch="thinking", reasoning_back="always"),
    ),
    ProviderRow(
        "xai",
        "xAI",
        _CHAT,
        "https://api.x.ai/v1",
        key_env="XAI_API_KEY",
        prices="x-ai",
        key_page="https://console.x.ai",
        dialect=_SCHEMAS,
    ),
    ProviderRow(
        "together",
        "Together AI",
        _CHAT,
        "https://api.together.xyz/v1",
        key_env="TOGETHER_API_KEY",
        prices="together",
        key_page="https://api.together.ai/settings/api-keys",
        dialect=_SCHEMAS,
    ),
    ProviderRow(
        "fireworks",
        "Fireworks AI",
        _CHAT,
        "https://api.fireworks.ai/inference/v1",
        key_env="FIREWORKS_API_KEY",
        prices="fireworks",
        key_page="https://app.fireworks.ai/settings/users/api-keys",
        dialect=_SCHEMAS,
    ),
    ProviderRow(
        "cerebras",
        "Cerebras",
        _CHAT,
        "https://api.cerebras.ai/v1",
        key_env="CEREBRAS_API_KEY",
        prices="cerebras",
        key_page="https://cloud.cerebras.ai",
        dialect=Dialect(max_tokens_field="max_completion_tokens", json_schema=True),
    ),
    ProviderRow(
        "moonshot",
        "Moonshot AI",
        _CHAT,
        "https://api.moonshot.ai/v1",
        key_env="MOONSHOT_API_KEY",
        prices="moonshotai",
        key_page="https://platform.moonshot.ai/console/api-keys",
        dialect=Dialect(seed_field=None, reasoning_back="always"),
    ),
    ProviderRow(
        "alibaba",
        "Alibaba Cloud",
        _CHAT,
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        key_env="DASHSCOPE_API_KEY",
        base_url_env="DASHSCOPE_BASE_URL",
        prices="alibaba",
        key_page="https://www.alibabacloud.com/help/en/model-studio/get-api-key",
        regions=_ALIBABA_REGIONS,
        dialect=Dialect(thinking_switch="enable_thinking", cache_control=True),
    ),
    ProviderRow(
        "llamacpp",
        "llama.cpp",
        _CHAT,
        "http://127.0.0.1:8080/v1",
        needs_key=False,
        local_port=8080,
        counts=True,
        dialect=_OWN_SERVER,
    ),
    ProviderRow(
        "ollama", "Ollama", _CHAT, "http://127.0.0.1:11434/v1", needs_key=False, local_port=11434, dialect=_LOCAL
    ),
    ProviderRow(
        "vllm", "vLLM", _CHAT, "http://127.0.0.1:8000/v1", needs_key=False, local_port=8000, dialect=_OWN_SERVER
    ),
    ProviderRow(
        "lmstudio", "LM Studio", _CHAT, "http://127.0.0.1:1234/v1", needs_key=False, local_port=1234, dialect=_LOCAL
    ),
    ProviderRow("offline", "Offline", "offline", "http://offline.invalid/v1", needs_key=False),
)

PROVIDERS: Mapping[str, ProviderRow] = MappingProxyType({row.name: row for row in _ROWS})
"""Every known vendor, in the order of the menus."""

ENVIRONMENT_NAMES = tuple(name for row in PROVIDERS.values() for name in (row.key_env, row.base_url_env) if name)
"""The environment variables that configure providers."""

_MAX_NAME = 40
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,{_MAX_NAME - 1}}}")


def build_providers(
    environment: Mapping[str, str],
    entered: Mapping[str, Credentials],
    servers: Mapping[str, Credentials],
    detected: Iterable[Provider] = (),
) -> dict[str, Provider]:
    """Return every available provider, by name. Those of the table come first, in its order.

    For each field, a value `entered` in Settings takes precedence over the `environment`. A name that is not in the
    table names a compatible server, which was entered in Settings or is in `servers` (`INVIEW_COMPATIBLE`). Local
    servers of the table are included only if they were `entered` or `detected`.

    Raises:
        InputError: a base URL, key or name cannot be used; the message names the provider.
    """
    found = {provider.name: provider for provider in detected}
    providers: dict[str, Provider] = {}
    for row in PROVIDERS.values():
        mine = entered.get(row.name, Credentials())
        from_environment = Credentials(_variable(environment, row.key_env), _variable(environment, row.base_url_env))
        if mine.key or mine.base_url:
            both = Credentials(mine.key or from_environment.key, mine.base_url or from_environment.base_url)
            providers[row.name] = make_provider(row, both, "settings")
        elif from_environment.key or from_environment.base_url:
            providers[row.name] = make_provider(row, from_environment, "environment")
        elif row.name in found:
            providers[row.name] = found[row.name]
        elif row.local_port is None:
            providers[row.name] = make_provider(row, Credentials())
    own = {name: credentials for name, credentials in entered.items() if name not in PROVIDERS}
    others: tuple[tuple[Origin, Mapping[str, Credentials]], ...] = (("environment", servers), ("settings", own))
    for origin, named in others:
        for name, credentials in named.items():
            providers[name] = make_provider(compatible_row(name, credentials), credentials, origin)
    return providers


def make_provider(row: ProviderRow, credentials: Credentials, origin: Origin = "built in") -> Provider:
    """Make a provider from a row and its credentials. `origin` is the source of the credentials.

    Raises:
        InputError: the base URL or the key is invalid.
    """
    adapter = load_adapter(row.protocol)
    base_url = normalise_base_url(credentials.base_url or row.base_url, versioned=adapter.versioned)
    key = (credentials.key or "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise InputError("key", f"The key for {row.label} has an invalid character. Copy it again.")
    return Provider(row, base_url, key or None, origin)


def missing_provider(name: str) -> Provider:
    """Return a provider for a name that occurs only in stored data. It is not set up, so nothing can be sent to it."""
    row = ProviderRow(name, name, _CHAT, "http://missing.invalid/v1", needs_key=True)
    return Provider(row, row.base_url, origin="missing")


def compatible_row(name: str, credentials: Credentials) -> ProviderRow:
    """Return a row for a server of this installation that speaks Chat Completions.

    Raises:
        InputError: the name is invalid, or is that of a vendor in the table, or there is no base URL.
    """
    if (known := PROVIDERS.get(name)) is not None:
        how = f"set {known.base_url_env}" if known.base_url_env else "set it in Settings → Providers"
        what = f"{name!r} is the built-in provider {known.label}."
        raise InputError("name", f"{what} Choose another name, or, to change its address, {how}.")
    if not _NAME.fullmatch(name):
        raise InputError("name", _describe_bad_name(name))
    if not credentials.base_url:
        raise InputError("base_url", f"{name} is not a known provider. Enter its base URL.")
    return ProviderRow(name, name, _CHAT, credentials.base_url, needs_key=False, dialect=_TEMPLATE_SWITCH)


def _describe_bad_name(name: str) -> str:
    """Return the message for a name that does not match `_NAME`: its fault, and the characters a name may contain."""
    if not name:
        return "Enter a name for the provider."
    if len(name) > _MAX_NAME:
        return f"A name has at most {_MAX_NAME} characters."
    allowed = "Use letters (a to z), digits, “-” and “_”"
    if any(letter.isspace() for letter in name):
        return f"A name cannot contain spaces. {allowed}."
    if name[0] in "-_":
        return f"A name cannot start with “{name[0]}”. Start it with a letter or a digit."
    letter = next((letter for letter in name if not _NAME.fullmatch(f"a{letter}")), "")
    shown = f"“{letter}”" if letter.isprintable() else "an invisible character"
    return f"A name cannot contain {shown}. {allowed}."


def _variable(environment: Mapping[str, str], name: str | None) -> str | None:
    return (environment.get(name, "").strip() or None) if name else None
