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
    t = 0.02 * height
    # self.speed -= dt * (9.81 + drag * self.speed * abs(self.speed))
    t1 = 0.01 * drag
    dspeed = 0.0
    for _ in reversed(range(steps)):
        t2 = tape.pop()
        # self.height += dt * self.speed
        dspeed += t
        # self.speed -= dt * (9.81 + drag * self.speed * abs(self.speed))
        t2 = t2 * (math.copysign(1.0, t2) if t2 else 0.0) + abs(t2)
        dspeed *= 1.0 - t1 * t2
    return Ball(height=2.0 * height, speed=dspeed)
