"""Stances to which whoever commands a robot may bring it, by chance."""

from softshell_actions.performing.robot import PerformError
from softshell_actions.performing.turns import Task
from softshell_actions.performing.walking import Pace, Strides
from softshell_actions.planning.draft import PlanError
from softshell_common.outcome import Status

#: Ranges of poses of the base over the feet [m], [rad]: as far as legs reach, and further.
POSES = {
    'x': (-0.1, 0.1), 'y': (-0.1, 0.1), 'z': (0.09, 0.22),
    'yaw': (-0.7, 0.7), 'pitch': (-0.5, 0.5), 'roll': (-0.5, 0.5),
}  # fmt: skip
#: Each pose that is refused is followed by one that is so much smaller.
SMALLER = 0.95
#: What legs do not reach, or only too fast; and a stride that a leg is too weak for.
REFUSED, STUCK = (Status.UNREACHABLE,), (Status.GOAL_MISSED,)


def go_anywhere(robot, random):
    """Bring a standing robot to some stance; what it was commanded, for people.

    It walks, turns or follows velocities by any gait and is stopped on the way, or spreads its
    feet; then its base is posed, raised or lowered as far as its legs reach. What they do not
    reach is refused, as for anybody, and something else is tried.
    """
    told = []
    for _ in range(random.integers(1, 4)):
        ways = (_walk, _turn, _follow, _spread)
        way = ways[random.choice(len(ways), p=(0.3, 0.2, 0.4, 0.1))]
        told.append(way.__name__[1:] + ('' if did(STUCK, way, robot, random) else ' stuck'))
    for _ in range(random.integers(1, 3)):
        told.append((_pose, _pose, _raise)[random.integers(3)](robot, random))
    return ', '.join(told)


def did(excused, act, *given, **named):
    """Whether something was performed; it may fail in one of these ways, or be too fast."""
    try:
        act(*given, **named)
    except PlanError:
        return False
    except PerformError as error:
        if error.status not in excused:
            raise
        return False
    return True


def _gait(robot, random):
    return str(random.choice(list(robot.director.library.gaits)))


def _until(robot, seconds):
    end = robot.time + seconds
    return lambda: robot.time >= end


def _walk(robot, random):
    given = {'distance': random.uniform(0.1, 0.4), 'direction': random.uniform(-3.1, 3.1)}
    stop = _until(robot, random.uniform(1.0, 4.0))
    robot.perform('walk', _gait(robot, random), stop, step=random.uniform(0.03, 0.1), **given)


def _turn(robot, random):
    stop = _until(robot, random.uniform(1.0, 4.0))
    robot.perform('turn', _gait(robot, random), stop, angle=random.uniform(-1.5, 1.5))


def _follow(robot, random):
    """Strides at velocities as of `cmd_vel`."""
    gait, velocities = _gait(robot, random), random.uniform(-1.0, 1.0, (random.integers(1, 7), 3))
    strides = Strides(robot.director.library, Pace(gait, random.uniform(0.8, 1.2)))
    requires = strides.action.requires

    async def calls():
        for velocity in velocities * [0.2, 0.2, 0.5]:
            yield strides.call(velocity)

    robot.wait_for(robot.director.perform(Task('cmd_vel'), requires, calls()))


def _spread(robot, random):
    """What is left of lying down where it is stopped."""
    robot.perform('idle', stop=_until(robot, random.uniform(0.1, 1.4)))


def _pose(robot, random):
    share = 1.0
    while True:
        given = {name: random.uniform(*ends) for name, ends in POSES.items()}
        given |= {name: share * value for name, value in given.items() if name != 'z'}
        if did(REFUSED, robot.perform, 'pose', **given):
            return 'pose ' + ' '.join(f'{value:.2f}' for value in given.values())
        share *= SMALLER


def _raise(robot, random):
    while True:
        amount = random.uniform(-0.05, 0.07)
        name = 'raise' if amount > 0.0 else 'lower'
        if did(REFUSED, robot.perform, name, amount=abs(amount)):
            return f'{name} {abs(amount):.2f}'
