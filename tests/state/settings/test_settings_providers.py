from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.domain.models.provider_trials import ProviderHealth
from app.runs.app_context import AppContext
from app.runs.settings.provider_commands import list_providers
from app.runs.wiring import open_app_context
from app.state.conversation.model import ModelState
from app.state.settings.providers import ProviderItem, ProvidersState
from tests.providers.peer import Answer, a_peer
from tests.runs.steps import a_conversation, reply_to, settings_of
from tests.state.conftest import Tab
from tests.waiting import until

KEY = "sk-ant-very-secret-0123456789-wXyZ"
NOWHERE = "http://127.0.0.1:9/v1"
JSON = (("Content-Type", "application/json"),)
MODELS = Answer((b'{"object":"list","data":[{"id":"small"},{"id":"large"}]}',), headers=JSON)
REPLY = Answer(
    (
        b'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
        b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    )
)
REJECTION = Answer((b'{"error":{"message":"bad key"}}',), status=401, headers=JSON)


def item(tab: Tab, name: str) -> ProviderItem:
    return next(one for one in tab.shows(ProvidersState, "providers") if one.name == name)


def everything_told(tab: Tab) -> str:
    return repr(tab.vars)


async def save(tab: Tab, name: str, **fields: Any) -> None:
    await tab.send(ProvidersState.save_provider, form={"provider": name, "key": "", "base_url": "", **fields})


async def test_key_goes_in_and_no_part_of_it_comes_out(ctx: AppContext, tab: Tab) -> None:
    await save(tab, "anthropic", key=f"  {KEY} ", base_url=NOWHERE)

    assert item(tab, "anthropic").has_key
    assert KEY not in everything_told(tab)
    assert KEY[-4:] not in everything_told(tab)
    async with ctx.store.read() as session:
        assert (await ctx.catalogue.providers(session, "local"))["anthropic"].key == KEY


async def test_alibaba_is_listed_with_the_base_urls_of_its_regions(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ProvidersState.load)

    alibaba = item(tab, "alibaba")
    assert (alibaba.label, alibaba.status, alibaba.offered) == ("Alibaba Cloud", "No key yet", True)
    assert alibaba.usual_url == "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"
    assert alibaba.key_page.startswith("https://www.alibabacloud.com/")
    assert [region.name for region in alibaba.regions] == ["China (Beijing)", "US (Virginia)", "China (Hong Kong)"]
    assert item(tab, "openai").regions == ()

    await save(tab, "alibaba", key=KEY, base_url=alibaba.regions[0].base_url)

    assert item(tab, "alibaba").base_url == "https://dashscope.aliyuncs.com/compatible-mode/v1"
    assert KEY not in everything_told(tab)


async def test_empty_key_keeps_the_one_there_is(ctx: AppContext, tab: Tab) -> None:
    await save(tab, "anthropic", key=KEY, base_url=NOWHERE)

    await save(tab, "anthropic", base_url="http://127.0.0.1:9/v2")

    assert item(tab, "anthropic").about == "Key is set"
    assert item(tab, "anthropic").base_url == "http://127.0.0.1:9/v2"


async def test_removed_provider_is_shown_as_before(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ProvidersState.load)
    before = item(tab, "anthropic")
    await save(tab, "anthropic", key=KEY, base_url=NOWHERE)

    await tab.send(ProvidersState.forget_provider, name="anthropic")

    assert item(tab, "anthropic") == replace(before, said="Removed.", edition=2)


async def test_what_cannot_be_an_address_is_refused_and_nothing_stored(ctx: AppContext, tab: Tab) -> None:
    await save(tab, "openai", base_url="not an address")

    assert item(tab, "openai").said.startswith("'not an address' is not a base URL.")
    assert not item(tab, "openai").removable


