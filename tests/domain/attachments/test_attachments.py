"""The type of an attachment is that of its bytes, whatever its sender claims."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.attachments.attachments import Attachment, list_named, look_at
from app.domain.context.context import View, build_request
from app.domain.conversation.parts import File, Image, Text, ToolCall, ToolResult
from app.domain.models.model_profile import ModelProfile
from tests.builders import a_pair


def a_png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = b"".join(b"\0" + bytes(width) for _ in range(height))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


JPEG = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffc0000b080007000501011100ffd9")


@pytest.mark.parametrize(
    ("data", "media_type", "width", "height"),
    [
        (a_png(5, 7), "image/png", 5, 7),
        (JPEG, "image/jpeg", 5, 7),
        (b"GIF89a" + struct.pack("<HH", 5, 7), "image/gif", 5, 7),
        (b"RIFF....WEBPVP8X....\0\0\0\0" + bytes([4, 0, 0, 6, 0, 0]), "image/webp", 5, 7),
        (b"RIFF....WEBPVP8L....\x2f" + struct.pack("<I", 4 | 6 << 14), "image/webp", 5, 7),
        (b"RIFF....WEBPVP8 ....\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 5, 7), "image/webp", 5, 7),
        (b"\xff\xd8\xff", "image/jpeg", 0, 0),
    ],
)
def test_a_picture_is_known_by_its_first_bytes(data: bytes, media_type: str, width: int, height: int) -> None:
    part = Attachment("text/html", data).part()

    assert part == Image(Attachment("", data).id, media_type, width, height)


@pytest.mark.parametrize("data", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"<html>", b"RIFF....AVI "])
def test_bytes_that_are_no_raster_picture_are_a_file_even_if_labelled_as_one(data: bytes) -> None:
    assert isinstance(Attachment("image/png", data, "a.png").part(), File)


HEIC = bytes.fromhex("00000020667479706865696300000000")


@pytest.mark.parametrize(
    ("data", "said", "media_type"),
    [
        (JPEG, "image/png", "image/jpeg"),
        (JPEG, "", "image/jpeg"),
        (HEIC, "image/png", "image/heic"),
        (b"\0\0\0\x20ftypavif", "image/png", "image/avif"),
        (b"%PDF-1.7", "text/plain", "application/pdf"),
        (b"Hello", "application/pdf", "application/octet-stream"),
        (b"Hello", "image/webp", "application/octet-stream"),
        (b"<svg/>", "image/svg+xml", "image/svg+xml"),
        (b"Hello", "text/plain", "text/plain"),
    ],
)
def test_bytes_are_labelled_by_what_they_are(data: bytes, said: str, media_type: str) -> None:
    attachment = Attachment(said, data, "a")

    assert attachment.media_type == media_type
    assert attachment.part().media_type == media_type


@given(
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF....WEBPVP8X", b"GIF89a"]),
    st.binary(max_size=80),
)
def test_no_bytes_are_too_broken_to_be_looked_at(start: bytes, rest: bytes) -> None:
    look_at(start + rest)


def test_text_replaces_a_results_pictures_for_a_model_without_images() -> None:
    picture = Attachment("image/png", a_png(1, 1)).part()
    result = ToolResult("t1", (Text("Here."), picture))
    pair = a_pair(reply=(ToolCall("t1", "camera", "{}", True), result, Text("A dot.")))

    blind = build_request(View((pair,)), ModelProfile("x:blind", "Blind"))
    seeing = build_request(View((pair,)), ModelProfile("x:seeing", "Seeing", images=True))

    assert list(list_named(result.content)) == [picture.attachment_id]
    assert [one.reason for one in blind.unsupported] == ["Blind does not support images."]
    words = Text("\n[A picture (image/png) was here. It cannot be sent to this model.]")
    assert blind.request.messages[2].parts == (ToolResult("t1", (Text("Here."), words)),)
    assert seeing.unsupported == ()
    assert seeing.request.messages[2].parts == (result,)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (Attachment("image/png", HEIC), "[A picture (image/heic) was here. It cannot be sent to this model.]"),
        (
            Attachment("image/svg+xml", b"<svg/>"),
            "[A picture (image/svg+xml) was here. It cannot be sent to this model.]",
        ),
        (
            Attachment("audio/wav", b"RIFF", "a.wav"),
            "[The file a.wav (audio/wav) was here. It cannot be sent to this model.]",
        ),
    ],
)
def test_content_that_no_model_accepts_is_described_and_never_sent_as_a_document(file: Attachment, words: str) -> None:
    part = file.part()
    assert isinstance(part, File)
    pair = a_pair((Text("look"), part), (ToolCall("t1", "camera", "{}", True), ToolResult("t1", (part,)), Text("Ah.")))

    built = build_request(View((pair,)), ModelProfile("x:able", "Able", images=True, files=True))

    sent = [message.parts for message in built.request.messages]
    assert sent[0] == (Text("look"),)
    assert sent[2] == (ToolResult("t1", (Text(words),)),)
    assert len(built.unsupported) == 2
    assert all(f"of the type {file.media_type}" in one.reason for one in built.unsupported)
