"""What the pages of docs/ show is what the code takes."""

import json
import re
from collections.abc import Mapping

import numpy as np
import pytest
import yaml
from page_blocks import ROOT, blocks
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from softshell_actions.library import ActionLibrary
from softshell_actions.robot import body_of
from softshell_continuum.measured_rod import YOUNG
from softshell_description.load import load_robot
from softshell_description.motor_form import BackEmfSpec, MotorSpec, ThermalSpec
from softshell_hardware.wiring.config import load_hardware
from softshell_hardware.wiring.form import (
    BusSpec,
    HardwareForm,
    Protection,
    ServoSpec,
    TendonSpec,
)
from softshell_sim.physics.engine import Engine
from softshell_sim.physics.engine_settings import EngineSettings
from softshell_sim.physics.engines import ENGINES
from softshell_sim.sensing.camera_settings import CameraSettings
from softshell_sim.sensing.sensor_settings import SensorSettings, SignalSettings, load_sensors
from softshell_sim.settings import WorldSettings


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


def entries_of(title: str) -> dict[str, tuple[str, str]]:
    """The entries in a section of docs/reference/files.md: default and meaning, by name."""
    text = (ROOT / 'docs' / 'reference' / 'files.md').read_text(encoding='utf-8')
    (section,) = re.findall(
        rf'^#+ {re.escape(title)}$(.*?)(?=^#|\Z)', text, re.DOTALL | re.MULTILINE
    )
    rows = re.findall(r'^\| `(\w+)` \| .*? \| (.*?) \| (.*?) \|$', section, re.MULTILINE)
    return {name: (default, meaning) for name, default, meaning in rows}


def shown_default(field: FieldInfo) -> str:
    """The default of an entry as the reference shows it."""
    if field.is_required():
        return ''
    default = field.get_default(call_default_factory=True)
    if isinstance(default, BaseModel):
        default = default.model_dump(mode='json')
    if default in (None, '', (), {}):
        return '–'
    return f'`{default if isinstance(default, str) else json.dumps(default)}`'


def assert_explained(page: str, forms: Mapping[str, type[BaseModel]]) -> None:
    """A page leads to the sections of the reference, which explain all entries of their forms.

    Args:
        page: of docs/.
        forms: by title of the section; the page has a link to the first of them.
    """
    anchor = next(iter(forms)).lower().replace(':', '').replace(' ', '-')
    text = (ROOT / 'docs' / page).read_text(encoding='utf-8')
    assert f'](reference/files.md#{anchor})' in text
    for title, form in forms.items():
        entries = entries_of(title)
        assert [*entries] == [*form.model_fields], title
        for name, (default, meaning) in entries.items():
            assert default == shown_default(form.model_fields[name]), (title, name)
            assert meaning, (title, name)


def test_every_entry_of_a_wiring_is_explained_with_its_default():
    """In the reference, to which the page leads; the voltages on the page are the defaults."""
    forms = {
        'Wiring of servos': HardwareForm,
        'Wiring of servos: bus': BusSpec,
        'Wiring of servos: servo': ServoSpec,
        'Wiring of servos: tendon': TendonSpec,
        'Wiring of servos: protection': Protection,
    }
    assert_explained('hardware.md', forms)
    page = (ROOT / 'docs' / 'hardware.md').read_text(encoding='utf-8')
    limits = Protection()
    assert f'({limits.lowest_voltage:g} to {limits.highest_voltage:g} V by default' in page


def test_the_sensors_of_the_page_are_read_and_every_entry_is_explained(tmp_path):
    """The file that is shown loads; the page leads to all sections of the reference."""
    (text,) = blocks('sensors.md', 'yaml')
    path = tmp_path / 'sensors.yaml'
    path.write_text(text, encoding='utf-8')
    load_sensors(path, load_robot('shell'))
    page = (ROOT / 'docs' / 'sensors.md').read_text(encoding='utf-8')
    for name, field in SensorSettings.model_fields.items():
        assert f'[`{name}`](reference/files.md#sensors-' in page
        if name != 'cameras':
            kind = re.sub(r'(?<!^)([A-Z])', r' \1', field.annotation.__name__).lower()
            assert_explained('sensors.md', {f'Sensors: {kind}': field.annotation})
    assert_explained('sensors.md', {'Sensors: camera': CameraSettings})
    assert_explained('sensors.md', {'Sensors: signal': SignalSettings})
    assert [*entries_of('Sensors')] == [*SensorSettings.model_fields]


