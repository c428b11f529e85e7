"""Differential equations: values bit for bit, derivatives of the solution, to the tolerance of the solver."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses, same_value
from scipy import integrate
from scipy.integrate import odeint, solve_ivp

from sct import SctError, check_grads, grad, hessian, jacfwd, jacobian, jvp, value_and_grad, vjp

pytestmark = pytest.mark.filterwarnings("ignore:.*the result does not depend on")
TIGHT = {"rtol": 1e-11, "atol": 1e-12}


# -- programs, as they are written -------------------------------------------------------------------------------------


def predators(p):
    """Lotka and Volterra: the last state, by default with the method of Dormand and Prince."""
    a, b, c, d, x0, y0 = p

    def rhs(t, z):
        x, y = z
        return [a * x - b * x * y, -c * y + d * x * y]

    sol = solve_ivp(rhs, (0.0, 2.0), [x0, y0], **TIGHT)
    assert sol.success
    return sol.y[0, -1] + 0.5 * sol.y[1, -1]


def pendulum(p):
    """A sum over given times."""
    length, damping, theta0 = p
    times = np.linspace(0.0, 3.0, 7)
    sol = solve_ivp(lambda t, y: np.array([y[1], -9.81 / length * np.sin(y[0]) - damping * y[1]]), [0, 3],
                    np.array([theta0, 0.0]), method="DOP853", t_eval=times, **TIGHT)
    return np.sum(sol.y[0] ** 2 * np.cos(sol.t))


def reaction(p):
    """Robertson's stiff reaction, with the Jacobian that its authors give."""
    k1, k2, k3 = p

    def rhs(t, y, k1, k2, k3):
        r1, r2, r3 = k1 * y[0], k2 * y[1] * y[2], k3 * y[1] ** 2
        return np.array([r2 - r1, r1 - r2 - r3, r3])

    def jac(t, y, k1, k2, k3):
        return np.array([[-k1, k2 * y[2], k2 * y[1]], [k1, -k2 * y[2] - 2.0 * k3 * y[1], -k2 * y[1]],
                         [0.0, 2.0 * k3 * y[1], 0.0]])

    sol = solve_ivp(rhs, (0.0, 40.0), [1.0, 0.0, 0.0], method="Radau", jac=jac, args=(k1, k2, k3), rtol=1e-10,
                    atol=1e-12)
    return sol.y[2, -1]


def cooling(p):
    """Backward differentiation formulas, at given times."""
    k, outside = p
    sol = solve_ivp(lambda t, y: -k * (y - outside * math.cos(0.3 * t)), (0.0, 5.0), [90.0, 20.0], method="BDF",
                    t_eval=[1.0, 2.5, 5.0], **TIGHT)
    return np.sum(sol.y[0]) + sol.y[1, 1]


def epidemic(p):
    beta, gamma, i0 = p

    def rhs(y, t, beta, gamma):
        s, i, _r = y
        return -beta * s * i, beta * s * i - gamma * i, gamma * i

    t = np.linspace(0, 20, 11)
    y = odeint(rhs, [1.0 - i0, i0, 0.0], t, args=(beta, gamma), rtol=1e-11, atol=1e-12)
    return y[-1, 2] + np.max(y[:, 1])


def epidemic_switching(p):
    """The time is first, and LSODA is asked for by name."""
    beta, start = p
    sol = solve_ivp(lambda t, y: [-beta * y[0] * y[1], beta * y[0] * y[1] - 0.2 * y[1]], (0.0, 9.0),
                    (0.99, start), method="LSODA", **TIGHT)
    y = odeint(lambda t, y: [-beta * y[0] * y[1], beta * y[0] * y[1] - 0.2 * y[1]], [0.99, start],
               [0.0, 4.5, 9.0], tfirst=True, **TIGHT)
    return sol.y[1, -1] * sol.t[-1] + y[1, 0]


def shooting(p):
    """Both ends of the interval are differentiated, and the times between them; time runs backward."""
    start, end, v = p
    ts = np.linspace(start, end, 5)
    sol = solve_ivp(lambda t, y: [y[1], -y[0] + 0.1 * t], (start, end), [1.0, v], t_eval=ts, **TIGHT)
    back = solve_ivp(lambda t, y: [y[1], -y[0] + 0.1 * t], (end, start), sol.y[:, -1] * v, method="RK23", rtol=1e-8,
                     atol=1e-9)
    return np.trapezoid(sol.y[0], sol.t) + back.y[0, -1]


