"""Series of polynomials as objects: `Chebyshev`, `Legendre`, `Hermite`, `HermiteE`, `Laguerre`, and `Polynomial`
where it has a domain or is fitted.

    Chebyshev(c, domain=[0, 3])(x)   ->   chebval(off + scl * x, c)
    Legendre.fit(x, y, 3).coef       ->   legfit(off + scl * x, y, 3)

The class here stands for NumPy's where the function is evaluated.  Its methods call NumPy's functions of coefficients,
and give the bits of NumPy's methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial.polyutils import mapdomain, mapparms

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import hold_all, leave_to_python
from sct.frontend.numpy_library.stand_ins import size_of_series, trimmed
from sct.frontend.polynomials.by_powers import (
    BySeries,
    class_of,
    new_poly1d,
    new_series,
    power_series,
    seen_into,
    vector_of,
)
from sct.frontend.polynomials.constant_splines import SERIES, class_of_polynomial, coefficients_of, parts_of_series
from sct.frontend.state.observed_types import gives_eigenvalues
from sct.frontend.values.abstract_values import Abstract, Static

__all__: list[str] = []


def read_only(interval: Any) -> Any:
    """Stands for the array, or the sequence, which is written no more: the series has its ends."""


class Series:
    """A polynomial by its coefficients in a basis, on a domain that is mapped to the window of the basis."""

    __array_priority__ = 1.0
    _of: Any
    _domain: Any
    _window: Any
    _val: Any
    _der: Any
    _int: Any
    _add: Any
    _sub: Any
    _mul: Any
    _pow: Any
    _div: Any
    _roots: Any
    _c: Any
    _computed: Any
    _domain_array: Any
    _window_array: Any

    def __call__(self, arg: Any) -> Any:
        return self._val(mapdomain(arg, self._domain, self._window), self._c)

    @property
    def coef(self) -> Any:
        return trimmed(self._c) if self._computed else self._c

    @coef.setter
    def coef(self, coef: Any) -> None:
        self._c, self._computed = coef, False

    def __len__(self) -> Any:
        return size_of_series(self._c) if self._computed else len(self._c)

    @property
    def domain(self) -> Any:
        return self._domain_array

    @domain.setter
    def domain(self, domain: Any) -> None:
        self._domain, self._domain_array = (domain[0], domain[1]), read_only(domain)

    @property
    def window(self) -> Any:
        return self._window_array

    @window.setter
    def window(self, window: Any) -> None:
        self._window, self._window_array = (window[0], window[1]), read_only(window)

    def degree(self) -> Any:
        return len(self) - 1

    @gives_eigenvalues
    def roots(self) -> Any:
        return mapdomain(self._roots(trimmed(self._c)), self._window, self._domain)

    def mapparms(self) -> Any:
        return mapparms(self._domain, self._window)

    def deriv(self, m: Any = 1) -> Any:
        _, scl = self.mapparms()
        return self._mapped(self._der(self._c, m, scl))

    def integ(self, m: Any = 1, k: Any = (), lbnd: Any = None) -> Any:
        off, scl = self.mapparms()
        lower = 0 if lbnd is None else off + scl * lbnd
        return self._mapped(self._int(self._c, m, k, lower, 1.0 / scl))

    def linspace(self, n: Any = 100, domain: Any = None) -> Any:
        ends = self._domain if domain is None else domain
        x = np.linspace(ends[0], ends[1], n)
        return x, self(x)

    def truncate(self, size: Any) -> Any:
        return new_series(self._of, self.coef[:size] * 1.0, self._domain, self._window, False)

    def cutdeg(self, deg: Any) -> Any:
        return self.truncate(deg + 1)

    def copy(self) -> Any:
        return self._mapped(self._c * 1.0)

    def _mapped(self, coef: Any) -> Any:
        """The result of a method of NumPy's that drops no zeros."""
        return new_series(self._of, coef, self._domain, self._window, self._computed)

    def _with(self, coef: Any) -> Any:
        return new_series(self._of, coef, self._domain, self._window, True)

    def _coefficients(self, other: Any) -> Any:
        other = seen_into(other)
        if isinstance(other, BySeries):
            other = other.with_ends()
        if isinstance(other, Series):
            if self._of is not other._of:
                raise TypeError("Polynomial types differ")
            if self._domain[0] != other._domain[0] or self._domain[1] != other._domain[1]:
                raise TypeError("Domains differ")
            if self._window[0] != other._window[0] or self._window[1] != other._window[1]:
                raise TypeError("Windows differ")
            return other._c
        return other

    def __neg__(self) -> Any:
        return self._mapped(-self._c)

    def __pos__(self) -> Any:
        return self

    def __add__(self, other: Any) -> Any:
        return self._with(self._add(self._c, self._coefficients(other)))

    def __radd__(self, other: Any) -> Any:
        left = seen_into(other)
        if isinstance(left, Series):
            return left + self
        return self._with(self._add(other, self._c))

    def __sub__(self, other: Any) -> Any:
        return self._with(self._sub(self._c, self._coefficients(other)))

    def __rsub__(self, other: Any) -> Any:
        left = seen_into(other)
        if isinstance(left, Series):
            return left - self
        return self._with(self._sub(other, self._c))

    def __mul__(self, other: Any) -> Any:
        return self._with(self._mul(self._c, self._coefficients(other)))

    def __rmul__(self, other: Any) -> Any:
        left = seen_into(other)
        if isinstance(left, Series):
            return left * self
        return self._with(self._mul(other, self._c))

    def __truediv__(self, other: Any) -> Any:
        return self._with(self._div(self._c, other)[0])

    def __pow__(self, other: Any) -> Any:
        return self._with(self._pow(self._c, other, maxpower=100))

    def __getattr__(self, name: str) -> Any: ...


