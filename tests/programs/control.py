"""Dynamics with decisions: controllers, epidemics, searches, dynamic programmes."""

import math

import numpy as np


def sir(beta, gamma, days):
    """The peak of an epidemic; the simulation ends when the infections fall."""
    s, i = 0.99, 0.01
    for _ in range(days):
        new = beta * s * i
        s, i, previous = s - new, i + new - gamma * i, i
        if i < previous:
            return previous
    return i


def seir_interventions(beta, schedule, sigma, gamma):
    """Compartments in one array, contact reduced while the infections are high."""
    state = np.array([0.97, 0.02, 0.01, 0.0])
    locked = False
    cost = 0.0
    for reduction in schedule:
        locked = state[2] > 0.03 or (locked and state[2] > 0.01)
        contact = beta * (1.0 - reduction) if locked else beta
        exposed = contact * state[0] * state[2]
        ill = sigma * state[1]
        well = gamma * state[2]
        state = state + np.stack([-exposed, exposed - ill, ill - well, well])
        cost += state[2] + (reduction**2 if locked else 0.0)
    return cost


def lotka_volterra(prey, predators, rates, steps):
    a, b, c, d = rates
    for _ in range(steps):
        prey, predators = prey + 0.1 * prey * (a - b * predators), predators + 0.1 * predators * (c * prey - d)
    return prey * predators


def pid(gains, target, steps):
    """A controller with a clipped output on a lagging plant."""
    kp, ki, kd = gains["p"], gains["i"], gains["d"]
    x = integral = 0.0
    last = target
    cost = 0.0
    for _ in range(steps):
        error = target - x
        integral += 0.1 * error
        u = kp * error + ki * integral + kd * (error - last) / 0.1
        u = max(-5.0, min(5.0, u))
        x += 0.1 * (u - x)
        last = error
        cost += error * error
    return cost


def riccati(a, b, q, r, horizon):
    """The scalar Riccati recursion until it settles."""
    p = q
    for _ in range(horizon):
        gain = a * b * p / (r + b * b * p)
        new = q + a * a * p - a * b * p * gain
        if abs(new - p) < 1e-14:
            break
        p = new
    return p


def lqr_cost(gain, A, B, x, steps):
    """A linear feedback rolled out on matrices."""
    cost = 0.0
    for _ in range(steps):
        u = -gain @ x
        cost += x @ x + 0.1 * (u @ u)
        x = A @ x + B @ u
    return cost


def cart_pole(policy, steps):
    """A rollout that ends when the pole falls."""
    state = np.array([0.0, 0.1, 0.12, 0.0])
    reward = 0.0
    for _ in range(steps):
        x, v, angle, speed = state
        if abs(angle) > 0.5 or abs(x) > 2.0:
            break
        force = 10.0 * math.tanh(policy @ state)
        s, c = math.sin(angle), math.cos(angle)
        t = (force + 0.05 * speed * speed * s) / 1.1
        turn = (9.8 * s - c * t) / (0.5 * (4.0 / 3.0 - 0.1 * c * c / 1.1))
        push = t - 0.05 * turn * c / 1.1
        state = state + 0.05 * np.array([v, push, speed, turn])
        reward += 1.0 - angle**2 - 0.01 * force**2
    return reward


def bisection(a, b, c):
    """A root of a cubic by bisection, then two Newton steps that carry the derivative."""
    low, high = 0.0, 10.0
    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        if a * middle**3 + b * middle - c > 0.0:
            high = middle
        else:
            low = middle
    x = 0.5 * (low + high)
    for _ in range(4):
        x -= (a * x**3 + b * x - c) / (3.0 * a * x**2 + b)
    return x


def bisection_slopes(a, b, c):
    x = bisection(a, b, c)
    slope = 3.0 * a * x**2 + b
    return {0: -(x**3) / slope, 1: -x / slope, 2: 1.0 / slope}


def viterbi(scores, transition):
    """The best path's score by a table of maxima."""
    n, m = scores.shape
    table = np.empty((n, m))
    table[0] = scores[0]
    for t in range(1, n):
        for j in range(m):
            best = table[t - 1, 0] + transition[0, j]
            for i in range(1, m):
                candidate = table[t - 1, i] + transition[i, j]
                if candidate > best:
                    best = candidate
            table[t, j] = best + scores[t, j]
    return np.max(table[n - 1])


