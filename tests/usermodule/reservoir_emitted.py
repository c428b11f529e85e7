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


def _revenue_1(releases, volume, inflows, level, swing=0.25):
    # releases: f64[n], volume: float, inflows: f64[m], level: float, swing: float
    LOSS_shortage = LOSS["shortage"]
    n = len(releases)
    total = 0.0
    tape = []
    for hour in range(n):
        release = releases[hour]
        volume = volume * (1.0 - EVAPORATION) + inflows[hour] - release
        energy = EFFICIENCY * release * (volume / 250000.0)
        total_factor = level * (
            1.0 + swing * math.cos(6.283185307179586 * (hour - 19.0) / HOURS)
        )
        tape.append((volume, total_factor))
        total += energy * total_factor
        if volume < 0.0:
            total -= LOSS_shortage * (volume * volume)
    dreleases = np.zeros_like(releases)
    # volume = volume * (1.0 - EVAPORATION) + inflows[hour] - release
    dvolume_factor = 1.0 - EVAPORATION
    dvolume = 0.0
    for hour in reversed(range(n)):
        volume, total_factor = tape.pop()
        release = releases[hour]
        if volume < 0.0:
            # return amount * amount
            dvolume -= 2.0 * LOSS_shortage * volume
        # energy = EFFICIENCY * release * head_of(volume)
        drelease_factor = total_factor * EFFICIENCY
        # return volume / area
        dvolume_new = dvolume + drelease_factor * release / 250000.0
        # volume = volume * (1.0 - EVAPORATION) + inflows[hour] - release
        dvolume = dvolume_new * dvolume_factor
        # release = releases[hour]
        dreleases[hour] = drelease_factor * (volume / 250000.0) - dvolume_new
    return total, (dreleases, dvolume)


def _revenue_2(releases, volume, inflows, level, swing=0.25):
    # releases: f64[n], volume: float, inflows: f64[m, k], level: float, swing: float
    # releases: f64[n], volume: float, inflows: f64[m, k, p], level: float, swing: float
    # releases: f64[n, m], volume: float, inflows: f64[k], level: float, swing: float
    # releases: f64[n, p], volume: float, inflows: f64[k, p], level: float, swing: float
    # releases: f64[n, q], volume: float, inflows: f64[k, p, q], level: float,
    # swing: float
    # releases: f64[n, m, k], volume: float, inflows: f64[p], level: float, swing: float
    # releases: f64[n, m, q], volume: float, inflows: f64[p, q], level: float,
    # swing: float
    # releases: f64[n, q, r], volume: float, inflows: f64[p, q, r], level: float,
    # swing: float
    for hour in range(len(releases)):
        inflows[hour]
        math.cos(6.283185307179586 * (hour - 19.0) / HOURS)
        t = ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
        )
        raise t
    return 0.0, (np.zeros_like(releases), 0.0)


