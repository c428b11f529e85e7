def heat_plate_grad(u, steps, rate):
    # u: f64[n, m], steps: int, rate: float
    u_now = u.copy()
    n = u_now.shape[0]
    m = u_now.shape[1]
    for _ in range(steps):
        inner_term = (
            u_now[:-2, 1:-1] + u_now[2:, 1:-1] + u_now[1:-1, :-2] + u_now[1:-1, 2:]
        )
        inner = inner_term - 4.0 * u_now[1:-1, 1:-1]
        u_now[1:-1, 1:-1] += rate * inner
        u_now[n // 2, m // 2] += 0.1
    # return np.mean(u**2)
    du = 2.0 / u.size * u_now
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
