"""How a model is asked, in the words of a send. A schema of the reply is not among it: that stands beside."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.conversation import Effort, Parameters


@dataclass(frozen=True, slots=True)
class ParametersView:
    """How a model is asked. None leaves a parameter to the provider."""

    temperature: float | None
    top_p: float | None
    max_output_tokens: int | None
    seed: int | None
    effort: Effort | None
    thinking: bool | None


def show_parameters(parameters: Parameters) -> ParametersView:
    """The parameters in the words of a send."""
    return ParametersView(
        temperature=parameters.temperature,
        top_p=parameters.top_p,
        max_output_tokens=parameters.max_output_tokens,
        seed=parameters.seed,
        effort=parameters.effort,
        thinking=parameters.thinking,
    )
