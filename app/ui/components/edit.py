"""Editing a pair in its place and having it answered again. The script explains how."""

from __future__ import annotations

from typing import Any

import reflex as rx

from app.ui.components.scripts import Script, script


class Request(Script):
    """The request of a pair: its children, or a text area while it is being edited."""

    library = script("edit.jsx")
    tag = "Request"
    pair: rx.Var[Any]


class Again(Script):
    """The ways to send a pair again, in its line."""

    library = script("edit.jsx")
    tag = "Again"
    pair: rx.Var[Any]
