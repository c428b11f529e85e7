# copy everywhere: updates stay as they are, each of a copy; results share memory with nothing

def f(x: f64[n], y: f64[n]) -> tuple[f64[n], f64[n], f64[n]]:
    z: f64[n] = store(x, 1.0, at[0])
    return y, y, z


# becomes

def f(x: f64[n], y: f64[n]) -> tuple[f64[n], f64[n], f64[n]]:
    z: f64[n] = store(x, 1.0, at[0])
    y_1: f64[n] = adj.copy(y)
    y_2: f64[n] = adj.copy(y)
    return y_1, y_2, z
