"""The process that counts texts in OpenAI's vocabularies. It runs as a script.

It reads one question after the other from its standard input and answers each on its standard output. Both are a
length of eight bytes and a value in Python's own format `marshal`:

    ("o200k_base", ["hello world", "hello"])      [2, 1]

It ends when its input ends, which it does when Inview ends, however that happens.
"""

from __future__ import annotations

import marshal
import sys
from typing import IO

from app.providers.counts.vocabularies import counter


def serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer questions until there are no more."""
    while (body := read_message(questions)) is not None:
        vocabulary, texts = marshal.loads(body)  # noqa: S302 - from the process that started this one
        answers.write(write_message(list(map(counter(vocabulary), texts))))
        answers.flush()


def write_message(value: tuple[str, list[str]] | list[int]) -> bytes:
    """A value as it travels."""
    body = marshal.dumps(value)
    return len(body).to_bytes(8, "big") + body


def read_message(stream: IO[bytes]) -> bytes | None:
    """The next value that arrives, to be read by `marshal`. None: the stream ended."""
    length = int.from_bytes(head, "big") if len(head := stream.read(8)) == 8 else None
    if length is None:
        return None
    body = stream.read(length)
    return body if len(body) == length else None


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
