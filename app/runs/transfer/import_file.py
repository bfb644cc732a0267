"""Reads a file to be imported. The items of long lists are read one at a time.

The first fault is reported with its place.

    file = read_file(b'{"title": "Plans", "pairs": [{"user_text": "Hi", "model": "offline:demo"}]}', Rest())
    file.shape.conversations[0].title, file.read_pair(0, 0).user_text        # ("Plans", "Hi")

Not here: finding the items (`import_scan.py`), the schema (`import_shapes.py`), and checks across values, such as two
pairs at one position (`import_check.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

import orjson
from pydantic import ValidationError

from app.domain.attachments.uploads import MAX_TEXTS_BYTES
from app.domain.conversation.text_size import MAX_TEXT_BYTES, measure_text
from app.runs.transfer.export_json import FORMAT, VERSION
from app.runs.transfer.import_part_shapes import (
    PartShape,
    Shape,
    TextFileShape,
    TextShape,
    ThinkingShape,
    ToolCallShape,
    ToolResultShape,
)
from app.runs.transfer.import_scan import WAYS, FaultError, Scan, scan_file, too_long
from app.runs.transfer.import_shapes import AttachmentShape, ExportShape, NodeShape, PairShape
from app.tools.network.bounds import DecodedSize

MAX_BYTES = 64 * 1024 * 1024
"""Maximum size of a file in bytes. The whole file is held in memory."""

LARGE_ITEM: Final = 8 * 1024 * 1024
"""Size, in bytes, above which Inview measures the memory that reading a list item takes.

