def insulated_rod_grad(diffusivity, start, steps):
    # diffusivity: float, start: f64[n], steps: int
    u = start.copy()
    tape = []
    for _ in range(steps):
        before = u.copy()
        before_inner = before[1:-1]
        u_factor = before[2:] - 2.0 * before_inner + before[:-2]
        tape.append(u_factor)
        u[1:-1] = before_inner + diffusivity * u_factor
        u[0] = 0.0
        u[-1] = u[-2]
    # return np.sum(u**2)
    du = 2.0 * u
    ddiffusivity = 0.0
    for _ in reversed(range(steps)):
        u_factor = tape.pop()
        # u[-1] = u[-2]
        du[-2] += du[-1]
        du[-1] = 0.0
        # u[0] = 0.0
        du[0] = 0.0
        # u[1:-1] = before[1:-1] + diffusivity * (before[2:] - 2.0 * ...
        du_part = diffusivity * du[1:-1]
        ddiffusivity += du[1:-1] @ u_factor
        # before = u.copy()
        du[:-2] += du_part
        du[2:] += du_part
        du_part *= -2.0
        du[1:-1] += du_part
    return ddiffusivity
