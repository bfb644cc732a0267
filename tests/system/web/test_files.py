"""The built page as served: encodings, caching, policy, and that only files of the build are served."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from starlette.types import Message

from app.web.files import built_files, content_security_policy, serving

SCRIPT = "window.started = true"


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build with one page, one script (compressed in two ways) and one file without a hash in its name."""
    static = tmp_path / "client"
    (static / "assets").mkdir(parents=True)
    page = (
        f"<html><head><script>{SCRIPT}</script></head><body><script src='/assets/app-1a2b.js'></script></body></html>"
    )
    (static / "c").mkdir()
    for name in ("index.html", "404.html", "c/_.html", "about.html"):
        (static / name).write_text(page.replace("<body>", f"<body>{name}"))
    (static / "assets/app-1a2b.js").write_text("plain()")
    (static / "assets/app-1a2b.js.br").write_bytes(b"brotli")
    (static / "assets/app-1a2b.js.gz").write_bytes(b"gzip")
    (static / "favicon.ico").write_bytes(b"icon")
    (tmp_path / "secret.txt").write_text("not part of the build")
    return static


async def ask(
    build: Path, path: str, headers: Mapping[str, str] | None = None, method: str = "GET"
) -> tuple[int, dict[str, str], bytes]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    scope = {"type": "http", "method": method, "path": path, "headers": raw}
    await serving(build)(scope, receive, send)
    start, body = sent
    return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, body["body"]


@pytest.mark.parametrize(
    ("accepts", "encoding", "body"),
    [
        ("gzip, deflate, br, zstd", "br", b"brotli"),
        ("gzip", "gzip", b"gzip"),
        ("br;q=0, gzip", "gzip", b"gzip"),
        ("BR", "br", b"brotli"),
        ("identity", None, b"plain()"),
        ("", None, b"plain()"),
    ],
)
async def test_the_best_encoding_the_browser_takes_goes_out(
    build: Path, accepts: str, encoding: str | None, body: bytes
) -> None:
    status, headers, answered = await ask(build, "/assets/app-1a2b.js", {"accept-encoding": accepts})

    assert (status, headers.get("content-encoding"), answered) == (200, encoding, body)
    assert headers["content-length"] == str(len(body))
    assert headers["content-type"] == "text/javascript"
    assert headers["vary"] == "Accept-Encoding"


async def test_hashed_names_are_kept_for_good_and_others_asked_for_again(build: Path) -> None:
    _, hashed, _ = await ask(build, "/assets/app-1a2b.js")
    _, page, _ = await ask(build, "/")
    _, icon, _ = await ask(build, "/favicon.ico")

    assert hashed["cache-control"] == "public, max-age=31536000, immutable"
    assert page["cache-control"] == icon["cache-control"] == "no-cache"


async def test_an_unchanged_page_is_not_sent_again(build: Path) -> None:
    _, headers, _ = await ask(build, "/")

    status, again, body = await ask(build, "/", {"if-none-match": headers["etag"]})

    assert (status, body) == (304, b"")
    assert again["content-security-policy"] == headers["content-security-policy"]


async def test_head_answers_like_get_without_a_body(build: Path) -> None:
    status, headers, body = await ask(build, "/favicon.ico", method="HEAD")

    assert (status, headers["content-length"], body) == (200, "4", b"")


async def test_only_reading_is_allowed(build: Path) -> None:
    status, headers, _ = await ask(build, "/", method="POST")

    assert (status, headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    ("path", "status", "page"),
    [
        ("/", 200, b"index.html"),
        ("/about", 200, b"about.html"),
        ("/c/abc", 200, b"c/_.html"),
        ("/nowhere", 404, b"404.html"),
        ("/assets/", 404, b"404.html"),
        ("/../secret.txt", 404, b"404.html"),
        ("/assets/../../secret.txt", 404, b"404.html"),
        ("//etc/passwd", 404, b"404.html"),
        ("/assets/app-1a2b.js.br", 404, b"404.html"),
    ],
)
async def test_addresses_find_their_page_and_nothing_outside_the_build(
    build: Path, path: str, status: int, page: bytes
) -> None:
    answered, _, body = await ask(build, path)

    assert answered == status
    assert page in body


def test_the_policy_admits_the_pages_own_scripts_and_no_others(build: Path) -> None:
    policy = dict(built_files(build)["/"].headers)[b"content-security-policy"].decode()
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))

    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    assert scripts == f"script-src 'self' 'sha256-{digest}'"
    assert "frame-ancestors 'none'" in policy
    assert "object-src 'none'" in policy


def test_a_script_with_a_source_needs_no_hash() -> None:
    policy = content_security_policy(
        "<script src='/assets/app.js'></script><script type='module' async=''>go()</script>"
    )

    assert policy.count("sha256-") == 1
