"""The type of an upload is that of its bytes; names are made safe."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.attachments.attachments import Attachment, Picture
from app.domain.attachments.uploads import (
    MAX_NAME,
    MAX_UPLOAD_BYTES,
    Upload,
    UploadKind,
    clean_name,
    read_upload,
)
from app.domain.conversation.parts import Image, TextFile, write_text_file
from app.domain.conversation.text_size import MAX_TEXT_BYTES
from app.domain.errors import InputError
from tests.domain.attachments.test_attachments import a_png


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a,b\r\n1,2\r\n", "a,b\n1,2\n"),
        ("naïve 🙂".encode(), "naïve 🙂"),
        ("\ufeffmark".encode(), "mark"),
        ("sixteen".encode("utf-16"), "sixteen"),
        (b"\x1b[31mred\x1b[0m\x0c", "\x1b[31mred\x1b[0m\x0c"),
        (b"<svg onload='alert(1)'/>", "<svg onload='alert(1)'/>"),
    ],
)
def test_a_text_is_read_in_the_encoding_it_has(data: bytes, text: str) -> None:
    assert read_upload(data, "notes.txt") == TextFile("notes.txt", text)


def test_a_picture_is_known_by_its_bytes_whatever_its_name() -> None:
    assert read_upload(a_png(3, 2), "notes.txt") == Picture("image/png", 3, 2)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "x.png is empty"),
        (b"MZ\x90\x00\x03", "cannot be sent"),
        (b"%PDF-1.7\n\xe2\xe3\xcf\xd3", "cannot be sent"),
        (b"\xff\xfe\x00", "cannot be sent"),
        (b"text with \0", "cannot be sent"),
        (b"\xc3\x28", "cannot be sent"),
        (b"x" * (MAX_TEXT_BYTES + 1), "The maximum for a text is 1.0 MiB"),
        (b"x" * (MAX_UPLOAD_BYTES + 1), "The maximum is 20.0 MiB"),
    ],
)
def test_what_is_no_picture_and_no_text_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        read_upload(data, "x.png")


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\a.txt", "a.txt"),
        (".bashrc", "bashrc"),
        ("a\r\nSet-Cookie: b.txt", "aSet-Cookie b.txt"),
        ('a"><script>.txt', "ascript.txt"),
        ("photo\u202egpj.exe", "photogpj.exe"),
        ("", "file"),
        ("...", "file"),
        ("x" * 500 + ".csv", "x" * (MAX_NAME - 4) + ".csv"),
    ],
)
def test_a_name_is_the_last_part_of_a_path_without_what_could_deceive(name: str, cleaned: str) -> None:
    assert clean_name(name) == cleaned


@given(st.text())
def test_no_name_breaks_out_of_its_place(name: str) -> None:
    cleaned = clean_name(name)

    assert 0 < len(cleaned) <= MAX_NAME
    assert not set(cleaned) & set('/\\"<>\r\n\0')
    assert write_text_file(TextFile(cleaned, "x")).count("\n") == 2


@given(st.binary(max_size=200))
def test_whatever_is_uploaded_is_a_picture_or_a_text_or_refused(data: bytes) -> None:
    with suppress(InputError):
        assert isinstance(read_upload(data, "any"), Picture | TextFile)


def test_what_a_message_holds_of_an_upload() -> None:
    picture = Attachment("image/png", a_png(3, 2), "a.png")

    assert Upload("u1", picture, UploadKind.IMAGE, 3, 2, 9, 6).part == Image(picture.id, "image/png", 3, 2)
    assert Upload("u2", Attachment("text/plain", b"x,y", "a.csv"), UploadKind.TEXT).part == TextFile("a.csv", "x,y")
