import numpy as np


def shortest_path_grad(weights, rounds):
    # weights: f64[n, n], rounds: int
    n = len(weights)
    distance = np.full(n, 100.0)
    distance[0] = 0.0
    tape = []
    iterations = 0
    for _ in range(rounds):
        iterations += 1
        changed = False
        for i in range(n):
            for j in range(n):
                reached = distance[i] + weights[i, j]
                reached_below_distance_j = reached < distance[j]
                tape.append(reached_below_distance_j)
                if reached_below_distance_j:
                    distance[j] = reached
                    changed = True
        if not changed:
            break
    # return np.sum(distance**2)
    ddistance = 2.0 * distance
    dweights = np.zeros_like(weights)
    for _ in reversed(range(iterations)):
        for i in reversed(range(n)):
            for j in reversed(range(n)):
                reached_below_distance_j = tape.pop()
                if reached_below_distance_j:
                    # distance[j] = reached
                    ddistance_j = ddistance[j]
                    ddistance[j] = 0.0
                    # reached = distance[i] + weights[i, j]
                    dweights[i, j] += ddistance_j
                    ddistance[i] += ddistance_j
    return dweights
