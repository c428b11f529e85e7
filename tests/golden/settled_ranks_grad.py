import numpy as np


def settled_ranks_grad(links, damping, digits):
    # links: f64[n, n], damping: float, digits: int
    n = links.shape[0]
    ranks = np.full(n, 1.0 / n)
    ranks_now = ranks
    tape = []
    while True:
        new_factor = damping * links
        new = new_factor @ ranks_now + (1.0 - damping) / n
        new_is_below = np.max(np.abs(new - ranks_now)) < 10.0**-digits
        tape.append((ranks_now, new_is_below))
        if new_is_below:
            break
        ranks_now = new
    iterations = len(tape)
    dnew = np.zeros_like(new)
    dnew[0] = 2.0 * new[0]
    dranks = np.zeros_like(ranks_now)
    rows = np.empty((iterations, links.shape[0]))
    rankss = np.empty((iterations, links.shape[0]))
    for i in reversed(range(iterations)):
        ranks_now, new_is_below = tape.pop()
        rankss[i] = ranks_now
        if not new_is_below:
            dnew += dranks
            dranks = np.zeros_like(ranks)
        # new = damping * links @ ranks + (1.0 - damping) / n
        dranks = new_factor.T @ dnew + dranks
        rows[i] = damping * dnew
        dnew = np.zeros_like(ranks)
    dlinks = rows.T @ rankss
    return dlinks
