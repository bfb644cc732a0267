"""Processor time, memory and load, read from the kernel: exact to the nanosecond, at no cost to the measured process.

with Spent(server.pid) as spent:
    …
spent.seconds      # of the whole process tree, without children that ended meanwhile
spent.foreign      # use of the machine by processes outside this benchmark in that time, in cores
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process so far, including ended threads (the kernel's per-process CPU clock)."""
    return time.clock_gettime((~pid << 3) | 2)  # CPUCLOCK_SCHED of a foreign process, as clock_getcpuclockid makes it


def tree(pid: int) -> list[int]:
    return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]


def tree_seconds(pid: int) -> float:
    total = 0.0
    for each in tree(pid):
        try:
            total += processor_seconds(each)
        except OSError:  # ended between listing and reading
            continue
    return total


def main_thread_seconds(pid: int) -> float:
    """Return the processor time of a process's first thread: in a renderer this is the page's main thread."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9


def proportional_megabytes(pid: int) -> float:
    """Return the PSS of a process tree: shared pages are divided among the processes that share them."""
    return sum(_proportional_bytes(each) for each in tree(pid)) / 1024**2


def _proportional_bytes(pid: int) -> int:
    """Return the PSS of a process. A process that has ended since it was listed has no memory: 0."""
    try:
        return psutil.Process(pid).memory_full_info().pss
    except psutil.NoSuchProcess:  # also a zombie
        return 0


class Spent:
    """Processor time of a process tree between entering and leaving, and the load by other processes."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.seconds = 0.0
        self.foreign = 0.0

    def __enter__(self) -> Self:
        self._begin = (time.monotonic(), tree_seconds(self.pid), _machine_seconds(), tree_seconds(os.getpid()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        clock, measured, machine, ours = self._begin
        self.seconds = tree_seconds(self.pid) - measured
        used = _machine_seconds() - machine - (tree_seconds(os.getpid()) - ours)
        self.foreign = max(0.0, used / (time.monotonic() - clock))


def _machine_seconds() -> float:
    """Return the busy time of all cores since boot: everything except idle time and waits for disks."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def describe_machine() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    memory = psutil.virtual_memory().total / 2**30
    return f"{os.cpu_count()} cores {model}, {memory:.0f} GB, Linux {os.uname().release.split('-')[0]}"
