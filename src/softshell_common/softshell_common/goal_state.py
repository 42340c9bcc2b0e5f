"""What became of a trajectory, as a type; needs no ROS."""

from enum import IntEnum


class GoalState(IntEnum):
    """States of a trajectory; the constants of `softshell_interfaces/TrajectoryState`."""

    NONE = 0
    WAITING = 1
    ACTIVE = 2
    REACHED = 3
    MISSED = 4
    REPLACED = 5
    REJECTED = 6
    STOPPED = 7


#: How a trajectory that was being followed may end other than by reaching its goal.
CUT_SHORT = (GoalState.MISSED, GoalState.REPLACED, GoalState.STOPPED)
#: States in which a trajectory has ended, whether or not it was ever followed.
ENDED = (GoalState.REACHED, GoalState.REJECTED, *CUT_SHORT)
