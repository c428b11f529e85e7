import numpy as np


def mlp_loss_grad(params, x, y):
    # params: {"W1": f64[n, n], "b1": f64[n], "W2": f64[n, m], "b2": f64[m], "loss": str},
    # x: f64[k, n], y: f64[k, m]
    W2 = params["W2"]
    h = np.tanh(x @ params["W1"] + params["b1"])
    out = h @ W2 + params["b2"]
    if params["loss"] == "mse":
        # return np.mean((out - y) ** 2)
        dout = 2.0 / y.size * (out - y)
    else:
        # return np.mean(np.abs(out - y))
        dout = np.sign(out - y) / y.size
    # out = h @ params["W2"] + params["b2"]
    db2 = np.sum(dout, axis=0)
    dW2 = h.T @ dout
    # h = np.tanh(x @ params["W1"] + params["b1"])
    db1_part = dout @ W2.T * (1.0 - h * h)
    db1 = np.sum(db1_part, axis=0)
    dW1 = x.T @ db1_part
    return {"W1": dW1, "b1": db1, "W2": dW2, "b2": db2, "loss": None}
