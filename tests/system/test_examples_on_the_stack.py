"""Examples that start nodes run by the commands that they show, and print what is right."""

import math
import re

import pytest
from examples_rig import is_picture, numbers

from softshell_continuum.statics import Statics
from softshell_description.load import load_robot
from softshell_tools.surroundings import installed_browser


@pytest.mark.long
def test_shell(run):
    """The robot walks and turns as far as it is told, and lies where its belly carries it."""
    output = run('04_shell.py')
    assert numbers(output, r'walked (\S+) m') == pytest.approx([0.4], abs=0.03)
    assert numbers(output, r'turned (\S+)°') == pytest.approx([60.0], abs=4.0)
    assert numbers(output, r'bows at a height of (\S+) m') == pytest.approx([0.146], abs=5e-3)
    assert numbers(output, r'lies at \[.* (\S+)\] m') == pytest.approx([0.081], abs=4e-3)


@pytest.mark.long
def test_record(run, tmp_path):
    """A run has samples of every joint, and these follow their commands."""
    output = run('05_record.py')
    samples, joints, duration = numbers(output, r'(\d+) samples of (\d+) joints over (\S+) s')
    assert joints == 37
    assert samples / duration == pytest.approx(125.0, rel=0.1)  # each second step of 4 ms
    assert numbers(output, r'joints off by (\S+) rad rms')[0] < 0.03
    assert is_picture(tmp_path / 'out' / 'run.png')


@pytest.mark.long
def test_follow_joint_trajectory(run):
    """A goal that can be is reached; one with a joint that is not there has the code for that."""
    output = run('06_follow_joint_trajectory.py')
    reached, seen, refused = output.splitlines()
    assert reached == 'error code 0: reached'
    assert numbers(seen, r'at (\S+) (\S+) rad') == pytest.approx([-0.8, 0.9], abs=0.1)
    assert refused.startswith("error code -2: unknown joints: 'nose'; known: shoulder")


@pytest.mark.long
def test_robot(run):
    """The lamp bows as deep as it is told."""
    output = run('07_robot.py')
    angles = numbers(output, r"\{'ankle': (\S+), 'neck': (\S+)\}")
    assert angles == pytest.approx([0.4, 0.8], abs=0.02)


@pytest.mark.long
def test_bridge(run):
    """The stack's action is performed by the motors of the example."""
    (duration,) = numbers(run('08_bridge.py'), r'lagging motors drew a rectangle in (\S+) s')
    assert 5.5 <= duration < 7.0  # as planned, to the digit that is printed


@pytest.mark.long
def test_push_a_box(run):
    """The front foot meets the box on the way, and pushes it on."""
    output = run('11_push_a_box.py')
    assert numbers(output, r'walked to (\S+) m') == pytest.approx([0.5], abs=0.02)
    assert 0.1 < numbers(output, r'pushed the box by (\S+) m')[0] < 0.5


@pytest.mark.long
def test_report(run, tmp_path):
    """The bag has a page, and its numbers are those of a walk of 0.4 m with little slip."""
    output = run('14_report.py')
    assert '</html>' in (tmp_path / 'out' / 'walk' / 'report.html').read_text(encoding='utf-8')
    way, slip = numbers(output, r'way (\S+) m, slip of all feet (\S+) m')
    assert way == pytest.approx(0.4, abs=0.05)
    assert slip < 0.5 * way
    work, cost = numbers(output, r'work (\S+) J, cost of transport (\S+)$')
    assert cost == pytest.approx(work / (34.3 * way), rel=0.03)  # over weight [N] and way
    assert 0.0 < numbers(output, r'least exact: \w+, (\S+) rad off at most')[0] < 0.3


@pytest.mark.long
def test_replay(run):
    """The trajectories of the bag bring the simulated arm to where they brought the mock."""
    output = run('15_replay.py')
    line = r': ends at \[ *(\S+) +(\S+) +(\S+) *\] rad, within (\S+) rad of its commands'
    *mock, exact = numbers(output, 'mock' + line)
    *simulated, error = numbers(output, 'sim' + line)
    assert mock == pytest.approx([-0.8, 0.9, 0.4], abs=0.01)  # the wrist stays at its start
    assert simulated == pytest.approx(mock, abs=0.06)  # the goal tolerance of its joints
    assert exact < error < 0.2


@pytest.mark.long
@pytest.mark.needs('web', 'browser')
@pytest.mark.skipif(not installed_browser(), reason='no Chromium here: apt install chromium')
def test_page(run, tmp_path):
    """A held key walks, and the robot stops within half a stride when its page is gone."""
    output = run('16_page.py')
    assert numbers(output, r'walked to (\S+) m')[0] >= 0.3
    assert abs(numbers(output, r'stopped (\S+) m after')[0]) < 0.1
    assert is_picture(tmp_path / 'out' / 'page.png')