class Spring:
    def __init__(self, stiffness, masses):
        self.stiffness, self.masses = stiffness, masses

    def rhs(self, t, state):
        n = len(self.masses)
        x, v = state[:n], state[n:]
        force = -self.stiffness * x
        force[1:] -= self.stiffness * (x[1:] - x[:-1])
        force[:-1] += self.stiffness * (x[1:] - x[:-1])
        return np.concatenate((v, force / self.masses))


def springs(p):
    """A method of an object, in a loop: what one interval ends with, the next starts with."""
    state = np.concatenate((p[:3], np.zeros(3)))
    chain = Spring(p[3], np.array([1.0, 2.0, 1.5]))
    energy = 0.0
    for _ in range(3):
        state = solve_ivp(chain.rhs, (0.0, 0.5), state, **TIGHT).y[:, -1]
        energy += np.sum(state[3:] ** 2)
    return energy


PROGRAMS: list[tuple[Callable[..., Any], list[float]]] = [
    (predators, [1.5, 1.0, 3.0, 1.0, 2.0, 1.0]), (pendulum, [1.2, 0.3, 1.1]), (reaction, [0.04, 1e2, 3e3]),
    (cooling, [0.7, 15.0]), (epidemic, [0.9, 0.3, 0.01]), (epidemic_switching, [0.9, 0.02]),
    (shooting, [0.3, 2.0, 0.7]), (springs, [0.1, -0.3, 0.2, 2.0])]
every_program = pytest.mark.parametrize("f, p", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])


def slopes(f: Callable[..., Any], p: Any, h: float = 1e-3) -> Any:
    """By differences of the fourth order, relative to the size of each number."""
    out = np.zeros(len(p))
    for k in range(len(p)):
        step = np.zeros(len(p))
        step[k] = h * abs(p[k])
        out[k] = (8 * (f(p + step) - f(p - step)) - (f(p + 2 * step) - f(p - 2 * step))) / (12 * step[k])
    return out


@every_program
def test_gradient(f: Callable[..., Any], p: list[float]) -> None:
    x = np.array(p)
    before = x.copy()
    value, gradient = value_and_grad(f)(x)
    assert same_value(value, f(before)) and np.array_equal(x, before)
    assert np.allclose(gradient * x, slopes(f, x) * x, rtol=2e-6, atol=2e-6)


@every_program
def test_forward_agrees_with_reverse(f: Callable[..., Any], p: list[float]) -> None:
    x = np.array(p)
    rng = np.random.default_rng(0)
    v = rng.normal(size=len(p)) * x
    value, tangent = jvp(f, (x,), (v,))
    assert same_value(value, f(x))
    assert np.allclose(tangent, grad(f)(x) @ v, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("f, p", [(f, p) for f, p in PROGRAMS if f not in (reaction, springs)],
                         ids=[f.__name__ for f, _ in PROGRAMS if f not in (reaction, springs)])
def test_second_derivative(f: Callable[..., Any], p: list[float]) -> None:
    x = np.array(p)
    exact = hessian(f)(x)
    gradient = grad(f)
    v = np.linspace(0.5, 1.0, len(x)) * x
    h = 1e-4
    differences = (gradient(x + h * v) - gradient(x - h * v)) / (2 * h)
    assert np.allclose(exact @ v * x, differences * x, rtol=1e-4, atol=1e-4)


def test_the_derivative_is_a_loop_over_the_accepted_steps() -> None:
    derivative = grad(predators)
    derivative(np.array(PROGRAMS[0][1]))
    assert derivative.source.count("scipy.integrate.solve_ivp") == 1


def test_closed_form() -> None:
    """y' = k y, y(0) = a: y(T) = a exp(k T)."""
    def f(a, k, T):
        return solve_ivp(lambda t, y: k * y, (0.0, T), [a], **TIGHT).y[0, -1]

    value, (da, dk, dT) = value_and_grad(f, (0, 1, 2))(2.0, -0.7, 1.5)
    growth = math.exp(-0.7 * 1.5)
    assert np.allclose([value, da, dk, dT], [2.0 * growth, growth, 3.0 * growth, -1.4 * growth], rtol=1e-9)


@pytest.mark.parametrize("f", [
    lambda k: solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.0], method="RK23").y[0, -1],
    lambda k: solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.0]).y[0, -1],
    lambda k: solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.0], "DOP853").y[0, -1],
    lambda k: solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.0], method="Radau").y[0, -1],
    lambda k: solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.0], method="BDF").y[0, -1]])
def test_loose_tolerance_gives_a_loose_derivative(f: Callable[..., Any]) -> None:
    assert abs(grad(f)(0.8) + 2.0 * math.exp(-1.6)) < 5e-3


