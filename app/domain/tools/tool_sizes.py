r"""Sizes of tools: the tokens of a tool's definition in a request, counted in the model's vocabulary.

OpenAI writes tools as TypeScript declarations in front of the conversation. It has not published this form, but many
people have reconstructed it from replies, with counts that differ from the real ones by a few tokens. Anthropic
counts a definition as JSON and adds its own system prompt. It publishes the size of that prompt per model, for requests
that let the model choose whether to call a tool: "Pricing" in
https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview. For other vendors the best known estimate is the
JSON with the sentences that public chat templates put around it.

    >>> write_as_counted(ToolDefinition("now", "The time.", '{"type":"object","properties":{}}'), ToolForm.TYPESCRIPT)
    '// The time.\ntype now = (_: {\n}) => any;\n\n'

Not here: the ratios between the vocabularies of models (`domain/tokens/families.py`), which apply to all text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from app.domain.models.model_profile import vendor_and_name
from app.domain.request.request import ToolDefinition

DEEPEST = 12
"""Maximum depth of a schema that is written out. Deeper levels are written as `any`."""


class ToolForm(StrEnum):
    """The text format of tool definitions as a model reads them."""

    JSON = "json"
    TYPESCRIPT = "typescript"


@dataclass(frozen=True, slots=True)
class ToolRule:
    """The rule for counting the tokens of tool definitions, for a family of models.

    - `form`: the format of the counted text.
    - `overhead`: the number of additional tokens of a request that has any tools.
    """

    form: ToolForm
    overhead: int


_OTHERS = ToolRule(ToolForm.JSON, 100)
"""The rule for other models. Its overhead is a guess.

The sentences about tools in the public chat templates of Llama, Qwen and Mistral have 60 to 150 tokens.
"""

_UNPUBLISHED_CLAUDE = 354
"""Assumed overhead of Claude models that are not in the published table: the largest of generation 5 (Sonnet 5)."""


def _claude(overhead: int) -> ToolRule:
    return ToolRule(ToolForm.JSON, overhead)


_OFFLINE = ToolRule(ToolForm.JSON, 0)
"""The rule for the offline provider, which counts definitions as they are sent."""


# The first pattern that matches a model's name applies. A date after the version is not a part of the
# version: "claude-opus-4-20250514" is Opus 4.
_RULES = (
    (re.compile(r"claude-opus-5([-.]5)?(?!\d|[-.]\d(?!\d))"), _claude(286)),
    (re.compile(r"claude-opus-4[-.]8(?!\d)"), _claude(290)),
    (re.compile(r"claude-opus-4[-.]7(?!\d)"), _claude(675)),
    (re.compile(r"claude-sonnet-5(?!\d|[-.]\d(?!\d))"), _claude(354)),
    (re.compile(r"claude-(opus|sonnet)-4[-.]6(?!\d)"), _claude(497)),
    (re.compile(r"claude-(opus|sonnet|haiku)-4[-.]5(?!\d)"), _claude(496)),
    (re.compile(r"claude-((opus|sonnet)-4|4-(opus|sonnet))(?![-.]\d(?!\d))|claude-opus-4[-.]1(?!\d)"), _claude(313)),
    # This number and those of Claude 3 are from an earlier edition of the published table.
    (re.compile(r"claude-3[-.][57]-sonnet"), _claude(346)),
    (re.compile(r"claude-3-opus"), _claude(530)),
    (re.compile(r"claude-3-sonnet"), _claude(159)),
    (re.compile(r"claude-(3([-.]5)?-haiku|haiku-3[-.]5)"), _claude(264)),
    (re.compile(r"claude"), _claude(_UNPUBLISHED_CLAUDE)),
    # An estimate: the tokens of the lines around the declarations.
    (re.compile(r"gpt-|chatgpt|codex|\bo[1-9](-|$)"), ToolRule(ToolForm.TYPESCRIPT, 9)),
)


def tool_rule_of(model: str) -> ToolRule:
    """Return the rule by which a model counts the tokens of tool definitions. `model` is "provider:model".

    >>> tool_rule_of("anthropic:claude-sonnet-4-5").overhead
    496
    """
    vendor, name = vendor_and_name(model.lower())
    if vendor == "offline":
        return _OFFLINE
    return next((rule for pattern, rule in _RULES if pattern.search(name)), _OTHERS)


def write_as_counted(tool: ToolDefinition, form: ToolForm) -> str:
    """Return a text with the same number of tokens as the definition of a tool in a request."""
    if form is ToolForm.JSON:
        name, description = json.dumps(tool.name), json.dumps(tool.description, ensure_ascii=False)
        return f'{{"name":{name},"description":{description},"input_schema":{tool.input_schema_json}}}'
    schema: object = json.loads(tool.input_schema_json)
    lines = [*_comment(tool.description), f"type {tool.name} = (_: {_write_type(schema, 0)}) => any;"]
    return "\n".join(lines) + "\n\n"


def _comment(text: object) -> Iterator[str]:
    if isinstance(text, str) and text:
        yield from (f"// {line}" for line in text.splitlines())


def _write_type(schema: object, depth: int) -> str:
    if depth > DEEPEST or not isinstance(schema, dict):
        return "any"
    fields = cast("dict[str, Any]", schema)
    if isinstance(choices := fields.get("enum"), list):
        return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in cast("list[object]", choices))
    for together in ("anyOf", "oneOf"):
        if isinstance(others := fields.get(together), list):
            return " | ".join(_write_type(other, depth + 1) for other in cast("list[object]", others))
    match fields.get("type"):
        case "object":
            return _write_object(fields, depth)
        case "array":
            return f"{_write_type(fields.get('items'), depth + 1)}[]"
        case "integer":
            return "number"
        case str(word):
            return word
        case _:
            return "any"


def _write_object(schema: Mapping[str, Any], depth: int) -> str:
    lines = ["{"]
    properties, required = schema.get("properties"), schema.get("required")
    if isinstance(properties, dict):
        needed = cast("list[object]", required) if isinstance(required, list) else []
        for name, of in cast("dict[str, object]", properties).items():
            lines += _comment(_described(of))
            lines.append(f"{name}{'' if name in needed else '?'}: {_write_type(of, depth + 1)},")
    return "\n".join([*lines, "}"])


def _described(schema: object) -> object:
    return cast("dict[str, object]", schema).get("description") if isinstance(schema, dict) else None
