import numpy as np


def weighted_forward(node, node_left, node_right):
    if node is None:
        return None
    residuals = weighted_forward(node_left[node], node_left, node_right)
    residuals1 = weighted_forward(node_right[node], node_left, node_right)
    return residuals1, residuals, node


def weighted_backward(depth, node_key, residuals, dvalue):
    if residuals is None:
        return [0.0] * len(node_key)
    residuals, residuals1, t = residuals
    node_key_part = node_key[t]
    dnode_key = weighted_backward(depth + 1, node_key, residuals, dvalue)
    dnode_key_part = weighted_backward(depth + 1, node_key, residuals1, dvalue)
    dnode_key = [v + w for v, w in zip(dnode_key, dnode_key_part)]
    dnode_key_part1 = 2.0 * (np.float64(dvalue) / depth) * node_key_part
    dnode_key[t] += dnode_key_part1
    return dnode_key


def inserted_1_forward(node, key, node_key, node_left, node_right):
    if node is None:
        node_key.append(key)
        node_left.append(None)
        node_right.append(None)
        return len(node_key) - 1, node_key, node_left, node_right, None
    key_below_node_key_node = key < node_key[node]
    if key_below_node_key_node:
        left, node_key, node_left, node_right, residuals = inserted_1_forward(
            node_left[node], key, node_key, node_left, node_right
        )
        node_left[node] = left
        residuals_now = None
    else:
        right, node_key, node_left, node_right, residuals_now = inserted_1_forward(
            node_right[node], key, node_key, node_left, node_right
        )
        node_right[node] = right
        residuals = None
    residuals = key_below_node_key_node, residuals, residuals_now
    return node, node_key, node_left, node_right, residuals


def inserted_1_backward(residuals, dnode_key):
    if residuals is None:
        # return Node(key)
        dnode_key_last = dnode_key.pop()
        return dnode_key_last, dnode_key
    key_below_node_key_node, residuals, residuals1 = residuals
    if key_below_node_key_node:
        return inserted_1_backward(residuals, dnode_key)
    return inserted_1_backward(residuals1, dnode_key)


def search_tree_grad(keys):
    # keys: f64[n]
    node_key = []
    node_left = []
    node_right = []
    root = None
    tape = []
    for key in keys:
        root, node_key, node_left, node_right, residuals = inserted_1_forward(
            root, key, node_key, node_left, node_right
        )
        tape.append(residuals)
    residuals = weighted_forward(root, node_left, node_right)
    dnode_key = weighted_backward(1, node_key, residuals, 1.0)
    dkeys = np.zeros_like(keys)
    for i in reversed(range(len(keys))):
        residuals = tape.pop()
        # root = inserted(root, key)
        dkey, dnode_key = inserted_1_backward(residuals, dnode_key)
        dkeys[i] = dkey
    return dkeys
