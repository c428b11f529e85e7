def dictionary_grad(model):
    # model: {"x": f64[n], "gain": float, "bias": None, "name": str}
    x = model["x"]
    gain = model["gain"]
    n = len(x)
    y = x * gain * 2.0
    if model["name"] == "mean":
        dterm = 1.0 / n
        dterm_now = dterm
    else:
        dterm = 1.0
        dterm_now = 0.0
    # terms = [np.sum(out["y"]), np.sum(out["y"] ** 2)]
    dy = 2.0 * dterm_now * y + dterm
    # out["y"] = model["x"] * model["gain"] * sizes["scale"]
    twice_dy = 2.0 * dy
    dgain = twice_dy @ x
    return {"x": gain * twice_dy, "gain": dgain, "bias": None, "name": None}
