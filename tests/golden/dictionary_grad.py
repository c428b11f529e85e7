def dictionary_grad(model):
    # model: {"x": f64[n], "gain": float, "bias": None, "name": object}
    x = model["x"]
    gain = model["gain"]
    n = len(x)
    if model["name"] == "mean":
        dterm = 1.0 / n
        dterm1 = dterm
    else:
        dterm = 1.0
        dterm1 = 0.0
    # out["y"] = model["x"] * model["gain"] * sizes["scale"]
    t = 2.0 * (2.0 * dterm1 * (x * gain * 2.0) + dterm)
    dgain = t @ x
    return {"x": gain * t, "gain": dgain, "bias": None, "name": None}
