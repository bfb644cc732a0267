from __future__ import annotations

import pytest

from app.domain.tokens.kinds import Kind, kind_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("“It’s late…” \N{EN DASH} she said → and left.", Kind.PLAIN),
        ("for i in range(10):\n    print(i)  # ≥ 3 × 2", Kind.PLAIN),
        ("Ça dépend de l’été, “peut-être”…", Kind.ACCENTED),
        ("Trời đẹp quá, chúng ta đi dạo nhé", Kind.ACCENTED),
        ("2,4\t8,16\n32,64\t128,256", Kind.FIGURES),
        ("Почему небо голубое?", Kind.FOREIGN),
        ("", Kind.PLAIN),
    ],
)
def test_a_text_is_of_the_kind_that_most_of_its_letters_are(text: str, kind: Kind) -> None:
    assert kind_of(text) is kind
