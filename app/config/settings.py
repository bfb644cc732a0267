"""Settings: the environment (or `.env`) read once into one frozen value.

These are not the settings of the Settings page. The keys and base URLs that a user enters there are stored in the
database, keys encrypted. A provider uses both sources. No other module of the application reads `os.environ`.

    >>> settings = load_settings({"INVIEW_PORT": "8080"})
    >>> settings.port, settings.data_dir.name
    (8080, 'data')
"""

from __future__ import annotations

import ipaddress
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from io import StringIO
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from dotenv import dotenv_values

from app.domain.errors import SettingsError
from app.domain.run.reply_size import MAX_REPLY_BYTES
from app.domain.settings.rate_limits import NO_RATE_LIMIT, RateLimit, RateLimits, parse_rate_limit
from app.small_files import RefusedFileError, read_small

MAX_ENV_FILE: Final = 64 * 1024
"""Maximum size of the `.env` file in bytes."""
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
MASK: Final = "•••"
SQLITE: Final = "sqlite+aiosqlite:///"
"""The beginning of the URL of a SQLite database."""
OPEN_TO_OTHERS: Final = (
    "Warning: Inview listens on {host}, where other machines can reach it, and it has no accounts yet. Anyone who "
    "opens it can read and change everything, and spend money with your keys. Set INVIEW_HOST=127.0.0.1, or use "
    "a proxy with a password."
)

# One line per variable. No other names are read. `docs/settings.md` lists the same variables.
DESCRIPTIONS: Final[Mapping[str, str]] = {
    "INVIEW_HOST": "Address to listen on; 0.0.0.0 for all interfaces. Default 127.0.0.1.",
    "INVIEW_PORT": "Port to listen on. Default 3000. 0: any free port, shown at the start.",
    "INVIEW_PUBLIC_URL": "The public address behind a proxy, such as https://chat.example.org.",
    "INVIEW_DATA_DIR": "Folder of the database and the key file. Default ./data.",
    "INVIEW_DATABASE_URL": "SQLAlchemy URL with an async driver. Default: SQLite in the data folder.",
    "INVIEW_LOG_LEVEL": "debug, info, warning or error. Default info.",
    "INVIEW_TIMEOUT": "Seconds to wait for a provider without receiving a byte. Default 30.",
    "INVIEW_MAX_CALL_SECONDS": "Maximum seconds for one provider call in total. Default 1800.",
    "INVIEW_MAX_REPLY_BYTES": "Maximum bytes of a reply; a longer reply is ended there. Default 1048576.",
    "INVIEW_CONVERSATION_LIMITS": "Limits of each conversation: '10 sends/minute, 200000 tokens/day'. Default: none.",
    "INVIEW_PERSON_LIMITS": "The same for all conversations together. Default: none.",
    "INVIEW_ADDRESS_LIMITS": "The same for all requests from one IP address. Default: none.",
    "INVIEW_TITLES": "on or off: whether a model generates titles of new conversations. Default on.",
    "INVIEW_STDIO_SERVERS": "on or off: whether Inview may start MCP servers as programs on this machine. "
    "Default: on if Inview listens only to this machine, else off.",
    "INVIEW_COMPATIBLE": "OpenAI-compatible servers: 'name=url[,key]; name=url[,key]'.",
    "ANTHROPIC_API_KEY": "Key for Anthropic.",
    "ANTHROPIC_BASE_URL": "Base URL for Anthropic, if not the default.",
    "OPENAI_API_KEY": "Key for OpenAI.",
    "OPENAI_BASE_URL": "Base URL for OpenAI, if not the default.",
    "GEMINI_API_KEY": "Key for Google Gemini.",
    "OPENROUTER_API_KEY": "Key for OpenRouter.",
    "MISTRAL_API_KEY": "Key for Mistral.",
    "GROQ_API_KEY": "Key for Groq.",
    "DEEPSEEK_API_KEY": "Key for DeepSeek.",
    "XAI_API_KEY": "Key for xAI.",
    "TOGETHER_API_KEY": "Key for Together AI.",
    "FIREWORKS_API_KEY": "Key for Fireworks AI.",
    "CEREBRAS_API_KEY": "Key for Cerebras.",
    "MOONSHOT_API_KEY": "Key for Moonshot AI.",
    "DASHSCOPE_API_KEY": "Key for Alibaba Cloud Model Studio.",
    "DASHSCOPE_BASE_URL": "Base URL of Alibaba Cloud Model Studio, if not that of Singapore.",
}
KEY: Final = "_API_KEY"
BASE_URL: Final = "_BASE_URL"


