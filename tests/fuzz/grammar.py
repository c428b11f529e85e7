"""The grammar of generated Python programs: templates of expressions for each type, and of statements.

In a template `{F}` is an expression of that type, `{f}` a literal, `$1` a name of its own (often that
of another variable), `<$1:F>...</>` a part in which it has that type.  A statement's `{+F}` is a target,
`...` on a line of its own a block, before which `<$1:F>` says what is bound in it.

    F float   I int   B bool   S string   A array of 3   T pair of floats   L list of floats   E the same,
    perhaps empty   D dict   Z set of ints   C enum   P dataclass   K object   O float or None   H function
    Q list of strings   R list of arrays   X list of lists   J iterator   U anything
"""

from __future__ import annotations

__all__ = ["EXPRESSIONS", "LEAVES", "NUMBER", "STARTS", "STATEMENTS"]

NUMBER = {
    "F": "{F}", "I": "{I} * {f}", "B": "({f} if {B} else {f})", "S": "len({S}) * {f}", "A": "np.sum({A})",
    "T": "{T}[0] * {T}[1]", "L": "sum({L})", "E": "sum({E})", "D": "sum({D}.values())", "Z": "sum({Z})",
    "C": "{C}.value * {f}", "P": "{P}.norm()", "K": "{K}({f})", "O": "({O} or {f})", "H": "{H}({F})",
    "Q": "len({Q})", "R": "np.sum({R}[0] * {R}[-1])", "X": "sum([sum($1) for $1 in {X}])", "J": "sum({J})",
    "U": "(1.5 if {U} else 0.5)",
}
"""A number of a value of each type: what `f` returns is a sum of these."""

STARTS = ["0.0", "0", "1.0", "G", "ONE", "K[1]", "cfg.rate", "lib.scale", "False"]
"""`{g}`: what a carry of a loop starts from."""

LEAVES: dict[str, list[str]] = {
    "F": [
        "{f}", "x[0]", "x[1]", "x[2]", "x[-1]", "G", "H", "cfg.rate", "lib.scale", "UNIT.v", "POINT.a", "K[0]",
        "K[1]", "math.pi", "TABLE['a']", "PAIR[1]", "ITEMS[-1]", "Unit.scale", "W[IDX[0]]",
    ],
    "I": [
        "{i}", "N", "ONE", "len(x)", "0", "-1", "Unit.limit",
    ],
    "B": [
        "True", "False", "FLAG", "cfg.on",
    ],
    "S": [
        "{s}", "MODE", "cfg.name", "EMPTY", "''",
    ],
    "A": [
        "x", "K", "W", "cfg.w", "lib.k", "WEIGHTS[1]", "x[::-1]", "np.ones(3)", "V32",
    ],
    "T": [
        "PAIR", "({F}, {F})", "pair({F})",
    ],
    "L": [
        "ITEMS", "[{F}, {F}]", "[{F}, {F}, {F}]", "cfg.items", "list(x)",
    ],
    "E": [
        "[]", "NONE_YET", "[{F}]",
    ],
    "D": [
        "TABLE", "{'a': {F}, 'b': {F}}", "dict(a={F}, b={f})",
    ],
    "Z": [
        "SEEN", "{1, {i}}", "set()",
    ],
    "C": [
        "Color.RED", "Color.BLUE", "Level.LOW", "Level.HIGH",
    ],
    "P": [
        "POINT", "Point({f}, {f})", "Point({F})", "Point({F}, {F})", "Point(a={F}, b={f}, tag={S})",
    ],
    "K": [
        "UNIT", "Unit({F})", "Sub({F})", "Unit.of({F})", "Sub.of({F})",
    ],
    "O": [
        "None", "MAYBE", "NOTHING", "{F}",
    ],
    "H": [
        "m1", "m2", "c1", "c2", "one", "two", "math.sin", "np.tanh", "scaled", "chosen", "summed", "lib.half",
        "Unit.half", "LAYERS[0]", "part", "UNIT", "outer", "defaulted",
    ],
    "Q": [
        "NAMES", "[{s}, {s}]", "list(MODE)",
    ],
    "R": [
        "WEIGHTS", "[x, K]", "[{A}, {A}]",
    ],
    "X": [
        "ROWS", "[[{F}], [{F}, {F}]]",
    ],
    "U": [
        "None", "{s}", "{f}", "{i}", "[]", "()", "{}", "Color.RED", "m1", "Unit", "math", "range(0)", "x", "0.0",
        "int", "'' or None",
    ],
    "J": [
        "iter({L})", "map({H}, {L})", "filter(None, {L})", "reversed({L})", "itertools.chain({L}, {E})",
        "iter({D}.values())", "itertools.accumulate({L})", "filter(lambda $1: <$1:F>{B}</>, {L})",
        "itertools.islice({L}, 2)", "itertools.repeat({F}, 2)", "map(log, {L})",
    ],
}
"""Where an expression may not be deeper."""

