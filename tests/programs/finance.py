"""Prices and their sensitivities."""

import math

import numpy as np


def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def black_scholes(spot, strike, rate, sigma, time):
    d1 = (math.log(spot / strike) + (rate + 0.5 * sigma**2) * time) / (sigma * math.sqrt(time))
    d2 = d1 - sigma * math.sqrt(time)
    return spot * normal_cdf(d1) - strike * math.exp(-rate * time) * normal_cdf(d2)


def greeks(spot, strike, rate, sigma, time):
    root = math.sqrt(time)
    d1 = (math.log(spot / strike) + (rate + 0.5 * sigma**2) * time) / (sigma * root)
    density = math.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi)
    discount = math.exp(-rate * time) * normal_cdf(d1 - sigma * root)
    return {
        0: normal_cdf(d1),
        1: -discount,
        2: strike * time * discount,
        3: spot * density * root,
        4: 0.5 * spot * density * sigma / root + rate * strike * discount,
    }


def book(spot, sigma, contracts):
    """A portfolio of options; the ones too far out of the money are skipped."""
    total = 0.0
    for strike, time, count in contracts:
        if strike > 2.0 * spot:
            continue
        price = black_scholes(spot, strike, 0.02, sigma, time)
        total += count * price
    return total


def implied_volatility(price, spot, strike, time):
    """Newton's method on the price, by the hand-written vega."""
    sigma = 0.3
    for _ in range(20):
        root = sigma * math.sqrt(time)
        d1 = (math.log(spot / strike) + 0.5 * sigma * sigma * time) / root
        gap = black_scholes(spot, strike, 0.0, sigma, time) - price
        vega = spot * math.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi) * math.sqrt(time)
        sigma -= gap / vega
        if abs(gap) < 1e-12:
            break
    return sigma


def binomial_call(spot, strike, rate, sigma, steps):
    """A tree folded in place, level by level."""
    dt = 1.0 / steps
    up = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    discount = math.exp(-rate * dt)
    values = np.empty(steps + 1)
    for k in range(steps + 1):
        values[k] = max(spot * up ** (2 * k - steps) - strike, 0.0)
    for level in reversed(range(steps)):
        values[: level + 1] = discount * (p * values[1 : level + 2] + (1.0 - p) * values[: level + 1])
    return values[0]


def american_put(spot, strike, sigma, steps):
    """Early exercise at every node: a maximum a node, in place."""
    dt = 1.0 / steps
    up = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(0.05 * dt) - 1.0 / up) / (up - 1.0 / up)
    values = np.maximum(strike - spot * up ** np.arange(-steps, steps + 1.0, 2.0), 0.0)
    for level in reversed(range(steps)):
        for k in range(level + 1):
            held = math.exp(-0.05 * dt) * (p * values[k + 1] + (1.0 - p) * values[k])
            exercised = strike - spot * up ** (2 * k - level)
            values[k] = held if held > exercised else exercised
    return values[0]


def bond_price(rates, coupon, face):
    """Cash flows discounted along a curve of yearly forward rates."""
    discount = 1.0
    price = 0.0
    for rate in rates:
        discount /= 1.0 + rate
        price += coupon * discount
    return price + face * discount


def yield_to_maturity(price, coupon, years):
    rate = 0.05
    change = 1.0
    while abs(change) > 1e-13:
        value = slope = 0.0
        for year in range(1, years + 1):
            cash = coupon if year < years else 100.0 + coupon
            value += cash / (1.0 + rate) ** year
            slope -= year * cash / (1.0 + rate) ** (year + 1)
        change = (value - price) / slope
        rate -= change
    return rate


def mortgage(balance, rate, payment):
    """What is left of a loan when it would be paid off, and the interest until then."""
    interest = 0.0
    months = 0
    while balance > 0.0:
        due = balance * rate / 12.0
        interest += due
        balance += due - payment
        months += 1
        if months >= 360:
            return interest
    return interest + balance


def portfolio_risk(weights, covariance, penalty):
    """Risk with proportional costs, on weights normalised in place."""
    weights = weights.copy()
    weights /= np.sum(weights)
    variance = weights @ covariance @ weights
    return np.sqrt(variance) + penalty * np.sum(np.abs(weights - 1.0 / len(weights)))


def asian_paths(spot, sigma, shocks):
    """The mean payoff over paths, one row of shocks each; a path that halves is dropped."""
    total = 0.0
    for path in shocks:
        price = spot
        mean = 0.0
        for day, shock in enumerate(path):
            price *= math.exp(sigma * shock - 0.5 * sigma * sigma)
            mean += (price - mean) / (day + 1)
            if price < 0.5 * spot:
                break
        else:
            total += mean
    return total / len(shocks)


def drawdown(returns):
    """The deepest fall of wealth below its running maximum, smoothly penalised."""
    wealth = peak = 1.0
    worst = 0.0
    for r in returns:
        wealth *= 1.0 + r
        peak = max(peak, wealth)
        worst += (1.0 - wealth / peak) ** 2
    return math.sqrt(worst)


def _covariance(rng, n):
    factor = rng.normal(size=(n, n))
    return factor @ factor.T + np.eye(n)


INPUTS = {
    "black_scholes": lambda rng: (100.0, 95.0, 0.03, 0.2, 0.75),
    "book": lambda rng: (100.0, 0.25, [(95.0, 0.5, 2.0), (250.0, 1.0, 5.0), (110.0, 1.5, -1.0)]),
    "implied_volatility": lambda rng: (8.0, 100.0, 105.0, 1.0),
    "binomial_call": lambda rng: (100.0, 97.0, 0.03, 0.2, 6),
    "american_put": lambda rng: (93.0, 100.0, 0.3, 5),
    "bond_price": lambda rng: (0.02 + 0.03 * rng.random(6), 4.0, 100.0),
    "yield_to_maturity": lambda rng: (95.0, 4.0, 6),
    "mortgage": lambda rng: (1000.0, 0.05, 90.0),
    "portfolio_risk": lambda rng: (0.5 + rng.random(4), _covariance(rng, 4), 0.1),
    "asian_paths": lambda rng: (100.0, 0.2, rng.normal(size=(5, 4))),
    "drawdown": lambda rng: (0.1 * rng.normal(size=12),),
}

GRADIENTS = {"black_scholes": greeks}