def edit_distance(x, y, gap):
    """A sequence alignment by two rows that swap."""
    previous = gap * np.arange(len(y) + 1.0)
    current = np.zeros_like(previous)
    for a in x:
        current[0] = previous[0] + gap
        for j in range(len(y)):
            current[j + 1] = min(previous[j] + (a - y[j]) ** 2, previous[j + 1] + gap, current[j] + gap)
        previous, current = current, previous
    return previous[-1]


def shortest_path(weights, rounds):
    """Bellman-Ford on a dense graph, relaxed in place."""
    n = len(weights)
    distance = np.full(n, 100.0)
    distance[0] = 0.0
    for _ in range(rounds):
        changed = False
        for i in range(n):
            for j in range(n):
                reached = distance[i] + weights[i, j]
                if reached < distance[j]:
                    distance[j] = reached
                    changed = True
        if not changed:
            break
    return np.sum(distance**2)


def value_iteration(rewards, discount, sweeps):
    """A corridor: move left or right, values updated in place."""
    values = np.zeros(len(rewards))
    n = len(rewards)
    for _ in range(sweeps):
        for s in range(n):
            left = values[max(s - 1, 0)]
            right = values[min(s + 1, n - 1)]
            values[s] = rewards[s] + discount * max(left, right)
    return values[0]


def inventory(order_up_to, demand, holding, shortage):
    """Stock reordered when it runs below a level, with lost sales."""
    stock = order_up_to
    cost = 0.0
    for k in range(len(demand)):
        stock -= demand[k]
        if stock < 0.0:
            cost -= shortage * stock
            stock = 0.0
        cost += holding * stock * stock
        if stock < 0.3 * order_up_to:
            cost += 1.0 + 0.5 * (order_up_to - stock)
            stock = order_up_to
    return cost


def traffic(positions, speeds, steps):
    """Cars that follow each other around a ring."""
    x = positions.copy()
    v = speeds.copy()
    n = len(x)
    for _ in range(steps):
        for i in range(n):
            gap = x[(i + 1) % n] - x[i]
            if i == n - 1:
                gap += 10.0
            wanted = math.tanh(gap - 1.0) + 0.5
            v[i] += 0.2 * (wanted - v[i])
        x += 0.1 * v
    return np.sum(v * v)


def thermostat(power, insulation, outside):
    """Hysteresis: heating goes on and off at two levels."""
    inside = 18.0
    heating = False
    cost = 0.0
    for temperature in outside:
        if heating and inside > 21.0:
            heating = False
        elif not heating and inside < 19.0:
            heating = True
        inside += insulation * (temperature - inside)
        if heating:
            inside += power
            cost += power**2
    return cost + (inside - 20.0) ** 2


INPUTS = {
    "sir": lambda rng: (0.5, 0.1, 60),
    "seir_interventions": lambda rng: (1.6, 0.5 * rng.random(10), 0.3, 0.2),
    "lotka_volterra": lambda rng: (1.2, 0.8, (1.1, 0.4, 0.3, 0.6), 8),
    "pid": lambda rng: ({"p": 2.0, "i": 0.5, "d": 0.05}, 1.0, 12),
    "riccati": lambda rng: (0.9, 0.5, 1.0, 0.3, 60),
    "lqr_cost": lambda rng: (
        rng.normal(size=(1, 2)),
        np.array([[1.0, 0.1], [0.0, 1.0]]),
        np.array([[0.0], [0.1]]),
        rng.normal(size=2),
        5,
    ),
    "cart_pole": lambda rng: (np.array([0.1, 0.2, 0.4, 0.1]), 30),
    "bisection": lambda rng: (0.7, 1.3, 5.0),
    "viterbi": lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(3, 3))),
    "edit_distance": lambda rng: (rng.normal(size=4), rng.normal(size=5), 0.7),
    "shortest_path": lambda rng: (0.5 + rng.random((4, 4)), 10),
    "value_iteration": lambda rng: (rng.normal(size=5), 0.9, 6),
    "inventory": lambda rng: (5.0, 1.0 + rng.random(9), 0.1, 3.0),
    "traffic": lambda rng: (2.0 * np.arange(5.0) + 0.3 * rng.random(5), rng.random(5), 4),
    "thermostat": lambda rng: (1.5, 0.1, 5.0 + 5.0 * rng.random(12)),
}

GRADIENTS = {"bisection": bisection_slopes}