def revenue(releases, volume, inflows, level, swing=0.25):
    """What the water earns, less what is lost."""
    if type(releases) is not np.ndarray or releases.dtype != np.float64:
        raise TypeError("releases must be an array of float64")
    if not isinstance(volume, float):
        raise TypeError("volume must be a float")
    if type(inflows) is not np.ndarray or inflows.dtype != np.float64:
        raise TypeError("inflows must be an array of float64")
    if not isinstance(level, float):
        raise TypeError("level must be a float")
    if not isinstance(swing, float):
        raise TypeError("swing must be a float")
    if releases.ndim == 1 and inflows.ndim == 1 and releases.shape[0] > 1:
        return _revenue_1(releases, volume, inflows, level, swing)
    if releases.ndim == 1 and inflows.ndim == 2 and releases.shape[0] > 1 and inflows.shape[1] > 1:
        return _revenue_2(releases, volume, inflows, level, swing)
    if (
        releases.ndim == 1
        and inflows.ndim == 3
        and releases.shape[0] > 1
        and inflows.shape[1] > 1
        and inflows.shape[2] > 1
    ):
        return _revenue_2(releases, volume, inflows, level, swing)
    if releases.ndim == 2 and inflows.ndim == 1 and min(releases.shape) > 1:
        return _revenue_2(releases, volume, inflows, level, swing)
    if (
        releases.ndim == 2
        and inflows.ndim == 2
        and min(releases.shape) > 1
        and inflows.shape[1] == releases.shape[1]
    ):
        return _revenue_2(releases, volume, inflows, level, swing)
    if (
        releases.ndim == 2
        and inflows.ndim == 3
        and min(releases.shape) > 1
        and inflows.shape[2] == releases.shape[1]
        and inflows.shape[1] > 1
    ):
        return _revenue_2(releases, volume, inflows, level, swing)
    if releases.ndim == 3 and inflows.ndim == 1 and min(releases.shape) > 1:
        return _revenue_2(releases, volume, inflows, level, swing)
    if (
        releases.ndim == 3
        and inflows.ndim == 2
        and min(releases.shape) > 1
        and inflows.shape[1] == releases.shape[2]
    ):
        return _revenue_2(releases, volume, inflows, level, swing)
    if (
        releases.ndim == 3
        and inflows.ndim == 3
        and min(releases.shape) > 1
        and inflows.shape[1] == releases.shape[1]
        and inflows.shape[2] == releases.shape[2]
    ):
        return _revenue_2(releases, volume, inflows, level, swing)
    raise TypeError("revenue was not compiled for arguments like these")


def spilled(volume, capacity, gates=3):
    """Water over the gates, each opened when the one before is full."""
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
        x = volume - capacity * (1.0 + 0.1 * gate)
        scaled_x_above = x * 8.0 > 30.0
        if scaled_x_above:
            over = x
            exp_scaled_x = None
        else:
            exp_scaled_x = math.exp(8.0 * x)
            over = math.log1p(exp_scaled_x) / 8.0
        over_below = over < 1e-09
        tape.append((scaled_x_above, exp_scaled_x, over_below))
        if over_below:
            break
        volume -= over
    dvolume = 0.0
    while tape:
        scaled_x_above, exp_scaled_x, over_below = tape.pop()
        if not over_below:
            # spill += LOSS["spill"] * over
            dx = LOSS_spill - dvolume
            if not scaled_x_above:
                # return math.log1p(math.exp(sharpness * x)) / sharpness
                dx = 8.0 * (dx / 8.0 / (exp_scaled_x + 1.0)) * exp_scaled_x
            # over = softplus(volume - capacity * (1.0 + 0.1 * gate))
            dvolume += dx
    return dvolume


def filling_time(rate, volume, capacity):
    """Hours until the reservoir is full; the last hour counts in part."""
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
        volume_from_capacity = volume1 >= capacity
        tape.append((step, volume_from_capacity))
        if volume_from_capacity:
            tape1.append((capacity - volume) / step)
            break
        volume = volume1
    dvolume = 0.0
    drate = 0.0
    while tape:
        step, volume_from_capacity = tape.pop()
        if volume_from_capacity:
            t = tape1.pop()
            # hours += (capacity - volume) / step
            dstep = -t / step
            dvolume -= 1.0 / step
        else:
            dstep = dvolume
        # step = rate - EVAPORATION * volume
        drate += dstep
        dvolume -= dstep * EVAPORATION
    return drate


def _cascade_1(releases, share):
    # releases: f64[n], share: float
    n = len(releases)
    jac = np.empty((n, n))
    for i in range(n):
        dreleases = np.zeros_like(releases)
        dreleases[i] = 1.0
        dvolumes = np.zeros_like(releases)
        dvolumes[0] = -dreleases[0]
        for k in range(1, n):
            # volumes[k] = volumes[k - 1] * share + releases[k - 1] - releases[k] ** 2
            dvolumes_term = dvolumes[k - 1] * share + dreleases[k - 1]
            dvolumes[k] = dvolumes_term - 2.0 * dreleases[k] * releases[k]
        jac[:, i] = dvolumes
    return jac


