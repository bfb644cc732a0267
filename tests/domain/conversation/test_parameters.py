"""Parameters of a request: their order of precedence, and the values that are allowed at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation.conversation import Effort, Parameters
from app.domain.conversation.parameters import (
    NAMES,
    Setting,
    Source,
    describe_parameters,
    list_set,
    merge_parameters,
    require_parameters,
    trace_parameters,
)
from app.domain.errors import InputError

SOME = st.builds(
    Parameters,
    temperature=st.none() | st.floats(0, 2),
    top_p=st.none() | st.floats(0, 1),
    max_output_tokens=st.none() | st.integers(1, 10_000_000),
    seed=st.none() | st.integers(0, 2**31 - 1),
    effort=st.none() | st.sampled_from(Effort),
    thinking=st.none() | st.booleans(),
    reply_schema=st.none() | st.just("{}"),
)


@given(SOME, SOME)
def test_what_was_asked_for_wins_and_the_usual_fills_the_rest(asked: Parameters, usual: Parameters) -> None:
    merged = merge_parameters(asked, usual)

    for name in (*NAMES, "reply_schema"):
        wanted, other = getattr(asked, name), getattr(usual, name)
        if name == "effort" and wanted is None and asked.thinking is False:
            other = None
        assert getattr(merged, name) == (other if wanted is None else wanted)


@given(SOME, SOME, SOME)
def test_each_setting_comes_from_the_first_level_that_has_it(
    send: Parameters, own: Parameters, agent: Parameters
) -> None:
    traced = trace_parameters(send, own, agent)

    merged = merge_parameters(send, merge_parameters(own, agent))
    assert [(one.name, one.value) for one in traced] == list(list_set(merged))
    for one in traced:
        deciders = [
            source
            for source, layer in ((Source.SEND, send), (Source.CONVERSATION, own), (Source.AGENT, agent))
            if getattr(layer, one.name) is not None
        ]
        assert one.source is deciders[0]


def test_thinking_that_is_off_for_a_send_leaves_no_effort_of_the_conversation() -> None:
    assert merge_parameters(Parameters(thinking=False), Parameters(effort=Effort.HIGH)) == Parameters(thinking=False)
    assert trace_parameters(Parameters(thinking=False), Parameters(effort=Effort.HIGH), Parameters()) == (
        Setting("thinking", False, Source.SEND),
    )


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        (Parameters(temperature=2.1), "temperature"),
        (Parameters(temperature=float("nan")), "temperature"),
        (Parameters(top_p=-0.1), "top_p"),
        (Parameters(max_output_tokens=0), "max_output_tokens"),
        (Parameters(max_output_tokens=10_000_001), "max_output_tokens"),
        (Parameters(seed=2**31), "seed"),
    ],
)
def test_a_value_that_no_model_takes_is_refused_by_its_name(parameters: Parameters, field: str) -> None:
    with pytest.raises(InputError) as refused:
        require_parameters(parameters)
    assert refused.value.field == f"parameters.{field}"


@given(SOME)
def test_every_value_within_the_bounds_can_be_used(parameters: Parameters) -> None:
    require_parameters(parameters)


def test_parameters_are_described_on_a_line() -> None:
    asked = Parameters(0.5, 1.0, 64_000, 7, Effort.LOW, thinking=True)

    assert describe_parameters(asked) == (
        "temperature 0.5, top_p 1, at most 64,000 output tokens, seed 7, effort low, thinking on"
    )
    assert describe_parameters(Parameters(reply_schema="{}")) == ""
