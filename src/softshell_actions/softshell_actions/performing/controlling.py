"""Runs a controller of the bridge, which moves the robot till it is done."""

from collections.abc import Callable
from contextlib import suppress

from softshell_actions.performing.call import Call
from softshell_actions.performing.robot import PerformError, Robot, Running

#: Period in which it is asked whether a controller has to end [s].
LOOK_PERIOD = 0.05


async def control(
    robot: Robot,
    call: Call,
    queue: bool,
    begun: Callable[[Running], None],
    stop: Callable[[], bool],
) -> bool:
    """Run the controller of a call till it is done, or till `stop` says that it has to end.

    Args:
        robot: the robot.
        call: of a controller.
        queue: whether it begins when the goal of the motion before it is reached.
        begun: called with the run once it has begun.
        stop: asked again and again; when it is true, the controller brings the robot to rest.

    Returns:
        True if the controller was done, False if it was stopped.

    Raises:
        PerformError: it did not begin, did not reach its goal, or cannot be waited for any more;
            then the controller brings the robot to rest.
    """
    move = call.controller
    assert move is not None
    references = {name: call.value(value) for name, value in move.references.items()}
    run = robot.run(move.controller, references, queue)
    stopped = False
    try:
        await run.started()
        begun(run)
        while not run.over:
            if not stopped and stop():
                stopped = True
                run.finish()
            await robot.sleep(LOOK_PERIOD)
        await run.reached()
    except Exception as error:
        # One that has ended at the bridge ignores this.
        if not stopped:
            run.finish()
        if not isinstance(error, PerformError):
            with suppress(PerformError):
                await run.reached()
        raise
    return not stopped
