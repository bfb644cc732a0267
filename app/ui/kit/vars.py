"""Types of Reflex vars that several regions of the page use."""

from __future__ import annotations

import reflex as rx

from app.views.reply.pair import ScreenPairView

PairVar = rx.vars.ObjectVar[ScreenPairView]
