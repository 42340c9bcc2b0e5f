"""One sub-action as it is performed: with the values of the names in its expressions."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from softshell_actions.language.controller_move import ControllerMove
from softshell_actions.language.expression import evaluate
from softshell_actions.language.grammar import (
    BaseMove,
    GaitMove,
    Move,
    Number,
    SubAction,
    TravelMove,
    Velocity,
)
from softshell_kinematics.arrays import Array

#: Longest sub-action [s]: one trajectory has to hold it.
LONGEST = 120.0


@dataclass(frozen=True)
class Call:
    """A sub-action with the values of the names in its expressions.

    Args:
        sub_action: what is to be done.
        values: by name.
        counts: whether further strides have to make up for a way that is shortened.
        stretch: its time over the time that was asked for.
        plain: the same call without a move that may be left out, see `with_move`.
    """

    sub_action: SubAction
    values: Mapping[str, float]
    counts: bool = True
    stretch: float = 1.0
    plain: 'Call | None' = None

    @property
    def name(self) -> str:
        """Name of the sub-action."""
        return self.sub_action.name

    @property
    def gait_move(self) -> GaitMove | None:
        """The move that follows a gait, if there is one."""
        moves = self.sub_action.moves
        return next((move for move in moves if isinstance(move, GaitMove)), None)

    @property
    def controller(self) -> ControllerMove | None:
        """The controller that moves the robot; None if the sub-action is planned."""
        move = self.sub_action.moves[0]
        return move if isinstance(move, ControllerMove) else None

    @property
    def travels(self) -> bool:
        """Whether it brings a gait to a velocity."""
        return self.gait_move is not None and bool(self.velocity.any())

    @property
    def velocity(self) -> Array:
        """(3,) x, y [m/s], yaw [rad/s] at its end."""
        moves = [move for move in self.sub_action.moves if isinstance(move, TravelMove)]
        values = [self.value(value) for move in moves[:1] for _, value in move.velocity]
        return np.array(values or np.zeros(3))

    def value(self, expression: Number) -> float:
        """Value of one of the sub-action's expressions.

        Raises:
            ExpressionError: it has none.
        """
        return evaluate(expression, self.values)

    def with_move(self, move: BaseMove) -> 'Call':
        """The same with one more move, which is left out if legs do not reach that."""
        moves = [*self.sub_action.moves, move]
        sub_action = self.sub_action.model_copy(update={'moves': moves})
        return replace(self, sub_action=sub_action, plain=self)

    def slowed(self, factor: float) -> 'Call':
        """The same way in `factor` times the time, at velocities divided by it."""
        if factor == 1.0:
            return self

        def slower(move: Move) -> Move:
            if isinstance(move, GaitMove):
                return move.model_copy(update={'cycle': self.value(move.cycle) * factor})
            return self._at_share(move, 1.0 / factor)

        changed: dict[str, object] = {'moves': [slower(move) for move in self.sub_action.moves]}
        if self.sub_action.duration is not None:
            changed['duration'] = self.value(self.sub_action.duration) * factor
        return replace(
            self,
            sub_action=self.sub_action.model_copy(update=changed),
            stretch=self.stretch * factor,
        )

    def shortened(self, share: float) -> 'Call':
        """The same in the same time, at `share` times the velocity."""
        if share == 1.0:
            return self
        moves = [self._at_share(move, share) for move in self.sub_action.moves]
        return replace(self, sub_action=self.sub_action.model_copy(update={'moves': moves}))

    def veered(self, change: Array) -> 'Call':
        """The same at a changed velocity.

        Args:
            change: (3,) that is added to x, y [m/s] and yaw [rad/s].
        """
        if not np.any(change):
            return self

        def veering(move: Move) -> Move:
            if not isinstance(move, TravelMove):
                return move
            velocity = {
                axis: self.value(value) + float(more)
                for (axis, value), more in zip(move.velocity, change, strict=True)
            }
            return move.model_copy(update={'velocity': Velocity(**velocity)})

        moves = [veering(move) for move in self.sub_action.moves]
        return replace(self, sub_action=self.sub_action.model_copy(update={'moves': moves}))

    def lower(self, share: float) -> 'Call':
        """The same, but a gait lifts feet `share` times as high."""
        if share == 1.0:
            return self
        moves = [
            move.model_copy(update={'height': self.value(move.height) * share})
            if isinstance(move, GaitMove)
            else move
            for move in self.sub_action.moves
        ]
        return replace(self, sub_action=self.sub_action.model_copy(update={'moves': moves}))

    def _at_share(self, move: Move, share: float) -> Move:
        if not isinstance(move, TravelMove):
            return move
        velocity = {axis: self.value(value) * share for axis, value in move.velocity}
        return move.model_copy(update={'velocity': Velocity(**velocity)})

    def paced(self, tempo: float) -> 'Call':
        """The same velocities with a cycle that is `tempo` times as quick."""
        return replace(self.slowed(1.0 / tempo).shortened(1.0 / tempo), stretch=self.stretch)

    def halting(self) -> 'Call':
        """A stride of the same gait, in the time that was asked for, that ends at rest.

        It is done whenever it is needed, under no condition.
        """
        moves = [m for m in self.sub_action.moves if isinstance(m, TravelMove | GaitMove)]
        alone = self.sub_action.model_copy(update={'moves': moves, 'when': None})
        asked = replace(self, sub_action=alone, counts=False).slowed(1.0 / self.stretch)
        return replace(asked.shortened(0.0), stretch=1.0, plain=None)

    def follows_on(self, before: 'Call | None') -> bool:
        """Whether it continues the cycle of a stride: same gait, same time of the cycle.

        True if either of them follows no gait.
        """
        own, other = self.gait_move, before.gait_move if before is not None else None
        if before is None or own is None or other is None:
            return True
        asked = self.value(own.cycle) / self.stretch
        return own.gait == other.gait and math.isclose(
            asked, before.value(other.cycle) / before.stretch
        )

    def landing(self) -> 'Call':
        """The same, but feet in the air land and no other lifts."""
        moves = [
            move.model_copy(update={'lift': False}) if isinstance(move, GaitMove) else move
            for move in self.sub_action.moves
        ]
        return replace(self, sub_action=self.sub_action.model_copy(update={'moves': moves}))


def controller_call(name: str, references: Mapping[str, float]) -> Call:
    """A call of a controller, with its references by name."""
    move = ControllerMove(controller=name, references=dict(references))
    return Call(SubAction(name=name, moves=[move]), {})


def base_call(name: str, duration: float, move: BaseMove) -> Call:
    """A call of one move of the base that takes `duration` [s]."""
    return Call(SubAction(name=name, duration=duration, moves=[move]), {})
