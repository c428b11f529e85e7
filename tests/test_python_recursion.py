"""Functions that call themselves over arrays: parts of another size, new arrays, sizes that change."""

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import SctError, value_and_grad

X = np.array([0.7, 1.3, -0.4, 0.9])
W4 = np.array([1.0, 2.0, 3.0, 4.0])
PROGRAMS = []


def program(f):
    """Registers a program of four numbers."""
    PROGRAMS.append(f)
    return f


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_agrees(f):
    agrees(f, X)


def halves(a):
    if len(a) < 2:
        return a
    l, r = (halves(a[:len(a) // 2]), halves(a[len(a) // 2:]))
    out = np.zeros(len(a))
    out[:len(l)] = l
    out[len(l):] = r
    return out


def fht(a):
    n = len(a)
    if n == 1:
        return a
    e, o = (fht(a[::2]), fht(a[1::2]))
    y = np.zeros(n)
    y[:n // 2] = e + o
    y[n // 2:] = e - o
    return y


def merge_sort(a):
    if len(a) < 2:
        return a
    l, r = (merge_sort(a[:len(a) // 2]), merge_sort(a[len(a) // 2:]))
    out = np.zeros(len(a))
    i = j = 0
    for k in range(len(a)):
        if j >= len(r) or (i < len(l) and l[i] <= r[j]):
            out[k] = l[i]
            i += 1
        else:
            out[k] = r[j]
            j += 1
    return out


def vcycle(u, f):
    if u.shape[0] <= 3:
        return u + f
    n = (u.shape[0] - 1) // 2 + 1
    rc = np.zeros(n)
    for i in range(n):
        rc[i] = f[2 * i] ** 2
    e = vcycle(np.zeros_like(rc), rc)
    out = np.zeros(2 * (e.shape[0] - 1) + 1)
    out[::2] = e
    return u + out


def concat(a, n):
    if n == 0:
        return a
    return concat(np.concatenate([a, a * 2.0]), n - 1)


def shrink(a):
    return a[0] if len(a) == 1 else shrink(a[1:] * a[:-1])


def pair(a, b, n):
    return a + b if n == 0 else pair(b * 2.0, a, n - 1)


def pair_slices(a, b):
    return a * b if len(a) == 1 else pair_slices(a[1:], b[1:])


def reverse(a):
    return a if len(a) < 2 else np.concatenate([a[-1:], reverse(a[:-1])])


def matpow(m, n):
    if n == 0:
        return np.eye(len(m))
    h = matpow(m, n // 2)
    return h @ h if n % 2 == 0 else h @ h @ m


def det(m):
    if m.shape[0] == 1:
        return m[0, 0]
    s = 0.0
    for j in range(m.shape[0]):
        minor = np.concatenate([m[1:, :j], m[1:, j + 1:]], axis=1)
        s = s + (-1.0) ** j * m[0, j] * det(minor)
    return s


def cofactors(m):
    if m.shape[0] == 1:
        return m[0, 0]
    rest = np.delete(m, 0, axis=0)
    return sum((-1) ** j * m[0, j] * cofactors(np.delete(rest, j, axis=1)) for j in range(m.shape[0]))


def strassen(a, b):
    n = len(a)
    if n == 1:
        return a * b
    h = n // 2
    c = np.zeros((n, n))
    c[:h, :h] = strassen(a[:h, :h], b[:h, :h]) + strassen(a[:h, h:], b[h:, :h])
    c[:h, h:] = strassen(a[:h, :h], b[:h, h:]) + strassen(a[:h, h:], b[h:, h:])
    c[h:, :h] = strassen(a[h:, :h], b[:h, :h]) + strassen(a[h:, h:], b[h:, :h])
    c[h:, h:] = strassen(a[h:, :h], b[:h, h:]) + strassen(a[h:, h:], b[h:, h:])
    return c


def tree(a):
    if len(a) <= 2:
        return np.sum(a)
    h = len(a) // 2
    return tree(a[:h]) * tree(a[h:])


def other_size(a, n):
    return np.ones(1) * a[0] if n == 0 else np.append(other_size(a, n - 1), a[n])


def broad(a, n):
    return np.ones(1) * a[0] if n == 0 else broad(a, n - 1) + a * n


@program
def halves_summed(x):
    return np.sum(halves(x) ** 2 * np.arange(4))


@program
def fht_summed(x):
    return np.sum(fht(x) ** 2 * W4)


@program
def fht_slice_summed(x):
    return np.sum(fht(x[:2]) ** 2 * W4[:2]) + np.sum(fht(x))


@program
def sort_summed(x):
    return np.sum(merge_sort(x) * np.arange(4))


@program
def vcycle_summed(x):
    return np.sum(vcycle(np.zeros(5), np.append(x, x[0])))


@program
def vcycle2_summed(x):
    return np.sum(vcycle(np.zeros(3), x[1:]) * vcycle(np.ones(3), x[:3]))


@program
def concat_summed(x):
    return np.sum(concat(x, 2) ** 2)


@program
def shrink_summed(x):
    return shrink(x)


@program
def pair_summed(x):
    return np.sum(pair(x, x * x, 3))


@program
def pairs_summed(x):
    return np.sum(pair_slices(x[1:], x[:-1]))


@program
def reverse_summed(x):
    return np.sum(reverse(x) * W4)


@program
def matpow_summed(x):
    return np.sum(matpow(x.reshape(2, 2), 3))


@program
def det_summed(x):
    return det(np.outer(x[:3], x[1:]) + np.eye(3))


@program
def cofactors_summed(x):
    return cofactors(np.outer(x[:3], x[:3]) + np.diag(x[1:4]))


@program
def strassen_summed(x):
    return np.sum(strassen(x.reshape(2, 2), x.reshape(2, 2)) * W4.reshape(2, 2))


@program
def tree_summed(x):
    return tree(x)


@program
def other_summed(x):
    return np.sum(other_size(x, 3) * W4)


@program
def broad_summed(x):
    return np.sum(broad(x, 2) * W4)


def written_or_new(u, f):
    if u.shape[0] <= 2:
        return u + f
    e = written_or_new(u[:2], f[:2])
    u[:2] += e
    return u


def test_a_result_that_is_the_argument_on_one_path_is_not_written():
    def f(x):
        u = np.zeros(4)
        for _ in range(2):
            u = written_or_new(u, x)
        return np.sum(u)

    refuses(f, X, code="SCT301")


def test_a_parameter_that_is_rebound_on_one_path_is_not_written():
    def rebound(p, n):
        if n > 0:
            rebound(p[:1] * 1.0, n - 1)
        if p[0] > 0.5:
            p = p * 2.0
        p += 1.0
        return p

    def f(x):
        u = x * 1.0
        v = rebound(u, 3)
        v[0] = 3.0
        return np.sum(u * v)

    refuses(f, np.array([0.7, 0.3]), code="SCT301")


def test_a_table_is_written_element_by_element_as_often_as_the_program_says():
    def align(p, s, t):
        match, other, gap = p
        D = np.zeros((len(s) + 1, len(t) + 1))
        for i, a in enumerate(s, 1):
            for j, b in enumerate(t, 1):
                score = match if a == b else other
                gaps = np.exp(D[i - 1, j] + gap) + np.exp(D[i, j - 1] + gap)
                D[i, j] = np.log(np.exp(D[i - 1, j - 1] + score) + gaps)
        return D[-1, -1]

    agrees(align, np.array([1.0, -0.5, -1.0]), "GATTACA", "GCATGCU")


def merged(l):
    if len(l) <= 1:
        return l
    a, b, out, i, j = merged(l[:len(l) // 2]), merged(l[len(l) // 2:]), [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] < b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return out + a[i:] + b[j:]


def transformed(l):
    n = len(l)
    if n == 1:
        return l
    e, o = transformed(l[::2]), transformed(l[1::2])
    return [e[k] + o[k] for k in range(n // 2)] + [e[k] - o[k] * 0.5 for k in range(n // 2)]


def last(l):
    return l if len(l) <= 1 else last(l[1:])


def positive(l, d):
    return l if d == 0 else positive([v for v in l if v > 0.0], d - 1)


@program
def lists_of_run_time_length(x):
    l = [v for v in x]
    s = [p[1] * p[0] for p in merged([(v * v, v) for v in l])]
    return sum(v * i for i, v in enumerate(merged(l))) + s[1] * transformed(l)[3] + last(l)[0] * sum(positive(l, 2))


def fourier(l):
    n = len(l)
    if n == 1:
        return [l[0] + 0j]
    e, o = fourier(l[::2]), fourier(l[1::2])
    t = [np.exp(-2j * np.pi * k / n) * v for k, v in enumerate(o)]
    return [p + q for p, q in zip(e, t)] + [p - q for p, q in zip(e, t)]


def subsets(l):
    if not l:
        return [[]]
    first, rest = l[:1], subsets(l[1:])
    return rest + [first + s for s in rest]


def sides(l, small):
    if not l:
        return [], small
    first, (large, small) = l[:1], sides(l[1:], small)
    return (large + first, small) if l[0] > 0.8 else (large, small + first)


def doubled(l, out):
    if l:
        out.append(l[0] * 2.0)
        doubled(l[1:], out)
    return out


def minors(M):
    if len(M) == 1:
        return M[0][0]
    return sum((-1) ** j * M[0][j] * minors([r[:j] + r[j + 1:] for r in M[1:]]) for j in range(len(M)))


@program
def rows_in_lists(x):
    return minors([list(r) for r in np.outer(x, x) + np.diag(x)])


@program
def lists_of_another_length_on_each_level(x):
    l = [v for v in x]
    large, small = sides(l, [])
    powers = sum(v * i for i, v in enumerate(doubled(l, [])))
    return sum(abs(v) * i for i, v in enumerate(fourier(l))) + large[0] * small[1] + powers + sum(
        s[0] * s[-1] for s in subsets(l) if s)


def path(n, steps, x):
    if n == 0:
        return sum(np.sin(x * c) * np.cos(x + c) for c in steps)
    y = x * x + n
    z = np.exp(-y) * x
    w = z * z + y * np.sin(y)
    return path(n - 1, (*steps, n), x) * w + z


@program
def tuples_that_grow_to_a_known_length(x):
    return path(1, (), x[0]) + path(2, (), x[1])


class Tree:
    def __init__(self, v):
        self.v, self.left, self.right = v, None, None

    def insert(self, v):
        if v < self.v:
            if self.left is None:
                self.left = Tree(v)
            else:
                self.left.insert(v)
        elif self.right is None:
            self.right = Tree(v)
        else:
            self.right.insert(v)


@program
def a_tree_that_grows_by_comparisons(x):
    t = Tree(x[0])
    t.insert(x[1])
    t.insert(x[2])
    return t.v * t.left.v * t.right.v * t.right.v


class Box:
    def __init__(self, v):
        self.v = v


def other(c, n):
    return c if n == 0 else other(Box(c.v * 2.0) if isinstance(c, Box) else [c[0] * 2.0], n - 1)


def itself(c, n):
    return c if n == 0 else itself(c, n - 1)


HELD = np.array([1.0, 2.0])


def held(n):
    return HELD if n == 0 else held(n - 1)


@program
def the_container_that_is_returned_is_the_one_that_was_passed(x):
    box, pair, l = Box(x[0]), [x[0], x[1]], [v for v in x]
    itself(box, 2).v = x[1] * x[1]
    itself(pair, 2)[0] = x[2] * x[2]
    itself(l, 2).append(x[3])
    same = itself(l, 2) is l and itself(box, 2) is box and held(2) is HELD
    return box.v * pair[0] * len(l) * l[-1] + (x[0] if same else 0.0)


@pytest.mark.parametrize("make", [Box, lambda v: [v]], ids=["object", "list"])
def test_a_list_that_may_be_the_one_that_was_passed_is_not_written(make):
    def f(x, n):
        c = make(x)
        r = other(c, n)
        if isinstance(r, Box):
            r.v = 5.0
        else:
            r[0] = 5.0
        return c.v if isinstance(c, Box) else c[0]

    if make is Box:  # its objects are rows of columns
        agrees(f, 1.5, 2)
        return agrees(lambda x, n: x if other(c := make(x), n) is c else x * x, 1.5, 2)
    refuses(f, 1.5, 2, code="SCT301")
    refuses(lambda x, n: x if other(c := make(x), n) is c else x * x, 1.5, 2, code="SCT503")


def test_what_is_captured_and_returned_is_not_written():
    def f(x):
        a = held(2)
        a[0] = 3.0
        return HELD[0] * x

    refuses(f, 1.5, code="SCT302")


def rows(l, n):
    return l if n == 0 else rows([list(r) for r in l], n - 1)


@pytest.mark.parametrize("f", [
    lambda l, r: (r[0].append(1.0), l), lambda l, r: (l[0].append(1.0), r),
    lambda l, r: (l[:][0].append(1.0), r)], ids=["of_the_result", "of_the_argument", "of_a_copy"])
def test_a_row_that_may_be_in_the_list_that_was_passed_is_not_written(f):
    def g(x, n):
        l = [[v] for v in x]
        _, other = f(l, rows(l, n))
        return sum(sum(r) for r in other)

    with pytest.raises(SctError, match=r"SCT30[17]"):
        value_and_grad(g)(X, 2)


def test_a_name_that_no_call_reads_may_be_bound_later():
    def f(x, n):
        def power(k):
            if k > 100:
                return later
            return x if k == 0 else power(k - 1) * x

        y = power(n)
        later = 2.0
        return y * later

    agrees(f, 0.7, 3)
    agrees(f, 0.7, 101)


def test_a_recursion_that_never_returns_says_so():
    def raises(n, x):
        if n == 0:
            raise ValueError(n)
        return raises(n - 1, x * x)

    error = refuses(lambda x, n: raises(n, x), 1.5, 2, code="SCT204")
    assert "returns on no path" in str(error)


TOKENS = "x * ( y + 2.0 ) + x".split()


def test_a_parser_that_looks_names_up() -> None:
    def f(env):
        def total(at):
            v, at = product(at)
            while at < len(TOKENS) and TOKENS[at] == "+":
                w, at = product(at + 1)
                v = v + w
            return v, at

        def product(at):
            v, at = atom(at)
            while at < len(TOKENS) and TOKENS[at] == "*":
                w, at = atom(at + 1)
                v = v * w
            return v, at

        def atom(at):
            token = TOKENS[at]
            if token == "(":
                v, at = total(at + 1)
                return v, at + 1
            return (env[token] if token in env else float(token)), at + 1

        return total(0)[0]

    agrees(f, {"x": 0.7, "y": 0.2})


def test_a_recursion_that_fills_a_dict_is_called_in_a_loop() -> None:
    def cost(x, memo, k):
        if k in memo:
            return memo[k]
        if k < 2:
            return x[k]
        total = 0.0
        for j in range(1, k):
            total += cost(x, memo, j) * x[k % 4]
        memo[k] = total
        return total

    def over_a_list(x, ks):
        memo = {}
        return sum([cost(x, memo, k) for k in ks])

    def over_a_dict(x, children):
        memo = {}

        def up(k):
            if k not in memo:
                v = x[k % 4]
                for c in children[k]:
                    v = v + 0.5 * up(c)
                memo[k] = v
            return memo[k]

        s = 0.0
        for k in children:
            s = s + up(k)
        return s

    agrees(over_a_list, X, [3, 4, 5, 2, 6, 7])
    agrees(over_a_dict, X, {k: list(range(max(0, k - 2), k)) for k in range(20)})
