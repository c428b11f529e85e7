"""A ball thrown at a target: a rollout that ends when the ball lands."""

import numpy as np

from sct import value_and_grad


def miss(throw: np.ndarray, target: float) -> float:
    """The squared distance between the target and where the ball comes down, drag included."""
    x, y = 0.0, 1.5
    vx, vy = throw[0], throw[1]
    dt = 0.02
    for _ in range(1000):
        drag = 0.02 * (vx * vx + vy * vy) ** 0.5
        vx -= dt * drag * vx
        vy -= dt * (9.81 + drag * vy)
        if y + dt * vy < 0.0:
            x -= vx * y / vy
            break
        x += dt * vx
        y += dt * vy
    return (x - target) ** 2


def main() -> None:
    derivative = value_and_grad(miss)
    throw = np.array([8.0, 6.0])
    for step in range(60):
        error, slope = derivative(throw, 20.0)
        if step % 10 == 0:
            print(f"step {step:2d}: thrown at {throw.round(3)}, squared miss {error:.6f}")
        throw -= 0.1 * slope
    print(f"thrown at {throw.round(3)}, squared miss {error:.2e}")
    assert error < 1e-6


if __name__ == "__main__":
    main()
