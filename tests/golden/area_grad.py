def area_grad(corners, scale):
    # corners: list[tuple[float, float]], scale: float
    corners_0 = [row[0] for row in corners]
    corners_1 = [row[1] for row in corners]
    corners_0_tail = corners_0[1:]
    len_corners_0_tail = len(corners_0_tail)
    corners_1_tail = corners_1[1:]
    len_corners_1_tail = len(corners_1_tail)
    t = corners_0_tail + corners_0[:1]
    t1 = corners_1_tail + corners_1[:1]
    t2 = len(t)
    total = 0.0
    for x0, y0, x1, y1 in zip(corners_0, corners_1, t, t1):
        total += x0 * y1 - x1 * y0
    half_scale = 0.5 * scale
    dscale = 0.5 * total
    dcorners_0 = [0.0] * len(corners_0)
    dcorners_1 = [0.0] * len(corners_1)
    dcorners_0_part = [0.0] * t2
    dcorners_1_part = [0.0] * len(t1)
    for i in reversed(range(min(len(corners_0), t2))):
        y0 = corners_1[i]
        x1 = t[i]
        y1 = t1[i]
        x0 = corners_0[i]
        # total += x0 * y1 - x1 * y0
        dcorners_1_part[i] = half_scale * x0
        dcorners_0_part[i] = -half_scale * y0
        dcorners_1[i] = -half_scale * x1
        dcorners_0[i] = half_scale * y1
    dcorners_1_part1 = [
        v + w for v, w in zip(dcorners_1[:1], dcorners_1_part[len_corners_1_tail:])
    ]
    dcorners_1[:1] = dcorners_1_part1
    dcorners_0_part1 = [
        v + w for v, w in zip(dcorners_0[:1], dcorners_0_part[len_corners_0_tail:])
    ]
    dcorners_0[:1] = dcorners_0_part1
    dcorners_1_part = [
        v + w for v, w in zip(dcorners_1[1:], dcorners_1_part[:len_corners_1_tail])
    ]
    dcorners_1[1:] = dcorners_1_part
    dcorners_0_part = [
        v + w for v, w in zip(dcorners_0[1:], dcorners_0_part[:len_corners_0_tail])
    ]
    dcorners_0[1:] = dcorners_0_part
    return list(zip(dcorners_0, dcorners_1)), dscale
