from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import app.domain
from app.domain.conversation.parts import Part, Text, ToolCall, ToolResult, tool_call_state
from app.domain.errors import NEXT_STEP, ErrorClass, InputError
from app.domain.models.model_profile import split_model_name
from app.domain.usage import Usage

CALL = ToolCall("t1", "add", "{}", complete=True)


def test_the_examples_in_the_docstrings_are_true() -> None:
    names = [module.name for module in pkgutil.walk_packages(app.domain.__path__, "app.domain.")]

    assert [name for name in names if doctest.testmod(importlib.import_module(name)).failed] == []


@pytest.mark.parametrize(
    ("call", "parts", "state"),
    [
        (ToolCall("t1", "add", '{"a"'), (), "input-streaming"),
        (CALL, (ToolResult("t2", ()),), "input-available"),
        (CALL, (ToolResult("t1", (Text("4"),)),), "output-available"),
        (CALL, (ToolResult("t1", (), is_error=True),), "output-error"),
    ],
)
def test_a_tool_calls_state_is_seen_from_its_message(call: ToolCall, parts: tuple[Part, ...], state: str) -> None:
    assert tool_call_state(call, parts) == state


@pytest.mark.parametrize("name", ["", "claude", ":claude", "anthropic:"])
def test_a_model_without_provider_is_refused_with_an_example(name: str) -> None:
    with pytest.raises(InputError, match="provider:model"):
        split_model_name(name)


def test_a_models_own_name_may_hold_colons() -> None:
    assert split_model_name("ollama:llama3:8b") == ("ollama", "llama3:8b")


def test_every_error_class_says_what_to_do_next() -> None:
    assert set(NEXT_STEP) == set(ErrorClass)


def test_usage_adds_up_by_kind() -> None:
    one = Usage(1, 2, 3, 4, 5, 6)

    assert one + one == Usage(2, 4, 6, 8, 10, 12)
    assert one.prompt_tokens == 1 + 3 + 4 + 5
