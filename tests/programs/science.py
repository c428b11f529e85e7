"""Programs with SciPy, as scientists write them: likelihoods, filters, fits, fields, linear systems."""

from __future__ import annotations

import numpy as np
from scipy import fft, integrate, interpolate, linalg, ndimage, optimize, signal, special, stats
from scipy.spatial.distance import cdist, pdist

# -- special functions -----------------------------------------------------------------------------------------------


def logistic_regression(w, features, labels):
    """The negative log-likelihood, by the stable logistic function."""
    z = features @ w[:-1] + w[-1]
    return -np.sum(special.xlogy(labels, special.expit(z)) + special.xlog1py(1.0 - labels, -special.expit(z)))


def softmax_mixture(logits, temperatures):
    """A mixture of softmaxes at several temperatures."""
    total = 0.0
    for t in temperatures:
        p = special.softmax(logits / t)
        total += special.entr(p).sum() - special.logsumexp(logits * t)
    return total


def negative_binomial(r, p, counts):
    """A likelihood by gamma functions."""
    terms = [special.gammaln(k + r) - special.gammaln(r) - special.gammaln(k + 1.0) for k in counts]
    return sum(terms) + len(counts) * r * np.log(p) + sum(counts) * np.log1p(-p)


def airy_disk(radius, width):
    """The energy that a circular aperture throws into a ring."""
    total = 0.0
    for k in range(1, 6):
        x = radius * k * width
        total += (2.0 * special.j1(x) / x) ** 2 * x
    return total


def relaxation(tau, beta, times):
    """A stretched decay by the incomplete gamma function and the error function."""
    y = special.gammaincc(1.7, times / tau) + special.erfc(beta * np.sqrt(times))
    return np.sum(y * y)


def beta_posterior(a, b, grid):
    """Moments of a beta density on a grid."""
    log_density = special.xlogy(a - 1.0, grid) + special.xlog1py(b - 1.0, -grid) - special.betaln(a, b)
    return integrate.trapezoid(np.exp(log_density) * grid ** 2, grid)


# -- distributions ---------------------------------------------------------------------------------------------------


def normal_likelihood(theta, data):
    return -np.sum(stats.norm.logpdf(data, loc=theta[0], scale=np.exp(theta[1])))


def censored_likelihood(theta, observed, limits):
    """Some observations are known to be above a limit only."""
    mu, sigma = theta[0], np.exp(theta[1])
    return stats.norm.logpdf(observed, mu, sigma).sum() + stats.norm.logsf(limits, mu, sigma).sum()


def robust_regression(w, x, y):
    residuals = y - np.polyval(w[:3], x)
    return -stats.t.logpdf(residuals, df=4.0, scale=np.logaddexp(0.0, w[3])).sum()


def gamma_poisson(theta, counts):
    rate = np.exp(theta)
    return stats.poisson.logpmf(counts, rate).sum() + stats.gamma.logpdf(rate, 2.0, scale=0.5)


def gaussian_classifier(mean, factor, points):
    """How much more likely points are under one normal distribution than under another."""
    cov = factor @ factor.T + np.eye(2)
    other = stats.multivariate_normal(np.zeros(2), np.eye(2) * 2.0)
    return np.sum(stats.multivariate_normal.logpdf(points, mean, cov) - other.logpdf(points))


def expected_shortfall(mu, sigma, level):
    q = stats.norm.ppf(level)
    return mu + sigma * stats.norm.pdf(q) / (1.0 - level) + stats.lognorm(0.5).cdf(sigma)


def exponential_family(theta, data):
    total = 0.0
    for k, x in enumerate(data):
        frozen = stats.weibull_min(theta[0] + 0.1 * k, scale=theta[1])
        total += frozen.logpdf(x) if x < 1.0 else frozen.logsf(x)
    return total


# -- linear algebra --------------------------------------------------------------------------------------------------