def _cascade_2(releases, share):
    # releases: f64[n, m], share: float
    n = len(releases)
    m = releases.shape[1]
    jac = np.empty((n, m, n, m))
    for i in range(n):
        for j in range(m):
            dreleases = np.zeros_like(releases)
            dreleases[i, j] = 1.0
            dvolumes = np.zeros_like(releases)
            dvolumes[0] = -dreleases[0]
            for k in range(1, n):
                # volumes[k] = volumes[k - 1] * share + releases[k - 1] - releases[k] ** 2
                dvolumes_term = share * dvolumes[k - 1] + dreleases[k - 1]
                dvolumes[k] = dvolumes_term - 2.0 * dreleases[k] * releases[k]
            jac[:, :, i, j] = dvolumes
    return jac


def _cascade_3(releases, share):
    # releases: f64[n, m, k], share: float
    n = len(releases)
    m = releases.shape[1]
    k2 = releases.shape[2]
    jac = np.empty((n, m, k2, n, m, k2))
    for i in range(n):
        for j in range(m):
            for k in range(k2):
                dreleases = np.zeros_like(releases)
                dreleases[i, j, k] = 1.0
                dvolumes = np.zeros_like(releases)
                dvolumes[0] = -dreleases[0]
                for k1 in range(1, n):
                    # volumes[k] = volumes[k - 1] * share + releases[k - 1] - releases[k] ** 2
                    dvolumes_term = share * dvolumes[k1 - 1] + dreleases[k1 - 1]
                    dvolumes[k1] = dvolumes_term - 2.0 * dreleases[k1] * releases[k1]
                jac[:, :, :, i, j, k] = dvolumes
    return jac


def cascade(releases, share):
    """Volumes along a river, each fed by the one above it."""
    if type(releases) is not np.ndarray or releases.dtype != np.float64:
        raise TypeError("releases must be an array of float64")
    if not isinstance(share, float):
        raise TypeError("share must be a float")
    if releases.ndim == 1 and releases.shape[0] > 1:
        return _cascade_1(releases, share)
    if releases.ndim == 2 and min(releases.shape) > 1:
        return _cascade_2(releases, share)
    if releases.ndim == 3 and min(releases.shape) > 1:
        return _cascade_3(releases, share)
    raise TypeError("cascade was not compiled for arguments like these")


def _routed_1(flow, weights):
    # flow: f64[n], weights: f64[()]
    flow = np.copy(flow)
    tape = []
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        tanh_flow = np.tanh(flow)
        flow_factor = 1.0 - 0.01 * tanh_flow
        tape.append((flow, tanh_flow, flow_factor))
        flow = flow * flow_factor
    # return np.sum(weights * flow * flow)
    dweights = flow @ flow
    dflow = 2.0 * (weights * flow)
    for _ in reversed(range(4)):
        flow, tanh_flow, flow_factor = tape.pop()
        # flow *= 1.0 - 0.01 * np.tanh(flow)
        dflow_factor = flow_factor - 0.01 * flow * (1.0 - tanh_flow * tanh_flow)
        dflow *= dflow_factor
        # flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        half_dflow_tail = 0.5 * dflow[1:]
        dflow[1:] = half_dflow_tail
        dflow[:-1] += half_dflow_tail
    return dflow, np.full_like(weights, dweights)


def _routed_2(flow, weights):
    # flow: f64[n], weights: f64[n]
    flow = np.copy(flow)
    tape = []
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        tanh_flow = np.tanh(flow)
        flow_factor = 1.0 - 0.01 * tanh_flow
        tape.append((flow, tanh_flow, flow_factor))
        flow = flow * flow_factor
    # return np.sum(weights * flow * flow)
    dflow = 2.0 * (weights * flow)
    for _ in reversed(range(4)):
        flow_prev, tanh_flow, flow_factor = tape.pop()
        # flow *= 1.0 - 0.01 * np.tanh(flow)
        dflow_factor = flow_factor - 0.01 * flow_prev * (1.0 - tanh_flow * tanh_flow)
        dflow *= dflow_factor
        # flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        half_dflow_tail = 0.5 * dflow[1:]
        dflow[1:] = half_dflow_tail
        dflow[:-1] += half_dflow_tail
    return dflow, flow * flow