def test_every_entry_of_a_motor_is_explained_and_the_block_is_valid():
    """The block has every entry that there is, and is read; the table of models has a row each."""
    (text,) = blocks('motors.md', 'yaml')
    shown = yaml.safe_load(text)['motors']['ax18a']
    assert set(shown) == set(MotorSpec.model_fields)
    MotorSpec.model_validate(shown)
    page = (ROOT / 'docs' / 'motors.md').read_text(encoding='utf-8')
    assert re.findall(r'^\| `(\w+)` \|', page, re.MULTILINE) == [*MotorSpec.model_fields]
    assert_explained('motors.md', {'Robot: motor': MotorSpec})
    assert_explained('motors.md', {'Robot: back emf': BackEmfSpec})
    assert_explained('motors.md', {'Robot: thermal': ThermalSpec})


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
    program, _ = blocks('continuum.md', 'python')
    names: dict[str, object] = {}
    exec(program, names)
    rest, goal, tensions_for = names['rest'], names['goal'], names['tensions_for']
    assert rest.converged
    found = tensions_for(names['statics'], goal)
    assert found.reached
    assert found.equilibrium.tip[:2] == pytest.approx(rest.tip[:2], abs=1e-6)
    assert names['text'].count('<joint ') == 2 * 8 + 1  # that of the root is fixed
    assert names['large'].members[0].manipulator.actuators[0].length == pytest.approx(20.0 * 0.08)


@pytest.mark.long
def test_the_measurements_of_the_page_give_what_they_were_made_of(tmp_path, monkeypatch, capsys):
    """A finger of 0.2 N m/rad and 0.0005 N m/kPa, and the measured rod's moduli; three plots."""
    _, program = blocks('continuum.md', 'python')
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(program, names)
    first, second, *moments = capsys.readouterr().out.splitlines()[:4]
    assert f'{first}\n' in program.replace('print(stiffness)  # ', '')
    stiffness, modulus = float(first.split()[2]), float(second.split()[2])
    assert stiffness == pytest.approx(0.2, rel=0.03)
    # K_b is 3 E I / L³, and the joints' stiffness divided by the sum of the squared levers.
    arms = 0.1 * (np.arange(10) + 0.5) / 10
    assert 3.0 * modulus * 2.3e-9 / 0.1**3 == pytest.approx(stiffness / (arms**2).sum(), rel=1e-3)
    assert [float(moment.split()[3]) for moment in moments] == pytest.approx(
        [0.0005] * 2, rel=0.03
    )
    page = (ROOT / 'docs' / 'continuum.md').read_text(encoding='utf-8')
    assert (
        f"From the sag alone Young's modulus would be {names['found'].value / 1e6:.1f} MPa" in page
    )
    assert names['both'].values['E'] == pytest.approx(YOUNG, rel=0.05)
    assert {path.name for path in tmp_path.iterdir()} == {
        'stiffness.png', 'modulus.png', 'moduli.png'
    }  # fmt: skip


def test_the_table_of_the_page_has_four_soft_legs(tmp_path):
    """Its four files load, and its action can be planned."""
    (tmp_path / 'actions').mkdir()
    texts = blocks('continuum.md', 'yaml')
    marks = {
        'robot.yaml': 'urdf: table',
        'leg.yaml': 'name: leg',
        'actions/rise.yaml': 'name: rise',
    }
    for file, mark in marks.items():
        (text,) = (text for text in texts if mark in text)
        (tmp_path / file).write_text(text, encoding='utf-8')
    (urdf,) = blocks('continuum.md', 'xml')
    (tmp_path / 'table.urdf.xacro').write_text(urdf, encoding='utf-8')
    table = load_robot(tmp_path)
    library = ActionLibrary(tmp_path, body_of(table).vocabulary)
    assert [call.name for call in library.call('rise', {})] == ['pull']
    assert [spec.channels for spec in table.soft.values()] == [(f'pull_{k}',) for k in range(4)]
    assert {table.urdf.bodies[f'leg_{k}_base'][0] for k in range(4)} == {'top'}


def test_the_channels_of_the_page_drive_a_finger(tmp_path):
    """By a tension, by a length and by a pressure, on the palm of the hand that ships."""
    (soft,) = (text for text in blocks('continuum.md', 'yaml') if 'kind: length' in text)
    (tmp_path / 'robot.yaml').write_text(
        'description: soft\nurdf: hand/hand.urdf.xacro\n'
        'base: {link: base_link, fixed: true}\nmotors: {}\n'
        f'poses: {{rest: {{}}}}\nstart: rest\n{soft}',
        encoding='utf-8',
    )
    robot = load_robot(tmp_path)
    assert robot.soft['finger'].channels == ('close', 'wind', 'swell')


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
