"""Every row of the registry has its streams, and each is read as its vendor means it."""

from __future__ import annotations

import pytest

from app.domain.conversation.parts import plain_text
from app.domain.errors import ErrorClass
from tests.dialects.corpus import CASES, NAMES, STREAMS, read_dialect, write_stream
from tests.providers.playing import play

ALL = [(name, case) for name in NAMES for case in read_dialect(name).cases]


def test_every_row_has_a_file_and_every_file_a_row() -> None:
    assert {path.stem for path in STREAMS.glob("*.toml")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_case_is_there_or_said_to_be_absent(name: str) -> None:
    dialect = read_dialect(name)

    assert set(dialect.cases) | set(dialect.absent) == set(CASES)
    assert not set(dialect.cases) & set(dialect.absent)
    assert all(source.startswith("https://") for source in dialect.sources)
    assert dialect.sources


@pytest.mark.parametrize(("name", "case"), ALL)
async def test_a_stream_says_what_its_vendor_means(name: str, case: str) -> None:
    dialect = read_dialect(name)
    stream = dialect.cases[case]

    stream.expected.check(await play(dialect.provider, write_stream(stream.events)))


@pytest.mark.parametrize("name", NAMES)
async def test_a_stream_that_is_cut_keeps_its_words_and_is_a_fault(name: str) -> None:
    dialect = read_dialect(name)
    stream = dialect.cases["plain"]
    pieces = write_stream(stream.events)
    lengths = set[int]()

    for end in range(len(pieces)):
        told = await play(dialect.provider, pieces[:end])

        text = plain_text(told.parts)
        assert stream.expected.text.startswith(text)
        lengths.add(len(text))
        if told.stopped is None:
            assert told.fault is not None
            assert told.fault.error_class is ErrorClass.STREAM
            assert "before the reply was complete" in told.fault.message
        else:
            assert text == stream.expected.text

    assert len(lengths) > 1
