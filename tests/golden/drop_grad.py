import math

from programs.objects import Ball


def drop_grad(ball, drag, steps):
    # ball: Ball(height: float, speed: float), drag: float, steps: int
    height = ball.height
    speed = ball.speed
    tape = []
    for _ in range(steps):
        tape.append(speed)
        speed -= 0.01 * (9.81 + drag * speed * abs(speed))
        height += 0.01 * speed
    scaled_height = 0.02 * height
    # self.speed -= dt * (9.81 + drag * self.speed * abs(self.speed))
    scaled_drag = 0.01 * drag
    dspeed = 0.0
    for _ in reversed(range(steps)):
        speed_prev = tape.pop()
        # self.height += dt * self.speed
        dspeed += scaled_height
        # self.speed -= dt * (9.81 + drag * self.speed * abs(self.speed))
        dspeed_factor = speed_prev * (
            math.copysign(1.0, speed_prev) if speed_prev else 0.0
        ) + abs(speed_prev)
        dspeed *= 1.0 - scaled_drag * dspeed_factor
    return Ball(height=2.0 * height, speed=dspeed)
