"""Ten programs unlike the exemplars, each with the gradient that a careful
numerical programmer writes for it.

A gradient is the reverse of the program as it is written, without identities
that turn it into another program; it leaves its arguments alone.
`handwritten.py` lists the inputs and checks every pair.
"""

import math

import numpy as np


# 1. Thomas: a tridiagonal system solved in place.
def thomas(a, b, c, d):
    n = len(d)
    b = b.copy()
    d = d.copy()
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    d[n - 1] /= b[n - 1]
    for i in reversed(range(n - 1)):
        d[i] = (d[i] - c[i] * d[i + 1]) / b[i]
    return np.sum(d * d)


def thomas_grad(a, b, c, d):
    n = len(d)
    b = b.copy()
    x = d.copy()
    ws = [0.0]
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        x[i] -= w * x[i - 1]
        ws.append(w)
    y = x.copy()
    x[n - 1] /= b[n - 1]
    for i in reversed(range(n - 1)):
        x[i] = (x[i] - c[i] * x[i + 1]) / b[i]
    da, db, dc = np.zeros_like(a), np.zeros_like(b), np.zeros_like(c)
    dx = 2.0 * x
    for i in range(n - 1):
        t = dx[i] / b[i]
        dx[i] = t
        db[i] = -t * x[i]
        dc[i] = -t * x[i + 1]
        dx[i + 1] -= t * c[i]
    t = dx[n - 1] / b[n - 1]
    dx[n - 1] = t
    db[n - 1] = -t * x[n - 1]
    for i in reversed(range(1, n)):
        w = ws[i]
        t = -(dx[i] * y[i - 1] + db[i] * c[i - 1]) / b[i - 1]
        dx[i - 1] -= dx[i] * w
        dc[i - 1] -= db[i] * w
        da[i] = t
        db[i - 1] -= t * w
    return da, db, dc, dx


# 2. Nonlinear Gauss-Seidel: every update reads the one before it.
def seidel(u, f, sweeps):
    n = len(u)
    u = u.copy()
    for _ in range(sweeps):
        for i in range(1, n - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i] - 0.1 * u[i] ** 3)
    return u @ u


def seidel_grad(u, f, sweeps):
    n = len(u)
    u = u.copy()
    tape = []
    for _ in range(sweeps):
        for i in range(1, n - 1):
            old = u[i]
            tape.append(old)
            u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i] - 0.1 * old**3)
    df = np.zeros_like(f)
    du = 2.0 * u
    for _ in range(sweeps):
        for i in reversed(range(1, n - 1)):
            t = 0.5 * du[i]
            old = tape.pop()
            du[i - 1] += t
            du[i + 1] += t
            df[i] += t
            du[i] = -0.3 * t * old**2
    return du, df


# 3. LU in place: the factors that the adjoint reads are the final contents.
def lu_logdet(A):
    A = A.copy()
    n = len(A)
    total = 0.0
    for k in range(n):
        total += math.log(abs(A[k, k]))
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
    return total


def lu_logdet_grad(A):
    A = A.copy()
    n = len(A)
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
    dA = np.zeros_like(A)
    for k in reversed(range(n)):
        pivot = A[k, k]
        row = A[k, k + 1 :]
        drow = dA[k, k + 1 :]
        dpivot = 1.0 / pivot
        for i in range(k + 1, n):
            factor = A[i, k]
            below = dA[i, k + 1 :]
            drow -= factor * below
            t = (dA[i, k] - below @ row) / pivot
            dA[i, k] = t
            dpivot -= t * factor
        dA[k, k] += dpivot
    return dA


