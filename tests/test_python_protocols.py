"""Object protocols, comparisons, truth, operators, types and enums: the derivative does what Python does.

A program is registered with the arguments that it is called with; `refused` ones say by which code.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import functools
import itertools
import math
import sys
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import agrees, outcome, refuses

from sct import SctError, emit, grad, hvp, jvp, value_and_grad
from sct.frontend.evaluator.handlers import SPECIAL
from sct.passes import pipeline

PROGRAMS: list[Any] = []
REFUSED: list[Any] = []
X = np.array([0.7, -0.3, 1.1, 0.4, -0.9, 0.2])


def program(f: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS.append(pytest.param(f, (X,), id=f.__name__))
    return f


def on(*args: Any) -> Callable[[Any], Any]:
    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append(pytest.param(f, args, id=f"{f.__name__}-{len(PROGRAMS)}"))
        return f

    return register


def refused(code: str, *args: Any) -> Callable[[Any], Any]:
    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        REFUSED.append(pytest.param(f, args or (X,), code, id=f.__name__))
        return f

    return register


# -- comparisons of objects ------------------------------------------------------------------------------------


class Eq:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __eq__(self, o: Any) -> Any:
        return self.a == o.a

    def __hash__(self) -> int:
        return 3


class EqOfNumbers:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __eq__(self, o: Any) -> Any:
        return self.a * 3.0

    __hash__ = None  # type: ignore[assignment]


class Bare:
    def __init__(self, a: Any) -> None:
        self.a = a


class Lt:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __lt__(self, o: Any) -> Any:
        return self.a < o.a


class LtSub(Lt):
    def __gt__(self, o: Any) -> Any:
        return self.a > 0.0


@functools.total_ordering
class Total:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __eq__(self, o: Any) -> Any:
        return self.a == o.a

    def __lt__(self, o: Any) -> Any:
        return self.a < o.a


@program
def own_eq(x):
    return x[0] if Eq(x[0]) == Eq(x[0]) else x[1]


@program
def own_ne(x):
    return x[0] if Eq(x[0]) != Eq(x[1]) else x[1]


@program
def eq_gives_a_number(x):
    return x[0] * (EqOfNumbers(x[0]) == 1)


@program
def ne_is_a_bool(x):
    return 1.0 * (EqOfNumbers(x[0]) != 1) + x[0]


@program
def without_eq_identity(x):
    o = Bare(x[0])
    return x[0] if o == o and o != Bare(x[0]) else x[1]


@program
def less_is_reflected(x):
    return x[0] if Lt(x[0]) > Lt(x[1]) else x[1]


@program
def subclass_is_asked_first(x):
    return x[0] if Lt(x[0]) < LtSub(x[1]) else x[1]


@program
def order_not_defined(x):
    return x[0] if Lt(x[0]) <= Lt(x[1]) else x[1]


@program
def order_with_a_number(x):
    return x[0] if Bare(x[0]) < 1.0 else x[1]


@program
def number_equals_object(x):
    return x[0] if 1.0 == Bare(x[0]) else x[1]


@refused("SCT501")
def numpy_number_equals_object(x):
    return x[0] if x[0] == Bare(x[0]) else x[1]


@program
def total_ordering(x):
    a, b = Total(x[0]), Total(x[1])
    return x[0] * (a >= b) + x[1] * (a <= b) + x[2] * (a > b)


@program
def chain_of_objects(x):
    return x[0] if Lt(x[1]) < Lt(x[3]) < Lt(x[0]) else x[1]


# -- dataclasses -----------------------------------------------------------------------------------------------


@dataclasses.dataclass(eq=False)
class NoEq:
    a: float


@dataclasses.dataclass(order=True, frozen=True)
class Ordered:
    a: float
    b: float = 2.0
    note: float = dataclasses.field(default=1.0, compare=False)


@dataclasses.dataclass
class Made:
    a: float
    items: list = dataclasses.field(default_factory=list)
    n: dataclasses.InitVar[float] = 2.0
    cache: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)
    K: typing.ClassVar[float] = 3.0

    def __post_init__(self, n):
        self.items.append(self.a * n)


@program
def dataclass_without_eq(x):
    return x[0] if NoEq(x[0]) == NoEq(x[0]) else x[1]


@program
def field_not_compared(x):
    return x[0] if Ordered(x[0], x[1], x[2]) == Ordered(x[0], x[1], x[3]) else x[1]


@program
def dataclass_order(x):
    return x[0] if Ordered(x[0], x[1]) < Ordered(x[0], x[2]) else x[1]


@program
def dataclass_comparison_is_a_bool(x):
    p = Ordered(x[0], x[1])
    return 0.5 * (p <= Ordered(x[0], x[1])) + 0.5 * (p == Ordered(x[0], x[1])) + x[0]


@program
def dataclass_order_with_a_number(x):
    return x[0] if Ordered(x[0]) < 3.0 else x[1]


@program
def dataclass_equals_a_number(x):
    return x[0] if Ordered(x[0]) == 3.0 else x[1]


@program
def dataclass_made(x):
    q, r = Made(x[0], n=x[1]), Made(x[0])
    return sum(q.items) + sum(r.items) * Made.K + len(q.items) + (q == r) + (Made(x[0]) == r)


@refused("SCT303")
def dataclass_frozen(x):
    p = Ordered(x[0])
    p.a = 2.0
    return p.a


@dataclasses.dataclass(kw_only=True, slots=True)
class Keywords:
    a: float
    b: float = 1.0


@program
def dataclass_keywords(x):
    return Keywords(a=x[0]).a * Keywords(a=x[0], b=x[1]).b


@program
def dataclass_keywords_missing(x):
    return Keywords(x[0]).a


@program
def no_such_slot(x):
    k = Keywords(a=x[0])
    k.c = 3.0
    return k.a


# -- named tuples ----------------------------------------------------------------------------------------------

Pair = collections.namedtuple("Pair", "a b")


class Box(typing.NamedTuple):
    a: float
    b: float = 1.0

    def area(self):
        return self.a * self.b

    @property
    def half(self):
        return self.a / 2


OUTSIDE = Box(2.0, 3.0)


@program
def namedtuple_compared(x):
    return x[0] if Pair(x[0], 1.0) == (x[0], 1.0) and not Pair(x[0], 1.0) < (x[1], 1.0) else x[1]


@program
def namedtuple_methods(x):
    n = Box(x[0])
    a, b = n
    return n.area() + n.half + n._replace(b=x[1]).area() + sum(n) + n.index(1.0) + n.count(1.0) + n[0] + n[-1] + a * b


@program
def namedtuple_made(x):
    return Box._make([x[0], x[1]]).area() + sum(Box(x[0], x[1])._asdict().values()) + (Box(x[0]) + (x[1],))[2]


@program
def namedtuple_outside(x):
    a, b = OUTSIDE
    return x[0] * OUTSIDE.a + OUTSIDE.area() * x[1] + OUTSIDE[1] + a * b


# -- arrays, lists and other kinds -----------------------------------------------------------------------------


@program
def array_equals_list(x):
    return np.sum((x == [0.7, 0.0, 1.1, 0.0, 0.0, 0.0]) * np.arange(6.0)) + x[0]


@program
def array_differs_from_tuple(x):
    return np.sum((x != (0.0, -0.3, 0.0, 0.4, 0.0, 0.2)) * np.arange(6.0)) + x[0]


@program
def mask_of_a_list(x):
    k = np.arange(6)
    return np.sum(x[k == [0, 0, 2, 3, 0, 0]] ** 2)


@program
def list_less_than_array(x):
    return np.sum(([0.0] * 6 < x) * np.arange(6.0)) + x[0]


@program
def numpy_number_in_list_comparison(x):
    return np.sum((x[0] >= [0.5, 0.9]) * np.array([1.0, 2.0])) + x[0]


@program
def lists_and_tuples(x):
    return x[0] * ([x[0]] == [x[0]]) + x[1] * ((x[0],) == [x[0]]) + x[2] * ([x[0], 1] < [x[0], 2]) + \
        x[3] * ((1, x[0]) <= (1, x[0], 3))


@program
def dicts_compared(x):
    return x[0] * ({"a": x[0], "b": 1} == {"b": 1, "a": x[0]}) + x[1] * ({"a": 1} != {"b": 1})


@program
def list_and_tuple_ordered(x):
    return x[0] if [1.0] < (1.0,) else x[1]


@program
def nan_is_found_by_identity(x):
    nan = math.nan
    return x[0] * ([nan] == [nan]) + x[1] * (nan in [nan]) + x[2] * (nan == nan)


@program
def item_is_itself(x):
    y = x[0] * np.inf - np.inf
    return x[0] * ([y] == [y]) + x[1] * (y == y)


@program
def in_array(x):
    a = np.arange(4.0)
    return x[0] * (2.0 in a) + x[1] * (7.0 in a) + x[2] * (0.4 not in a) + 0.5 * (9.0 in x)


@program
def in_objects(x):
    return x[0] if Eq(x[1]) in [Eq(x[0]), Eq(x[1])] and Bare(1.0) not in [Bare(1.0)] else x[2]


@program
def across_kinds(x):
    n = len(x)
    return x[0] * (n == "6") + x[1] * (n != None) + x[2] * (n == 6.0) + x[3] * (True == 1) + (n == [6]) + \
        x[4] * (float(x[0]) == "a")  # noqa: E711


@refused("SCT503")
def array_equals_none(x):
    return x[0] if (x == None).all() else x[1]  # noqa: E711


@program
def number_less_than_string(x):
    return x[0] if len(x) < "6" else x[1]


# -- identity --------------------------------------------------------------------------------------------------


@program
def identity_of_arrays(x):
    y, z = x, x.copy()
    return x[0] * (y is x) + x[1] * (z is x) + x[2] * (x[1:] is x) + x[3] * (z is not y)


@refused("SCT503", X, X)
def identity_of_arguments(x, y):
    return x[0] if x is y else x[1]


@refused("SCT503")
def identity_after_a_branch(x):
    y = x if x[0] > 0.0 else x.copy()
    return x[0] if y is x else x[1]


@program
def identity_of_single_objects(x):
    n, flag = len(x), len(x) > 2
    return x[0] * (n is int("6")) + x[1] * (flag is True) + x[2] * ((x[0] > 0.0) is True) + \
        x[3] * (x[0] is not None) + x[4] * (x is Ellipsis)


# -- truth -----------------------------------------------------------------------------------------------------


class Truth:
    def __init__(self, v: Any) -> None:
        self.v = v

    def __bool__(self) -> bool:
        return self.v


class Sized:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n


@program
def bool_gives_an_int(x):
    return x[0] if Truth(1) else x[1]


@program
def bool_gives_a_numpy_bool(x):
    return x[0] if Truth(x[2] > 0.0) else x[1]


@program
def bool_gives_a_bool(x):
    return x[0] if Truth(bool(x[2] > 0.0)) else x[1]


@program
def length_is_the_truth(x):
    return x[0] if Sized(len(x)) and not Sized(0) else x[1]


@program
def length_is_an_int(x):
    return x[0] * len(Sized(True)) + len(Sized(np.int64(3))) * 0.5


@program
def length_is_a_float(x):
    return x[0] * len(Sized(2.0))


@program
def truth_of_items(x):
    return 0.5 * all([x[1] > 0.5, 2.0]) + 0.25 * any([x[1] > 0.5, x[0] > 0.5]) + x[0]


@program
def truth_of_items_is_a_bool(x):
    return 0.5 * all([x[1] > 0.5, 2.0])


@program
def truth_of_a_comparison_is_a_bool(x):
    return 0.5 + bool(x[0] > 0.5)


def noisy(v):
    print("noisy")
    return v


@program
def chain_that_stops(x):
    return 0.5 + (2.0 <= x[1] < noisy(3.0))


@program
def chain_that_goes_on(x):
    return 0.5 + (-2.0 <= x[1] < noisy(3.0))


@program
def and_that_stops(x):
    return 0.5 + ((2.0 <= x[1]) and noisy(3.0) < x[0])


@program
def or_that_stops(x):
    return 0.5 + ((2.0 >= x[1]) or noisy(3.0) < x[0])


@program
def ternary_of_false(x):
    return 0.5 + (x[0] > 0.9 if x[1] > 0.5 else False)


# -- operators -------------------------------------------------------------------------------------------------


class N:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __divmod__(self, o: Any) -> Any:
        return (self.a, o)

    def __rdivmod__(self, o: Any) -> Any:
        return (self.a * 2.0, o)

    def __floordiv__(self, o: Any) -> Any:
        return self.a + 100.0

    def __mod__(self, o: Any) -> Any:
        return self.a * o

    def __add__(self, o: Any) -> Any:
        return NotImplemented

    def __radd__(self, o: Any) -> Any:
        return self.a + (o.a if isinstance(o, N) else o)

    def __iadd__(self, o: Any) -> Any:
        return NotImplemented

    def __isub__(self, o: Any) -> Any:
        return self.a * 10.0


class NSub(N):
    def __radd__(self, o: Any) -> Any:
        return self.a * 5.0


class Other:
    def __add__(self, o: Any) -> Any:
        return 7.0


@program
def own_divmod(x):
    return divmod(N(x[0]), 2.0)[0] + divmod(3.0, N(x[1]))[0]


@program
def reflected_not_for_one_class(x):
    return N(x[0]) + N(x[1])


@program
def reflected_of_a_subclass(x):
    return N(x[0]) + NSub(x[1])


@program
def reflected_of_another_class(x):
    return Other() + N(x[1]) + x[0] + (2.0 + N(x[0]))


@program
def in_place_not_implemented(x):
    n = N(x[0])
    n += N(x[1])
    return n


@program
def in_place_then_reflected(x):
    n = Bare(x[0])
    n += N(x[1])
    return n


@program
def in_place_own(x):
    n = N(x[0])
    n -= 1.0
    return n


@program
def divmod_not_defined(x):
    return divmod(Bare(x[0]), 2.0)


@program
def not_callable_operator(x):
    return Bare(x[0]) @ 2


# -- numbers ---------------------------------------------------------------------------------------------------


@program
def bools_as_ints(x):
    n = len(x)
    return (True + True) * x[0] + True * 2.0 + (x[0] > 0.5) * 2 + ((n > 5) + (n > 2)) * 0.5 + ((x[0] > 0.5) + True)


@program
def numpy_bools(x):
    p, q = x[0] > 0.5, x[0] > 0.1
    return (p + q) * x[0] + (~p) * x[0] + p / q * x[1] + (p ** q) * x[0] + (p // q) + (p & q) * x[2] + (q ^ False) * 0.5


@program
def int_divided_by_zero(x):
    return x[0] * (len(x) // 0)


@program
def float_modulo_zero(x):
    return float(x[0]) % 0


@program
def zero_to_a_negative_power(x):
    return x[0] * (0 ** -1)


@program
def signs_of_remainders(x):
    a, b = divmod(-len(x), 4)
    c, d = divmod(x[1], 0.2)
    e, f = divmod(float(x[1]), -0.2)
    return x[0] * (-7 % 3) + (len(x) % -4) + (-7 // 2) + x[1] % -0.2 + a + b * 10.0 + c * 3 + d + e + f


@program
def powers(x):
    return x[0] * pow(3, 4, 5) + pow(len(x), 2, 7) + pow(x[0], 2) + pow(2, -1) + len(x) ** -2 + pow(base=x[0], exp=3)


@program
def bits_of_ints(x):
    n = len(x)
    return x[0] * (1 << 3) + (n << 1) + (17 >> 2) + (n & 3) + (n | 8) + (n ^ 1) + ~5 + (np.int64(n) >> 1) + (True | n)


@program
def rounded(x):
    return x[0] * round(float(x[0])) / 3 + round(x[0], 1) * x[0] + round(2.5) + round(1234, -2) + round(x[0] * 9) / 2


@program
def numbers_of_texts(x):
    return int("12") * x[0] + int("ff", 16) + int("0b11", base=0) + float(" 1.5 ") + float("2")


@program
def no_number(x):
    return int("abc") * x[0]


@program
def texts_of_numbers(x):
    return x[0] * (ord("a") - ord("A")) + len(chr(65)) + len(hex(255)) + len(bin(5)) + len("%d %s" % (3, "b"))


@program
def extremes(x):
    return max(True, 0.5) * x[0] + max(1, 1.0) * 0.5 + max(1.0, 1) * x[1] + min(0, False, 0.0) + max(len(x), x[0]) + \
        max((1, x[0]), (1, x[1]))[1] + min((x[0], x[1]), key=abs) + max([], default=2.0) + max([3, -4, 2], key=abs)


@program
def extreme_of_nothing(x):
    return max([]) * x[0]


@program
def extreme_of_two_kinds(x):
    return max("a", 1) * x[0]


@program
def list_times_a_float(x):
    return len([1] * 2.0) * x[0]


@program
def tuple_times_a_number_of_numpy(x):
    return len((1, 2) * x[0]) * x[0]


@program
def list_plus_tuple(x):
    return ([1] + (1,))[0] * x[0]


@program
def number_plus_none(x):
    return len(x) + None


@program
def numpy_number_plus_none(x):
    return x[0] + None


@program
def lists_with_arrays(x):
    return np.sum([1.0] * 6 + x) + np.sum(x - (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)) + np.sum([2.0] * 6 * x)


@program
def in_a_range(x):
    return (3 in range(5)) * x[0] + (2.0 in [1, 2]) + (True in [1]) + (len(x) in range(0, 10, 2)) + ([1] in [[1]])


@program
def names_of_classes(x):
    return x[0] * len(type(x).__name__) + len(x[0].__class__.__name__) + len([].__class__.__name__) + \
        isinstance(len(x), int | str)


@program
def array_without_the_attribute(x):
    return x.nothing * 2


@program
def list_without_the_attribute(x):
    return [1, 2].add(3) * x[0]


# -- attributes ------------------------------------------------------------------------------------------------


class Doubled:
    def __get__(self, obj: Any, cls: Any = None) -> Any:
        return obj._v * 2.0

    def __set__(self, obj: Any, v: Any) -> None:
        obj._v = v


class Named:
    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = "_" + name

    def __get__(self, obj: Any, cls: Any = None) -> Any:
        return getattr(obj, self.name) + 1.0

    def __set__(self, obj: Any, v: Any) -> None:
        setattr(obj, self.name, v)


class Weak:
    def __get__(self, obj: Any, cls: Any = None) -> Any:
        return 5.0


class Has:
    v = Doubled()
    w = Named()
    weak = Weak()

    def __init__(self, v: Any) -> None:
        self.v = v
        self.w = v


class Lazy:
    def __init__(self, v: Any) -> None:
        self.w = v

    @functools.cached_property
    def sq(self) -> Any:
        return self.w ** 2


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a: Any) -> None:
        self.a = a


class Hidden:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


class Answers:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __getattr__(self, name: str) -> Any:
        if name == "twice":
            return self.a * 2.0
        raise AttributeError(name)

    @property
    def broken(self) -> Any:
        return self.nothing


class Guarded:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value * 2.0)


@program
def data_descriptor(x):
    h = Has(x[0])
    h.v = h.v * x[1]
    return h.v + h.w


@program
def descriptor_without_set(x):
    h = Has(x[0])
    before = h.weak
    h.weak = x[0]
    return before * h.weak


@program
def computed_once(x):
    o = Lazy(x[0])
    a = o.sq
    o.w = x[1]
    return o.sq * a


LAZY = Lazy(3.0)


@program
def computed_once_outside(x):
    return x[0] * LAZY.sq * LAZY.sq


@program
def slots(x):
    s = Slotted(x[0])
    s.a = s.a * 2.0
    return s.a


@program
def no_slot(x):
    s = Slotted(x[0])
    s.b = 1.0
    return s.a


@program
def has_no_attribute(x):
    return x[0] if hasattr(Hidden(x[0]), "foo") else x[1] * getattr(Hidden(x[0]), "foo", 3.0)


@program
def getattr_answers(x):
    o = Answers(x[0])
    return o.twice + getattr(o, "twice", 1.0) + hasattr(o, "twice") + getattr(o, "thrice", x[1])


@program
def property_that_breaks(x):
    return x[0] if hasattr(Answers(x[0]), "broken") else x[1]


@program
def attribute_missing(x):
    return Answers(x[0]).thrice


@program
def own_setattr(x):
    g = Guarded(x[0])
    g.b = x[1]
    return g.a * g.b


# -- classes ---------------------------------------------------------------------------------------------------


@program
def class_of_a_maximum(x):
    return x[0] if isinstance(max(x[0], -3.0), np.floating) else x[1]


@program
def class_of_the_other(x):
    return x[0] if isinstance(max(x[0], 3.0), np.floating) else x[1]


@program
def classes_of_a_maximum(x):
    return x[0] if isinstance(max(x[0], -3.0), (float, str)) else x[1]


@program
def class_of_numbers(x):
    n = len(x)
    return x[0] * isinstance(n, int) + x[1] * isinstance(x[0], float) + x[2] * isinstance(n, bool) + \
        x[3] * isinstance(n > 2, int) + x[4] * isinstance(x, (list, np.ndarray)) + issubclass(np.float64, float)


@program
def class_that_is_none(x):
    return x[0] if isinstance(x[0], 3) else x[1]


# -- enums -----------------------------------------------------------------------------------------------------


class Kind(enum.IntEnum):
    A = 1
    B = 4


class Text(str, enum.Enum):
    A = "a"
    B = "b"


class Flags(enum.Flag):
    R = 1
    W = 2


class IntFlags(enum.IntFlag):
    R = 1
    W = 2


class Plain(enum.Enum):
    A = 1
    B = 2

    @property
    def twice(self):
        return self.value * 2

    def scaled(self, x):
        return self.value * x


class Real(float, enum.Enum):
    A = 1.5


@program
def enum_arithmetic(x):
    return x[0] * Kind.B + Kind.A + Kind.A * Kind.B + np.sum(x * Kind.B) + x[0] ** Kind.B + Kind.B ** x[0] + \
        Kind.B / Kind.A + Kind.B // 3 + -Kind.B + (Kind.B == 4.0) + abs(Kind.A) + Kind.B % 3


@program
def enum_compared(x):
    return x[0] if x[0] < Kind.A and Kind.A != Plain.A and Plain.A != 1 and Kind.A == 1 else x[1]


@program
def enum_in_a_loop(x):
    s = 0.0
    for kind in [Kind.A, Kind.B]:
        s += x[0] if kind != Kind.A else 2.0
    for kind in Kind:
        s += x[kind] * kind.value
    for i in range(Kind.B):
        s += x[i]
    return s + x[Kind.A] * x[Kind.B]


@program
def enum_text(x):
    print(Kind.A, Text.A, Plain.B, Flags.R | Flags.W, x[0] > Kind.A)
    print(f"{Kind.A} {Kind.B!r} {Text.A} {Text.B.value} {Plain.A} {x[0] > 9} {Kind.A}")
    return x[0] * len(f"{Kind.A} {Kind.B!r} {Text.A} {Text.B.value} {Plain.A}")


@program
def enum_found(x):
    return x[0] if Kind.A.name == "A" and Kind(4) is Kind.B and Kind["A"] == 1 else x[1]


@program
def enum_not_found(x):
    return x[0] if Kind(9) is Kind.B else x[1]


@program
def enum_flags(x):
    f, g = Flags.R | Flags.W, IntFlags.R | 4
    return x[0] * g if f & Flags.W and Flags.R in f and g & 4 else x[1]


@program
def enum_members_of_their_own(x):
    return x[0] * Plain.A.twice + Plain.B.scaled(x[1]) + x[0] * Real.A + math.sqrt(Real.A)


@program
def enum_not_ordered(x):
    return x[0] if Plain.A < Plain.B else x[1]


@program
def enum_classes(x):
    return x[0] if isinstance(Kind.A, int) and not isinstance(Plain.A, int) and isinstance(Text.A, str) else x[1]


@program
def enum_keys(x):
    return {Kind.A: x[0], Kind.B: x[1]}[4] + {Text.A: x[0]}["a"]


@program
def enum_text_methods(x):
    return x[0] if Text.A.upper() == "A" and Text.A + "b" == "ab" else x[1]


@program
def enum_matched(x):
    match Kind.B:
        case Kind.A:
            return x[0]
        case Kind.B:
            return x[1]


@program
def enum_builtins(x):
    return max(Kind.A, Kind.B) * x[0] + min([Kind.A, 0.5]) * x[1] + sum([Kind.A, Kind.B]) * x[0] + \
        float(Kind.A) * x[0] + int(Kind.B) + bool(Kind.A)


@on(X, Kind.A)
@on(X, Kind.B)
@on(X, Plain.A)
def enum_argument(x, kind):
    return x[0] if kind is Kind.A else x[1]


@program
def enum_default(x, kind=Kind.A):
    return x[0] * 2.0 if kind == Kind.A else x[1]


@on(X, Text.A)
@on(X, "a")
@on(X, "b")
def enum_of_texts(x, kind):
    return np.sum(x) if kind == Text.A else x[1]


@program
def enum_is_an_int64_to_numpy(x):
    return x[0] if (x.astype(np.float32) * Kind.B).dtype == np.float64 else x[1]


class Meters(float):
    def __add__(self, o: Any) -> Any:
        return Meters(7.0)


OF_A_CLASS = Meters(2.0)


def test_numbers_of_a_users_class_are_refused() -> None:
    refuses(lambda x: x[0] + OF_A_CLASS, X, code="SCT506")
    with pytest.raises(SctError, match="SCT506"):
        grad(lambda x: x + 1.0)(OF_A_CLASS)


# -- texts -----------------------------------------------------------------------------------------------------


class NoText:
    def __str__(self):
        return 3


class Shown:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __repr__(self):
        return f"Shown({self.a})"

    def __format__(self, spec):
        return f"<{spec}>"


class ShownTwice(Shown):
    def __str__(self):
        return "text"


@dataclasses.dataclass
class Late:
    a: float
    b: float = dataclasses.field(init=False)
    c: float = 1.0
    d: float = dataclasses.field(default=2.0, repr=False)

    def __post_init__(self):
        self.b = self.a * 2


@dataclasses.dataclass
class Later(Late):
    e: float = 5.0


class PlainLate(Late):
    pass


@dataclasses.dataclass(repr=False)
class Hides:
    a: float


@program
def str_gives_an_int(x):
    return len(str(NoText())) * x[0]


@program
def print_of_no_text(x):
    print(NoText())
    return x[0]


@program
def texts_of_objects(x):
    print(Shown(x[0]), [Shown(x[0])], str(ShownTwice(1)), repr(ShownTwice(2)), f"{Shown(1)!r}", (ShownTwice(1),))
    print(f"{Shown(1):abc} {ShownTwice(1)} {Shown(2)!s}", {"a": ShownTwice(x[0])})
    return x[0]


@program
def texts_of_dataclasses(x):
    print(Late(x[0]), Later(1.0), PlainLate(x[0]), [Late(2.0)])
    return x[0]


@refused("SCT503")
def text_of_a_dataclass_without(x):
    print(Hides(x[0]))
    return x[0]


@program
def formats(x):
    print("{{}} {} {:>6} {!r}".format(x[0], "a", x[1]), "a{}b{}c{}".format(1, x[0], "z"), "{1} {0}".format(x[0], 2))
    return x[0]


# -- more of attributes and classes -----------------------------------------------------------------------------


@dataclasses.dataclass
class Doubles:
    a: float

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


class Fails(Exception):
    def __init__(self, text, code=1):
        super().__init__(text)
        self.code = code

    def __str__(self):
        return f"{self.args} {self.code}"


class MadeNew(collections.namedtuple("MadeNew", "a b")):
    def __new__(cls, a, b=2.0):
        return super().__new__(cls, a * 10, b)


class Copied:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __copy__(self):
        return Copied(self.a * 2)


class Deep(Copied):
    def __deepcopy__(self, memo):
        return Deep(self.a * 3)


class Counter:
    n = 2.0

    def __init__(self, a: Any) -> None:
        self.a = a

    def bump(self):
        self.n = self.n + 1
        return self.n


class Base:
    def __init__(self, a: Any) -> None:
        self.a = a

    def f(self):
        return self.a

    @property
    def p(self):
        return self.a * 2

    @p.setter
    def p(self, v):
        self.a = v


class Left(Base):
    def f(self):
        return super().f() * 3


class Right(Base):
    def f(self):
        return super().f() + 1


class Both(Left, Right):
    def f(self):
        return super().f() + super(Left, self).f()

    @classmethod
    def of(cls, a):
        return cls(a)

    @property
    def p(self):
        return super().p + 1


@program
def dataclass_with_its_setattr(x):
    return Doubles(x[0]).a


@program
def exception_with_keywords(x):
    if x[0] > 0:
        raise Fails("a", code=3)
    return x[0]


@refused("SCT208")
def namedtuple_with_its_new(x):
    return MadeNew(x[0]).a


@program
def namedtuple_is_written(x):
    n = Box(x[0])
    n.a = 2.0
    return n.a


@program
def namedtuple_gets_an_attribute(x):
    n = Box(x[0])
    n.other = 2.0
    return n.a


@program
def copy_of_its_own(x):
    return copy.copy(Copied(x[0])).a


@refused("SCT208")
def deep_copy_of_its_own(x):
    return copy.deepcopy(Deep(x[0])).a


@program
def class_attributes(x):
    c, d = Counter(x[0]), Counter(x[1])
    c.bump()
    return c.n * c.a + d.n * d.a + Counter.n


@program
def order_of_resolution(x):
    b = Both(x[0])
    return b.f() + Both.of(x[1]).f() + b.p + isinstance(b, Base) + issubclass(Both, Left) + (type(b) is Both)


@program
def property_is_set(x):
    b = Base(x[0])
    b.p = b.p * x[1]
    b.q = x[1]
    return b.a * b.q * b.f() + hasattr(b, "q") + len(vars(b)) + b.__dict__["a"]


@program
def property_cannot_be_set(x):
    b = Both(x[0])
    b.p = 1.0
    return b.a


@program
def classes_of_methods(x):
    return isinstance(Base(1).f, types.MethodType) * x[0] + callable(Base(1)) + callable(Base) + callable(x[0])


@program
def class_of_a_set(x):
    return isinstance({1}, set) * x[0] + isinstance(set([1]), set) + isinstance(frozenset([1]), set)


@program
def key_that_is_not_there(x):
    return {1: 2}[(1, 2)] * x[0]


@refused("SCT505")
def enum_key_that_is_not_there(x):
    return {1: x[0]}[Plain.A]


@program
def shapes_of_lists(x):
    return np.ndim([1, 2]) * x[0] + len(np.shape([[1], [2]])) + np.shape([1, 2, 3])[0] + np.ndim((x[0],)) + np.ndim(1.0)


@program
def invert_of_a_float(x):
    return ~1.5 * x[0]


@on(np.array([3, 4]))
def item_of_ints(x):
    return x[0].item() * 2 + x[1]


# -- containers of their own --------------------------------------------------------------------------------------


class Items:
    def __init__(self, xs: Any) -> None:
        self.xs = xs

    def __getitem__(self, k):
        return self.xs[k]

    def __setitem__(self, k, v):
        self.xs[k] = v

    def __len__(self):
        return len(self.xs)

    def __contains__(self, v):
        return 5


class Runs:
    def __init__(self, xs: Any) -> None:
        self.xs = xs

    def __iter__(self):
        return iter(self.xs)


class NoIterator:
    def __iter__(self):
        return [1, 2]


class Position:
    def __index__(self):
        return 2


@program
def items_of_its_own(x):
    s = Items([x[0], x[1], 2.0])
    s[0] = x[1]
    return s[0] * len(s) + s[-1] + (3 in s) * 1.0 + sum(s[1:])


@program
def runs_over_its_own(x):
    return sum(Runs([x[0], x[1]])) + len(list(Runs([1, 2]))) + (1 in Runs([1, 2])) + max(Runs([x[0], 2.0]))


@program
def iter_gives_a_list(x):
    s = 0.0
    for v in NoIterator():
        s += v
    return s * x[0]


@program
def sum_of_no_iterator(x):
    return sum(NoIterator()) * x[0]


@program
def position_of_its_own(x):
    return x[Position()] * 2.0


# -- match -----------------------------------------------------------------------------------------------------


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y


@program
def match_a_range(x):
    match range(3):
        case [a, b, c]:
            return x[0] * (a + b + c)
        case _:
            return x[1]


ARRAYS_ARE_SEQUENCES = bool(np.ndarray.__flags__ & 1 << 5)  # from NumPy 2.5 on, to a pattern
where_arrays_are_no_sequences: Any = program if not ARRAYS_ARE_SEQUENCES else lambda f: f


@where_arrays_are_no_sequences
def match_an_array(x):
    match x:
        case [a, *_]:
            return a
        case np.ndarray(ndim=1, shape=(n,)):
            return x[1] * n
        case _:
            return x[2]


@program
def match_the_items_of_an_array(x):
    match list(x):
        case [a, b, *_]:
            return a * b
        case _:
            return x[2]


@program
def match_a_string(x):
    match "ab":
        case [_, _]:
            return x[0]
        case str():
            return x[1]


@program
def match_too_many_parts(x):
    match Point(x[0], x[1]):
        case Point(a, _, _):
            return a
        case _:
            return x[1]


@program
def match_parts(x):
    match Point(x[0], x[1]):
        case Point(a, y=b) if b < 0:
            return a * b
        case _:
            return x[1]


@program
def match_int_with_a_part(x):
    match 3:
        case int(real=r):
            return x[0] * r
        case _:
            return x[1]


@refused("SCT504")
def match_a_counter(x):
    match collections.Counter("aab"):
        case {"a": n}:
            return x[0] * n
        case _:
            return x[1]


@program
def match_numbers(x):
    match True:
        case 0 | None:
            return x[0]
        case 1:
            match x[0]:
                case float(v):
                    return v * 2
    return x[2]


@program
def match_a_namedtuple(x):
    match Box(x[0], x[1]):
        case Box(a, b):
            return a * b


@pytest.mark.parametrize("rows", [[(), ()], [(), (1.0,)], [[1.0, 2.0]], [2.0], ["a"]])
def test_a_loop_over_items_that_are_unpacked_to_no_names(rows: Any) -> None:
    def written_out(x: float) -> float:
        s = x
        for () in rows:
            s = s * x
        return s

    def unpacked(x: float) -> float:
        () = rows[0]
        [] = rows[-1]
        return x * x

    agrees(written_out, 1.5)
    agrees(unpacked, 1.5)


@pytest.mark.parametrize(("show", "words"), [
    (lambda d: d.keys(), "a view of a dict"), (lambda d: d.items(), "a view of a dict"),
    (lambda d: iter(d), "an iterator"), (lambda d: range(len(d)), "a range")])
def test_a_refusal_says_what_an_iterable_is(show: Callable[[Any], Any], words: str) -> None:
    def printed(x: float) -> float:
        print(show({"a": x}))
        return x

    assert words in str(refuses(printed, 1.5, code="SCT503"))


# -- keys that cannot be hashed, and what cannot be run over -------------------------------------------------------

where_slices_have_no_hash: Any = program if sys.version_info < (3, 12) else lambda f: f


@where_slices_have_no_hash
def slice_as_a_key(x):
    d = {1: x[0]}
    return d[1:2]


@where_slices_have_no_hash
def slice_as_a_key_that_is_written(x):
    d = {}
    d[1:] = x[0]
    return x[0]


@where_slices_have_no_hash
def slice_as_a_key_that_is_set_once(x):
    return {1: x[0]}.setdefault(slice(1, 2), x[1])


@where_slices_have_no_hash
def slice_known_at_run_time_as_a_key(x):
    n = len(x)
    return {1: x[0]}.get(slice(n, 2 * n))


@where_slices_have_no_hash
def slice_in_a_dict(x):
    return x[0] if slice(1, 2) in {1: x[0]} else x[1]


@program
def list_as_a_key_of_a_display(x):
    return len({(1, [2]): x[0]}) * x[0]


@program
def array_as_a_key(x):
    d = {}
    d[x] = 1.0
    return x[0]


@program
def list_in_a_set(x):
    return len({1, [2]}) * x[0]


@program
def dict_as_a_key_that_is_deleted(x):
    d = {1: x[0]}
    del d[{}]
    return x[0]


@program
def loop_over_a_number(x):
    total = 0.0
    for v in len(x):
        total += v * x[0]
    return total


@program
def number_unpacked(x):
    a, b = float(x[0])
    return a + b


@program
def nothing_unpacked(x):
    a, *b = None
    return a * len(b) * x[0]


@program
def number_in_a_display(x):
    return sum([*x, *3.0])


@program
def function_run_over(x):
    return sum(v * x[0] for v in 2.5)


@program
def number_in_a_number(x):
    return x[0] if 1 in 3.5 else x[1]


# -- the order of what a call is given -------------------------------------------------------------------------------


def noted(text: str, v: Any) -> Any:
    print(text)
    return v


def taking(a: Any = 0.0, b: Any = 0.0, c: Any = 0.0) -> Any:
    return a + b + c


@program
def keyword_given_twice_after_its_neighbours(x):
    return taking(**noted("d", {"b": x[0]}), b=noted("b", x[1]), c=noted("c", x[2]))


@program
def keyword_given_twice_before_its_neighbours(x):
    return taking(b=noted("b", x[1]), **noted("d", {"b": x[0]}), c=noted("c", x[2]))


@program
def spread_number_after_the_keywords(x):
    return taking(*noted("t", 3.5), c=noted("c", x[2]))


@program
def spread_number_before_the_keywords(x):
    return taking(x[0], *noted("t", 3.5), c=noted("c", x[2]))


@program
def spread_list_that_a_keyword_changes(x):
    xs = [x[0]]
    return taking(*xs, c=noted("c", xs.append(x[1]) or 2.0))


@program
def mapping_that_is_none(x):
    return taking(c=noted("c", x[2]), **noted("n", None))


# -- attributes of numbers -----------------------------------------------------------------------------------------


@on(1.5)
def conjugate_of_a_float(x):
    return (x * 2.0).conjugate() * x.conjugate()


@on(1.5, 3)
def conjugate_of_an_int(x, n):
    return [n.conjugate(), True.conjugate(), x][2]


@on(1.5, 3)
def imaginary_parts(x, n):
    return x.imag + x.real * (n + 1).imag + x


@on(1.5, 3)
def attributes_of_a_number_of_two_kinds(x, n):
    y = x if n > 3 else 2
    return x * (2 if hasattr(y, "nope") else 3) + getattr(y, "shape", x)


@on(1.5)
def item_that_is_annotated_and_not_assigned(x):
    missing.a: int  # noqa: B032, F821
    return x


@refused("SCT102", 1.5)
def power_that_is_complex(x):
    return (-x) ** 0.5


@refused("SCT102", 1.5)
def power_that_is_complex_inside(x):
    return abs((-x) ** 0.5)


@refused("SCT102", 1.5)
def power_that_is_complex_in_a_test(x):
    y = (1.0 - x) ** x
    return x if isinstance(y, complex) else 2.0 * x


# -- names -----------------------------------------------------------------------------------------------------


def keyword_tangent(el, k):
    ef = el * el
    return ef * k


def test_no_tangent_has_the_name_of_a_keyword() -> None:
    assert jvp(keyword_tangent, (2.0, 3.0), (1.0, 0.0)) == (12.0, 12.0)
    assert hvp(keyword_tangent, (2.0, 3.0), (1.0, 0.0)) == 6.0
    assert "del_" in emit(keyword_tangent, "jvp")


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_as_python_does(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


@pytest.mark.parametrize(("f", "args", "code"), REFUSED)
def test_refused(f: Callable[..., Any], args: tuple[Any, ...], code: str) -> None:
    refuses(f, *args, code=code)


@pytest.mark.parametrize("where", ("frontend", "codegen"))
def test_a_fault_of_sct_is_a_refusal_that_says_so(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    def fails(*args: Any, **kwargs: Any) -> Any:
        raise KeyError("planted")

    if where == "frontend":
        monkeypatch.setitem(SPECIAL, id(divmod), fails)
    else:
        monkeypatch.setattr(pipeline, "run", fails)
    refusal = refuses(lambda x: divmod(x[0], 2.0)[1], X, code="SCT602")
    assert "KeyError: 'planted'" in refusal.what
    assert isinstance(refusal.__cause__, KeyError)


def test_another_way_does_not_hide_a_fault_of_sct_where_the_compiler_is_checked(
        monkeypatch: pytest.MonkeyPatch) -> None:
    handler, calls = SPECIAL[id(divmod)], itertools.count()

    def fails_at_first(*args: Any, **kwargs: Any) -> Any:
        if next(calls) == 0:
            raise KeyError("planted")
        return handler(*args, **kwargs)

    def f(x, rows):
        s = 0.0
        for row in rows:
            s += divmod(row["a"], row["b"])[1] * x
        return s

    rows = [{"a": float(k), "b": 3.0} for k in range(6)]
    monkeypatch.setitem(SPECIAL, id(divmod), fails_at_first)
    monkeypatch.setenv("SCT_VERIFY", "1")
    refuses(f, 1.5, rows, code="SCT602")
    calls = itertools.count()
    monkeypatch.setenv("SCT_VERIFY", "0")
    assert value_and_grad(f)(1.5, rows) == (f(1.5, rows), f(1.0, rows))


@dataclass
class Tank:
    fuel: float
    burned: float = 0.0


def test_a_write_to_one_of_two_objects() -> None:
    def either(fuel: float) -> float:
        a, b = Tank(fuel), Tank(2.0)
        tank = a if a.fuel > 1.0 else b
        tank.burned += 1.0
        return fuel * (a.burned + b.fuel)

    def apart(fuel: float) -> float:
        a, b = Tank(fuel), Tank(2.0)
        if a.fuel > 1.0:
            a.burned += 1.0
        else:
            b.burned += 1.0
        return fuel * (a.burned + b.fuel)

    for fuel in (1.5, 0.5):
        agrees(either, fuel)
        agrees(apart, fuel)


class Giving:
    """An object whose special methods give what it holds."""

    def __init__(self, given: Any) -> None:
        self.given = given

    def __len__(self) -> Any:
        return self.given

    def __float__(self) -> Any:
        return self.given

    def __repr__(self) -> Any:
        return self.given


def length_of_it(x: Any, n: Any) -> Any:
    return x * len(Giving(n))


def truth_of_it(x: Any, n: Any) -> Any:
    return x if Giving(n) else x * x


def truth_of_it_among_others(x: Any, n: Any) -> Any:
    y = x if not Giving(n) and x > 0.0 else x * x
    return y * bool(Giving(n)) if any([Giving(n)]) else y


def float_of_it(x: Any, n: Any) -> Any:
    return x * float(Giving(n))


def text_of_it(x: Any, n: Any) -> Any:
    return x * 2.0 if str(Giving(n)) == "a" else x


@pytest.mark.parametrize("f", (length_of_it, truth_of_it, truth_of_it_among_others, float_of_it, text_of_it))
def test_what_special_methods_give_is_checked_at_every_call(f: Any) -> None:
    numbers = (3, -1, 10 ** 30, 2 ** 63 - 1, 2 ** 63, 0, 2.5, None, True)
    kept = value_and_grad(f)
    for n in numbers if f is not text_of_it else (3, None, "a", 2.5):
        plain = outcome(f, (1.5, n))
        for derivative in (kept, value_and_grad(f)):
            made = outcome(derivative, (1.5, n))
            assert str(made.error) == str(plain.error)
            assert type(made.error) is type(plain.error)
            assert plain.error is not None or made.value[0] == plain.value


def length_of_a_range(x: Any, n: int) -> Any:
    return x * len(range(n)) + x * x * len(range(n + 1)) + len(range(2, n)) + len(range(0, n, 2)) * x


def truth_of_a_range(x: Any, n: int) -> Any:
    r = range(n)
    return x * len(r) if r else x * x * (len(range(n, 3)) if range(n, 3) else 5.0)


def range_that_is_run_over(x: Any, n: int) -> Any:
    s = x * len(range(n))
    for i, k in enumerate(range(n)):
        s += x * k * i
    return s + sum(a * b for a, b in zip(range(n), range(5))) * x


@program
def gradient_by_a_named_tuple(x: Any) -> Any:
    slope = grad(lambda p: p.a * p.a * p.b)(Pair(x[0], 2.0 * x[1]))
    by_a, by_b = slope
    return by_a * by_b + slope.a * slope[1] + len(slope)


@dataclass
class Recorded:
    x: float


@program
def is_it_a_dataclass(x: Any) -> Any:
    asked = Recorded, Recorded(1.0), X, types.SimpleNamespace
    return sum(x[k] for k, one in enumerate(asked) if dataclasses.is_dataclass(one))


def truth_of_an_array_or_none(x: Any, n: int) -> Any:
    v = None
    if n > 0:
        v = x * 2.0
    return v[0] * v[0] if v else 3.0 * np.sum(x)


def choice_of_an_array_or_another(x: Any, n: int) -> Any:
    v = None
    for k in range(n):
        v = x * k
    return (v or x * x)[0] * x[0]


def truth_of_a_number_or_none(x: Any, n: int) -> Any:
    v = None
    if n > 0:
        v = np.sum(x) * (n - 1)
    return x[0] * v if v and n < 9 else np.sum(x)


@pytest.mark.parametrize("f", (truth_of_an_array_or_none, choice_of_an_array_or_another, truth_of_a_number_or_none))
def test_none_is_false_where_another_path_has_an_array(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for size, order in ((1, (0, 2, 1)), (2, (0, 2)), (1, (2, 0))):
        derivative = value_and_grad(f)
        for n in order:
            agrees(f, X[:size], n, derivative=derivative)


@pytest.mark.parametrize("f", (length_of_a_range, truth_of_a_range, range_that_is_run_over))
def test_a_range_that_ends_before_it_starts_has_no_items(f: Any) -> None:
    for order in ((3, -1, 0), (-2, 3), (0, -3, 1)):
        derivative = value_and_grad(f)
        for n in order:
            assert derivative(1.5, n)[0] == f(1.5, n)
            agrees(f, 1.5, n)


def test_names_that_a_module_does_not_have() -> None:
    def name(x: Any, n: int) -> Any:
        if n == 0:
            from math import nope  # type: ignore[attr-defined]
            return nope
        return x

    def name_after_another(x: Any, n: int) -> Any:
        if n == 0:
            from math import cos as sin
            from math import nope as other  # type: ignore[attr-defined]
            return other(sin(x))
        return x

    def module(x: Any, n: int) -> Any:
        if n == 0:
            import math.nope  # type: ignore[import-not-found]
            return math.nope
        return x

    for f in (name, name_after_another, module):
        derivative = value_and_grad(f)
        for n in (1, 0, 1):
            plain, made = outcome(f, (1.5, n)), outcome(derivative, (1.5, n))
            assert (type(plain.error), str(plain.error)) == (type(made.error), str(made.error))
            agrees(f, 1.5, n)


@pytest.mark.skipif(not ARRAYS_ARE_SEQUENCES, reason="arrays match no pattern of items")
def test_arrays_as_sequences_are_refused() -> None:
    """Where an array matches a pattern of items, that is refused, and the hint is right."""
    with pytest.raises(SctError, match="make a list"):
        value_and_grad(match_an_array)(np.ones(3))
