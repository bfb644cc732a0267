"""Texts of the dialog before a send that does not fit, for none, one and several pairs."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from app.domain.context.budget import Allowance
from app.domain.context.over_budget import BudgetOption, BudgetOptions, LargerModel, OverBudgetError
from app.state.composer.over_budget import describe_over_budget

SIZE = BudgetOption(20_000, Decimal(0), "")
WINDOW = "Exceeds the limit for the model's window. The provider may reject it."


def options(x: int, y: int, *, fits: bool) -> BudgetOptions:
    larger = LargerModel("peer:large", "large", 131_072, SIZE)
    return BudgetOptions("peer:small", x, y, 7_700, "window", 800, SIZE if fits else None, SIZE, None, (larger,))


pytestmark = pytest.mark.usefixtures("ctx")


@pytest.mark.parametrize(
    ("x", "y", "fits", "message", "names", "notes"),
    [
        (
            *(
                0,
                0,
                False,
                "This message does not fit. The limit for peer:small is 7,700 tokens: the part of its window that a ",
            ),
            ("Send it anyway", "Switch to large"),
            (WINDOW, "It fits into its 131,072 tokens."),
        ),
        (
            *(0, 1, False, "This message does not fit, even without the pair in view. "),
            ("Send it with the pair anyway", "Switch to large"),
            (WINDOW, "It fits with the pair into its 131,072 tokens."),
        ),
        (
            *(0, 1, True, "The pair in view does not fit together with the draft."),
            ("Send the draft alone", "Send it with the pair anyway", "Switch to large"),
            ("Leaves out the pair in view, this time.",),
        ),
        (
            *(0, 3, True, "None of the 3 pairs in view fits together with the draft."),
            ("Send the draft alone", "Send all 3 anyway", "Switch to large"),
            ("Leaves out all 3 pairs in view, this time.",),
        ),
        (
            *(1, 2, True, "1 of the 2 pairs in view fits."),
            ("Send the 1 pair that fits", "Send all 2 anyway", "Switch to large"),
            ("Leaves out the older one in view, this time.",),
        ),
        (
            *(2, 6, True, "2 of the 6 pairs in view fit. The limit for peer:small is 7,700 tokens: "),
            ("Send the 2 pairs that fit", "Send all 6 anyway", "Switch to large"),
            ("Leaves out the 4 older in view, this time.",),
        ),
    ],
)
async def test_dialog_names_one_pair_as_one(
    *, x: int, y: int, fits: bool, message: str, names: tuple[str, ...], notes: tuple[str, ...]
) -> None:
    shown = describe_over_budget(options(x, y, fits=fits))

    assert shown.message.startswith(message)
    assert tuple(way.name for way in shown.ways) == names
    assert tuple(way.note for way in shown.ways)[: len(notes)] == notes


@pytest.mark.parametrize(
    ("reserve", "ends"), [(0, "Context). Nothing"), (1, "Context). 1 token is kept free for the reply. Nothing")]
)
async def test_dialog_names_what_is_kept_for_the_reply(reserve: int, ends: str) -> None:
    assert ends in describe_over_budget(replace(options(0, 0, fits=False), reserve=reserve)).message


async def test_dialog_names_the_limit_and_says_that_a_text_is_saved_only_if_there_is_one() -> None:
    limited = replace(options(2, 6, fits=True), limited_by="token ceiling")

    assert describe_over_budget(limited, kept=False).message == (
        "2 of the 6 pairs in view fit. The limit for peer:small is 7,700 tokens: your token limit. "
        "800 tokens are kept free for the reply. Nothing has been sent."
    )


@pytest.mark.parametrize(
    ("limit", "limited_by", "allowance", "message"),
    [
        (
            *(0, "token ceiling", Allowance("conversation", Decimal(100), Decimal(11_412))),
            "Your limit for a conversation is 100 tokens. This one has used 11,412, as far as known. 800 tokens",
        ),
        (
            *(500, "token ceiling", Allowance("day", Decimal(5_000), Decimal(4_500))),
            "Your limit for a day is 5,000 tokens. Today's requests have used 4,500, as far as known, so 500 tokens ",
        ),
        (
            *(0, "money ceiling", Allowance("conversation", Decimal("0.5"), Decimal("0.61"))),
            "Your limit for a conversation is $0.500. This one has used $0.610, as far as known. 800 tokens",
        ),
        (
            *(500, "money ceiling", Allowance("day", Decimal("0.5"), Decimal(0))),
            "Your limit for a day is $0.500. Today's requests have used $0, as far as known, so 500 tokens are left. ",
        ),
    ],
)
async def test_dialog_names_the_limit_of_the_conversation_or_the_day(
    limit: int, limited_by: str, allowance: Allowance, message: str
) -> None:
    spent = replace(options(0, 0, fits=False), limit=limit, limited_by=limited_by, allowance=allowance)

    shown = describe_over_budget(spent)

    assert shown.message.startswith(f"This message does not fit. {message}")
    assert shown.ways[0].note == "Exceeds your limit, this time."


@pytest.mark.parametrize(("limit", "left"), [(0, "nothing is left"), (500, "500 tokens are left")])
async def test_dialog_names_the_model_that_nothing_is_left_for_if_there_are_several(limit: int, left: str) -> None:
    spent = Allowance("day", Decimal(1), Decimal("0.9"))
    limited = replace(options(0, 0, fits=False), limit=limit, limited_by="money ceiling", allowance=spent)

    assert f"so {left} for peer:small. " in describe_over_budget(limited, models=("peer:small", "peer:other")).message


def test_error_names_a_limit_in_money_in_dollars() -> None:
    day = Allowance("day", Decimal("0.5"), Decimal("0.4"))

    in_money = replace(options(0, 0, fits=False), limit=500, limited_by="money ceiling", allowance=day)
    in_tokens = replace(in_money, limited_by="token ceiling", allowance=replace(day, amount=Decimal(5_000)))

    assert "(limit: 500 tokens left of $0.5 per day, money ceiling;" in str(OverBudgetError(in_money))
    assert "(limit: 500 tokens left of 5,000 per day, token ceiling;" in str(OverBudgetError(in_tokens))


async def test_larger_models_of_one_name_are_distinguished_by_their_providers() -> None:
    several = tuple(
        LargerModel(model, model.partition(":")[2], 131_072, SIZE) for model in ("a:big", "b:big", "b:huge")
    )

    shown = describe_over_budget(replace(options(1, 2, fits=True), larger=several))

    assert [way.name for way in shown.ways][-3:] == ["Switch to a:big", "Switch to b:big", "Switch to huge"]
