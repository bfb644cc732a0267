"""Sign-in providers for tests: one that can be told to lie, and one that nobody here wrote."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from tests.serving import free_port

CLIENT_ID, CLIENT_SECRET = "inview", "secret of the client"
Claims = dict[str, Any]


@dataclass
class Liar:
    """A provider. It tells the truth unless `lie` changes the claims, or `sign`, `issuer` or `status` is set."""

    issuer: str
    lie: Callable[[Claims], object] = lambda _claims: None
    sign: Callable[[Claims], str] | None = None
    describes: Claims = field(default_factory=dict[str, Any])
    status: int = 200
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))
    key_id: str = "k1"
    person: Claims = field(default_factory=lambda: {"sub": "s1", "email": "ann@example.org", "email_verified": True})
    codes: dict[str, Claims] = field(default_factory=dict[str, Claims])
    asked: list[str] = field(default_factory=list[str])

    def change_key(self) -> None:
        self.key, self.key_id = rsa.generate_private_key(65537, 2048), "k2"

    def authorize(self, address: str) -> dict[str, str]:
        """Sign in as `person` at the address that Inview gave; what the browser brings back."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert asked["client_id"] == CLIENT_ID
        code = f"code{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def describe(self) -> Claims:
        endpoints = {
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }
        return {"issuer": self.issuer, **endpoints, **self.describes}

    def exchange(self, form: Claims, authorization: str) -> tuple[int, Claims]:
        asked = self.codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        secret = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET.replace(' ', '+')}".encode()).decode()
        if (
            asked is None
            or challenge.rstrip(b"=").decode() != asked["code_challenge"]
            or form.get("redirect_uri") != asked["redirect_uri"]
            or authorization != f"Basic {secret}"
        ):
            return 400, {"error": "invalid_grant"}
        at = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": at, "exp": at + 300, "nonce": asked["nonce"]}
        claims |= self.person
        self.lie(claims)
        token = self.sign(claims) if self.sign else self.sign_truly(claims)
        return 200, {"access_token": "a", "token_type": "Bearer", "id_token": token}

    def sign_truly(self, claims: Claims) -> str:
        return jwt.encode(claims, self.key, "RS256", headers={"kid": self.key_id})

    def public_keys(self) -> Claims:
        key = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**key, "kid": self.key_id, "use": "sig", "alg": "RS256"}]}


@contextmanager
def a_liar() -> Generator[Liar]:
    """A provider on this machine."""
    liar = Liar("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            liar.asked.append(self.path)
            told = {"/.well-known/openid-configuration": liar.describe, "/keys": liar.public_keys}.get(self.path)
            self.answer(*((404, {}) if told is None else (liar.status, told())))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self.answer(*liar.exchange(form, self.headers.get("Authorization", "")))

        def answer(self, status: int, value: Claims) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        liar.issuer = f"http://127.0.0.1:{server.server_port}"
        yield liar
        server.shutdown()


@contextmanager
def a_real_provider() -> Generator[str]:
    """A provider of another project, in a process of its own; its address. It signs in whoever is named to it."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(f"http://localhost:{port}", process)
            yield f"http://localhost:{port}"
        finally:
            process.terminate()


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            httpx2.get(f"{address}/.well-known/openid-configuration").raise_for_status()
        except httpx2.HTTPError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the provider did not start")


def allow(issuer: str, subject: str, **claims: Any) -> None:
    """Tell the real provider what it says of somebody."""
    httpx2.put(f"{issuer}/users/{subject}", json=claims).raise_for_status()
