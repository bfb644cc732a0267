"""The pages, one module for each. `register` adds them all to the app.

register(app)      # app: the rx.App of app.app
"""

from __future__ import annotations

import reflex as rx

from app.state.agents.form import AgentFormState
from app.state.agents.listing import AgentListState
from app.state.opening import OpeningState
from app.state.settings.preferences import PreferencesState
from app.state.sidebar.sidebar import SidebarState
from app.state.tab.visit import VisitState
from app.state.transcript.chat import ChatState
from app.state.trash.trash import TrashState
from app.state.undo.undo import UndoState
from app.state.usage.budgets import BudgetState
from app.state.usage.prices import OwnPriceState
from app.state.usage.report import UsageState
from app.ui import routes
from app.ui.pages.agents import agents
from app.ui.pages.conversation import conversation
from app.ui.pages.home import home
from app.ui.pages.not_found import not_found
from app.ui.pages.settings import ON_LOAD as SETTINGS_LOAD
from app.ui.pages.settings import settings
from app.ui.pages.trash import trash
from app.ui.pages.usage import usage


def register(app: rx.App) -> None:
    """Add every page with the events that load its data when it is opened."""
    # States outlive a reload, but open dialogs must not. So the event that begins a visit and closes dialogs is first.
    lasting = [
        PreferencesState.load,
        SidebarState.open,
        UndoState.open,
    ]
    around = [VisitState.begin, *lasting]
    opened = [OpeningState.open, OpeningState.load]
    app.add_page(home, route=routes.HOME, title="Inview", on_load=opened)
    app.add_page(conversation, route=routes.CONVERSATION, title=ChatState.tab_title, on_load=opened)
    app.add_page(settings, route=routes.SETTINGS, title="Settings · Inview", on_load=[*around, *SETTINGS_LOAD])
    app.add_page(trash, route=routes.TRASH, title="Trash · Inview", on_load=[*around, TrashState.load])
    app.add_page(
        usage,
        route=routes.USAGE,
        title="Usage · Inview",
        on_load=[VisitState.begin, UsageState.load, BudgetState.load, OwnPriceState.load, *lasting],
    )
    app.add_page(
        agents,
        route=routes.AGENTS,
        title="Agents · Inview",
        on_load=[*around, AgentListState.load, AgentFormState.load],
    )
    app.add_page(not_found, route=routes.NOT_FOUND, title="Not found · Inview", on_load=around)
