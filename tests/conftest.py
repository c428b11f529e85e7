"""What the tests share: the repository on the path, `--update-golden`, and memory that stays small.

Processes of the suite run thousands of tests: what all of them hold is not looked through by the garbage collector, and
what JAX has compiled for the tests of a module is dropped with it.
"""

import gc
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

# Compiling makes many objects and few cycles: frequent collections would take a tenth of the time of the tests.
gc.set_threshold(20_000, 20, 20)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the files of tests/golden anew")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return request.config.getoption("--update-golden")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The processes of pytest-xdist have to collect the same names, and an address differs from process to process."""
    if names := [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]{6,}", item.nodeid)]:
        raise pytest.UsageError("names of tests hold addresses: " + ", ".join(names[:5]))


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def _drop_what_jax_compiled() -> Iterator[None]:
    yield
    if (jax := sys.modules.get("jax")) is not None:
        jax.clear_caches()