EXPRESSIONS: dict[str, list[str]] = {
    "F": [
        "({F} + {F})", "({F} - {F})", "({F} * {F})", "{F} * {f}", "-{F}", "({F} / (1.5 + {F} * {F}))",
        "math.sin({F})", "math.tanh({F})", "np.exp(-{F} * {F})", "abs({F})", "{F} ** 2", "({F} if {B} else {F})",
        "({F} if {U} else {F})", "({O} or {F})", "({B} and {F} or {F})", "({S} and {F})", "({E} or [{f}])[0]",
        "({U} and {f} or {F})", "({F} if {O} is None else {f})", "max({F}, {F})", "min({F}, {F}, {F})", "max({L})",
        "min({A})", "sum({L})", "sum({A})", "sum({E}, {F})", "{T}[0]", "{T}[-1]", "{L}[0]", "{L}[-1]", "{D}['a']",
        "{D}.get('b', {F})", "{D}.get('z', {F})", "{A}[{I} % 3]", "np.sum({A})", "np.dot({A}, {A})", "float({B})",
        "{B} * {F}", "{I} * {F}", "len({S}) * {F}", "len({E}) * {f}", "{P}.a", "{P}.norm()", "{P}.total", "{K}({F})",
        "{K}[{I}]", "{K}.v", "sum({K})", "len({K}) * {f}", "{H}({F})", "{H}({F})", "apply({H}, {F})",
        "compose({H}, {H})({F})", "make({F})({F})", "make({f})({F})", "rec({f})({F}, {i})", "r1({F}, 2)",
        "r2({F}, {i})", "log({F})", "(log({F}) + log({F}))", "log({F}) * says('r', {F})", "named({F}, k={F})",
        "named({F}, {F}, z={f})", "push({F})", "pushed({F})[-1]", "guarded({F})", "defaulted({F}, mode={S})",
        "sum([<$1:F>{F}</> for $1 in {L}])", "sum(<$1:F>{F}</> for $1 in {A})",
        "sum([<$1:F>{F}</> for $1 in {L} if <$1:F>{B}</>])", "sum(<$1:I>{F}</> for $1 in range({i}))",
        "sum($1 * $2 for $1, $2 in zip({A}, {L}))", "sum(map({H}, {L}))", "sum({J})", "next({J})", "next({J}, {F})",
        "sum($1 * <$2:F>{F}</> for $1, $2 in enumerate({L}))", "(lambda $1: <$1:F>{F}</>)({F})",
        "(lambda $1, $2={F}: <$1:F><$2:F>{F}</></>)({F})",
        "functools.reduce(lambda $1, $2: <$1:F><$2:F>{F}</></>, {L})", "($1 := {F}) * $1", "float({I})",
        "float(np.float32({f})) * {F}", "{C}.value * {F}", "Lazy({F}).each", "Knob({F}).level",
        "divmod({F}, 0.75)[1]", "{F} % 0.7", "{F} // 0.5", "round({f}, 1) * {F}", "FUNCTIONS['m']({F})",
        "FUNCTIONS[{s} if {s} in FUNCTIONS else 'n']({F})", "getattr({P}, 'b')", "getattr({P}, 'none', {F})",
        "operator.mul({F}, {F})", "operator.attrgetter('a')({P})", "operator.itemgetter('a')({D})",
        "functools.partial(named, {F})(k={f})", "sum([$1.v for $1 in [{K}, {K}]])", "{R}[{I} % 2][0]", "{X}[1][0]",
        "sum(sum($1) for $1 in {X})", "cached({i}) * {F}", "float({I} == {F})", "({P} + {P}).a",
        "({P} * {F}).norm()", "({f} * {P}).a", "dataclasses.replace({P}, a={F}).norm()", "Frozen({F}).a", "(-{K}).v",
        "sorted([{f}, {f}])[0] * {F}", "{A}.sum()", "x.max()", "{A}.mean()", "x.size * {F}", "{T}[{B}]",
        "sum([*{T}, *{L}])", "[{F}, {F}][{B}]", "{'fast': {F}}.get({S}, {F})", "math.prod({T})",
        "math.hypot({F}, 1.0)", "int({f}) * {F}", "(lambda *$1: <$1:L>{F}</>)({F}, {F})", "named(*{T})",
        "defaulted(**{'v': {F}, 'k': {F}})", "max({L}, key=lambda $1: -$1 if False else 0)",
        "(x[0] if x[0] > {f} and {U} else {F})", "({F} if {U} or {B} else {F})",
    ],
    "I": [
        "({I} + {I})", "{I} * 2", "len({L})", "len({E})", "len({S})", "len({Z})", "int({B})",
        "({I} if {B} else {I})", "max({I}, {I})", "({I} or {I})", "{Q}.index({Q}[0])", "{S}.count('a')",
        "sum([1 for $1 in {L} if <$1:F>{B}</>])", "({B} + {B})", "abs({I})", "len({D})", "int(x[0] > {f})",
        "len([$1 for $1 in {Q} if $1])", "x.shape[0]", "hash({i})", "log({I})", "{I} % 3", "{I} // 2", "{I} & 1",
        "len(x[{i}:])", "Level.HIGH + {i}", "len({J} and [1])", "next(iter({Z}), {i})",
    ],
    "B": [
        "{F} > {f}", "{F} < {F}", "{F} <= {f}", "{f} < {F} < {F}", "{I} == {I}", "{I} > 1", "{F} == {F}",
        "{B} and {B}", "{B} or {B}", "not {B}", "not {U}", "not {E}", "not {S}", "{S} == {S}", "{S} != {S}",
        "{O} is None", "{O} is not None", "{U} is None", "{U} == {U}", "{U} != {U}", "{U} is {U}", "{S} in {Q}",
        "{S} not in {Q}", "'a' in {D}", "{S} in {D}", "{I} in {Z}", "{I} in {K}", "{C} == {C}", "{C} is {C}",
        "{C} != {U}", "isinstance({U}, str)", "isinstance({U}, (int, float))", "isinstance({P}, Point)",
        "isinstance({K}, Sub)", "callable({U})", "hasattr({P}, 'a')", "hasattr({U}, 'v')", "{L} == {L}", "{E} == []",
        "{L} is {L}", "{T} == {T}", "{T} < {T}", "{P} == {P}", "{D} == {D}", "{Z} == {Z}", "{A} is {A}",
        "{H} is {H}", "{H} == {H}", "{K} == {K}", "{K} is {K}", "{K} < {K}", "bool({K})", "bool({S})", "bool({E})",
        "bool({F})", "any([<$1:F>{B}</> for $1 in {L}])", "all(<$1:F>{B}</> for $1 in {L})", "any(map(log, {L}))",
        "all(log($1) > {f} for $1 in {L})", "np.all({A} > {f})", "np.any({A} > {f})", "Loose({f}) == Loose({f})",
        "Frozen({f}) == Frozen({f})", "type({U}) is float", "type({F}) is float", "type({I}) is int", "{B} == {I}",
        "{B} is True", "{F} == {I}", "{S} == {F}", "{L} == {T}", "{E} == {E}", "{S}.startswith('f')", "log({B})",
        "{Z} <= {Z}", "{L} != {E}", "len({E}) > 0", "{F} in {L}", "{f} in {E}", "{F} > {f} and {S}",
        "{F} > {f} and {U}", "{F} < {f} or {E}", "{O} and {B}", "({I} and {S}) == {S}", "{A} is x", "x is {A}",
        "isinstance({B}, int)", "{Q} == {Q}",
    ],
    "S": [
        "({S} + {S})", "({S} or {s})", "({S} and {S})", "({S} if {B} else {S})", "{S}.upper()", 'f"{({I})}"',
        "{Q}[0]", "{P}.tag", "{S}[::-1]", "str({I})", "', '.join({Q})", "type({U}).__name__", "{C}.name",
        "repr({S})", "{S} * {i}", "sorted({Q})[0]", "{S}[{i}:]", "'%s' % {S}", "'{}'.format({I})",
        "({U} and {s} or {S})", "log({S})",
    ],
    "A": [
        "{A} + {A}", "{A} * {A}", "{A} * {F}", "{F} * {A}", "{A} - {F}", "np.sin({A})", "np.tanh({A})",
        "np.exp(-{A} ** 2)", "{A}[::-1]", "np.where({A} > {f}, {A}, {A})", "({A} if {B} else {A})",
        "np.array({L} + [{F}, {F}])[:3]", "np.array([{F}, {F}, {F}])", "{R}[0]", "{R}[-1]", "{R}[{I} % 2]", "-{A}",
        "{A}.copy()", "{A}[IDX]", "np.maximum({A}, {f})", "np.cumsum({A})", "{A} / (1.5 + {A} ** 2)",
        "np.zeros(3) + {F}", "abs({A})", "sum({R})", "({A} > {f}) * {A}", "np.full(3, {F})",
        "np.array([<$1:F>{F}</> for $1 in {A}])", "log({A})", "{A}.clip({f}, 2.0)", "{A} @ np.eye(3)", "scaled({A})",
        "m1({A})", "c2({A})", "({A} if {U} else {A})", "np.array([$1 * {f} for $1 in x])",
        "functools.reduce(operator.add, {R})", "sum([$1 * {f} for $1 in {R}])", "{A} * ({A} > {f})",
        "np.arange(3) * {F}",
    ],
    "T": [
        "({F}, {F})", "({F}, {F})", "pair({F})", "divmod({F}, 0.7)", "tuple([{F}, {F}])", "{T}[::-1]",
        "({T} if {B} else {T})", "tuple({P}.a for $1 in 'ab')", "(log({F}), log({F}))", "min({T}, {T})",
    ],
    "L": [
        "[{F}, {F}]", "{L} + {L}", "{L} + [{F}]", "[<$1:F>{F}</> for $1 in {L}]", "[<$1:F>{F}</> for $1 in {A}]",
        "[<$1:I>{F}</> for $1 in range({i})]", "list({T})", "[*{L}, {F}]", "{L}[::-1]", "list({A})", "{L} * {i}",
        "list(map({H}, {L}))", "list(reversed({L}))", "list({D}.values())", "({L} if {B} else {L})", "({E} or {L})",
        "{L}.copy()", "list({L})", "[x[$1] for $1 in IDX]", "[$1 * $2 for $1, $2 in zip({A}, {A})]", "{A}.tolist()",
        "[<$1:S>{F}</> for $1 in {Q}]", "pushed({F})", "[({F} if <$1:F>{B}</> else $1) for $1 in {L}]",
        "sorted([{f}, {f}])", "list(itertools.accumulate({L}))", "[log($1) for $1 in {L}]", "[{F}] + list({J})",
    ],
    "E": [
        "[<$1:F>{F}</> for $1 in {L} if <$1:F>{B}</>]", "{L}[{i}:]", "list(filter(lambda $1: <$1:F>{B}</>, {L}))",
        "[<$1:F>{F}</> for $1 in {E}]", "{E} + {E}", "list({J})", "[<$1:F>{F}</> for $1 in {A} if <$1:F>{B}</>]",
        "[$1 for $1 in {L} if {U}]",
    ],
    "D": [
        "{'a': {F}, 'b': {F}}", "{'a': log({F}), 'b': log({F})}", "{**{D}, 'a': {F}}",
        "{$1: <$1:S>{F}</> for $1 in 'ab'}", "{$1: $2 * {f} for $1, $2 in {D}.items()}", "dict(zip('ab', {T}))",
        "({D} if {B} else {D})", "{D}.copy()", "dict({D}, b={F})",
        "{says('a', 'a'): log({F}), says('b', 'b'): log({F})}", "({D} | {'b': {F}})",
    ],
    "Z": [
        "{1, {I}}", "{Z} | {Z}", "{Z} & {Z}", "{$1 % 2 for $1 in range({i})}", "set([{i}, {i}])", "frozenset([{i}])",
    ],
    "C": [
        "Color({i} % 2 + 1)", "({C} if {B} else {C})", "Color['RED']", "Level({i} % 2 + 1)",
    ],
    "P": [
        "Point({F}, {F})", "Point({F}, tag={S})", "{P} + {P}", "{P} * {F}", "{P}.grow({F})", "({P} if {B} else {P})",
        "dataclasses.replace({P}, b={F})", "Point(*{T})", "Point(**{D})",
    ],
    "K": [
        "Unit({F})", "Sub({F})", "-{K}", "({K} if {B} else {K})", "({K} or {K})", "Unit.of({F})",
        "[Unit, Sub][{B}]({F})", "(Sub if {B} else Unit)({f})",
    ],
    "O": [
        "({F} if {B} else None)", "{D}.get({S})", "({O} and {F})", "({O} or None)", "(None if {U} else {F})",
        "next(iter({E}), None)",
    ],
    "H": [
        "lambda $1: <$1:F>{F}</>", "lambda $1, $2={F}: <$1:F><$2:F>{F}</></>", "make({F})", "make({f}, {F})",
        "compose({H}, {H})", "functools.partial(named, k={F})", "({H} if {B} else {H})", "{P}.grow and {H}", "{K}",
        "{K}.__call__", "times({f})({H})", "FUNCTIONS['n']", "FUNCTIONS.get({S}, {H})", "LAYERS[{I} % 2]",
        "functools.partial(operator.mul, {F})", "[m1, m2][{i} % 2]", "getattr(lib, 'half')",
    ],
    "Q": [
        "[{S}, {S}]", "[{S} for $1 in range({i})]", "sorted({D})", "list({D})", "list({D}.keys())", "{Q} + [{S}]",
        "[$1.upper() for $1 in {Q}]", "({Q} if {B} else {Q})", "'a b'.split()",
    ],
    "R": [
        "[{A}, {A}]", "[{A}, x, {A}]", "[$1 * {F} for $1 in {R}]", "{R} + [{A}]",
        "[x * <$1:I>{F}</> for $1 in range(2)]", "[{A}] * 2",
    ],
    "X": [
        "[[{F}], [{F}, {F}]]", "[{L}, {L}]", "[[<$1:F>{F}</> for $1 in $2] for $2 in {X}]",
        "[[$1 * $2 for $1 in {L}] for $2 in {T}]", "[{L}] * 2", "{X} + [{L}]",
    ],
    "U": [
        "{O}", "{S}", "{F}", "{I}", "{B}", "{L}", "{E}", "{T}", "{D}", "{C}", "{P}", "{K}", "{H}", "({U} and {U})",
        "({U} or {U})", "({U} if {B} else {U})", "type({U})", "{D}.items()", "{D}.keys()", "x.shape", "range({i})",
        "{Z}", "{Q}",
    ],
    "J": [
        "iter({L})", "map({H}, {L})", "filter(None, {L})", "reversed({L})", "itertools.chain({L}, {E})",
        "iter({D}.values())", "itertools.accumulate({L})", "filter(lambda $1: <$1:F>{B}</>, {L})",
        "itertools.islice({L}, 2)", "itertools.repeat({F}, 2)", "map(log, {L})",
    ],
}

