"""`try` and `with` around differentiated code: the path that Python takes is the path that is differentiated."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_every_mode, outcome, refuses

from sct import SctError, grad, value_and_grad

Function = Callable[..., Any]


class MyError(Exception):
    pass


class Worse(MyError):
    pass


class Box:
    def __init__(self) -> None:
        self.k = 2.0


def negative(x):
    if x < 0:
        raise MyError("negative")
    return math.sqrt(x) + 1.0


CASES: list[tuple[Function, list[tuple[Any, ...]]]] = []


def case(*args: tuple[Any, ...]) -> Callable[[Function], Function]:
    """A program, and the arguments of several calls of one derivative."""
    def add(f: Function) -> Function:
        CASES.append((f, list(args)))
        return f

    return add


@case((4.0,), (-3.0,), (2.0,))
def a_class_of_the_user_raised_in_a_helper(x):
    try:
        y = negative(x) * 2.0
    except MyError:
        y = -x
    return y * y


@case((4.0,), (-3.0,))
def an_exception_that_is_there_before_the_branch_that_raises_it(x):
    error = MyError("positive")
    try:
        if x > 0:
            raise error
        y = x * x
    except MyError as e:
        y = x * len(str(e))
    return y


@case((4.0,), (-3.0,))
def any_exception(x):
    try:
        y = negative(x) * 2.0
    except:  # noqa: E722
        y = -x * x
    return y


@case((4.0,), (-3.0,))
def the_text_of_the_exception(x):
    try:
        y = negative(x)
    except MyError as e:
        y = x * len(str(e))
    return y * x


@case((2.0,), (-2.0,))
def a_bare_raise(x):
    try:
        try:
            z = math.log(x)
        except ValueError:
            x = x * 2.0
            raise
    except Exception:
        z = 3.0 * x
    return z * x


@case((np.array([1.5, -1.0, 2.0]),), (np.array([-1.5, -2.0]),))
def continue_in_a_handler(xs):
    s = 0.0
    for i in range(len(xs)):
        try:
            t = math.log(xs[i])
        except ValueError:
            continue
        s += t * t
    return s + xs[0]


@case((np.array([1.5, -1.0]),), (np.array([-1.5, -1.0, 2.0]),), (np.array([-1.5, -1.0]),))
def return_in_a_loop(xs):
    for i in range(len(xs)):
        try:
            return math.log(xs[i]) * xs[0]
        except ValueError:
            pass
    return xs[0]


@case((2.0, 2), (2.0, 6), (3.0, 0))
def a_loop_inside(x, n):
    s = 0.0
    try:
        for k in range(n):
            s += x / (3 - k)
    except ZeroDivisionError:
        s = s * s
    return s + x


@case((2.0,), (-1.0,))
def not_handled(x):
    try:
        y = math.log(x)
    except ZeroDivisionError:
        y = 2.0
    return y * x * x


@case((2.0, 3.0), (2.0, 0.0), (0.5, 3.0), (0.5, -1.0))
def in_a_conditional_expression(x, y):
    try:
        z = (x / y if x > 1.0 else math.log(y)) + x
    except ZeroDivisionError:
        z = x
    except ValueError:
        z = 2.0 * x
    return z * z


@case((np.array([1.0, 2.0, 3.0]),), (np.arange(1.0, 8.0),))
def writes_before_the_raise(x):
    v = x.copy()
    try:
        v[0] = v[1] * 2.0
        v[5] = 1.0
        v[1] = 100.0
    except IndexError:
        v[2] = v[0] * v[1]
    return np.sum(v * v)


@case((3.0,))
def always_raised(x):
    y = x * 2.0
    try:
        y = y * x
        raise MyError
    except (ValueError, MyError):
        y = y * x
    return y


@case((0.5, 2), (0.5, 5), (7.0, 5))
def classes_below_a_class(x, n):
    for k in range(n):
        try:
            if x < k:
                raise Worse("no")
            if k == 3:
                return x**3
        except Worse:
            x = x + 1.0
        except MyError:
            x = x * 100.0
    return x * x


@case((2.0,), (-2.0,))
def finally_restores_an_attribute(x):
    c = Box()
    old = c.k
    try:
        c.k = x
        y = math.log(x) * c.k
    except ValueError:
        y = c.k * 2.0
    finally:
        c.k = old
    return y * c.k


@case((3.0,), (2.5,))
def finally_below_a_handler(x):
    c = Box()

    def inner(x):
        try:
            c.k = x
            return math.sqrt(x - 2.75) + c.k
        finally:
            c.k = x * x

    try:
        y = inner(x)
    except ValueError:
        y = 5.0
    return y * c.k


@case((2.0,), (-2.0,))
def finally_prints(x):
    try:
        y = math.sqrt(x)
    finally:
        print("done")
    return y * 2.0


@case((np.array([1.0, 2.0, -1.0, 3.0]),), (np.array([1.0, 20.0, -1.0]),))
def finally_and_exits(xs):
    s = 0.0
    for i in range(len(xs)):
        try:
            if xs[i] < 0:
                continue
            if xs[i] > 10:
                break
            s += xs[i] ** 2
        finally:
            s = s * 1.5
    return s


@case((2.0,), (-2.0,))
def suppress(x):
    with contextlib.suppress(ValueError, ZeroDivisionError):
        x = x * 2.0
        y = math.log(x)
        x = y / (y - 1.0)
    return x * x


class Entered:
    def __init__(self, box, k):
        self.box, self.k = box, k

    def __enter__(self):
        self.old = self.box.k
        self.box.k = self.k
        return self.box

    def __exit__(self, cls, error, traceback):
        self.box.k = self.old
        return False


@case((2.0,), (-2.0,))
def an_object_as_context(x):
    c = Box()
    try:
        with Entered(c, x) as d:
            y = math.log(x) * d.k
    except ValueError:
        y = x * c.k
    return y * c.k


class Ends:
    def __enter__(self):
        return None

    def __exit__(self, *_):
        return True


@case((2.0,), (-2.0,))
def a_context_in_which_exceptions_end(x):
    y = x
    with Ends():
        y = x * 2.0
        y = math.log(x)
    return y * y


@contextlib.contextmanager
def entered(box, k):
    old = box.k
    box.k = k
    try:
        yield box
    finally:
        box.k = old


@contextlib.contextmanager
def errors_end():
    try:
        yield
    except ValueError:
        pass


@case((2.0,), (-2.0,))
def a_generator_as_context(x):
    c = Box()
    try:
        with entered(c, x * x) as d:
            y = math.log(x) * d.k
    except ValueError:
        y = x
    return y * c.k


@case((2.0,), (-2.0,))
def a_generator_in_which_exceptions_end(x):
    y = x
    with errors_end():
        y = x * 2.0
        y = math.log(x) * y
    return y * y


@case((np.array([1.0, -2.0, 3.0, 9.0, 1.0]),), (np.array([1.0, 2.0]),))
def exits_of_a_body_in_a_generator(xs):
    s = 0.0
    c = Box()
    for x in xs:
        with entered(c, x):
            if x < 0:
                continue
            if x > 5:
                break
            s = s + c.k * x
        s = s * c.k
    return s


@case((2.0,))
def a_return_out_of_a_context(x):
    c = Box()

    @contextlib.contextmanager
    def local(k):
        c.k = k * x
        yield k
        c.k = 2.0

    with local(3.0) as k, entered(c, c.k * k):
        return c.k * x * x


@case((2.0, 3), (2.0, 0))
def an_exception_ends_the_loop(x, n):
    total = 0.0
    k = 0
    while True:
        k += 1
        try:
            if k > n:
                raise StopIteration
            total = total + x**k
        except StopIteration:
            return total * x


@case((np.ones(3), np.arange(3.0)), (np.ones(3), np.ones(4)))
def sizes_that_do_not_fit(a, b):
    try:
        c = a @ b
    except ValueError:
        c = np.sum(a)
    return c * 2.0


@case((np.eye(2) * 2.0, np.ones(2)), (np.zeros((2, 2)), np.ones(2)))
def singular(A, b):
    try:
        z = np.linalg.solve(A + 0.0, b)
    except np.linalg.LinAlgError:
        z = b * 2.0
    return z @ z


@case((2.0, {"w": 3.0}), (2.0, {"v": 3.0}))
def a_key_that_may_be_missing(x, d):
    try:
        return d["w"] * x * x
    except KeyError:
        return x


@case((np.array([3.0, 1.0]), 4), (np.array([3.0, 1.0]), 1))
def a_while_test_that_raises(xs, n):
    i = 0
    s = 1.0
    try:
        while xs[i] > 0.0:
            s = s * xs[i]
            i += 1
            if i == n:
                break
    except IndexError:
        s = s * 2.0
    return s * s


@case((1.5, 100), (-0.5, 7), (1.5, 0))
def in_a_comprehension(x, n):
    try:
        y = sum([1.0 / (x - k) for k in range(n)])
    except ZeroDivisionError:
        y = x * x
    return y * x


@case((1.5, 100), (4.0, 100), (1.5, 0))
def in_a_generator_expression(x, n):
    try:
        y = sum(math.sqrt(x - 0.01 * k) for k in range(n))
    except ValueError:
        y = x * x
    return y * x


@case((2.0, 0), (2.0, 1), (2.0, 2))
def classes_asked_in_the_handler(x, mode):
    try:
        if mode == 1:
            raise KeyError("a")
        elif mode == 2:
            raise IndexError("b")
        y = x
    except LookupError as e:
        if isinstance(e, KeyError):
            y = x * 2.0
        else:
            y = x * 3.0
    return y * x


@case((2.0,), (-2.0,))
def the_exception_is_kept(x):
    error = None
    try:
        y = math.log(x)
    except ValueError as e:
        error = e
        y = x
    if error is not None:
        y = y * 4.0
    return y * x


@case((2.0, 3), (2.0, 6))
def a_list_that_grows(x, n):
    out = []
    for i in range(n):
        try:
            out.append(x / (2 - i))
        except ZeroDivisionError:
            out.append(x * x)
    return sum(out)


@case((5.5, 3), (5.5, 30))
def the_best_so_far(x, n):
    best = None
    for i in range(n):
        try:
            v = math.log(x - i)
        except ValueError:
            break
        if best is None or v < best:
            best = v
    return best * 2.0


@case((5.5, 2), (2.5, 5))
def lambdas_in_a_helper(x, n):
    def safe(f, default):
        try:
            return f()
        except (ZeroDivisionError, ValueError):
            return default

    t = 0.0
    for i in range(n):
        t = t + safe(lambda: x / (i - 1), x) * safe(lambda: math.log(x - i), 2.0)
    return t


class Forgiving:
    """Ends the exceptions of some classes, and says which it has seen."""

    def __init__(self, handled):
        self.handled = handled

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, OverflowError):
            print("overflow")
        if kind is not None:
            print(kind.__name__, error)
        return kind is MyError or kind is not None and issubclass(kind, self.handled)


class Timer:
    def __enter__(self):
        self.entered = True
        return self

    def __exit__(self, *exception):
        self.entered = False
        print("left")


@case((1.5, 2), (1.5, 0), (-1.5, 2), (-1.5, 0))
def a_manager_that_looks_at_the_class(x, n):
    y = x
    with Forgiving((ValueError, LookupError, ArithmeticError)):
        y = x / n
        y = y + math.log(x)
    with Forgiving(ValueError):
        y = y * negative(x)
    return y * x


@case((1.5, 2), (1.5, 0), (-1.5, 2), (9.0, 2))
def the_class_of_the_exception(x, n):
    y = x
    try:
        y = x / n
        if y > 4.0:
            raise Worse("large")
        y = y + math.log(x)
    except Exception as error:
        print(type(error).__name__)
        if type(error) == ZeroDivisionError:  # noqa: E721
            y = y * 2.0 * x
        elif type(error) is Worse:
            y = y * 3.0 * x
        elif issubclass(type(error), (MyError, ValueError)):
            y = y * 4.0 * x
    return y * x


@case((1.5,), (0.5,), (-1.0,))
def a_loop_without_end(x):
    s = 0.5
    try:
        while True:
            s = s - 0.2 * x * x
            s = s + math.log(s)
    except ValueError as error:
        print(error)
    return s * x


@case((2.0, 4, 9), (2.0, 4, 3), (2.0, 0, 1))
def a_loop_of_steps_that_may_fail(x, n, m):
    s = 0.0
    try:
        for i in range(m):
            s += x / (n - i)
    except ZeroDivisionError as error:
        s = s * s
        print(error)
    return s


@case((2.0, 9), (2.0, 1))
def a_loop_in_a_context(x, n):
    s = 0.0
    with Timer() as t:
        for i in range(n):
            s += x / (i + 1)
    return s if not t.entered else 0.0


@case((2.0, 4, 9), (2.0, 4, 3))
def a_loop_whose_exception_is_raised_again(x, n, m):
    s = 0.0
    try:
        try:
            for i in range(m):
                s += x / (n - i)
        except ZeroDivisionError:
            s = s * 2.0
            raise
        finally:
            print("done")
    except ArithmeticError as error:
        print(type(error).__name__)
        s = s * x
    return s


@case((1.2, 9), (1.2, 1), (5.0, 3))
def a_return_from_a_loop_before_a_finally(x, n):
    try:
        for k in range(n):
            y = x * k
            if y > 3.0:
                return y * y
    finally:
        print("done")
    return x


@case((-2.2, 3), (1.2, 3), (1.2, 5), (2.0, 1))
def a_variable_that_each_iteration_binds(x, n):
    try:
        for k in range(n):
            y = math.log(x) + x / (k - 4)
        z = y * x
        while True:
            w = z * x
            if w < 30.0:
                break
            z = z / 2.0
        z = w + y
    except Exception as error:
        print(error)
        z = 2.0 * x
    return z


@case((1.3, 0), (-1.3, 1), (-0.5, 1), (-0.5, 0))
def exits_and_raises_in_a_handler(x, n):
    try:
        try:
            math.log(x)
        except Exception:
            if n:
                if x > -1.0:
                    raise ValueError("small")  # noqa: B904
                return 1.5 * x
            if not n:
                raise AssertionError("none")  # noqa: B904
    finally:
        x = x - 1.5
        print("done")
    return x


@case((1.5, 2), (-1.5, 2), (1.5, 0), (-1.5, 0))
def a_try_right_behind_what_has_raised(x, n):
    try:
        try:
            y = math.log(x)
        except ValueError:
            raise KeyError("k") from None
        try:
            z = x / n
        except (ZeroDivisionError, KeyError):
            z = y = 5.0 * x
    except KeyError:
        y = z = 7.0 * x
    return y + z * x


def halves_of_the_first(x, n):
    if n:
        return
    yield 0.5 * x


def cosines(x):
    for j in range(3):
        try:
            x *= math.cos(x)
        except KeyError:
            x = sum([0.25, *halves_of_the_first(x, j)])
        except Exception:
            pass
    return x


@case((1.5,), (-1.5,))
def an_unrolled_loop_of_tries(x):
    y = x
    try:
        try:
            y = math.log(x)
        except ValueError as error:
            print(error)
        y = cosines(y)
    except Exception:
        raise
    finally:
        x *= 1.5
    return x * y


@case((0.1,), (0.2,), (0.7,))
def the_class_of_an_exception_of_python(x):
    v = x
    if x >= 0.17:
        try:
            v = unbound * x  # noqa: F821
            unbound = 1.0
        except Exception as error:
            print(type(error).__name__)
            v = x * x
    return v


def added_items(x, n, a):
    for j in range(int(n)):
        try:
            x += a[j]
        except ValueError:
            x = 0.5 * x
    return x


@case((0.424, 1.3, [1.0, 2.0]), (1.424, 3.0, [1.0, 2.0]), (3.1, 2.0, [1.0, 2.0]))
def a_loop_in_a_helper_behind_a_cast(x, y, a):
    a = np.array(a)
    try:
        x = x * added_items(y, x, a)
    except IndexError:
        x = 3.0 * x * y
    return x * y


def logarithms(x, n):
    for _ in range(int(n)):
        with contextlib.suppress(ZeroDivisionError):
            x += math.log(x)
    return x


@case((0.424, 1.3), (1.424, 3.0), (2.4, -3.0), (2.4, 0.3))
def a_loop_in_a_manager_behind_a_cast(x, y):
    try:
        x += math.log(logarithms(y, x))
    except ValueError:
        x = x * y
    return x * y


@case((2.0, 0), (-0.5, 1), (-0.5, 0), (-1.5, 0), (-1.5, 1))
def a_finally_that_raises(x, k):
    s = 0.5
    try:
        s = math.sqrt(x)
    except ValueError:
        s = 1.0 / k
    finally:
        v = math.log(x + 1.0)
    return s * v


def scaled_once(x):
    s = 1.5 * x
    yield s


@case((2.0, 1.0, 1), (0.5, 3.0, 3), (0.5, 3.0, 2))
def a_copy_of_a_variable_that_is_not_bound(x, y, n):
    try:
        y = math.sin(x) / (n - 2)
        for u in scaled_once(y):
            pass
    except ArithmeticError:
        pass
    if u < math.atan(x) <= y:
        for _ in range(n):
            y = 2.0 * y * u
    return y


@case((1.2, 5), (1.2, 1), (0.3, 0))
def an_exit_before_what_may_raise(x, n):
    for i in range(4):
        try:
            if i > n:
                continue
            y = x / (i + 1)
        except ZeroDivisionError:
            break
        else:
            x = y * 1.1
    return x


@case((1.2, 0), (1.2, 2), (0.3, 7), (200.3, 2))
def exits_from_the_body_and_the_else(x, n):
    i = -1
    while i < 4:
        i += 1
        try:
            x = x * math.sqrt(3.5 - i)
            if i > n:
                break
        except (ZeroDivisionError, ValueError):
            x *= 2.0
        else:
            if x < 1.0:
                return x * i
            x = x * x
        x = x * 1.5
    return x + i


@case((5.5, 3), (5.5, 30), (2.0, 30))
def steps_of_newton_that_are_halved(x, n):
    y = x
    for k in range(n):
        try:
            if abs(y * y - x) < 1e-9:
                break
            step = (y * y - x) / (2.0 * y)
            if step > 1.5:
                y = y - 0.5 * step
                continue
            y = y - step
        except ZeroDivisionError:
            return x
        else:
            x = x * (1.0 + 0.01 * y)
    return y * x


@case((2.0, 1), (2.0, 5), (-2.0, 1), (-2.0, 5))
def a_write_in_a_finally(x, n):
    y = np.array([x, 0.3, 2.0])
    try:
        v = math.log(x)
    finally:
        y[n] = 1.5
    return v * np.sum(y)


@case((1.2, 0), (1.2, 5), (1.2, 2))
def a_number_or_none(x, n):
    y = None if n > 3 else x * n
    try:
        t = y + 1.0
    except TypeError:
        t = 2.0 * x
    return t * t


@case((1.2, 0), (1.2, 5), (1.2, 2))
def a_number_or_none_that_is_checked(x, n):
    y = None if n > 3 else n
    try:
        return x * y if y is not None else x * x
    except Exception:
        return 2.0 * x


@case((1.2, 0), (1.2, 5), (1.2, 2))
def none_that_this_try_does_not_handle(x, n):
    y = None if n > 3 else n
    try:
        return x / y
    except ZeroDivisionError:
        return 2.0 * x


@case((1.2, 0), (1.2, 5), (1.2, 2), (0.3, 4))
def a_number_or_none_of_each_iteration(x, n):
    s = x
    for k in range(n):
        y = None if k % 2 else x * k
        try:
            s = s + y * y
            s = s - y
        except TypeError:
            s = s * 1.5
            continue
        finally:
            s = s * x
    return s


def _long(x, k):
    s = x * 2.0
    for _ in range(2):
        s = s + math.sin(s) * math.cos(s) + math.exp(-s * s) + math.tanh(s) * s
        s = s * math.cos(s) + math.exp(-s) * math.sin(s) - math.tanh(s) / (1.0 + s * s)
    if s > k:
        raise ValueError("too large")
    return s * math.cos(s) + math.exp(-s) * math.sin(s) - math.tanh(s) / (1.0 + s * s)


@case((0.5, 100.0), (0.5, -100.0))
def a_function_of_several_calls(x, k):
    a, b = _long(x, 100.0), _long(x * x, 100.0)
    try:
        c = _long(x * a, k) + _long(x * b, k)
    except ValueError:
        c = x * 7.0
    return a * b * c


@case((1.7, 5), (1.7, 3), (1.7, 0))
def a_quotient_of_the_iteration_before(x, n):
    y = s = x
    for k in range(n):
        try:
            y = x / (k - 2)
        except ZeroDivisionError:
            s = s * 2.0
        s = s + y
    return s


s = "a variable of the module"


@case((1.2, 0), (1.2, 1))
def a_variable_that_no_path_binds(x, n):
    if n:
        try:
            if n:
                pass
            elif n ** 2:
                pass
        except LookupError:
            s = 1.5
        except ArithmeticError:
            pass
        finally:
            x += 1.5
    return s


@case((2.5, 0), (2.5, 1), (0.5, 1), (2.5, 3))
def the_rest_of_a_body_where_one_branch_returns(x, n):
    s = 0.5
    try:
        if n > 0:
            math.log(x - n)
        else:
            return 1.5 * x
        s = x * x
    except ValueError:
        pass
    return s * x


@case((2.5, 2), (0.3, 5), (1.5, 5), (7.0, 5))
def the_rest_of_a_body_where_one_branch_goes_on(x, n):
    s = 0.5
    for k in range(n):
        try:
            if k % 2 == 0:
                s += math.sqrt(x - k)
            else:
                continue
            s *= x
        except ValueError:
            s += 0.25
        s *= 1.5
    return s


@case((2.5, 0), (2.5, 1), (0.5, 2))
def the_rest_of_a_body_behind_another_try_that_returns(x, n):
    try:
        try:
            if n == 0:
                return 1.5 * x
            y = {1: x, 3: x * x}[n]
        except ValueError:
            y = 2.0
        x = x * y
    except LookupError:
        pass
    return x * x


@case((1.4,), (3.0,))
def an_else_behind_a_test_of_a_variable_that_a_finally_changes(x):
    try:
        math.sin(1.5)
    except ValueError:
        pass
    finally:
        x -= 1.5
        print(1.5)
    if x < 1.0 <= 1.5:
        x = x * 2
    return x * x


class Suppressing:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return True


class Root:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return math.sqrt(self.x)

    def __exit__(self, kind, error, trace):
        return False


@case((2.5,), (0.3,), (-1.0,))
def a_name_that_a_context_which_ends_exceptions_may_not_bind(x):
    b, s = 1.5, 0.0
    for k in range(4):
        with Suppressing():
            b = math.log(x - k)
        s += b * x
    return s


@case((2.5,), (0.3,), (-1.0,))
def a_context_that_raises_as_it_opens_in_another_that_ends_exceptions(x):
    b = 1.5
    s = b * x
    for k in range(4):
        with Suppressing(), Root(x - k) as b:
            s += b * x
        s += b * x * k
    return s


@pytest.mark.parametrize(("f", "calls"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_path(f: Function, calls: list[tuple[Any, ...]]) -> None:
    derivative = value_and_grad(f)
    for args in calls:
        agrees(f, *args, derivative=derivative)


def test_a_body_that_cannot_raise_is_no_try() -> None:
    def f(x, v):
        try:
            y = x * 2.0 + np.sum(v * v)
        except (ZeroDivisionError, IndexError, MyError):
            y = 0.0
        return y * y

    derivative = value_and_grad(f)
    derivative(2.0, np.ones(3))
    assert "try" not in derivative.source


def test_the_derivative_has_the_try_of_the_user() -> None:
    def f(A):
        try:
            L = np.linalg.cholesky(A)
        except np.linalg.LinAlgError:
            return 0.0
        return np.sum(L)

    derivative = value_and_grad(f)
    derivative(np.eye(2))
    assert """\
    try:
        L = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        value = 0.0
