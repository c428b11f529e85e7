"""The memory that a gradient may use: the process's limit, the keyword `memory`, and what is refused.

    grad(f, memory="2GB")    a gradient whose tapes take more has checkpoints
    grad(f)                  a gradient whose tapes take more than the process may use is refused (SCT918)

And when garbage is collected.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sct.errors import Loc, SctError, memory_refusal

__all__ = [
    "bytes_of", "check_amount", "check_tapes", "collection", "in_words", "limit", "needs", "no_collection"]

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?|)b?\s*", re.IGNORECASE)


def bytes_of(memory: object) -> int | None:
    """The bytes that the keyword `memory` stands for: an int, or a text such as "2GB" or "512 MiB"."""
    if memory is None or type(memory) is int and memory > 0:
        return memory
    amount = _AMOUNT.fullmatch(memory) if isinstance(memory, str) else None
    if amount is None or not float(amount[1]):
        raise SctError("SCT904", f"memory={memory!r} is no amount of memory", hint='memory="2GB", or a number of bytes')
    return int(float(amount[1]) * UNITS[amount[2].lower()])


def in_words(size: float) -> str:
    """
    >>> in_words(8.1e9)
    '8.1 GB'
    """
    unit, name = next((UNITS[u], u.upper()) for u in ("t", "g", "m", "k", "") if size >= UNITS[u] or not u)
    return f"{size / unit:.3g} {name}B"


def needs(text: str, leaves: Sequence[Any]) -> int:
    """The bytes that a formula of `tape_sizes` gives for these arguments."""
    names = [f"x[{k}]" for k in range(len(leaves))]
    return int(eval(text.format(*names), {"x": leaves}))


# -- the limit of the process -----------------------------------------------------------------------


@functools.lru_cache(maxsize=1)
def limit() -> int:
    """The bytes that this process may use: of the machine, of its control groups, and of its resource limits."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")] if hasattr(os, "sysconf") else [sys.maxsize]
    limits += [int(text) for path in _control_groups() if (text := _read(path).strip()).isdigit()]
    try:
        import resource
    except ImportError:
        return min(limits)
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        soft, _ = resource.getrlimit(kind)
        limits += [soft] if soft != resource.RLIM_INFINITY else []
    return min(limits)


def _control_groups() -> list[Path]:
    """The files with the limits of the control groups of this process, versions 2 and 1, and of those around them."""
    files = []
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        _, controllers, group = line.split(":", 2)
        root, name = (Path("/sys/fs/cgroup"), "memory.max") if not controllers else (
            Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes")
        if not controllers or "memory" in controllers.split(","):
            inner = root / group.lstrip("/")
            files += [at / name for at in (inner, *inner.parents) if at == root or root in at.parents]
    return files


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def in_use() -> int:
    """The bytes that this process uses."""
    pages = _read(Path("/proc/self/statm")).split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if len(pages) > 1 else 0


# -- refusals ------------------------------------------------------------------------------------------


def check_tapes(size: float, loc: Loc | None = None) -> None:
    """Refuse tapes of this size, if the process may not use so much memory."""
    if size and size + in_use() > limit():
        raise memory_refusal(f"the backward pass keeps about {in_words(size)}, values of each iteration of a loop",
                             f"this process may use {in_words(limit())} of memory", loc)


def check_amount(size: float, memory: int, loc: Loc | None, has_inner_loops: bool) -> None:
    """Refuse tapes of this size, if the keyword `memory` allows less."""
    if size > memory:
        raise SctError("SCT918", f"the backward pass keeps about {in_words(size)}, with few states of the outer loops",
                       why=f"memory={in_words(memory)!r} is given", loc=loc,
                       hint="allow more, or run inner loops over sct.checkpointed(range(n)), too" if has_inner_loops
                       else "allow more")


# -- garbage collection: off while sct compiles, on while the user's function runs --------------------


_lock = threading.Lock()
_pauses = 0  # blocks of `no_collection` that are open, in all threads
_enabled_before = True  # before the first of them


class _Pauses(threading.local):
    """The open blocks of this thread."""

    count = 0


_own = _Pauses()


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Disable cyclic garbage collection: the IR is acyclic but large, and would be scanned again and again.

    What a block has made is scanned when the block ends: a compilation is one block, its validation included.
    """
    with _more_pauses(1):
        yield


@contextlib.contextmanager
def collection() -> Iterator[None]:
    """Enable it for a run of the user's function within such a block: the cycles that it makes may need the memory.

    It stays disabled while another thread is in such a block.
    """
    with _more_pauses(-_own.count):
        yield


@contextlib.contextmanager
def _more_pauses(number: int) -> Iterator[None]:
    _add_pauses(number)
    try:
        yield
    finally:
        _add_pauses(-number)


def _add_pauses(number: int) -> None:
    global _pauses, _enabled_before
    with _lock:
        if not _pauses:
            _enabled_before = gc.isenabled()
        _own.count += number
        _pauses += number
        if _enabled_before:
            (gc.disable if _pauses else gc.enable)()
