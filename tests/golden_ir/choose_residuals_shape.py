# choose residuals: a view that is read for its shape alone is not kept; a slice of the cotangent has that shape

def tails_grad(u: f64[n], k: int(__k1)) -> f64[n]:
    def body(i: int, u_1: f64[n]) -> tuple[bool, f64[n], f64[n], f64[n - 1]]:
        v: f64[n - 1] = index(u_1, at[1:])
        u_2: f64[n] = numpy.sin(u_1)
        return True, u_2, u_1, v
    u_3, iterations, u_4, v_1 = loop[f64[n], int, seq[f64[n]], seq[f64[n - 1]]](0, k, 1, u, body=body, carries=1, counted=True, mirrors=(1,))
    _0: f64[n] = adj.zeros_of(u_3)
    def body(i_1: int, du: f64[n], u_5: f64[n], v_2: f64[n - 1]) -> tuple[bool, f64[n]]:
        _1: f64[n] = adj.cos(u_5)
        du_1: f64[n] = adj.mul(du, _1)
        _2: f64[n - 1] = adj.zeros_of(v_2)
        dv: f64[n - 1] = adj.store(_2, 1.0, at[::-2])
        du_2: f64[n] = adj.add_at(du_1, dv, at[1:])
        return True, du_2
    du_3, _3 = adj.loop[f64[n], int](0, k, 1, _0, u_4, v_1, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return du_3


# becomes

def tails_grad(u: f64[n], k: int(__k1)) -> f64[n]:
    def body(i: int, u_1: f64[n]) -> tuple[bool, f64[n], f64[n], f64[n - 1]]:
        v: f64[n - 1] = index(u_1, at[1:])
        u_2: f64[n] = numpy.sin(u_1)
        return True, u_2, u_1, v
    u_3, iterations, u_4, v_1 = loop[f64[n], int, seq[f64[n]], seq[f64[n - 1]]](0, k, 1, u, body=body, carries=1, counted=True, mirrors=(1,))
    _0: f64[n] = adj.zeros_of(u_3)
    def body(i_1: int, du: f64[n], u_5: f64[n], v_2: f64[n - 1], u_1_1: f64[n]) -> tuple[bool, f64[n]]:
        _1: f64[n] = adj.cos(u_1_1)
        du_1: f64[n] = adj.mul(du, _1)
        _2: f64[n - 1] = adj.index(du_1, at[1:])
        _3: f64[n - 1] = adj.zeros_of(_2)
        dv: f64[n - 1] = adj.store(_3, 1.0, at[::-2])
        du_2: f64[n] = adj.add_at(du_1, dv, at[1:])
        return True, du_2
    du_3, _4 = adj.loop[f64[n], int](0, k, 1, _0, u_4, v_1, u_4, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return du_3
