"""A product that value and gradient share, and the logistic map by a loop."""

import math

from sct import grad, value_and_grad


def cube(x: float) -> float:
    return x * x * x


def logistic_map(x: float, n: int) -> float:
    for _ in range(n):
        x = 4.0 * x * (1.0 - x)
    return x


def logistic_map_slope(x: float, n: int) -> float:
    """The closed form: x is sin(a)**2, and each application doubles a."""
    angle = math.asin(math.sqrt(x))
    return 2.0**n * math.sin(2.0 ** (n + 1) * angle) / math.sin(2.0 * angle)


def main() -> None:
    derivative = value_and_grad(cube)
    value, slope = derivative(3.0)
    print(derivative.source)
    print(f"cube at 3: value {value}, slope {slope}")
    assert (value, slope) == (27.0, 27.0)
    assert derivative.source.count("x * x") == 1

    derivative = grad(logistic_map)
    for n in (0, 1, 2, 5, 10):
        slope = derivative(0.2, n)
        print(f"logistic map, {n} times: slope {slope:.6f}")
        assert math.isclose(slope, logistic_map_slope(0.2, n), rel_tol=1e-9)
    print(derivative.source)


if __name__ == "__main__":
    main()
