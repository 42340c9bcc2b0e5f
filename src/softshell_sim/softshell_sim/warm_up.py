"""Compile ahead what bridges run: `python -m softshell_sim.warm_up`, once after installing.

Otherwise the first start of a bridge takes 20 s longer.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial

from softshell_control.backend import Backend
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.estimates.base_estimate import BaseEstimate
from softshell_control.estimates.link_frames import LinkFrames
from softshell_control.footing.footing import Footing
from softshell_control.joint_map import JointMap
from softshell_control.mock import MockBackend
from softshell_control.trajectories.follower import FollowerSettings
from softshell_description.load import load_robot
from softshell_description.model import RobotModel
from softshell_kinematics.errors import SoftshellError
from softshell_sim.physics.engines import ENGINES
from softshell_sim.settings import WorldSettings
from softshell_sim.sim_backend import SimBackend

#: Control period of the bridges [s], and how many periods each runs.
PERIOD, TICKS = 0.01, 3


def warm_up(tell: Callable[[str], None] = lambda text: None) -> float:
    """Compile, or load from the cache, what bridges of all kinds run.

    Args:
        tell: takes the name of each kind before it is run, and why one cannot be run.

    Returns:
        How long it took [s].
    """
    begin = time.perf_counter()
    robot = load_robot()
    for name, make in _kinds(robot):
        tell(name)
        try:
            backend = make()
        except SoftshellError as error:  # an engine that is not installed
            tell(str(error))
            continue
        try:
            _run(robot, backend)
        finally:
            backend.close()
    return time.perf_counter() - begin


def _kinds(robot: RobotModel) -> Iterator[tuple[str, Callable[[], Backend]]]:
    """Name of each kind of bridge, and a function that makes its backend."""
    yield 'mock', partial(MockBackend, robot)
    for engine in ENGINES:
        settings = WorldSettings(engine=engine)
        yield engine, partial(SimBackend, robot, PERIOD, settings)


def _run(robot: RobotModel, backend: Backend) -> None:
    """Run a bridge for some control periods."""
    core = BridgeCore(backend, limits_of(robot), PERIOD, FollowerSettings())
    core.following.footing = Footing(robot, core.limits)
    core.following.on = True
    estimate, frames = BaseEstimate(robot), LinkFrames(robot, JointMap.of(robot).names)
    core.activate()
    for _ in range(TICKS):
        core.tick()
        estimate.update(core.measured)
        frames.update(core.measured)


if __name__ == '__main__':
    took = warm_up(lambda text: print(f'compiling {text}', flush=True))
    print(f'bridges ready after {took:.1f} s')