@dataclass(frozen=True)
class Secret:
    """A secret text. `secret.reveal()` returns the text; logs, reprs and tracebacks show a mask."""

    value: str = field(repr=False)

    def reveal(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK


@dataclass(frozen=True)
class CompatibleServer:
    """A server whose API is compatible with OpenAI's Chat Completions, with its name and base URL."""

    name: str
    base_url: str
    api_key: Secret | None = None


@dataclass(frozen=True)
class Settings:
    """All settings of an installation.

    `vendor_keys` and `vendor_base_urls` have the names of environment variables as keys. The registry of providers
    assigns them to vendors.
    """

    host: str = "127.0.0.1"
    port: int = 3000
    public_url: str | None = None
    data_dir: Path = Path("data")
    database_url: str = ""
    log_level: str = "info"
    timeout: float = 30.0
    max_call_seconds: float = 1_800.0
    max_reply_bytes: int = MAX_REPLY_BYTES
    conversation_limits: RateLimit = NO_RATE_LIMIT
    person_limits: RateLimit = NO_RATE_LIMIT
    address_limits: RateLimit = NO_RATE_LIMIT
    titles: bool = True
    stdio_servers: bool = True
    compatible: tuple[CompatibleServer, ...] = ()
    vendor_keys: Mapping[str, Secret] = field(default_factory=dict[str, Secret])
    vendor_base_urls: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def is_open_to_others(self) -> bool:
        """True if other machines can reach the page: the server listens on an address that is not loopback."""
        return not _is_loopback(self.host)

    @property
    def rate_limits(self) -> RateLimits:
        """The rate limits of the installation. Those of the preferences also apply."""
        return RateLimits(self.conversation_limits, self.person_limits, self.address_limits)

    def describe(self) -> dict[str, str]:
        """Return the value to show of each variable: secrets and passwords are masked, unset variables are empty."""
        shown = {
            f.name: "" if (value := getattr(self, f.name)) is None or value == () else str(value) for f in fields(self)
        }
        shown["titles"] = "on" if self.titles else "off"
        shown["stdio_servers"] = "on" if self.stdio_servers else "off"
        shown["database_url"] = _without_password(self.database_url)
        shown["compatible"] = "; ".join(
            f"{server.name}={server.base_url}{f',{MASK}' if server.api_key else ''}" for server in self.compatible
        )
        shown |= {name: str(key) for name, key in self.vendor_keys.items()} | dict(self.vendor_base_urls)
        return {name: shown.get(name, shown.get(name.removeprefix("INVIEW_").lower(), "")) for name in DESCRIPTIONS}


def load_settings(environ: Mapping[str, str] | None = None, *, env_file: Path | None = None) -> Settings:
    """Read the settings from `environ`. If it is None, read the environment of this process, which overrides `.env`.

    `env_file`: another path for `.env`, which is otherwise in the working folder.

    Raises:
        SettingsError: a value cannot be used; the message names the variable. Or the `.env` file cannot be read.
    """
    if environ is None:
        from_file = dotenv_values(stream=StringIO(_read_env_file(env_file or Path(".env")), newline=None))
        environ = {**{name: value for name, value in from_file.items() if value is not None}, **os.environ}
    value = {name: stripped for name in DESCRIPTIONS if (stripped := environ.get(name, "").strip())}
    _refuse_unknown(environ)
    host = _host(value.get("INVIEW_HOST", "127.0.0.1"))
    # A person who can reach the page can use it. So Inview may start programs only if no other machine can reach it.
    alone = _is_loopback(host) and "INVIEW_PUBLIC_URL" not in value
    data_dir = Path(value.get("INVIEW_DATA_DIR", "data")).expanduser().absolute()
    return Settings(
        host=host,
        port=_port(value.get("INVIEW_PORT", "3000")),
        public_url=_url("INVIEW_PUBLIC_URL", value.get("INVIEW_PUBLIC_URL"), with_path=False),
        data_dir=data_dir,
        database_url=_database_url(value.get("INVIEW_DATABASE_URL"), data_dir),
        log_level=_choice("INVIEW_LOG_LEVEL", value.get("INVIEW_LOG_LEVEL", "info").lower(), LOG_LEVELS),
        timeout=_seconds("INVIEW_TIMEOUT", value.get("INVIEW_TIMEOUT", "30")),
        max_call_seconds=_seconds("INVIEW_MAX_CALL_SECONDS", value.get("INVIEW_MAX_CALL_SECONDS", "1800")),
        max_reply_bytes=_bytes(
            "INVIEW_MAX_REPLY_BYTES", value.get("INVIEW_MAX_REPLY_BYTES", str(MAX_REPLY_BYTES)), 10_000, 1_000_000_000
        ),
        conversation_limits=_limits("INVIEW_CONVERSATION_LIMITS", value),
        person_limits=_limits("INVIEW_PERSON_LIMITS", value),
        address_limits=_limits("INVIEW_ADDRESS_LIMITS", value),
        titles=_switch("INVIEW_TITLES", value.get("INVIEW_TITLES", "on")),
        stdio_servers=_switch("INVIEW_STDIO_SERVERS", value.get("INVIEW_STDIO_SERVERS", "on" if alone else "off")),
        compatible=_compatible(value.get("INVIEW_COMPATIBLE", "")),
        vendor_keys={name: Secret(text) for name, text in value.items() if name.endswith(KEY)},
        vendor_base_urls={name: _checked_url(name, text) for name, text in value.items() if name.endswith(BASE_URL)},
    )


def _read_env_file(path: Path) -> str:
    """Return the content of the `.env` file, "" if there is none."""
    name = path.absolute()
    try:
        return read_small(path, MAX_ENV_FILE).decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise SettingsError(f"The file {name} is not UTF-8 text. Save it as UTF-8.") from None
    except RefusedFileError as error:
        raise SettingsError(
            f"The file {name} {error}. Replace it with a file that has only the settings of Inview, one NAME=value per "
            "line, or move it away."
        ) from None
    except OSError as error:
        raise SettingsError(
            f"The file {name} cannot be read: {error.strerror}. Allow Inview to read it, or move it away."
        ) from None


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    unknown = sorted(name for name in environ if name.startswith("INVIEW_") and name not in DESCRIPTIONS)
    if unknown:
        known = ", ".join(name for name in DESCRIPTIONS if name.startswith("INVIEW_"))
        raise SettingsError(
            f"{unknown[0]} is not a setting of Inview. Correct or remove it. The settings are: {known}."
        )


def _host(text: str) -> str:
    bare = text.removeprefix("[").removesuffix("]")
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        if all(part and part.replace("-", "").isalnum() for part in text.split(".")):
            return text.lower()
    raise SettingsError(f"INVIEW_HOST is {text!r}, which is neither an address nor a host name. Try 127.0.0.1.")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _port(text: str) -> int:
    if text.isdecimal() and int(text) <= 65535:
        return int(text)
    raise SettingsError(f"INVIEW_PORT is {text!r}. Give a number from 1 to 65535, or 0 for any free port.")


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise SettingsError(f"{name} is {text!r}. Give a number of seconds, such as 30.")
    return seconds


def _bytes(name: str, text: str, least: int, most: int) -> int:
    if text.isdecimal() and least <= int(text) <= most:
        return int(text)
    raise SettingsError(f"{name} is {text!r}. Give a number of bytes from {least:,} to {most:,}, such as 1048576.")


def _limits(name: str, value: Mapping[str, str]) -> RateLimit:
    try:
        return parse_rate_limit(value.get(name, ""))
    except ValueError:
        raise SettingsError(
            f"{name} is {value[name]!r}. Give limits such as '10 sends/minute, 200000 tokens/day', or only one of them."
        ) from None


def _url(name: str, text: str | None, *, with_path: bool = True) -> str | None:
    return None if text is None else _checked_url(name, text, with_path=with_path)


def _checked_url(name: str, text: str, *, with_path: bool = True) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    else:
        usable = usable and (with_path or (parts.path in {"", "/"} and not parts.query))
    if not usable:
        example = "https://api.example.org/v1" if with_path else "https://chat.example.org"
        raise SettingsError(f"{name} is {text!r}. Give an address like {example}.")
    return text.rstrip("/")


def _database_url(text: str | None, data_dir: Path) -> str:
    if text is None:
        return f"{SQLITE}{data_dir / 'inview.db'}"
    if not text.startswith(SQLITE):
        scheme = text.partition(":")[0]
        raise SettingsError(f"INVIEW_DATABASE_URL starts with {scheme!r}. Use sqlite+aiosqlite:///path/to/inview.db.")
    return text


def _choice(name: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise SettingsError(f"{name} is {text!r}. Give one of {', '.join(allowed)}.")
    return text


def _switch(name: str, text: str) -> bool:
    return _choice(name, text.lower(), ("on", "off")) == "on"


def _compatible(text: str) -> tuple[CompatibleServer, ...]:
    servers: dict[str, CompatibleServer] = {}
    for entry in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, rest = (piece.strip() for piece in entry.partition("="))
        url, _, key = (piece.strip() for piece in rest.partition(","))
        # The entry may contain a key, so a message quotes at most the name.
        if not equals or not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise SettingsError("INVIEW_COMPATIBLE has an entry without a name. Write name=url or name=url,key.")
        if name in servers:
            raise SettingsError(f"INVIEW_COMPATIBLE names {name!r} twice. Give each server its own name.")
        base_url = _checked_url(f"The address of {name!r} in INVIEW_COMPATIBLE", url)
        servers[name] = CompatibleServer(name, base_url, Secret(key) if key else None)
    return tuple(servers.values())


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return url.replace(f":{parts.password}@", f":{MASK}@") if parts.password else url
