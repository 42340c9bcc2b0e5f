"""What a scenario asks of its robot, checked before the first run of a study."""

from collections.abc import Mapping
from functools import cache

from softshell_actions.library import ActionLibrary
from softshell_actions.robot import body_of
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError


@cache
def library_of(robot: str) -> ActionLibrary:
    """The actions and gaits of a robot.

    Args:
        robot: its name, or its folder.

    Raises:
        ValueError: there is no such robot, or it cannot be read.
    """
    try:
        return body_of(load_robot(robot)).library()
    except SoftshellError as error:
        raise ValueError(str(error)) from None


def has_parameter(robot: str, action: str, name: str) -> bool:
    """Whether an action of a robot has a parameter.

    Raises:
        ValueError: as `library_of`.
    """
    actions = library_of(robot).actions
    return action in actions and name in actions[action].parameters


def check_actions(robot: str, *actions: str) -> None:
    """Check that a robot has all of the actions that a scenario performs.

    Raises:
        ValueError: as `library_of`, or it lacks some of them.
    """
    known = library_of(robot).actions
    lacking = [name for name in actions if name not in known]
    if lacking:
        raise ValueError(
            f'is {robot!r}, which lacks the actions {", ".join(lacking)}; expected a robot that '
            f'has {", ".join(actions)}'
        )


def check_call(robot: str, action: str, given: Mapping[str, float], gait: str = '') -> None:
    """Check that a robot can be asked for an action, with these parameters.

    Args:
        robot: its name, or its folder.
        action: the action.
        given: its parameters by name; the others have their defaults.
        gait: that is chosen for it; empty: none.

    Raises:
        ValueError: as `library_of`; there is no such action; it has no such parameter, or not
            this value of it; the gait cannot be chosen.
    """
    library = library_of(robot)
    try:
        if gait:
            library.choose(library.action(action), gait)
        library.call(action, given, gait)
    except SoftshellError as error:
        raise ValueError(str(error)) from None
