"""Settings: accepted values, refused values with their messages, and secrets that are never shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.config import settings as module
from app.config.settings import DESCRIPTIONS, load_settings
from app.domain.errors import SettingsError
from app.providers.registry import ENVIRONMENT_NAMES


def test_nothing_needs_to_be_set() -> None:
    settings = load_settings({})

    assert (settings.host, settings.port, settings.log_level) == ("127.0.0.1", 3000, "info")
    assert settings.data_dir == Path.cwd() / "data"
    assert settings.database_url == f"sqlite+aiosqlite:///{Path.cwd()}/data/inview.db"


def test_every_variable_reaches_its_field(tmp_path: Path) -> None:
    settings = load_settings(
        {
            "INVIEW_HOST": "0.0.0.0",
            "INVIEW_PORT": "8080",
            "INVIEW_PUBLIC_URL": "https://chat.example.org/",
            "INVIEW_DATA_DIR": str(tmp_path),
            "INVIEW_DATABASE_URL": "sqlite+aiosqlite:////elsewhere/inview.db",
            "INVIEW_LOG_LEVEL": "Debug",
            "INVIEW_TIMEOUT": "2.5",
            "INVIEW_TITLES": "OFF",
            "INVIEW_PERSON_LIMITS": "10 sends/minute, 200000 tokens/day",
            "INVIEW_COMPATIBLE": "local=http://127.0.0.1:8081/v1; far=https://models.example.org/v1,key-of-far;",
            "ANTHROPIC_API_KEY": "key-of-anthropic",
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:9000",
            "OPENAI_API_KEY": "key-of-openai",
            "OPENAI_BASE_URL": "http://127.0.0.1:9001/v1/",
            "GROQ_API_KEY": "key-of-groq",
        }
    )

    assert (settings.host, settings.port, settings.log_level) == ("0.0.0.0", 8080, "debug")
    assert settings.public_url == "https://chat.example.org"
    assert settings.data_dir == tmp_path
    assert settings.timeout == 2.5
    assert not settings.titles
    assert (settings.person_limits.sends, settings.person_limits.tokens) == (10, 200_000)
    assert not settings.stdio_servers
    assert settings.database_url == "sqlite+aiosqlite:////elsewhere/inview.db"
    local, far = settings.compatible
    assert (local.name, local.base_url, local.api_key) == ("local", "http://127.0.0.1:8081/v1", None)
    assert far.api_key is not None
    assert far.api_key.reveal() == "key-of-far"
    assert {name: key.reveal() for name, key in settings.vendor_keys.items()} == {
        "ANTHROPIC_API_KEY": "key-of-anthropic",
        "OPENAI_API_KEY": "key-of-openai",
        "GROQ_API_KEY": "key-of-groq",
    }
    assert settings.vendor_base_urls == {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9000",
        "OPENAI_BASE_URL": "http://127.0.0.1:9001/v1",
    }


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("INVIEW_PORT", "eighty", "INVIEW_PORT is 'eighty'. Give a number from 1 to 65535, or 0 for any free port."),
        ("INVIEW_PORT", "70000", "from 1 to 65535"),
        ("INVIEW_HOST", "not a host", "INVIEW_HOST is 'not a host'"),
        ("INVIEW_PUBLIC_URL", "chat.example.org", "https://chat.example.org"),
        ("INVIEW_PUBLIC_URL", "https://chat.example.org/inview", "INVIEW_PUBLIC_URL"),
        ("INVIEW_DATABASE_URL", "mysql://somewhere", "INVIEW_DATABASE_URL starts with 'mysql'"),
        ("INVIEW_TIMEOUT", "soon", "INVIEW_TIMEOUT is 'soon'. Give a number of seconds"),
        ("INVIEW_TIMEOUT", "nan", "number of seconds"),
        ("INVIEW_TIMEOUT", "0", "number of seconds"),
        ("INVIEW_ADDRESS_LIMITS", "10/minute", "INVIEW_ADDRESS_LIMITS is '10/minute'. Give limits such as"),
        ("INVIEW_TITLES", "sometimes", "INVIEW_TITLES is 'sometimes'. Give one of on, off."),
        ("INVIEW_LOG_LEVEL", "loud", "debug, info, warning, error"),
        ("INVIEW_COMPATIBLE", "http://127.0.0.1/v1", "without a name"),
        ("INVIEW_COMPATIBLE", "é=http://127.0.0.1/v1", "without a name"),
        ("INVIEW_COMPATIBLE", "a=http://127.0.0.1/v1; a=http://127.0.0.1/v1", "names 'a' twice"),
        ("INVIEW_COMPATIBLE", "a=somewhere", "The address of 'a' in INVIEW_COMPATIBLE"),
        ("OPENAI_BASE_URL", "http://[", "OPENAI_BASE_URL"),
        ("INVIEW_PROT", "3000", "INVIEW_PROT is not a setting of Inview"),
    ],
)
def test_what_cannot_be_used_is_named_with_what_would_do(name: str, value: str, says: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings({name: value})

    assert says in str(refused.value)


def test_the_environment_wins_over_the_env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env_file = tmp_path / ".env"
    env_file.write_text("INVIEW_PORT=4000\nINVIEW_LOG_LEVEL=debug\n")
    monkeypatch.setenv("INVIEW_PORT", "5000")

    settings = load_settings(env_file=env_file)

    assert (settings.port, settings.log_level) == (5000, "debug")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            b"A=b\n" * 20_000,
            r"\.env has 80,000 bytes\. The maximum is 65,536\. Replace it with a file that has only the settings",
        ),
        (b"INVIEW_PORT=\xff", r"\.env is not UTF-8 text\. Save it as UTF-8\."),
    ],
)
def test_an_env_file_that_is_no_list_of_settings_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / ".env").write_bytes(content)

    with pytest.raises(SettingsError, match=says):
        load_settings(env_file=tmp_path / ".env")


def test_an_env_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module, "read_small", refuse)

    with pytest.raises(SettingsError, match=r"\.env cannot be read: Permission denied\. Allow Inview to read it"):
        load_settings(env_file=tmp_path / ".env")


def test_no_secret_shows_itself() -> None:
    settings = load_settings(
        {
            "ANTHROPIC_API_KEY": "key-of-anthropic",
            "OPENAI_API_KEY": "key-of-openai",
            "INVIEW_COMPATIBLE": "far=https://models.example.org/v1,key-of-far",
        }
    )

    shown = f"{settings!r} {settings!s} {settings.describe()} {settings.compatible[0].api_key!s:>20}"

    assert "key-of" not in shown
    assert settings.describe()["INVIEW_COMPATIBLE"] == "far=https://models.example.org/v1,•••"


def test_a_fault_in_a_list_of_servers_does_not_quote_its_keys() -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings({"INVIEW_COMPATIBLE": "far=nowhere,key-of-far"})

    assert "key-of-far" not in str(refused.value)


def test_every_variable_a_vendor_looks_at_is_read() -> None:
    read = {name for name in DESCRIPTIONS if not name.startswith("INVIEW_")}

    assert read == set(ENVIRONMENT_NAMES)


def test_every_variable_is_described_and_shown() -> None:
    assert list(load_settings({}).describe()) == list(DESCRIPTIONS)
    assert all(text.endswith((".", "'.")) for text in DESCRIPTIONS.values())


def test_every_variable_is_in_the_documentation_and_no_other() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()

    assert re.findall(r"^\| `([A-Z_]+)` ", page, re.MULTILINE) == list(DESCRIPTIONS)


@pytest.mark.parametrize(
    ("environment", "may"),
    [
        ({}, True),
        ({"INVIEW_HOST": "0.0.0.0"}, False),
        ({"INVIEW_PUBLIC_URL": "https://chat.example.org"}, False),
        ({"INVIEW_HOST": "0.0.0.0", "INVIEW_STDIO_SERVERS": "on"}, True),
        ({"INVIEW_STDIO_SERVERS": "off"}, False),
    ],
)
def test_programs_are_started_for_users_of_this_machine_unless_set_otherwise(
    environment: dict[str, str], may: bool
) -> None:
    assert load_settings(environment).stdio_servers == may
