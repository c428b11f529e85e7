import numpy as np


def gates_grad(x, h, W):
    # x: f64[n], h: f64[m], W: f64[8, m + n]
    joined_x = np.concatenate((x, h))
    W_joined_x = W @ joined_x
    i = W_joined_x[:2]
    f = W_joined_x[2:4]
    g = W_joined_x[4:6]
    o = W_joined_x[6:]
    tanh_g = np.tanh(g)
    exp_neg_i = np.exp(-i)
    one_plus_exp_neg_i = 1.0 + exp_neg_i
    c_term = tanh_g / one_plus_exp_neg_i
    exp_neg_f = np.exp(-f)
    one_plus_exp_neg_f = 1.0 + exp_neg_f
    c_term1 = 0.3 / one_plus_exp_neg_f
    c = c_term + c_term1
    tanh_c = np.tanh(c)
    exp_neg_o = np.exp(-o)
    one_plus_exp_neg_o = 1.0 + exp_neg_o
    dc = (1.0 - tanh_c * tanh_c) / one_plus_exp_neg_o
    # c = np.tanh(g) / (1.0 + np.exp(-i)) + 0.3 / (1.0 + np.exp(-f))
    dg = dc / one_plus_exp_neg_i
    t = c_term * dg * exp_neg_i
    dg *= 1.0 - tanh_g * tanh_g
    dW_joined_x = np.zeros_like(W_joined_x)
    dW_joined_x[6:] = tanh_c / one_plus_exp_neg_o / one_plus_exp_neg_o * exp_neg_o
    dW_joined_x[4:6] += dg
    dW_joined_x[2:4] += dc / one_plus_exp_neg_f * c_term1 * exp_neg_f
    dW_joined_x[:2] += t
    return (W.T @ dW_joined_x)[: x.shape[0]], np.outer(dW_joined_x, joined_x)