def test_an_array_of_the_result_is_not_overwritten() -> None:
    """Each interval starts from a view of what the last one ended with, which the derivative reads again."""
    def f(k, n):
        state, total = np.array([k, 0.5]), 0.0
        for _ in range(n):
            state = solve_ivp(lambda t, s: np.array([s[1], -k * s[0]]), (0.0, 0.5), state, **TIGHT).y[:, -1]
            total += state[1] ** 2
        return total

    assert np.isclose(grad(f)(0.7, 3), slopes(lambda p: f(p[0], 3), np.array([0.7]))[0], rtol=1e-8)


def test_what_a_solver_has_returned_is_written() -> None:
    """The derivative reads what was there before."""
    def f(k):
        y = odeint(lambda y, t: -k * y * y, [1.0], [0.0, 0.5, 1.0], rtol=1e-11, atol=1e-11)
        z = y[1:]
        z[0] = 2.0 * y[2]
        y[:] = y * y
        return np.sum(y)

    assert np.isclose(grad(f)(0.8), slopes(lambda p: f(p[0]), np.array([0.8]))[0], rtol=1e-7)


def test_all_states_at_given_times() -> None:
    def f(k):
        return solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.0, 2.0], t_eval=[0.0, 0.5, 2.0], **TIGHT).y

    expected = -np.array([0.0, 0.5, 2.0]) * np.exp(-0.8 * np.array([0.0, 0.5, 2.0]))
    assert np.allclose(jacfwd(f)(0.8), [expected, 2.0 * expected], rtol=1e-8)
    assert np.allclose(jacobian(f)(0.8), [expected, 2.0 * expected], rtol=1e-8)


def test_one_unknown() -> None:
    def f(k, y0):
        return odeint(lambda y, t, k: -k * y, y0, np.linspace(0.0, 2.0, 4), (k,), **TIGHT)[-1, 0]

    assert np.allclose(grad(f, (0, 1))(0.7, 3.0), (-6.0 * math.exp(-1.4), math.exp(-1.4)), rtol=1e-8)


def test_no_interval() -> None:
    def f(x):
        return solve_ivp(lambda t, y: -y, (1.0, 1.0), x).y[0, -1] + odeint(lambda y, t: -y, x, [1.0, 1.0])[-1, 1]

    assert np.array_equal(grad(f)(np.array([2.0, 3.0])), [1.0, 1.0])


def test_what_the_solver_reports() -> None:
    def f(k):
        sol = solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.0], t_eval=[2.0])
        if not sol.success:
            print(sol.message)
            return 0.0 * k
        y, report = odeint(lambda y, t: -k * y, 1.0 * sol.y[:, 0], [0.0, 1.0], full_output=True)
        print(report)
        return y[-1, 0] * (sol.nfev > 3)

    assert abs(grad(f)(0.3) + 3.0 * math.exp(-0.9)) < 1e-2


def test_a_solver_that_fails_raises() -> None:
    def f(k):
        sol = solve_ivp(lambda t, y: k * y ** 2, (0.0, 2.0), [1.0])
        return sol.y[0, 0] if handled and not sol.success else sol.y[0, -1]

    handled = False
    with pytest.raises(SctError, match="converged"), np.errstate(all="ignore"):
        grad(f)(1.0)


def test_check_grads() -> None:
    def f(k, y0):
        return solve_ivp(lambda t, y: -k * y * y, (0.0, 1.0), y0, t_eval=[0.5, 1.0], **TIGHT).y

    check_grads(f, (0.7, np.array([1.0, 2.0])), order=2)


def test_pullback() -> None:
    value, pullback = vjp(lambda y0: odeint(lambda y, t: -y, y0, np.array([0.0, 1.0])), np.array([1.0, 2.0]))
    (dy0,) = pullback(np.ones_like(value))
    assert np.allclose(dy0, 1.0 + math.exp(-1.0), rtol=1e-6)


