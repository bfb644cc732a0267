"""The parameters of the next send, as the page shows them."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.conversation.middleware_choices import MiddlewareChoices, describe_choices
from app.domain.conversation.parameters import Setting, Source, describe_parameter
from app.domain.retry_policy import USUAL_RETRIES, RetryLimits, RetryPolicy, describe_retries


@dataclass(frozen=True, slots=True)
class SettingView:
    """A parameter as `text` ("temperature 0.2"), and its `source`: the send, the conversation or the agent.

    `refusal` is the reason why the model does not accept the parameter, with the consequence; "" if it accepts it.
    """

    name: str
    text: str
    source: Source
    refusal: str


def show_retries(policy: RetryPolicy, limits: RetryLimits = USUAL_RETRIES) -> tuple[SettingView, ...]:
    """Describe the retries for the page, as a tuple with one setting; an empty tuple for the defaults."""
    text = describe_retries(policy, limits)
    return (SettingView("retry_policy", text, Source.CONVERSATION, ""),) if text else ()


def show_choices(choices: MiddlewareChoices) -> tuple[SettingView, ...]:
    """Describe the middleware of a conversation, as a tuple with one setting; an empty tuple for the defaults."""
    text = describe_choices(choices)
    return (SettingView("middleware", text, Source.CONVERSATION, ""),) if text else ()


def show_setting(setting: Setting, refusal: str) -> SettingView:
    """Describe a parameter for the page. `refusal` is the reason why the model does not accept it, "" if it does.

    A refused parameter prevents the send if it was set for this send only. Otherwise the send leaves it out.
    """
    consequence = ". Remove it, or choose another model." if setting.source is Source.SEND else ": it is left out."
    return SettingView(
        setting.name,
        describe_parameter(setting.name, setting.value),
        setting.source,
        f"{refusal}{consequence}" if refusal else "",
    )
