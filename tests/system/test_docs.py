"""What the pages of docs/ show is what the code takes."""

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import yaml

from softshell_actions.library import ActionLibrary
from softshell_actions.robot import body_of
from softshell_common.goal_state import GoalState
from softshell_control.backend import Backend
from softshell_control.bridge import BridgeCore
from softshell_control.channel import limits_of
from softshell_control.check import Request, check_trajectory
from softshell_control.follower import FollowerSettings
from softshell_control.trajectory import Identity
from softshell_description.load import load_robot
from softshell_description.motor_form import MotorSpec, ThermalSpec
from softshell_hardware.config import load_hardware
from softshell_hardware.wiring_form import (
    BusSpec,
    HardwareForm,
    Protection,
    ServoSpec,
    TendonSpec,
)
from softshell_kinematics.errors import SoftshellError
from softshell_sim.engine import Engine
from softshell_sim.engine_settings import EngineSettings
from softshell_sim.engines import ENGINES
from softshell_sim.sensing.camera_settings import CameraSettings
from softshell_sim.sensing.sensor_settings import SensorSettings, SignalSettings, load_sensors
from softshell_sim.settings import WorldSettings

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    """Code blocks of a page, without their indentation."""
    text = (ROOT / 'docs' / page).read_text(encoding='utf-8')
    found = re.findall(rf'^( *)```{language}\n(.*?)^ *```', text, re.DOTALL | re.MULTILINE)
    return [re.sub(rf'^{indent}', '', block, flags=re.MULTILINE) for indent, block in found]


def test_the_robot_of_the_page_is_the_arm(tmp_path):
    """The robot.yaml that is shown loads, and is the arm that ships."""
    (text,) = blocks('add-a-robot.md', 'yaml')
    (tmp_path / 'robot.yaml').write_text(text, encoding='utf-8')
    shown, shipped = load_robot(tmp_path), load_robot('arm')
    for name in ('description', 'base', 'joints', 'groups', 'chains', 'poses', 'start'):
        assert getattr(shown, name) == getattr(shipped, name), name


def test_the_wiring_of_the_page_is_the_arms(tmp_path):
    """It is read without a complaint; the joint without an offset is the one not calibrated."""
    (text,) = blocks('hardware.md', 'yaml')
    path = tmp_path / 'wiring.yaml'
    path.write_text(text, encoding='utf-8')
    config = load_hardware(load_robot('arm'), path)
    assert config.uncalibrated == ('wrist',)
    assert config.form.on_host_death == 'relax'


def test_every_entry_of_a_wiring_is_explained_on_its_page_with_its_default():
    """Names of all entries stand on the page, and the defaults that the table gives are true."""
    page = (ROOT / 'docs' / 'hardware.md').read_text(encoding='utf-8')
    kinds = (BusSpec, ServoSpec, TendonSpec, Protection, HardwareForm)
    names = {name for kind in kinds for name in kind.model_fields}
    assert [name for name in sorted(names) if name not in page] == []
    limits = Protection()
    for row in (
        f'{limits.warn_temperature:g}, {limits.derate_temperature:g}, '
        f'{limits.stop_temperature:g}, {limits.hysteresis:g}',
        f'{limits.lowest_voltage:g}, {limits.highest_voltage:g}',
        f'{limits.tracking_error:g}, {limits.tracking_time:g}',
    ):
        assert f'| {row} |' in page


def test_the_sensors_of_the_page_are_read_and_every_entry_is_explained(tmp_path):
    """The file that is shown loads; names of all entries stand on the page, and defaults hold."""
    (text,) = blocks('sensors.md', 'yaml')
    path = tmp_path / 'sensors.yaml'
    path.write_text(text, encoding='utf-8')
    load_sensors(path, load_robot('shell'))
    page = (ROOT / 'docs' / 'sensors.md').read_text(encoding='utf-8')
    sections = [field.annotation for field in SensorSettings.model_fields.values()]
    kinds = [kind for kind in sections if isinstance(kind, type)]
    kinds += [CameraSettings, SignalSettings, SensorSettings]
    names = {name for kind in kinds if hasattr(kind, 'model_fields') for name in kind.model_fields}
    assert [name for name in sorted(names) if f'`{name}`' not in page] == []
    camera = CameraSettings(link='')
    for row in (
        f'{camera.rate:g}, {camera.delay:g}',
        f'{camera.width}, {camera.height}',
        f'{camera.field_of_view:g}',
        f'{camera.near:g}, {camera.far:g}',
    ):
        assert f'| {row} |' in page


def test_every_entry_of_a_motor_is_explained_on_its_page_and_the_block_is_valid():
    """The block has every entry that there is, and is read; the table has a row for each."""
    (text,) = blocks('motors.md', 'yaml')
    shown = yaml.safe_load(text)['motors']['ax18a']
    assert set(shown) == set(MotorSpec.model_fields)
    MotorSpec.model_validate(shown)
    page = (ROOT / 'docs' / 'motors.md').read_text(encoding='utf-8')
    assert re.findall(r'^\| `(\w+)` \|', page, re.MULTILINE) == [*MotorSpec.model_fields]
    assert ThermalSpec.model_fields['ambient'].default == 25.0


def test_the_action_and_the_gait_of_the_page_are_valid(tmp_path):
    """`bow` is an action of Shell's; `crawl` is the quadruped's."""
    action, gait = blocks('add-an-action.md', 'yaml')
    shell = load_robot('shell')
    for kind in ('actions', 'gaits'):
        (tmp_path / kind).mkdir()
        for path in shell.folder.glob(f'{kind}/*.yaml'):
            (tmp_path / kind / path.name).write_text(path.read_text(encoding='utf-8'))
    (tmp_path / 'actions' / 'bow.yaml').write_text(action, encoding='utf-8')
    library = ActionLibrary(tmp_path, body_of(shell).vocabulary)
    assert [call.name for call in library.call('bow', {'depth': 0.1})] == ['down', 'up']
    crawl = load_robot('quadruped').folder / 'gaits' / 'crawl.yaml'
    shown, shipped = yaml.safe_load(gait), yaml.safe_load(crawl.read_text(encoding='utf-8'))
    assert {**shown, 'description': ''} == {**shipped, 'description': ''}


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


