import numpy as np


def mlp_grad(params, x, labels):
    # params: {"W1": f64[n, m], "b1": f64[m], "W2": f64[m, k], "b2": f64[k]},
    # x: f64[p, n], labels: i64[p]
    W2 = params["W2"]
    t = x @ params["W1"] + params["b1"]
    h = np.maximum(t, 0.0)
    logits = h @ W2 + params["b2"]
    t1 = np.max(logits, axis=1, keepdims=True)
    logits1 = logits - t1
    t2 = np.exp(logits1)
    p = len(x)
    dlogp = np.zeros((p, W2.shape[1]))
    dlogp[np.arange(p), labels] = -1.0 / p
    # logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    t3 = np.sum(dlogp, axis=1, keepdims=True)
    t2 *= t3 / np.sum(t2, axis=1, keepdims=True)
    dlogits = dlogp - t2
    # logits = logits - np.max(logits, axis=1, keepdims=True)
    t2 = np.sum(dlogits, axis=1, keepdims=True)
    t4 = logits == t1
    t1 = np.where(t4, t2 / np.sum(t4, axis=1, keepdims=True), 0.0)
    dlogits -= t1
    # logits = h @ params["W2"] + params["b2"]
    db2 = np.sum(dlogits, axis=0)
    t1 = dlogits @ W2.T
    dW2 = h.T @ dlogits
    # h = np.maximum(x @ params["W1"] + params["b1"], 0.0)
    t = np.where(t >= 0.0, np.where(t == 0.0, 0.5 * t1, t1), 0.0)
    db1 = np.sum(t, axis=0)
    dW1 = x.T @ t
    return {"W1": dW1, "b1": db1, "W2": dW2, "b2": db2}
