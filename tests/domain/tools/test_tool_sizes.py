from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.request.request import ToolDefinition
from app.domain.tools.tool_sizes import ToolForm, tool_rule_of, write_as_counted

WEATHER = ToolDefinition(
    "weather__forecast",
    "Tells the weather.",
    '{"type":"object","properties":{"place":{"type":"string","description":"City"},'
    '"unit":{"enum":["C","F"]},"days":{"type":"array","items":{"type":"integer"}},'
    '"at":{"type":"object","properties":{"lat":{"type":"number"}},"required":["lat"]}},"required":["place"]}',
)
SCHEMAS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.text(max_size=5), st.sampled_from([{"type": "string"}, {"enum": [1, "a"]}])),
    lambda inner: st.dictionaries(
        st.sampled_from(["type", "properties", "items", "anyOf", "required", "description", "x"]),
        st.one_of(inner, st.lists(inner, max_size=3), st.sampled_from(["object", "array"])),
        max_size=4,
    ),
    max_leaves=12,
)


def test_openai_reads_a_tool_as_a_declaration() -> None:
    assert write_as_counted(WEATHER, ToolForm.TYPESCRIPT) == (
        "// Tells the weather.\n"
        "type weather__forecast = (_: {\n"
        "// City\n"
        "place: string,\n"
        'unit?: "C" | "F",\n'
        "days?: number[],\n"
        "at?: {\nlat: number,\n},\n"
        "}) => any;\n\n"
    )


def test_others_read_it_as_json() -> None:
    written = write_as_counted(ToolDefinition("now", 'The "time"', '{"type":"object"}'), ToolForm.JSON)

    assert written == '{"name":"now","description":"The \\"time\\"","input_schema":{"type":"object"}}'


@given(schema=SCHEMAS)
def test_any_schema_can_be_counted(schema: object) -> None:
    tool = ToolDefinition("odd", "", json.dumps(schema))

    for form in ToolForm:
        assert "odd" in write_as_counted(tool, form)


@pytest.mark.parametrize(
    ("model", "form", "overhead"),
    [
        ("anthropic:claude-opus-4-5", ToolForm.JSON, 496),
        ("anthropic:claude-opus-4-5-20251101", ToolForm.JSON, 496),
        ("anthropic:claude-opus-4-20250514", ToolForm.JSON, 313),
        ("anthropic:claude-opus-4-1-20250805", ToolForm.JSON, 313),
        ("openrouter:anthropic/claude-sonnet-4.6", ToolForm.JSON, 497),
        ("anthropic:claude-opus-4-7", ToolForm.JSON, 675),
        ("anthropic:claude-opus-4-8", ToolForm.JSON, 290),
        ("anthropic:claude-opus-5", ToolForm.JSON, 286),
        ("anthropic:claude-opus-5-5", ToolForm.JSON, 286),
        ("anthropic:claude-sonnet-5-20260901", ToolForm.JSON, 354),
        ("anthropic:claude-3-7-sonnet-latest", ToolForm.JSON, 346),
        ("anthropic:claude-fable-5", ToolForm.JSON, 354),
        ("anthropic:claude-sonnet-5-5", ToolForm.JSON, 354),
        ("anthropic:claude-3-haiku-20240307", ToolForm.JSON, 264),
        ("openrouter:anthropic/claude-3-opus", ToolForm.JSON, 530),
        ("openai:gpt-4o", ToolForm.TYPESCRIPT, 9),
        ("openai:o4-mini", ToolForm.TYPESCRIPT, 9),
        ("llama:qwen2.5", ToolForm.JSON, 100),
    ],
)
def test_a_family_reads_tools_in_its_way(model: str, form: ToolForm, overhead: int) -> None:
    rule = tool_rule_of(model)

    assert (rule.form, rule.overhead) == (form, overhead)
