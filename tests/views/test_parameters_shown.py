"""Parameters as the page says them."""

from __future__ import annotations

import pytest

from app.domain.conversation.conversation import Effort
from app.domain.conversation.parameters import Value, describe_parameter
from app.domain.conversation.retry_policy import RetryPolicy, describe_policy
from app.language.translation import speaking
from app.views.screen.parameters import show_parameter, show_policy

SET: list[tuple[str, Value]] = [
    ("temperature", 0.5), ("top_p", 1.0), ("max_output_tokens", 1), ("max_output_tokens", 64_000), ("seed", 12_345),
    ("thinking", True), ("thinking", False), *(("effort", effort) for effort in Effort),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), SET)
def test_a_parameter_reads_in_english_as_in_the_api(name: str, value: Value) -> None:
    assert show_parameter(name, value) == describe_parameter(name, value)


@pytest.mark.parametrize("policy", [policy for policy in RetryPolicy if policy is not RetryPolicy.EXPONENTIAL])
def test_a_policy_of_retries_reads_in_english_as_in_the_api(policy: RetryPolicy) -> None:
    assert [each.text for each in show_policy(policy)] == [describe_policy(policy)]


def test_parameters_speak_the_language_of_the_reader() -> None:
    with speaking("es"):
        assert show_parameter("max_output_tokens", 64_000) == "como máximo 64.000 tokens de salida"
        assert show_parameter("thinking", value=False) == "razonamiento desactivado"
