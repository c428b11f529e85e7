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
    # self.height += dt * self.speed
    scaled_height = 0.02 * height
    # self.speed -= dt * (9.81 + drag * self.speed * abs(self.speed))
    scaled_drag = 0.01 * drag
    dspeed = 0.0
    for _ in reversed(range(steps)):
        t = tape.pop()
        # self.height += dt * self.speed
        dspeed += scaled_height
        # self.speed -= dt * (9.81 + drag * self.speed * abs(self.speed))
        dspeed_factor = t * (math.copysign(1.0, t) if t else 0.0) + abs(t)
        dspeed *= 1.0 - scaled_drag * dspeed_factor
    return Ball(height=2.0 * height, speed=dspeed)