def _routed_3(flow, weights):
    # flow: f64[n], weights: f64[m, n]
    flow = np.copy(flow)
    tape = []
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        tanh_flow = np.tanh(flow)
        flow_factor = 1.0 - 0.01 * tanh_flow
        tape.append((flow, tanh_flow, flow_factor))
        flow = flow * flow_factor
    # return np.sum(weights * flow * flow)
    dflow_factor = np.ones_like(weights) * flow
    dflow = np.sum(weights * flow, axis=0)
    dflow += np.sum(dflow_factor * weights, axis=0)
    for _ in reversed(range(4)):
        flow_prev, tanh_flow, flow_factor = tape.pop()
        # flow *= 1.0 - 0.01 * np.tanh(flow)
        dflow_factor1 = flow_factor - 0.01 * flow_prev * (1.0 - tanh_flow * tanh_flow)
        dflow *= dflow_factor1
        # flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        half_dflow_tail = 0.5 * dflow[1:]
        dflow[1:] = half_dflow_tail
        dflow[:-1] += half_dflow_tail
    return dflow, dflow_factor * flow


def _routed_4(flow, weights):
    # flow: f64[p], weights: f64[m, k, p]
    flow = np.copy(flow)
    tape = []
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        tanh_flow = np.tanh(flow)
        flow_factor = 1.0 - 0.01 * tanh_flow
        tape.append((flow, tanh_flow, flow_factor))
        flow = flow * flow_factor
    # return np.sum(weights * flow * flow)
    dflow_factor = np.ones_like(weights) * flow
    dflow = np.sum(weights * flow, axis=(0, 1))
    dflow += np.sum(dflow_factor * weights, axis=(0, 1))
    for _ in reversed(range(4)):
        flow_prev, tanh_flow, flow_factor = tape.pop()
        # flow *= 1.0 - 0.01 * np.tanh(flow)
        dflow_factor1 = flow_factor - 0.01 * flow_prev * (1.0 - tanh_flow * tanh_flow)
        dflow *= dflow_factor1
        # flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        half_dflow_tail = 0.5 * dflow[1:]
        dflow[1:] = half_dflow_tail
        dflow[:-1] += half_dflow_tail
    return dflow, dflow_factor * flow


def _routed_5(flow, weights):
    # flow: f64[n, m], weights: f64[()]
    # flow: f64[n, m, k], weights: f64[()]
    flow = np.copy(flow)
    tape = []
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        flow_copy = np.copy(flow)
        tanh_flow = np.tanh(flow)
        flow_part = 1.0 - 0.01 * tanh_flow
        tape.append((flow_copy, tanh_flow, flow_part))
        flow *= flow_part
    # return np.sum(weights * flow * flow)
    dweights = np.sum(flow * flow)
    dflow = 2.0 * (weights * flow)
    for _ in reversed(range(4)):
        flow_copy, tanh_flow, flow_part = tape.pop()
        # flow *= 1.0 - 0.01 * np.tanh(flow)
        dflow_factor = flow_part - 0.01 * flow_copy * (1.0 - tanh_flow * tanh_flow)
        dflow *= dflow_factor
        # flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        half_dflow_tail = 0.5 * dflow[1:]
        dflow[1:] = half_dflow_tail
        dflow[:-1] += half_dflow_tail
    return dflow, np.full_like(weights, dweights)