""" in derivative.source


def test_several_statements_are_one_try() -> None:
    def f(x):
        try:
            a = math.log(x)
            b = 1.0 / a
            c = math.sqrt(b) * x
        except (ValueError, ZeroDivisionError):
            c = x
        return c * x

    derivative = value_and_grad(f)
    for x in (2.0, -2.0, 0.5, 1.0):
        assert derivative(x)[0] == f(x)
    assert derivative.source.count("try:") == 1
    assert "except (ValueError, ZeroDivisionError):" in derivative.source


def test_nested_tries_stay_apart() -> None:
    """What is between two operations may raise what only the inner `try` handles."""
    def f(x, y):
        z = x
        try:
            z = x / y
            t = math.sqrt(x - 5.0)
            try:
                z = z + 1.0 / (y - 1.0)
            except (ZeroDivisionError, ValueError):
                z = z * t
        except ZeroDivisionError:
            z = z * 3.0
        return z * z

    for args in ((7.0, 2.0), (7.0, 1.0), (7.0, 0.0), (2.0, 2.0), (2.0, 0.0)):
        plain = outcome(f, args)
        derived = outcome(value_and_grad(f), args)
        assert repr(derived.error) == repr(plain.error)
        assert plain.error or derived.value[0] == plain.value


def power(x, n):
    return 1.0 / x if n == 0 else x * power(x, n - 1)


def test_a_function_that_calls_itself() -> None:
    def f(x, n):
        try:
            y = power(x, n)
        except ZeroDivisionError:
            y = 0.0
        return y

    refuses(f, 1.5, 3, code="SCT101")


def test_a_generator_that_may_not_yield() -> None:
    @contextlib.contextmanager
    def perhaps(x):
        if x > 0.0:
            yield x

    def f(x):
        with perhaps(x) as y:
            return y * 2.0

    refuses(f, 1.5, code="SCT101")


def test_what_none_raises_is_refused_where_it_is_not_known() -> None:
    def its_text(x: Any, n: Any) -> Any:
        y = None if n > 3 else n
        try:
            return x * y
        except TypeError as error:
            return x * len(str(error))

    def its_attribute(x: Any, n: Any) -> Any:
        y = None if n > 3 else np.ones(2) * n
        try:
            return x * y.sum()  # type: ignore[union-attr]
        except AttributeError:
            return x

    for f in (its_text, its_attribute):
        with pytest.raises(SctError) as caught:
            value_and_grad(f)(1.5, 2)
        assert caught.value.code == "SCT101"


def test_what_raise_sets_is_refused() -> None:
    def cause(x, n):
        try:
            try:
                y = math.sqrt(x - n)
            except ValueError as e:
                raise RuntimeError("bad") from e
        except RuntimeError as e:
            return x * 3.0 if e.__cause__ is not None else x
        return y

    def context(x):
        try:
            y = math.log(x)
        except ValueError as e:
            return x if e.__context__ is None and e.__traceback__ is not None else 3.0 * x
        return y

    for f, args in ((cause, (1.2, 2)), (context, (-1.2,))):
        with pytest.raises(SctError, match=r"SCT203: `__c.*` of an exception"):
            value_and_grad(f)(*args)


def test_settings_outside() -> None:
    def f(x):
        try:
            y = np.sum(x * x)
        except MemoryError:
            y = 0.0
        return y

    refuses(f, np.ones(3), code="SCT101")


class NegativeVariance(FloatingPointError):
    pass


def variance(a, n):
    h = 1.0
    for _ in range(n):
        h = a[0] * h
        if h <= 0.0:
            raise FloatingPointError("negative variance")
    return h


def test_a_float_error_of_the_program() -> None:
    def own(a, n):
        try:
            return variance(a, n)
        except FloatingPointError as e:
            return 1e3 * a[0] * len(str(e))

    def quiet(a, n):
        with np.errstate(divide="ignore", invalid="warn"):
            try:
                return variance(a, n)
            except (FloatingPointError, ZeroDivisionError):
                return 3.0 * a[0]

    def suppressed(a, n):
        r = a[0] * a[0]
        with contextlib.suppress(FloatingPointError):
            r = r * variance(a, n)
        return r

    def below(a, n):
        try:
            if a[0] < 0.0:
                raise NegativeVariance(n)
            return math.log(a[0]) * n
        except FloatingPointError:
            return a[0] ** n

    def itself(a, n):
        try:
            if a[0] < 0.0:
                raise NegativeVariance(n)
            return variance([a[0] - 3.0], n)
        except NegativeVariance:
            return a[0] ** n

    for f in (own, quiet, suppressed, below):
        agrees_in_every_mode(f, [([0.5], 3), ([-0.5], 3)])
    agrees_in_every_mode(itself, [([3.5], 3), ([-0.5], 3), ([0.5], 3)])


def test_a_float_error_of_an_operation() -> None:
    def inside(x):
        with np.errstate(divide="raise"):
            try:
                return 1.0 / x[0]
            except FloatingPointError:
                return 0.0 * x[0]

    def by_argument(x, how):
        try:
            with np.errstate(divide=how):
                return 1.0 / x[0]
        except FloatingPointError:
            return 0.0 * x[0]

    def set_for_good(x):
        np.seterr(divide="raise")
        try:
            return 1.0 / x[0]
        except FloatingPointError:
            return 0.0 * x[0]

    def handled(x):
        try:
            return 1.0 / x[0]
        except FloatingPointError:
            return 0.0 * x[0]

    x = np.array([2.0])
    for f, args in ((inside, (x,)), (by_argument, (x, "raise")), (set_for_good, (x,))):
        with np.errstate():
            assert "by np.errstate or np.seterr" in refuses(f, *args, code="SCT101").why
    agrees(handled, x)
    g = value_and_grad(handled)
    assert g(x)[0] == 0.5
    for how in ("raise", "call"):
        with np.errstate(divide=how):
            assert "np.geterr()" in refuses(handled, x, code="SCT101").hint
            with pytest.raises(SctError, match="SCT101"):
                g(x)
    assert g(x)[0] == 0.5


class RayError(Exception):
    pass


def refracted(y, angle, limit, ratio):
    y = y + math.tan(angle)
    if abs(y) > limit:
        raise RayError("vignetted")
    s = ratio * math.sin(angle - 0.1 * y)
    if abs(s) > 1.0:
        raise RayError("total internal reflection")
    return y, math.asin(s)


def spot_size(x, heights, strict=False):
    hits, lost = [], 0
    for h in heights:
        y, angle = h, 0.05
        try:
            for limit, ratio in ((5.0, 0.7), (4.0, 2.5 * x), (3.0, 0.6)):
                y, angle = refracted(y, angle, limit, ratio)
        except RayError:
            lost += 1
            if strict:
                raise
            continue
        hits.append(y)
    return sum(y * y for y in hits) + lost


@pytest.mark.parametrize("derivative", [value_and_grad, grad])
def test_exception_of_one_of_many_statements(derivative: Any) -> None:
    """What is raised again is bound only where one of them raised; a chain of moves reads it nowhere else."""
    of = derivative(spot_size)
    for args in ((0.9, [-0.2, 0.3, 0.5]), (0.9, [-0.2, 6.0, 0.5]), (1.1, [0.9, 4.9, 0.1]), (1.1, [0.9, 4.4, 1], True)):
        expected = outcome(value_and_grad(spot_size), args)
        found = outcome(of, args)
        assert (found.error is None) == (expected.error is None)
        if found.error is None:
            numeric = (spot_size(args[0] + 1e-6, *args[1:]) - spot_size(args[0] - 1e-6, *args[1:])) / 2e-6
            assert np.isclose(found.value if derivative is grad else found.value[1], numeric, rtol=1e-6)
        else:
            assert str(found.error) == str(expected.error)


class Diverged(Exception):
    def __init__(self, steps, norm):
        super().__init__(f"diverged after {steps}")
        self.steps, self.norm = steps, norm


def damped(x):
    for k in range(5):
        try:
            if x > 1.0 + k:
                raise Diverged(k, x * x)
            y = x * x
        except Diverged as error:
            x = x * (0.9 + 0.01 * error.steps)
            continue
        break
    return y * x


def reads_the_norm(x):
    try:
        if x > 1.0:
            raise Diverged(0, x * x)
        y = x
    except Diverged as error:
        y = x * error.norm
    return y


def test_an_exception_may_hold_a_differentiated_number() -> None:
    for x in (2.3, 0.5):
        agrees(damped, x)
        agrees(reads_the_norm, x)


def two_handlers(x, n, a):
    y = 1.5
    try:
        y -= math.sin(x)
        a[n + 2]
    except ValueError:
        y *= 2.0
    except LookupError:
        pass
    return y


def test_what_was_done_before_the_statement_that_raises_is_differentiated() -> None:
    for n in (0, 4):
        agrees(two_handlers, -0.4, n, np.ones(5))


def lists_that_change(x, n):
    xs, pairs = [x * i for i in range(n)], [(x * i, i) for i in range(n)]
    s = 0.0
    for j in range(9):
        try:
            a, b = pairs.pop(2)
            s = s + a * b
            xs[j + 3] = xs.pop() * j + x
            s = s + 1.0
            del pairs[0]
            pairs.insert(0, (s, j))
        except IndexError:
            s = s + x * x
        finally:
            s = s * 0.5
    return s + sum(xs) + sum(a for a, _ in pairs)


def rows_that_change(x, n):
    rows = [np.ones(2) * x * i for i in range(n)]
    s = 0.0
    for j in range(9):
        try:
            v = rows.pop(0)
            v = v * v
            s = s + v @ v
            rows[2] = v
        except IndexError:
            s = s + x * x
    return s + sum(np.sum(row) for row in rows)


def reads_the_text(x, n):
    xs = [x * i for i in range(n)]
    try:
        return xs.pop(9)
    except IndexError as error:
        return x * len(str(error))


def test_lists_that_change_in_a_try(monkeypatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees(lists_that_change, 0.7, 7)
    agrees(rows_that_change, 0.7, 7)
    refuses(reads_the_text, 0.7, 7, code="SCT101")


def contexts_in_a_try(x, n):
    s = x
    for i in range(n):
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                if i == 2:
                    continue
                with np.printoptions(precision=3):
                    s = s + math.sqrt(3.0 - i) * s
                if i == 6:
                    break
                if i == 1:
                    raise KeyError(i)
                s = s * 0.5
        except (ValueError, KeyError) as error:
            s = s + x * x * len(type(error).__name__)
        finally:
            s = s + 0.5 * x
    return s


def first_cholesky(A, n):
    for k in range(n):
        try:
            with np.errstate(all="ignore"):
                L = np.linalg.cholesky(A + (k - 3.0) * np.eye(2))
            break
        except np.linalg.LinAlgError:
            continue
    return np.sum(L)


def left_unhandled(x, n):
    try:
        with np.errstate(all="ignore"):
            return math.log(x - n) * x
    except ZeroDivisionError:
        return x


def test_the_handler_of_a_try_around_a_context_runs_outside_of_it(monkeypatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    agrees(contexts_in_a_try, 0.7, 8)
    agrees(first_cholesky, np.array([[1.0, 0.0], [0.5, 1.0]]), 9)
    for n in (0, 2):
        agrees(left_unhandled, 1.7, n)


def test_an_exception_that_nobody_reads_is_not_kept() -> None:
    def retried(x, n):
        delay = 1.0
        while True:
            try:
                if delay < n:
                    raise ConnectionError(n)
                return math.log(x) * delay
            except ConnectionError as e:
                delay *= 1.5 * x

    derivative = value_and_grad(retried)
    for n in (1, 3, 20):
        agrees(retried, 1.5, n, derivative=derivative)
    assert "ConnectionError" not in derivative.source


def test_a_generator_with_a_loop_runs_in_a_handler_whose_end_may_raise(monkeypatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")

    def steps(x, n):
        k = 0
        while k < n:
            k += 1
        yield x * math.log(x)
        if k:
            return

    def f(x, a, n, bound):
        if bound:
            t = x
        try:
            b = a[n]
        except IndexError:
            b = sum([0.25, *steps(x, n)])
        finally:
            t += 1.5
        return b * t

    for n in (0, 3):
        for bound in (True, False):
            agrees(f, 1.7, [0.3, 0.4, 0.5], n, bound)


# -- what `__exit__` and `finally` do with an exception -------------------------------------------------


def passing_on(method):
    def wrapper(*args):
        return method(*args)
    return wrapper


def is_division(*args):
    return args[1] is ZeroDivisionError


class Opened:
    def __enter__(self):
        self.k = 0
        return 3.0


EXITS = {
    "all in one": is_division,
    "wrapped": passing_on(lambda self, cls, error, trace: cls is ZeroDivisionError),
    "lambda": lambda self, *args: True,
    "lambda of all": lambda *args: args[1] is not None,
    "lambda with a test": lambda self, cls, error, trace: issubclass(cls, ArithmeticError) if cls else None,
    "static": staticmethod(lambda cls, error, trace: cls is not None),
    "of the class": classmethod(lambda cls, kind, error, trace: kind is not None),
    "text": lambda self, cls, error, trace: "zero" in str(error),
    "any": lambda self, *args: any(args),
    "false": lambda self, *args: False,
    "state": lambda self, *args: self.k == 1,
    "too many": lambda self, **args: True,
    "too few": lambda self, cls, error: True,
}


@pytest.mark.parametrize("name", EXITS)
def test_the_end_of_an_exception_in_a_context(name: str) -> None:
    class Context(Opened):
        __exit__ = EXITS[name]

    class Below(Context):
        pass

    def quotient(x, k):
        with Context() as v:
            x = x * v / k
        return x

    def quotient_in_a_branch(x, k):
        with Below() as v:
            x = x * v / k
            if x > 0:
                return x * 3.0
        return x * x

    def quotient_in_a_try(x, k):
        try:
            with Context() as v:
                x = x * v / k
        except ZeroDivisionError:
            return x * 5.0
        return x * x

    def quotient_in_two(x, k):
        with Context() as v, Below() as w:
            x = x * v * w
            x = x / k
        return x * x

    def quotient_after_a_write(x, k):
        context = Context()
        with context:
            context.k = 1
            x = x / k
            context.k = 2
        return x * 3.0

    for f in (quotient, quotient_in_a_branch, quotient_in_a_try, quotient_after_a_write, quotient_in_two):
        derivative = value_and_grad(f)
        for k in (1, 0, 2):
            agrees(f, 1.2, k, derivative=derivative)


def reported(n):
    if n == 1:
        print("before")


def a_test_in_finally(x, k):
    n = 1
    try:
        y = x / k
        n = 2
    finally:
        if n == 1:
            print("before")
    return y


def a_test_in_a_function_of_finally(x, k):
    n = 1
    try:
        y = x / k
        n = 2
    finally:
        reported(n)
    return y


def a_loop_in_finally(x, k):
    pending = [1, 2]
    try:
        pending.pop()
        y = x / k
        pending.pop()
    finally:
        for n in pending:
            print("left", n)
    return y


def an_operator_in_finally(x, k):
    y = None
    try:
        y = x / k
    finally:
        y is None and print("before")
    return y


def a_raise_in_finally(x, k):
    done = False
    try:
        y = x / k
        done = True
    finally:
        if not done:
            raise KeyError(k)
    return y


def an_exception_raised_again_in_finally(x, k):
    try:
        try:
            y = x / k
        finally:
            if not k:
                raise
    except ZeroDivisionError:
        y = x * 7.0
    return y


def a_return_in_a_loop_before_a_test_in_finally(x, k):
    done = 0
    try:
        for i in range(3):
            x = x / (k - i)
            if x > 1.0:
                return x
            done += 1
    finally:
        if done < 2:
            print("early", done)
    return x * 2.0


@contextlib.contextmanager
def told(name):
    ended = False
    try:
        yield 2.0
        ended = True
    finally:
        if not ended:
            print(name, "has ended early")


def a_test_in_a_context_of_contextlib(x, k):
    with told("it") as v:
        x = v * x / k
    return x


@pytest.mark.parametrize("f", [
    a_test_in_finally, a_test_in_a_function_of_finally, a_loop_in_finally, an_operator_in_finally, a_raise_in_finally,
    an_exception_raised_again_in_finally, a_return_in_a_loop_before_a_test_in_finally,
    a_test_in_a_context_of_contextlib])
def test_another_path_of_a_finally_where_an_exception_passes(f: Function) -> None:
    derivative = value_and_grad(f)
    for k in (2, 0, 5, 1):
        agrees(f, 1.2, k, derivative=derivative)


def test_a_finally_whose_paths_have_no_effect_leaves_no_try() -> None:
    def f(x, k):
        try:
            y = x / k
        finally:
            k = 0
        return y * y + k

    derivative = value_and_grad(f)
    derivative(1.2, 2)
    assert "try" not in derivative.source
