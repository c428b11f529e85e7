"""Derivatives of reservoir.py, written by `sct emit`."""

import math
from dataclasses import dataclass

import numpy as np

GRAVITY = 9.81
DENSITY = 1000.0
HOURS = 24
EVAPORATION = 0.002
PRICE_LEVELS = np.array([32.0, 45.0, 61.0])
LOSS = {"spill": 4.0, "shortage": 12.0, "kind": "quadratic"}
EFFICIENCY = 0.9 * GRAVITY * DENSITY / 3.6e9


def revenue(releases, volume, inflows, level, swing=0.25):
    # releases: f64[n], volume: float, inflows: f64[m], level: float, swing: float
    if (type(releases) is not np.ndarray or releases.dtype != np.float64
        or releases.ndim != 1):
        raise TypeError("releases must be a 1-D array of float64")
    if not isinstance(volume, float):
        raise TypeError("volume must be a float")
    if (type(inflows) is not np.ndarray or inflows.dtype != np.float64 or inflows.ndim
        != 1):
        raise TypeError("inflows must be a 1-D array of float64")
    if not isinstance(level, float):
        raise TypeError("level must be a float")
    if not isinstance(swing, float):
        raise TypeError("swing must be a float")
    if releases.shape[0] <= 1:
        raise ValueError("releases must have more than one element along each axis")
    LOSS_shortage = LOSS["shortage"]
    n = len(releases)
    total = 0.0
    tape = []
    for hour in range(n):
        release = releases[hour]
        volume = volume * (1.0 - EVAPORATION) + inflows[hour] - release
        energy = EFFICIENCY * release * (volume / 250000.0)
        t = level * (1.0 + swing * math.cos(6.283185307179586 * (hour - 19.0) / HOURS))
        tape.append((volume, t))
        total += energy * t
        if volume < 0.0:
            total -= LOSS_shortage * (volume * volume)
    dreleases = np.zeros_like(releases)
    # volume = volume * (1.0 - EVAPORATION) + inflows[hour] - release
    t = 1.0 - EVAPORATION
    dvolume = 0.0
    for hour in reversed(range(n)):
        volume, t1 = tape.pop()
        release = releases[hour]
        if volume < 0.0:
            # return amount * amount
            dvolume -= 2.0 * LOSS_shortage * volume
        # energy = EFFICIENCY * release * head_of(volume)
        t1 *= EFFICIENCY
        # return volume / area
        dvolume1 = dvolume + t1 * release / 250000.0
        # volume = volume * (1.0 - EVAPORATION) + inflows[hour] - release
        dvolume = dvolume1 * t
        # release = releases[hour]
        dreleases[hour] = t1 * (volume / 250000.0) - dvolume1
    return total, (dreleases, dvolume)


def spilled(volume, capacity, gates=3):
    # volume: float, capacity: float, gates: int
    if not isinstance(volume, float):
        raise TypeError("volume must be a float")
    if not isinstance(capacity, float):
        raise TypeError("capacity must be a float")
    if type(gates) is not int:
        raise TypeError("gates must be an int")
    LOSS_spill = LOSS["spill"]
    tape = []
    for gate in range(gates):
        over = volume - capacity * (1.0 + 0.1 * gate)
        t = over * 8.0 > 30.0
        if t:
            t1 = None
        else:
            t1 = math.exp(8.0 * over)
            over = math.log1p(t1) / 8.0
        t2 = over < 1e-09
        tape.append((t, t1, t2))
        if t2:
            break
        volume -= over
    dvolume = 0.0
    while tape:
        t, t1, t2 = tape.pop()
        if not t2:
            # spill += LOSS["spill"] * over
            dover = LOSS_spill - dvolume
            # over = softplus(volume - capacity * (1.0 + 0.1 * gate))
            dvolume += dover if t else 8.0 * (dover / 8.0 / (t1 + 1.0)) * t1
    return dvolume


def filling_time(rate, volume, capacity):
    # rate: float, volume: float, capacity: float
    if not isinstance(rate, float):
        raise TypeError("rate must be a float")
    if not isinstance(volume, float):
        raise TypeError("volume must be a float")
    if not isinstance(capacity, float):
        raise TypeError("capacity must be a float")
    tape = []
    tape1 = []
    while volume < capacity:
        step = rate - EVAPORATION * volume
        volume1 = volume + step
        t = volume1 >= capacity
        tape.append((step, t))
        if t:
            tape1.append((capacity - volume) / step)
            break
        volume = volume1
    dvolume = 0.0
    drate = 0.0
    while tape:
        step, t = tape.pop()
        if t:
            t1 = tape1.pop()
            # hours += (capacity - volume) / step
            dstep = -t1 / step
            dvolume -= 1.0 / step
        else:
            dstep = dvolume
        # step = rate - EVAPORATION * volume
        drate += dstep
        dvolume -= dstep * EVAPORATION
    return drate


