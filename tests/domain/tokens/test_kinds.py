from __future__ import annotations

import tracemalloc

import pytest

from app.domain.tokens.kinds import KindFigures, TextKind, measure_kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("“It’s late…” \N{EN DASH} she said → and left.", TextKind.PLAIN),
        ("for i in range(10):\n    print(i)  # ≥ 3 × 2", TextKind.PLAIN),
        ("Ça dépend de l’été, “peut-être”…", TextKind.ACCENTED),
        ("Trời đẹp quá, chúng ta đi dạo nhé", TextKind.ACCENTED),
        ("2,4\t8,16\n32,64\t128,256", TextKind.FIGURES),
        ("Почему небо голубое?", TextKind.FOREIGN),
        ("", TextKind.PLAIN),
    ],
)
def test_a_text_is_of_the_kind_that_most_of_its_letters_are(text: str, kind: TextKind) -> None:
    assert measure_kind(text).kind is kind


def kind_of(*texts: str) -> TextKind:
    return sum(map(measure_kind, texts), KindFigures()).kind


def test_several_texts_are_judged_together() -> None:
    assert kind_of("12345", "See below, please.") is TextKind.PLAIN
    assert kind_of("12345" * 9, "See below, please.") is TextKind.FIGURES
    assert kind_of("небо" * 9, "See below, please.") is TextKind.FOREIGN


def test_a_long_text_is_read_in_pieces() -> None:
    text = "aő" * 300_000
    tracemalloc.start()
    try:
        assert kind_of("\N{GRINNING FACE}", text) is TextKind.ACCENTED
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()
