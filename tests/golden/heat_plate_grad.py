def heat_plate_grad(u, steps, rate):
    # u: f64[n, m], steps: int, rate: float
    u1 = u.copy()
    n = u1.shape[0]
    m = u1.shape[1]
    for _ in range(steps):
        t = u1[:-2, 1:-1] + u1[2:, 1:-1] + u1[1:-1, :-2] + u1[1:-1, 2:]
        inner = t - 4.0 * u1[1:-1, 1:-1]
        u1[1:-1, 1:-1] += rate * inner
        u1[n // 2, m // 2] += 0.1
    # return np.mean(u**2)
    du = 2.0 / u.size * u1
    for _ in range(steps):
        # u[1:-1, 1:-1] += rate * inner
        dinner = rate * du[1:-1, 1:-1]
        # inner = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - ...
        du[1:-1, 1:-1] -= 4.0 * dinner
        du[1:-1, 2:] += dinner
        du[1:-1, :-2] += dinner
        du[2:, 1:-1] += dinner
        du[:-2, 1:-1] += dinner
    return du