def cascade(releases, share):
    # releases: f64[n], share: float
    if (type(releases) is not np.ndarray or releases.dtype != np.float64
        or releases.ndim != 1):
        raise TypeError("releases must be a 1-D array of float64")
    if not isinstance(share, float):
        raise TypeError("share must be a float")
    if releases.shape[0] <= 1:
        raise ValueError("releases must have more than one element along each axis")
    n = len(releases)
    jac = np.empty((n, n))
    for i in range(n):
        dreleases = np.zeros_like(releases)
        dreleases[i] = 1.0
        dvolumes = np.zeros_like(releases)
        dvolumes[0] = -dreleases[0]
        for k in range(1, n):
            # volumes[k] = volumes[k - 1] * share + releases[k - 1] - releases[k] ** 2
            t = dvolumes[k - 1] * share + dreleases[k - 1]
            dvolumes[k] = t - 2.0 * dreleases[k] * releases[k]
        jac[:, i] = dvolumes
    return jac


def routed(flow, weights):
    # flow: f64[n], weights: f64[n]
    if type(flow) is not np.ndarray or flow.dtype != np.float64 or flow.ndim != 1:
        raise TypeError("flow must be a 1-D array of float64")
    if (type(weights) is not np.ndarray or weights.dtype != np.float64 or weights.ndim
        != 1):
        raise TypeError("weights must be a 1-D array of float64")
    if weights.shape[0] != flow.shape[0]:
        raise ValueError("weights.shape[0] must be flow.shape[0]")
    if not flow.flags.writeable:
        raise ValueError("this derivative is for flow.flags.writeable")
    if np.may_share_memory(flow, weights):
        raise ValueError("this derivative is for not np.may_share_memory(flow, weights)")
    flow = np.copy(flow)
    tape = []
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        t = np.tanh(flow)
        t1 = 1.0 - 0.01 * t
        tape.append((flow, t, t1))
        flow = flow * t1
    # return np.sum(weights * flow * flow)
    dflow = 2.0 * (weights * flow)
    for _ in reversed(range(4)):
        flow1, t, t1 = tape.pop()
        # flow *= 1.0 - 0.01 * np.tanh(flow)
        t = t1 - 0.01 * flow1 * (1.0 - t * t)
        dflow *= t
        # flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        t = 0.5 * dflow[1:]
        dflow[1:] = t
        dflow[:-1] += t
    return dflow, flow * flow


def expected_forward(inflow, depth):
    if depth == 0:
        t = math.sqrt(inflow)
        residuals = None
        residuals1 = None
    else:
        residuals1 = expected_forward(1.3 * inflow, depth - 1)
        residuals = expected_forward(0.6 * inflow, depth - 1)
        t = None
    return t, residuals, residuals1


def expected_backward(depth, residuals, dvalue):
    t, residuals, residuals1 = residuals
    if depth == 0:
        dinflow = dvalue * (0.5 / t if t else math.inf)
        return dinflow
    ddry = 0.6 * dvalue
    dwet = 0.4 * dvalue
    dinflow = 0.6 * expected_backward(depth - 1, residuals, ddry)
    dinflow += 1.3 * expected_backward(depth - 1, residuals1, dwet)
    return dinflow


def forecast(inflow, depth=3):
    # inflow: float, depth: int
    if not isinstance(inflow, float):
        raise TypeError("inflow must be a float")
    if type(depth) is not int:
        raise TypeError("depth must be an int")
    residuals = expected_forward(inflow, depth)
    dinflow = PRICE_LEVELS[0] + expected_backward(depth, residuals, 1.0)
    return dinflow


def satisfaction(money, aversion):
    # money: float, aversion: float
    if not isinstance(money, float):
        raise TypeError("money must be a float")
    if not isinstance(aversion, float):
        raise TypeError("aversion must be a float")
    t = 0.5 * money
    t1 = -aversion
    t2 = math.exp(t1 * t)
    worst = (1.0 - t2) / aversion
    t3 = 2.0 * money
    t4 = math.exp(t1 * t3)
    best = (1.0 - t4) / aversion
    t5 = 0.3 / aversion
    t4 *= t5
    t6 = 0.7 / aversion
    t2 *= t6
    daversion = t4 * t3 + t2 * t - (best * t5 + worst * t6)
    # worst, best = like(0.5 * money), like(2.0 * money)
    dmoney = -2.0 * t4 * t1 - 0.5 * t2 * t1
    return 0.3 * best + 0.7 * worst, (dmoney, daversion)


