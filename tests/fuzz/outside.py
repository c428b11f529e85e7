"""What generated Python programs find outside of `f`: globals of every type, classes, factories, decorators.

`LIBRARY` maps a name to the text that defines it; `definitions` gives the texts of the names that a body
reads, and of those that these read, in the order of the library.  `$f`, `$i`, `$s`, `$b` are drawn anew.
"""

from __future__ import annotations

import ast
import re
from functools import cache

from tests.fuzz.source import Random

__all__ = ["GLOBALS", "LIBRARY", "constant", "definitions"]

LIBRARY: dict[str, str] = {
    "math": "import math",
    "np": "import numpy as np",
    "collections": "import collections",
    "dataclasses": "import dataclasses",
    "enum": "import enum",
    "functools": "import functools",
    "itertools": "import itertools",
    "operator": "import operator",
    "types": "import types",
    # values
    "G": "G = $f",
    "H": "H = $f",
    "ONE": "ONE = 1",
    "N": "N = $i",
    "FLAG": "FLAG = $b",
    "MODE": "MODE = $s",
    "EMPTY": "EMPTY = ''",
    "NOTHING": "NOTHING = None",
    "MAYBE": "MAYBE = $f",
    "PAIR": "PAIR = ($f, $f)",
    "ITEMS": "ITEMS = [$f, $f, $f]",
    "NONE_YET": "NONE_YET = []",
    "TABLE": "TABLE = {'a': $f, 'b': $f}",
    "SEEN": "SEEN = {1, $i}",
    "NAMES": "NAMES = ['up', $s]",
    "K": "K = np.array([$f, $f, $f])",
    "W": "W = np.array([$f, $f, $f])",
    "V32": "V32 = np.array([$f, $f, $f], dtype=np.float32)",
    "IDX": "IDX = np.array([2, 0, 1])",
    "WEIGHTS": "WEIGHTS = [np.array([$f, $f, $f]), np.array([$f, $f, $f])]",
    "ROWS": "ROWS = [[$f, $f], [$f]]",
    "cfg": "cfg = types.SimpleNamespace(rate=$f, w=np.array([$f, $f, $f]), name=$s, on=$b, items=[$f, $f])",
    "lib": "lib = types.ModuleType('lib')\nlib.scale = $f\nlib.k = np.array([$f, $f, $f])\nlib.half = lambda v: v * $f",
    # classes
    "Color": "class Color(enum.Enum):\n    RED = 1\n    BLUE = 2\n",
    "Level": "class Level(enum.IntEnum):\n    LOW = 1\n    HIGH = 2\n",
    "Point": """
@dataclasses.dataclass
class Point:
    a: float
    b: float = $f
    tag: str = $s
    def norm(self):
        return self.a * self.a + self.b
    @property
    def total(self):
        return self.a + self.b
    def grow(self, by):
        self.a += by
        return self
    def __add__(self, other):
        return Point(self.a + other.a, self.b)
    def __mul__(self, k):
        return Point(self.a * k, self.b * k)
    def __rmul__(self, k):
        return Point(self.a * k + $f, self.b)
""",
    "Frozen": "@dataclasses.dataclass(frozen=True)\nclass Frozen:\n    a: float\n    b: float = $f\n",
    "Loose": "@dataclasses.dataclass(eq=False)\nclass Loose:\n    a: float\n    b: float = $f\n",
    "Unit": """
class Unit:
    scale = $f
    limit = $i
    def __init__(self, v):
        self.v = v
        self.kept = []
    def __call__(self, t):
        return self.v * t + self.scale
    def __bool__(self):
        return bool(self.v > 0.25)
    def __len__(self):
        return 3
    def __getitem__(self, i):
        return self.v * (i + 1)
    def __iter__(self):
        return iter([self.v, self.v * $f])
    def __contains__(self, v):
        return v == $i
    def __lt__(self, other):
        return self.v < other.v
    def __neg__(self):
        return Unit(-self.v)
    def keep(self, v):
        self.kept.append(v)
        return len(self.kept)
    @classmethod
    def of(cls, v):
        return cls(v * cls.scale)
    @staticmethod
    def half(v):
        return v * 0.5
""",
    "Sub": """
class Sub(Unit):
    scale = $f
    def __call__(self, t):
        return super().__call__(t) * 0.5
    def __eq__(self, other):
        print('eq')
        return isinstance(other, Sub) and self.scale == other.scale
    __hash__ = None
""",
    "Lazy": """
class Lazy:
    def __init__(self, v):
        self.v = v
    @functools.cached_property
    def once(self):
        print('once')
        return self.v * $f
    @property
    def each(self):
        print('each')
        return self.v + $f
    @each.setter
    def each(self, v):
        print('set')
        self.v = v
""",
    "Clip": """
class Clip:
    def __set_name__(self, owner, name):
        self.name = '_' + name
    def __get__(self, obj, owner=None):
        return getattr(obj, self.name) * $f
    def __set__(self, obj, v):
        setattr(obj, self.name, v + $f)
""",
    "Knob": "class Knob:\n    level = Clip()\n    def __init__(self, v):\n        self.level = v\n",
    # functions
    "log": "def log(v):\n    print('log', v)\n    return v",
    "says": "def says(name, v):\n    print(name)\n    return v",
    "scaled": "def scaled(v):\n    return v * G + K[1] * K[0]",
    "summed": "def summed(v):\n    s = $f\n    for k in range(N):\n        s = s + v * W[k % 3] * W[0]\n    return s",
    "chosen": "def chosen(v):\n    if MODE == 'fast' or FLAG:\n        return v * H\n    return v + len(MODE)",
    "push": "def push(v, into=[]):\n    into.append(v)\n    return len(into) * $f",
    "pushed": "def pushed(v, into=None):\n    into = [] if into is None else into\n    into.append(v)\n    return into",
    "guarded": "def guarded(v):\n    if v > $f:\n        raise ValueError(f'too large: {MODE}')\n    return v * 0.5",
    "named": "def named(v, *rest, k=$f, **options):\n"
             "    return v * k + len(rest) + sum(options.values())",
    "defaulted": "def defaulted(v, k=G, table=TABLE, mode=MODE):\n"
                 "    return v * k + table['a'] if mode else v",
    "apply": "def apply(g, v, times=2):\n    for _ in range(times):\n        v = g(v)\n    return v",
    "pair": "def pair(v):\n    return v, v * $f",
    "outer": "def outer(v):\n    def inner(v, t=$f):\n        return v * t\n    return inner(v + $f) + v",
    "make": "def make(k, shift=$f):\n    def inner(v):\n        return v * k + shift\n    return inner",
    "m1": "m1 = make($f)",
    "m2": "m2 = make($f, $f)",
    "rec": "def rec(k):\n    def inner(v, n):\n"
           "        return v if n <= 0 else inner(v * k, n - 1) + $f\n    return inner",
    "r1": "r1 = rec($f)",
    "r2": "r2 = rec($f)",
    "compose": "def compose(g, h):\n    return lambda v: g(h(v))",
    "c1": "c1 = compose(m1, m2)",
    "c2": "c2 = compose(c1, c1)",
    "times": "def times(k):\n    def wrap(g):\n        @functools.wraps(g)\n        def wrapper(*args, **kw):\n"
             "            return g(*args, **kw) * k\n        return wrapper\n    return wrap",
    "one": "@times($f)\ndef one(v):\n    return v * v",
    "two": "@times($f)\n@times($f)\ndef two(v, t=$f):\n    return v + t",
    "cached": "@functools.lru_cache(maxsize=None)\ndef cached(n):\n    print('cached', n)\n    return n * $f",
    "part": "part = functools.partial(named, k=$f)",
    "FUNCTIONS": "FUNCTIONS = {'m': m1, 'n': m2, 'sin': math.sin}",
    "LAYERS": "LAYERS = [lambda v, k=k: v * k for k in ($f, $f)]",
    "UNIT": "UNIT = Unit($f)",
    "POINT": "POINT = Point($f, $f)",
}
"""Later entries read earlier ones."""

