"""Budgets of thinking in tokens, for models that need a budget instead of an effort."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.domain.conversation.conversation import Effort

BUDGETS: Mapping[Effort | None, int] = MappingProxyType(
    {Effort.LOW: 2_048, Effort.MEDIUM: 8_192, None: 8_192, Effort.HIGH: 24_576}
)
"""Tokens of thinking by effort. Inview chose these numbers; no vendor names them."""
