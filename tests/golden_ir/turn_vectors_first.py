# turn vectors: without second derivatives, the tangents of eigenvalues are along any vectors

def first(P: f64[3, 3]) -> f64[3]:
    blocks: f64[3, 3] = adj.eye(3)
    R: f64[3, 3] = adj.turn(blocks, first=True)
    R_T: f64[3, 3] = adj.transpose(R)
    left: f64[3, 3] = adj.matmul(R_T, P)
    both: f64[3, 3] = adj.matmul(left, R)
    dw: f64[3] = adj.diag(both)
    return dw


# becomes

def first(P: f64[3, 3]) -> f64[3]:
    blocks: f64[3, 3] = adj.eye(3)
    R: f64[3, 3] = adj.turn(blocks, first=True)
    R_T: f64[3, 3] = adj.transpose(R)
    left: f64[3, 3] = adj.matmul(R_T, P)
    both: f64[3, 3] = adj.matmul(P, R)
    dw: f64[3] = adj.diag(P)
    return dw