def _routed_6(flow, weights):
    # flow: f64[n, m], weights: f64[m]
    # flow: f64[n, p, q], weights: f64[p, q]
    flow = np.copy(flow)
    tape = []
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        flow_copy = np.copy(flow)
        tanh_flow = np.tanh(flow)
        flow_part = 1.0 - 0.01 * tanh_flow
        tape.append((flow_copy, tanh_flow, flow_part))
        flow *= flow_part
    # return np.sum(weights * flow * flow)
    dweights = np.sum(flow * flow, axis=0)
    dflow = 2.0 * (weights * flow)
    for _ in reversed(range(4)):
        flow_copy, tanh_flow, flow_part = tape.pop()
        # flow *= 1.0 - 0.01 * np.tanh(flow)
        dflow_factor = flow_part - 0.01 * flow_copy * (1.0 - tanh_flow * tanh_flow)
        dflow *= dflow_factor
        # flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        half_dflow_tail = 0.5 * dflow[1:]
        dflow[1:] = half_dflow_tail
        dflow[:-1] += half_dflow_tail
    return dflow, dweights


def _routed_7(flow, weights):
    # flow: f64[n, p], weights: f64[n, p]
    # flow: f64[p, q, r], weights: f64[p, q, r]
    flow = np.copy(flow)
    tape = []
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        flow_copy = np.copy(flow)
        tanh_flow = np.tanh(flow)
        flow_part = 1.0 - 0.01 * tanh_flow
        tape.append((flow_copy, tanh_flow, flow_part))
        flow *= flow_part
    # return np.sum(weights * flow * flow)
    dflow = 2.0 * (weights * flow)
    for _ in reversed(range(4)):
        flow_copy, tanh_flow, flow_part = tape.pop()
        # flow *= 1.0 - 0.01 * np.tanh(flow)
        dflow_factor = flow_part - 0.01 * flow_copy * (1.0 - tanh_flow * tanh_flow)
        dflow *= dflow_factor
        # flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        half_dflow_tail = 0.5 * dflow[1:]
        dflow[1:] = half_dflow_tail
        dflow[:-1] += half_dflow_tail
    return dflow, flow * flow


def _routed_8(flow, weights):
    # flow: f64[p, q], weights: f64[k, p, q]
    flow = np.copy(flow)
    tape = []
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        flow_copy = np.copy(flow)
        tanh_flow = np.tanh(flow)
        flow_part = 1.0 - 0.01 * tanh_flow
        tape.append((flow_copy, tanh_flow, flow_part))
        flow *= flow_part
    # return np.sum(weights * flow * flow)
    dflow_factor = np.ones_like(weights) * flow
    dflow = np.sum(weights * flow, axis=0)
    dflow += np.sum(dflow_factor * weights, axis=0)
    for _ in reversed(range(4)):
        flow_copy, tanh_flow, flow_part = tape.pop()
        # flow *= 1.0 - 0.01 * np.tanh(flow)
        dflow_factor1 = flow_part - 0.01 * flow_copy * (1.0 - tanh_flow * tanh_flow)
        dflow *= dflow_factor1
        # flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        half_dflow_tail = 0.5 * dflow[1:]
        dflow[1:] = half_dflow_tail
        dflow[:-1] += half_dflow_tail
    return dflow, dflow_factor * flow


def _routed_9(flow, weights):
    # flow: f64[n, m, p], weights: f64[p]
    flow = np.copy(flow)
    tape = []
    for _ in range(4):
        flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        flow_copy = np.copy(flow)
        tanh_flow = np.tanh(flow)
        flow_part = 1.0 - 0.01 * tanh_flow
        tape.append((flow_copy, tanh_flow, flow_part))
        flow *= flow_part
    # return np.sum(weights * flow * flow)
    dweights = np.sum(flow * flow, axis=(0, 1))
    dflow = 2.0 * (weights * flow)
    for _ in reversed(range(4)):
        flow_copy, tanh_flow, flow_part = tape.pop()
        # flow *= 1.0 - 0.01 * np.tanh(flow)
        dflow_factor = flow_part - 0.01 * flow_copy * (1.0 - tanh_flow * tanh_flow)
        dflow *= dflow_factor
        # flow[1:] += 0.5 * (flow[:-1] - flow[1:])
        half_dflow_tail = 0.5 * dflow[1:]
        dflow[1:] = half_dflow_tail
        dflow[:-1] += half_dflow_tail
    return dflow, dweights


