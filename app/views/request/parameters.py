"""The view of the parameters of a request. It does not contain the JSON schema of the reply."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import Effort, Parameters


@dataclass(frozen=True, slots=True)
class ParametersView:
    """The parameters of a request. Null: the parameter is not sent, so the provider's default applies."""

    temperature: float | None
    top_p: float | None
    max_output_tokens: int | None
    seed: int | None
    effort: Effort | None
    thinking: bool | None


def show_parameters(parameters: Parameters) -> ParametersView:
    """Convert the parameters of a request to the form that the HTTP API returns."""
    return ParametersView(
        temperature=parameters.temperature,
        top_p=parameters.top_p,
        max_output_tokens=parameters.max_output_tokens,
        seed=parameters.seed,
        effort=parameters.effort,
        thinking=parameters.thinking,
    )
