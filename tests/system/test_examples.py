"""Examples are short and listed; those without nodes run by their command and print what is so."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from examples_rig import EXAMPLES, FILES, command_of, is_picture, numbers

LONGEST = 59  # lines
#: What Shell's gaits and panels are made from.
GAITS = EXAMPLES.parent / 'config' / 'robots' / 'shell' / 'gaits'
PANELS = EXAMPLES.parent / 'urdf' / 'shell' / 'panels.yaml'


def test_every_example_is_short_listed_and_tested():
    """They are numbered, each below 60 lines; README.md and the tests name every one."""
    assert [path.name[:3] for path in FILES] == [f'{k:02}_' for k in range(1, len(FILES) + 1)]
    for path in EXAMPLES.rglob('*.py'):
        assert len(path.read_text(encoding='utf-8').splitlines()) <= LONGEST, path.name
    listed = re.findall(r'^\| `(.+?)` \|', (EXAMPLES / 'README.md').read_text(), re.MULTILINE)
    assert sorted(listed) == [command_of(path) for path in FILES]
    assert [command.split()[1] for command in sorted(listed)] == [
        f'examples/{path.name}' for path in FILES
    ]
    tests = [path.read_text() for path in Path(__file__).parent.glob('test_examples*.py')]
    tested = re.findall(r"run\('(\w+\.py)'\)", '\n'.join(tests))
    assert sorted(tested) == [path.name for path in FILES]


def test_the_page_says_what_each_example_needs():
    """Nodes if its program starts a stack, and the sets of requirements of its docstring."""
    page = (EXAMPLES / 'README.md').read_text(encoding='utf-8')
    rows = re.findall(r'^\| `\S+ examples/(\S+?)` \| .* \| (.*) \|$', page, re.MULTILINE)
    assert len(rows) == len(FILES)
    for name, needs in rows:
        text = (EXAMPLES / name).read_text(encoding='utf-8')
        begins = 'nodes' if 'Stack(' in text else 'no ROS'
        sets = re.search(r'^Needs `./softshell setup ([\w ]+)`', text, re.MULTILINE)
        expected = [begins, *(f'`{one}`' for one in (sets[1].split() if sets else ()))]
        assert needs.removesuffix(', Chromium').split(', ') == expected, name


def test_one_world(run):
    """At rest the base is at the height of the pose, and the feet carry the whole weight."""
    output = run('01_world.py')
    assert numbers(output, r'height of the base: (\S+) m') == pytest.approx([0.161], abs=3e-3)
    assert numbers(output, r'weight on the feet: (\S+) N') == pytest.approx([34.3], rel=0.01)


def test_inverse_kinematics(run):
    """What is in reach is reached, smoothly along a path; what is not says so."""
    output = run('02_inverse_kinematics.py')
    assert numbers(output, r'off by (\S+) m')[0] < 1e-8
    assert (
        numbers(output, r'circle: all reached: True, largest step of a joint (\S+) rad')[0] < 0.02
    )
    assert numbers(output, r'too far: UNREACHABLE, (\S+) m short')[0] > 0.5


@pytest.mark.long
def test_plan(run, tmp_path):
    """A walk of 0.4 m is five strides and one to halt, of half a second each."""
    output = run('03_plan.py')
    count, duration, _ = numbers(output, r'(\d+) sub-actions, (\S+) s, fastest joint (\S+) rad/s')
    assert (count, duration) == (6, 3.0)
    assert is_picture(tmp_path / 'out' / 'feet.png')


@pytest.mark.long
def test_batch(run):
    """Shell stays below the slope of the friction, and above it slides as far as a block would.

    Its legs give way by some centimetres more, on their way into the slide.
    """
    output = run('09_batch.py')
    assert output.count(' of 6 done') == 6
    found = re.findall(r'^(\S+)°: slid (\S+) m$', output, re.MULTILINE)
    assert len(found) == 6
    for angle, way in [(float(angle), float(way)) for angle, way in found]:
        steep = math.radians(angle)
        acceleration = 9.81 * (math.sin(steep) - 0.3 * math.cos(steep))
        expected = max(0.5 * acceleration * 1.0**2, 0.0)
        assert expected - 0.002 < way < (expected + 0.05 if expected else 0.01), angle


def test_soft_finger(run):
    """An engine brings it to rest where statics say, bent by about as much as it is long."""
    output = run('10_soft_finger.py')
    assert numbers(output, r'statics: tip at \[(\S+)')[0] > 0.04
    assert numbers(output, r'(\S+) mm off')[0] < 0.05


@pytest.mark.long
@pytest.mark.needs('studies')
def test_study(run, tmp_path):
    """All runs of the study are in its table."""
    output = run('12_study.py')
    assert numbers(output, r'(\d+) runs, in (\d+) of which')[0] == 243
    assert (tmp_path / 'out' / 'rods' / 'runs.parquet').is_file()


@pytest.mark.needs('studies')
def test_environment(run):
    """The mean of its three episodes is the score of the page, within two standard errors."""
    found = [*map(float, re.findall(r'ends (\S+) mm from its target', run('13_environment.py')))]
    assert len(found) == 3
    page = (EXAMPLES.parent / 'docs' / 'learning.md').read_text(encoding='utf-8')
    (score,) = re.findall(r'^\| `Reach` \|.* \| -(\d+), search \|$', page, re.MULTILINE)
    deviation = 21.0  # of single episodes [mm], measured
    assert sum(found) / 3 == pytest.approx(float(score), abs=2.0 * deviation / math.sqrt(3))


@pytest.mark.long
def test_scene(run):
    """A parcel of 0.3 kg slides as a block: pushed for 0.1 s against friction, then braked."""
    output = run('17_scene.py')
    brake = 0.4 * 9.81  # [m/s^2]
    expected = []
    for force in (4.0, 8.0):
        rise = force / 0.3 - brake
        expected.append(0.5 * rise * 0.1**2 + (rise * 0.1) ** 2 / (2.0 * brake))
    assert numbers(output, r'slides (\S+) m, by 8 N (\S+) m') == pytest.approx(expected, rel=0.01)
    assert output.endswith('bit for bit: True\n')


@pytest.mark.long
def test_sensors(run, tmp_path):
    """The gyro has the bias and the noise of the sensor file, the ramp the slope of the scene."""
    output = run('18_sensors.py')
    gyro = yaml.safe_load((EXAMPLES / 'sensors.yaml').read_text())['imu']['angular_velocity']
    bias, noise = numbers(output, r'z (\S+) rad/s on average, noise (\S+) rad/s')
    assert bias == pytest.approx(gyro['bias']['z'], abs=4.0 * gyro['noise'] / math.sqrt(500.0))
    assert noise == pytest.approx(gyro['noise'], rel=0.1)
    bodies = yaml.safe_load((EXAMPLES / 'scene.yaml').read_text())['bodies']
    (slope,) = numbers(output, r'pixels: (\S+) rad steep')
    assert slope == pytest.approx(bodies['slope']['ramp']['slope'], abs=3e-3)
    assert is_picture(tmp_path / 'out' / 'camera.png')


@pytest.mark.long
def test_gaits(run, tmp_path):
    """Every gait walks as far as told, and its feet stand for the duty of its file."""
    output = run('19_gaits.py')
    for gait in ('tripod', 'tetrapod', 'ripple', 'wave'):
        legs = yaml.safe_load((GAITS / f'{gait}.yaml').read_text())['legs'].values()
        way, duty = numbers(output, rf'^{gait}: (\S+) m in .* stands (\S+) of the time')
        assert way == pytest.approx(0.4, rel=0.02)
        assert duty == pytest.approx(sum(leg['duty'] for leg in legs) / len(legs), abs=0.03)
    assert is_picture(tmp_path / 'out' / 'gaits.png')


@pytest.mark.long
def test_footing(run, tmp_path):
    """Left to its plan the base leans as the ramp does, and stays level with footing."""
    output = run('20_footing.py')
    for footing, leaning in (('False', 8.0), ('True', 0.0)):
        line = rf'footing {footing}: (\S+) m ahead, (\S+) m up, leans by (\S+)°'
        ahead, up, tilt = numbers(output, line)
        assert tilt == pytest.approx(leaning, abs=0.7)
        assert ahead == pytest.approx(1.2, rel=0.03)
        assert up == pytest.approx((ahead - 0.4) * math.tan(math.radians(8.0)), abs=0.01)
    assert is_picture(tmp_path / 'out' / 'footing.png')


@pytest.mark.long
def test_roll(run, tmp_path):
    """The ball goes about where it was told, and turns as one of its radius that does not slip."""
    output = run('21_roll.py')
    way, heading = numbers(output, r'rolled (\S+) m at (\S+) rad')
    assert way == pytest.approx(2.0, abs=0.5)
    assert heading == pytest.approx(0.5, abs=math.radians(8.0))
    panels = yaml.safe_load(PANELS.read_text())
    radius = panels['lower']['radius']
    assert numbers(output, r'ball of radius (\S+) m') == pytest.approx([radius], rel=0.05)
    assert numbers(output, r'its radius is (\S+) m') == pytest.approx([radius], rel=0.01)
    assert is_picture(tmp_path / 'out' / 'roll.png')


@pytest.mark.long
def test_motors(run, tmp_path):
    """The servo has the parameters of the recorded one, and moves like it but for the noise."""
    output = run('28_motors.py')
    true = {'kp': 8.0, 'kd': 0.25, 'dry_friction': 0.1, 'delay': 0.012}  # by docs/motors.md
    found = {name: numbers(output, rf'^{name} +(\S+) ±')[0] for name in true}
    assert found == pytest.approx(true, rel=0.05)
    assert numbers(output, r'differ by (\S+) mrad rms')[0] < 1.0  # on a way of 250 mrad
    assert is_picture(tmp_path / 'out' / 'motor.png')


@pytest.mark.long
def test_servo_bus(run):
    """All servos of the wiring are there, their offsets within half a tick; a restart helps."""
    output = run('45_servo_bus.py')
    wiring = yaml.safe_load(
        (EXAMPLES.parent / 'config' / 'hardware' / 'quadruped.yaml').read_text()
    )
    found = re.findall(r'^found \[(.*)\]: XM430-W210, 1000000 baud$', output, re.MULTILINE)
    assert found == [', '.join(str(each['id']) for each in wiring['joints'].values())]
    off, tick = numbers(output, r'^12 offsets, at most (\S+) rad off; a tick is (\S+) rad$')
    assert tick == pytest.approx(2.0 * math.pi / 4096.0, abs=1e-5)
    assert off <= tick / 2.0 + 5e-5  # offsets have four decimals
    errors = re.findall(r'^servo 11 \(front_left_hip\) (\w+): .* (0x..)$', output, re.MULTILINE)
    assert errors == [('overloaded', '0x20'), ('restarted', '0x00')]


def test_controller(run):
    """The base leans as the slope does; its tilt then decays as an exponential of its rate."""
    output = run('30_controller.py')
    before, after, seconds = numbers(output, r'tilt (\S+) rad, (\S+) rad after (\S+) s')
    heights = np.loadtxt(EXAMPLES / 'hill.csv', delimiter=',')
    hill = yaml.safe_load((EXAMPLES / 'hill.yaml').read_text())['bodies']['hill']
    ahead, left = (heights[0, 1], heights[1, 0]) / np.array(hill['height_field']['size'])
    assert before == pytest.approx(math.atan(math.hypot(ahead, left)), abs=2e-3)
    assert after < 0.0025
    assert seconds == pytest.approx(math.log(before / after) / 2.0, abs=0.1)


@pytest.mark.long
@pytest.mark.needs('studies')
def test_search(run, tmp_path):
    """What is found is on the edge: bent by 90°, with the tendon as far out as it may be."""
    output = run('31_search.py')
    stiffness, radius = (
        numbers(output, rf'^{name}: (\S+)')[0] for name in ('stiffness', 'radius')
    )
    (angle,) = numbers(output, r'bent by (\S+) rad')
    # Of each of 8 joints, halfway between two guides that are 10 mm apart: the tendon's lever arm.
    turn = angle / 8
    arm = radius * math.cos(turn / 2) + 0.005 * math.sin(turn / 2)
    assert stiffness * turn == pytest.approx(3.0 * arm, rel=2e-3)
    assert 1.5708 < angle < 1.65
    assert radius == pytest.approx(0.006, rel=0.05)
    assert is_picture(tmp_path / 'out' / 'finger' / 'search.png')


@pytest.mark.long
@pytest.mark.needs('studies')
def test_learner(run, tmp_path):
    """The arm of 0.5 m hangs by its length, and learns to raise its tip well above its base."""
    output = run('33_learner.py')
    assert numbers(output, r'without moments: tip at (\S+) m') == pytest.approx([-0.5], abs=2e-3)
    assert 0.2 < numbers(output, r'learnt: tip at (\S+) m')[0] < 0.5
    assert is_picture(tmp_path / 'out' / 'learner.png')


@pytest.mark.long
@pytest.mark.needs('studies')
def test_task(run, tmp_path):
    """A tip whose speed is k times its distance to a point lags by v / sqrt(k² + ω²)."""
    output = run('34_task.py')
    turning = 2.0 * math.pi / 4.0
    lag = 1e3 * 0.05 * turning / math.hypot(8.0, turning)
    assert numbers(output, r'second turn: (\S+) mm behind') == pytest.approx([lag], rel=0.05)
    assert is_picture(tmp_path / 'out' / 'task.png')


@pytest.mark.long
@pytest.mark.needs('studies')
def test_train(run, tmp_path):
    """It learns to come much nearer than an arm at rest, which ends 304 mm away."""
    output = run('43_train.py')
    assert re.findall(r'^generation (\d+):', output, re.MULTILINE)[-1] == '15'
    assert numbers(output, r'^learnt: the tip ends (\S+) mm')[0] < 200.0
    assert numbers(output, r'^scripted: the tip ends (\S+) mm')[0] < 10.0
    assert (tmp_path / 'out' / 'reach.npz').is_file()


@pytest.mark.long
@pytest.mark.needs('studies')
def test_imitation(run):
    """The network follows as closely as its teacher, which first has to catch up."""
    output = run('50_imitation.py')
    off = [*map(float, re.findall(r'^round \d: actions (\S+) rad/s off$', output, re.MULTILINE))]
    assert len(off) == 4
    assert off[-1] < 0.02
    teacher, network = (
        numbers(output, rf'^{name}: (\S+) mm behind')[0] for name in ('teacher', 'network')
    )
    turning = 2.0 * math.pi / 4.0
    assert 1e3 * 0.05 * turning / math.hypot(8.0, turning) < teacher < 20.0
    assert network == pytest.approx(teacher, abs=0.5)
