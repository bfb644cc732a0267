"""The dialog for the JSON schema that the next reply must match. A person types the schema or starts from a sample.

await tab.send(SchemaState.ask)
await tab.send(SchemaState.take_sample, name="List")
await tab.send(SchemaState.use, form={"schema": '{"type": "object"}'})
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson
import reflex as rx

from app.domain.errors import InputError
from app.domain.structured.structured_replies import MAX_CHARACTERS, write_schema
from app.runs.send.structured_replies import require_schema
from app.state.composer.message_box import set_schema
from app.state.composer.state import ComposerState
from app.state.messages.error_messages import describe_fault
from app.state.tab.inputs import text_in
from app.state.tab.visit import VisitedState

AREA_ID: Final = "schema-text"
"""The HTML id of the text area in the dialog of the schema."""
MAX_TYPED: Final = 10 * MAX_CHARACTERS
"""Maximum number of typed characters of a schema. They include the blanks of an indented schema."""

_PERSON: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "role": {"type": "string"}},
    "required": ["name", "role"],
    "additionalProperties": False,
}
SAMPLES: Final = {
    "List": {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "string"}}},
        "required": ["items"],
        "additionalProperties": False,
    },
    "Table": {
        "type": "object",
        "properties": {"rows": {"type": "array", "items": _PERSON}},
        "required": ["rows"],
        "additionalProperties": False,
    },
    "Verdict": {
        "type": "object",
        "properties": {"verdict": {"enum": ["yes", "no", "unclear"]}, "reason": {"type": "string"}},
        "required": ["verdict", "reason"],
        "additionalProperties": False,
    },
}


@dataclass(frozen=True, slots=True)
class SchemaFormView:
    """The content of the dialog of the schema: the initial text of its text area.

    `number` counts how often the text was replaced since the dialog opened. `is_set`: the draft has a schema.
    """

    text: str
    is_set: bool
    number: int = 0


class SchemaState(VisitedState, rx.State):
    """The dialog for the schema of the draft. It is open while `writing` is set.

    `fault` is the reason why the typed text is not a schema.
    """

    writing: rx.Field[SchemaFormView | None] = rx.field(None)
    fault: rx.Field[str] = rx.field("")

    @rx.event
    async def ask(self) -> None:
        """Open the dialog with the schema of the draft."""
        schema = (await self.get_state(ComposerState)).schema
        self.writing, self.fault = SchemaFormView(lay_out(schema), bool(schema)), ""
        await self._come()

    @rx.event
    async def close(self) -> None:
        """Close the dialog of the schema without changes."""
        self.writing = None

    @rx.event
    async def take_sample(self, name: str) -> None:
        """Replace the typed text with a sample."""
        if self.writing is not None and (sample := SAMPLES.get(str(name))):
            self.fault = ""
            self.writing = replace(self.writing, text=_write(sample), number=self.writing.number + 1)

    @rx.event
    async def clear_fault(self) -> None:
        """Clear the error of the schema, because its text is being edited."""
        self.fault = ""

    @rx.event
    async def use(self, form: dict[str, Any]) -> rx.event.EventType[()] | None:
        """Use the text in the form as the schema of the draft, or show why it is not a schema."""
        schema, self.fault = await _read(form)
        if self.fault:
            return rx.set_focus(AREA_ID)
        await self._use(schema)
        return None

    @rx.event
    async def take_off(self) -> None:
        """Remove the schema of the draft."""
        await self._use("")

    async def _end_visit(self) -> None:
        self.writing = None

    async def _use(self, schema: str) -> None:
        set_schema(await self.get_state(ComposerState), schema)
        self.writing = None


async def _read(form: object) -> tuple[str, str]:
    """Read the schema in a form. Return it in the form that a send takes, and the reason if it is refused.

    One of the two texts is "".
    """
    typed = text_in(form.get("schema") if isinstance(form, dict) else None, MAX_TYPED)
    if typed is None:
        return "", f"This is longer than {MAX_TYPED:,} characters."
    try:
        schema = write_schema(orjson.loads(typed))
        await require_schema(schema)
    except orjson.JSONDecodeError as error:
        return "", f"This is not valid JSON: {error}"
    except InputError as error:
        return "", describe_fault(error)
    return schema, ""


def lay_out(schema: str) -> str:
    """Return a schema indented for reading.

    Text that is not JSON is returned unchanged; it may come from the browser.
    """
    try:
        return _write(json.loads(schema)) if schema else ""
    except (ValueError, RecursionError):
        return schema


def _write(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
