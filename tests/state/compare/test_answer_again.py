"""The menu of models that answer a pair again: its entries, and the result of a choice."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from app.domain.errors import InputError
from app.runs.app_context import AppContext
from app.runs.watch.watcher import Watcher
from app.state.compare import answer_again
from app.state.compare.answer_again import SEVERAL, AnswerAgainState
from app.state.compare.choice import ComparisonChoiceState
from app.state.conversation.model import ModelState
from tests.state.conftest import Tab
from tests.state.watched import stored, watching_two
from tests.waiting import until

DEMO, TINY = "offline:demo", "offline:tiny"


@pytest.fixture
async def watcher(ctx: AppContext, tab: Tab) -> AsyncGenerator[Watcher]:
    async with watching_two(ctx, tab) as watcher:
        yield watcher


async def ask(tab: Tab, watcher: Watcher) -> None:
    """Open the menu for the second pair and wait until the providers have answered."""
    await tab.send(AnswerAgainState.ask, pair_id=watcher.screen.pairs[1].id)
    await until(lambda: tab.shows(AnswerAgainState, "said").startswith("The pairs in view above"))


def listed(tab: Tab) -> list[tuple[str, str]]:
    return [(row.value, row.note) for row in tab.shows(AnswerAgainState, "rows")]


async def test_its_own_model_comes_first_then_several_then_all_others(watcher: Watcher, tab: Tab) -> None:
    await ask(tab, watcher)

    assert tab.shows(AnswerAgainState, "asking").label == "Regenerate pair 2"
    assert listed(tab)[:2] == [(DEMO, "same as before"), (SEVERAL, "compare")]
    assert (TINY, "offline") in listed(tab)[2:]
    assert tab.shows(AnswerAgainState, "rows")[0].name == "Offline demo"


async def test_the_model_chosen_in_the_composer_comes_second(watcher: Watcher, tab: Tab) -> None:
    await tab.send(ModelState.choose, model=TINY)

    await ask(tab, watcher)

    assert listed(tab)[:3] == [(DEMO, "same as before"), (TINY, "selected in the message box"), (SEVERAL, "compare")]
    assert [value for value, _ in listed(tab)].count(TINY) == 1


async def test_what_is_known_is_listed_before_the_providers_answer_and_if_they_do_not(
    watcher: Watcher, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        assert listed(tab) == [(DEMO, "same as before"), (SEVERAL, "compare")]
        raise InputError("models", "Nobody is there.")

    monkeypatch.setattr(answer_again, "list_models", refuse)
    await tab.send(AnswerAgainState.ask, pair_id=watcher.screen.pairs[1].id)
    await until(lambda: "Nobody is there." in tab.shows(AnswerAgainState, "said"))

    assert listed(tab) == [(DEMO, "same as before"), (SEVERAL, "compare")]


async def test_pair_is_answered_by_the_model_that_is_chosen(watcher: Watcher, tab: Tab) -> None:
    await ask(tab, watcher)
    await tab.send(AnswerAgainState.choose, model=TINY)

    assert tab.shows(AnswerAgainState, "asking") is None
    await until(lambda: watcher.screen.pairs[1].versions == 2 and not watcher.screen.running)
    assert (await stored(watcher))[1].model == TINY


async def test_several_models_are_asked_for_in_a_dialog_of_their_own(watcher: Watcher, tab: Tab) -> None:
    await ask(tab, watcher)
    await tab.send(AnswerAgainState.choose, model=SEVERAL)

    assert tab.shows(AnswerAgainState, "asking") is None
    assert tab.shows(ComparisonChoiceState, "choosing").label == "Regenerate pair 2 with several models"


@pytest.mark.parametrize("pair_id", ["nowhere", "", None, 7])
async def test_pair_that_is_not_there_opens_nothing(watcher: Watcher, tab: Tab, pair_id: object) -> None:
    await tab.send(AnswerAgainState.ask, pair_id=pair_id)

    assert not tab.shows(AnswerAgainState, "asking")


@pytest.mark.parametrize("model", [TINY, None, 7, "x" * 301])
async def test_closed_menu_answers_nothing(watcher: Watcher, tab: Tab, model: object) -> None:
    await ask(tab, watcher)
    if model == TINY:
        await tab.send(AnswerAgainState.close)
    await tab.send(AnswerAgainState.choose, model=model)

    assert not watcher.screen.running
    assert [pair.version for pair in await stored(watcher)] == [1, 1]
