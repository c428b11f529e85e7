"""The public functions: grad, value_and_grad, jacobian, hessian, vjp, jvp, hvp, stop_gradient, checkpoint,
checkpointed, probe, rule, implicit, fixed_point, emit.

Arguments and results follow JAX.  All but `emit` may be called inside functions that are
differentiated: the frontend recognizes them by `__sct_call__`.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any, TypeVar, Union, cast, overload

from sct.derivative import Argnums, Derivative, call_once, check_backend, check_function
from sct.errors import SctError
from sct.export.free_sizes import open_sizes
from sct.export.write_module import module_of
from sct.frontend import Traced, Transform, trace_ahead, trace_ranks
from sct.frontend.user_rules import UserRule, add_rule
from sct.ir.pytrees.pytree import Node
from sct.memory_limit import bytes_of
from sct.tangents import Pullback, directions_of, is_absent, tangent_of_each, type_in_words

__all__ = ["Derivative", "checkpoint", "checkpointed", "emit", "fixed_point", "grad", "hessian", "hvp", "implicit",
           "jacfwd", "jacobian", "jacrev", "jvp", "probe", "rule", "stop_gradient", "value_and_grad", "vjp"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Function = Callable[..., Any]
Memory = Union[int, str, None]


@overload
def grad(
    f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Derivative: ...
@overload
def grad(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Callable[[Function], Derivative]: ...
def grad(
    f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy",
    holomorphic: bool = False, memory: Memory = None
) -> Any:
    """The gradient of `f` with respect to the arguments `argnums`, indices or names.

    A function or a decorator, bare or with options; a tuple of argnums gives a tuple
    of gradients.  With `has_aux`, `f` returns (value, aux) and the derivative
    (gradient, aux).

    The gradient with respect to a complex z = x + iy of a real value is df/dx - i df/dy, as in
    JAX: a step of gradient descent goes along its conjugate.  With `holomorphic`, arguments and
    value are complex, and the gradient is the complex derivative f'(z); that `f` is holomorphic
    is not checked.

    `memory`, an int of bytes or a text such as "2GB", is what the values that the backward pass keeps
    may take.  Where those of all iterations take more, the outermost loops are `checkpointed`.

    >>> grad(lambda x: x * x)(3.0)
    6.0
    """
    return _derivative("grad", f, argnums, has_aux, backend, holomorphic, memory)


@overload
def value_and_grad(
    f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Derivative: ...
@overload
def value_and_grad(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Callable[[Function], Derivative]: ...
def value_and_grad(
    f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy",
    holomorphic: bool = False, memory: Memory = None
) -> Any:
    """(value, gradient) of `f`, from one run of it; otherwise as `grad`.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    return _derivative("value_and_grad", f, argnums, has_aux, backend, holomorphic, memory)


