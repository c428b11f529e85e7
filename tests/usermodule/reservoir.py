"""A reservoir that feeds a turbine: storage, prices, a tree of forecasts, and how well it is run.

A module as its author wrote it; the derivatives that it uses are decorated.
"""

import math
from dataclasses import dataclass

import numpy as np

from sct import grad, hessian, jacobian, value_and_grad

GRAVITY = 9.81
DENSITY = 1000.0
HOURS = 24
EVAPORATION = 0.002
PRICE_LEVELS = np.array([32.0, 45.0, 61.0])
LOSS = {"spill": 4.0, "shortage": 12.0, "kind": "quadratic"}
EFFICIENCY = 0.9 * GRAVITY * DENSITY / 3.6e9


# -- small functions ------------------------------------------------------------------


def head_of(volume, area=2.5e5):
    """The height of the water."""
    return volume / area


def softplus(x, sharpness=8.0):
    """A smooth `max(x, 0)`."""
    if x * sharpness > 30.0:
        return x
    return math.log1p(math.exp(sharpness * x)) / sharpness


def penalty(amount, kind):
    if kind == "quadratic":
        return amount * amount
    if kind == "linear":
        return abs(amount)
    raise ValueError(f"unknown penalty {kind!r}")


def daily_price(hour, level, swing):
    """The price over a day, highest in the evening."""
    return level * (1.0 + swing * math.cos(2.0 * math.pi * (hour - 19.0) / HOURS))


# -- one reservoir --------------------------------------------------------------------


@value_and_grad(argnums=("releases", "volume"))
def revenue(releases: np.ndarray, volume: float, inflows: np.ndarray, level: float, swing: float = 0.25) -> float:
    """What the water earns, less what is lost."""
    total = 0.0
    for hour in range(len(releases)):
        release = releases[hour]
        volume = volume * (1.0 - EVAPORATION) + inflows[hour] - release
        energy = EFFICIENCY * release * head_of(volume)
        total += energy * daily_price(hour, level, swing)
        if volume < 0.0:
            total -= LOSS["shortage"] * penalty(volume, LOSS["kind"])
    return total


@grad
def spilled(volume: float, capacity: float, gates: int = 3) -> float:
    """Water over the gates, each opened when the one before is full."""
    spill = 0.0
    for gate in range(gates):
        over = softplus(volume - capacity * (1.0 + 0.1 * gate))
        if over < 1e-9:
            break
        spill += LOSS["spill"] * over
        volume -= over
    return spill


@grad(argnums="rate")
def filling_time(rate: float, volume: float, capacity: float) -> float:
    """Hours until the reservoir is full; the last hour counts in part."""
    hours = 0.0
    while volume < capacity:
        step = rate - EVAPORATION * volume
        if volume + step >= capacity:
            hours += (capacity - volume) / step
            return hours
        volume += step
        hours += 1.0
    return hours


# -- a cascade ------------------------------------------------------------------------


@jacobian
def cascade(releases: np.ndarray, share: float) -> np.ndarray:
    """Volumes along a river, each fed by the one above it."""
    volumes = np.zeros_like(releases)
    volumes[0] = 1.0 - releases[0]
    for k in range(1, len(releases)):
        volumes[k] = volumes[k - 1] * share + releases[k - 1] - releases[k] ** 2
    return volumes


@grad(argnums=(0, 1))
def routed(flow: np.ndarray, weights: np.ndarray) -> float:
    """A flood wave through a channel, sharpened by its own height."""
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        flow *= 1.0 - 0.01 * np.tanh(flow)
    return np.sum(weights * flow * flow)


# -- forecasts ------------------------------------------------------------------------


def expected(inflow, depth):
    """The value of water over a tree of wet and dry days."""
    if depth == 0:
        return math.sqrt(inflow)
    wet = expected(1.3 * inflow, depth - 1)
    dry = expected(0.6 * inflow, depth - 1)
    return 0.4 * wet + 0.6 * dry


@grad
def forecast(inflow: float, depth: int = 3) -> float:
    return expected(inflow, depth) + PRICE_LEVELS[0] * inflow


def utility(aversion):
    """How much money is liked, as a function."""

    def of(money):
        return (1.0 - math.exp(-aversion * money)) / aversion

    return of


@value_and_grad(argnums=(0, 1))
def satisfaction(money: float, aversion: float) -> float:
    like = utility(aversion)
    worst, best = like(0.5 * money), like(2.0 * money)
    return (lambda share: share * best + (1.0 - share) * worst)(0.3)


def smoothness(plan, target):
    """How far a plan is from a target, and how much it jumps."""
    jumps = plan[1:] - plan[:-1]
    return np.mean((plan - target) ** 2) + 0.1 * np.mean(jumps**2)


smoothness_grad = grad(smoothness)
curvature = hessian(lambda a, b: math.exp(a * b) + GRAVITY * a * a, argnums=(0, 1))


# -- objects --------------------------------------------------------------------------


@dataclass
class Turbine:
    """Turns water into power, worse when it is pushed."""

    rated: float
    curve: np.ndarray

    slope = 0.15

    def efficiency(self, flow):
        load = flow / self.rated
        return self.curve[0] + self.curve[1] * load + self.curve[2] * load * load

    @property
    def limit(self):
        return 1.2 * self.rated

    @grad
    def power(self, flow: float) -> float:
        if flow > self.limit:
            flow = self.limit + self.slope * (flow - self.limit)
        return EFFICIENCY * flow * self.efficiency(flow)


class Operator:
    """Learns how much to release."""

    momentum = 0.8

    def __init__(self, target: float, caution: float = 2.0, days: int = 5):
        self.target, self.caution = target, caution
        self.days = days

    def step(self, level, release):
        return level + 0.1 * (self.target - level) - release

    @value_and_grad
    def cost(self, release: float, level: float) -> float:
        total, speed = 0.0, 0.0
        for _ in range(self.days):
            speed = self.momentum * speed + release
            level = self.step(level, speed)
            total += (level - self.target) ** 2 + self.caution * softplus(-level) ** 2
        return total

    @staticmethod
    @grad
    def tax(income: float) -> float:
        return 0.2 * income if income < 1e4 else 0.4 * income - 2e3


if __name__ == "__main__":
    print(revenue(np.full(HOURS, 3.0), 1e6, np.ones(HOURS), 45.0))
