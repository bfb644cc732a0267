"""The audit of dependencies, against a registry of our own: what it tells is found, what it does not is skipped."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests import audit

LOCK = "sound==1.0 \\\n    --hash=sha256:ab\n    # via x\nweak[extra]==2\nweak==2.1 ; python_version < '3.12' \\\n"
TOLD: dict[str, Any] = {
    "/pypi/sound/1.0/json": {"vulnerabilities": [{"id": "A-0", "withdrawn": "2026-01-01", "fixed_in": []}]},
    "/pypi/weak/2.1/json": {"vulnerabilities": [{"id": "A-1", "fixed_in": ["2.2"]}, {"id": "A-2", "fixed_in": []}]},
    "/silent/pypi/sound/1.0/json": {"info": {}},
}


class Registry(BaseHTTPRequestHandler):
    """Answers with what `TOLD` has."""

    def do_GET(self) -> None:
        told = TOLD.get(self.path)
        self.send_response(404 if told is None else 200)
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
        """Say nothing."""


@pytest.fixture
def registry() -> Generator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_pinned_packages_are_read_from_a_lock() -> None:
    assert audit.pinned(LOCK, LOCK) == (("sound", "1.0"), ("weak", "2.1"))
    assert len(audit.pinned((audit.ROOT / "requirements.lock").read_text())) > 100


def test_a_vulnerability_is_told_and_a_withdrawn_one_is_not(registry: str) -> None:
    assert audit.audit_python(f"{registry}/simple/", audit.pinned(LOCK)) == [
        "weak 2.1: A-1, fixed in 2.2",
        "weak 2.1: A-2, fixed in no version yet",
    ]


@pytest.mark.parametrize("path", ["/silent/simple", "/none/simple"])
def test_a_registry_that_does_not_tell_is_skipped(registry: str, path: str) -> None:
    with pytest.raises(audit.NotToldError, match="sound"):
        audit.audit_python(registry + path, audit.pinned(LOCK))


def test_a_registry_out_of_reach_or_in_a_folder_is_skipped() -> None:
    with pytest.raises(audit.NotToldError):
        audit.audit_python("http://127.0.0.1:9/simple", audit.pinned(LOCK))
    with pytest.raises(audit.NotToldError, match="folder"):
        audit.audit_python("file:///srv/simple", audit.pinned(LOCK))


def test_the_index_is_the_one_that_uv_is_set_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")

    assert audit.index_url() == "http://127.0.0.1:9/simple"


@pytest.mark.parametrize(
    ("vulnerable", "code", "said"), [([], 0, "0 vulnerabilities"), (["weak 2.1: A-1"], 1, "weak 2.1: A-1")]
)
def test_only_a_vulnerability_fails(
    vulnerable: list[str], code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> list[str]:
        raise audit.NotToldError("Nobody answers.")

    def tell(*_: object) -> list[str]:
        return vulnerable

    monkeypatch.setattr(audit, "index_url", lambda: "http://127.0.0.1:9/simple")
    monkeypatch.setattr(audit, "audit_python", tell)
    monkeypatch.setattr(audit, "audit_npm", refuse)

    assert audit.main() == code
    out = capsys.readouterr().out
    assert said in out
    assert "npm, tests/islands: skipped. Nobody answers." in out
