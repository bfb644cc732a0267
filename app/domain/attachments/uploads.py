r"""Uploads: files that a person attached and did not send yet. Their type is detected from their bytes.

    >>> read_upload(b"a,b\n1,2\n", "../../data.csv")
    TextFile(name='data.csv', text='a,b\n1,2\n')

This module only decides which files are accepted; `app/media` converts images. The file name from the browser is made
safe. The type from the browser is ignored.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, get_args

from app.domain.attachments.attachments import Attachment, Picture, Raster, look_at
from app.domain.conversation.parts import Image, TextFile
from app.domain.conversation.text_size import MAX_TEXT_BYTES
from app.domain.errors import InputError

MAX_UPLOAD_BYTES: Final = 20 * 1024 * 1024
"""Maximum bytes of a file, before an image is scaled down. A photo of 48 megapixels has about 12 million bytes."""
MAX_TEXTS_BYTES: Final = 4 * 1024 * 1024
"""Maximum bytes of all text files in one message together."""
MAX_ATTACHED: Final = 20
"""Maximum number of files in one message. All providers accept at least this number of images."""
MAX_NAME: Final = 120
"""Maximum length of a file name in characters."""
TAKEN: Final = "Inview accepts pictures (PNG, JPEG, WebP, GIF) and text files, such as code and CSV"
_TEXTS: Final = (
    "text/*,.bat,.c,.cfg,.clj,.conf,.cpp,.cs,.css,.csv,.dart,.diff,.env,.erl,.ex,.exs,.go,.gql,.gradle,.graphql,.h,"
    ".hpp,.hs,.htm,.html,.ini,.ipynb,.java,.js,.json,.jsonl,.jsx,.kt,.less,.log,.lua,.m,.md,.mjs,.ndjson,.patch,"
    ".php,.pl,.proto,.ps1,.py,.r,.rb,.rs,.rst,.sass,.scala,.scss,.sh,.sql,.srt,.svelte,.svg,.swift,.tex,.tf,.toml,"
    ".ts,.tsv,.tsx,.txt,.vb,.vtt,.vue,.xml,.yaml,.yml,.zig"
)
"""The accepted kinds of text files. Browsers do not count most of them as `text/*`, so their endings are listed."""

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNSAFE: Final = re.compile(r'[<>:"|?*\x00-\x1f\x7f]')
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""Characters that mark a file as binary. Form feeds and terminal escapes are allowed: logs and listings have them."""


class UploadKind(StrEnum):
    """The kind of message part that an upload becomes when it is sent."""

    IMAGE = "image"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Upload:
    """A stored file for a later message.

    - `id`: identifies this upload, not its bytes: a person can attach equal bytes several times, with different names.
    - `width`, `height`: the size in pixels of the image that is sent; 0 by 0 for a text.
    - `full_width`, `full_height`: the size in pixels of the uploaded file, before it was scaled down.
    """

    id: str
    attachment: Attachment
    kind: UploadKind
    width: int = 0
    height: int = 0
    full_width: int = 0
    full_height: int = 0

    @property
    def part(self) -> Image | TextFile:
        """The part that this upload becomes in a message."""
        if self.kind is UploadKind.IMAGE:
            return Image(self.attachment.id, self.attachment.media_type, self.width, self.height)
        return TextFile(self.attachment.name, self.attachment.data.decode())


def read_upload(data: bytes, name: str) -> Picture | TextFile:
    """Detect the type of a file from its bytes. The result is an image, which must be converted, or a text.

    Raises:
        InputError: the file is neither an image nor a text, it is empty, or it is too large.
    """
    name = clean_name(name)
    if not data:
        raise InputError("attachment", f"{name} is empty. Choose another file.")
    if len(data) > MAX_UPLOAD_BYTES:
        raise InputError("attachment", f"{name} has {_mib(len(data))}. The maximum is {_mib(MAX_UPLOAD_BYTES)}.")
    if (picture := look_at(data)) is not None:
        return picture
    text = decode_text(data)
    if text is None:
        raise InputError("attachment", f"{name} cannot be sent. {TAKEN}.")
    if len(data) > MAX_TEXT_BYTES:
        most = f"The maximum for a text is {_mib(MAX_TEXT_BYTES)}"
        raise InputError("attachment", f"{name} has {_mib(len(data))}. {most}. Attach only the part that you need.")
    return TextFile(name, text)


def list_accepted(*, images: bool) -> str:
    """Return the kinds of files that a message accepts, as the value of the HTML attribute `accept`.

    >>> list_accepted(images=False)[:18]
    'text/*,.bat,.c,.cf'
    """
    return ",".join((*get_args(Raster), _TEXTS)) if images else _TEXTS


def decode_text(data: bytes) -> str | None:
    """Decode bytes as UTF-8, or as UTF-16 if they have a byte order mark; None if they are no text."""
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text.replace("\r\n", "\n")


def clean_name(name: str) -> str:
    r"""Return the last part of a path, changed to a name that is safe to show, store and send.

    >>> clean_name("C:\\Users\\me\\..\\notes.txt"), clean_name("../../"), clean_name('a"><b>.py')
    ('notes.txt', 'file', 'ab.py')
    """
    last = _UNSAFE.sub("", re.split(r"[/\\]", name)[-1])
    # Without this, characters that change the direction of writing would make "gpj.exe" look like "exe.jpg".
    shown = "".join(each for each in unicodedata.normalize("NFC", last) if unicodedata.category(each)[0] != "C")
    shown = shown.strip().lstrip(".")
    stem, dot, ending = shown.rpartition(".")
    if len(shown) > MAX_NAME:
        shown = (
            f"{stem[: MAX_NAME - len(ending) - 1]}.{ending}"
            if dot and len(ending) < MAX_NAME // 4
            else shown[:MAX_NAME]
        )
    return shown or "file"


def _mib(count: int) -> str:
    return f"{count / 2**20:.1f} MiB"
