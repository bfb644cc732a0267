"""The base class of all rows: the names of tables and constraints, and the metadata with all tables.

The metadata has a table only after the module of the table was imported. `store/tables.py` imports all of them: import
`Row` from there if you need all tables.
"""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import MetaData
from sqlalchemy.orm import declared_attr
from sqlmodel import SQLModel

Json = dict[str, Any]


class Row(SQLModel):
    """The base class of all rows. It names the tables: `ProviderSettingRow` is the table `provider_setting`.

    It also names all constraints, because migrations need names for them.
    """

    @declared_attr.directive
    def __tablename__(  # pyright: ignore[reportIncompatibleVariableOverride] - SQLAlchemy's way, SQLModel types it narrower
        cls,  # noqa: N805 - SQLAlchemy passes the class as the first argument
    ) -> str:
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Row")).lower()

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