def routed(flow, weights):
    """A flood wave through a channel, sharpened by its own height."""
    if type(flow) is not np.ndarray or flow.dtype != np.float64:
        raise TypeError("flow must be an array of float64")
    if type(weights) is not np.ndarray or weights.dtype != np.float64:
        raise TypeError("weights must be an array of float64")
    if not flow.flags.writeable:
        raise ValueError("this derivative is for flow.flags.writeable")
    if np.may_share_memory(flow, weights):
        raise ValueError("this derivative is for not np.may_share_memory(flow, weights)")
    if flow.ndim == 1 and weights.ndim == 0:
        return _routed_1(flow, weights)
    if flow.ndim == 1 and weights.ndim == 1 and weights.shape[0] == flow.shape[0]:
        return _routed_2(flow, weights)
    if flow.ndim == 1 and weights.ndim == 2 and weights.shape[1] == flow.shape[0]:
        return _routed_3(flow, weights)
    if flow.ndim == 1 and weights.ndim == 3 and weights.shape[2] == flow.shape[0]:
        return _routed_4(flow, weights)
    if flow.ndim == 2 and weights.ndim == 0 and min(flow.shape) > 1:
        return _routed_5(flow, weights)
    if flow.ndim == 2 and weights.ndim == 1 and min(flow.shape) > 1 and weights.shape[0] == flow.shape[1]:
        return _routed_6(flow, weights)
    if (
        flow.ndim == 2
        and weights.ndim == 2
        and min(flow.shape) > 1
        and weights.shape[0] == flow.shape[0]
        and weights.shape[1] == flow.shape[1]
    ):
        return _routed_7(flow, weights)
    if (
        flow.ndim == 2
        and weights.ndim == 3
        and min(flow.shape) > 1
        and weights.shape[1] == flow.shape[0]
        and weights.shape[2] == flow.shape[1]
    ):
        return _routed_8(flow, weights)
    if flow.ndim == 3 and weights.ndim == 0 and min(flow.shape) > 1:
        return _routed_5(flow, weights)
    if flow.ndim == 3 and weights.ndim == 1 and min(flow.shape) > 1 and weights.shape[0] == flow.shape[2]:
        return _routed_9(flow, weights)
    if (
        flow.ndim == 3
        and weights.ndim == 2
        and min(flow.shape) > 1
        and weights.shape[0] == flow.shape[1]
        and weights.shape[1] == flow.shape[2]
    ):
        return _routed_6(flow, weights)
    if (
        flow.ndim == 3
        and weights.ndim == 3
        and min(flow.shape) > 1
        and weights.shape[0] == flow.shape[0]
        and weights.shape[1] == flow.shape[1]
        and weights.shape[2] == flow.shape[2]
    ):
        return _routed_7(flow, weights)
    raise TypeError("routed was not compiled for arguments like these")


def expected_forward(inflow, depth):
    residuals = residuals_now = sqrt_inflow = None
    if depth == 0:
        sqrt_inflow = math.sqrt(inflow)
    else:
        residuals_now = expected_forward(1.3 * inflow, depth - 1)
        residuals = expected_forward(0.6 * inflow, depth - 1)
    return sqrt_inflow, residuals, residuals_now


