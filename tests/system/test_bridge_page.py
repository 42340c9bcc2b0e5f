"""The bridge of docs/add-a-bridge.md moves a robot."""

import dataclasses
import sys
from types import ModuleType

import numpy as np
import pytest
from page_blocks import blocks

from softshell_common.goal_state import GoalState
from softshell_control.backend import Backend
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.trajectories.check import Request, check_trajectory
from softshell_control.trajectories.follower import FollowerSettings
from softshell_control.trajectories.trajectory import Identity
from softshell_description.load import load_robot
from softshell_kinematics.errors import SoftshellError


class Motors:
    """The driver of the page: joints that are at once where they are told to be."""

    def __init__(self) -> None:
        self.angles = np.array([0.1, 0.2, 0.3])
        self.answered = np.ones(3, dtype=bool)
        self.enabled = False

    def enable(self) -> None:
        self.enabled = True

    def disable(self) -> None:
        self.enabled = False

    def write(self, angles: np.ndarray) -> None:
        assert self.enabled
        self.angles = angles.copy()

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        return self.angles, self.answered


@pytest.fixture
def my_motors(monkeypatch):
    """Function: import a module of the page's package."""
    for name in ('my_motors', 'my_motors.driver'):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(sys.modules['my_motors.driver'], 'Motors', Motors, raising=False)

    def load(name: str) -> ModuleType:
        title = f'# my_motors/{name}.py'
        (text,) = [b for b in blocks('add-a-bridge.md', 'python') if b.startswith(title)]
        module = ModuleType(f'my_motors.{name}')
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(text, module.__dict__)
        return module

    return load


def test_the_bridge_of_the_page_has_no_sensors_in_soft_parts(my_motors):
    """Their joints are not measured, those of the motors are."""
    robot = load_robot('shell_fingers')
    backend = my_motors('backend').MyBackend(robot, None)
    backend.motors.angles = robot.pose(robot.start)
    backend.motors.answered = np.ones(len(robot.joint_names), dtype=bool)
    valid = backend.reset().valid
    assert valid[: backend.joints.driven].all()
    assert not valid[backend.joints.driven :].any()


def test_the_bridge_of_the_page_moves_a_robot(my_motors):
    """It follows a goal of the arm; what did not answer is not held, and is named."""
    robot = load_robot('arm')
    backend = my_motors('backend').MyBackend(robot, None)
    assert isinstance(backend, Backend)
    core = BridgeCore(backend, limits_of(robot), 0.004, FollowerSettings())
    core.activate()
    request = Request(Identity('page', bytes(16)), 0, ['elbow'], [0.5], [[0.4]], [[]])
    core.offer(check_trajectory(request, core.limits.names))
    states = [status.goal.state for _ in range(150) for status in core.tick()]
    assert states == [GoalState.ACTIVE, GoalState.REACHED]
    assert backend.motors.angles == pytest.approx([0.1, 0.4, 0.3])
    assert core.measured.stamp == core.now
    core.deactivate()
    backend.motors.answered[1] = False
    with pytest.raises(SoftshellError, match='elbow'):
        core.activate()
    assert not backend.motors.enabled


def test_the_bridge_of_the_page_fits_a_robot_with_mimicking_joints(my_motors):
    """Its arrays have the sizes that they need for Shell's folds."""
    robot = load_robot('shell')
    backend = my_motors('backend').MyBackend(robot, None)
    count = len(robot.joints)
    backend.motors.angles = robot.pose('stand')
    backend.motors.answered = np.arange(count) != 0
    core = BridgeCore(backend, limits_of(robot), 0.004, FollowerSettings())
    folds = [0, *range(count, len(backend.joints.names))]
    assert len(folds) > 1
    assert np.flatnonzero(~core.measured.valid).tolist() == folds
    assert np.flatnonzero(np.isnan(core.channels)).tolist() == [0]


def test_node_executable_and_row_of_the_page_fit_together(my_motors):
    """The node has a main, the entry point leads to it, and the row runs the executable."""
    pytest.importorskip('rclpy', reason='no ROS here')
    pytest.importorskip('softshell_interfaces.msg', reason='the workspace is not built')
    from softshell_bringup import nodes
    from softshell_bringup.arguments import parse_arguments

    my_motors('backend')
    assert callable(my_motors('node').main)
    entry, row = blocks('add-a-bridge.md', 'python')[-2:]
    (script,) = eval(entry, {'setup': dict})['entry_points']['console_scripts']
    executable, _, function = script.replace(':', ' = ').split(' = ')
    assert callable(getattr(my_motors('main'), function))
    assert 'my_motors.node' in getattr(my_motors('main'), function).__code__.co_consts
    shown = eval(row, dict(vars(nodes)))
    assert (shown.package, shown.executable, shown.name) == ('my_motors', executable, 'bridge')
    assert shown.parameters[0] == nodes.ROBOT
    values = parse_arguments({'bridge': 'mock'})
    starts = nodes.node_starts(values, (*nodes.NODES, shown))
    assert starts == nodes.node_starts(values)
    mine = dataclasses.replace(shown, when=(('bridge', 'mock'),))
    assert nodes.node_starts(values, (mine,))[0].row is mine