async def test_name_of_another_server_must_be_free(ctx: AppContext, tab: Tab) -> None:
    form = {"name": "Lab", "base_url": "http://127.0.0.1:9/v1", "key": ""}

    await tab.send(ProvidersState.add_server, form=form)
    assert tab.shows(ProvidersState, "added") == 1
    await tab.send(ProvidersState.add_server, form=form)

    assert tab.shows(ProvidersState, "added") == 1  # the typed text stays in the form
    assert tab.shows(ProvidersState, "added_note") == ("'lab' already exists. Change it above or choose another name.")


async def test_added_server_is_tried_at_once_and_kept_when_it_is_unreachable(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ProvidersState.add_server, form={"name": "lab", "base_url": NOWHERE, "key": ""})

    lab = item(tab, "lab")
    assert (lab.health, lab.status) == ("unreachable", "Unreachable")
    assert lab.problem.endswith("Start the server or correct its base URL, then try again.")
    assert lab.problem.startswith("lab could not be reached: it refused the connection.")
    assert tab.shows(ProvidersState, "added_note") == f"Added lab. Unreachable. {lab.problem}"
    assert lab.base_url == NOWHERE


async def test_the_model_menu_describes_an_unreachable_server_as_settings_does(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ProvidersState.add_server, form={"name": "lab", "base_url": NOWHERE, "key": ""})
    await tab.send(ModelState.look)

    await tab.until(lambda: item(tab, "lab").problem in {row.group_note for row in tab.shows(ModelState, "rows")})


async def test_words_of_a_server_and_what_to_do_about_them_are_two_sentences(ctx: AppContext, tab: Tab) -> None:
    async with a_peer(Answer((b"<h1>bad gateway</h1>",), status=502)) as peer:
        await tab.send(ProvidersState.add_server, form={"name": "lab", "base_url": f"{peer.url}/v1", "key": ""})

    assert item(tab, "lab").problem == (
        "lab failed (HTTP 502): bad gateway. The provider has a problem. Try again later."
    )


async def test_added_server_has_the_same_place_after_a_reload(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ProvidersState.load)
    before = [one.name for one in tab.shows(ProvidersState, "providers")]

    await tab.send(ProvidersState.add_server, form={"name": "lab", "base_url": NOWHERE, "key": ""})
    added = [one.name for one in tab.shows(ProvidersState, "providers")]
    await tab.send(ProvidersState.load)

    assert [one.name for one in tab.shows(ProvidersState, "providers")] == added
    assert [name for name in added if name != "lab"] == before


async def test_server_that_answers_shows_how_many_models_it_has_until_a_later_test_fails(
    ctx: AppContext, tab: Tab
) -> None:
    async with a_peer(MODELS, REJECTION) as peer:
        await tab.send(ProvidersState.add_server, form={"name": "lab", "base_url": f"{peer.url}/v1", "key": KEY})
        good = item(tab, "lab")
        await tab.send(ProvidersState.test_provider, name="lab")
        rejected = item(tab, "lab")
    await tab.send(ProvidersState.test_provider, name="lab")
    gone = item(tab, "lab")

    assert (good.health, good.status, good.problem) == ("answers", "Connected, 2 models", "")
    assert (rejected.health, rejected.status) == ("key_rejected", "Key rejected")
    assert rejected.problem.endswith("bad key. Paste another key and save it.")
    assert (gone.health, gone.status) == ("unreachable", "Unreachable")


