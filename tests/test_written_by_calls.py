"""Writes into objects from outside by calls: whatever name a function has that writes, the write is seen or refused.

Each row of `WRITERS` writes into `S` (a list), `A` (an array), `D` (a dict) or `O` (an object).  It stands in a
function that runs as it is, and in the differentiated function itself.  The value of each call, and what the objects
hold after it, are those of Python; or the function is refused, and nothing has changed.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from sct import SctError, value_and_grad

PRELUDE = '''
import bisect, collections, contextlib, copy, functools, heapq, itertools, operator, random
from bisect import insort as ins
from collections import OrderedDict, deque
from heapq import heappush as push
from operator import iadd as plus, setitem as put_in
import numpy as np

class Obj:
    def __init__(self, v=1.0): self.n, self.items, self.arr = v, [v], np.array([v, 2.0])
    def __add__(self, other): return self
    def grow(self, v): self.items.append(v)
    def put(self, v): self.__dict__["n"] = v
    def reset(self, v): self.__init__(v)
class K:
    items = [1.0, 2.0]
COUNT = []
S, A, D, O = [1.0, 2.0], np.array([1.0, 2.0]), {"n": 1.0}, Obj()
rng = np.random.default_rng(3)
shuffler = random.Random(1)
p, q, fill = S.append, functools.partial(list.append, S), A.fill
table, call = {"p": S.append}, operator.methodcaller("append", 5.0)
def copied(s): return s
def give(s, v): s.append(v)
@contextlib.contextmanager
def context(v):
    O.n = v
    yield
@np.vectorize
def each(v):
    S.append(v)
    return 1.0
class Giver:
    def __init__(self, s): self.q = s
    def __mul__(self, s): s.append(1.0)
    def give(self, s): s.append(1.0)
    @staticmethod
    def hand(s): s.append(1.0)
giver = Giver(None)
'''

READ = {"S": "(sum(S) + 10 * S[0] + len(S))", "A": "(A[0] + 3 * A[1])", "D": "(sum(D.values()) + len(D))",
        "O": "(O.n + sum(O.items) + O.arr[0])", "K": "sum(K.items)"}

WRITERS = [
    # what is believed to be a new object
    ("S", "copy = copied; t = copy(S); t.append(v)"), ("A", "array = copied; t = array(A); t[0] = v"),
    ("O", "t = O + O; t.n = v"), ("A", "t = np.array(A, copy=False); t[0] = v"),
    ("A", "t = np.array(A, copy=None); t[0] = v"), ("S", "t = sum((), S); t.append(v)"),
    ("S", "t = OrderedDict([(1, S)]); t[1].append(v)"), ("S", "t = dict([(1, S)]); t[1].append(v)"),
    ("S", "t = collections.Counter({1: S}); t[1].append(v)"), ("S", "t = Giver(S); t.q.append(v)"),
    ("S", "copied(S).append(v)"), ("A", "A.T[0] = v"), ("A", "A.flat[0] = v"), ("A", "A.real[0] = v"),
    # functions of libraries that write
    ("A", "np.add.at(A, [0], v)"), ("A", "np.add(1.0, v, A)"), ("A", "np.modf([v + 0.5, v], A)"),
    ("A", "np.clip(A, 0.0, 1.5, A)"), ("A", "np.dot(np.ones((2, 2)), np.ones(2), A)"),
    ("A", "np.cumsum([v, v], None, None, A)"), ("A", "np.take([v, 3.0], [0, 1], None, A)"),
    ("A", "np.ones(2).clip(0, 0.5, A)"), ("A", "np.add.reduce(np.ones((2, 2)), 0, None, A)"),
    ("A", "np.add(1.0, v, out=(A,))"), ("A", "np.add(1.0, v, **{'out': A})"), ("A", "np.add(*(1.0, v, A))"),
    ("A", "np.nan_to_num(A, False)"), ("A", "np.median(A, None, None, True)"), ("A", "rng.random(None, float, A)"),
    ("A", "np.copyto(A, v)"), ("A", "np.put(A, [0], v)"), ("A", "np.place(A, A > 1.5, v)"),
    ("A", "np.putmask(A, A > 1.5, v)"), ("A", "np.ndarray.fill(A, v)"), ("A", "fill(v)"),
    ("A", "for e in np.nditer(A, op_flags=['readwrite']): e[...] = v"),
    ("S", "push(S, v)"), ("K", "push(K.items, v)"), ("S", "ins(S, v)"), ("S", "put_in(S, 0, v)"),
    ("D", "put_in(D, 'n', v)"), ("S", "plus(S, [v])"), ("S", "shuffler.shuffle(S)"), ("S", "rng.shuffle(S)"),
    ("S", "h = heapq.heappush; h(S, v)"), ("S", "push(*(S, v))"),
    ("S", "functools.reduce(operator.iadd, [[v]], S)"), ("S", "list(itertools.starmap(list.append, [(S, v)]))"),
    # methods
    ("S", "operator.methodcaller('append', v)(S)"), ("S", "call(S)"), ("S", "getattr(S, 'append')(v)"),
    ("S", "g = getattr(S, 'append'); g(v)"), ("S", "S.__init__([v])"), ("O", "O.__init__(v)"), ("S", "list.sort(S)"),
    ("S", "type(S).append(S, v)"), ("S", "functools.partial(list.append, S)(v)"), ("S", "q(v)"), ("S", "p(v)"),
    ("S", "g = S.append; g(v)"), ("S", "list(map(S.append, [v]))"), ("S", "list(map(p, [v]))"),
    ("S", "any(p(e) for e in [v])"), ("S", "table['p'](v)"), ("O", "O.put(v)"), ("O", "O.reset(v)"),
    # code and namespaces
    ("S", "exec('S.append(7.0)')"), ("S", "eval('S.append(7.0)')"), ("O", "setattr(O, 'n', v)"),
    ("O", "vars(O)['n'] = v"), ("O", "O.__dict__['n'] = v"), ("D", "globals()['D'] = {'n': v}"),
    # functions of the user
    ("S", "give(S, v)"), ("S", "g = give; g(S, v)"), ("S", "list(map(give, [S], [v]))"), ("S", "giver.give(S)"),
    ("S", "giver * S"), ("S", "Giver.hand(S)"), ("O", "Obj.grow(O, v)"), ("S", "each(v)"),
    ("O", "with context(v): pass"),
]

WITHIN = "def w(v) -> float:\n    try:\n        {0}\n    finally:\n        pass\n    return 1.0\n"
SHAPES = {
    "after": "def f(x):\n    v = 7.0\n    {0}\n    return x * {1}\n",
    "between": "def f(x):\n    v = 7.0\n    r = {1}\n    {0}\n    return x * r + x * x * {1}\n",
    "in a loop": "def f(x):\n    t = 0.0\n    for v in range(3):\n        t += x * {1}\n        {0}\n    return t\n",
    "unread": "def f(x):\n    v = 7.0\n    {0}\n    return x\n",
}
NUMBER = itertools.count()


def load(text: str, path: Path) -> ModuleType:
    name = f"written_by_calls_{next(NUMBER)}"
    file = path / f"{name}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def state(module: ModuleType) -> str:
    return repr((module.S, module.A, module.D, vars(module.O), module.K.items))


def check(text: str, path: Path) -> None:
    """Three calls, or a refusal that leaves everything as it was."""
    oracle, module = load(text, path), load(text, path)
    derivative = value_and_grad(module.f)
    for x in (1.5, 2.5, 3.5):
        before = state(module)
        try:
            value = derivative(x)[0]
        except SctError:
            assert state(module) == before
            return
        assert np.asarray(value).tobytes() == np.asarray(oracle.f(x)).tobytes()
        assert state(module) == state(oracle)


@pytest.mark.parametrize(("shape", "validate"), [*((shape, "0") for shape in SHAPES), ("between", "first")])
@pytest.mark.parametrize("within", [True, False])
def test_a_write_by_a_call_is_seen_or_refused(
        within: bool, shape: str, validate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    for name, statement in WRITERS:
        call = "w(v)" if within else statement
        check(PRELUDE + WITHIN.format(statement) + SHAPES[shape].format(call, READ[name]), tmp_path)


# -- what writes to new objects alone ------------------------------------------------------------------------------

NEW = """
    h = []; push(h, v); push(h, 1.0); return heapq.heappop(h)
    push_it = heapq.heappush; h = [v]; push_it(h, 3.0); return h[0]
    out = np.empty(2); np.add(A, v, out); return float(out[0])
    out = np.empty(2); np.add(A, v, out=out); return float(out[1])
    t = np.array(A); t[0] = v; return float(t.sum())
    t = copy.copy(S); t.append(v); return sum(t)
    t = copy.deepcopy([S]); t[0].append(v); return sum(t[0])
    t = list(S); t.sort(); ins(t, v); return t[-1]
    t = dict(D); t["m"] = v; put_in(t, "k", v); return sum(t.values())
    t = [0.0] * 3; give(t, v); return t[-1]
    t = Giver([v]); t.q = 2.0; return t.q
    return getattr(K, "items")[0] + sum(getattr(K, name)[0] for name in ("items", "items"))
    g = getattr(math, "exp"); return g(v)
    return functools.reduce(np.add, [v, 1.0]) + functools.reduce(operator.add, [v, 1.0])
    t = S + [v]; t.append(v); return len(t)
    t = np.zeros(3); np.put(t, [0], v); np.add.at(t, [1], v); return float(t.sum())
"""


@pytest.mark.parametrize("body", NEW.strip().splitlines())
def test_writes_to_new_objects_are_accepted(body: str, tmp_path: Path) -> None:
    text = "def w(v) -> float:\n    try:\n        COUNT.append(v); {0}\n    finally:\n        pass\n"
    read = " + ".join(READ.values())
    module = load(f"import math\n{PRELUDE}{text.format(body.strip())}def f(x):\n    return x * w(0.5) * ({read})\n",
                  tmp_path)
    before = state(module)
    expected = module.f(1.5)
    value, slope = value_and_grad(module.f)(1.5)
    assert value == expected
    assert slope == pytest.approx(expected / 1.5, rel=1e-14)
    assert module.COUNT == [0.5, 0.5]
    assert state(module) == before
