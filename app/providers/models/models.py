"""The models of a provider: its list, cached for some minutes, with a profile for each model.

lists = ModelLists(transport, remembered)      # remembered: the lists from earlier processes
profiles = await lists.load(provider)          # requests the list at most every five minutes
profile = lists.profile(provider, "anthropic:claude-…")   # makes no request
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import structlog

from app.domain.errors import ErrorClass, Failure, ProviderError, failure
from app.domain.models.model_profile import ModelProfile, split_model_name
from app.domain.models.provider_trials import ProviderHealth, Trial, describe_trial_failure
from app.providers.base import Adapter, CallTarget, ListedModel, ListedModels, Provider, Timeouts, load_adapter
from app.providers.models.list_entries import BadEntryError
from app.providers.models.model_lists import RememberedLists
from app.providers.models.profiles import Overrides, build_profile
from app.providers.wire.bodies import Body
from app.providers.wire.errors import describe_foreign, describe_no_list
from app.providers.wire.foreign import is_google_list
from app.providers.wire.transport import UNREADABLE, Transport

log = structlog.get_logger()

KEPT_SECONDS = 300.0
LIST_TIMEOUTS = Timeouts(connect=3.0, read=10.0)

_MAX_NAMES = 10_000
"""Maximum number of models whose names are cached."""

NOT_FOR_CHAT = re.compile(
    r"embed|whisper|transcribe|moderation|dall-e|imagen?|audio|realtime|speech|voice|rerank|guard|babbage|davinci|"
    r"gpt-3\.5-turbo-instruct|lyria|computer-use|search-api|livetranslate|paraformer|\bwan\d|[tir]2v|\b(asr|tts|veo|sora|ocr|aqa|live)\b"
)
"""Names of listed models that a conversation cannot use."""


@dataclass(frozen=True, slots=True)
class _Kept:
    listed: ListedModels
    at: float


class ModelLists:
    """The cached lists of models, one for each provider, key and base URL."""

    def __init__(
        self, transport: Transport, remembered: RememberedLists | None = None, overrides: Overrides | None = None
    ) -> None:
        self._transport = transport
        self._remembered = remembered or RememberedLists()
        self._overrides = overrides or {}
        self._kept: dict[Provider, _Kept] = {}
        self._failed: dict[Provider, Failure] = {}
        self._rejected: dict[Provider, Failure] = {}
        self._asking: dict[Provider, asyncio.Task[_Kept]] = {}
        self._names: dict[tuple[Provider, str], str] = {}
        self._parser = ThreadPoolExecutor(1, "list of models")
        """Lists are parsed one at a time, because a large one takes 30 MB, and in one thread, because each thread keeps
        memory. Several lists can be received at the same time, because large ones are received into files."""

    async def load(self, provider: Provider, *, afresh: bool = False) -> tuple[ModelProfile, ...]:
        """Return the provider's models for conversations, in the order of its list.

        The list is requested if it is not cached, is older than `KEPT_SECONDS` or failed last time, or with `afresh`.

        Raises:
            ProviderError: the list could not be loaded; its failure has the reason.
        """
        kept = self._kept.get(provider)
        failed = provider in self._failed
        if kept is None or afresh or failed or time.monotonic() - kept.at > KEPT_SECONDS:
            kept = await self._share(provider)
        return await asyncio.to_thread(self._profiles, provider, kept.listed.models)

    def trial(self, provider: Provider) -> Trial:
        """Return the outcome of the last request that this process made for the provider's list of models.

        Built-in models need no request. A key that was rejected in a call (`note_rejected_key`) also counts as a
        failure, because some servers return their list even without a valid key.
        """
        if not provider.ready:
            return Trial(ProviderHealth.NO_KEY)
        if (why := self._rejected.get(provider) or self._failed.get(provider)) is not None:
            return describe_trial_failure(why, own_address=provider.own_address)
        kept = self._kept.get(provider)
        listed = load_adapter(provider.row.protocol).built_in_models if kept is None else kept.listed.models
        if kept is None and not listed:
            return Trial(ProviderHealth.UNTRIED)
        return Trial(ProviderHealth.ANSWERS, sum(1 for _ in _for_chat(listed)))

    def note_rejected_key(self, provider: Provider, why: Failure) -> None:
        """Note that the provider rejected the key of a call, for the reason `why`.

        The note remains until `note_accepted_key` is called. It does not affect another key of the same provider.
        """
        self._rejected[provider] = why

    def note_accepted_key(self, provider: Provider) -> None:
        """Note that a call with the key of this provider succeeded."""
        self._rejected.pop(provider, None)

    def skipped(self, provider: Provider) -> tuple[str, ...]:
        """Return the entries of the provider's last list that were left out, with the reasons."""
        kept = self._kept.get(provider)
        return () if kept is None else kept.listed.skipped

    def known(self, provider: Provider) -> tuple[ModelProfile, ...]:
        """Return the models that conversations can use, from lists on this machine. Nothing is requested."""
        return self._profiles(provider, self._known(provider))

    def profile(self, provider: Provider, model: str) -> ModelProfile:
        """Return the profile of a model, even if it is not listed. `model` is "provider:model"."""
        _, name = split_model_name(model)
        listed = next((listed for listed in self._known(provider) if listed.name == name), ListedModel(name))
        return build_profile(provider, listed, datetime.now(UTC), self._overrides)

    def name(self, provider: Provider, model: str) -> str:
        """Return the name of a model in its profile. Names are cached until the provider lists its models again."""
        if (name := self._names.get((provider, model))) is None:
            if len(self._names) >= _MAX_NAMES:
                self._names.clear()
            name = self._names[provider, model] = self.profile(provider, model).name
        return name

    def _known(self, provider: Provider) -> tuple[ListedModel, ...]:
        """Return the list of this process, otherwise the built-in models, otherwise the list of an earlier process."""
        if (kept := self._kept.get(provider)) is not None:
            return kept.listed.models
        return load_adapter(provider.row.protocol).built_in_models or self._remembered.find(provider) or ()

    def _profiles(self, provider: Provider, models: Iterable[ListedModel]) -> tuple[ModelProfile, ...]:
        now = datetime.now(UTC)
        return tuple(build_profile(provider, listed, now, self._overrides) for listed in _for_chat(models))

    async def _share(self, provider: Provider) -> _Kept:
        """Wait for the running request for the provider's list, or start one.

        The request outlives a caller that is cancelled.
        """
        task = self._asking.get(provider)
        if task is None:
            task = asyncio.create_task(self._load(provider), name=f"list of models of {provider.name}")
            self._asking[provider] = task
            task.add_done_callback(partial(self._note_end, provider))
        return await asyncio.shield(task)

    def _note_end(self, provider: Provider, task: asyncio.Task[_Kept]) -> None:
        del self._asking[provider]
        if not task.cancelled():
            task.exception()  # `trial` reports the exception, and so do the callers that wait

    async def _load(self, provider: Provider) -> _Kept:
        """Request the list, and keep the list or the failure."""
        try:
            listed = await self._fetch(provider)
        except ProviderError as error:
            self._failed[provider] = error.failure
            raise
        self._failed.pop(provider, None)
        kept = self._kept[provider] = _Kept(listed, time.monotonic())
        self._names.clear()
        if listed.skipped:
            log.warning("entries of a list of models were left out", provider=provider.name, why=listed.skipped)
        if not load_adapter(provider.row.protocol).built_in_models:
            await self._remembered.keep(provider, listed.models)
        return kept

    async def _fetch(self, provider: Provider) -> ListedModels:
        adapter = load_adapter(provider.row.protocol)
        body = await self._transport.fetch(provider, adapter.models_path, LIST_TIMEOUTS)
        with body:
            return await asyncio.get_running_loop().run_in_executor(self._parser, _parse, adapter, provider, body)


def _parse(adapter: Adapter, provider: Provider, body: Body) -> ListedModels:
    content = body.read()
    try:
        return adapter.parse_models(content)
    except BadEntryError as error:
        message = f"{provider.row.label} returned a list of models that cannot be read ({error})."
        raise ProviderError(failure(ErrorClass.STREAM, message)) from error
    except UNREADABLE as error:
        is_foreign = is_google_list(content)
        target = CallTarget(provider.row, "models")
        raise ProviderError(describe_foreign(target) if is_foreign else describe_no_list(provider, content)) from error


def _for_chat(models: Iterable[ListedModel]) -> Iterator[ListedModel]:
    return (listed for listed in models if not NOT_FOR_CHAT.search(listed.name.lower()))