async def test_key_that_a_reply_found_rejected_is_shown_so_although_the_list_is_public(
    ctx: AppContext, tab: Tab
) -> None:
    async with a_peer(MODELS, REJECTION, MODELS, REPLY) as peer:
        await tab.send(ProvidersState.add_server, form={"name": "lab", "base_url": f"{peer.url}/v1", "key": KEY})
        assert item(tab, "lab").health == "answers"

        conversation_id = await a_conversation(ctx, model="lab:small")
        failed = await reply_to(ctx, conversation_id, "Hi")
        async with ctx.store.read() as session:
            lab = (await ctx.catalogue.providers(session, "local"))["lab"]
        await until(lambda: ctx.catalogue.lists.trial(lab).health is ProviderHealth.KEY_REJECTED)
        await tab.send(ProvidersState.load)
        rejected = item(tab, "lab")
        await tab.send(ProvidersState.test_provider, name="lab")
        tested = item(tab, "lab")

        await reply_to(ctx, conversation_id, "Again")
        await until(lambda: ctx.catalogue.lists.trial(lab).health is ProviderHealth.ANSWERS)
        await tab.send(ProvidersState.load)

    assert failed.kinds[-1] == "error"
    assert [one.status for one in (rejected, tested)] == ["Key rejected"] * 2
    assert rejected.problem.endswith("Paste another key and save it.")
    assert item(tab, "lab").health == "answers"


async def test_key_saved_is_tried_at_once(ctx: AppContext, tab: Tab) -> None:
    async with a_peer(MODELS) as peer:
        await save(tab, "openai", key=KEY, base_url=f"{peer.url}/v1")

    assert (item(tab, "openai").status, item(tab, "openai").said) == ("Connected, 2 models", "Saved.")


async def test_added_server_is_shown_as_being_tried_until_it_has_answered(ctx: AppContext, tab: Tab) -> None:
    async with a_peer(MODELS) as peer:
        adding = asyncio.create_task(
            tab.send(ProvidersState.add_server, form={"name": "lab", "base_url": f"{peer.url}/v1", "key": ""})
        )
        await tab.until(lambda: any(one.status == "Testing…" for one in tab.shows(ProvidersState, "providers") or ()))
        note = tab.shows(ProvidersState, "added_note")
        await adding

    assert note == "Added lab. Testing…"
    assert item(tab, "lab").health == "answers"


async def test_server_from_the_environment_is_not_tried_before_it_is_asked(tmp_path: Path) -> None:
    async with open_app_context(settings_of(tmp_path, INVIEW_COMPATIBLE=f"lab={NOWHERE}")) as opened:
        health = {one.name: one.trial.health for one in await list_providers(opened, "local")}

    assert (health["lab"], health["anthropic"], health["offline"]) == (
        ProviderHealth.UNTRIED,
        ProviderHealth.NO_KEY,
        ProviderHealth.ANSWERS,
    )


async def test_form_of_the_wrong_shape_is_no_fault(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ProvidersState.save_provider, form={"provider": ["x"], "key": {"a": 1}})

    assert tab.shows(ProvidersState, "providers") != ()


async def test_provider_that_gets_a_key_stays_among_those_to_add_until_the_page_is_opened_again(
    ctx: AppContext, tab: Tab
) -> None:
    await tab.send(ProvidersState.load)
    assert [one.name for one in tab.shows(ProvidersState, "providers") if not one.offered] == ["offline"]
    assert tab.shows(ProvidersState, "none_set_up")

    await tab.send(ProvidersState.save_provider, form={"provider": "openai", "key": KEY, "base_url": NOWHERE})
    assert item(tab, "openai").offered
    assert tab.shows(ProvidersState, "none_set_up")

    await tab.send(ProvidersState.load)
    assert not item(tab, "openai").offered
    assert not tab.shows(ProvidersState, "none_set_up")


async def test_available_providers_are_listed_first_and_none_moves_while_the_page_is_open(
    ctx: AppContext, tab: Tab
) -> None:
    await tab.send(ProvidersState.load)
    before = [one.name for one in tab.shows(ProvidersState, "providers")]
    await tab.send(ProvidersState.save_provider, form={"provider": "openai", "key": KEY, "base_url": NOWHERE})
    after = [one.name for one in tab.shows(ProvidersState, "providers")]
    await tab.send(ProvidersState.load)
    again = [one.name for one in tab.shows(ProvidersState, "providers")]

    assert (before[0], after) == ("offline", before)
    assert set(again[:2]) == {"openai", "offline"}