def gaussian_process(theta, x, y):
    """The marginal likelihood by a Cholesky factor."""
    k = theta[0] ** 2 * np.exp(-0.5 * cdist(x, x, "sqeuclidean") / theta[1] ** 2) + theta[2] ** 2 * np.eye(len(x))
    c, low = linalg.cho_factor(k, lower=True)
    alpha = linalg.cho_solve((c, low), y)
    return -0.5 * y @ alpha - np.sum(np.log(np.diag(c)))


def matrix_exponential(rates, time):
    """The probability to be in the last state of a chain in continuous time."""
    q = np.zeros((4, 4))
    for k in range(3):
        q[k, k + 1] = rates[k]
        q[k, k] = -rates[k]
    return linalg.expm(q * time)[0, 3]


def whitened(factor, residual):
    l = linalg.cholesky(factor @ factor.T + np.eye(3), lower=True)
    z = linalg.solve_triangular(l, residual, lower=True)
    return z @ z + 2.0 * np.sum(np.log(np.diag(l)))


def stationary_covariance(a, noise):
    """The covariance of a stable linear system, of its Lyapunov equation."""
    m = 0.3 * a / (1.0 + np.sum(a * a))
    p = linalg.solve_discrete_lyapunov(m, noise @ noise.T)
    return np.trace(p) + linalg.det(p)


def heat_by_banded_steps(u, diffusion, steps):
    """Implicit steps, each of one banded system."""
    n = len(u)
    for _ in range(steps):
        bands = np.zeros((3, n))
        bands[0, 1:] = -diffusion
        bands[1] = 1.0 + 2.0 * diffusion
        bands[2, :-1] = -diffusion
        u = linalg.solve_banded((1, 1), bands, u)
    return np.sum(u ** 3)


def generalized_modes(stiffness, mass):
    k = np.diag(stiffness) - 0.3 * np.diag(stiffness[1:], 1) - 0.3 * np.diag(stiffness[1:], -1)
    w = linalg.eigh(k, np.diag(mass), eigvals_only=True)
    return np.sum(np.sqrt(w))


def polar_distance(a):
    s = linalg.sqrtm(a @ a.T + np.eye(3))
    return np.trace(s) + np.log(np.abs(linalg.det(linalg.block_diag(s, 2.0 * np.eye(2)))))


# -- signals and images ----------------------------------------------------------------------------------------------


def filtered_power(b, x):
    y = signal.lfilter(b, [1.0, -0.5, 0.2], x)
    return np.mean(y * y)


def matched_template(template, image):
    score = signal.correlate2d(image, template, mode="valid")
    return np.sum(special.softmax(score.ravel()) * score.ravel())


def smooth_trend(x, width):
    window = signal.windows.gaussian(7, 1.5)
    trend = np.convolve(x, window / window.sum(), mode="same")
    return np.sum((x - trend) ** 2) * width


def envelope(x):
    analytic = signal.hilbert(x)
    return np.sum(np.abs(analytic) ** 3)


def spectral_flatness(x):
    _, power = signal.periodogram(x, fs=2.0)
    return np.exp(np.mean(np.log(power[1:] + 1e-3))) / np.mean(power[1:] + 1e-3)


def blurred_edges(image, weight):
    blurred = ndimage.gaussian_filter(image, 0.8)
    edges = np.hypot(ndimage.sobel(blurred, axis=0), ndimage.sobel(blurred, axis=1) + 2.0)
    return np.sum(edges * weight)


def warped(image, angle):
    rows, columns = np.mgrid[0:4, 0:4] - 1.5
    at = [np.cos(angle) * rows - np.sin(angle) * columns + 1.5, np.sin(angle) * rows + np.cos(angle) * columns + 1.5]
    return np.sum(ndimage.map_coordinates(image, at, order=1, mode="nearest") ** 2)


def compressed(x, thresholds):
    c = fft.dct(x, norm="ortho")
    kept = c * special.expit(5.0 * (np.abs(c) - thresholds))
    return np.sum((fft.idct(kept, norm="ortho") - x) ** 2)


