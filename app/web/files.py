"""Serves the built page: compressed in advance, cached permanently if the name has a hash, with a strict CSP.

This is not a general file server: it serves only the files of one finished build, which are listed at the start, so the
path of a request never reaches the file system. If an address has no file (`/c/<id>`), the page that was built for all
addresses in its folder is served (`/c/_`).
"""

from __future__ import annotations

import base64
import hashlib
import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

# The encodings, best first. The build makes files in both, at the highest compression.
_ENCODINGS: Final = (("br", ".br"), ("gzip", ".gz"))
_SIDECARS: Final = tuple(suffix for _, suffix in _ENCODINGS)
_INLINE_SCRIPT: Final = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
_ANY: Final = "_"
"""The name of a page that is built for all addresses in the same folder (app/ui/build/prerender.py)."""
_NOT_FOUND: Final = "404.html"

# No unsafe-eval, no unsafe-inline: Reflex's own inline scripts are allowed by their hashes, injected scripts are not.
# Inline styles are allowed, because emotion and React Router render style elements, and a style runs no code. Pictures
# from any host are allowed, because a reply's remote pictures are loaded after a click on each, and a policy cannot
# distinguish that from loading without a click.
_POLICY: Final = (
    "default-src 'self'; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
    "img-src 'self' data: blob: http: https:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class BuiltFile:
    """One file of the build: its headers, and the path of each available encoding."""

    headers: tuple[tuple[bytes, bytes], ...]
    etag: bytes
    plain: Path
    encoded: Mapping[str, Path]

    def pick(self, accepted: str) -> tuple[str | None, Path]:
        """Return the best encoding that the browser accepts, and the path of the file to send.

        The encoding None means uncompressed.
        """
        offers = {part.partition(";")[0].strip() for part in accepted.lower().split(",") if "q=0" not in part}
        for encoding, _ in _ENCODINGS:
            if encoding in offers and encoding in self.encoded:
                return encoding, self.encoded[encoding]
        return None, self.plain


def built_files(static_dir: Path) -> dict[str, BuiltFile]:
    """Return the files of the build by URL path. `/index.html` is also `/`, and `/about.html` is also `/about`."""
    files: dict[str, BuiltFile] = {}
    for path in sorted(static_dir.rglob("*")):
        if not path.is_file() or path.suffix in _SIDECARS:
            continue
        url = f"/{path.relative_to(static_dir).as_posix()}"
        files[url] = _describe(path, url)
        if path.suffix == ".html":
            files[url.removesuffix("index.html") if path.name == "index.html" else url.removesuffix(".html")] = files[
                url
            ]
    return files


def serving(static_dir: Path) -> ASGIApp:
    """Return the ASGI application that serves the files of the build in `static_dir`."""
    files = built_files(static_dir)
    not_found = files[f"/{_NOT_FOUND}"]

    async def serve(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": "no WebSocket at this address"})
            return
        if scope["method"] not in {"GET", "HEAD"}:
            headers: Headers = [(b"allow", b"GET, HEAD"), (b"content-length", b"0")]
            await _answer(send, 405, headers, b"")
            return
        path: str = scope["path"]
        folder, _, name = path.rpartition("/")
        file = files.get(path) or (files.get(f"{folder}/{_ANY}") if name else None)
        await _send_file(scope, send, file or not_found, 200 if file else 404)

    return serve


async def _send_file(scope: Scope, send: Send, file: BuiltFile, status: int) -> None:
    received = dict(scope["headers"])
    encoding, path = file.pick(received.get(b"accept-encoding", b"").decode("latin-1"))
    headers: Headers = [*file.headers, (b"vary", b"Accept-Encoding")]
    if status == 200 and received.get(b"if-none-match") == file.etag:
        await _answer(send, 304, headers, b"")
        return
    if encoding:
        headers.append((b"content-encoding", encoding.encode()))
    # The file is read in the event loop: from the page cache, that takes some dozen microseconds, less than a thread
    # would take.
    body = path.read_bytes()
    headers.append((b"content-length", b"%d" % len(body)))
    await _answer(send, status, headers, b"" if scope["method"] == "HEAD" else body)


async def _answer(send: Send, status: int, headers: Headers, body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _describe(path: Path, url: str) -> BuiltFile:
    content = path.read_bytes()
    media_type = "text/javascript" if path.suffix == ".js" else mimetypes.guess_type(path.name)[0]
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'.encode()
    # Vite puts a hash of the content into every name below /assets/. All other files are requested again each time.
    lasting = b"public, max-age=31536000, immutable" if url.startswith("/assets/") else b"no-cache"
    headers = [
        (b"content-type", (media_type or "application/octet-stream").encode()),
        (b"cache-control", lasting),
        (b"etag", etag),
    ]
    if path.suffix == ".html":
        headers.append((b"content-security-policy", content_security_policy(content.decode()).encode()))
    encoded = {encoding: sidecar for encoding, suffix in _ENCODINGS if (sidecar := Path(f"{path}{suffix}")).is_file()}
    return BuiltFile(tuple(headers), etag, path, encoded)


def content_security_policy(html: str) -> str:
    """Return the Content-Security-Policy for a page. It allows the page's inline scripts by hash (CSP level 2, 7.2)."""
    scripts = dict.fromkeys(_INLINE_SCRIPT.findall(html))
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    return _POLICY.format(hashes=" ".join(f"'sha256-{digest}'" for digest in hashes))
