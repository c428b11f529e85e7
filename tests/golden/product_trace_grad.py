def product_trace_grad(A, B):
    # A: list[list[float]], B: list[list[float]]
    n = len(A)
    m = len(B[0])
    k = len(B)
    C = []
    for _ in range(n):
        C.append([0.0] * m)
    for i in range(n):
        for j in range(m):
            for l in range(k):
                C[i][j] += A[i][l] * B[l][j]
    t = min(n, m)
    t1 = []
    for i in range(t):
        t1.append(C[i][i] ** 2)
    t1 = [1.0] * len(t1)
    dC = [[0.0] * len(v) for v in C]
    for i in reversed(range(t)):
        # return sum(C[i][i] ** 2 for i in range(min(n, m)))
        t2 = t1.pop()
        dC[i][i] = 2.0 * t2 * C[i][i]
    dA = [[0.0] * len(v) for v in A]
    dB = [[0.0] * len(v) for v in B]
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            for l in reversed(range(k)):
                # C[i][j] += A[i][l] * B[l][j]
                t2 = dC[i][j]
                dB[l][j] += t2 * A[i][l]
                dA[i][l] += t2 * B[l][j]
    return dA, dB
