"""The last list of models of each provider, stored in a file, so that the models are known immediately after a restart.

    remembered = read_remembered(data_dir / LISTS_FILE)
    remembered.find(provider)                    # None if there is no list, or it is from another address
    await remembered.keep(provider, models)

The file has no keys of providers. If it is lost, the next request to a provider loads the list again.

`models.py` decides how long a list is valid.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import orjson
import structlog
from pydantic import TypeAdapter

from app.domain.text.json_size import has_more_values
from app.providers.base import ListedModel, Provider
from app.providers.models.list_entries import MAX_MODELS, is_usable
from app.small_files import read_small

LISTS_FILE = "inview-models.json"
MAX_FILE: Final = 32_000_000
"""Maximum size of the file in bytes: thirty lists of a megabyte."""
MAX_FILE_VALUES: Final = 1_500_000
"""Maximum number of JSON values in the file: fifty lists of the maximum length."""
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class RememberedList:
    """The last list of models of a provider, and the address from which it was loaded."""

    base_url: str
    models: tuple[ListedModel, ...]


_FILE = TypeAdapter(dict[str, RememberedList])


@dataclass(eq=False)
class RememberedLists:
    """The last list of models of each provider, by name. If `path` is None, the lists are not stored in a file."""

    path: Path | None = None
    _lists: dict[str, RememberedList] = field(default_factory=dict[str, RememberedList])
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def find(self, provider: Provider) -> tuple[ListedModel, ...] | None:
        """Return the last list that came from the current address of this provider, or None if there is none."""
        known = self._lists.get(provider.name)
        return None if known is None or known.base_url != provider.base_url else known.models

    async def keep(self, provider: Provider, models: tuple[ListedModel, ...]) -> None:
        """Store a new list of a provider."""
        new = RememberedList(provider.base_url, models)
        if self._lists.get(provider.name) == new:
            return
        self._lists[provider.name] = new
        if self.path is None:
            return
        async with self._writing:
            try:
                await asyncio.to_thread(_replace, self.path, orjson.dumps(self._lists))
            except OSError as error:  # the list is still returned to the caller
                log.warning("the lists of models could not be saved", path=str(self.path), fault=str(error))


def read_remembered(path: Path) -> RememberedLists:
    """Read the file of the last lists. A file that cannot be read is logged, and the next new list replaces it."""
    try:
        lists = _FILE.validate_json(_read_few(path))
    except FileNotFoundError:
        return RememberedLists(path)
    except (OSError, ValueError) as error:  # pydantic's error is a ValueError
        log.warning("the saved lists of models cannot be read", path=str(path), fault=str(error))
        return RememberedLists(path)
    return RememberedLists(path, {name: _without_unusable(name, one) for name, one in lists.items()})


def _read_few(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        ValueError: the file is no regular file, or larger than any that Inview writes.
    """
    content = read_small(path, MAX_FILE)
    if has_more_values(content, MAX_FILE_VALUES):
        raise ValueError(f"has more than {MAX_FILE_VALUES:,} values")
    return content


def _without_unusable(provider: str, known: RememberedList) -> RememberedList:
    usable = tuple(filter(is_usable, known.models))[:MAX_MODELS]
    if len(usable) < len(known.models):
        count = len(known.models) - len(usable)
        log.warning("saved models with impossible values were left out", provider=provider, count=count)
    return replace(known, models=usable)


def _replace(path: Path, content: bytes) -> None:
    """Replace the file with this content, completely or not at all."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
