"""A decision that branches: the value of waiting, by recursion over a tree of prices.

    python examples/tree.py

An American put on a binomial tree: at every node the holder exercises or goes on.  The function
calls itself twice; so do the two that sct makes of it, and nothing of the tree is built.
"""

import math

from sct import value_and_grad


def node(price, strike, up, probability, discount, steps):
    """The value of the option at a node, `steps` before the end."""
    exercised = max(strike - price, 0.0)
    if steps == 0:
        return exercised
    higher = node(price * up, strike, up, probability, discount, steps - 1)
    lower = node(price / up, strike, up, probability, discount, steps - 1)
    return max(exercised, discount * (probability * higher + (1.0 - probability) * lower))


def put(price, volatility, rate, strike=100.0, years=1.0, steps=8):
    dt = years / steps
    up = math.exp(volatility * math.sqrt(dt))
    growth = math.exp(rate * dt)
    probability = (growth - 1.0 / up) / (up - 1.0 / up)
    return node(price, strike, up, probability, 1.0 / growth, steps)


def main() -> None:
    greeks = value_and_grad(put, argnums=("price", "volatility", "rate"))
    value, (delta, vega, rho) = greeks(95.0, 0.3, 0.05)
    print(greeks.source)
    print(f"value {value:.4f}, delta {delta:.4f}, vega {vega:.4f}, rho {rho:.4f}")
    h = 1e-6
    for found, ahead, behind in ((delta, (95.0 + h, 0.3, 0.05), (95.0 - h, 0.3, 0.05)),
                                 (vega, (95.0, 0.3 + h, 0.05), (95.0, 0.3 - h, 0.05)),
                                 (rho, (95.0, 0.3, 0.05 + h), (95.0, 0.3, 0.05 - h))):
        assert abs(found - (put(*ahead) - put(*behind)) / (2.0 * h)) < 1e-6
    assert value == put(95.0, 0.3, 0.05)


if __name__ == "__main__":
    main()
