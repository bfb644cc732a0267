"""Settings: the environment (or `.env`) read once into one frozen value.

Not the Settings page: keys and base URLs set there are kept encrypted in the store; a provider looks in both.
Nothing else reads a setting from `os.environ`.

    >>> settings = load_settings({"INVIEW_PORT": "8080"})
    >>> settings.port, settings.data_dir.name
    (8080, 'data')
"""

from __future__ import annotations

import base64
import difflib
import importlib.util
import ipaddress
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from dotenv import dotenv_values

from app.domain.errors import SettingsError
from app.domain.run.reply_size import MAX_REPLY_BYTES

LOG_LEVELS: Final = ("debug", "info", "warning", "error")
LOG_FORMATS: Final = ("text", "json")
MASK: Final = "•••"
SQLITE: Final = "sqlite+aiosqlite:///"
"""What the URL of a database in a file begins with."""
POSTGRESQL: Final = "postgresql+psycopg://"
"""What the URL of a database on a server begins with."""
_EXAMPLE: Final = f"{POSTGRESQL}name:password@host/database"
_REDIS: Final = ("redis://", "rediss://")
# One line per variable: what `inview doctor` prints, what the README lists and the only names we look at.
DESCRIPTIONS: Final[Mapping[str, str]] = {
    "INVIEW_HOST": "Address to listen on; 0.0.0.0 listens everywhere. Default 127.0.0.1.",
    "INVIEW_PORT": "Port to listen on. Default 3000.",
    "INVIEW_PUBLIC_URL": "The address people type when a proxy stands in front, such as https://chat.example.org.",
    "INVIEW_DATA_DIR": "Folder of the database and the key file. Default ./data.",
    "INVIEW_KEY_FILE": "The key file of stored secrets, such as /run/secrets/inview.key. Default: in the data folder.",
    "INVIEW_DATABASE_URL": "sqlite+aiosqlite:///path/to/inview.db, or PostgreSQL: postgresql+psycopg://name:password@"
    "host/database. Default: SQLite in the data folder.",
    "INVIEW_REDIS_URL": "Redis, through which several processes on one database work together, such as "
    "redis://:password@host:6379/0. Default: none, and one process.",
    "INVIEW_DRAIN_SECONDS": "How long a process that is to end goes on with its replies while others take its pages. "
    "Default 0: it ends at once.",
    "INVIEW_LOG_LEVEL": "debug, info, warning or error. Default info.",
    "INVIEW_LOG_FORMAT": "text or json: how log lines are written, one each. Default text.",
    "INVIEW_SLOW_STATEMENT_MS": "Milliseconds from which on a statement to the database is logged, without its values; "
    "or off. Default 500.",
    "INVIEW_METRICS": "on or off: whether /metrics tells Prometheus how the server does; with accounts, admins' API "
    "tokens alone. Default off.",
    "INVIEW_TRACES_URL": "Base URL of an OpenTelemetry collector that is sent traces of replies, without texts, such "
    "as http://127.0.0.1:4318. Needs the extra inview[traces].",
    "INVIEW_TIMEOUT": "Seconds to wait for a provider without receiving a byte. Default 30.",
    "INVIEW_MAX_REPLY_BYTES": "Bytes of a reply at most; one that becomes longer is ended there. Default 10000000.",
    "INVIEW_TITLES": "on or off: whether new conversations are given titles by a model at all. Default on.",
    "INVIEW_STDIO_SERVERS": "on or off: whether MCP servers may be programs that are started on this machine. "
    "Default: on when only this machine is listened to, else off.",
    "INVIEW_ACCOUNTS": "on or off: whether people have to sign in. Default: off when only this machine is listened to, "
    "else on; it cannot be off there.",
    "INVIEW_OIDC_ISSUER": "Address of an OpenID Connect provider that people can sign in with.",
    "INVIEW_OIDC_CLIENT_ID": "What the provider calls this Inview.",
    "INVIEW_OIDC_CLIENT_SECRET": "Secret that the provider gave this Inview, if it gave one.",
    "INVIEW_OIDC_NAME": "What people call the provider, such as Example SSO. Default: its host.",
    "INVIEW_OIDC_ADMITS": "Who becomes a member by signing in with the provider: linked (nobody new; the default), "
    "everybody, or those with confirmed e-mail addresses in domains: 'example.org, example.com'.",
    "INVIEW_BACKUP_PASSPHRASE": "Passphrase of encrypted backups, where neither a file nor a person gives it.",
    "INVIEW_RATE_LIMITS": "Requests over HTTP that are served: 'person=1200/minute; token=600/minute'. "
    "Default: generous where people sign in, else off.",
    "INVIEW_CALLS_AT_ONCE": "Provider calls at once, of all people and of one: 'server=200; person=20'. Others "
    "wait their turn. Default: these where people sign in, else off.",
    "INVIEW_COMPATIBLE": "OpenAI-compatible servers: 'name=url[,key]; name=url[,key]'.",
    "ANTHROPIC_API_KEY": "Key for Anthropic.",
    "ANTHROPIC_BASE_URL": "Base URL for Anthropic, if not theirs.",
    "OPENAI_API_KEY": "Key for OpenAI.",
    "OPENAI_BASE_URL": "Base URL for OpenAI, if not theirs.",
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
    "DASHSCOPE_API_KEY": "Key for Alibaba DashScope.",
    "DASHSCOPE_BASE_URL": "Where DashScope is reached in your region; without it, in Singapore.",
}
RATE_LIMITS: Final[Mapping[str, str]] = {
    "address": "3000/minute",
    "person": "1200/minute",
    "token": "600/minute",
    "sends": "60/minute",
}
"""The limits where people sign in: requests of a network address, a person, a token; sends of a conversation."""
CALLS_AT_ONCE: Final[Mapping[str, str]] = {"server": "200", "person": "20"}
"""Provider calls at once where people sign in: of all, and of a person."""
MAX_DRAIN_SECONDS: Final = 86_400
KEY_BYTES: Final = 32
_RATE: Final = re.compile("[1-9][0-9]{0,6}/(second|minute|hour|day)")
_COUNT: Final = re.compile("[1-9][0-9]{0,5}")
_DOMAIN: Final = re.compile(r"(?:[a-z0-9-]+\.)+[a-z0-9-]+")
_OIDC: Final = "INVIEW_OIDC_"
KEY: Final = "_API_KEY"
BASE_URL: Final = "_BASE_URL"