# 4. Soft-DTW by a table.
def soft_dtw(x, y, gamma):
    n, m = len(x), len(y)
    R = np.full((n + 1, m + 1), 1e10)
    R[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            a, b, c = R[i, j], R[i, j + 1], R[i + 1, j]
            low = min(a, b, c)
            total = math.exp((low - a) / gamma) + math.exp((low - b) / gamma) + math.exp((low - c) / gamma)
            R[i + 1, j + 1] = (x[i] - y[j]) ** 2 + low - gamma * math.log(total)
    return R[n, m]


def soft_dtw_grad(x, y, gamma):
    n, m = len(x), len(y)
    R = np.full((n + 1, m + 1), 1e10)
    R[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            a, b, c = R[i, j], R[i, j + 1], R[i + 1, j]
            low = min(a, b, c)
            total = math.exp((low - a) / gamma) + math.exp((low - b) / gamma) + math.exp((low - c) / gamma)
            R[i + 1, j + 1] = (x[i] - y[j]) ** 2 + low - gamma * math.log(total)
    dR = np.zeros_like(R)
    dR[n, m] = 1.0
    dx = np.zeros_like(x)
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            t = dR[i + 1, j + 1]
            d = x[i] - y[j]
            dx[i] += 2.0 * t * d
            soft = R[i + 1, j + 1] - d * d
            dR[i, j] += t * math.exp((soft - R[i, j]) / gamma)
            dR[i, j + 1] += t * math.exp((soft - R[i, j + 1]) / gamma)
            dR[i + 1, j] += t * math.exp((soft - R[i + 1, j]) / gamma)
    return dx


# 5. A damped pendulum by RK4; the state is two floats.
def pendulum(angle, speed, k, steps):
    h = 0.02
    total = 0.0
    for _ in range(steps):
        a1 = -k * math.sin(angle) - 0.1 * speed
        s2 = speed + 0.5 * h * a1
        a2 = -k * math.sin(angle + 0.5 * h * speed) - 0.1 * s2
        s3 = speed + 0.5 * h * a2
        a3 = -k * math.sin(angle + 0.5 * h * s2) - 0.1 * s3
        s4 = speed + h * a3
        a4 = -k * math.sin(angle + h * s3) - 0.1 * s4
        angle = angle + h / 6.0 * (speed + 2.0 * s2 + 2.0 * s3 + s4)
        speed = speed + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        total += angle * angle
    return total


def pendulum_grad(angle, speed, k, steps):
    h = 0.02
    tape = []
    for _ in range(steps):
        q1 = angle
        n1 = math.sin(q1)
        a1 = -k * n1 - 0.1 * speed
        s2 = speed + 0.5 * h * a1
        q2 = angle + 0.5 * h * speed
        n2 = math.sin(q2)
        a2 = -k * n2 - 0.1 * s2
        s3 = speed + 0.5 * h * a2
        q3 = angle + 0.5 * h * s2
        n3 = math.sin(q3)
        a3 = -k * n3 - 0.1 * s3
        s4 = speed + h * a3
        q4 = angle + h * s3
        n4 = math.sin(q4)
        a4 = -k * n4 - 0.1 * s4
        angle = angle + h / 6.0 * (speed + 2.0 * s2 + 2.0 * s3 + s4)
        speed = speed + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        tape.append((q1, q2, q3, q4, n1, n2, n3, n4, angle))
    dangle = dspeed = dk = 0.0
    for _ in range(steps):
        q1, q2, q3, q4, n1, n2, n3, n4, angle = tape.pop()
        dangle += 2.0 * angle
        t = h / 6.0 * dangle
        da = h / 6.0 * dspeed
        ds4 = t - 0.1 * da
        dq4 = -da * k * math.cos(q4)
        dk -= da * n4
        da3 = 2.0 * da + h * ds4
        ds3 = 2.0 * t + h * dq4 - 0.1 * da3
        dq3 = -da3 * k * math.cos(q3)
        dk -= da3 * n3
        da2 = 2.0 * da + 0.5 * h * ds3
        ds2 = 2.0 * t + 0.5 * h * dq3 - 0.1 * da2
        dq2 = -da2 * k * math.cos(q2)
        dk -= da2 * n2
        da1 = da + 0.5 * h * ds2
        dk -= da1 * n1
        dspeed += t + ds2 + ds3 + ds4 + 0.5 * h * dq2 - 0.1 * da1
        dangle += dq2 + dq3 + dq4 - da1 * k * math.cos(q1)
    return dangle, dspeed, dk


# 6. An average-price option on a path of daily returns, knocked out at a barrier.
def barrier_option(spot, sigma, shocks, rate, strike, barrier):
    dt = 1.0 / 252.0
    total = 0.0
    days = 0
    for shock in shocks:
        spot *= math.exp((rate - 0.5 * sigma * sigma) * dt + sigma * math.sqrt(dt) * shock)
        if spot < barrier:
            break
        total += spot
        days += 1
    mean = total / (days + 1)
    return mean - strike if mean > strike else 0.01 * mean


def barrier_option_grad(spot, sigma, shocks, rate, strike, barrier):
    dt = 1.0 / 252.0
    root = math.sqrt(dt)
    drift = (rate - 0.5 * sigma * sigma) * dt
    tape = []
    total = 0.0
    days = 0
    for shock in shocks:
        growth = math.exp(drift + sigma * root * shock)
        tape.append((spot, growth))
        spot *= growth
        if spot < barrier:
            break
        total += spot
        days += 1
    dtotal = (1.0 if total / (days + 1) > strike else 0.01) / (days + 1)
    dspot = ddrift = dsigma = 0.0
    for i in reversed(range(len(tape))):
        spot, growth = tape.pop()
        if i < days:
            dspot += dtotal
        t = dspot * spot * growth
        ddrift += t
        dsigma += t * shocks[i]
        dspot *= growth
    return dspot, dsigma * root - ddrift * sigma * dt


# 7. The log-likelihood of a one-dimensional Kalman filter.
def kalman(q, r, ys):
    m, p, total = 0.0, 1.0, 0.0
    for y in ys:
        p = p + q
        s = p + r
        e = y - m
        total -= 0.5 * (math.log(s) + e * e / s)
        gain = p / s
        m = m + gain * e
        p = p * (1.0 - gain)
    return total


def kalman_grad(q, r, ys):
    tape = []
    m, p = 0.0, 1.0
    for y in ys:
        p = p + q
        s = p + r
        e = y - m
        gain = p / s
        tape.append((p, s, e, gain))
        m = m + gain * e
        p = p * (1.0 - gain)
    dq = dr = dm = dp = 0.0
    while tape:
        p, s, e, gain = tape.pop()
        dgain = dm * e - dp * p
        t = e / s
        ds = (-dgain * gain - 0.5) / s + 0.5 * t * t
        dr += ds
        dp = dp * (1.0 - gain) + dgain / s + ds
        dq += dp
        dm += t - dm * gain
    return dq, dr


# 8. An SIR epidemic fitted to observed infections.
def sir_loss(beta, gamma, observed):
    s, i = 0.99, 0.01
    loss = 0.0
    for count in observed:
        new = 0.2 * beta * s * i
        s = s - new
        i = i + new - 0.2 * gamma * i
        loss += (i - count) ** 2
    return loss


def sir_loss_grad(beta, gamma, observed):
    s, i = 0.99, 0.01
    tape = []
    for count in observed:
        new = 0.2 * beta * s * i
        tape.append((s, i))
        s = s - new
        i = i + new - 0.2 * gamma * i
    dbeta = dgamma = ds = di = 0.0
    for k in reversed(range(len(observed))):
        di += 2.0 * (i - observed[k])
        s, i = tape.pop()
        t = 0.2 * (di - ds)
        dgamma -= 0.2 * di * i
        dbeta += t * s * i
        di += t * beta * s - 0.2 * gamma * di
        ds += t * beta * i
    return dbeta, dgamma


# 9. A moving average of a signal in place: each window holds values smoothed already.
def smooth(x, width):
    x = x.copy()
    for i in range(width, len(x) - width):
        x[i] = np.sum(x[i - width : i + width + 1]) / (2 * width + 1)
    return np.sum(x**4)


def smooth_grad(x, width):
    x = x.copy()
    for i in range(width, len(x) - width):
        x[i] = np.sum(x[i - width : i + width + 1]) / (2 * width + 1)
    dx = 4.0 * x**3
    for i in reversed(range(width, len(x) - width)):
        t = dx[i] / (2 * width + 1)
        dx[i] = 0.0
        dx[i - width : i + width + 1] += t
    return dx


# 10. Regularised logistic regression, labels -1 and 1.
def logistic_loss(w, X, y):
    return np.mean(np.logaddexp(0.0, -y * (X @ w))) + 0.01 * (w @ w)


def logistic_loss_grad(w, X, y):
    t = 1.0 / (1.0 + np.exp(y * (X @ w)))
    t *= y
    return 0.02 * w - X.T @ t / len(y)