def expected_backward(depth, residuals, dvalue):
    sqrt_inflow, residuals, residuals1 = residuals
    if depth == 0:
        dinflow = dvalue * (0.5 / sqrt_inflow if sqrt_inflow else math.inf)
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
    money1 = 0.5 * money
    neg_aversion = -aversion
    worst_exp = math.exp(neg_aversion * money1)
    worst = (1.0 - worst_exp) / aversion
    money = 2.0 * money
    best_exp = math.exp(neg_aversion * money)
    best = (1.0 - best_exp) / aversion
    over_aversion = 0.3 / aversion
    dmoney_factor = over_aversion * best_exp
    over_aversion1 = 0.7 / aversion
    daversion_factor = over_aversion1 * worst_exp
    daversion = (
        dmoney_factor * money
        + daversion_factor * money1
        - (best * over_aversion + worst * over_aversion1)
    )
    # worst, best = like(0.5 * money), like(2.0 * money)
    dmoney = -2.0 * dmoney_factor * neg_aversion - 0.5 * daversion_factor * neg_aversion
    return 0.3 * best + 0.7 * worst, (dmoney, daversion)


def smoothness_grad(plan, target):
    """How far a plan is from a target, and how much it jumps."""
    # plan: f64[n], target: float
    if type(plan) is not np.ndarray or plan.dtype != np.float64 or plan.ndim != 1:
        raise TypeError("plan must be a 1-D array of float64")
    if not isinstance(target, float):
        raise TypeError("target must be a float")
    if plan.shape[0] <= 1:
        raise ValueError("plan must have more than one element along each axis")
    jumps = plan[1:] - plan[:-1]
    # return np.mean((plan - target) ** 2) + 0.1 * np.mean(jumps**2)
    djumps = 0.2 / (jumps**2).shape[0] * jumps
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
    exp_a_times_b = math.exp(a * b)
    dda_factor = exp_a_times_b * b
    exp_a_times_b_times_a = exp_a_times_b * a
    dda = 2.0 * GRAVITY + dda_factor * b
    return (
        (dda, exp_a_times_b_times_a * b + exp_a_times_b),
        (dda_factor * a + exp_a_times_b, exp_a_times_b_times_a * a),
    )


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
        if (
            type(self.curve) is not np.ndarray
            or self.curve.dtype != np.float64
            or self.curve.ndim != 1
        ):
            raise TypeError("self.curve must be a 1-D array of float64")
        if self.curve.shape[0] <= 1:
            raise ValueError("self.curve must have more than one element along each axis")
        self_rated = self.rated
        self_slope = self.slope
        self_curve = self.curve
        scaled_self_rated = 1.2 * self_rated
        flow_is_above = flow > scaled_self_rated
        if flow_is_above:
            flow = scaled_self_rated + self_slope * (flow - scaled_self_rated)
        load = flow / self_rated
        self_curve_second = self_curve[1]
        t = self_curve[2] * load
        dload = EFFICIENCY * flow * (2.0 * t + self_curve_second)
        # return EFFICIENCY * flow * self.efficiency(flow)
        dflow_term = (self_curve[0] + self_curve_second * load + t * load) * EFFICIENCY
        dflow = dload / self_rated + dflow_term
        if flow_is_above:
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
            total_part = level - self_target
            total_term = total_part**2
            x = -level
            scaled_x_above = x * 8.0 > 30.0
            if not scaled_x_above:
                exp_scaled_x = math.exp(8.0 * x)
                tape1.append(exp_scaled_x)
                x = math.log1p(exp_scaled_x) / 8.0
            tape.append((total_part, scaled_x_above, x))
            total += total_term + self_caution * x**2
        twice_self_caution = 2.0 * self_caution
        dlevel = 0.0
        dspeed = 0.0
        drelease = 0.0
        for _ in reversed(range(self_days)):
            total_part, scaled_x_above, x_prev = tape.pop()
            # total += (level - self.target) ** 2 + self.caution * ...
            dx = twice_self_caution * x_prev
            if not scaled_x_above:
                exp_scaled_x = tape1.pop()
                # return math.log1p(math.exp(sharpness * x)) / sharpness
                dx = 8.0 * (dx / 8.0 / (exp_scaled_x + 1.0)) * exp_scaled_x
            # total += (level - self.target) ** 2 + self.caution * ...
            dlevel += 2.0 * total_part - dx
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