def smoothness_grad(plan, target):
    # plan: f64[n], target: float
    if type(plan) is not np.ndarray or plan.dtype != np.float64 or plan.ndim != 1:
        raise TypeError("plan must be a 1-D array of float64")
    if not isinstance(target, float):
        raise TypeError("target must be a float")
    if plan.shape[0] <= 1:
        raise ValueError("plan must have more than one element along each axis")
    jumps = plan[1:] - plan[:-1]
    # return np.mean((plan - target) ** 2) + 0.1 * np.mean(jumps**2)
    djumps = 0.2 / (jumps ** 2).shape[0] * jumps
    dplan = 2.0 / plan.shape[0] * (plan - target)
    # jumps = plan[1:] - plan[:-1]
    dplan[:-1] -= djumps
    dplan[1:] += djumps
    return dplan


def curvature(a, b):
    # a: float, b: float
    if not isinstance(a, float):
        raise TypeError("a must be a float")
    if not isinstance(b, float):
        raise TypeError("b must be a float")
    t = math.exp(a * b)
    t1 = t * b
    t2 = t * a
    dda = 2.0 * GRAVITY + t1 * b
    return (dda, t2 * b + t), (t1 * a + t, t2 * a)


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

    def power(self, flow):
        # flow: float
        if not isinstance(flow, float):
            raise TypeError("flow must be a float")
        if not isinstance(self.rated, float):
            raise TypeError("self.rated must be a float")
        if not isinstance(self.slope, float):
            raise TypeError("self.slope must be a float")
        if (type(self.curve) is not np.ndarray or self.curve.dtype != np.float64
            or self.curve.ndim != 1):
            raise TypeError("self.curve must be a 1-D array of float64")
        if self.curve.shape[0] <= 1:
            raise ValueError("self.curve must have more than one element along each axis")
        self_rated = self.rated
        self_slope = self.slope
        self_curve = self.curve
        t = 1.2 * self_rated
        t1 = flow > t
        if t1:
            flow = t + self_slope * (flow - t)
        load = flow / self_rated
        t = self_curve[1]
        t2 = self_curve[2] * load
        dload = EFFICIENCY * flow * (2.0 * t2 + t)
        # return EFFICIENCY * flow * self.efficiency(flow)
        t = (self_curve[0] + t * load + t2 * load) * EFFICIENCY
        dflow = dload / self_rated + t
        if t1:
            # flow = self.limit + self.slope * (flow - self.limit)
            dflow *= self_slope
        return dflow


class Operator:
    """Learns how much to release."""

    momentum = 0.8

    def __init__(self, target: float, caution: float = 2.0, days: int = 5):
        self.target, self.caution = target, caution
        self.days = days

    def step(self, level, release):
        return level + 0.1 * (self.target - level) - release

    def cost(self, release, level):
        # release: float, level: float
        if not isinstance(release, float):
            raise TypeError("release must be a float")
        if not isinstance(level, float):
            raise TypeError("level must be a float")
        if type(self.days) is not int:
            raise TypeError("self.days must be an int")
        if not isinstance(self.momentum, float):
            raise TypeError("self.momentum must be a float")
        if not isinstance(self.target, float):
            raise TypeError("self.target must be a float")
        if not isinstance(self.caution, float):
            raise TypeError("self.caution must be a float")
        self_days = self.days
        self_momentum = self.momentum
        self_target = self.target
        self_caution = self.caution
        speed = 0.0
        total = 0.0
        tape = []
        tape1 = []
        for _ in range(self_days):
            speed = self_momentum * speed + release
            level = level + 0.1 * (self_target - level) - speed
            t = level - self_target
            t1 = t ** 2
            t2 = -level
            t3 = t2 * 8.0 > 30.0
            if not t3:
                t2 = math.exp(8.0 * t2)
                tape1.append(t2)
                t2 = math.log1p(t2) / 8.0
            tape.append((t, t3, t2))
            total += t1 + self_caution * t2 ** 2
        # total += (level - self.target) ** 2 + self.caution * ...
        t = 2.0 * self_caution
        dlevel = 0.0
        dspeed = 0.0
        drelease = 0.0
        for _ in reversed(range(self_days)):
            t1, t3, t2 = tape.pop()
            # total += (level - self.target) ** 2 + self.caution * ...
            t2 *= t
            if not t3:
                t4 = tape1.pop()
                # return math.log1p(math.exp(sharpness * x)) / sharpness
                t2 = 8.0 * (t2 / 8.0 / (t4 + 1.0)) * t4
            # total += (level - self.target) ** 2 + self.caution * ...
            dlevel += 2.0 * t1 - t2
            # return level + 0.1 * (self.target - level) - release
            dspeed -= dlevel
            dlevel *= 0.9
            # speed = self.momentum * speed + release
            drelease += dspeed
            dspeed *= self_momentum
        return total, drelease

    @staticmethod
    def tax(income):
        # income: float
        if not isinstance(income, float):
            raise TypeError("income must be a float")
        if income < 10000.0:
            return 0.2
        return 0.4