@dataclass(frozen=True)
class Secret:
    """A text that shows itself only when asked: `secret.reveal()`. Logs, reprs and tracebacks see a mask."""

    value: str = field(repr=False)

    def reveal(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK


@dataclass(frozen=True)
class CompatibleServer:
    """A server that speaks OpenAI's Chat Completions, by name and base URL."""

    name: str
    base_url: str
    api_key: Secret | None = None


@dataclass(frozen=True)
class OidcSettings:
    """A sign-in provider. Without `everybody` and `domains` it signs in those alone who are linked or invited."""

    issuer: str
    client_id: str
    client_secret: Secret | None
    name: str
    everybody: bool
    domains: tuple[str, ...]


@dataclass(frozen=True)
class Settings:
    """Everything an installation is told from outside.

    `vendor_keys` and `vendor_base_urls` are by the name of their variable; which vendor looks at which is the
    registry's to know.
    """

    host: str = "127.0.0.1"
    port: int = 3000
    public_url: str | None = None
    data_dir: Path = Path("data")
    key_file: Path | None = None
    database_url: str = ""
    redis_url: str | None = field(default=None, repr=False)  # may have a password
    drain_seconds: int = 0
    log_level: str = "info"
    log_format: str = "text"
    slow_statement: float | None = 0.5
    metrics: bool = False
    traces_url: str | None = None
    timeout: float = 30.0
    max_reply_bytes: int = MAX_REPLY_BYTES
    titles: bool = True
    stdio_servers: bool = True
    accounts: bool = False
    oidc: OidcSettings | None = None
    backup_passphrase: Secret | None = None
    rate_limits: Mapping[str, str] = field(default_factory=dict[str, str])
    calls_at_once: Mapping[str, str] = field(default_factory=dict[str, str])
    compatible: tuple[CompatibleServer, ...] = ()
    vendor_keys: Mapping[str, Secret] = field(default_factory=dict[str, Secret])
    vendor_base_urls: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def is_open_to_others(self) -> bool:
        """Whether other machines can reach the page: it does not listen on a loopback address alone."""
        return not _is_loopback(self.host)

    @property
    def address(self) -> str:
        """Where people open the page."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url or f"http://{shown}:{self.port}"

    def describe(self) -> dict[str, str]:
        """Each variable with its value as it may be shown: secrets and passwords masked, unset ones empty."""
        shown = {
            f.name: "" if (value := getattr(self, f.name)) is None or value == () else str(value) for f in fields(self)
        }
        for name in ("titles", "accounts", "stdio_servers", "metrics"):
            shown[name] = "on" if getattr(self, name) else "off"
        slow = self.slow_statement
        shown["slow_statement_ms"] = "off" if slow is None else f"{slow * 1000:g}"
        for name in ("rate_limits", "calls_at_once"):
            shown[name] = "; ".join(f"{of}={most}" for of, most in getattr(self, name).items()) or "off"
        shown |= _describe_oidc(self.oidc)
        shown["database_url"] = mask_password(self.database_url)
        shown["redis_url"] = mask_password(self.redis_url or "")
        shown["compatible"] = "; ".join(
            f"{server.name}={server.base_url}{f',{MASK}' if server.api_key else ''}" for server in self.compatible
        )
        shown |= {name: str(key) for name, key in self.vendor_keys.items()} | dict(self.vendor_base_urls)
        return {name: shown.get(name, shown.get(name.removeprefix("INVIEW_").lower(), "")) for name in DESCRIPTIONS}


def load_settings(environ: Mapping[str, str] | None = None, *, env_file: Path | None = None) -> Settings:
    """Read the settings from `environ` (default: this process's) over the `.env` file in the working folder.

    Raises:
        SettingsError: a value cannot be used; the message names the variable.
    """
    if environ is None:
        from_file = dotenv_values(env_file or Path(".env"))
        environ = {**{name: value for name, value in from_file.items() if value is not None}, **os.environ}
    value = {name: stripped for name in DESCRIPTIONS if (stripped := environ.get(name, "").strip())}
    _refuse_unknown(environ)
    host = _host(value.get("INVIEW_HOST", "127.0.0.1"))
    # Who can reach the page can use it: programs are started for those alone who sit at this machine.
    alone = _is_loopback(host) and "INVIEW_PUBLIC_URL" not in value
    accounts = _accounts(value.get("INVIEW_ACCOUNTS"), host)
    data_dir = Path(value.get("INVIEW_DATA_DIR", "data")).expanduser().absolute()
    return Settings(
        host=host,
        port=_port(value.get("INVIEW_PORT", "3000")),
        public_url=_url("INVIEW_PUBLIC_URL", value.get("INVIEW_PUBLIC_URL"), with_path=False),
        data_dir=data_dir,
        key_file=_key_file(value.get("INVIEW_KEY_FILE")),
        database_url=_database_url(value.get("INVIEW_DATABASE_URL"), data_dir),
        redis_url=_redis_url(value.get("INVIEW_REDIS_URL")),
        drain_seconds=_drain_seconds(value.get("INVIEW_DRAIN_SECONDS", "0")),
        log_level=_choice("INVIEW_LOG_LEVEL", value.get("INVIEW_LOG_LEVEL", "info").lower(), LOG_LEVELS),
        log_format=_choice("INVIEW_LOG_FORMAT", value.get("INVIEW_LOG_FORMAT", "text").lower(), LOG_FORMATS),
        slow_statement=_slow_statement(value.get("INVIEW_SLOW_STATEMENT_MS", "500")),
        metrics=_switch("INVIEW_METRICS", value.get("INVIEW_METRICS", "off")),
        traces_url=_traces_url(value.get("INVIEW_TRACES_URL")),
        timeout=_seconds("INVIEW_TIMEOUT", value.get("INVIEW_TIMEOUT", "30")),
        max_reply_bytes=_bytes(
            "INVIEW_MAX_REPLY_BYTES", value.get("INVIEW_MAX_REPLY_BYTES", str(MAX_REPLY_BYTES)), 10_000, 1_000_000_000
        ),
        titles=_switch("INVIEW_TITLES", value.get("INVIEW_TITLES", "on")),
        stdio_servers=_switch("INVIEW_STDIO_SERVERS", value.get("INVIEW_STDIO_SERVERS", "on" if alone else "off")),
        backup_passphrase=Secret(passphrase) if (passphrase := value.get("INVIEW_BACKUP_PASSPHRASE")) else None,
        accounts=accounts,
        oidc=_oidc(value, accounts=accounts),
        rate_limits=_RATES.read(value.get("INVIEW_RATE_LIMITS"), accounts=accounts),
        calls_at_once=_CALLS.read(value.get("INVIEW_CALLS_AT_ONCE"), accounts=accounts),
        compatible=_compatible(value.get("INVIEW_COMPATIBLE", "")),
        vendor_keys={name: Secret(text) for name, text in value.items() if name.endswith(KEY)},
        vendor_base_urls={name: _checked_url(name, text) for name, text in value.items() if name.endswith(BASE_URL)},
    )


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    unknown = sorted(name for name in environ if name.startswith("INVIEW_") and name not in DESCRIPTIONS)
    if unknown:
        known = [name for name in DESCRIPTIONS if name.startswith("INVIEW_")]
        endings = [name.removeprefix("INVIEW_") for name in known]  # what all have in common would be near to anything
        nearest = difflib.get_close_matches(unknown[0].removeprefix("INVIEW_").upper(), endings, n=1)
        meant = f"Did you mean INVIEW_{nearest[0]}? " if nearest else ""
        raise SettingsError(
            f"{unknown[0]} is not a setting of Inview. {meant}Correct or remove it; there are: {', '.join(known)}."
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
    if text.isdecimal() and 1 <= int(text) <= 65535:
        return int(text)
    raise SettingsError(f"INVIEW_PORT is {text!r}. Give a number from 1 to 65535.")


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise SettingsError(f"{name} is {text!r}. Give a number of seconds, such as 30.")
    return seconds


def _drain_seconds(text: str) -> int:
    if text.isdecimal() and int(text) <= MAX_DRAIN_SECONDS:
        return int(text)
    raise SettingsError(f"INVIEW_DRAIN_SECONDS is {text!r}. Give a number of seconds from 0 to {MAX_DRAIN_SECONDS:,}.")


def _key_file(text: str | None) -> Path | None:
    if text is None:
        return None
    path = Path(text).expanduser().absolute()
    try:
        key = base64.urlsafe_b64decode(path.read_bytes())
    except OSError as error:
        raise SettingsError(f"INVIEW_KEY_FILE names {path}, which cannot be read: {error.strerror}.") from error
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise SettingsError(
            f"INVIEW_KEY_FILE names {path}, which holds no key. Copy inview.key of the data folder there, or make a "
            "new one: openssl rand -base64 32 | tr '+/' '-_'."
        )
    return path


def _slow_statement(text: str) -> float | None:
    if text.lower() == "off":
        return None
    if text.isdecimal() and 1 <= int(text) <= 3_600_000:
        return int(text) / 1000
    raise SettingsError(
        f"INVIEW_SLOW_STATEMENT_MS is {text!r}. Give off, or milliseconds from 1 to 3,600,000, such as 500."
    )


def _bytes(name: str, text: str, least: int, most: int) -> int:
    if text.isdecimal() and least <= int(text) <= most:
        return int(text)
    raise SettingsError(f"{name} is {text!r}. Give a number of bytes from {least:,} to {most:,}, such as 10000000.")


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


def _traces_url(text: str | None) -> str | None:
    if text is not None and not all(map(_is_installed, ("opentelemetry.sdk", "opentelemetry.exporter.otlp"))):
        raise SettingsError(
            "INVIEW_TRACES_URL is set, but the packages that send traces are not installed. Run pip install "
            "'inview[traces]', or remove the setting."
        )
    return _url("INVIEW_TRACES_URL", text)


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of the package that it is in
        return False


def _database_url(text: str | None, data_dir: Path) -> str:
    if text is None:
        return f"{SQLITE}{data_dir / 'inview.db'}"
    check_database_url("INVIEW_DATABASE_URL", text)
    return text


def _redis_url(text: str | None) -> str | None:
    if text is not None and not (text.startswith(_REDIS) and urlsplit(text).hostname):
        raise SettingsError("INVIEW_REDIS_URL is no address of Redis. Use redis://host:6379/0 or rediss://host:6379/0.")
    return text


def check_database_url(name: str, text: str) -> None:
    """See that this names a database that can be used. `name`: what the text is called.

    Raises:
        SettingsError: it does not, or the driver is not installed.
    """
    if text.startswith(POSTGRESQL):
        if not _is_installed("psycopg"):
            raise SettingsError(
                f"{name} names PostgreSQL, but its driver is not installed. Run pip install 'inview[postgres]', "
                "or use sqlite+aiosqlite:///path/to/inview.db."
            )
        if not urlsplit(text).path.strip("/"):
            raise SettingsError(f"{name} names no database on the server. Use {_EXAMPLE}.")
    elif not text.startswith(SQLITE):
        scheme = text.partition(":")[0]
        raise SettingsError(f"{name} starts with {scheme!r}. Use sqlite+aiosqlite:///path/to/inview.db or {_EXAMPLE}.")


def _choice(name: str, text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise SettingsError(f"{name} is {text!r}. Give one of {', '.join(allowed)}.")
    return text


def _switch(name: str, text: str) -> bool:
    return _choice(name, text.lower(), ("on", "off")) == "on"


def _accounts(text: str | None, host: str) -> bool:
    on = not _is_loopback(host) if text is None else _switch("INVIEW_ACCOUNTS", text)
    if not on and not _is_loopback(host):
        raise SettingsError(
            f"INVIEW_ACCOUNTS is off, but INVIEW_HOST={host} lets other machines in. Turn accounts on, or set "
            "INVIEW_HOST=127.0.0.1."
        )
    return on


def _oidc(value: Mapping[str, str], *, accounts: bool) -> OidcSettings | None:
    given = [name for name in value if name.startswith(_OIDC)]
    issuer = _url("INVIEW_OIDC_ISSUER", value.get("INVIEW_OIDC_ISSUER"))
    client_id = value.get("INVIEW_OIDC_CLIENT_ID")
    if issuer is None or client_id is None:
        if given:
            raise SettingsError(f"{given[0]} is set. Set INVIEW_OIDC_ISSUER and INVIEW_OIDC_CLIENT_ID too, or none.")
        return None
    if not accounts:
        raise SettingsError("INVIEW_OIDC_ISSUER is set, but accounts are off. Set INVIEW_ACCOUNTS=on.")
    parts = urlsplit(issuer)
    if parts.scheme != "https" and not _is_loopback(parts.hostname or ""):
        raise SettingsError(
            f"INVIEW_OIDC_ISSUER is {issuer!r}. Give an https address: people are sent there to sign in."
        )
    secret, admits = value.get("INVIEW_OIDC_CLIENT_SECRET"), value.get("INVIEW_OIDC_ADMITS", "linked").lower()
    named = "" if admits in {"linked", "everybody"} else admits
    domains = tuple(part.strip() for part in named.split(",") if part.strip())
    if wrong := [domain for domain in domains if not _DOMAIN.fullmatch(domain)]:
        raise SettingsError(
            f"INVIEW_OIDC_ADMITS has {wrong[0]!r}. Give linked, everybody, or domains such as example.org, example.com."
        )
    return OidcSettings(
        issuer,
        client_id,
        Secret(secret) if secret else None,
        value.get("INVIEW_OIDC_NAME", parts.hostname or issuer),
        admits == "everybody",
        domains,
    )


def _describe_oidc(oidc: OidcSettings | None) -> dict[str, str]:
    if oidc is None:
        return {}
    return {
        "oidc_issuer": oidc.issuer,
        "oidc_client_id": oidc.client_id,
        "oidc_client_secret": str(oidc.client_secret or ""),
        "oidc_name": oidc.name,
        "oidc_admits": "everybody" if oidc.everybody else ", ".join(oidc.domains) or "linked",
    }


@dataclass(frozen=True)
class _Limits:
    """A setting of several limits by name, 'name=limit; name=limit', each in a `form` that `wanted` says in words."""

    variable: str
    defaults: Mapping[str, str]
    form: re.Pattern[str]
    wanted: str

    def read(self, text: str | None, *, accounts: bool) -> dict[str, str]:
        """By name. What is not named keeps its default; `off` in the place of all, or of one, is no limit."""
        if accounts if text is None else text.lower() != "off":
            named = dict(map(self._entry, filter(None, (part.strip() for part in (text or "").split(";")))))
            return {name: most for name, most in {**self.defaults, **named}.items() if most != "off"}
        return {}

    def _entry(self, entry: str) -> tuple[str, str]:
        name, _, most = (piece.strip() for piece in entry.partition("="))
        if name not in self.defaults or not (most == "off" or self.form.fullmatch(most)):
            raise SettingsError(
                f"{self.variable} has {entry!r}. Write off, or {self.wanted.format(', '.join(self.defaults))}."
            )
        return name, most


_RATES: Final = _Limits(
    "INVIEW_RATE_LIMITS",
    RATE_LIMITS,
    _RATE,
    "name=number/minute with a name of {} and second, minute, hour or day",
)
_CALLS: Final = _Limits("INVIEW_CALLS_AT_ONCE", CALLS_AT_ONCE, _COUNT, "name=number with a name of {}")


def _compatible(text: str) -> tuple[CompatibleServer, ...]:
    servers: dict[str, CompatibleServer] = {}
    for entry in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, rest = (piece.strip() for piece in entry.partition("="))
        url, _, key = (piece.strip() for piece in rest.partition(","))
        # The entry may hold a key: the message quotes the name alone.
        if not equals or not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise SettingsError("INVIEW_COMPATIBLE has an entry without a name. Write name=url or name=url,key.")
        if name in servers:
            raise SettingsError(f"INVIEW_COMPATIBLE names {name!r} twice. Give each server its own name.")
        base_url = _checked_url(f"The address of {name!r} in INVIEW_COMPATIBLE", url)
        servers[name] = CompatibleServer(name, base_url, Secret(key) if key else None)
    return tuple(servers.values())


def mask_password(url: str) -> str:
    """The URL of a database as it may be shown."""
    parts = urlsplit(url)
    shown = url.replace(f":{parts.password}@", f":{MASK}@") if parts.password else url
    return re.sub(r"([?&]password=)[^&]*", rf"\1{MASK}", shown)