Reading a smaller item takes at most five times its size, which is below `MAX_ITEM_MEMORY`.
"""
MAX_ITEM_MEMORY: Final = 64 * 1024 * 1024
"""Maximum bytes of memory for reading a list item. A text with an emoji takes four bytes for each character."""
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_DIVIDE: Final = "Remove a large text, an earlier version or a tool result from it, or split it into several."
_WHAT_TO_IMPORT = "Import a file that Inview exported, or one conversation from it."
_PRODUCTS: Mapping[str, str] = MappingProxyType(
    {
        "mapping": "ChatGPT",
        "chat_messages": "Claude",
        "chat": "Open WebUI",
        "endpoint": "LibreChat",
        "exportType": "LobeChat",
    }
)
"""Other products, by a field that only their exports have, in the file or in its first conversation."""

Valid = TypeVar("Valid", bound=Shape)


@dataclass(frozen=True)
class ImportFile:
    """An import file that matches the schema (`import_shapes.py`).

    - `shape`: everything except pairs, nodes and attachments, which are read on request.
    - `alone`: the file is a single conversation, without the outer object of an export.
    - `rest`: called before each item is read (see `Rest`).
    - `most_text`: the limit for a text of a message, in bytes.
    """

    scan: Scan
    shape: ExportShape
    alone: bool
    rest: Callable[[], None]
    most_text: int

    def count(self, name: str, number: int = 0) -> int:
        """Return the number of items in the list `name` of the conversation `number`. The first one has number 0.

        The list of attachments belongs to the whole file; its `number` is 0.
        """
        return len(self.scan.spans(name, number)) // 2

    def size(self, name: str, number: int, index: int) -> int:
        """Return the size in bytes of the item `index` in the list `name` of the conversation `number`."""
        start, end = self.scan.spans(name, number)[2 * index : 2 * index + 2]
        return end - start

    def read_pair(self, number: int, index: int) -> PairShape:
        """Read the pair `index` of the conversation `number` from the import file.

        Raises:
            FaultError: the item is not a pair, or a text of its messages or all texts of a message are too large.
        """
        pair = self._read(PairShape, "pairs", number, index)
        place, most = f"$.conversations[{number}].pairs[{index}]", self.most_text + MAX_TEXTS_BYTES
        for holder, texts in _list_texts(pair):
            total = 0
            for path, text in texts:
                total += (size := measure_text(text))
                if size > self.most_text:
                    raise too_long(_shorten(f"{place}.{holder}.{path}", alone=self.alone), size, self.most_text)
            if total > most:
                reason = f"has texts of {total:,} bytes together. The maximum for a message is {most:,}. {WAYS}."
                raise FaultError(_shorten(f"{place}.{holder}", alone=self.alone), reason)
        return pair

    def read_node(self, number: int, index: int) -> NodeShape:
        """Read the node `index` (an entry between pairs) of the conversation `number` from the import file.

        Raises:
            FaultError: the item is not a node.
        """
        return self._read(NodeShape, "nodes", number, index)

    def read_attachment(self, index: int) -> AttachmentShape:
        """Read an attachment (an image or a file) from the import file.

        Raises:
            FaultError: the item is not an attachment.
        """
        return self._read(AttachmentShape, "attachments", 0, index)

    def _read(self, shape: type[Valid], name: str, number: int, index: int) -> Valid:
        self.rest()
        start, end = self.scan.spans(name, number)[2 * index : 2 * index + 2]
        place = f"$.attachments[{index}]" if name == "attachments" else f"$.conversations[{number}].{name}[{index}]"
        with memoryview(self.scan.body) as body:
            if end - start > LARGE_ITEM:
                self._require_memory(body[start:end], place)
            try:
                data: Any = orjson.loads(body[start:end])
            except orjson.JSONDecodeError as error:
                raise FaultError(_shorten(place, alone=self.alone), f"is not JSON: {error}.") from error
        return _validate(shape, data, place, alone=self.alone)

    def _require_memory(self, item: memoryview, place: str) -> None:
        """Refuse an item that takes too much memory: its bytes are copied to be parsed, then each text is decoded."""
        size = len(item)
        for found in _STRING.finditer(item):
            self.rest()
            size += DecodedSize().feed(found[0])
            if size > MAX_ITEM_MEMORY:
                reason = f"takes more than {MAX_ITEM_MEMORY // 2**20} MiB of memory while it is read. {_DIVIDE}"
                raise FaultError(_shorten(place, alone=self.alone), reason)


def read_file(body: bytes | bytearray, rest: Callable[[], None], most_text: int = MAX_TEXT_BYTES) -> ImportFile:
    """Read an import file and check it against the schema. A file that is a single conversation is accepted.

    Raises:
        FaultError: the file does not match. The error has the place of the first fault. Pairs, nodes and attachments
            are not checked here.
    """
    _require_text(bytes(body[:4]), len(body))
    scan = scan_file(body, rest, most_text)
    if not scan.shell.strip():
        raise FaultError("$", f"is empty. {_WHAT_TO_IMPORT}")
    try:
        data: Any = orjson.loads(scan.shell)
    except orjson.JSONDecodeError as error:
        if "UTF-8" in str(error):
            raise FaultError("$", "is not UTF-8 text. Save it as UTF-8, or export it again.") from error
        raise FaultError("$", f"is not JSON: {error}.") from error
    _require_ours(data)
    alone = "pairs" in data and "conversations" not in data and "format" not in data
    given = cast("dict[str, Any]", data)
    whole: dict[str, Any] = {"format": FORMAT, "version": VERSION, "conversations": [given]} if alone else given
    _require_known(whole)
    return ImportFile(scan, _validate(ExportShape, whole, "$", alone=alone), alone, rest, most_text)


def _list_texts(pair: PairShape) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    """Yield the path of each message of a pair, with its texts: the path of each text within the message, and the text.

    `user_text` and `reply_text` are left out.
    """
    for number, message in enumerate(pair.messages):
        yield f"messages[{number}]", iter((("text", message.text),))
    messages = [(f"messages[{number}]", message.parts) for number, message in enumerate(pair.messages)]
    reply = None if pair.reply is None else pair.reply.parts
    for path, parts in (("request", pair.request.parts), ("reply", reply), *messages):
        yield path, _list_texts_of_parts(parts or ())


def _list_texts_of_parts(parts: Sequence[PartShape]) -> Iterator[tuple[str, str]]:
    for number, part in enumerate(parts):
        for name, text in _list_texts_of_part(part):
            yield f"parts[{number}].{name}", text


def _list_texts_of_part(part: PartShape) -> Iterator[tuple[str, str]]:
    match part:
        case TextShape() | TextFileShape():
            yield "text", part.text
        case ThinkingShape():
            yield "text", part.text
            yield "signature", part.signature or ""
        case ToolCallShape():
            yield "input_json", part.input_json
        case ToolResultShape():
            for number, piece in enumerate(part.content):
                if isinstance(piece, TextShape):
                    yield f"content[{number}].text", piece.text
        case _:
            pass


def _require_text(beginning: bytes, size: int) -> None:
    """Refuse compressed files and files that are not UTF-8, by their first bytes."""
    if beginning.startswith((b"PK", b"\x1f\x8b")):
        raise FaultError("$", "is a compressed file. Unpack it, and import the JSON file inside.")
    if beginning.startswith((b"\xff\xfe", b"\xfe\xff")) or (size > 1 and 0 in beginning):
        raise FaultError("$", "is UTF-16 or UTF-32 text, or not text. Save it as UTF-8.")


def _require_ours(data: Any) -> None:
    """Refuse other formats, with the name of the product if it is known."""
    first = next(iter(cast("list[Any]", data)), None) if isinstance(data, list) else data
    found = [name for field, name in _PRODUCTS.items() if isinstance(first, dict) and field in first]
    if found:
        raise FaultError("$", f"is not Inview's format but looks like an export of {found[0]}. {_WHAT_TO_IMPORT}")
    if not isinstance(data, dict):
        raise FaultError("$", f"is not Inview's format, which begins with {{. {_WHAT_TO_IMPORT}")


def _validate(shape: type[Valid], data: Any, place: str, *, alone: bool) -> Valid:
    try:
        return shape.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        fault = place + write_path(data, first["loc"]).removeprefix("$")
        raise FaultError(_shorten(fault, alone=alone), f"{first['msg']}.") from error


def _shorten(place: str, *, alone: bool) -> str:
    return place.replace("$.conversations[0]", "$", 1) if alone else place


def write_path(data: Any, loc: Sequence[str | int]) -> str:
    """Return the place of a fault as a JSON path. `loc` is the place as pydantic reports it.

    For a value of a union, such as a part, pydantic adds the name of the union's case. The path leaves it out.

    >>> write_path({"parts": [{"type": "text"}]}, ("parts", 0, "text", "text"))
    '$.parts[0].text'
    """
    path, here = "$", data
    for place, step in enumerate(loc):
        last = place == len(loc) - 1
        if isinstance(here, list) and isinstance(step, int):
            items = cast("list[Any]", here)
            path += f"[{step}]"
            here = items[step] if step < len(items) else None
        elif isinstance(here, dict) and isinstance(step, str):
            fields = cast("dict[str, Any]", here)
            if not last and (step not in fields or fields.get("type") == step):
                continue
            path += f".{step}"
            here = fields.get(step)
    return path


def _require_known(data: dict[str, Any]) -> None:
    if data.get("format") != FORMAT:
        raise FaultError("$.format", f'is not "{FORMAT}". {_WHAT_TO_IMPORT}')
    if data.get("version") != VERSION:
        raise FaultError("$.version", f"is not {VERSION}, which this version of Inview reads. Use a newer one.")
