def option_string_grad(x, mode):
    # x: f64[n], mode: str
    if mode == "square":
        # return np.sum(x**2)
        dx = 2.0 * x
        return dx
    if mode != "cube":
        raise ValueError(f"unknown mode {mode}")
    # return np.sum(x**3)
    dx = 3.0 * x * x
    return dx
