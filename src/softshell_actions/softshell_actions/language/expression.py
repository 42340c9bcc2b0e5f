"""Expressions of action files: arithmetic over parameters, and conditions over facts."""

import ast
import keyword
import math
import operator
import unicodedata
from collections.abc import Callable, Collection, Mapping

from softshell_kinematics.errors import SoftshellError, UnknownNameError


def _power(base: float, exponent: float) -> float:
    """A number to the power of another.

    Raises:
        ValueError: the power is not a real number.
    """
    value: float | complex = base**exponent
    if isinstance(value, complex):
        raise ValueError
    return value


_OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def round_up(value: float) -> int:
    """Least integer not below a value, with a tolerance of 1e-9: 0.27 / 0.09 gives 3, not 4."""
    return math.ceil(value - 1e-9)


def _unless_nan(choose: Callable[..., float]) -> Callable[..., float]:
    """`max` or `min`, but NaN if any number is; Python's then depend on the numbers' order."""

    def chosen(*numbers: float) -> float:
        value = choose(*numbers)
        return math.nan if any(map(math.isnan, numbers)) else value

    return chosen


_FUNCTIONS: dict[str, Callable[..., float]] = {
    'abs': abs,
    # A float: powers of whole numbers may have billions of digits.
    'ceil': lambda value: value if math.isnan(value) else float(round_up(value)),
    'cos': math.cos,
    'max': _unless_nan(max),
    'min': _unless_nan(min),
    'sin': math.sin,
    'sqrt': math.sqrt,
}
_CONSTANTS = {'pi': math.pi}
#: Names that every expression knows.
BUILT_IN = frozenset({*_FUNCTIONS, *_CONSTANTS})


class ExpressionError(SoftshellError):
    """An expression that is not arithmetic, uses an unknown name or has no finite value.

    Args:
        expression: as it is written.
        problem: why it has no value.
        unknown: the name in it that is unknown, if that is why.
    """

    def __init__(self, expression: str, problem: str, unknown: str | None = None) -> None:
        self.expression, self.unknown = expression, unknown
        super().__init__(f'expression {expression!r}: {problem}')


def can_name(text: str) -> bool:
    """Whether a text can be the name of a number in an expression."""
    plain = unicodedata.normalize('NFKC', text) == text
    return plain and text.isidentifier() and not keyword.iskeyword(text)


def evaluate(expression: float | str, names: Mapping[str, float]) -> float:
    """Value of an expression.

    Args:
        expression: a number, or text such as `'step / 2 + max(height, 0.01)'`.
        names: values of the names it may use, beside `pi`.

    Raises:
        ExpressionError: it is no arithmetic, uses an unknown name (the text lists the known ones)
            or has no finite value.
    """
    text = str(expression)
    value = _number(text, names)
    if not math.isfinite(value):
        raise ExpressionError(text, f'is {value}; expected a finite number')
    return value


def check(expression: str, names: Collection[str]) -> None:
    """Refuse what is wrong with an expression whatever its names are worth.

    `1 / (x - 1)` passes, as it has a value for most x; `1 / 0` and `x + unknown` do not.

    Args:
        expression: see `evaluate`.
        names: that it may use, beside `pi`.

    Raises:
        ExpressionError: it is no arithmetic, uses an unknown name or never has a value.
    """
    value = _number(expression, dict.fromkeys(names, math.nan))
    if math.isinf(value):
        raise ExpressionError(expression, f'is {value}; expected a finite number')


def _number(text: str, names: Mapping[str, float]) -> float:
    """Value of an expression, which may be infinite; NaN of some name may come to be its own.

    Raises:
        ExpressionError: see `evaluate`.
    """
    if len(text) > 200:
        raise ExpressionError(text[:40] + '...', 'is longer than 200 characters')
    try:
        return float(_value(ast.parse(text.strip(), mode='eval').body, {**_CONSTANTS, **names}))
    except SyntaxError:
        raise ExpressionError(text, 'is no arithmetic expression') from None
    except _NotDefinedError as unknown:
        name, known = unknown.args[0], {*names, *_CONSTANTS, *_FUNCTIONS}
        raise ExpressionError(text, str(UnknownNameError('name', name, known)), name) from None
    except OverflowError:
        raise ExpressionError(text, 'is too large') from None
    except TypeError:
        problem = 'a function in it has too many or too few arguments'
        raise ExpressionError(text, problem) from None
    except ZeroDivisionError:
        raise ExpressionError(text, 'divides by zero') from None
    except ValueError:
        problem = 'has no real value, such as the root of a negative number'
        raise ExpressionError(text, problem) from None


def holds(condition: str, facts: Mapping[str, bool]) -> bool:
    """Whether a condition is true.

    Args:
        condition: names of facts joined by `and`, `or`, `not` and brackets.
        facts: by name.

    Raises:
        ExpressionError: it is not made of these, or names an unknown fact (the text lists the
            known ones).
    """
    if len(condition) > 200:
        raise ExpressionError(condition[:40] + '...', 'is longer than 200 characters')
    try:
        return _truth(ast.parse(condition.strip(), mode='eval').body, facts)
    except SyntaxError:
        raise ExpressionError(
            condition, 'is no condition; expected facts joined by and, or, not'
        ) from None
    except _NotDefinedError as unknown:
        problem = str(UnknownNameError('fact', unknown.args[0], facts))
        raise ExpressionError(condition, problem, unknown.args[0]) from None


def names_of(text: str) -> set[str]:
    """Names in an expression or a condition; none if it is neither."""
    try:
        tree = ast.parse(text.strip(), mode='eval')
    except SyntaxError:
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


class _NotDefinedError(Exception):
    pass


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=bool()):
            raise SyntaxError
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            if name not in names:
                raise _NotDefinedError(name)
            return names[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(operand, names))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            if name not in _FUNCTIONS:
                raise _NotDefinedError(name)
            return _FUNCTIONS[name](*(_value(argument, names) for argument in arguments))
    raise SyntaxError


def _truth(node: ast.expr, facts: Mapping[str, bool]) -> bool:
    match node:
        case ast.Name(id=name):
            if name not in facts:
                raise _NotDefinedError(name)
            return facts[name]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _truth(operand, facts)
        case ast.BoolOp(op=op, values=parts):
            # All of them, so that a wrong name is found even where another part decides.
            truths = [_truth(part, facts) for part in parts]
            return all(truths) if isinstance(op, ast.And) else any(truths)
    raise SyntaxError
