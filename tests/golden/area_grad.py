def area_grad(corners, scale):
    # corners: list[tuple[float, float]], scale: float
    corners_0 = [row[0] for row in corners]
    corners_1 = [row[1] for row in corners]
    t = corners_0[1:]
    t1 = len(t)
    t2 = corners_1[1:]
    t3 = len(t2)
    t = t + corners_0[:1]
    t2 = t2 + corners_1[:1]
    t4 = len(t)
    total = 0.0
    for x0, y0, x1, y1 in zip(corners_0, corners_1, t, t2):
        total += x0 * y1 - x1 * y0
    t5 = 0.5 * scale
    dscale = 0.5 * total
    dcorners_0 = [0.0] * len(corners_0)
    dcorners_1 = [0.0] * len(corners_1)
    t6 = [0.0] * t4
    t7 = [0.0] * len(t2)
    for i in reversed(range(min(len(corners_0), t4))):
        y0 = corners_1[i]
        x1 = t[i]
        y1 = t2[i]
        x0 = corners_0[i]
        # total += x0 * y1 - x1 * y0
        t7[i] = t5 * x0
        t6[i] = -t5 * y0
        dcorners_1[i] = -t5 * x1
        dcorners_0[i] = t5 * y1
    t = [v + w for v, w in zip(dcorners_1[:1], t7[t3:])]
    dcorners_1[:1] = t
    t = [v + w for v, w in zip(dcorners_0[:1], t6[t1:])]
    dcorners_0[:1] = t
    t = [v + w for v, w in zip(dcorners_1[1:], t7[:t3])]
    dcorners_1[1:] = t
    t = [v + w for v, w in zip(dcorners_0[1:], t6[:t1])]
    dcorners_0[1:] = t
    return list(zip(dcorners_0, dcorners_1)), dscale
