def masked_write_grad(x):
    # x: f64[n]
    y = x.copy()
    x_negative = x < 0.0
    y[x_negative] = 0.0
    x_above = x > 1.0
    y[x_above] *= 0.5
    # return np.sum(y**2)
    dy = 2.0 * y
    # y[x > 1.0] *= 0.5
    dy[x_above] *= 0.5
    # y[x < 0.0] = 0.0
    dy[x_negative] = 0.0
    return dy