@pytest.mark.parametrize("method", ["DOP853", "Radau", "LSODA"])
def test_read_between_the_steps(method: str) -> None:
    """Of y' = -k y, y(0) = y0, at numbers and at vectors in any order; its second derivative, and that by t."""
    k, y0, t = 0.7, 1.3, 0.37
    times = np.array([0.8, t, 0.0])

    def f(k, y0, t):
        sol = solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [y0], method=method, dense_output=True, rtol=1e-9, atol=1e-10)
        return sol.sol(t)[0] * 2.0 + np.sum(sol.sol(times)) + sol.y[0, -1]

    value, (dk, dy0, dt) = value_and_grad(f, (0, 1, 2))(k, y0, t)
    assert same_value(value, f(k, y0, t))
    at = np.array([t, t, *times, 1.0])
    np.testing.assert_allclose([dk, dy0, dt], [-y0 * np.sum(at * np.exp(-k * at)), np.sum(np.exp(-k * at)),
                                               -2.0 * k * y0 * np.exp(-k * t)], rtol=1e-7)
    if method == "DOP853":
        second = grad(grad(f))(k, y0, t)
        np.testing.assert_allclose(second, y0 * np.sum(at**2 * np.exp(-k * at)), rtol=1e-7)


# -- events ------------------------------------------------------------------------------------------------------------


def ground(t, y, g):
    return y[0]


def apex(t, y, g):
    return y[1]


ground.terminal = True  # type: ignore[attr-defined]
ground.direction = -1  # type: ignore[attr-defined]


def thrown(v, g):
    """Two events, one of which ends the flight."""
    sol = solve_ivp(lambda t, y, g: [y[1], -g - 0.1 * y[1]], (0.0, 100.0), [0.0, v], args=(g,), events=(ground, apex),
                    **TIGHT)
    return sol.t_events[0][0] + sol.y_events[1][0, 0] * sol.y[1, -1] + sol.t[-1] * sol.status


def counts_events(x, level, which):
    sol = solve_ivp(lambda t, y: -x * y, (0.0, 1.0), [1.0, 2.0], events=lambda t, y: y[0] - level, **TIGHT)
    states = sol.y_events[0]
    number = len(states) if which == "items" else states.shape[0] if which == "shape" else states.ndim
    return sol.y[1, -1] * (1.0 + number) + np.sum(states)


def test_states_at_an_event_that_does_not_happen() -> None:
    """SciPy makes an array of an empty list: one with one axis."""
    agrees(counts_events, 1.0, 0.7, "items")
    agrees(counts_events, 1.0, -5.0, "items")
    for which in ("shape", "axes"):
        agrees(counts_events, 1.0, 0.7, which)
        with pytest.raises((SctError, TypeError), match="an empty list makes an array with one axis"):
            value_and_grad(counts_events)(1.0, -5.0, which)


def states_at_an_event(x, level):
    sol = solve_ivp(lambda t, y: -x * y, (0.0, 1.0), [1.0, 2.0], events=lambda t, y: y[0] - level, **TIGHT)
    return sol.y_events[0] ** 2


@pytest.mark.parametrize("levels", [(0.7, -5.0), (-5.0, 0.7)])
def test_states_at_an_event_have_the_shape_of_scipy(levels) -> None:
    """Whether a call is compared with the function or not."""
    for level in levels:
        expected = states_at_an_event(1.0, level)
        value, pullback = vjp(states_at_an_event, 1.0, level)
        assert value.shape == expected.shape
        assert np.isfinite(pullback(np.ones(expected.shape))[0])
        value, tangent = jvp(states_at_an_event, (1.0, level), (1.0, 0.0))
        assert value.shape == tangent.shape == expected.shape


def thrown_at_times(v, times):
    """The times that are asked for, up to the end that an event is."""
    def hit(t, y):
        return y[0]

    hit.terminal = True
    hit.direction = -1.0
    sol = solve_ivp(lambda t, y: [y[1], -9.81 - 0.1 * y[1]], (0.0, 100.0), [0.0, v], t_eval=times, events=hit, **TIGHT)
    return np.sum(sol.y[0] ** 2) + np.sum(sol.t**2) + len(sol.t) * sol.t_events[0][0]


def swung(v, k):
    """Backwards in time, to the second time that it passes there; read between the steps."""
    def there(t, y):
        return y[0] - 0.5

    there.terminal = 2
    sol = solve_ivp(lambda t, y: [y[1], -k * y[0]], (0.0, -10.0), [1.0, v], "DOP853", events=[there],
                    dense_output=True, **TIGHT)
    return sol.t_events[0][1] * 2.0 + sol.t_events[0][0] + sol.y[1, -1] + sol.sol(0.5 * sol.t[-1])[0]


def bouncing(v, loss):
    """Each flight starts where an event has ended the one before."""
    def hit(t, y):
        return y[0]

    hit.terminal, hit.direction = True, -1
    t, y, total = 0.0, np.array([0.0, v]), 0.0
    for _ in range(3):
        sol = solve_ivp(lambda t, y: np.array([y[1], -9.81]), (t, t + 10.0), y, events=hit, **TIGHT)
        t, y = sol.t[-1], np.array([0.0, -loss * sol.y[1, -1]])
        total += t
    return total


