"""The noise of a moving target, by maximum likelihood: the gradient goes through a Kalman filter.

    python examples/kalman.py

A target moves with random accelerations, its position is seen with an error.  The two standard
deviations are found from the positions alone, by Newton's method on the log likelihood.
"""

import numpy as np

from sct import grad, hessian


def log_likelihood(log_noise, seen, dt):
    """The log likelihood of the positions `seen`; log_noise: of the acceleration, of the error."""
    q, r = np.exp(2.0 * log_noise[0]), np.exp(2.0 * log_noise[1])
    F = np.array([[1.0, dt], [0.0, 1.0]])
    Q = q * np.array([[0.25 * dt**4, 0.5 * dt**3], [0.5 * dt**3, dt**2]])
    state = np.array([seen[0], 0.0])
    P = np.array([[r, 0.0], [0.0, 1.0]])
    total = 0.0
    for z in seen[1:]:
        state = F @ state
        P = F @ P @ F.T + Q
        innovation = z - state[0]
        variance = P[0, 0] + r
        gain = P[:, 0] / variance
        state = state + gain * innovation
        P = P - np.outer(gain, P[0, :])
        total -= 0.5 * (np.log(2.0 * np.pi * variance) + innovation**2 / variance)
    return total


def simulate(rng, steps, dt, acceleration, error):
    position, speed = 0.0, 0.0
    seen = np.empty(steps)
    for k in range(steps):
        a = acceleration * rng.normal()
        position, speed = position + speed * dt + 0.5 * a * dt**2, speed + a * dt
        seen[k] = position + error * rng.normal()
    return seen


def main() -> None:
    dt = 0.1
    seen = simulate(np.random.default_rng(1), 2000, dt, acceleration=0.8, error=0.3)
    slope, curvature = grad(log_likelihood), hessian(log_likelihood)
    guess = np.log([0.4, 0.4])
    for step in range(8):
        g = slope(guess, seen, dt)
        guess = guess - np.linalg.solve(curvature(guess, seen, dt), g)
        print(f"step {step}: acceleration {np.exp(guess[0]):.4f}, error {np.exp(guess[1]):.4f}, "
              f"|gradient| {np.linalg.norm(g):.2e}")
    spread = np.sqrt(np.diag(np.linalg.inv(-curvature(guess, seen, dt))))
    print(f"acceleration 0.8 is found as {np.exp(guess[0]):.3f}, within {100.0 * spread[0]:.1f} %; "
          f"error 0.3 as {np.exp(guess[1]):.3f}, within {100.0 * spread[1]:.1f} %")
    assert np.linalg.norm(slope(guess, seen, dt)) < 1e-6
    assert np.all(np.abs(guess - np.log([0.8, 0.3])) < 4.0 * spread)


if __name__ == "__main__":
    main()
