"""The tables of what roles and persons may use and spend (`domain/people/allowances.py`)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON
from sqlmodel import Field

from app.store.database.row import Row


class RoleModelsRow(Row, table=True):
    """The patterns of models that a role may use. Without a row it may use all."""

    role: str = Field(primary_key=True)
    models: list[Any] = Field(sa_type=JSON)
    updated_at: datetime


class RoleBudgetRow(Row, table=True):
    """How much each person with a role may spend. `period` is a day, a month or ever."""

    role: str = Field(primary_key=True)
    period: str = Field(primary_key=True)
    amount: str
    warn_at: str
    stops: bool
    updated_at: datetime


class PersonBudgetRow(Row, table=True):
    """How much the person `owner` may spend, in the place of what their role may. Deleted with the person."""

    owner: str = Field(primary_key=True)
    period: str = Field(primary_key=True)
    amount: str
    warn_at: str
    stops: bool
    updated_at: datetime


ROLE_MODELS = Row.metadata.tables["role_models"]
ROLE_BUDGET = Row.metadata.tables["role_budget"]
PERSON_BUDGET = Row.metadata.tables["person_budget"]
