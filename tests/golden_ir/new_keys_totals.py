# new keys: the place of a key that was looked for, and is not there, is the number of values

def totals(xs: list[float], names: list[str], n: int) -> list[float]:
    places: object = inactive(text='{}')
    values: list[float] = list_of(elem=T[float])
    def body(i: int, now: list[float]) -> tuple[bool, list[float]]:
        name: str = index(names, at[i])
        x: float = index(xs, at[i])
        there: bool = inactive(places, name, text='_1 in _0', type=T[bool])
        def then() -> list[float]:
            return now
        def orelse() -> list[float]:
            k: int = builtins.len(now)
            at_1: int = inactive(places, name, k, text='_0.setdefault(_1, _2)', type=T[int])
            new: bool = operator.eq(at_1, k)
            def then() -> list[float]:
                longer: list[float] = append(now, 0.0)
                return longer
            def orelse() -> list[float]:
                written: list[float] = store(now, 0.0, at[at_1])
                return written
            after: list[float] = cond(new, then=then, orelse=orelse)
            return after
        there_1: list[float] = cond(there, then=then, orelse=orelse)
        at_2: int = inactive(places, name, text='_0[_1]', type=T[int])
        old: float = index(there_1, at[at_2])
        total: float = operator.add(old, x)
        last: list[float] = store(there_1, total, at[at_2])
        return True, last
    result, iterations = loop[list[float], int](0, n, 1, values, body=body, carries=1, counted=True)
    return result


# becomes

def totals(xs: list[float], names: list[str], n: int) -> list[float]:
    places: object = inactive(text='{}')
    values: list[float] = list_of(elem=T[float])
    def body(i: int, now: list[float]) -> tuple[bool, list[float]]:
        name: str = index(names, at[i])
        x: float = index(xs, at[i])
        there: bool = inactive(places, name, text='_1 in _0', type=T[bool])
        def then() -> list[float]:
            return now
        def orelse() -> list[float]:
            k: int = builtins.len(now)
            _0: object = inactive(places, name, k, text='_0.__setitem__(_1, _2)')
            longer: list[float] = append(now, 0.0)
            return longer
        there_1: list[float] = cond(there, then=then, orelse=orelse)
        at_2: int = inactive(places, name, text='_0[_1]', type=T[int])
        old: float = index(there_1, at[at_2])
        total: float = operator.add(old, x)
        last: list[float] = store(there_1, total, at[at_2])
        return True, last
    result, iterations = loop[list[float], int](0, n, 1, values, body=body, carries=1, counted=True)
    return result
