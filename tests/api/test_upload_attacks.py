"""Uploads made to hurt: refused or made harmless, in bounded memory, never given back as what they pretend to be."""

from __future__ import annotations

import asyncio
import struct
import sys
import tracemalloc
import zlib
from collections.abc import AsyncGenerator, Callable
from io import BytesIO
from zipfile import ZipFile

import pytest
from PIL import Image

from app.domain.conversation.uploads import MAX_UPLOAD_BYTES
from app.media import picture_worker
from app.media.picture_worker import MAX_MEMORY
from tests.api.served import Api
from tests.api.test_uploads import BYTES, stored, upload
from tests.media.test_pictures import DESCRIPTION, GPS, SECRET, a_picture

MARKS = (b"eXIf", b"EXIF", b"Exif")
"""How a PNG, a WebP and a JPEG begin what the camera noted."""
SCRIPT = b"<script>alert(document.domain)</script>"
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">' + SCRIPT + b"</svg>"


def packed() -> bytes:
    made = BytesIO()
    with ZipFile(made, "w") as archive:
        archive.writestr("../../evil.sh", "rm -rf /")
    return made.getvalue()


def located(form: str) -> bytes:
    """A picture that says where it was taken: in `eXIf` of a PNG, `EXIF` of a WebP, `APP1` of a JPEG."""
    exif = Image.Exif()
    exif[DESCRIPTION] = SECRET
    exif.get_ifd(GPS)[1] = "N"
    exif.get_ifd(GPS)[2] = (52.0, 30.0, 0.0)
    return a_picture(form, exif=exif)


