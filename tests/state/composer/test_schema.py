"""The schema of the reply: written or started from a sample, checked, used and removed."""

from __future__ import annotations

import json

import pytest

from app.state.composer.schema import MAX_TYPED, SAMPLES, SchemaFormView, SchemaState
from app.state.composer.state import ComposerState
from tests.schema_check.attacks import ATTACKS
from tests.state.conftest import Tab

ENDLESS = {"$defs": ATTACKS["references that multiply"][0]["$defs"], "$ref": "#/$defs/s0"}
OBJECT = '{"type":"object"}'


async def use(tab: Tab, typed: object) -> None:
    await tab.send(SchemaState.ask)
    await tab.send(SchemaState.use, form={"schema": typed})


async def test_schema_is_used_without_its_blanks_and_shown_laid_out(tab: Tab) -> None:
    await use(tab, '{ "type":\n"object" }')

    assert tab.shows(ComposerState, "schema") == OBJECT
    assert tab.shows(SchemaState, "writing") is None
    await tab.send(SchemaState.ask)
    assert tab.shows(SchemaState, "writing") == SchemaFormView('{\n  "type": "object"\n}', is_set=True)


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("{", "This is not valid JSON: "),
        ("NaN", "This is not valid JSON: "),
        ("[" * 2000, "This is not valid JSON: "),
        ("7", "The schema is not a JSON object"),
        ('{"type": "nothing"}', "schema.type: 'nothing' is not valid"),
        ('{"$ref": "https://example.org/schema"}', "The schema refers to"),
        (json.dumps(ENDLESS), "The schema cannot be used: it takes more than 2 seconds to check; simplify"),
        ('{"$ref": "#"}', "The schema cannot be used: it refers to itself without end"),
        (json.dumps({"title": "x" * 50_000}), "The schema has 50,012 characters"),
        (" " * (MAX_TYPED + 1), "This is longer than"),
        (7, "This is longer than"),
    ],
)
async def test_what_is_no_schema_is_refused_with_its_reason(tab: Tab, typed: object, fault: str) -> None:
    await use(tab, typed)

    assert tab.shows(SchemaState, "fault").startswith(fault)
    assert tab.shows(SchemaState, "writing") is not None
    assert not tab.shows(ComposerState, "schema")
    await tab.send(SchemaState.clear_fault)
    assert tab.shows(SchemaState, "fault") == ""


@pytest.mark.parametrize("name", SAMPLES)
async def test_sample_replaces_the_written_schema_and_can_be_used(tab: Tab, name: str) -> None:
    await use(tab, "{")
    await tab.send(SchemaState.take_sample, name=name)
    await tab.send(SchemaState.take_sample, name="Unknown")

    writing = tab.shows(SchemaState, "writing")
    assert (json.loads(writing.text), writing.number) == (SAMPLES[name], 1)
    assert tab.shows(SchemaState, "fault") == ""
    await tab.send(SchemaState.use, form={"schema": writing.text})
    assert json.loads(tab.shows(ComposerState, "schema")) == SAMPLES[name]


async def test_schema_is_removed_or_left_unchanged(tab: Tab) -> None:
    await use(tab, OBJECT)
    await tab.send(SchemaState.ask)
    await tab.send(SchemaState.close)

    assert tab.shows(ComposerState, "schema") == OBJECT
    await tab.send(SchemaState.ask)
    await tab.send(SchemaState.take_off)
    assert tab.shows(ComposerState, "schema") == ""
    assert tab.shows(SchemaState, "writing") is None


async def test_unreadable_schema_stored_by_the_browser_is_shown_unchanged(tab: Tab) -> None:
    await tab.send(ComposerState.restore, draft="", schema="{no", files="")
    await tab.send(SchemaState.ask)

    assert tab.shows(SchemaState, "writing") == SchemaFormView("{no", is_set=True)


async def test_event_without_a_form_or_a_dialog_changes_nothing(tab: Tab) -> None:
    await tab.send(SchemaState.use, form=None)
    await tab.send(SchemaState.take_sample, name="List")

    assert tab.shows(SchemaState, "writing") is None
    assert not tab.shows(ComposerState, "schema")
