"""Offsets and directions are found to a tick, and written without touching anything else."""

import math
import random
import re
from dataclasses import replace

import pytest

from softshell_description.load import load_robot
from softshell_hardware.emulator.faults import inject
from softshell_hardware.emulator.robot import EmulatedRobot
from softshell_hardware.search.calibrate import calibrate, edited, pose_for, range_problem
from softshell_hardware.search.homing import Homing
from softshell_hardware.wiring.config import hardware_file, load_hardware
from softshell_kinematics.errors import ProblemsError, UnknownNameError

#: Long enough for an answer on a busy machine [s].
SLACK = 0.3


class Hands:
    """A person who knows the robot as it is really wired, and does what is asked.

    Args:
        rig: the robot.
        excuses: how often to try again after problems.
    """

    def __init__(self, rig, excuses=0):
        self.rig, self.excuses = rig, excuses
        self.asked, self.told, self.looks = [], [], []

    def wait(self, text, poses, look):
        self.asked.append(text)
        for name, position in poses.items():
            self.rig.put(name, position)
        held = re.match(r'Hold (\w+) where it can move to both sides', text)
        if held:
            joint = self.rig.robot.joints[self.rig.robot.index(held[1])]
            self.rig.put(held[1], (joint.lower + joint.upper) / 2)
        moved = re.match(r'Move (\w+) to its positive side', text)
        if moved:
            self.rig.put(moved[1], self.rig.at[moved[1]] + 0.2)
        self.looks.append(look())

    def again(self, problems):
        self.told += problems
        self.excuses -= 1
        return self.excuses >= 0


class Rig:
    """Emulated servos that are mounted somehow, and a wiring that does not know how yet."""

    def __init__(self, name, tmp_path, seed=1, family='ax'):
        draw = random.Random(seed)
        self.robot = load_robot(name)
        self.source = hardware_file(self.robot).read_text()
        if family == 'x':
            self.source = re.sub('AX-1[28]A', 'XM430-W210', self.source)
            self.source = self.source.replace('family: ax', 'family: x')
        self.path = tmp_path / f'{name}.yaml'
        self.path.write_text(self.source)
        blank = load_hardware(self.robot, self.path)
        self.true = {each.name: self._mounted(each, draw) for each in blank.joints}
        config = replace(blank, joints=tuple(self.true.values()))
        self.emulated = EmulatedRobot(self.robot, config, physics=False)
        self.at = dict(zip(self.robot.joint_names, [0.0] * len(self.true), strict=True))
        ports = iter(self.emulated.ports.values())
        text = re.sub('/dev/ttyUSB0', lambda _: next(ports).path, self.source)
        self.text = text.replace('latency: 0.001', f'latency: 0.001, slack: {SLACK}')
        self.path.write_text(self.text)

    def _mounted(self, wiring, draw):
        """With a direction and an offset by which the servo reaches all of the joint's range."""
        joint = self.robot.joints[self.robot.index(wiring.name)]
        wiring = replace(wiring, direction=draw.choice([1, -1]), offset=0.0)
        low, high = wiring.range
        return replace(wiring, offset=draw.uniform(joint.upper - high, joint.lower - low))

    def put(self, name, position):
        """Move a joint by hand."""
        self.at[name] = position
        wiring, servo = self.true[name], self.emulated.servos[name]
        servo.shaft.angle = wiring.direction * (position - wiring.offset)

    def homing(self, joints=()):
        return Homing(
            self.robot, load_hardware(self.robot, self.path), joints, pause=lambda seconds: None
        )


@pytest.fixture
def rig(tmp_path):
    """Makes rigs; all are closed after the test."""
    made = []

    def make(name='arm', seed=1, family='ax'):
        made.append(Rig(name, tmp_path, seed, family))
        return made[-1]

    yield make
    for each in made:
        each.emulated.close()


@pytest.mark.parametrize(
    ('name', 'seed'), [('arm', 1), ('arm', 2), ('quadruped', 3), ('shell', 4)]
)
def test_offsets_and_directions_are_found_to_a_tick(rig, name, seed):
    """Of both families, from nothing; and every other character of the file stays."""
    found = rig(name, seed)
    with found.homing() as homing:
        result = calibrate(homing, Hands(found), pose_for(found.robot), directions=True)
    assert result.problems == ()
    edit = edited(found.path, result, directions=True)
    edit.write()
    for wiring in load_hardware(found.robot, found.path).joints:
        true = found.true[wiring.name]
        assert wiring.direction == true.direction
        assert wiring.offset == pytest.approx(true.offset, abs=true.family.tick)
    blanked = re.sub(r'direction: -?1', 'direction: 1', found.path.read_text())
    assert re.sub(r'offset: -?\d+\.\d+', 'offset: null', blanked) == found.text


