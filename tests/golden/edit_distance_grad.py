def edit_distance_grad(a, b):
    # a: list[float], b: list[float]
    n = len(a)
    m = len(b)
    D = []
    for _ in range(n + 1):
        D.append([0.0] * (m + 1))
    for i in range(1, n + 1):
        D[i][0] = D[i - 1][0] + 1.0
    t = m + 1
    for j in range(1, t):
        D[0][j] = D[0][j - 1] + 1.0
    tape = []
    for i in range(1, n + 1):
        for j in range(1, t):
            t1 = D[i - 1][j] + 1.0
            t2 = D[i][j - 1] + 1.0
            t3 = D[i - 1][j - 1] + (a[i - 1] - b[j - 1]) ** 2
            tape.append(t3)
            D[i][j] = min(t1, t2, t3)
    dD = [[0.0] * len(v) for v in D]
    dD[n][m] = 1.0
    da = [0.0] * len(a)
    db = [0.0] * len(b)
    for i in reversed(range(1, n + 1)):
        for j in reversed(range(1, t)):
            t3 = tape.pop()
            t1 = D[i][j - 1] + 1.0
            t2 = D[i - 1][j] + 1.0
            t4 = dD[i][j]
            dD[i][j] = 0.0
            if t3 < min(t2, t1):
                # D[i][j] = min(D[i - 1][j] + 1.0, D[i][j - 1] + 1.0, D[i - 1][j - 1] ...
                t1 = 2.0 * t4 * (a[i - 1] - b[j - 1])
                db[j - 1] -= t1
                da[i - 1] += t1
                dD[i - 1][j - 1] += t4
            elif t1 < t2:
                # D[i][j] = min(D[i - 1][j] + 1.0, D[i][j - 1] + 1.0, D[i - 1][j - 1] ...
                dD[i][j - 1] += t4
            else:
                # D[i][j] = min(D[i - 1][j] + 1.0, D[i][j - 1] + 1.0, D[i - 1][j - 1] ...
                dD[i - 1][j] += t4
    return da, db