def png_of(width: int, height: int) -> bytes:
    """A PNG of one colour, a thousandth of its pixels large. A thousand rows are packed once, and then repeated."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    assert height % 1_000 == 0
    rows, checksum = bytes((width * 4 + 1) * 1_000), 1
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed_rows = packer.compress(rows) + packer.flush(zlib.Z_FULL_FLUSH)
    for _ in range(height // 1_000):
        checksum = zlib.adler32(rows, checksum)
    end = packer.flush() + struct.pack(">I", checksum)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
    pixels = chunk(b"IDAT", b"\x78\xda" + packed_rows * (height // 1_000) + end)
    return b"\x89PNG\r\n\x1a\n" + header + pixels + chunk(b"IEND", b"")


def gif_of(frames: int, side: int) -> bytes:
    made = BytesIO()
    pictures = [Image.new("P", (side, side), number % 256) for number in range(frames)]
    pictures[0].save(made, "GIF", save_all=True, append_images=pictures[1:])
    return made.getvalue()


# --- what it is decides, not what it says ---


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"%PDF-1.7\n" + bytes(range(256)) + packed(), "plan.pdf"),
        (packed(), "photo.jpg"),
        (b"\x7fELF\x02\x01\x01" + bytes(40), "notes.txt"),
        (b"MZ\x90\x00" + bytes(40), "photo.png"),
        (b"GIF89a=1;/*" + bytes(20) + b"*/;alert(1)//", "a.gif"),
        (b"\x89PNG\r\n\x1a\n" + SVG, "a.png"),
        (b"BM" + bytes(60), "a.png"),
        (b"\x00\x00\x00\x20ftypheic" + bytes(40), "a.jpg"),
    ],
    ids=["pdf and zip", "zip", "program", "windows", "gif and script", "png and svg", "bmp", "heic"],
)
async def test_what_is_neither_a_picture_nor_a_text_is_refused_whatever_it_is_called(
    api: Api, data: bytes, name: str
) -> None:
    answer = await api.http.post("/attachments", content=data, params={"name": name}, headers=BYTES)

    assert answer.status_code == 422, answer.text
    assert await stored(api) == 0


@pytest.mark.parametrize("form", ["PNG", "GIF", "JPEG", "WEBP"])
async def test_a_picture_with_a_page_or_an_archive_behind_it_is_only_a_picture(api: Api, form: str) -> None:
    kept = await upload(api, a_picture(form) + SCRIPT + packed(), "x.html")

    given = await api.http.get(f"/attachments/{kept['id']}")

    assert kept["media_type"] in {"image/png", "image/jpeg"}
    assert b"script" not in given.content
    assert b"PK\x03\x04" not in given.content


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
async def test_where_a_picture_was_taken_is_gone_from_every_format(api: Api, form: str) -> None:
    data = located(form)
    assert [mark for mark in MARKS if mark in data]

    kept = await upload(api, data)

    given = (await api.http.get(f"/attachments/{kept['id']}")).content
    with Image.open(BytesIO(given)) as after:
        assert dict(after.getexif()) == {}
    assert not [mark for mark in (*MARKS, SECRET.encode()) if mark in given]


@pytest.mark.parametrize("data", [SVG, SCRIPT, b"<!DOCTYPE html><body onload=alert(1)>"], ids=["svg", "script", "page"])
async def test_a_text_that_a_browser_would_run_is_given_back_as_plain_text_in_a_sandbox(api: Api, data: bytes) -> None:
    for name in ("a.svg", "a.html", "a.png"):
        kept = await upload(api, data, name)

        given = await api.http.get(f"/attachments/{kept['id']}", headers={"Accept": "text/html,image/svg+xml,*/*"})

        assert (kept["kind"], kept["media_type"]) == ("text", "text/plain")
        assert given.headers["content-type"].partition(";")[0] in {"text/plain", "application/octet-stream"}
        assert given.headers["x-content-type-options"] == "nosniff"
        assert given.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert given.headers["content-disposition"].startswith("attachment")


NAMES = {
    "../../../etc/passwd": "passwd",
    "..\\..\\windows\\win.ini": "win.ini",
    "a\x00.txt": "a.txt",
    "photo\u202egnp.exe": "photognp.exe",
    "a\r\nSet-Cookie: x=1": "aSet-Cookie x=1",
    '"; filename="b.html': "; filename=b.html",
    "..": "file",
    "": "file",
    "\u2066\u200b\ufeff": "file",
    "x" * 900 + ".txt": "x" * 116 + ".txt",
}
"""What an upload is called, and the name that is kept."""


async def test_a_name_leads_nowhere(api: Api) -> None:
    for name, kept_as in NAMES.items():
        kept = await upload(api, b"a,b\n", name)

        given = await api.http.get(f"/attachments/{kept['id']}")

        assert kept["name"] == kept_as
        assert given.status_code == 200
        assert "set-cookie" not in given.headers


# --- memory ---


async def measure_worker(data: bytes) -> int:
    """Bytes of memory that the process which converts this picture takes at most."""
    code = "import resource, subprocess, sys; subprocess.run([sys.executable, '-I', sys.argv[1]], stdin=sys.stdin, "
    code += "capture_output=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    measuring = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, picture_worker.__file__),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await measuring.communicate(data)
    return int(said) * 1024


@pytest.mark.parametrize(
    "make",
    [
        lambda: png_of(7_000, 7_000),
        lambda: png_of(30_000, 30_000)[:3_000_000],
        lambda: gif_of(3_000, 300),
        lambda: a_picture("WEBP", (16_000, 3_000)),
    ],
    ids=["png", "png too large", "gif of many frames", "webp"],
)
async def test_what_unpacks_to_a_thousand_times_its_size_stays_out_of_this_process(
    api: Api, make: Callable[[], bytes]
) -> None:
    data = make()
    await upload(api, a_picture("PNG"))
    tracemalloc.start()
    try:
        answer = await api.http.post("/attachments", content=data, headers=BYTES)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert answer.status_code in {201, 422}, answer.text
    assert peak < 6 * len(data) + 12_000_000
    assert await measure_worker(data) < MAX_MEMORY


async def test_a_stream_of_a_gigabyte_is_ended_at_the_bound_and_held_no_more_than_that(api: Api) -> None:
    sent = 0

    async def endless() -> AsyncGenerator[bytes]:
        nonlocal sent
        piece = b"x" * 2**20
        while sent < 2**30:
            sent += len(piece)
            yield piece
            await asyncio.sleep(0)

    tracemalloc.start()
    try:
        answer = await api.http.post("/attachments", content=endless(), headers=BYTES)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert answer.status_code == 413
    assert peak < 3 * MAX_UPLOAD_BYTES
    assert await stored(api) == 0
