def edit_distance_grad(a, b):
    # a: list[float], b: list[float]
    n = len(a)
    m = len(b)
    D = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        D[i][0] = D[i - 1][0] + 1.0
    m_next = m + 1
    for j in range(1, m_next):
        D[0][j] = D[0][j - 1] + 1.0
    tape = []
    for i in range(1, n + 1):
        for j in range(1, m_next):
            D_prev_j_plus_one = D[i - 1][j] + 1.0
            D_i_prev_plus_one = D[i][j - 1] + 1.0
            D_arg = D[i - 1][j - 1] + (a[i - 1] - b[j - 1]) ** 2
            tape.append(D_arg)
            D[i][j] = min(D_prev_j_plus_one, D_i_prev_plus_one, D_arg)
    dD = [[0.0] * len(row) for row in D]
    dD[n][m] = 1.0
    da = [0.0] * len(a)
    db = [0.0] * len(b)
    for i in reversed(range(1, n + 1)):
        for j in reversed(range(1, m_next)):
            D_arg = tape.pop()
            D_i_prev_plus_one = D[i][j - 1] + 1.0
            D_prev_j_plus_one = D[i - 1][j] + 1.0
            dD_i_j = dD[i][j]
            if D_arg < min(D_prev_j_plus_one, D_i_prev_plus_one):
                da_part = 2.0 * dD_i_j * (a[i - 1] - b[j - 1])
                db[j - 1] -= da_part
                da[i - 1] += da_part
                dD[i - 1][j - 1] += dD_i_j
            elif D_i_prev_plus_one < D_prev_j_plus_one:
                dD[i][j - 1] += dD_i_j
            else:
                dD[i - 1][j] += dD_i_j
    return da, db
