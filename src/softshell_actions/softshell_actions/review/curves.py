"""What is wrong with the curves of moves: degrees, weights, nodes that are repeated."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from softshell_actions.curves.nurbs import weight_problem
from softshell_actions.language.curved_move import CurvedMove
from softshell_actions.language.expression import ExpressionError
from softshell_actions.language.grammar import BaseMove, JointsMove, Move, Number, TipMove
from softshell_actions.review.actions import Scope
from softshell_common.wording import Location
from softshell_common.yaml_file import YamlFile


def curve_problems(file: YamlFile, where: Location, move: Move, scope: Scope) -> Iterator[str]:
    """Degrees that are too high, weights too far apart, nodes that repeat the one before.

    Args:
        file: that holds the move.
        where: the place of the move in the file.
        move: the move.
        scope: numbers for its expressions, with the defaults of the parameters.
    """
    points: Sequence[Mapping[Any, Number]]
    match move:
        case BaseMove(base=points):
            key, absent = 'base', 0.0 if move.relative else None
        case TipMove(points=points):
            key, absent = 'points', 0.0 if move.relative else None
        case JointsMove(joints=points):
            key, absent = 'joints', None
        case _:
            return
    yield from _form_problems(file, where, move, max(1, len(points)))
    if move.nodes:
        for index, text in _repeated(points, scope, absent):
            yield file.problem((*where, key, index), text)


def _form_problems(file: YamlFile, where: Location, move: CurvedMove, count: int) -> Iterator[str]:
    """What is wrong with the degree and the weights of a move with `count` points."""
    if move.degree is not None and move.degree > count:
        points = 'one point' if count == 1 else f'{count} points'
        text = f'is {move.degree}; expected {count} at most, for the start and {points}'
        yield file.problem((*where, 'degree'), text)
    problem = weight_problem([1.0, *(move.weights or ())])
    if problem is not None:
        yield file.problem((*where, 'weights'), f'{problem}; that of the start is 1')


def _repeated(
    points: Sequence[Mapping[Any, Number]], scope: Scope, absent: float | None
) -> Iterator[tuple[int, str]]:
    """The index of each node that repeats the one before it, and the message for it.

    Args:
        points: nodes; a coordinate that one leaves out is as in the one before.
        scope: numbers for their expressions.
        absent: value of a coordinate that no node has named so far; None if that is unknown.
    """
    before: dict[Any, float | None] = {}
    for index, point in enumerate(points):
        node = dict(before)
        for name, expression in point.items():
            try:
                node[name] = scope.value(expression)
            except ExpressionError:  # is reported elsewhere
                return
        same = all(
            value is not None and value == before.get(name, absent) for name, value in node.items()
        )
        if index > 0 and same:
            values = ', '.join(f'{name} {value:g}' for name, value in node.items())
            told = f' ({values})' if values else ''
            yield index, f'repeats the node before it{told}; expected nodes that differ'
        before = node
