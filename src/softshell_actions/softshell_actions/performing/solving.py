"""Having a robot solve what a preparation asks."""

from softshell_actions.performing.robot import PerformError, Robot
from softshell_actions.planning.preparing import Preparation, Prepared
from softshell_actions.planning.reach import UnreachableError
from softshell_common.outcome import Status


async def solved(preparation: Preparation, robot: Robot) -> Prepared:
    """What a preparation comes to.

    Args:
        preparation: asks; it may ask for less where something is out of reach.
        robot: answers.

    Raises:
        PerformError: the robot cannot answer, or even the least is out of reach.
        SoftshellError: it cannot be planned.
    """
    try:
        question = next(preparation)
        while True:
            try:
                solution = await robot.solve(question.limbs, question.seed)
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
