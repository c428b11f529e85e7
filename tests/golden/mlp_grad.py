import numpy as np


def mlp_grad(params, x, labels):
    # params: {"W1": f64[n, m], "b1": f64[m], "W2": f64[m, k], "b2": f64[k]},
    # x: f64[p, n], labels: i64[p]
    W2 = params["W2"]
    x_W1_plus_b1 = x @ params["W1"] + params["b1"]
    h = np.maximum(x_W1_plus_b1, 0.0)
    logits = h @ W2 + params["b2"]
    logits = logits - np.max(logits, axis=1, keepdims=True)
    exp_logits = np.exp(logits)
    p = len(x)
    dlogp = np.zeros((p, W2.shape[1]))
    dlogp[np.arange(p), labels] = -1.0 / p
    # logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    sum_dlogp = np.sum(dlogp, axis=1, keepdims=True)
    dlogits = dlogp - sum_dlogp / np.sum(exp_logits, axis=1, keepdims=True) * exp_logits
    # logits = h @ params["W2"] + params["b2"]
    db2 = np.sum(dlogits, axis=0)
    dW2 = h.T @ dlogits
    # h = np.maximum(x @ params["W1"] + params["b1"], 0.0)
    db1_part = np.where(x_W1_plus_b1 >= 0.0, dlogits @ W2.T, 0.0)
    db1 = np.sum(db1_part, axis=0)
    dW1 = x.T @ db1_part
    return {"W1": dW1, "b1": db1, "W2": dW2, "b2": db2}
