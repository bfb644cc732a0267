"""The dialog that asks which models to compare: ticked, found and remembered models, and the start."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from app.domain.context.context import OutReason
from app.domain.errors import ConflictError, NotFoundError
from app.runs.app_context import AppContext
from app.runs.attachments.uploads import attach_file, load_attached
from app.runs.compare.comparisons import read_comparison
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.runtime.catalogue import ProviderModels
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.provider_commands import list_models
from app.state.compare import choice
from app.state.compare.choice import ComparisonChoiceState
from app.state.composer import state as composer_state
from app.state.composer.message_box import CONTINUE, MAX_TEXT
from app.state.composer.split import describe_split
from app.state.composer.state import ComposerState
from app.state.composer.views import OrderKind
from app.state.conversation.model import ModelState
from app.state.inspector import preview
from app.state.inspector.frame import InspectorState
from app.state.inspector.preview import PreviewState
from tests.media.test_pictures import a_photo, a_picture
from tests.runs.steps import a_conversation, reply_to
from tests.state.composer.sends import too_much
from tests.state.conftest import Tab
from tests.state.watched import watching, watching_two
from tests.waiting import until

DEMO, TINY, THINKER = "offline:demo", "offline:tiny", "offline:thinker"


async def ask(tab: Tab) -> None:
    await tab.send(ModelState.load)
    await tab.send(ComparisonChoiceState.ask)
    await until(lambda: bool(rows(tab)))


def rows(tab: Tab) -> dict[str, bool]:
    """Return for each listed model whether it is ticked."""
    return {row.model: row.ticked for row in tab.shows(ComparisonChoiceState, "rows") or ()}


async def tick(tab: Tab, model: str, *, ticked: bool = True) -> None:
    await tab.send(ComparisonChoiceState.tick, model=model, ticked=ticked)


async def test_the_chosen_model_is_ticked_and_another_one_is_needed(tab: Tab) -> None:
    await ask(tab)
    assert rows(tab)[DEMO]
    assert not rows(tab)[TINY]
    assert tab.shows(ComparisonChoiceState, "said") == "1 chosen: choose 2 to 4."

    await tab.send(ComparisonChoiceState.start)
    assert tab.shows(ComparisonChoiceState, "choosing") is not None, "one alone is not compared"
    await tick(tab, TINY)
    assert tab.shows(ComparisonChoiceState, "said") == "2 chosen."
    await tick(tab, TINY, ticked=False)
    assert tab.shows(ComparisonChoiceState, "ready") is False


async def test_what_is_ticked_gets_what_is_written_and_is_remembered(tab: Tab) -> None:
    await ask(tab)
    await tick(tab, TINY)

    await tab.send(ComparisonChoiceState.start)

    assert tab.shows(ComparisonChoiceState, "choosing") is None
    assert tab.shows(ComposerState, "order").kind is OrderKind.SEND
    assert json.loads(tab.shows(ComparisonChoiceState, "remembered")) == [DEMO, TINY]
    await ask(tab)
    assert (rows(tab)[DEMO], rows(tab)[TINY]) == (True, True)


async def choose_both_before_writing(tab: Tab) -> None:
    await tab.send(ComposerState.open)
    await ask(tab)
    await tick(tab, TINY)
    await tab.send(ComparisonChoiceState.start)
    # The text area is empty, so it sends nothing.
    await tab.send(ComposerState.finish_order, order_id=tab.shows(ComposerState, "order").id)


async def test_models_chosen_before_a_message_is_written_get_the_next_one(ctx: AppContext, tab: Tab) -> None:
    await choose_both_before_writing(tab)
    assert tab.shows(ComposerState, "compared") == "Offline demo and Offline tiny"
    assert tab.shows(ComposerState, "order").kind is OrderKind.FOCUS
    assert tab.shows(ComposerState, "made") in {None, ""}

    await tab.send(ComposerState.send, send_id="1", text="/echo my own text", order_id="")

    comparison, _ = await read_comparison(ctx, LOCAL_OWNER, tab.shows(ComposerState, "made"))
    assert (comparison.text, [run.model for run in comparison.runs]) == ("/echo my own text", [DEMO, TINY])
    assert tab.shows(ComposerState, "compared") == ""


async def test_continue_goes_to_the_models_that_the_next_message_goes_to(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    await reply_to(ctx, conversation_id, "/echo one")
    tab.path = f"/c/{conversation_id}"
    await tab.send(ComposerState.open)
    await choose_others_before_writing(tab)

    await tab.send(ComposerState.continue_reply)
    order = tab.shows(ComposerState, "order")
    await tab.send(ComposerState.send, send_id="1", text=order.text, order_id=order.id)

    comparison, _ = await read_comparison(ctx, LOCAL_OWNER, conversation_id)
    assert (comparison.text, [run.model for run in comparison.runs]) == (CONTINUE, [TINY, THINKER])
    assert tab.shows(ComposerState, "compared") == ""


async def choose_others_before_writing(tab: Tab) -> None:
    await tab.send(ComposerState.compare, models=[TINY, THINKER])
    await tab.send(ComposerState.finish_order, order_id=tab.shows(ComposerState, "order").id)


async def test_first_message_is_estimated_and_previewed_for_the_models_that_get_it(tab: Tab) -> None:
    await tab.send(ComposerState.open)
    await tab.send(ModelState.choose, model=DEMO)
    await tab.send(InspectorState.show, section="preview")
    await choose_others_before_writing(tab)

    await tab.send(ComposerState.write, draft="/echo my own text", typed=True)

    split = tab.shows(ComposerState, "split")
    assert [row.name for row in split.rows] == ["Offline tiny", "thinker"]
    assert split.tokens == f"~{sum(int(row.tokens) for row in split.rows)}"
    assert tab.shows(PreviewState, "request").model == TINY
    assert [one.name for one in tab.shows(PreviewState, "models")] == ["Offline tiny", "thinker"]
    await tab.send(PreviewState.choose_model, model=THINKER)
    assert (tab.shows(PreviewState, "model"), tab.shows(PreviewState, "request").model) == (THINKER, THINKER)
    await tab.send(PreviewState.choose_model, model=DEMO)
    assert tab.shows(PreviewState, "model") == THINKER, "Offline demo gets no message"
    await tab.send(ComposerState.end_compare)
    await tab.send(ComposerState.estimate_first)
    assert [row.name for row in tab.shows(ComposerState, "split").rows][-1] == "Draft"
    assert tab.shows(PreviewState, "request").model == DEMO


async def test_json_of_a_request_does_not_replace_another_request_that_was_chosen_meanwhile(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tab.send(ComposerState.open)
    await tab.send(InspectorState.show, section="preview")
    await choose_others_before_writing(tab)
    await tab.send(ComposerState.write, draft="/echo my own text", typed=True)
    assert tab.shows(PreviewState, "request").model == TINY
    planned, described, begun = asyncio.Event(), asyncio.Event(), asyncio.Event()
    prepare, describe = preview._prepare, preview._describe  # pyright: ignore[reportPrivateUsage]

    async def prepare_late(*given: Any) -> Any:
        await planned.wait()
        return await prepare(*given)

    async def describe_late(prepared: Any, selection: Any) -> Any:
        shown = await describe(prepared, selection)
        if shown.request.model == TINY:
            begun.set()
            await described.wait()
        return shown

    monkeypatch.setattr(preview, "_prepare", prepare_late)
    monkeypatch.setattr(preview, "_describe", describe_late)
    choosing = asyncio.create_task(tab.send(PreviewState.choose_model, model=THINKER))
    await tab.until(lambda: tab.shows(PreviewState, "model") == THINKER)
    showing = asyncio.create_task(tab.send(PreviewState.choose_tab, tab="json"))
    await begun.wait()

    planned.set()
    await choosing
    described.set()
    await showing

    assert tab.shows(PreviewState, "request").model == THINKER


async def test_message_is_estimated_and_previewed_for_the_models_that_get_it(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        await tab.send(ComposerState.open)
        await choose_others_before_writing(tab)
        await until(lambda: bool(watcher.screen.context and watcher.screen.context.compared))
        await tab.send(ComposerState.write, draft="/echo my own text", typed=True, edition=1)
        await until(lambda: watcher.screen.edition == 1)

        assert watcher.screen.context is not None
        split = describe_split(watcher.screen.context)
        assert [row.name for row in split.rows] == ["Offline tiny (2 pairs)", "thinker (2 pairs)"]
        assert all(one.estimate.draft for one in watcher.screen.context.compared)
        await tab.send(PreviewState.refresh)
        assert tab.shows(PreviewState, "request").model == TINY
        await tab.send(PreviewState.choose_model, model=THINKER)
        assert tab.shows(PreviewState, "request").model == THINKER
        await tab.send(ComposerState.write, draft="/echo my own text!", typed=True, edition=2)
        await until(lambda: watcher.screen.edition == 2)
        await tab.send(PreviewState.keep_current)
        assert tab.shows(PreviewState, "request").model == THINKER, "the choice stays while the text changes"

        await tab.send(ComposerState.send, send_id="1", text="/echo my own text", order_id="")
        comparison, _ = await read_comparison(ctx, LOCAL_OWNER, watcher.conversation_id)
        assert [run.model for run in comparison.runs] == [TINY, THINKER]
        await until(lambda: watcher.screen.context is not None and not watcher.screen.context.compared)
        assert watcher.screen.context.model == DEMO


def give_all_models_the_same_name(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    def name_of(_owner: str, _model: str) -> str:
        return "Same"

    monkeypatch.setattr(ctx.catalogue, "name_of", name_of)


async def test_preview_of_a_first_message_tells_models_with_the_same_name_apart(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_all_models_the_same_name(ctx, monkeypatch)
    await tab.send(ComposerState.open)
    await tab.send(InspectorState.show, section="preview")
    await choose_others_before_writing(tab)

    await tab.send(ComposerState.write, draft="/echo my own text", typed=True)

    assert tab.shows(PreviewState, "request").model_name == "Same (tiny)"
    await tab.send(PreviewState.choose_tab, tab="json")
    assert tab.shows(PreviewState, "request").model_name == "Same (tiny)"


async def test_preview_tells_models_with_the_same_name_apart(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_all_models_the_same_name(ctx, monkeypatch)
    async with watching_two(ctx, tab) as watcher:
        await tab.send(ComposerState.open)
        await choose_others_before_writing(tab)
        await until(lambda: bool(watcher.screen.context and watcher.screen.context.compared))

        await tab.send(PreviewState.refresh)

        assert tab.shows(PreviewState, "request").model_name == "Same (tiny)"


async def test_figures_of_several_models_warn_if_one_of_them_gets_fewer_pairs(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await too_much(ctx, tab)
    async with watching(ctx, tab, conversation_id) as watcher:
        watcher.compare((DEMO, TINY))  # the request to the first one is nearer to its limit
        await until(lambda: bool(watcher.screen.context and watcher.screen.context.compared))
        context = watcher.screen.context

    assert context is not None
    assert [one.x for one in context.compared] == [1, 0]
    split = describe_split(context)
    assert (split.x, split.y, split.all_fit) == ("0", "3", False)
    assert split.title == "0 of 3 pairs in view are sent"


@pytest.mark.parametrize("models", [(DEMO, TINY), (TINY, DEMO)])
async def test_pairs_that_only_some_of_the_models_get_name_the_others(
    ctx: AppContext, tab: Tab, models: tuple[str, str]
) -> None:
    conversation_id = await too_much(ctx, tab)
    async with watching(ctx, tab, conversation_id) as watcher:
        watcher.compare(models)
        await until(lambda: any(pair.out_for for pair in watcher.screen.pairs))
        compared = watcher.screen
        watcher.compare(())
        await until(lambda: not any(pair.out_for for pair in watcher.screen.pairs))

    over = OutReason.OVER_BUDGET
    assert [(pair.out, pair.out_for) for pair in compared.pairs] == [(over, ""), (over, ""), (None, "Offline tiny")]
    assert [pair.begins for pair in compared.pairs] == [False, False, True]
    assert compared.context is not None
    assert compared.context.first_sent == 3, "the key for the oldest pair that is sent goes to it"


async def test_parts_that_one_of_the_models_does_not_accept_are_noted(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model=DEMO)
    picture = await attach_file(ctx, LOCAL_OWNER, a_photo(), "dot.jpg")
    attached = await load_attached(ctx, LOCAL_OWNER, [picture.attachment.id])
    await reply_to(ctx, conversation_id, "/echo See.", attached=attached)

    async with watching(ctx, tab, conversation_id) as watcher:
        alone = watcher.screen.pairs[0].unsupported
        watcher.compare((DEMO, TINY))
        await until(lambda: bool(watcher.screen.pairs[0].unsupported))
        noted = watcher.screen.pairs[0].unsupported

    assert (alone, noted) == ((), ("Offline tiny does not support images.",))


async def test_two_parts_that_the_model_does_not_accept_for_the_same_reason_are_noted_once(
    ctx: AppContext, tab: Tab
) -> None:
    conversation_id = await a_conversation(ctx, model=DEMO)
    pictures = a_photo(), a_picture("PNG")
    uploads = [await attach_file(ctx, LOCAL_OWNER, picture, "dot") for picture in pictures]
    attached = await load_attached(ctx, LOCAL_OWNER, [upload.attachment.id for upload in uploads])
    await reply_to(ctx, conversation_id, "/echo See.", attached=attached)
    await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(model=TINY))

    async with watching(ctx, tab, conversation_id) as watcher:
        assert watcher.screen.pairs[0].unsupported == ("Offline tiny does not support images.",)


async def test_a_model_that_cannot_be_used_is_no_part_of_the_figures(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        before = watcher.screen.context
        watcher.compare(("gone:big", TINY, THINKER))
        await until(lambda: watcher.screen.context is not before or watcher.screen.refusal is not None)
        compared = watcher.screen
        watcher.compare(())
        await until(lambda: watcher.screen.context is not None and watcher.screen.context.model == DEMO)

    assert compared.refusal is None, "the view options can be used"
    assert compared.context is not None
    assert [one.name for one in compared.context.compared] == ["Offline tiny", "thinker"]
    assert watcher.screen.refusal is None


async def test_models_chosen_on_the_start_page_wait_until_the_person_sends_the_draft(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ComposerState.open)
    await tab.send(ComposerState.write, draft="/echo not ready", typed=True)
    await tab.send(ModelState.load)
    await tab.send(ComparisonChoiceState.ask_for_next)
    await until(lambda: bool(rows(tab)))
    await tick(tab, TINY)

    await tab.send(ComparisonChoiceState.start)

    assert tab.shows(ComposerState, "order").kind is OrderKind.FOCUS, "the draft is not sent"
    assert tab.shows(ComposerState, "compared") == "Offline demo and Offline tiny"
    await tab.send(ComposerState.send, send_id="1", text="/echo ready", order_id="")
    comparison, _ = await read_comparison(ctx, LOCAL_OWNER, tab.shows(ComposerState, "made"))
    assert (comparison.text, [run.model for run in comparison.runs]) == ("/echo ready", [DEMO, TINY])


async def test_models_that_wait_for_a_message_can_be_given_up(ctx: AppContext, tab: Tab) -> None:
    await choose_both_before_writing(tab)
    await tab.send(ComposerState.end_compare)

    await tab.send(ComposerState.send, send_id="1", text="/echo one", order_id="")

    assert tab.shows(ComposerState, "compared") == ""
    with pytest.raises(NotFoundError):
        await read_comparison(ctx, LOCAL_OWNER, tab.shows(ComposerState, "made"))


async def test_a_refused_message_keeps_its_models(tab: Tab) -> None:
    await choose_both_before_writing(tab)

    await tab.send(ComposerState.send, send_id="1", text="x" * (MAX_TEXT + 1), order_id="")

    assert tab.shows(ComposerState, "answers")[-1].accepted is False
    assert tab.shows(ComposerState, "compared") == "Offline demo and Offline tiny"
    tab.path = "/c/another"
    await tab.send(ComposerState.open)
    assert tab.shows(ComposerState, "compared") == ""


async def test_models_of_a_message_that_is_refused_later_are_not_for_the_page_that_is_open_then(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leave(_: object) -> tuple[str, str]:
        tab.path = "/c/another"
        await tab.send(ComposerState.open)
        raise ConflictError("Not today.")

    monkeypatch.setattr(composer_state, "deliver_first", leave)
    await choose_both_before_writing(tab)

    await tab.send(ComposerState.send, send_id="1", text="/echo one", order_id="")

    assert tab.shows(ComposerState, "answers")[-1].accepted is False
    assert tab.shows(ComposerState, "compared") == ""


async def test_models_chosen_while_another_message_is_refused_get_the_next_one(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def choose(_: object) -> tuple[str, str]:
        await choose_both_before_writing(tab)
        raise ConflictError("Not today.")

    monkeypatch.setattr(composer_state, "deliver_first", choose)

    await tab.send(ComposerState.send, send_id="1", text="/echo one", order_id="")

    assert tab.shows(ComposerState, "answers")[-1].accepted is False
    assert tab.shows(ComposerState, "compared") == "Offline demo and Offline tiny"


async def test_words_find_models_and_hide_no_tick(tab: Tab) -> None:
    await ask(tab)
    await tick(tab, TINY)

    await tab.send(ComparisonChoiceState.search, query="DEMO off")
    assert list(rows(tab)) == [DEMO]
    assert tab.shows(ComparisonChoiceState, "said") == "2 chosen."
    await tab.send(ComparisonChoiceState.search, query="no such model")
    assert not rows(tab)
    assert tab.shows(ComparisonChoiceState, "none") is True


async def test_four_at_most(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    async def list_six(ctx: AppContext, owner: str) -> tuple[ProviderModels, ...]:
        offer, *_ = await list_models(ctx, owner)
        return (replace(offer, models=tuple(replace(offer.models[0], model=f"offline:{n}") for n in range(6))),)

    monkeypatch.setattr(choice, "list_models", list_six)
    await ask(tab)
    models = list(rows(tab))
    for model in models[:4]:
        await tick(tab, model)

    held = [row.model for row in tab.shows(ComparisonChoiceState, "rows") if row.held]
    assert held == models[4:]
    await tick(tab, models[4])
    assert tab.shows(ComparisonChoiceState, "said") == "5 chosen: choose 2 to 4."


@pytest.mark.parametrize("remembered", ["{", "7", '{"a": 1}', '[7, null, "gone:model"]'])
async def test_invalid_stored_choice_is_ignored(tab: Tab, remembered: str) -> None:
    await tab.send_event(
        "reflex___state____state.reflex___state____update_vars_internal_state.update_vars_internal",
        {"vars": {f"{ComparisonChoiceState.get_full_name()}.remembered": remembered}},
    )
    await ask(tab)

    assert tab.shows(ComparisonChoiceState, "said") == "1 chosen: choose 2 to 4."


async def test_a_pair_is_asked_for_by_its_own_model(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model=TINY)
    pair = (await reply_to(ctx, conversation_id, "/echo one")).pair
    async with watching(ctx, tab, conversation_id):
        await tab.send(ComparisonChoiceState.ask_for_pair, pair_id=pair.id)
        await until(lambda: bool(rows(tab)))
        assert tab.shows(ComparisonChoiceState, "choosing").label == "Regenerate pair 1 with several models"
        assert rows(tab)[TINY]
        await tick(tab, DEMO)
        await tab.send(ComparisonChoiceState.start)

    assert tab.shows(ComposerState, "order") is None


@pytest.mark.parametrize("value", ["", "nobody", 7, None])
async def test_no_page_asks_for_such_things(tab: Tab, value: object) -> None:
    await tab.send(ComparisonChoiceState.ask_for_pair, pair_id=value)
    await tab.send(ComparisonChoiceState.tick, model=value, ticked=True)
    await tab.send(ComparisonChoiceState.search, query=value)
    await tab.send(ComparisonChoiceState.start)

    assert tab.shows(ComparisonChoiceState, "choosing") is None
    assert not rows(tab)


async def test_comparison_without_a_text_says_so_and_leads_to_the_message_box(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ComposerState.open)

    await tab.send(ComposerState.require_text)

    assert tab.shows(ComposerState, "fault").startswith("Write a request first.")
    assert tab.shows(ComposerState, "order").kind is OrderKind.FOCUS
    assert tab.shows(ComparisonChoiceState, "choosing") is None
    await tab.send(ComposerState.write, draft="Hello", typed=True)
    assert tab.shows(ComposerState, "fault") == ""
