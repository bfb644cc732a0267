"""The process that reads one PDF. It runs as a script and imports nothing of Inview.

It reads the bytes of a PDF from its standard input until that ends, and writes a line of JSON: the text of each page,
"" of one that has none, null of one that could not be read.

    {"pages": ["Chapter one …", "", null]}
    {"fault": "is locked by a password"}

Only text is read: no script of it is run, no file within it is opened, no address is asked. The process has bounds for
memory and time, and ends after its one document; pypdf unpacks at most 75 million bytes of a stream.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
from contextlib import suppress
from io import BytesIO
from typing import Any, Final

from pypdf import PageObject, PdfReader
from pypdf.errors import PyPdfError

MAX_MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of address space."""
MAX_SECONDS: Final = 20
"""Processor time."""
MAX_PAGES: Final = 1_000
MAX_TEXT: Final = 4 * 1024 * 1024
"""Characters of all pages: four times of what may be sent, so that the message can say by how much it is too long."""
FAULTS: Final = (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, OSError, ArithmeticError)
"""What pypdf raises over a document that is not as the standard wants it."""


def read(data: bytes) -> dict[str, Any]:
    """What is said of the document."""
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted:
            return {"fault": "is locked by a password or by restrictions"}
        count = len(reader.pages)
        if count == 0:
            return {"fault": "has no pages"}
        if count > MAX_PAGES:
            return {"fault": f"has {count:,} pages; {MAX_PAGES:,} are the most"}
        return _read_pages(reader)
    except (MemoryError, RecursionError):
        return {"fault": "takes too much memory to read"}
    except FAULTS:
        return {"fault": "is damaged, or is no PDF"}


def _read_pages(reader: PdfReader) -> dict[str, Any]:
    pages: list[str | None] = []
    length = 0
    for page in reader.pages:
        text = _read_page(page)
        length += len(text or "")
        if length > MAX_TEXT:
            return {"fault": f"has more than {MAX_TEXT // 2**20} million characters of text"}
        pages.append(text)
    return {"pages": pages}


def _read_page(page: PageObject) -> str | None:
    try:
        text = page.extract_text()
    except FAULTS:
        return None
    # Half characters and control characters come out of broken fonts; no provider takes the former.
    clean = text.encode("utf-8", "replace").decode()
    return "".join(each for each in clean if each in "\n\t" or each.isprintable()).strip()


def main() -> None:
    """Read the PDF on the standard input."""
    with suppress(ValueError, OSError):  # a system that has no such limits
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    logging.disable()  # what pypdf notes of a document has words of it
    said = read(sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\n")


if __name__ == "__main__":
    main()
