"""Reads the form that adds an MCP server: a command line or an address, and secrets, one per line.

`domain/tools/server_input.py` reads the texts of its fields. The rules for names and addresses are in
`domain/tools/tool_servers.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.domain.errors import InputError, InviewError
from app.domain.tools.server_input import MAX_SECRETS, parse_command, parse_secrets
from app.domain.tools.tool_servers import CLIENT_SECRET, OverHttp, OverStdio
from app.runs.tools.server_commands import ServerSettings
from app.state.messages.error_messages import describe_fault

HTTP: Final = "http"
STDIO: Final = "stdio"

TEXT_FIELDS: Final = {
    HTTP: ("name", "url", "secrets", "client_id", "client_secret"),
    STDIO: ("name", "command", "secrets"),
}
"""The names of the text fields for each kind of server. `field_id` returns the element id of a field."""

MAX_TEXT: Final = 4000
MAX_ARGUMENTS: Final = 100

_LABELS: Final = {
    "name": "Name",
    "url": "Address",
    "command": "Command",
    "arguments": "Command",
    "client_id": "Client ID",
    "client_secret": "Client secret",
}
_SECRETS_LABELS: Final = {HTTP: "Headers", STDIO: "Environment variables"}


def read_server_form(form: Mapping[str, Any]) -> ServerSettings:
    """Return the settings of an MCP server in a form. The form has either a `command` or a `url`.

    Raises:
        InputError: a field cannot be read.
    """
    name = _text(form, "name").strip()
    if "command" in form:
        command, *arguments = parse_command(_text(form, "command")) or [""]
        if len(arguments) > MAX_ARGUMENTS:
            raise InputError("command", f"use at most {MAX_ARGUMENTS} arguments.")
        secrets = parse_secrets(_text(form, "secrets"), "=")
        return ServerSettings(name, OverStdio(command, tuple(arguments)), secrets=secrets)
    secrets = parse_secrets(_text(form, "secrets"), ":")
    if client_secret := _text(form, "client_secret"):
        secrets[CLIENT_SECRET] = client_secret
    url = _text(form, "url").strip()
    way = OverHttp(url, bool(_text(form, "allow_private")), _text(form, "client_id").strip() or None)
    return ServerSettings(name, way, secrets=secrets)


def describe_refusal(error: InviewError, kind: str = HTTP) -> str:
    """Return the reason why the settings of a server of this kind are refused. Fields are named as in the form."""
    if not isinstance(error, InputError):
        return describe_fault(error)
    label = _SECRETS_LABELS[kind] if error.field == "secrets" else _LABELS.get(error.field)
    return f"{label}: {error.reason}" if label else f"{error.reason[:1].upper()}{error.reason[1:]}"


def field_id(name: str) -> str:
    """Return the HTML id of a field of the form that adds an MCP server."""
    return f"mcp-{name.replace('_', '-')}"


def _text(form: Mapping[str, Any], name: str) -> str:
    value = form.get(name) or ""
    if not isinstance(value, str):
        return "on" if value is True else ""
    limit = MAX_TEXT * MAX_SECRETS if name == "secrets" else MAX_TEXT
    if len(value) > limit:
        raise InputError(name, f"use at most {limit:,} characters.")
    return value
