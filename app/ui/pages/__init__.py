"""One module a page; `register` names them all.

register(app)      # app: the rx.App of app.app
"""

from __future__ import annotations

import reflex as rx

from app.state.agents import AgentState
from app.state.chat import ChatState
from app.state.model import ModelState
from app.state.settings import SettingsState
from app.state.sidebar import SidebarState
from app.ui import routes
from app.ui.pages.agents import agents
from app.ui.pages.conversation import conversation
from app.ui.pages.home import home
from app.ui.pages.not_found import not_found
from app.ui.pages.settings import settings
from app.ui.pages.trash import trash
from app.ui.pages.usage import usage


def register(app: rx.App) -> None:
    """Add every page with what it loads when it is opened."""
    lists = [SidebarState.load, ModelState.load, AgentState.load]
    app.add_page(home, route=routes.HOME, title="Inview", on_load=[ChatState.open, *lists])
    app.add_page(conversation, route=routes.CONVERSATION, title=ChatState.tab_title, on_load=[ChatState.open, *lists])
    app.add_page(
        settings, route=routes.SETTINGS, title="Settings · Inview", on_load=[SidebarState.load, SettingsState.load]
    )
    app.add_page(trash, route=routes.TRASH, title="Trash · Inview", on_load=SidebarState.load)
    app.add_page(agents, route=routes.AGENTS, title="Agents · Inview", on_load=SidebarState.load)
    app.add_page(usage, route=routes.USAGE, title="Usage · Inview", on_load=SidebarState.load)
    app.add_page(not_found, route=routes.NOT_FOUND, title="Not found · Inview", on_load=SidebarState.load)
