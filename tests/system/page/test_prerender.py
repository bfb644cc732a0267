from __future__ import annotations

import pytest

from app.ui.build.prerender import SHELL, PrerenderError, with_shell


def test_page_of_a_conversation_is_drawn_with_the_static_ones() -> None:
    config = 'export default {"ssr": false, "prerender": true, "build": "build"};'
    assert with_shell(config) == (
        'export default {"ssr": false, "prerender": ({ getStaticPaths }) => '
        f'[...getStaticPaths(), "{SHELL}"], "build": "build"}};'
    )


def test_configuration_of_another_kind_is_an_error_and_no_page_without_a_conversation() -> None:
    with pytest.raises(PrerenderError, match="prerender"):
        with_shell('export default {"ssr": false};')
