"""One module a page; `register` names them all.

register(app)      # app: the rx.App of app.app
"""

from __future__ import annotations

import reflex as rx

from app.state.agents.choice import AgentState
from app.state.agents.form import AgentFormState
from app.state.agents.listing import AgentListState
from app.state.all_pairs import AllPairsState
from app.state.chat import ChatState
from app.state.compare.answer_again import AnswerAgainState
from app.state.compare.choice import ComparisonChoiceState
from app.state.compare.keeping import KeepingState
from app.state.comparison import ComparisonState
from app.state.composer.inserting import InsertingState
from app.state.composer.menus import MenuState
from app.state.composer.parameters import ParametersState
from app.state.composer.schema import SchemaState
from app.state.composer.state import ComposerState
from app.state.composer.temporary import TemporaryState
from app.state.filters.applied import FilterState
from app.state.filters.line import FilterLineState
from app.state.filters.saved import SavedFilterState
from app.state.filters.sheet import SheetState
from app.state.inspector.branches import BranchState
from app.state.inspector.cache import CacheState
from app.state.inspector.frame import InspectorState
from app.state.model import ModelState
from app.state.prompts.form import PromptFormState
from app.state.prompts.link import LinkState
from app.state.prompts.listing import PromptListState
from app.state.reply.deletion import PairDeletionState
from app.state.reply.resend import ResendState
from app.state.reply.summary import SummaryState
from app.state.settings.audit import AuditState
from app.state.settings.preferences import PreferencesState
from app.state.shell.news import NewsState
from app.state.shell.palette import PaletteState
from app.state.shell.undo import UndoState
from app.state.sidebar import SidebarState
from app.state.status import StatusState
from app.state.system_prompt import SystemPromptState
from app.state.topics.chosen import TopicState
from app.state.topics.picker import TopicPickerState
from app.state.transcript import TranscriptState
from app.state.transfer.export_menu import ExportMenuState
from app.state.transfer.granted import GrantedState
from app.state.transfer.grants import GrantState
from app.state.transfer.imports import ImportState
from app.state.transfer.share import ShareState
from app.state.transfer.shares import SharesState
from app.state.trash import TrashState
from app.state.usage.budgets import BudgetState
from app.state.usage.prices import OwnPriceState
from app.state.usage.report import UsageState
from app.state.usage.spent import SpentState
from app.ui import routes
from app.ui.pages.agents import agents
from app.ui.pages.audit import audit_trail
from app.ui.pages.conversation import conversation
from app.ui.pages.filled_in import filled_in
from app.ui.pages.granted import granted
from app.ui.pages.home import home
from app.ui.pages.imports import imports
from app.ui.pages.not_found import not_found
from app.ui.pages.pairs import pairs
from app.ui.pages.prompts import prompts
from app.ui.pages.settings import ON_LOAD as SETTINGS_LOAD
from app.ui.pages.settings import settings
from app.ui.pages.shares import shares
from app.ui.pages.status import status
from app.ui.pages.trash import trash
from app.ui.pages.usage import usage
from app.ui.phrase import phrase


def register(app: rx.App) -> None:
    """Add every page with what it loads when it is opened."""
    # A reload keeps states, and dialogs are about the page they were opened on.
    around = [
        PreferencesState.load,
        SidebarState.open,
        UndoState.open,
        SheetState.close,
        PaletteState.close,
        TopicPickerState.close,
        PairDeletionState.close,
        AnswerAgainState.close,
        ResendState.end,
        SummaryState.end,
        GrantedState.load,
    ]
    compared = [ComparisonState.fold, ComparisonChoiceState.close, KeepingState.open]
    # The view options come first: the first screen is of them.
    opened = [
        FilterState.open,
        MenuState.close,  # soon: somebody may open one while the rest is loaded
        *compared,
        TranscriptState.open,
        TopicState.load,
        ChatState.open,
        ComposerState.open,
        SchemaState.close,
        InsertingState.close,
        TemporaryState.open,
        SystemPromptState.open,
    ]
    lists = [*around, ModelState.load, AgentState.load, ParametersState.open]
    app.add_page(home, route=routes.HOME, title="Inview", on_load=[*opened, *lists, LinkState.fill])
    app.add_page(filled_in, route=routes.FILLED_IN, title="Inview", on_load=[LinkState.take])
    app.add_page(
        conversation,
        route=routes.CONVERSATION,
        title=ChatState.tab_title,
        on_load=[
            *opened,
            *lists,
            FilterLineState.leave,
            ExportMenuState.close,
            ShareState.close,
            GrantState.load,
            SavedFilterState.close,
            InspectorState.follow,
            CacheState.follow,
            NewsState.follow,
            SpentState.follow,
            BranchState.keep_current,
        ],
    )
    app.add_page(
        settings, route=routes.SETTINGS, title=phrase("tabs.settings_inview"), on_load=[*around, *SETTINGS_LOAD]
    )
    app.add_page(imports, route=routes.IMPORT, title=phrase("imports.tab"), on_load=[*around, ImportState.load])
    app.add_page(trash, route=routes.TRASH, title=phrase("trash.tab"), on_load=[*around, TrashState.load])
    app.add_page(
        usage,
        route=routes.USAGE,
        title=phrase("tabs.usage_inview"),
        on_load=[UsageState.load, BudgetState.load, OwnPriceState.load, *around],
    )
    app.add_page(
        agents,
        route=routes.AGENTS,
        title=phrase("tabs.agents_inview"),
        on_load=[*around, AgentListState.load, AgentFormState.load],
    )
    app.add_page(
        prompts,
        route=routes.PROMPTS,
        title=phrase("tabs.prompts_inview"),
        on_load=[*around, PromptListState.load, PromptFormState.load],
    )
    app.add_page(pairs, route=routes.PAIRS, title=phrase("all_pairs.tab"), on_load=[AllPairsState.load, *around])
    app.add_page(shares, route=routes.SHARES, title=phrase("shares.tab"), on_load=[*around, SharesState.load])
    app.add_page(granted, route=routes.SHARED, title=phrase("grants.tab"), on_load=[*around, GrantedState.open])
    app.add_page(audit_trail, route=routes.AUDIT, title=phrase("audit.tab"), on_load=[*around, AuditState.load])
    app.add_page(status, route=routes.STATUS, title=phrase("status.tab"), on_load=[*around, StatusState.load])
    app.add_page(not_found, route=routes.NOT_FOUND, title=phrase("tabs.not_found_inview"), on_load=around)
