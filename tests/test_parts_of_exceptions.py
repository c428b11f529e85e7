"""Numbers that exceptions carry to their handlers: arguments, and attributes that `__init__` sets."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import Programs, agrees, agrees_in_every_mode, refuses

from sct import SctError, derivative, value_and_grad
from sct.validation import observe

program = Programs()
X = [1.3, 0.7]
CALLS = (X, 8), (X, 30), (X, 0)


class Stop(Exception):
    def __init__(self, value):
        self.value = value


class Diverged(ValueError):
    """The iteration has left its domain."""

    def __init__(self, text, at, steps=0):
        super().__init__(text)
        self.at, self.steps = at, steps
        self.both = (at, steps)


class Plain(Exception):
    pass


class Below(Plain):
    pass


class Doubled(Exception):
    def __init__(self, value):
        value = value * 2.0
        self.value = value


class Hidden(Exception):
    def __init__(self, value):
        self._value = value

    @property
    def value(self):
        return 3.0 * self._value


@program(*CALLS)
def out_of_a_loop(x, n):
    v = x[0]
    try:
        for _ in range(n):
            v = v * (1.0 + 0.1 * x[1])
            if v > 2.0:
                raise Stop(v * x[1])
    except Stop as e:
        return e.value * 2.0
    return v


@program(*CALLS)
def out_of_nested_loops(x, n):
    v = x[0]
    try:
        for i in range(n):
            for j in range(n):
                v = v * 1.01
                if v > 1.5 and j > 2:
                    raise Plain(v, i * x[1])
    except Plain as e:
        a, b = e.args
        return a * b + x[0]
    return v


@program(*CALLS)
def out_of_a_function(x, n):
    def step(v):
        if v > 3.0:
            raise Diverged("too large", v, steps=2)
        return v * (1.0 + x[1])

    v, total = x[0], 0.0
    for i in range(n):
        try:
            v = step(v)
            total += v
        except Diverged as e:
            v = e.at * 0.1 * e.steps
            total += e.at * i + len(str(e))
    return total + v


@program((X, 8), (X, 30))
def several_classes(x, n):
    total = 0.0
    for i in range(n):
        try:
            if i % 3 == 0:
                raise Stop(x[0] * i)
            if i % 3 == 1:
                raise Plain(x[1], i)
            total += math.sqrt(x[0])
        except Stop as e:
            total += e.value ** 2
        except Plain as e:
            total += e.args[0] * e.args[1]
        except ValueError:
            total += 1.0
    return total


@program((X, 8), ([0.3, 0.7], 8))
def one_class_at_two_places(x, n):
    try:
        if x[0] > 1.0:
            raise Stop(x[1])
        raise Stop(x[0] * x[1])
    except Stop as e:
        return e.value ** 2 + x[0]


@program(*CALLS)
def a_class_below(x, n):
    try:
        if n > 3:
            raise Below(x[0] * 2.0, 3)
    except Plain as e:
        v, k = e.args
        return v * k * x[1]
    return x[0]


class Method(Exception):
    def __init__(self, value):
        self.value = value

    @property
    def twice(self):
        return 2.0 * self.value

    def times(self, k):
        return self.twice * k


class Scaled(Exception):
    def __init__(self, value, scale):
        self.value, self.scale = value, scale

    @property
    def twice(self):
        return self.scale * self.value


@program(*CALLS)
def past_a_handler_of_others(x, n):
    v = x[0]
    try:
        for i in range(n):
            try:
                v = v * (1.0 + 0.1 * x[1])
                if v > 2.0:
                    raise Stop(v * x[1])
            except ValueError:
                v = 0.0
    except Stop as e:
        return e.value * 2.0
    return v


@program(*CALLS)
def past_a_finally(x, n):
    total = x[1]
    try:
        try:
            if n > 3:
                raise Stop(x[0] * x[1])
            if n == 0:
                raise ValueError("none")
        finally:
            total = total * 3.0
    except Stop as e:
        total += e.value ** 2
    except ValueError:
        total += x[0]
    return total


@program((X, 8), ([-1.3, 0.7], 8), ([0.2, 0.7], 8))
def raised_again_with_a_finally(x, n):
    def check(v):
        if v > 1.0:
            raise Stop(v * v)
        return math.sqrt(v)

    total = 1.0
    try:
        try:
            y = check(x[0])
        except Stop as e:
            total += e.value
            raise
        except ValueError:
            y = x[1]
        finally:
            total *= 2.0
    except Stop as error:
        y = error.value * x[1]
    return y * total


@program(*CALLS)
def made_of_an_int_of_a_number(x, n):
    log = []

    def step(v):
        if v > 3.0:
            raise Scaled(v, int(v))
        return v * 1.2

    def logged(v):
        try:
            return step(v)
        finally:
            log.append(v)

    v = x[0]
    for _ in range(n):
        try:
            v = logged(v)
        except Scaled as e:
            v = e.value * x[1] * 0.3 + e.scale * 0.1
    return v + sum(log)


@program((X, 8), ([-1.3, 0.7], 8))
def one_raised_while_another_is_made(x, n):
    def check(v):
        if v < 0.0:
            raise ValueError(v)
        return v * v

    try:
        try:
            raise Stop(check(x[0]))
        except ValueError as e:
            return e.args[0] * x[1]
    except Stop as e:
        return e.value * x[0]


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, cls, error, traceback):
        return False


@program((X, 8), ([0.3, 0.7], 8))
def past_contexts(x, n):
    y = x[1]
    try:
        with np.errstate(all="ignore"), Quiet(), contextlib.suppress(ValueError):
            if x[0] > 1.0:
                raise Stop(x[0] * x[1])
            y = math.log(x[0])
    except Stop as e:
        y = e.value ** 2
    return y


@program(*CALLS)
def its_methods(x, n):
    try:
        if n > 3:
            raise Method(x[0] * x[1])
        return x[1]
    except Method as e:
        return e.twice * e.times(n) + e.times(k=x[0])


@program(*CALLS)
def property_of_it(x, n):
    try:
        raise Hidden(x[0] * x[1])
    except Hidden as e:
        return e.value


@program((X, 8), ([0.3, 0.7], 8))
def two_classes_in_one_handler(x, n):
    try:
        if x[0] > 1.0:
            raise Below(x[0])
        raise Plain(x[1], 2.0)
    except Plain as e:
        return e.args[0] ** 2


@program((X, 9), (X, 30))
def of_several_classes(x, n):
    total = 0.0
    for i in range(n):
        try:
            if i % 4 == 0:
                raise Method(x[0] * i)
            if i % 4 == 1:
                raise Scaled(x[1], i)
            if i % 4 == 2:
                raise Stop(x[0] ** 2)
            total += x[1]
        except (Method, Scaled) as e:
            total += e.value * e.twice
        except Stop as e:
            total += e.value
    return total


@program(*CALLS)
def another_one_from_it(x, n):
    try:
        try:
            raise Stop(x[0])
        except Stop as e:
            raise Plain(e.value * 3.0) from e
    except Plain as e:
        return e.args[0] * x[1]


@program(*CALLS)
def raised_again(x, n):
    try:
        try:
            raise Stop(x[0] * x[1])
        except Stop as e:
            if e.value > 100.0:
                return e.value
            raise
    except Stop as e:
        return e.value * 3.0


@program((X, 8), (X, 30))
def builtin(x, n):
    total = 0.0
    for i in range(n):
        v = x[i % 2]
        try:
            raise KeyError(v, "ab")
        except LookupError as e:
            total += e.args[0] * len(e.args[1]) * i
    return total


@program(*CALLS)
def without_arguments(x, n):
    try:
        raise ValueError
    except ValueError as e:
        return x[0] * (1 + len(e.args))


DRAWS = tuple((X, n) for n in range(10))


class Kept(Exception):
    def __init__(self, v):
        self.v = v


class First(Kept):
    def __init__(self, v, k=2):
        self.v = v
        self.k = k


class Second(Kept):
    pass


class Third(Exception):
    def __init__(self, w):
        self.w = w


def thrown(x, i):
    if i % 4 == 1:
        raise First(x*i)
    if i % 4 == 2:
        raise Second(x+i)
    if i % 4 == 3:
        raise Third(x-i)
    return x*0.5


@program(*DRAWS)
def told_apart_by_isinstance(x, n):
    x = x[0] * x[1] * 1.7
    t = 0.0
    for i in range(n):
        try:
            t += thrown(x, i)
        except (First, Second, Third) as e:
            if isinstance(e, First):
                t += e.v * e.k
            elif isinstance(e, Kept):
                t += e.v
            else:
                t -= e.w
    return t


@program(*DRAWS)
def an_attribute_or_a_default(x, n):
    x = x[0] * x[1] * 1.7
    t = 0.0
    for i in range(n):
        try:
            t += thrown(x, i)
        except (First, Second, Third) as e:
            t += getattr(e, "v", 1.0) * x
    return t


@program(*DRAWS)
def whether_it_has_an_attribute(x, n):
    x = x[0] * x[1] * 1.7
    t = 0.0
    for i in range(n):
        try:
            t += thrown(x, i)
        except Exception as e:
            if hasattr(e, "w"):
                t += e.w
            else:
                t += 3*x
    return t


@program(*DRAWS)
def raised_by_its_name(x, n):
    x = x[0] * x[1] * 1.7
    t = 0.0
    for i in range(n):
        try:
            try:
                t += thrown(x, i)
            except First as e:
                t += 1
                raise e
        except First as e2:
            t += e2.v
        except (Second, Third):
            t += x
    return t


@program(*DRAWS)
def raised_by_its_name_if_of_a_class(x, n):
    x = x[0] * x[1] * 1.7
    t = 0.0
    for i in range(n):
        try:
            try:
                t += thrown(x, i)
            except (First, Second) as e:
                if isinstance(e, Second):
                    raise e
                t += e.v
        except Second as e2:
            t += e2.v*7
        except Third:
            t += x
    return t


@program(*DRAWS)
def defaults_of_parameters(x, n):
    x = x[0] * x[1] * 1.7
    t = 0.0
    for i in range(n):
        try:
            t += thrown(x, i)
        except (First, Second) as e:
            t += getattr(e, "k", 3) * e.v
        except Third as e:
            t += getattr(e, "v", 3.0) * getattr(e, "w", 2.0)
    return t


@program(*DRAWS)
def told_apart_by_type(x, n):
    x = x[0] * x[1] * 1.7
    try:
        return thrown(x, n)
    except Exception as e:
        if type(e) is First:
            return e.v*2
        if isinstance(e, (Second, Third)):
            return x*5
        raise


class Above(Exception):
    def __init__(self, v, *, k=2.0):
        super().__init__("f1", v)
        self.v = v
        self.k = k


class Weighted(Above):
    def __init__(self, v, w):
        super().__init__(v, k=w)
        self.w = w


class Tagged(Above):
    tag = 3
    def __init__(self, v, w):
        super().__init__(k=w, v=v)
        self.z = 2*w


class Alone(Above):
    def __init__(self, v):
        self.q = v


def drawn(x, i):
    if i % 5 == 1:
        raise Above(x*i)
    if i % 5 == 2:
        raise Weighted(x+i, x*x)
    if i % 5 == 3:
        raise Tagged(x-i, x)
    if i % 5 == 4:
        return math.log(x-2)
    return x*0.5


@program(*DRAWS)
def attributes_of_the_class_above(x, n):
    x = x[0] * x[1] * 1.7
    t = 0.0
    for i in range(n):
        try:
            t += drawn(x, i)
        except Above as e:
            t += e.v*e.k + getattr(e, "w", 0.0)
        except ValueError:
            t += 1
    return t


@program(*DRAWS)
def below_an_exception_of_python(x, n):
    x = x[0] * x[1] * 1.7
    t = 0.0
    for i in range(n):
        try:
            t += drawn(x, i)
        except Exception as e:
            if isinstance(e, Weighted):
                t += e.w
            elif hasattr(e, "k"):
                t += 2*x
            else:
                t += 1.0
    return t


@program(*DRAWS)
def an_attribute_that_is_computed(x, n):
    x = x[0] * x[1] * 1.7
    t = 0.0
    for i in range(n):
        try:
            t += drawn(x, i)
        except Above as e:
            if hasattr(e, "z"):
                t += x
            else:
                t += e.v
        except ValueError:
            t += 1
    return t


@program(*DRAWS)
def a_class_that_does_not_call_the_one_above(x, n):
    x = x[0] * x[1] * 1.7
    try:
        if n > 3:
            raise Alone(x)
        raise Above(x)
    except Above as e:
        return e.q if hasattr(e, "q") else getattr(e, "v", x) + getattr(e, "k", 1.0)


class OwnArgs(Exception):
    @property
    def args(self):
        return (7.0,)


@program(*CALLS)
def arguments_of_its_own(x, n):
    try:
        raise OwnArgs(x[0])
    except OwnArgs as e:
        return e.args[0] * e.args[0] * x[0]


@pytest.mark.parametrize(("f", "calls"), [pytest.param(f, calls, id=f.__name__) for f, calls in program])
def test_programs(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    agrees_in_every_mode(f, calls)


def arrays(x: float, n: int) -> Any:
    w = np.array([x, 2.0 * x])
    try:
        if n > 3:
            raise Stop(w)
    except Stop as e:
        return float(np.sum(e.value ** 2))
    return x


def attribute_behind_a_property(x: float, n: int) -> Any:
    try:
        raise Hidden(x)
    except Hidden as e:
        return e._value * n


@pytest.mark.parametrize("f", [arrays, attribute_behind_a_property])
def test_values(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 8)


def perhaps_another_one(x: float, n: int) -> Any:
    xs, total = [x] * n, 0.0
    for i in range(n):
        try:
            raise KeyError(xs[i], "ab")
        except LookupError as e:
            total += e.args[0]
    return total


def computed_attribute(x: float, n: int) -> Any:
    try:
        raise Doubled(x)
    except Doubled as e:
        return e.value


@pytest.mark.parametrize("f", [
    perhaps_another_one, computed_attribute])
def test_what_is_not_known_is_refused(f: Callable[..., Any]) -> None:
    refuses(f, 1.3, 8, code="SCT207")


class TwiceTheNumber(Exception):
    def __init__(self, v):
        self.v = 2 * v


class SetByItsBase(TwiceTheNumber):
    def __init__(self, v):
        self.v = v
        super().__init__(v)


class OwnSetattr(Exception):
    def __init__(self, v):
        self.v = v

    def __setattr__(self, name, value):
        object.__setattr__(self, name, 3 * value)


class OwnGetattribute(Exception):
    def __init__(self, v):
        self.v = v

    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        return 5 * value if name == "v" else value


@pytest.mark.parametrize(("cls", "name"), [(SetByItsBase, "v"), (OwnSetattr, "v"), (OwnGetattribute, "v")])
def test_what_a_class_does_with_its_attributes_is_not_guessed(cls, name, monkeypatch) -> None:
    """It is refused, also where the first call does not raise and nothing is validated."""
    monkeypatch.setenv("SCT_VALIDATE", "0")

    def f(x, n):
        try:
            if n > 2:
                raise cls(x * x)
            return x
        except cls as e:
            return getattr(e, name) * x

    derivative = value_and_grad(f)
    with pytest.raises(SctError, match=r"a number is read from an exception|the type of"):
        derivative(1.3, 1)
        derivative(1.3, 3)


class Thrice(Stop):
    def times(self, k):
        return 3.0 * self.value * k


def behind_its_handler(x: float) -> float:
    error = None
    try:
        if x > 1.0:
            raise Stop(x)
    except Stop as e:
        error = e
    return x if error is None else error.value


def method_of_several_classes(x: float) -> float:
    try:
        if x > 1.0:
            raise Method(x)
        raise Thrice(x)
    except (Method, Thrice) as e:
        return e.times(2.0)


@pytest.mark.parametrize(("f", "why"), [
    (behind_its_handler, "known in its handler only"), (method_of_several_classes, "one of several classes")])
def test_the_reason_is_the_same_in_any_order_of_calls(f: Callable[[float], float], why: str) -> None:
    for calls in ((0.5, 1.5), (1.5, 0.5)):
        derivative = value_and_grad(f)
        with pytest.raises(SctError) as caught:
            for x in calls:
                derivative(x)
        assert (caught.value.code, why in caught.value.why) == ("SCT207", True)


def test_a_call_that_would_be_refused_again_says_so() -> None:
    def f(x: float) -> float:
        try:
            if x > 1.0:
                raise Doubled(x)
            return x
        except Doubled as e:
            return e.value

    derivative = value_and_grad(f)
    assert derivative(0.5) == (0.5, 1.0)
    with pytest.raises(SctError, match="SCT207"):
        derivative(1.5)


class Coded(Exception):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self._code = code + 1

    @property
    def code(self):
        return 2 * self._code


def by_its_property(x: float, n: int) -> float:
    try:
        if n > 3:
            raise Coded(n)
        return x
    except Coded as e:
        return e.code * x


def forget_families() -> None:
    """Forget what was compiled and observed for any function."""
    derivative._families.clear()


@pytest.mark.parametrize(("calls", "refused"), [((5, 6, 1, 7), []), ((1, 6, 5, 7, 2), [6])])
def test_a_property_of_an_exception_is_observed(calls: tuple[int, ...], refused: list[int]) -> None:
    forget_families()
    gradient, refusals = value_and_grad(by_its_property), []
    for n in calls:
        try:
            assert gradient(1.5, n) == (by_its_property(1.5, n), 2.0 * (n + 1) if n > 3 else 1.0)
        except SctError as refusal:
            refusals.append(n)
            assert refusal.code == "SCT209" and "call it again" in refusal.hint
    assert refusals == refused
    assert len(gradient.sources) == 1 + len(refused)


def test_no_call_is_promised_that_would_be_refused_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_families()
    monkeypatch.setattr(observe._InstrumentingCopier, "attribute", lambda self, owner, name: getattr(owner, name))
    gradient = value_and_grad(by_its_property)
    assert gradient(1.5, 1) == (1.5, 1.0)
    for n in (5, 6):
        with pytest.raises(SctError, match="SCT209") as caught:
            gradient(1.5, n)
        assert "again" not in caught.value.hint


def test_an_exception_that_gets_another_init_is_asked_again() -> None:
    class Bad(Exception):
        def __init__(self, v):
            self.v = v

    class Worse(Bad):
        def __init__(self, v, w):
            super().__init__(w)
            self.w = v

    def f(x):
        try:
            raise Worse(x, x * x)
        except Bad as e:
            return e.v * e.w

    gradient = value_and_grad(f)
    assert gradient(1.5) == (1.5 ** 3, 3 * 1.5 ** 2)

    def init(self, v):
        self.v, self.u = 1.0, v

    Bad.__init__ = init
    with pytest.raises(SctError, match="SCT207"):
        gradient(1.5)


# -- arguments of classes with an `__init__` of their own -----------------------------------------------------------


class Passes(Exception):
    def __init__(self, v):
        super().__init__(v)
        self.v = v


class PassesNothing(Exception):
    def __init__(self, v):
        self.v = v


class PassesTwice(Passes):
    def __init__(self, v):
        super().__init__(2.0 * v if False else v)


class Reorders(ValueError):
    def __init__(self, v, w):
        super().__init__(w, v)


class OfFixedLength(Reorders):
    def __init__(self, v):
        super().__init__(v, v)


@pytest.mark.parametrize("cls", (Passes, PassesNothing, OfFixedLength))
def test_arguments_of_classes_with_an_init(cls) -> None:
    def f(x, n):
        try:
            for i in range(n):
                if i * x > 2.0:
                    raise cls(x * x * i)
        except cls as e:
            return e.args[0] * 2.0 + len(e.args) * x
        return x ** 3

    for args in ((1.5, 4), (0.3, 2), (0.9, 9)):
        agrees(f, *args)


def test_arguments_in_another_order() -> None:
    def f(x):
        try:
            raise Reorders(x * x, 3.0 * x)
        except ValueError as e:
            return e.args[0] + e.args[1] ** 2

    agrees(f, 1.5)


def test_arguments_that_an_init_computes_are_not_read() -> None:
    def f(x):
        try:
            raise PassesTwice(x)
        except Passes as e:
            return e.args[0] * x

    refuses(f, 1.5, code="SCT207")


# -- lists, dicts and objects ------------------------------------------------------------------------------


class State:
    def __init__(self, x, n):
        self.x, self.n, self.past = x, n, []


class Failed(Exception):
    pass


class NotConverged(Failed):
    def __init__(self, state, reason="too many steps"):
        super().__init__(f"{reason}: {state.n}, at {state.x:.3g}")
        self.state = state
        self.residual = abs(state.x ** 2 - 2.0)

    @property
    def best(self):
        return 2.0 * self.state.x

    def scaled(self, by):
        return by * self.state.x


class Left(Failed):
    def __init__(self, at, state):
        self.at = at
        self.state = state


@dataclass
class OfFields(Exception):
    state: State
    code: int = 1


def solve(x, n, limit):
    s = State(x, 0)
    while True:
        s.x = 0.5 * (s.x + 2.0 / s.x)
        s.n += 1
        s.past.append(s.x)
        if abs(s.x ** 2 - 2.0) < 1e-10:
            return s
        if s.x > limit:
            raise Left(np.array([s.x, 1.0]), s)
        if s.n >= n:
            raise NotConverged(s)


ENDS = (3.0, 2, 9.0), (3.0, 9, 9.0), (30.0, 4, 9.0), (1.2, 3, 1.1)


def what_it_carries(x, n, limit):
    try:
        s = solve(x, n, limit)
    except NotConverged as e:
        return e.best + e.residual + e.scaled(3.0) + sum(e.state.past)
    except Left as e:
        return e.at @ e.at + e.state.x
    return s.x + len(s.past)


def asked_for_its_class(x, n, limit):
    try:
        s = solve(x, n, limit)
    except Failed as e:
        return e.residual if isinstance(e, NotConverged) else e.state.x
    return s.x


def raised_to_an_outer_handler(x, n, limit):
    try:
        try:
            s = solve(x, n, limit)
        except NotConverged as e:
            if e.state.n > 2:
                raise
            return e.state.x
    except Failed as e:
        return 7.0 * e.state.x
    return s.x


def caught_in_a_loop(x, n, limit):
    total = 0.0
    for k in range(3):
        try:
            total += solve(x + k, n, limit).x
        except Failed as e:
            total += e.state.x * e.state.n
            e.state.x = 0.0
    return total


def changed_before_it_is_read(x, n, limit):
    s, xs = State(x, n), [x]
    try:
        try:
            if n > 2:
                raise NotConverged(s)
            raise Failed(xs, {"x": x})
        finally:
            s.x = 3.0 * s.x
            xs.append(s.x)
    except NotConverged as e:
        s.x = s.x * x
        return e.state.x + e.residual
    except Failed as e:
        items, named = e.args
        return sum(items) + named["x"] ** 2


def generated(x, n, limit):
    try:
        if x < 2.0:
            raise OfFields(State(x * x, n), 3)
        if n > 2:
            raise OfFields(State(x * x, n))
    except OfFields as e:
        return e.state.x * e.code + e.state.n
    return x


def a_list_that_a_loop_appends_to(x, n, limit):
    xs = []
    try:
        for k in range(n):
            xs.append(np.sin(x) * k)
            if x * k > limit + 0.5:
                raise ValueError("beyond", xs)
    except ValueError as e:
        _, kept = e.args
        return sum(kept)
    return x + len(xs)


@pytest.mark.parametrize("f", (
    what_it_carries, asked_for_its_class, raised_to_an_outer_handler, caught_in_a_loop, changed_before_it_is_read,
    generated, a_list_that_a_loop_appends_to), ids=lambda f: f.__name__)
def test_what_may_change_goes_to_the_handler(f: Callable[..., Any]) -> None:
    each = value_and_grad(f)
    for args in ENDS:
        agrees(f, *args)
        value, gradient = each(*args)
        assert value == f(*args)
        assert gradient == pytest.approx(value_and_grad(f)(*args)[1])


@pytest.mark.parametrize("read", (str, repr, lambda e: f"{e}", lambda e: print([e]), lambda e: print({1: e}), print),
                         ids=("str", "repr", "format", "list", "dict", "print"))
def test_an_exception_with_an_object_is_not_read_as_a_whole(read: Callable[[Any], Any]) -> None:
    def f(x, n):
        s = State(x, n)
        try:
            if x > 1.0:
                raise NotConverged(s)
        except NotConverged as e:
            s.x = 0.0
            read(e)
            return e.residual
        return x

    refuses(f, 1.5, 3, code="SCT503")


def test_an_exception_with_an_object_is_not_raised_to_the_caller() -> None:
    def f(x, n):
        return solve(x, n, 9.0).x

    agrees(f, 3.0, 9)
    with pytest.raises(NotImplementedError, match="sct does not raise an exception with an object"):
        value_and_grad(f)(3.0, 2)


def test_a_list_in_an_exception_that_leaves_at_once() -> None:
    def f(x, n):
        xs = [x * k for k in range(n)]
        if n > 3:
            raise Failed("long", xs)
        return sum(xs)

    agrees(f, 1.5, 3)
    with pytest.raises(Failed) as caught:
        value_and_grad(f)(1.5, 5)
    assert caught.value.args == ("long", [1.5 * k for k in range(5)])


def test_a_list_in_an_exception_that_is_raised_later() -> None:
    def f(x, n):
        xs = [x * k for k in range(n)]
        error = Failed(xs)
        xs.append(x)
        if n > 3:
            raise error
        return sum(xs)

    agrees(f, 1.5, 3)
    with pytest.raises(NotImplementedError, match="that may have changed"):
        value_and_grad(f)(1.5, 5)
