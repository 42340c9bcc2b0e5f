"""The states of a trajectory, as a type; needs no ROS."""

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


#: States of a trajectory that was followed and ended without reaching its goal.
CUT_SHORT = (GoalState.MISSED, GoalState.REPLACED, GoalState.STOPPED)
#: All states in which a trajectory has ended; of these, one that was REJECTED never began.
ENDED = (GoalState.REACHED, GoalState.REJECTED, *CUT_SHORT)
