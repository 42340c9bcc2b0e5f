"""Conditions over metrics and parameters, such as labels of runs."""

import ast
import operator
from collections.abc import Callable, Mapping

from softshell_actions.language.expression import ExpressionError, check, evaluate

_COMPARISONS: dict[type, Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: lambda one, other: one < other or one > other,  # false for NaN
}
#: Most characters of a condition.
LONGEST = 300


def is_true(condition: str, numbers: Mapping[str, float]) -> bool:
    """Whether a condition is true.

    Args:
        condition: comparisons of arithmetic expressions over names, joined by `and`, `or`, `not`
            and brackets, e.g. `distance > 0.3 and not fallen == 1`.
        numbers: values of the names. A comparison with NaN is false, also with `!=`.

    Raises:
        ExpressionError: it is no such condition, or has an unknown name.
    """
    if len(condition) > LONGEST:
        raise ExpressionError(condition[:40] + '...', f'longer than {LONGEST} characters')
    try:
        return _truth(ast.parse(condition.strip(), mode='eval').body, numbers)
    except SyntaxError:
        text = 'is no condition; expected comparisons, joined by and, or, not'
        raise ExpressionError(condition, text) from None


def _truth(node: ast.expr, numbers: Mapping[str, float]) -> bool:
    match node:
        case ast.BoolOp(op=op, values=parts):
            # All parts are evaluated, so that an unknown name is found in any of them.
            truths = [_truth(part, numbers) for part in parts]
            return all(truths) if isinstance(op, ast.And) else any(truths)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _truth(operand, numbers)
        case ast.Compare(left=left, ops=ops, comparators=rest):
            values = [_number(one, numbers) for one in (left, *rest)]
            found = [
                _COMPARISONS[type(op)](one, other)
                for op, one, other in zip(ops, values, values[1:], strict=False)
                if type(op) in _COMPARISONS
            ]
            if len(found) == len(ops):
                return all(found)
    raise SyntaxError


def _number(node: ast.expr, numbers: Mapping[str, float]) -> float:
    """Value of one side of a comparison; NaN if any name in it is NaN."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    if any(numbers.get(name) != numbers.get(name) for name in names):
        check(ast.unparse(node), numbers)
        return float('nan')
    return evaluate(ast.unparse(node), numbers)
