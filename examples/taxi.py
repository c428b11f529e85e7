"""The speed of a taxi, fitted to the duration of its trips by gradient descent."""

from sct import value_and_grad

TRIPS = ((6.0, 12.0),)  # kilometres, minutes


def duration(distance: float, speed: float) -> float:
    return 60.0 * distance / speed


def loss(speed: float, trips: tuple) -> float:
    total = 0.0
    for distance, minutes in trips:
        error = duration(distance, speed) - minutes
        total += error**2
    return total / len(trips)


def main() -> None:
    derivative = value_and_grad(loss)
    speed = 35.0
    for step in range(40):
        error, slope = derivative(speed, TRIPS)
        if step % 5 == 0:
            print(f"step {step:2d}: {speed:.4f} km/h, squared error {error:.6f}")
        speed -= 2.0 * slope
    print(f"fitted: {speed:.4f} km/h")
    assert abs(speed - 30.0) < 1e-6


if __name__ == "__main__":
    main()
