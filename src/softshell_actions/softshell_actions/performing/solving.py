"""Runs a preparation on a robot that solves its inverse kinematics."""

from softshell_actions.performing.robot import PerformError, Robot
from softshell_actions.planning.preparing import Preparation, Prepared
from softshell_actions.planning.reach import UnreachableError
from softshell_common.outcome import Status


async def solved(preparation: Preparation, robot: Robot) -> Prepared:
    """The result of a preparation.

    Args:
        preparation: yields questions; after a goal out of reach it may ask for less.
        robot: answers them.

    Raises:
        PerformError: the robot cannot answer, or nothing that can be asked for is within reach.
        SoftshellError: it cannot be planned.
    """
    try:
        question = next(preparation)
        while True:
            try:
                solution = await robot.solve(question)
            except PerformError as error:
                if error.status is not Status.UNREACHABLE:
                    raise
                question = preparation.throw(UnreachableError(str(error)))
            else:
                question = preparation.send(solution)
    except StopIteration as end:
        prepared: Prepared = end.value
        return prepared
    except UnreachableError as error:
        raise PerformError(Status.UNREACHABLE, str(error)) from None