EVENTS = [(thrown, (9.0, 9.81)), (thrown_at_times, (9.0, np.linspace(0.05, 5.0, 31))), (swung, (0.3, 2.0)),
          (bouncing, (5.0, 0.8))]


@pytest.mark.parametrize(("f", "args"), EVENTS, ids=lambda v: getattr(v, "__name__", ""))
def test_events(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    value, slopes = value_and_grad(f, (0, 1))(*args)
    assert same_value(value, f(*args))
    for k in (0, 1):
        at = lambda h: f(*(a + h * (j == k) for j, a in enumerate(args)))
        difference = (8.0 * (at(1e-4) - at(-1e-4)) - at(2e-4) + at(-2e-4)) / 12e-4
        np.testing.assert_allclose(np.sum(slopes[k]), difference, rtol=1e-6)
    _, tangent = jvp(f, args, (1.0, args[1]))
    np.testing.assert_allclose(tangent, slopes[0] + np.sum(slopes[1] * args[1]), rtol=1e-9)
    second = grad(grad(f))(*args)
    np.testing.assert_allclose(second, (grad(f)(args[0] + 1e-4, args[1]) - grad(f)(args[0] - 1e-4, args[1])) / 2e-4,
                               rtol=1e-5, atol=1e-6)


def test_the_time_of_a_fall_in_closed_form() -> None:
    """Without drag it is 2 v / g; the next call finds no event, and its end is that of the interval."""
    def end(v, t1):
        def hit(t, y):
            return y[0]

        hit.terminal = True
        hit.direction = -1
        return solve_ivp(lambda t, y: [y[1], -2.0], (0.0, t1), [0.0, v], events=hit).t[-1]

    slopes = grad(end, (0, 1))
    np.testing.assert_allclose(slopes(3.0, 10.0), (1.0, 0.0), rtol=1e-12)
    np.testing.assert_allclose(slopes(3.0, 1.0), (0.0, 1.0))
    np.testing.assert_allclose(slopes(4.0, 10.0), (1.0, 0.0), rtol=1e-12)
    assert "raise RuntimeError(\"no derivative: the solver has not converged\")\n        raise" not in slopes.source


def test_an_event_that_does_not_happen() -> None:
    f = lambda k: (sol := solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0], events=lambda t, y: y[0] - 5.0, **TIGHT)) \
        .y[0, -1] + len(sol.t_events[0]) + np.sum(sol.t_events[0])
    value, slope = value_and_grad(f)(0.7)
    assert value == f(0.7)
    np.testing.assert_allclose(slope, -np.exp(-0.7), rtol=1e-8)


def test_attributes_of_a_function() -> None:
    def read(x):
        def f(t):
            return t * x

        f.scale = 3.0
        f.scale = 4.0
        return f(2.0) * f.scale + getattr(f, "other", 0.5) + hasattr(f, "scale")

    assert grad(read)(1.5) == 8.0 and value_and_grad(read)(1.5)[0] == read(1.5)

    def shared(x):
        def f(t):
            return t * x

        fs = [f]
        f.scale = 3.0
        return fs[0](2.0)

    refuses(shared, 1.5, code="SCT303")

    def of_data(x):
        def f(t):
            return t * x

        f.scale = x
        return f(2.0)

    refuses(of_data, 1.5, code="SCT303")


@pytest.mark.parametrize("f, reason", [
    (lambda k: solve_ivp(lambda t, y: -k * y, (0, 1), [1.0], vectorized=True).y[0, -1], "`vectorized`"),
    (lambda k: solve_ivp(lambda t, y: -k * y, (0, 1), [1.0], "Radau", events=lambda t, y: y[0] - 0.5).y[0, -1],
     "`events`"),
    (lambda k: solve_ivp(lambda t, y: -k * y, (0, 1), [1.0], events=lambda t, y: y).y[0, -1], "one real number"),
    (lambda k: solve_ivp(lambda t, y: -k * y, (0, 1), [1.0 + 0j]).y[0, -1].real, "starts from"),
    (lambda k: odeint(lambda y, t: -k * y, [1.0], [0.0, 1.0], Dfun=lambda y, t: -k)[-1, 0], "`Dfun`"),
    (lambda k: solve_ivp(lambda t, y: -k * y, (0, 1), [1.0], method=integrate.RK45).y[0, -1], "method"),
])
def test_refused(f: Callable[..., Any], reason: str) -> None:
    assert reason in str(refuses(f, 0.5, code="SCT402"))
