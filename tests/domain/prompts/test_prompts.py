from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import ConflictError, InputError
from app.domain.prompts.prompts import MAX_PROMPTS, Prompt, require_free, require_room, require_usable
from app.domain.prompts.variables import Variable, fill_in, list_variables

AT = datetime(2026, 1, 31, tzinfo=UTC)
VALUES = st.text(alphabet="a{}= \n\\", max_size=12)


def prompt(**fields: Any) -> Prompt:
    return replace(Prompt("p1", "local", "tea", AT, AT, text="Tea"), **fields)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "", "is empty"),
        ("name", "two words", "not one word"),
        ("name", "/tea", "not one word"),
        ("name", "-tea", "not one word"),
        ("name", "t" * 61, "61 characters"),
        ("title", "two\nlines", "line break"),
        ("title", " tea", "blanks around"),
        ("folder", "work//letters", "empty part"),
        ("folder", "/work", "empty part"),
        ("folder", "work / letters", "empty part"),
        ("text", " \n", "blank"),
        ("text", "a\0b", "NUL"),
        ("text", "\ud800", "half a character"),
        ("text", "x" * 200_001, "200,001 characters"),
        ("text", "".join(f"{{{{v{number}}}}}" for number in range(21)), "21 variables"),
    ],
)
def test_what_cannot_be_used_is_refused_at_its_field(field: str, value: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as raised:
        require_usable(prompt(**{field: value}))
    assert raised.value.field == field


@pytest.mark.parametrize("name", ["tea", "Tee-2", "über.setzen", "翻译", "a_b"])
def test_names_of_any_script_are_taken(name: str) -> None:
    require_usable(prompt(name=name, title="For tea", folder="work/letters"))


def test_name_is_refused_while_another_prompt_has_it_case_aside() -> None:
    with pytest.raises(ConflictError, match="“TEA” already"):
        require_free([prompt(id="p2", name="TEA")], prompt())
    require_free([prompt(), prompt(id="p2", name="TEA", deleted_at=AT)], prompt())


def test_there_are_so_many_prompts_at_most() -> None:
    require_room([prompt()] * (MAX_PROMPTS - 1))
    with pytest.raises(ConflictError, match="500"):
        require_room([prompt()] * MAX_PROMPTS)


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("plain { {{ }} {x}", ()),
        ("{{a}}", (Variable("a"),)),
        ("{{ target language = German }}", (Variable("target language", "German"),)),
        ("{{a}} {{a=1}} {{a=2}}", (Variable("a", "1"),)),
        ("{{a=}}", (Variable("a", ""),)),
        (r"\{{a}} {{b}}", (Variable("b"),)),
        ("{{1}} {{a{{b}}", (Variable("b"),)),
        ("{{% for x in y %}}{{x.y}}", ()),
    ],
)
def test_variables_are_read(text: str, variables: tuple[Variable, ...]) -> None:
    assert list_variables(text) == variables


def test_text_is_filled_in_once_and_escaped_places_lose_their_backslash() -> None:
    text = r"{{a}} and {{a=x}}, {{b=y}}, \{{a}}, \{b}"

    assert fill_in(text, {"a": "{{b}}", "other": "?"}) == r"{{b}} and {{b}}, y, {{a}}, \{b}"


def test_missing_value_is_named() -> None:
    with pytest.raises(InputError) as raised:
        fill_in("{{a=1}} {{b}}", {})
    assert raised.value.field == "values.b"


@given(st.text(alphabet="a{}=\\ \n", max_size=40), VALUES)
def test_everything_but_the_variables_stays_character_for_character(text: str, value: str) -> None:
    variables = list_variables(text)
    filled = fill_in(text, {one.name: value for one in variables})

    if not variables and "\\{{" not in text:
        assert filled == text
    assert fill_in("{{first}}|{{last=x}}", {"first": value, "last": value}) == f"{value}|{value}"
