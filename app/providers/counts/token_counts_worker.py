"""The process that counts the tokens of texts with OpenAI's vocabularies. It runs as a script.

It reads questions from its standard input and writes the answers to its standard output, one after the other. Each
question and each answer is a length of eight bytes and a value in Python's format `marshal`:

    ("o200k_base", ["hello world", "hello"])      [2, 1]

It ends when its input ends. So it also ends when Inview ends or crashes.
"""

from __future__ import annotations

import marshal
import sys
from typing import IO

from app.providers.counts.vocabularies import counter


def serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer questions until the input ends."""
    while (body := read_message(questions)) is not None:
        vocabulary, texts = marshal.loads(body)  # noqa: S302 - the data come from the parent process
        answers.write(write_message(list(map(counter(vocabulary), texts))))
        answers.flush()


def write_message(value: tuple[str, list[str]] | list[int]) -> bytes:
    """Encode a value as a message."""
    body = marshal.dumps(value)
    return len(body).to_bytes(8, "big") + body


def read_message(stream: IO[bytes]) -> bytes | None:
    """Return the next message, which `marshal` can decode, or None at the end of the stream."""
    length = int.from_bytes(head, "big") if len(head := stream.read(8)) == 8 else None
    if length is None:
        return None
    body = stream.read(length)
    return body if len(body) == length else None


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
