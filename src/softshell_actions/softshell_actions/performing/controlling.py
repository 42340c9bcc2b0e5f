"""Having a controller of the bridge move the robot till it is done."""

from collections.abc import Callable

from softshell_actions.performing.call import Call
from softshell_actions.performing.robot import Robot, Running

#: Between two looks whether a controller is to end [s].
LOOK_PERIOD = 0.05


async def control(
    robot: Robot,
    call: Call,
    queue: bool,
    begun: Callable[[Running], None],
    stop: Callable[[], bool],
) -> bool:
    """Have the controller of a call move the robot; where `stop` says so it comes to rest.

    Args:
        robot: the robot.
        call: of a controller.
        queue: whether it begins when the motion before it is reached.
        begun: told the run when it has begun.
        stop: asked now and then.

    Returns:
        Whether it was not stopped.

    Raises:
        PerformError: it did not begin, or did not get where it should.
    """
    move = call.controller
    assert move is not None
    references = {name: call.value(value) for name, value in move.references.items()}
    run = robot.run(move.controller, references, queue)
    await run.started()
    begun(run)
    stopped = False
    while not run.over:
        if not stopped and stop():
            stopped = True
            run.finish()
        await robot.sleep(LOOK_PERIOD)
    await run.reached()
    return not stopped
