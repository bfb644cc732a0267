"""Serves the built page: precompressed, cached permanently where the name holds a hash, under a strict CSP.

Not a general file server: it serves the files that one finished build holds, known by name from the start, so no path
of a request ever reaches the file system. An address that names no file (`/c/<id>`) gets the page that was built for
all of its kind (`/c/_`), if there is one. `trash.de.html` is `/trash` for who reads
German (app/ui/translated_pages.py).
"""

from __future__ import annotations

import base64
import hashlib
import mimetypes
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from app.language.catalogue import LANGUAGES
from app.language.choice import reader_language
from app.web.diagram_frame import FRAME

# Best first. Both are made by the build, at their highest settings.
_ENCODINGS: Final = (("br", ".br"), ("gzip", ".gz"))
_SIDECARS: Final = tuple(suffix for _, suffix in _ENCODINGS)
_INLINE_SCRIPT: Final = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>")
_END_OF_SCRIPT: Final = "</script>"
_ANY: Final = "_"
"""The name of a page that is built for every address beside it (app/ui/prerender.py)."""
_NOT_FOUND: Final = "404.html"

# No unsafe-eval, no unsafe-inline: Reflex's own inline scripts are admitted by their hashes, injected ones are not.
# Inline styles stay allowed: emotion and React Router render style elements, and a style runs nothing. So do pictures
# from anywhere: a reply's remote pictures load after a click on each, which no policy can tell from loading by itself.
_POLICY: Final = (
    "default-src 'self'; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
    "img-src 'self' data: blob: http: https:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

# Of the frame in which diagrams are drawn (diagram_frame.py): it has its own scripts, inline styles and nothing else.
# Its origin is its own, so it can reach neither the page around it nor anything else of this server.
_FRAME_POLICY: Final = (
    "default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox allow-scripts"
)

# Of a file that is no page: a script that runs as a worker of the page is bound by what it was sent with.
_FILE_POLICY: Final = b"default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

_POLICY_HEADER: Final = b"content-security-policy"

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class BuiltFile:
    """One file of the build: its headers, where its bytes are in each encoding, and the same in other languages."""

    headers: tuple[tuple[bytes, bytes], ...]
    etag: bytes
    plain: Path
    encoded: Mapping[str, Path]
    languages: dict[str, BuiltFile] = field(default_factory=dict[str, "BuiltFile"])

    def pick(self, accepted: str) -> tuple[str | None, Path]:
        """The best encoding the browser takes, and its file."""
        offers = {part.partition(";")[0].strip() for part in accepted.lower().split(",") if "q=0" not in part}
        for encoding, _ in _ENCODINGS:
            if encoding in offers and encoding in self.encoded:
                return encoding, self.encoded[encoding]
        return None, self.plain


def built_files(static_dir: Path) -> dict[str, BuiltFile]:
    """Every file of the build by its URL path: `/index.html` is `/`, `/about.html` is `/about` too."""
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
    for language in LANGUAGES:
        for url in [url for url in files if url.endswith(f".{language}.html")]:
            page = files.pop(url)
            del files[url.removesuffix(".html")]
            files[f"{url.removesuffix(f'.{language}.html')}.html"].languages[language] = page
    return files


def serving(static_dir: Path) -> ASGIApp:
    """Serve one build."""
    files = built_files(static_dir)
    not_found = files[f"/{_NOT_FOUND}"]

    async def serve(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": "no socket here"})
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
    asked = dict(scope["headers"])
    varies = b"Accept-Encoding"
    if file.languages:
        language = reader_language(asked.get(b"accept-language", b"").decode("latin-1"))
        file = file.languages.get(language, file)
        varies += b", Accept-Language"
    encoding, path = file.pick(asked.get(b"accept-encoding", b"").decode("latin-1"))
    headers: Headers = [*file.headers, (b"vary", varies)]
    if status == 200 and asked.get(b"if-none-match") == file.etag:
        await _answer(send, 304, headers, b"")
        return
    if encoding:
        headers.append((b"content-encoding", encoding.encode()))
    # Read in the loop: a few dozen microseconds from the page cache, less than handing it to a thread.
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
    # Vite puts a hash of the content into every name below /assets/; all else is asked for again each time.
    lasting = b"public, max-age=31536000, immutable" if url.startswith("/assets/") else b"no-cache"
    headers = [
        (b"content-type", (media_type or "application/octet-stream").encode()),
        (b"cache-control", lasting),
        (b"etag", etag),
    ]
    headers += _protection(url, content.decode()) if path.suffix == ".html" else [(_POLICY_HEADER, _FILE_POLICY)]
    encoded = {encoding: sidecar for encoding, suffix in _ENCODINGS if (sidecar := Path(f"{path}{suffix}")).is_file()}
    return BuiltFile(tuple(headers), etag, path, encoded)


def _protection(url: str, html: str) -> Headers:
    """The policy of a page; of the frame for diagrams, also that the page may hold it."""
    if url != f"/{FRAME}":
        return [(_POLICY_HEADER, content_security_policy(html).encode())]
    return [
        (_POLICY_HEADER, content_security_policy(html, _FRAME_POLICY).encode()),
        (b"x-frame-options", b"SAMEORIGIN"),
    ]


def _inline_scripts(html: str) -> Generator[str]:
    """What stands inside the page. A pattern alone takes 0.2 s for a script of 3 MB, at every start."""
    end = 0
    while (found := _INLINE_SCRIPT.search(html, end)) and (end := html.find(_END_OF_SCRIPT, found.end())) >= 0:
        yield html[found.end() : end]


def content_security_policy(html: str, policy: str = _POLICY) -> str:
    """The policy of one page: its inline scripts by hash (CSP level 2, section 7.2)."""
    scripts = dict.fromkeys(_inline_scripts(html))
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    return policy.format(hashes=" ".join(f"'sha256-{digest}'" for digest in hashes))
