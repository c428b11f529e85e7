import math

from programs.objects import Ball


def falling_grad(balls, dt, steps):
    # balls: list[Ball(height: float, speed: float)], dt: float, steps: int
    height = [row.height for row in balls]
    speed = [row.speed for row in balls]
    len_height = len(height)
    tape = []
    for _ in range(steps):
        for i in range(len_height):
            height_i = height[i]
            speed_i = speed[i]
            tape.append(speed_i)
            speed1 = speed_i - dt * (9.81 + 0.05 * speed_i * abs(speed_i))
            speed[i] = speed1
            height[i] = height_i + dt * speed1
    dheight = [0.0] * len(height)
    for i in reversed(range(len_height)):
        # return sum(ball.height**2 for ball in balls)
        dheight[i] = 2.0 * height[i]
    dspeed = [0.0] * len(speed)
    for _ in reversed(range(steps)):
        for i in reversed(range(len_height)):
            speed_i = tape.pop()
            # self.speed -= dt * (9.81 + drag * self.speed * abs(self.speed))
            dspeed_new = dheight[i] * dt + dspeed[i]
            dspeed_times_dt = dspeed_new * dt
            dspeed_term = dspeed_new - 0.05 * dspeed_times_dt * speed_i * (
                math.copysign(1.0, speed_i) if speed_i else 0.0
            )
            dspeed[i] = dspeed_term - 0.05 * dspeed_times_dt * abs(speed_i)
    return [Ball(height=v, speed=w) for v, w in zip(dheight, dspeed)]