# -- interpolation, integrals, equations -----------------------------------------------------------------------------


def spline_of_data(y, at):
    s = interpolate.CubicSpline(np.linspace(0.0, 2.0, len(y)), y)
    return np.sum(s(at) ** 2) + s(0.7, 1) + s.integrate(0.2, 1.8)


def table_lookup(table, points):
    f = interpolate.RegularGridInterpolator((np.arange(3.0), np.arange(4.0)), table)
    return np.sum(f(points) ** 2)


def piecewise_rate(rates):
    times = np.linspace(0.2, 3.2, 7)
    f = interpolate.interp1d(np.array([0.0, 1.0, 2.0, 4.0]), rates)
    return np.exp(-integrate.simpson(f(times), x=times))


def arc_length(a, b):
    value, _ = integrate.quad(lambda t: np.sqrt(a * a * np.sin(t) ** 2 + b * b * np.cos(t) ** 2), 0.0, a)
    return value


def predator_prey(theta, y0):
    def rhs(y, t):
        return np.array([theta[0] * y[0] - theta[1] * y[0] * y[1], theta[1] * y[0] * y[1] - theta[2] * y[1]])

    y = integrate.odeint(rhs, y0, np.linspace(0.0, 1.0, 4), rtol=1e-11, atol=1e-11)
    return np.sum(y[-1] ** 2)


def implied_volatility(price, strike):
    def difference(sigma):
        d = (np.log(1.1 / strike) + 0.5 * sigma ** 2) / sigma
        return 1.1 * special.ndtr(d) - strike * special.ndtr(d - sigma) - price

    return optimize.brentq(difference, 0.01, 3.0, xtol=1e-14)


def chemical_equilibrium(k1, k2):
    def balance(x):
        return np.array([x[0] * x[1] - k1 * (1.0 - x[0]), x[1] ** 2 + x[0] - k2])

    x = optimize.root(balance, np.array([0.5, 0.5]), tol=1e-13).x
    return x[0] * x[1] ** 2


def ridge_by_minimizer(penalty, y):
    a = np.array([[1.0, 0.2], [0.3, 1.5], [0.7, 0.4]])

    def loss(w):
        return np.sum((a @ w - y) ** 2) + penalty * np.sum(np.cosh(w))

    def slope(w):
        return 2.0 * a.T @ (a @ w - y) + penalty * np.sinh(w)

    w = optimize.minimize(loss, np.zeros(2), jac=slope, method="BFGS", options={"gtol": 1e-11}).x
    return np.sum(w * w)


def fixed_price(shares, elasticity):
    def step(p):
        return 0.5 * p + 0.5 * (1.0 + shares * np.tanh(p)) ** elasticity

    return optimize.fixed_point(step, 1.0, xtol=1e-13)


# -- distances and assignments ---------------------------------------------------------------------------------------


def stress(positions, targets):
    return np.sum((pdist(positions) - targets) ** 2)


def chamfer(a, b):
    d = cdist(a, b)
    return d.min(axis=1).sum() + d.min(axis=0).sum()


def assigned_cost(a, b):
    d = cdist(a, b, "sqeuclidean")
    rows, columns = optimize.linear_sum_assignment(d)
    return d[rows, columns].sum()


def entropic_transport(cost, epsilon, steps):
    """Sinkhorn's iteration in logarithms."""
    n = cost.shape[0]
    f, g = np.zeros(n), np.zeros(n)
    for _ in range(steps):
        f = -epsilon * special.logsumexp((g[None, :] - cost) / epsilon, axis=1)
        g = -epsilon * special.logsumexp((f[:, None] - cost) / epsilon, axis=0)
    return np.sum(f) + np.sum(g)


