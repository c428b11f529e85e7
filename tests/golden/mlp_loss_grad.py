import numpy as np


def mlp_loss_grad(params, x, y):
    # x: f64[k, n], y: f64[k, m]
    W2 = params["W2"]
    h = np.tanh(x @ params["W1"] + params["b1"])
    out = h @ W2 + params["b2"]
    if params["loss"] == "mse":
        dout = 2.0 / y.size * (out - y)
    else:
        dout = np.sign(out - y) / y.size
    db2 = np.sum(dout, axis=0)
    dW2 = h.T @ dout
    t = dout @ W2.T * (1.0 - h * h)
    db1 = np.sum(t, axis=0)
    dW1 = x.T @ t
    return {"W1": dW1, "b1": db1, "W2": dW2, "b2": db2, "loss": None}