GLOBALS = frozenset(name for name in LIBRARY if name.isupper()) | {"cfg", "lib"}
"""Names of values, whatever their type."""

CHANGES = {
    "G": "    global G\n    G = $f",
    "N": "    global N\n    N = $i",
    "MODE": "    global MODE\n    MODE = $s",
    "FLAG": "    global FLAG\n    FLAG = not FLAG",
    "MAYBE": "    global MAYBE\n    MAYBE = None",
    "NOTHING": "    global NOTHING\n    NOTHING = $f",
    "ITEMS": "    ITEMS.append($f)",
    "NONE_YET": "    NONE_YET.append($f)",
    "TABLE": "    TABLE['b'] = $f",
    "SEEN": "    SEEN.add($i)",
    "K": "    K[0] = $f",
    "W": "    global W\n    W = W[::-1] * $f",
    "cfg": "    cfg.rate = $f\n    cfg.name = $s",
    "lib": "    lib.scale = $f",
    "Unit": "    Unit.scale = $f",
    "UNIT": "    UNIT.v = $f",
    "POINT": "    POINT.a = $f",
    "m1": "    global m1\n    m1 = make($f)",
    "FUNCTIONS": "    FUNCTIONS['m'] = m2",
    "named": "    named.__kwdefaults__['k'] = $f",
}
"""What happens between two calls of `f`: the body of a function `change`."""


def constant(rng: Random, kind: str) -> str:
    """A literal of a kind: f, i, s or b."""
    if kind == "f":
        return rng.choice(["0.5", "2.0", "-0.5", "1.5", rng.number(-1.5, 1.5), rng.number(0.1, 2.0)])
    if kind == "i":
        return rng.choice(["1", "2", "3"])
    if kind == "s":
        return rng.choice(["'fast'", "'slow'", "'a'", "'b'", "'up'"])
    return rng.choice(["True", "False"])


def definitions(rng: Random, body: str, change: float) -> str:
    """The definitions that the body reads, and perhaps a `change` that rewrites one of them."""
    used = closure(names_in(body))
    hook = ""
    candidates = [name for name in CHANGES if name in used]
    if candidates and rng.chance(change):
        hook = f"\ndef change():\n{filled(rng, CHANGES[rng.choice(candidates)])}\n"
        used |= closure(names_in(hook))
    return "\n".join(filled(rng, LIBRARY[name]) for name in LIBRARY if name in used) + hook + "\n"


def filled(rng: Random, text: str) -> str:
    return re.sub(r"\$([fisb])", lambda m: constant(rng, m[1]), text)


def names_in(text: str) -> set[str]:
    tree = ast.parse(re.sub(r"\$[fisb]", "0", text))
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & LIBRARY.keys()


@cache
def needs(name: str) -> frozenset[str]:
    """What a definition reads, and what that reads."""
    return frozenset().union(*({other} | needs(other) for other in names_in(LIBRARY[name]) - {name}))


def closure(names: set[str]) -> set[str]:
    return names.union(*map(needs, names))
