"""The JavaScript of the page: which files there are and what they need from npm.

Not a bundler: Vite follows their imports, so every file has to be named here even if no component wraps it.
"""

from __future__ import annotations

from typing import Any, Final

import reflex as rx

_FILES: Final = (
    "api.js", "blocks.js", "code.jsx", "composer.jsx", "drafts.js", "highlight.js", "history.jsx", "live.js",
    "markdown.jsx", "math.jsx", "math_syntax.js", "picker.jsx", "shell.jsx", "shortcuts.js", "typeset.js",
)  # fmt: skip

_PATHS: Final = {name: rx.asset(name, shared=True).importable_path for name in _FILES}

_PACKAGES: Final = ["marked@18.2.1", "remend@1.4.0", "lowlight@3.3.0", "katex@0.19.1"]


class Script(rx.Component):
    """Base of what is drawn by one of our files. Drawn at build time too: a page is there before its scripts."""

    lib_dependencies: list[str] = _PACKAGES


def script(name: str) -> str:
    """The import path of one of our files."""
    return _PATHS[name]


def function(argument: str, of: Any, make: Any) -> rx.Var[Any]:
    """A JavaScript function of one argument whose body is a component written in Python."""
    return rx.vars.function.ArgsFunctionOperation.create((argument,), make(rx.Var(argument, _var_type=of)))
