"""Pictures are encoded again from their pixels, in a process that a hostile picture can neither block nor fill."""

from __future__ import annotations

import asyncio
import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image, PngImagePlugin

from app.domain.attachments.attachments import look_at
from app.domain.errors import InputError
from app.media.picture_worker import MAX_BYTES, MAX_PIXELS, MAX_SIDE
from app.media.pictures import convert_picture
from tests.domain.attachments.test_attachments import a_png

GPS, ORIENTATION, DESCRIPTION = 0x8825, 0x0112, 0x010E
SECRET = "52 degrees north, at home"


def a_picture(form: str, size: tuple[int, int] = (40, 20), mode: str = "RGB", **saved: object) -> bytes:
    made = BytesIO()
    Image.new(mode, size, "#ff000080" if "A" in mode else "red").save(made, form, **saved)
    return made.getvalue()


def a_photo(*, orientation: int = 1) -> bytes:
    exif = Image.Exif()
    exif[ORIENTATION], exif[DESCRIPTION] = orientation, SECRET
    exif.get_ifd(GPS)[1] = "N"
    exif.get_ifd(GPS)[2] = (52.0, 30.0, 0.0)
    return a_picture("JPEG", exif=exif, comment=SECRET.encode(), icc_profile=SECRET.encode())


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (a_picture("PNG"), "image/png"),
        (a_picture("JPEG"), "image/jpeg"),
        (a_picture("WEBP"), "image/jpeg"),
        (a_picture("WEBP", mode="RGBA"), "image/png"),
        (a_picture("GIF"), "image/png"),
        (a_picture("PNG", mode="LA"), "image/png"),
        (a_picture("PNG", mode="P"), "image/png"),
        (a_picture("PNG", mode="1"), "image/png"),
        (a_picture("JPEG", mode="CMYK"), "image/jpeg"),
    ],
    ids=["png", "jpeg", "webp", "webp with alpha", "gif", "grey with alpha", "palette", "black and white", "cmyk"],
)
async def test_a_picture_is_what_it_was_in_a_form_that_every_model_takes(data: bytes, media_type: str) -> None:
    made = await convert_picture(data)

    assert made.media_type == media_type
    assert (made.width, made.height, made.full_width, made.full_height) == (40, 20, 40, 20)
    seen = look_at(made.data)
    assert seen is not None
    assert (seen.media_type, seen.width, seen.height) == (media_type, 40, 20)


async def test_where_a_photo_was_taken_and_what_was_said_of_it_is_gone() -> None:
    photo = a_photo()
    assert SECRET.encode() in photo

    made = await convert_picture(photo)

    assert SECRET.encode() not in made.data
    assert b"Exif" not in made.data
    with Image.open(BytesIO(made.data)) as picture:
        assert dict(picture.getexif()) == {}
        assert "icc_profile" not in picture.info
        assert "comment" not in picture.info


async def test_texts_and_profiles_in_a_png_are_gone() -> None:
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Location", SECRET)
    texts.add_itxt("XML:com.adobe.xmp", SECRET)
    data = a_picture("PNG", pnginfo=texts, icc_profile=SECRET.encode())

    made = await convert_picture(data)

    assert SECRET.encode() not in made.data
    with Image.open(BytesIO(made.data)) as picture:
        assert picture.info == {}


async def test_a_photo_taken_upright_is_upright() -> None:
    made = await convert_picture(a_photo(orientation=6))

    assert (made.width, made.height, made.full_width, made.full_height) == (20, 40, 20, 40)


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
async def test_a_large_picture_is_scaled_down_to_what_models_look_at(form: str) -> None:
    made = await convert_picture(a_picture(form, (8_064, 6_048)))

    assert (made.full_width, made.full_height) == (8_064, 6_048)
    assert (made.width, made.height) == (MAX_SIDE, 1_932)


async def test_a_picture_that_does_not_compress_is_sent_as_jpeg() -> None:
    made_of_noise = BytesIO()
    Image.effect_noise((2_000, 2_000), 100).save(made_of_noise, "PNG")

    made = await convert_picture(made_of_noise.getvalue())

    assert made.media_type == "image/jpeg"
    assert len(made.data) <= MAX_BYTES


@pytest.mark.parametrize("hidden", [b"<script>alert(1)</script>", b"PK\x03\x04 a second file", b"%PDF-1.7"])
@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
async def test_what_is_hidden_behind_a_picture_is_gone(form: str, hidden: bytes) -> None:
    made = await convert_picture(a_picture(form) + hidden)

    assert hidden not in made.data


def a_bomb(width: int, height: int) -> bytes:
    """Return a PNG that claims this size and has a few bytes."""
    return a_png(1, 1).replace(struct.pack(">II", 1, 1), struct.pack(">II", width, height), 1)


def with_right_checksum(data: bytes) -> bytes:
    """Return the PNG with the checksum of its changed header."""
    header = data[12:29]
    return data[:29] + struct.pack(">I", zlib.crc32(header)) + data[33:]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (with_right_checksum(a_bomb(60_000, 60_000)), "has more than 50 million pixels"),
        (with_right_checksum(a_bomb(1, MAX_PIXELS + 1)), "has more than 50 million pixels"),
        (with_right_checksum(a_bomb(5_000, 5_000)), "is damaged"),
        (a_picture("JPEG")[:200], "is damaged"),
        (a_picture("PNG")[:40], "is damaged"),
        (b"\x89PNG\r\n\x1a\n<svg onload='alert(1)'/>", "is damaged"),
        (b"GIF89a=1;alert(1)//", "is damaged"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "is damaged"),
        (b"\xff\xd8\xff", "is damaged"),
    ],
)
async def test_what_cannot_be_read_is_refused_in_a_sentence(data: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=f"photo.png {reason}.*Save it again"):
        await convert_picture(data, "photo.png")


async def test_others_are_answered_while_a_picture_is_converted() -> None:
    converting = asyncio.create_task(convert_picture(a_picture("PNG", (7_000, 7_000))))
    turns = 0
    while not converting.done():
        await asyncio.sleep(0.001)
        turns += 1

    assert (await converting).width == MAX_SIDE
    assert turns > 10
