from sct import grad


@grad
def d(x):
    return x**3
