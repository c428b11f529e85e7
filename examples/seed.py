"""ln(x1) + x1 * x2 - sin(x2): one program, its derivative in both modes."""

import math

from sct import Derivative, jvp, value_and_grad


def seed(x1: float, x2: float) -> float:
    return math.log(x1) + x1 * x2 - math.sin(x2)


def main() -> None:
    reverse = value_and_grad(seed, argnums=(0, 1))
    value, (dx1, dx2) = reverse(2.0, 5.0)
    print(reverse.source)
    print(f"reverse: value {value:.3f}, dy/dx1 {dx1:.3f}, dy/dx2 {dx2:.3f}")
    assert value == seed(2.0, 5.0)
    assert (round(value, 3), round(dx1, 3), round(dx2, 3)) == (11.652, 5.5, 1.716)

    value, slope1 = jvp(seed, (2.0, 5.0), (1.0, 0.0))
    value, slope2 = jvp(seed, (2.0, 5.0), (0.0, 1.0))
    print(Derivative("jvp", seed).source)
    print(f"forward: value {value:.3f}, dy/dx1 {slope1:.3f}, dy/dx2 {slope2:.3f}")
    assert value == seed(2.0, 5.0)
    assert (round(slope1, 3), round(slope2, 3)) == (5.5, 1.716)


if __name__ == "__main__":
    main()