@overload
def jacobian(
    f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Derivative: ...
@overload
def jacobian(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Callable[[Function], Derivative]: ...
def jacobian(
    f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy",
    holomorphic: bool = False, memory: Memory = None
) -> Any:
    """All derivatives of the numbers that `f` returns with respect to those in the arguments `argnums`.

    For an output of shape (m,) and an argument of shape (n,) an array of shape (m, n).
    Outputs and arguments may be containers: the result is arranged as the output, each
    leaf as the arguments.  It is `jacfwd` where the arguments hold no more numbers than
    the output, else `jacrev`; both can be asked for by name.  `f` runs once.

    Complex outputs of real arguments are differentiated in forward mode.  By complex arguments,
    `f` must be `holomorphic`.

    >>> jacobian(lambda x: (x * x, 3.0 * x))(2.0)
    (4.0, 3.0)
    """
    return _derivative("jacobian", f, argnums, has_aux, backend, holomorphic, memory)


@overload
def jacfwd(
    f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Derivative: ...
@overload
def jacfwd(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Callable[[Function], Derivative]: ...
def jacfwd(
    f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy",
    holomorphic: bool = False, memory: Memory = None
) -> Any:
    """`jacobian`, a column at a time: best where there are few numbers in the arguments.

    >>> jacfwd(lambda x: x * np.array([1.0, 2.0]))(3.0)
    array([1., 2.])
    """
    return _derivative("jacfwd", f, argnums, has_aux, backend, holomorphic, memory)


@overload
def jacrev(
    f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Derivative: ...
@overload
def jacrev(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Callable[[Function], Derivative]: ...
def jacrev(
    f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy",
    holomorphic: bool = False, memory: Memory = None
) -> Any:
    """`jacobian`, a row at a time: best where there are few numbers in the output.

    >>> jacrev(lambda x: x[0] * x[1])(np.array([2.0, 3.0]))
    array([3., 2.])
    """
    return _derivative("jacrev", f, argnums, has_aux, backend, holomorphic, memory)


@overload
def hessian(
    f: Function, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Derivative: ...
@overload
def hessian(
    f: None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy", holomorphic: bool = False,
    memory: Memory = None
) -> Callable[[Function], Derivative]: ...
def hessian(
    f: Function | None = None, argnums: Argnums = 0, *, has_aux: bool = False, backend: str = "numpy",
    holomorphic: bool = False, memory: Memory = None
) -> Any:
    """All second derivatives of `f`, forward over reverse: `jacfwd` of `jacrev`.

    >>> hessian(lambda x: x[0] * x[0] * x[1])(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    return _derivative("hessian", f, argnums, has_aux, backend, holomorphic, memory)


def _derivative(kind: str, f: Function | None, argnums: Argnums, has_aux: bool, backend: str,
                holomorphic: bool, memory: Memory) -> Any:
    check_backend(backend)
    if f is None:
        return lambda function: Derivative(kind, function, argnums, has_aux, backend, holomorphic, memory)
    return Derivative(kind, f, argnums, has_aux, backend, holomorphic, memory)


def vjp(f: Function, *primals: Any, has_aux: bool = False, backend: str = "numpy", memory: Memory = None
        ) -> tuple[Any, ...]:
    """(f(*primals), pullback); the pullback takes a cotangent of the value and returns
    a tuple of cotangents, one for each primal.  It may be called any number of times, and
    pickled if its residuals can be.  With `has_aux`, `f` returns (value, aux), and aux
    comes after the pullback.

    >>> value, pullback = vjp(lambda x, y: x * y, 2.0, 5.0)
    >>> pullback(1.0)
    (5.0, 2.0)
    """
    check_backend(backend)
    check_function("vjp", f)
    if not primals:
        raise SctError("SCT904", "vjp takes the function and its arguments", hint="vjp(f, x)")
    transform = Transform("vjp", f, tuple(range(len(primals))), has_aux, memory=bytes_of(memory))
    value, run, *aux = call_once(transform, *primals, backend=backend)
    return value, Pullback(value, run), *aux


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any], *, has_aux: bool = False,
        backend: str = "numpy") -> tuple[Any, ...]:
    """(f(*primals), its derivative in the direction `tangents`).

    A tangent has the structure of its primal.  None stands for zero, and for the tangent of
    a string, an int in a container, or None; tangents of the last arguments may be left out.
    With `has_aux`, `f` returns (value, aux), and aux comes last.

    >>> jvp(lambda x, y: x * y, (2.0, 5.0), (1.0, 0.0))
    (10.0, 5.0)
    """
    check_backend(backend)
    check_function("jvp", f)
    tangents = tangent_of_each("jvp", primals, tangents)
    if is_absent(tangents):
        raise SctError("SCT904", "jvp: no argument has a tangent", why="every tangent is None")
    directions = directions_of(primals, tangents)
    transform = Transform("jvp", f, has_aux=has_aux)
    value_and_tangent: tuple[Any, ...] = call_once(transform, *primals, *directions, backend=backend)
    return value_and_tangent


def hvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any], *, backend: str = "numpy") -> Any:
    """The Hessian of `f` with respect to argument 0, times `tangents`: forward over reverse.

    Tangents of other arguments may be left out; with them, it is the derivative of `grad(f)` in that direction.

    >>> hvp(lambda x, k: k * x * x * x, (2.0, 5.0), (1.0,))
    60.0
    """
    check_backend(backend)
    tangents = tangent_of_each("hvp", primals, tangents)
    return jvp(grad(f), primals, tangents, backend=backend)[1]


def emit(
    f: Function,
    mode: str = "grad",
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    types: Mapping[str, str] | None = None,
) -> str:
    """The text of a module that defines a derivative of `f`, without calling it.

    `mode` is "grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian", "vjp",
    "jvp" or "hvp"; jvp and hvp take the tangents after the arguments.  `types` has types
    of parameters (`{"x": "f64[n]"}`) or their values (`{"k": "= 2"}`); others come from
    annotations and defaults, else they are the simplest under which `f` types.  For arrays
    that are annotated as `np.ndarray`, the function takes 0 to 3 axes, as far as `f` does.

    >>> print(emit(lambda x: x * x).partition("def ")[2], end="")
    f_grad(x):
        # x: float
        if not isinstance(x, float):
            raise TypeError("x must be a float")
        dx = 2.0 * x
        return dx
    """
    if mode not in MODES:
        raise SctError("SCT906", f"there is no mode {mode!r}", hint=f"one of {', '.join(MODES)}")
    check_function(mode, f)
    if mode == "hvp":
        target = Transform("jvp", grad(f))
    elif mode in ("vjp", "jvp"):
        target = Transform(mode, f, _every_argument(f) if mode == "vjp" else 0, has_aux)
    else:
        target = Derivative(mode, f, argnums, has_aux).__sct_transform__

    def finished(traced: Traced) -> Traced:
        if mode != "hvp":
            return traced
        assert isinstance(traced.result, Node)
        return replace(traced.only(traced.result.children[1]), name=traced.name.replace("grad_jvp", "hvp"))

    def retrace(chosen: Mapping[str, str], more: Mapping[str, str]) -> Traced:
        return finished(trace_ahead(target, {**stated, **chosen, **more}))

    stated = dict(types or {})
    ahead = [(chosen, finished(traced)) for chosen, traced in trace_ranks(target, stated)]
    return module_of([traced for _, traced in ahead],
                     [open_sizes(traced, partial(retrace, chosen)) for chosen, traced in ahead])


def _every_argument(f: Function) -> int | tuple[int, ...]:
    """The positions of all arguments; 0 where only a call tells how many there are."""
    parameters = inspect.signature(f).parameters.values()
    counted = all(p.kind is not inspect.Parameter.VAR_POSITIONAL for p in parameters)
    return tuple(range(len(parameters))) if counted else 0


MODES = ("grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian", "vjp", "jvp", "hvp")


def stop_gradient(x: T) -> T:
    """`x` itself, which derivatives treat as a constant.

    >>> grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    return x


def checkpoint(f: F) -> F:
    """`f` as a function for which the backward pass keeps only the arguments of a call.

    A function or a decorator.  The backward pass evaluates `f` again, and what it needs for that is gone when it
    returns.  `f` must have no effect (SCT508); its arguments and results are numbers and arrays, and containers of
    these.

    >>> @checkpoint
    ... def layer(W, h):
    ...     return np.tanh(W @ h)
    >>> grad(lambda W, h: np.sum(layer(W, layer(W, h))), 1)(np.eye(2), np.zeros(2))
    array([1., 1.])
    """
    check_function("checkpoint", f)

    @wraps(f)
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    recomputed.__dict__["__sct_call__"] = "checkpoint_of"
    return cast(F, recomputed)


def checkpointed(iterable: Iterable[T], slots: int | None = None) -> Iterable[T]:
    """`iterable` itself; the backward pass of a `for` loop over it keeps few states of the loop, and not each of them.

        for i in sct.checkpointed(range(n)): ...

    The loop is divided into segments: into at most `slots` of them, by default into about sqrt(n). What the loop
    carries from one iteration to the next is kept where a segment starts. The backward pass evaluates each segment
    again before it goes back through it. So it takes memory for about 2 sqrt(n) iterations in place of n, and the time
    of at most one more evaluation of the loop. The body must have no effect (SCT508).

    >>> def f(x):
    ...     for _ in checkpointed(range(100)):
    ...         x = x + 0.01 * x * (1.0 - x)
    ...     return x
    >>> round(grad(f)(0.5), 6)
    0.787836
    """
    return iterable


def probe(x: T, forward: Callable[[T], Any] | None = None, backward: Callable[[Any], Any] | None = None) -> T:
    """`x` itself, a number or an array; hooks see its value and its cotangent.

    forward   is called with the value, where the call stands
    backward  is called with the cotangent, the derivative of the result by `x`, in the backward pass.  If it returns
              something else than None, that takes the place of the cotangent

    Outside of derivatives only `forward` is called.  In forward mode there is no cotangent.

    >>> grad(lambda x: 3.0 * probe(x * x, print, print))(2.0)
    4.0
    3.0
    12.0
    >>> grad(lambda x: 3.0 * probe(x * x, backward=lambda ct: min(ct, 1.0)))(2.0)
    4.0
    """
    if forward is not None:
        forward(x)
    return x


def implicit(solve: Function, residual: Function) -> Function:
    """`solve`, as the function that returns the solution `x` of `residual(x, ...) == 0`, a number or a vector.

    Both take the same arguments; `residual` takes the solution before them.  `solve` runs as it is.  The derivative is
    that of the solution, by the implicit function theorem: one linear system with the Jacobian of the residual.

    >>> def newton(a):
    ...     x = 1.0
    ...     while abs(x * x - a) > 1e-12:
    ...         x = 0.5 * (x + a / x)
    ...     return x
    >>> root = implicit(newton, lambda x, a: x * x - a)
    >>> root(4.0), grad(root)(4.0)
    (2.0, 0.25)
    """
    return _solution(solve, residual, "solution")


def fixed_point(solve: Function, step: Function) -> Function:
    """`solve`, as the function that returns the fixed point `x == step(x, ...)`, a number or a vector.

    It is `implicit` with the residual `step(x, ...) - x`.

    >>> def iterate(a):
    ...     x = 1.0
    ...     for _ in range(60):
    ...         x = 0.5 * (x + a / x)
    ...     return x
    >>> root = fixed_point(iterate, lambda x, a: 0.5 * (x + a / x))
    >>> root(4.0), grad(root)(4.0)
    (2.0, 0.25)
    """
    return _solution(solve, step, "fixed_point_of")


def _solution(solve: Function, equation: Function, kind: str) -> Function:
    def solution(*args: Any, **kwargs: Any) -> Any:
        return solve(*args, **kwargs)

    solution.__dict__.update(__sct_call__=kind, __sct_equation__=(solve, equation))
    if isinstance(solve, types.FunctionType) and solve.__defaults__ is None and solve.__kwdefaults__ is None:
        solution.__signature__ = inspect.signature(solve)  # type: ignore[attr-defined]
        solution.__annotations__, solution.__name__ = solve.__annotations__, solve.__name__
    return solution


@overload
def rule(f: None = None, vjp: Function | None = None, jvp: Function | None = None, *, once: bool = False
         ) -> Callable[[F], F]: ...
@overload
def rule(f: F, vjp: Function | None = None, jvp: Function | None = None, *, once: bool = False) -> F: ...
def rule(f: Any = None, vjp: Function | None = None, jvp: Function | None = None, *, once: bool = False) -> Any:
    """Gives the function `f` a derivative of your own, and returns `f`.

    `vjp(ct, y, *args)` takes the cotangent of the result, the result and the arguments, and returns a tuple with one
    cotangent for each argument, or without the tuple that of a single argument.  None stands for an argument without
    a derivative, which is refused where one is needed, and 0.0 for zeros.  `jvp(tangents, y, *args)` takes a tuple
    with the tangent of each argument, and returns that of the result.  Both are plain NumPy, and are differentiated
    themselves for derivatives of higher order; with `once`, these are refused.  If there is a rule for one mode, that
    for the other one is derived.

    `f` may be any function that a program calls: your own, one of a library or a C extension, a method of a class.
    Without `vjp` and `jvp`, it is a decorator that gives the function `defvjp` and `defjvp`.

    >>> @rule(vjp=lambda ct, y, x: ct / (1.0 + np.exp(-x)))
    ... def log1pexp(x):
    ...     return np.log1p(np.exp(x))
    >>> float(grad(log1pexp)(40.0))
    1.0
    """
    if f is None:
        return lambda function: rule(function, vjp, jvp, once=once)
    for name, g in (("rule", f), ("vjp", vjp), ("jvp", jvp)):
        if g is not None and (not callable(g) or isinstance(g, type)):
            raise SctError("SCT902", f"rule takes functions, not {type_in_words(g)}", why=f"this is its `{name}`"
                           if g is not f else "", hint="sct.rule(f, vjp=lambda ct, y, x: ...)")
    if isinstance(f, types.MethodType) and not isinstance(f.__self__, type):
        raise SctError("SCT902", f"rule takes functions, not a method of one object, `{f.__qualname__}`",
                       why="a program may reach the object by other ways",
                       hint=f"give the method of the class a rule: sct.rule({f.__qualname__}, ...)")
    if isinstance(f, (staticmethod, classmethod)):
        raise SctError("SCT902", f"rule of a {type(f).__name__} object", hint=f"write @{type(f).__name__} above it")
    if vjp is None and jvp is None:
        _define_decorators(f)
    add_rule(UserRule(f, vjp, jvp, once))
    return f


def _define_decorators(f: Any) -> None:
    def defvjp(vjp: F) -> F:
        rule(f, vjp)
        return vjp

    def defjvp(jvp: F) -> F:
        rule(f, jvp=jvp)
        return jvp

    try:
        f.defvjp, f.defjvp = defvjp, defjvp
    except AttributeError:
        raise SctError("SCT904", f"rule: neither a vjp nor a jvp of `{getattr(f, '__name__', f)}` is given",
                       hint="sct.rule(f, vjp=lambda ct, y, x: ...)") from None


for _function in (grad, value_and_grad, jacobian, jacfwd, jacrev, hessian, vjp, jvp, hvp, stop_gradient, checkpoint,
                  checkpointed, probe, rule, implicit, fixed_point, emit):
    _function.__dict__["__sct_call__"] = _function.__name__
