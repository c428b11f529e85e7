import numpy as np


def lorenz_forward(s, sigma, rho, beta):
    x = s[0]
    y = s[1]
    z = s[2]
    rho_minus_z = rho - z
    value = np.array([sigma * (y - x), x * rho_minus_z - y, x * y - beta * z])
    return value, (x, y, z, rho_minus_z)


def lorenz_backward(sigma, beta, residuals, dvalue, ds):
    x, y, z, rho_minus_z = residuals
    # return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])
    dvalue_first = dvalue[0]
    dvalue_second = dvalue[1]
    dvalue_third = dvalue[2]
    dy = dvalue_third * x
    dz_term = dvalue_second * x
    dx_term = dvalue_first * sigma
    ds[2] -= dvalue_third * beta + dz_term
    ds[1] += dy + dx_term - dvalue_second
    ds[0] += dvalue_third * y + dvalue_second * rho_minus_z - dx_term
    return ds, dvalue_first * (y - x), dz_term, -dvalue_third * z


def final_x_grad(s, sigma, rho, beta, n, dt):
    # s: f64[3], sigma: float, rho: float, beta: float, n: int, dt: float
    s_now = s
    tape = []
    for _ in range(n):
        k1, residuals = lorenz_forward(s_now, sigma, rho, beta)
        half_dt = dt / 2
        k2, k2_residuals = lorenz_forward(s_now + half_dt * k1, sigma, rho, beta)
        k3, k3_residuals = lorenz_forward(s_now + half_dt * k2, sigma, rho, beta)
        k4, k4_residuals = lorenz_forward(s_now + dt * k3, sigma, rho, beta)
        tape.append((residuals, k2_residuals, k3_residuals, k4_residuals))
        s_now = s_now + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    ds = np.zeros_like(s_now)
    ds[0] = 1.0
    dsigma = 0.0
    drho = 0.0
    dbeta = 0.0
    for _ in reversed(range(n)):
        residuals, k2_residuals, k3_residuals, k4_residuals = tape.pop()
        # k2 = lorenz(s + dt / 2 * k1, sigma, rho, beta)
        half_dt = dt / 2
        # s = s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        dk4 = dt / 6 * ds
        dk3 = 2 * dk4
        # k4 = lorenz(s + dt * k3, sigma, rho, beta)
        dk3_new, dsigma_k4, drho_k4, dbeta_k4 = lorenz_backward(
            sigma, beta, k4_residuals, dk4, np.zeros_like(s)
        )
        ds += dk3_new
        dk3_new *= dt
        dk3_new += dk3
        # k3 = lorenz(s + dt / 2 * k2, sigma, rho, beta)
        dk2, dsigma_k3, drho_k3, dbeta_k3 = lorenz_backward(
            sigma, beta, k3_residuals, dk3_new, np.zeros_like(s)
        )
        ds += dk2
        dk2 *= half_dt
        dk2 += dk3
        # k2 = lorenz(s + dt / 2 * k1, sigma, rho, beta)
        dk1, dsigma_k2, drho_k2, dbeta_k2 = lorenz_backward(
            sigma, beta, k2_residuals, dk2, np.zeros_like(s)
        )
        ds += dk1
        dk1 *= half_dt
        dk1 += dk4
        # k1 = lorenz(s, sigma, rho, beta)
        ds, dsigma_k1, drho_k1, dbeta_k1 = lorenz_backward(
            sigma, beta, residuals, dk1, ds
        )
        dsigma += dsigma_k4 + dsigma_k3 + dsigma_k2 + dsigma_k1
        drho += drho_k4 + drho_k3 + drho_k2 + drho_k1
        dbeta += dbeta_k4 + dbeta_k3 + dbeta_k2 + dbeta_k1
    return ds, dsigma, drho, dbeta
