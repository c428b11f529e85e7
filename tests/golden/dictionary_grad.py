def dictionary_grad(model):
    # model: {"x": f64[n], "gain": float, "bias": None, "name": str}
    x = model["x"]
    gain = model["gain"]
    n = len(x)
    if model["name"] == "mean":
        dterm = 1.0 / n
        dterm_now = dterm
    else:
        dterm = 1.0
        dterm_now = 0.0
    # out["y"] = model["x"] * model["gain"] * sizes["scale"]
    dgain_factor = 2.0 * (2.0 * dterm_now * (x * gain * 2.0) + dterm)
    dgain = dgain_factor @ x
    return {"x": gain * dgain_factor, "gain": dgain, "bias": None, "name": None}