@pytest.mark.long
def test_drive(run, tmp_path):
    """By either gait at the commanded velocity, along a circle of that over the rate of turn."""
    output = run('22_drive.py')
    for gait in ('tripod', 'tetrapod'):
        assert numbers(output, rf'^{gait}: (\S+) m/s') == pytest.approx([0.03], rel=0.05)
    radius, off = numbers(output, r'radius (\S+) m, points at most (\S+) mm off')
    assert radius == pytest.approx(0.03 / 0.15, rel=0.03)
    assert off < 5.0
    assert is_picture(tmp_path / 'out' / 'circle.png')


@pytest.mark.long
def test_queue(run):
    """What waited and was cancelled did not move it; a cancelled walk ends with a whole stride."""
    output = run('23_queue.py')
    assert 'walk SUCCEEDED, back CANCELED, turn SUCCEEDED' in output
    way, turned = numbers(output, r'(\S+) m ahead, turned by (\S+)°')
    assert way == pytest.approx(0.4, rel=0.02)
    assert turned == pytest.approx(45.0, abs=1.0)
    (way,) = numbers(output, r'walk CANCELED after (\S+) m of 2 m')
    assert 0.4 < way < 1.9
    assert way / 0.08 == pytest.approx(round(way / 0.08), abs=0.15)  # strides of `walk`


@pytest.mark.long
def test_fingers(run, tmp_path):
    """The finger is pulled as it was told, and its tip is where the statics of its tendons say."""
    output = run('24_fingers.py')
    finger = load_robot('finger').soft['finger']
    statics = Statics(finger.chain, finger.tendons)
    found = re.findall(r'^(\S+) N: tip at \[ *(\S+) +(\S+) +(\S+) *\] m$', output, re.MULTILINE)
    tips = {float(tension): [float(each) for each in tip] for tension, *tip in found}
    assert [*tips] == pytest.approx([0.0, 2.0, 4.0, 6.0], abs=0.02)
    post = tips[0.0][2] - statics.solve().tip[2]  # the base of the finger is so high
    for tension, tip in tips.items():
        expected = statics.solve({'curl': tension}).tip + [0.0, 0.0, post]
        assert tip == pytest.approx(expected, abs=5e-4)
    assert is_picture(tmp_path / 'out' / 'finger.png')


@pytest.mark.long
def test_kinematics(run):
    """By the geometry of the legs the angles bring foot and trunk to where they are asked to."""
    output = run('25_kinematics.py')
    hip, thigh, shank = numbers(output, r'front left: (\S+), (\S+), (\S+) rad')
    bone, offset = 0.09, 0.042  # of urdf/quadruped/variables.xacro [m]
    ahead = -bone * (math.sin(thigh) + math.sin(thigh + shank))
    down = bone * (math.cos(thigh) + math.cos(thigh + shank))
    left = offset * math.cos(hip) + down * math.sin(hip)
    height = offset * math.sin(hip) - down * math.cos(hip)
    foot = [0.13 + ahead, 0.075 + left, height]
    assert foot == pytest.approx([0.16, 0.13, -0.12], abs=2e-5)
    assert numbers(output, r'forward again: (\S+) m off')[0] < 1e-8

    stand = load_robot('quadruped').poses['stand']
    hip, down = stand['front_left_hip'], 2.0 * bone * math.cos(stand['front_left_thigh'])
    left = offset * math.cos(hip) + down * math.sin(hip)
    height = offset * math.sin(hip) - down * math.cos(hip) + 0.02
    long = math.sqrt(left**2 + height**2 - offset**2)  # from the thigh's axis to the foot
    shanks = numbers(output, r'shanks at (\S+), (\S+), (\S+), (\S+) rad')
    assert shanks == pytest.approx([-2.0 * math.acos(long / (2.0 * bone))] * 4, abs=2e-4)


@pytest.mark.long
def test_servos(run):
    """A blocked joint stays where it was and is noticed as such; freed, the arm goes on."""
    output = run('26_servos.py')
    arm = load_robot('arm')
    tolerance = max(joint.goal_tolerance for joint in arm.joints)
    for pose in ('reach', 'home'):
        assert numbers(output, rf'^{pose}: joints at most (\S+) rad off')[0] < tolerance
    assert 'elbow is' in output
    (elbow,) = numbers(output, r'fault TRACKING, elbow at (\S+) rad')
    assert elbow == pytest.approx(arm.poses['reach']['elbow'], abs=tolerance)


@pytest.mark.long
def test_policy(run):
    """The policy walks about as fast as it is told."""
    output = run('27_policy.py')
    assert numbers(output, r': (\S+) m/s of') == pytest.approx([0.08], abs=0.02)
    assert 'the policy has ended' in output


@pytest.mark.long
def test_time(run):
    """The clock passes what it is told, in which a ball falls freely; a saved state comes back."""
    output = run('29_time.py')
    periods, way = numbers(output, r'periods on the clock: (\S+), fallen: (\S+) m')
    assert periods == pytest.approx(50.0, abs=1e-3)
    seconds, step = 50 * 0.004, 0.001
    assert way == pytest.approx(0.5 * 9.81 * seconds * (seconds + step), abs=1e-5)
    for claim in ('as it was saved', 'fallen as before'):
        assert f'{claim}, bit for bit: True' in output
    assert 'states that are kept: 0' in output
    assert output.endswith('simulated time passes\n')


