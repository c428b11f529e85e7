def product_trace_grad(A, B):
    # A: list[list[float]], B: list[list[float]]
    n = len(A)
    m = len(B[0])
    k = len(B)
    C = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            for l in range(k):
                C[i][j] += A[i][l] * B[l][j]
    dC = [[0.0] * len(row) for row in C]
    for i in reversed(range(min(n, m))):
        # return sum(C[i][i] ** 2 for i in range(min(n, m)))
        dC[i][i] = 2.0 * C[i][i]
    dA = [[0.0] * len(row) for row in A]
    dB = [[0.0] * len(row) for row in B]
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            for l in reversed(range(k)):
                # C[i][j] += A[i][l] * B[l][j]
                dC_i_j = dC[i][j]
                dB[l][j] += dC_i_j * A[i][l]
                dA[i][l] += dC_i_j * B[l][j]
    return dA, dB
