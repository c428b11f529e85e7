import numpy as np


def lorenz_forward(s, sigma, rho, beta):
    x = s[0]
    y = s[1]
    z = s[2]
    t = rho - z
    value = np.array([sigma * (y - x), x * t - y, x * y - beta * z])
    return value, (x, y, z, t)


def lorenz_backward(sigma, beta, residuals, dvalue, ds):
    x, y, z, t = residuals
    # return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])
    t1 = dvalue[0]
    t2 = dvalue[1]
    t3 = dvalue[2]
    dy = t3 * x
    t4 = t2 * x
    t5 = t1 * sigma
    ds[2] -= t3 * beta + t4
    ds[1] += dy + t5 - t2
    ds[0] += t3 * y + t2 * t - t5
    return ds, t1 * (y - x), t4, -t3 * z


def final_x_grad(s, sigma, rho, beta, n, dt):
    # s: f64[3], sigma: float, rho: float, beta: float, n: int, dt: float
    s1 = s
    tape = []
    for _ in range(n):
        k1, residuals = lorenz_forward(s1, sigma, rho, beta)
        t = dt / 2
        k2, residuals1 = lorenz_forward(s1 + t * k1, sigma, rho, beta)
        k3, residuals2 = lorenz_forward(s1 + t * k2, sigma, rho, beta)
        k4, residuals3 = lorenz_forward(s1 + dt * k3, sigma, rho, beta)
        tape.append((residuals, residuals1, residuals2, residuals3))
        s1 = s1 + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    ds = np.zeros_like(s1)
    ds[0] = 1.0
    dsigma = 0.0
    drho = 0.0
    dbeta = 0.0
    for _ in reversed(range(n)):
        residuals, residuals1, residuals2, residuals3 = tape.pop()
        # k2 = lorenz(s + dt / 2 * k1, sigma, rho, beta)
        t = dt / 2
        # s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        dk4 = dt / 6 * ds
        dk3 = 2 * dk4
        # k4 = lorenz(s + dt * k3, sigma, rho, beta)
        dk3_1, dsigma1, drho1, dbeta1 = lorenz_backward(sigma, beta, residuals3, dk4,
            np.zeros_like(s))
        ds += dk3_1
        dk3_1 *= dt
        dk3_1 += dk3
        # k3 = lorenz(s + dt / 2 * k2, sigma, rho, beta)
        dk2, dsigma2, drho2, dbeta2 = lorenz_backward(sigma, beta, residuals2, dk3_1,
            np.zeros_like(s))
        ds += dk2
        dk2 *= t
        dk2 += dk3
        # k2 = lorenz(s + dt / 2 * k1, sigma, rho, beta)
        dk1, dsigma3, drho3, dbeta3 = lorenz_backward(sigma, beta, residuals1, dk2,
            np.zeros_like(s))
        ds += dk1
        dk1 *= t
        dk1 += dk4
        # k1 = lorenz(s, sigma, rho, beta)
        ds, dsigma4, drho4, dbeta4 = lorenz_backward(sigma, beta, residuals, dk1, ds)
        dsigma += dsigma1 + dsigma2 + dsigma3 + dsigma4
        drho += drho1 + drho2 + drho3 + drho4
        dbeta += dbeta1 + dbeta2 + dbeta3 + dbeta4
    return ds, dsigma, drho, dbeta
