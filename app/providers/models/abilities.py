"""The abilities of model families, found by the names of models. No public table has them.

Sources: the vendors' model pages and the documentation of parameters in their official SDKs. Values in a provider's own
list of models take precedence (`models/profiles.py`), and an installation can override both.

    >>> abilities_of("claude-3-7-sonnet-latest").thinking
    <ThinkingStyle.BUDGET: 'budget'>
    >>> abilities_of("unknown-model").tools
    False
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from app.domain.models.model_profile import ThinkingStyle
from app.providers.base import CallTarget


@dataclass(frozen=True, slots=True)
class Abilities:
    """The abilities of a model.

    - `max_output_tokens`: the output limit, which is sent if a provider requires a number.
    - `sampling`: the model accepts a temperature.
    - `structured`: it accepts a JSON schema for its reply, if it is called in its vendor's own protocol.
    - `reasoning_tags`: it writes its reasoning between tags into its reply, unless its server removes the reasoning.
    - `reasoning_back`: it needs the reasoning of each earlier reply.
    - `signed_calls`: its tool calls must have a signature when they are sent back.
    """

    images: bool = False
    files: bool = False
    tools: bool = False
    sampling: bool = True
    thinking: ThinkingStyle = ThinkingStyle.NONE
    max_output_tokens: int | None = None
    structured: bool = False
    reasoning_tags: bool = False
    reasoning_back: bool = False
    signed_calls: bool = False


_UNKNOWN = Abilities()
_TOOLS = Abilities(tools=True)
_PICTURES = replace(_TOOLS, images=True)
_EVERYTHING = replace(_PICTURES, files=True)
_WRITES_THOUGHTS = replace(_TOOLS, thinking=ThinkingStyle.ALWAYS, reasoning_tags=True)
_THINKS = replace(_TOOLS, thinking=ThinkingStyle.EFFORT)
_BUDGETED = replace(_EVERYTHING, thinking=ThinkingStyle.BUDGET)
_ADAPTIVE = replace(_EVERYTHING, thinking=ThinkingStyle.ADAPTIVE, max_output_tokens=64_000, structured=True)

# Patterns of model names, with the abilities of these models. The first match applies. The output limits of Claude are
# the limits of synchronous calls. The pattern "claude" is for Claude models that are newer than this table.
_FAMILIES = (
    (r"claude-(instant|v?[12])", replace(_UNKNOWN, max_output_tokens=4_096)),
    (r"claude-3[-.]5", replace(_EVERYTHING, max_output_tokens=8_192)),
    (r"claude-3-(opus|sonnet|haiku)", replace(_PICTURES, max_output_tokens=4_096)),
    (r"claude-(3[-.]7|sonnet-3[-.]7)", replace(_BUDGETED, max_output_tokens=64_000)),
    (r"claude-(sonnet|haiku|opus)-4[-.]5", replace(_BUDGETED, max_output_tokens=64_000, structured=True)),
    (r"claude-(opus-4([-.][01])?|4-opus)(-?20\d{6})?$", replace(_BUDGETED, max_output_tokens=32_000)),
    (
        r"claude-(sonnet-4([-.]0)?|4-sonnet)(-?20\d{6})?$",
        replace(_BUDGETED, max_output_tokens=64_000),
    ),
    (r"claude-(opus|sonnet)-4[-.]6", _ADAPTIVE),
    (r"claude", replace(_ADAPTIVE, sampling=False)),
    (r"gpt-oss", _THINKS),
    (r"gpt-5.*chat|chatgpt", _EVERYTHING),
    (r"\bo1-(mini|preview)", replace(_UNKNOWN, sampling=False, thinking=ThinkingStyle.ALWAYS)),
    (
        r"gpt-[5-9]|\bo[134](-|$)|codex",
        replace(_EVERYTHING, sampling=False, thinking=ThinkingStyle.EFFORT, structured=True),
    ),
    (r"gpt-4(o|\.1|\.5)", replace(_EVERYTHING, structured=True)),
    (r"gpt-4-turbo", _EVERYTHING),
    (r"gpt-(4|3\.5)", _TOOLS),
    (r"gemini-[3-9]", replace(_EVERYTHING, thinking=ThinkingStyle.EFFORT, signed_calls=True)),
    (r"gemini-2\.5", replace(_EVERYTHING, thinking=ThinkingStyle.EFFORT)),
    (r"gemini", _EVERYTHING),
    (r"grok-.*non-reasoning", _PICTURES),
    (r"grok-[4-9]", replace(_PICTURES, thinking=ThinkingStyle.EFFORT)),
    (r"grok-3-mini", _THINKS),
    (r"grok", _TOOLS),
    (r"deepseek-reasoner", replace(_WRITES_THOUGHTS, reasoning_back=True)),
    (r"deepseek-r1", _WRITES_THOUGHTS),
    (r"deepseek-v[3-9]", replace(_THINKS, reasoning_back=True)),
    (r"deepseek", _THINKS),
    (r"kimi-k2-thinking", replace(_WRITES_THOUGHTS, reasoning_back=True)),
    (r"kimi-k(2[.p][5-9]|[3-9])", replace(_TOOLS, reasoning_back=True)),
    (r"magistral|qwq|-thinking", _WRITES_THOUGHTS),
    (
        r"qwen-?3(?!.*(vl|coder|instruct))|minimax-m[12]|glm-(4\.[5-9]|[5-9])|smollm-?3",
        replace(_TOOLS, reasoning_tags=True),
    ),
    (r"pixtral|mistral-(medium|large-(3|4|25)|small-(3|2[5-9]))", _PICTURES),
    (r"llava|moondream|[-.]vl\b|-vl-|vision|llama-4|gemma-?[34]", _PICTURES),
    (
        r"llama-?3\.[1-9]|qwen|mistral|ministral|mixtral|codestral|devstral|kimi|glm|command|hermes|granite|phi-?4",
        _TOOLS,
    ),
)
_PATTERNS = tuple((re.compile(pattern), abilities) for pattern, abilities in _FAMILIES)


def abilities_of(name: str) -> Abilities:
    """Return the abilities of a model with this name, as far as its family is known."""
    lowered = name.lower()
    return next((abilities for pattern, abilities in _PATTERNS if pattern.search(lowered)), _UNKNOWN)


def writes_reasoning_tags(target: CallTarget) -> bool:
    """Return True if a reply of this model may begin with reasoning between tags.

    This happens if the server is not the vendor's own: it may have left the reasoning in the text of the reply.
    """
    return target.row.protocol == "openai_compatible" and abilities_of(target.model.partition(":")[2]).reasoning_tags