INPUTS = {
    "logistic_regression": lambda rng: (
        rng.normal(size=3), rng.normal(size=(5, 2)), np.array([0.0, 1.0, 1.0, 0.0, 1.0])),
    "softmax_mixture": lambda rng: (rng.normal(size=4), [0.5, 1.0, 2.0]),
    "negative_binomial": lambda rng: (2.3, 0.4, [1, 0, 3, 2, 5]),
    "airy_disk": lambda rng: (0.9, 0.7),
    "relaxation": lambda rng: (1.2, 0.8, np.array([0.3, 0.9, 1.7, 2.5])),
    "beta_posterior": lambda rng: (2.3, 3.1, np.linspace(0.1, 0.9, 7)),
    "normal_likelihood": lambda rng: (np.array([0.3, -0.2]), rng.normal(size=5)),
    "censored_likelihood": lambda rng: (np.array([0.3, -0.2]), rng.normal(size=4), np.array([0.5, 1.1])),
    "robust_regression": lambda rng: (np.array([0.5, -0.3, 0.2, 0.4]), rng.normal(size=5), rng.normal(size=5)),
    "gamma_poisson": lambda rng: (0.4, [1, 0, 3, 2]),
    "gaussian_classifier": lambda rng: (np.array([0.5, -0.3]), rng.normal(size=(2, 2)), rng.normal(size=(4, 2))),
    "expected_shortfall": lambda rng: (0.1, 0.4, 0.95),
    "exponential_family": lambda rng: (np.array([1.4, 0.9]), [0.3, 1.2, 0.8, 1.9]),
    "gaussian_process": lambda rng: (np.array([1.1, 0.7, 0.4]), rng.normal(size=(4, 2)), rng.normal(size=4)),
    "matrix_exponential": lambda rng: (np.array([0.8, 1.3, 0.5]), 1.2),
    "whitened": lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)),
    "stationary_covariance": lambda rng: (rng.normal(size=(2, 2)), rng.normal(size=(2, 2))),
    "heat_by_banded_steps": lambda rng: (rng.normal(size=5), 0.3, 2),
    "generalized_modes": lambda rng: (rng.uniform(2.0, 3.0, 4), rng.uniform(0.5, 1.5, 4)),
    "polar_distance": lambda rng: (rng.normal(size=(3, 3)),),
    "filtered_power": lambda rng: (rng.normal(size=3), rng.normal(size=7)),
    "matched_template": lambda rng: (rng.normal(size=(2, 2)), rng.normal(size=(4, 4))),
    "smooth_trend": lambda rng: (rng.normal(size=9), 0.7),
    "envelope": lambda rng: (rng.normal(size=8),),
    "spectral_flatness": lambda rng: (rng.normal(size=8),),
    "blurred_edges": lambda rng: (rng.normal(size=(4, 5)), rng.normal(size=(4, 5))),
    "warped": lambda rng: (rng.normal(size=(4, 4)), 0.3),
    "compressed": lambda rng: (rng.normal(size=6), 0.4),
    "spline_of_data": lambda rng: (rng.normal(size=6), np.array([0.3, 0.9, 1.6])),
    "table_lookup": lambda rng: (rng.normal(size=(3, 4)), np.array([[0.3, 1.2], [1.6, 2.7]])),
    "piecewise_rate": lambda rng: (rng.uniform(0.2, 0.9, 4),),
    "arc_length": lambda rng: (1.3, 0.7),
    "predator_prey": lambda rng: (np.array([1.1, 0.6, 0.9]), np.array([0.8, 1.2])),
    "implied_volatility": lambda rng: (0.3, 1.05),
    "chemical_equilibrium": lambda rng: (0.7, 1.1),
    "ridge_by_minimizer": lambda rng: (0.3, np.array([0.5, 1.0, -0.4])),
    "fixed_price": lambda rng: (0.6, 0.4),
    "stress": lambda rng: (rng.normal(size=(4, 2)), rng.uniform(0.5, 1.5, 6)),
    "chamfer": lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(4, 2))),
    "assigned_cost": lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(3, 2))),
    "entropic_transport": lambda rng: (rng.uniform(0.0, 1.0, (3, 3)), 0.4, 4),
}
NOT_BY_DIFFERENCES = ()