STATEMENTS: list[tuple[float, str]] = [
    # values
    (5, "{+F} = {F}"), (3, "{+A} = {A}"), (2, "{+L} = {L}"), (1.5, "{+E} = {E}"), (2, "{+D} = {D}"),
    (1.5, "{+T} = {T}"), (1.5, "{+P} = {P}"), (1.5, "{+K} = {K}"), (1.5, "{+O} = {O}"), (2, "{+H} = {H}"),
    (1, "{+S} = {S}"), (1, "{+I} = {I}"), (1.5, "{+B} = {B}"), (1, "{+C} = {C}"), (0.7, "{+Z} = {Z}"),
    (0.7, "{+Q} = {Q}"), (1, "{+R} = {R}"), (0.8, "{+X} = {X}"), (1, "{+J} = {J}"), (2, "{+U} = {U}"),
    # names that share a value
    (1, "{+L} = {=L}"), (0.7, "{+D} = {=D}"), (1, "{+A} = {=A}"), (0.7, "{+P} = {=P}"), (0.4, "{+E} = {=E}"),
    (0.3, "{+F} = {+F} = {F}"), (0.5, "{+L}, {+L} = {L}, {L}"), (0.5, "{+F}, {+F} = {T}"),
    (0.4, "{+F}, *{+E} = {L}"), (0.5, "{=F}, {=F} = {=F}, {=F}"), (0.3, "{+F}: float = {F}"),
    (0.6, "{+L} = {L}\n$9 = {+!L}\n{+!L} += [{F}]\nprint(len($9), {+!L} is $9)"),
    (0.5, "{+L} = {L}[:]\n$9 = {+!L}\n{+!L} *= 2\nprint(len($9))"),
    (0.5, "{+A} = {A} * 1.0\n$9 = {+!A}\n{+!A} += {A}\n{+F} = np.sum($9 * x)"),
    (0.5, "{+A} = {A} * 1.0\n$9 = {+!A}[::-1]\n{+!A}[0] = {F}\n{+F} = np.sum($9 * x)"),
    (0.4, "{+D} = {D}.copy()\n$9 = {+!D}\n$9['a'] = {F}\n{+F} = {+!D}['a']"),
    (0.4, "{+P} = {P}\n$9 = [{+!P}, {+!P}]\n$9[0].a = {F}\n{+F} = $9[1].a + {+!P}.a"),
    (0.3, "print(Loose({f}) == Loose({f}), Frozen({f}) == Frozen(0.5), {P} == {P})"),
    (0.3, "{+L} = [{F}]\n$9 = ({+!L}, 2)\n$9[0].append({F})\nprint(len({+!L}))"),
    # augmented
    (3, "{=F} += {F}"), (1, "{=F} *= {F}"), (1, "{=A} += {A}"), (0.7, "{=A} *= {F}"), (1, "{=A}[{I} % 3] = {F}"),
    (1, "{=A}[{i} % 3] += {F}"), (0.5, "{=A}[1:] = {F}"), (1, "{=L}[0] = {F}"), (1, "{=L}[-1] += {F}"),
    (3, "{=L} += [{F}]"), (2, "{=L} *= 2"), (2, "{=L} += {T}"), (1, "{=D}['a'] = {F}"), (1, "{=D}['b'] += {F}"),
    (0.5, "{=D}['c'] = {F}"), (1, "{=P}.a = {F}"), (1, "{=P}.a += {F}"), (0.5, "{=P}.b *= {F}"),
    (0.7, "{=K}.v += {F}"), (0.5, "{=K}.kept += [{F}]"), (0.5, "{=I} += {I}"), (0.4, "{=S} += {S}"),
    (0.4, "{=R}[0] += {A}"), (0.4, "{=R}[0] = {A}"), (0.5, "{=X}[0].append({F})"), (0.4, "{=X}[0][0] = {F}"),
    (0.3, "{=X}[0] += [{F}]"), (0.3, "{=Z} |= {Z}"), (0.3, "{=Z}.add({I})"), (0.4, "{=D} |= {'a': {F}}"),
    (0.3, "{=B} &= {B}"), (0.3, "{=T} += ({F},)"), (0.3, "{=P} += {P}"), (0.3, "{=P} *= {f}"), (0.3, "{=K}[0]"),
    # containers that grow and shrink
    (1.5, "{=L}.append({F})"), (1.5, "{=E}.append({F})"), (0.7, "{=E}.extend({L})"), (0.5, "{=L}.insert({I}, {F})"),
    (0.5, "{=L}.reverse()"), (0.6, "{+F} = {=L}.pop()"), (0.3, "{+F} = {=E}.pop()"), (0.3, "{=D}.update(a={F})"),
    (0.3, "{+F} = {=D}.pop('z', {F})"), (0.3, "{=D}.setdefault('d', {F})"), (0.3, "del {=L}[0]"),
    (0.2, "{=L}.clear()"), (0.3, "{+Q} = {=D}.keys()\n{=D}['n'] = {F}\nprint(len({+!Q}))"), (0.3, "{=K}.keep({F})"),
    (0.3, "{=L}.sort()"), (0.5, "{+L} = [{f}] * 2\n{+!L}[0] = {F}"),
    (0.3, "{+X} = [[{F}]] * 2\n{+!X}[0].append({F})"), (0.3, "{=E} += {=E}"), (0.3, "{=L} += {=L}"),
    # iterators
    (0.6, "{+J} = {J}\n{+F} = next({+!J}, {F})\n{+F} = sum({+!J})"),
    (0.6, "{+J} = {J}\n{+L} = [{F}] + list({+!J})\n{+F} = sum({+!J})"),
    (0.4, "{+J} = map(log, {L})\nprint('made')\n{+F} = next({+!J})"),
    (0.4, "{+J} = zip({L}, {L})\nfor $1, $2 in {+!J}:\n<$1:F><$2:F>...\n{+E} = list({+!J})"),
    (0.3, "{+J} = enumerate({L})\n{+T} = next({+!J})"),
    # branches
    (2.5, "if {B}:\n..."), (1.5, "if {B}:\n...\nelse:\n..."), (0.7, "if {B}:\n...\nelif {B}:\n...\nelse:\n..."),
    (1.5, "if {U}:\n..."), (0.7, "if {E}:\n..."), (0.7, "if {S}:\n..."), (0.7, "if {O} is not None:\n..."),
    (0.5, "if {F} > {f} and {U}:\n..."), (0.7, "{+O} = None\nif {B}:\n    {+!O} = {F}"),
    (0.8, "{+U} = {U}\nif {F} > {f}:\n    {+!U} = {U}\nif {+!U}:\n..."),
    (0.5, "{+E} = []\nif {B}:\n    {+!E}.append({F})\nif {+!E} and {B}:\n..."),
    (0.5, "{+U} = {U}\nif {F} > {f}:\n    {+!U} = {U}\nprint({+!U} == {U}, {+!U} is None)"),
    # loops
    (1.5, "for $1 in range({i}):\n<$1:I>..."), (1, "for $1 in {L}:\n<$1:F>..."), (0.7, "for $1 in {A}:\n<$1:F>..."),
    (0.6, "for $1, $2 in enumerate({L}):\n<$1:I><$2:F>..."), (0.6, "for $1, $2 in zip({A}, {L}):\n<$1:F><$2:F>..."),
    (0.5, "for $1, $2 in {D}.items():\n<$1:S><$2:F>..."), (0.4, "for $1 in {D}:\n<$1:S>..."),
    (0.4, "for $1 in {Q}:\n<$1:S>..."), (0.4, "for $1 in reversed({L}):\n<$1:F>..."),
    (0.3, "for $1 in {J}:\n<$1:F>..."), (0.3, "for $1 in {R}:\n<$1:A>..."), (0.3, "for $1 in {X}:\n<$1:L>..."),
    (0.3, "for $1 in {K}:\n<$1:F>..."), (0.3, "for $1 in {T}:\n<$1:F>..."), (0.2, "for $1 in Color:\n<$1:C>..."),
    (0.3, "for $1 in ({H}, {H}):\n<$1:H>..."), (0.3, "for $1 in [Unit, Sub]:\n    {+F} = $1({F}).v"),
    (0.8, "{#I} = 0\nwhile {#!I} < {i}:\n    {#!I} += 1\n..."),
    (0.5, "{#I} = 0\nwhile {B} and {#!I} < 4:\n    {#!I} += 1\n..."),
    (0.4, "{#I} = 0\nwhile {U} and {#!I} < 3:\n    {#!I} += 1\n..."),
    (0.4, "{#E} = {L}[:]\nwhile {#!E}:\n    {+F} = {#!E}.pop()\n..."),
    (0.6, "for $1 in {L}:\n<$1:F>...\n    if {B}:\n        break\nelse:\n..."),
    (0.5, "for $1 in {A}:\n    if <$1:F>{B}</>:\n        continue\n<$1:F>..."),
    (0.4, "for $1 in {L}:\n    if <$1:F>{B}</>:\n        return {F}"),
    (0.7, "{+F} = {g}\nfor $1 in range({i}):\n    {+!F} = {+!F} * {F} + K[0] * K[1]"),
    (0.8, "{+A} = {g}\nfor $1 in range(1, {i} + 1):\n    {+!A} = {+!A} + {A}"),
    (0.6, "{+A} = {A}\nfor $1 in range({i}):\n    {+!A} = {+!A} * K[0] * W"),
    (0.5, "{+A} = K\nfor $1 in range(2):\n    {+!A} = {+!A} + x * {F}"),
    (0.5, "{+O} = None\nfor $1 in {L}:\n    {+!O} = $1 if {+!O} is None else {+!O} + $1"),
    (0.4, "{+F} = {f}\nfor $1 in {L}:\n    {+!F} = max({+!F}, $1)"),
    # functions
    (1.2, "def {+H}($1):\n<$1:F>...\n    return <$1:F>{F}</>"),
    (0.8, "def {+H}($1, $2={F}):\n    return <$1:F><$2:F>{F}</></>"),
    (0.5, "def {+H}($1):\n    if $1 > {f}:\n        return {F}\n    return <$1:F>{F}</>"),
    (0.4, "def {+H}($1, $2=[]):\n    $2.append($1)\n    return sum($2)\nprint({+!H}({F}), {+!H}({F}))"),
    (0.4, "@times({f})\ndef {+H}($1):\n    return <$1:F>{F}</>"),
    (0.4, "{+F} = {F}\ndef {+H}($1):\n    return <$1:F>{F}</> * {+!F}\n{+!F} = {F}"),
    (0.3, "def {+H}($1, n=2):\n    return $1 if n == 0 else {+!H}($1 * {f}, n - 1) + {f}"),
    (0.3, "{+F} = {F}\ndef {+H}($1):\n    nonlocal {+!F}\n    {+!F} = {+!F} + $1\n    return {+!F}"),
    (0.3, "{+E} = []\ndef {+H}($1):\n    {+!E}.append($1)\n    return $1 * {f}\n{+F} = {+!H}({F}) + {+!H}({F})"),
    (0.3, "{+H} = [lambda $1: $1 * $2 for $2 in {T}][0]"),
    (0.3, "{+H} = [lambda $1, $2=$2: $1 * $2 for $2 in {T}][0]"),
    # what is seen outside, and what ends
    (1.2, "print({U})"), (0.6, "print({F}, {B})"), (0.4, "print({S}, {I})"), (0.4, 'print(f"{({B})!r}")'),
    (0.4, "assert {B}, {S}"), (0.4, "if {B}:\n    raise ValueError({S})"),
    (0.3, "if {F} > 3.0:\n    raise ValueError(f'large {N + 0}')"), (0.6, "if {B}:\n    return {F}"),
    (0.2, "{+F} = {L}[{I}]"), (0.2, "{+F} = {D}[{S}]"), (0.2, "assert {F} < 50.0"), (0.15, "{+F} = math.sqrt({F})"),
    (0.15, "{+F} = {F} / {I}"), (0.3, "match {U}:\n    case None:\n...\n    case str():\n...\n    case _:\n..."),
    (0.2, "match {S}:\n    case 'fast' | 'slow':\n...\n    case _:\n..."),
    (0.2, "match {P}:\n    case Point(a=$1):\n<$1:F>..."), (0.2, "with np.errstate(all='ignore'):\n..."),
    (0.3, "{+K} = {K}\n{+!K}.v = {F}\n{+F} = {+!K}({F})"),
    (0.4, "{+U} = Lazy({F})\n{+F} = {+!U}.once + {+!U}.once\n{+!U}.each = {F}"),
    (0.3, "{+U} = Knob({F})\n{+!U}.level += {F}\n{+F} = {+!U}.level"), (0.05, "POINT.a = {F}"),
    (0.05, "ITEMS.append({F})"), (0.05, "TABLE['a'] = {F}"), (0.03, "K[0] = {F}"), (0.1, "global G\nG = {F}"),
    (0.05, "UNIT.keep({f})"), (0.05, "Unit.scale = {f}"), (0.15, "del {=F}"),
]
"""Statements, and how often each is drawn."""