@pytest.mark.long
def test_two_robots(run):
    """The one that was stopped has gone a part of its way, the other all of it."""
    output = run('32_two_robots.py')
    (way,) = numbers(output, r'^one: STOPPED after (\S+) m, its bridge is EMERGENCY_STOP$')
    assert 0.1 < way < 0.4
    (way,) = numbers(output, r'^two: SUCCEEDED after (\S+) m, its bridge is HOLDING$')
    assert way == pytest.approx(0.4, rel=0.02)
    assert 'one: stands again' in output


@pytest.mark.long
def test_body_pose(run):
    """The base goes along the circle that is asked for, less than a second later."""
    output = run('40_body_pose.py')
    radius, off = numbers(output, r'radius (\S+) m, at most (\S+) mm off')
    assert radius == pytest.approx(0.03, rel=0.02)
    assert off < 1.5
    assert 0.0 < numbers(output, r'(\S+) s behind')[0] < 1.0


@pytest.mark.long
def test_black_box(run, tmp_path):
    """The bag has the fault, and that the elbow was told to move while it stood still.

    The one that was asked for before is written at once.
    """
    output = run('46_black_box.py')
    error, most = numbers(
        output, r'^fault: elbow is (\S+) rad off its command for .* most (\S+) rad'
    )
    told, moved = numbers(output, r'told to move (\S+) rad, and moved (\S+) rad')
    assert most < told < error + 0.05
    assert moved < 0.05
    bags = sorted((tmp_path / 'out' / 'log' / 'black_box').iterdir())
    assert len(bags) == 2
    assert str(bags[0]) in output
    assert all([*bag.glob('*.mcap')] for bag in bags)


@pytest.mark.long
def test_camera(run, tmp_path):
    """The ball is as far from the camera as its place in the world says, less its radius."""
    (nearest,) = numbers(run('47_camera.py'), r'^nearest: (\S+) m$')
    height = 0.161 + 0.05  # of the camera, which is 0.25 m ahead of the base
    assert nearest == pytest.approx(math.hypot(1.25 - 0.25, height - 0.15) - 0.15, abs=0.01)
    assert is_picture(tmp_path / 'out' / 'ball.png')


@pytest.mark.long
def test_touch(run):
    """The floor carries the weights; the box is pushed as hard as the floor holds it back."""
    output = run('48_touch.py')
    weights = {'robot': 9.81 * load_robot('shell').urdf.mass, 'box': 9.81 * 0.2}

    def found(when, who):
        line = rf'^{when}: {who} for (\S+)% of the time, (\S+) N ahead, (\S+) N up$'
        return numbers(output, line)

    for body, weight in weights.items():
        share, _, up = found('standing', f'floor and {body}')
        assert (share, -up) == (100.0, pytest.approx(weight, rel=0.01))
    assert 'standing: robot and box' not in output
    (_, drag, box), (_, _, robot) = (
        found('walking', f'floor and {one}') for one in ('box', 'robot')
    )
    assert -box - robot == pytest.approx(sum(weights.values()), rel=0.01)
    share, push, _ = found('walking', 'robot and box')
    assert drag > 0.2
    assert -push * share / 100.0 == pytest.approx(drag, rel=0.1)


@pytest.mark.long
def test_servo_fault(run):
    """A servo that is overloaded is told of, restarted and driven again, until it is let go."""
    told = run('54_servo_fault.py').splitlines()
    servo = 'front_left_hip'
    assert re.fullmatch(r'HOLDING: holding.* \(hottest: \S+ °C, \w+\)', told[0])
    assert told[1] == f'{servo}: overload is True'
    assert re.match(rf'FAULT: servo 11 \({servo}\) says: it is overloaded', told[2])
    assert told[3] == f'servo 11 ({servo}) restarts'
    assert re.match('HOLDING: holding', told[-2])
    assert told[-1] == 'the joints are not driven; the mode is inactive'


@pytest.mark.long
def test_estimate(run):
    """The estimate is off by about what it states; the belly bears the weight when it lies."""
    output = run('55_estimate.py')
    way, guess, off, stated = numbers(
        output, r'walked (\S+) m, by the estimate (\S+) m, (\S+) mm off, as told (\S+) mm'
    )
    assert (way, guess) == (pytest.approx(0.4, abs=0.02), pytest.approx(way, abs=0.03))
    assert off < 3.0 * stated < 100.0
    for name, share, force in (('stand', 0.0, 0.0), ('idle', 100.0, 34.3)):
        line = rf'^{name}: the belly touches (\S+)% of the time, with (\S+) N$'
        touching, carried = numbers(output, line)
        assert touching == share
        assert carried == pytest.approx(force, abs=1.5)
