"""One sub-action as it is performed: with the values that its expressions see."""

from collections.abc import Mapping
from dataclasses import dataclass

from softshell_actions.expression import evaluate
from softshell_actions.language import (
    BaseMove,
    GaitMove,
    Move,
    Number,
    SubAction,
    TravelMove,
    Velocity,
)


@dataclass(frozen=True)
class Call:
    """A sub-action with the values its expressions see."""

    sub_action: SubAction
    values: Mapping[str, float]

    @property
    def name(self) -> str:
        """Of the sub-action."""
        return self.sub_action.name

    @property
    def gait_move(self) -> GaitMove | None:
        """The move that follows a gait, if there is one."""
        moves = self.sub_action.moves
        return next((move for move in moves if isinstance(move, GaitMove)), None)

    def value(self, expression: Number) -> float:
        """Value of one of the sub-action's expressions.

        Raises:
            ExpressionError: it has none.
        """
        return evaluate(expression, self.values)

    def with_move(self, move: BaseMove) -> 'Call':
        """The same with one more move side by side."""
        moves = [*self.sub_action.moves, move]
        return Call(self.sub_action.model_copy(update={'moves': moves}), self.values)

    def slowed(self, factor: float) -> 'Call':
        """The same way in so many times the time, at velocities that are so much lower."""

        def slower(move: Move) -> Move:
            if isinstance(move, GaitMove):
                return move.model_copy(update={'cycle': self.value(move.cycle) * factor})
            if isinstance(move, TravelMove):
                velocity = {axis: self.value(value) / factor for axis, value in move.velocity}
                return move.model_copy(update={'velocity': Velocity(**velocity)})
            return move

        changed: dict[str, object] = {'moves': [slower(move) for move in self.sub_action.moves]}
        if self.sub_action.duration is not None:
            changed['duration'] = self.value(self.sub_action.duration) * factor
        return Call(self.sub_action.model_copy(update=changed), self.values)

    def landing(self) -> 'Call':
        """The same, but feet in the air land and no other lifts."""
        moves = [
            move.model_copy(update={'lift': False}) if isinstance(move, GaitMove) else move
            for move in self.sub_action.moves
        ]
        return Call(self.sub_action.model_copy(update={'moves': moves}), self.values)


def base_call(name: str, duration: float, move: BaseMove) -> Call:
    """A call of one move of the base that takes `duration` [s]."""
    return Call(SubAction(name=name, duration=duration, moves=[move]), {})
