# initial zeros: an array of which all rows are written need not be zeros before; one of which a row is left is

def rows(x: f64[3, n], y: f64[n]) -> f64:
    d: f64[3, n] = adj.zeros_of(x)
    d_1: f64[3, n] = adj.store(d, y, at[-1])
    d_2: f64[3, n] = adj.store(d_1, 2.0, at[0])
    d_3: f64[3, n] = adj.store(d_2, y, at[1])
    e: f64[3, n] = adj.zeros_of(x)
    e_1: f64[3, n] = adj.store(e, y, at[2])
    e_2: f64[3, n] = adj.store(e_1, 2.0, at[-1])
    e_3: f64[3, n] = adj.store(e_2, y, at[0])
    s: f64[3, n] = adj.add(d_3, e_3)
    r: f64 = adj.sum(s)
    return r


# becomes

def rows(x: f64[3, n], y: f64[n]) -> f64:
    d: f64[3, n] = adj.empty_like(x)
    d_1: f64[3, n] = adj.store(d, y, at[-1])
    d_2: f64[3, n] = adj.store(d_1, 2.0, at[0])
    d_3: f64[3, n] = adj.store(d_2, y, at[1])
    e: f64[3, n] = adj.zeros_of(x)
    e_1: f64[3, n] = adj.store(e, y, at[2])
    e_2: f64[3, n] = adj.store(e_1, 2.0, at[-1])
    e_3: f64[3, n] = adj.store(e_2, y, at[0])
    s: f64[3, n] = adj.add(d_3, e_3)
    r: f64 = adj.sum(s)
    return r