def test_the_engine_of_the_page_has_what_an_engine_needs():
    """The methods that are shown are those that an engine has to have, and it can be chosen."""
    text = (ROOT / 'docs' / 'add-an-engine.md').read_text(encoding='utf-8')
    cells = re.findall(r'^ +\| (`.*?) \|', text, re.MULTILINE)
    shown = {name for cell in cells for name in re.findall(r'`(\w+)`', cell)}
    assert shown == Engine.__abstractmethods__
    table, chosen = blocks('add-an-engine.md', 'python')
    module = {
        'EngineSettings': EngineSettings,
        'Engine': Engine,
        '_pybullet': None,
        '_mujoco': None,
    }
    exec(table, module)
    settings = eval(
        chosen,
        {'World': lambda robot, settings: settings, 'robot': None, 'WorldSettings': WorldSettings},
    )
    (text,) = blocks('add-an-engine.md', 'yaml')
    parameters = yaml.safe_load(text)['bridge']['ros__parameters']
    assert set(module['ENGINES']) - set(ENGINES) == {settings.engine} == set(parameters.values())


def test_the_finger_of_the_page_comes_to_rest_and_its_tensions_bring_it_there():
    """All of the page's program; with z free the tip is where the target is."""
    (program,) = blocks('continuum.md', 'python')
    names: dict[str, object] = {}
    exec(program, names)
    rest, goal, tensions_for = names['rest'], names['goal'], names['tensions_for']
    assert rest.converged
    found = tensions_for(names['statics'], goal)
    assert found.reached
    assert found.equilibrium.tip[:2] == pytest.approx(rest.tip[:2], abs=1e-6)
    assert names['text'].count('<joint ') == 2 * 8 + 1  # that of the root is fixed


def test_the_table_of_the_page_has_four_soft_legs(tmp_path):
    """Its xacro and its robot.yaml load, with a finger for a leg."""
    (urdf,) = blocks('continuum.md', 'xml')
    (robot,) = (text for text in blocks('continuum.md', 'yaml') if 'description:' in text)
    (tmp_path / 'table.urdf.xacro').write_text(urdf, encoding='utf-8')
    (tmp_path / 'robot.yaml').write_text(robot, encoding='utf-8')
    finger = (ROOT / 'urdf' / 'hand' / 'finger.yaml').read_text(encoding='utf-8')
    (tmp_path / 'leg.yaml').write_text(finger, encoding='utf-8')
    table = load_robot(tmp_path)
    assert [spec.channels for spec in table.soft.values()] == [(f'pull_{k}',) for k in range(4)]
    assert {table.urdf.bodies[f'leg_{k}_base'][0] for k in range(4)} == {'top'}


@pytest.mark.parametrize('page', [path.name for path in (ROOT / 'docs').glob('*.md')])
def test_files_and_pages_that_are_named_exist(page):
    """Every link, and every path below src, config, docs, tests and tools, leads somewhere."""
    text = (ROOT / 'docs' / page).read_text(encoding='utf-8')
    for link in re.findall(r'\]\((?!http)([^)#]+)', text):
        assert (ROOT / 'docs' / link).exists(), link
    for path in re.findall(r'`((?:src|config|docs|tests|tools|urdf)/[\w./]*)`', text):
        assert (ROOT / path).exists() or path.endswith('/'), path
    for path in re.findall(r'`(softshell_\w+/[\w/]+\.py)`', text):
        package, rest = path.split('/', 1)
        assert (ROOT / 'src' / package / package / rest).exists(), path


def test_the_numbers_of_shell_are_those_of_its_description():
    """Masses, ranges, motors, gains and heights on the page are those of the robot."""
    page = (ROOT / 'docs' / 'shell.md').read_text(encoding='utf-8').replace('−', '-')
    robot = load_robot('shell')
    total = 0.0
    for link, count, mass, centre in re.findall(
        r'^\| [\w ]+ \| `([\w{}]+)` \| (\d) \| ([\d.]+) \| ([-\d., ]+) \|', page, re.MULTILINE
    ):
        urdf_link = robot.urdf.link(link.replace('{k}', '0'))
        total += int(count) * float(mass)
        assert urdf_link.mass == float(mass)
        # In the page's frame or, of a pitching part, turned a quarter about x.
        x, y, z = (float(number) / 1000.0 for number in centre.split(','))
        assert any(np.allclose(urdf_link.com, point) for point in ((x, y, z), (x, z, -y)))
    assert total == pytest.approx(robot.urdf.mass) == pytest.approx(3.497)
    for name in ('stand', 'idle', 'ball'):
        (height,) = re.findall(rf'^\| `{name}` \| ([\d.]+) \|', page, re.MULTILINE)
        assert robot.rest_heights[name] == float(height)
    for row, gain in (('kp, N m/rad', 'kp'), ('kd, N m s/rad', 'kd')):
        (cells,) = re.findall(rf'^\| {row} \| (.*?) \| (.*?) \| (.*?) \|', page, re.MULTILINE)
        assert [getattr(robot.groups[g].gains, gain) for g in ('fold', 'lower', 'upper')] == [
            float(cell) for cell in cells
        ]
    tips = re.findall(r'at \((-?[\d.]+), (-?[\d.]+), (-?[\d.]+)\)', page)
    assert len(tips) == 2
