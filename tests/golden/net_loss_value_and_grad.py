import numpy as np

from programs.objects import Net


def net_loss_value_and_grad(net, x, y):
    # net: Net(W1: f64[n, m], b1: f64[m], W2: f64[m], b2: float, name: str),
    # x: f64[k, n], y: f64[k]
    W1 = net.W1
    b1 = net.b1
    W2 = net.W2
    b2 = net.b2
    tanh_x_W1_plus_b1 = np.tanh(x @ W1 + b1)
    e = tanh_x_W1_plus_b1 @ W2 + b2 - y
    value = np.mean(e**2) + 0.001 * np.sum(W1**2)
    de = 2.0 / x.shape[0] * e
    # return np.tanh(x @ self.W1 + self.b1) @ self.W2 + self.b2
    db2 = np.sum(de)
    dW2 = tanh_x_W1_plus_b1.T @ de
    db1_part = np.outer(de, W2) * (1.0 - tanh_x_W1_plus_b1 * tanh_x_W1_plus_b1)
    db1 = np.sum(db1_part, axis=0)
    dW1 = 0.002 * W1 + x.T @ db1_part
    return value, Net(W1=dW1, b1=db1, W2=dW2, b2=db2, name=None)