_CLASSES = {cls: class_of(Series, cls, ("_add", "_der", "_div", "_int", "_mul", "_pow", "_roots", "_sub", "_val"))
            for cls in SERIES}


def _ends(interval: Any) -> Any:
    return 1.0 * interval[0], 1.0 * interval[1]


def _series_of(cls: Any, coef: Any, domain: Any, window: Any) -> Any:
    return new_series(cls, coef, _ends(domain), _ends(window), False)


def _fitted(cls: Any, fit: Callable[..., Any], own_domain: Any, window: Any, x: Any, y: Any, deg: Any, domain: Any,
            rcond: Any, full: Any, w: Any) -> Any:
    x = np.asarray(x)
    if domain is None:
        first, last = x.min(), x.max()
        if first == last:
            first, last = first - 1, last + 1
        domain = (first, last)
    elif isinstance(domain, list) and len(domain) == 0:
        domain = own_domain
    result = fit(mapdomain(x, _ends(domain), window), y, deg, w=w, rcond=rcond, full=full)
    if full:
        return _series_of(cls, result[0], domain, window), result[1]
    return _series_of(cls, result, domain, window)


@special(new_series)
def _new_series(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    cls, *parts = args
    assert isinstance(cls, Static)
    arrays = [ev.call(Static(np.array), [ends]) for ends in parts[1:3]]
    for array in arrays:
        hold_all(ev, array)
    names = "_of", "_c", "_domain", "_window", "_computed", "_domain_array", "_window_array"
    return ev.new_object(_CLASSES[cls.value], dict(zip(names, (cls, *parts, *arrays))))


@special(read_only)
def _read_only(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    hold_all(ev, args[0])
    return args[0]


@special(seen_into)
def _seen_into(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (x,) = args
    cls = class_of_polynomial(ev, x)
    if cls is np.poly1d:
        return ev.call(Static(new_poly1d), [coefficients_of(ev, x, "coeffs", counted=True)])
    return x if cls is None else ev.call(Static(new_series), [
        Static(cls), *parts_of_series(ev, x), Static(True)])


def _interval(cls: Any, arguments: Kwargs, key: str) -> Abstract:
    """The domain or the window that is passed, or that of the class."""
    v = arguments.get(key, Static(None))
    return Static(tuple(getattr(cls, key).tolist())) if v == Static(None) else v


def _no_symbol(ev: Evaluator, name: str, arguments: Kwargs) -> None:
    if "symbol" in arguments:
        ev.refuse("SCT205", f"`symbol` of `{name}` is not supported", hint="leave `symbol` out")


def _register(cls: Any) -> None:
    name = cls.__name__

    def create(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        """A series with these coefficients, which are copied."""
        arguments = named_arguments(ev, cls, args, kwargs)
        leave_to_python(ev, name, arguments.values())
        if name == "Polynomial" and arguments.keys() == {"coef"}:
            return power_series(ev, arguments["coef"])
        _no_symbol(ev, name, arguments)
        coef = ev.call(Static(np.copy), [vector_of(ev, name, arguments["coef"])])
        return ev.call(Static(_series_of), [Static(cls), coef, *(_interval(cls, arguments, key)
                                                            for key in ("domain", "window"))])

    def fit(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        """The series of least squares, on the domain of the positions of the data."""
        arguments = named_arguments(ev, cls.fit, args, kwargs)
        leave_to_python(ev, f"{name}.fit", arguments.values())
        _no_symbol(ev, f"{name}.fit", arguments)
        rest = [arguments.get(key, Static(default))
                for key, default in (("domain", None), ("rcond", None), ("full", False), ("w", None))]
        return ev.call(Static(_fitted), [
            Static(cls), Static(cls._fit), _interval(cls, {}, "domain"), _interval(cls, arguments, "window"),
            *(arguments[key] for key in ("x", "y", "deg")), *rest])

    gives_eigenvalues(cls._roots)
    of_scipy(f"numpy.polynomial.{name}")(create)
    of_scipy(f"numpy.polynomial.{name}.fit")(fit)


for _cls in SERIES:
    _register(_cls)
