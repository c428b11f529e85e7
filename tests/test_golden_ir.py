"""Each pass alone: IR in, IR out, as text.

    pytest tests/test_golden_ir.py --update-golden      writes the files anew; read the diff

A file of tests/golden_ir holds `# PASS: what it shows`, a function, `# becomes`, and the
function that the pass makes of it.  Both are run, and give the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sct.ir import text
from sct.ir.check import verify
from sct.ir.core import Fn, walk
from sct.ir.interp import run
from sct.ir.types import List, Opaque, Tensor, Type
from sct.ops import BY_CALL, OPS
from sct.passes import pipeline

GOLDEN = Path(__file__).parent / "golden_ir"
FILES = sorted(GOLDEN.glob("*.py"))
BECOMES = "\n\n# becomes\n\n"


def parts(path: Path) -> tuple[str, str, str, str]:
    """The pass, what the case shows, the text before and the text after."""
    head, _, rest = path.read_text().partition("\n\n")
    name, _, shows = head.removeprefix("# ").partition(": ")
    before, _, after = rest.partition(BECOMES)
    return name, shows, f"{before.strip()}\n", f"{after.strip()}\n"


def read(source: str) -> Fn:
    return verify(text.read(source, OPS, BY_CALL))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden_ir(path: Path, update_golden: bool) -> None:
    name, shows, before, after = parts(path)
    fn = read(before)
    made = verify(pipeline.passes(fn)[name](fn))
    shown = text.show(made)
    if update_golden:
        path.write_text(f"# {name}: {shows}\n\n{text.show(fn)}{BECOMES}{shown}")
        return
    command = f"pytest tests/test_golden_ir.py -k {path.stem} --update-golden"
    assert text.show(fn) == before, f"this is not how the IR is shown; {command}"
    assert shown == after, f"the pass makes something else of it; if it is meant to: {command}"
    assert shown != before, "the pass does nothing here"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_sides_compute_the_same(path: Path) -> None:
    _, _, before, after = parts(path)
    fn, made = read(before), read(after)
    if any(eqn.op.name in ("vjp", "jvp", "pullback") for eqn in walk(fn)):
        fn = pipeline.run(fn, oracle=True)
        made = pipeline.run(made, oracle=True)
    for seed in range(3):
        args = [value_of(p.type, np.random.default_rng(seed)) for p in fn.params]
        wanted, found = (run(f, copied(args), inplace=True) for f in (fn, made))
        for x, y in zip(wanted, found, strict=True):
            np.testing.assert_allclose(np.asarray(y, float), np.asarray(x, float), rtol=1e-12, atol=1e-12)


def value_of(t: Type, rng: np.random.Generator) -> Any:
    if isinstance(t, Opaque):
        return None
    if isinstance(t, List):
        return [value_of(t.elem, rng) for _ in range(4)]
    assert isinstance(t, Tensor)
    if t.kind != "f":
        return 3
    shape = [int(eval(str(d), dict.fromkeys(d.symbols, 3))) for d in t.shape]  # every argument has sizes of 3
    return rng.uniform(1.0, 3.0, shape) if t.is_array else rng.uniform(1.0, 3.0)


def copied(args: list[Any]) -> list[Any]:
    return [x.copy() if isinstance(x, np.ndarray) else x for x in args]


def test_every_pass_has_a_case() -> None:
    cases = {parts(path)[0] for path in FILES}
    names = {name for pipeline in (pipeline.PIPELINE, pipeline.ORACLE) for _, passes in pipeline for name in passes}
    missing, gone = names - cases, cases - names
    hint = "add a file to tests/golden_ir: the input alone, then --update-golden"
    assert not missing and not gone, f"{hint}: {missing}, {gone}"