def test_some_joints_are_calibrated_one_by_one(rig):
    """In the pose that is named; the file changes in their lines only."""
    found = rig()
    hands = Hands(found)
    names = ['elbow', 'wrist']
    for name in names:
        found.true[name] = replace(found.true[name], direction=1)
    with found.homing(names) as homing:
        result = calibrate(homing, hands, 'home', singly=True)
    assert hands.asked == [f"Bring {name} into the pose 'home', and keep still." for name in names]
    assert [*result.wirings] == names
    lines = edited(found.path, result).diff().splitlines()[2:]
    changed = [line.split(':')[0].strip('+ ') for line in lines if line.startswith('+')]
    assert changed == names
    for name, motor in result.wirings.items():
        assert motor.offset == pytest.approx(found.true[name].offset, abs=motor.family.tick)
    with pytest.raises(
        UnknownNameError, match=r"unknown pose 'hom'; did you mean home\? known: .*home"
    ):
        pose_for(found.robot, 'hom')
    with pytest.raises(UnknownNameError, match="unknown joint 'knee'"):
        found.homing(['knee'])


def test_the_pose_is_zero_or_that_of_the_start():
    """Unless one is named."""
    assert pose_for(load_robot('shell')) == 'zero'
    assert pose_for(load_robot('arm')) == 'home'
    assert pose_for(load_robot('arm'), 'home') == 'home'


def test_the_joints_give_way_before_they_are_moved(rig):
    """Who does not confirm it is named."""
    found = rig()
    for servo in found.emulated.servos.values():
        servo.set('torque_enable', 1)
    with found.homing() as homing:
        assert homing.relax() == []
        assert not any(servo.torque for servo in found.emulated.servos.values())
        inject(found.emulated.servos['elbow'].faults, 'dead', True)
        assert homing.relax() == ['servo 2 (elbow): no answer']


def test_a_joint_that_cannot_be_read_or_moves_is_named_and_tried_again(rig):
    """After the last try nothing is found at all."""
    found = rig()
    inject(found.emulated.servos['wrist'].faults, 'dead', True)
    hands = Hands(found, excuses=1)
    with found.homing() as homing, pytest.raises(ProblemsError, match=r'servo 3 \(wrist\): no'):
        calibrate(homing, hands, 'home')
    assert hands.told == ['servo 3 (wrist): no answer'] * 2
    assert len(hands.asked) == 2
    inject(found.emulated.servos['wrist'].faults, 'dead', False)

    def tremble(seconds):
        found.put('elbow', found.at['elbow'] + 0.01)

    with found.homing() as homing:
        homing._pause = tremble
        assert homing.measure(['wrist'])['wrist'].problem == ''
        problems = homing.measure()
    assert re.fullmatch(
        r'servo 2 \(elbow\) moves: by 0\.0[89]\d rad within its readings',
        problems['elbow'].problem,
    )
    assert [name for name, each in problems.items() if each.problem] == ['elbow']


def test_a_joint_that_its_servo_does_not_reach_keeps_its_old_offset(rig):
    """It is told with both ranges; the others are taken."""
    found = rig()
    motor = found.true['elbow']
    found.true['elbow'] = replace(motor, direction=1, offset=1.2)
    for name in ('shoulder', 'wrist'):
        found.true[name] = replace(found.true[name], direction=1, offset=0.0)
    with found.homing() as homing:
        result = calibrate(homing, Hands(found), 'home')
    assert [*result.wirings] == ['shoulder', 'wrist']
    (text,) = result.problems
    assert 'servo 2 (elbow) reaches -1.4' in text
    assert 'the range of the joint: mount its horn turned' in text
    assert range_problem(found.robot, replace(motor, direction=1, offset=0.0)) == ''


def test_a_servo_at_the_end_of_its_range_is_not_taken(rig):
    """An AX beyond its 300° shows the end of them."""
    found = rig()
    found.put('elbow', found.true['elbow'].offset + 3.0)
    with found.homing() as homing:
        assert 'the end of its range or beyond' in homing.measure()['elbow'].problem


def test_an_x_that_counts_whole_turns_is_not_remounted(rig):
    """What it shows beyond its range is forgotten with its supply."""
    found = rig(family='x')
    found.emulated.servos['elbow'].shaft.angle += math.tau
    with found.homing() as homing:
        problem = homing.measure()['elbow'].problem
    assert 'counts whole turns; switch its power off and on' in problem
    found.emulated.servos['elbow'].reboot()
    with found.homing() as homing:
        assert homing.measure()['elbow'].problem == ''


def test_a_joint_that_was_hardly_moved_shows_no_direction(rig):
    """It is asked for again, and in the end refused."""
    found = rig()
    hands = Hands(found)
    hands.wait = lambda text, poses, look: None
    with (
        found.homing(['elbow']) as homing,
        pytest.raises(ProblemsError, match=r'has moved by 0\.0'),
    ):
        calibrate(homing, hands, 'home', directions=True)
    assert hands.told[0].endswith('expected 0.1 or more')


def test_what_is_not_written_leaves_the_bytes(rig):
    """A dry run shows what would change."""
    found = rig()
    with found.homing() as homing:
        result = calibrate(homing, Hands(found), 'home', directions=True)
    edit = edited(found.path, result, directions=True)
    assert edit.changed
    assert edit.diff().count('\n+') >= 3
    assert found.path.read_text() == found.text
