"""Figures of a log, against closed forms."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_description.foot_spheres import foot_spheres
from softshell_description.load import load_robot
from softshell_recording.recording import BasePath, Recording
from softshell_recording.report.analysis import (
    GRAVITY,
    cost_of_transport,
    distance,
    energy,
    feet_motion,
    missing_time,
)
from softshell_recording.report.log import Log
from softshell_recording.report.page import page, summary
from softshell_recording.report.touch import Touch

ROBOT = load_robot('quadruped')
TIMES = np.linspace(0.0, 2.0, 401)
FEET = ROBOT.legs.feet


def log(positions=None, rotations=None, touching=None) -> Log:
    """The quadruped in its stand, whose base goes along a path; all feet touch unless told."""
    count = len(TIMES)
    joints = np.tile(ROBOT.pose('stand'), (count, 1))
    places = np.zeros((count, 3)) if positions is None else positions
    turned = np.tile((0.0, 0.0, 0.0, 1.0), (count, 1)) if rotations is None else rotations
    touches = np.ones((count, len(FEET)), bool) if touching is None else touching
    return Log(
        namespace='', urdf=ROBOT.urdf_text, base=ROBOT.base.link,
        recording=Recording(
            TIMES, ROBOT.joint_names, joints, np.nan * joints, BasePath(places, turned)
        ),
        velocities=np.zeros_like(joints), efforts=np.zeros_like(joints),
        touch=Touch(FEET, touches, np.zeros((count, len(FEET), 3))),
        driven=np.zeros((0, 4)), health=None, temperatures=None, events=(), bridge='sim', wall=1.0,
    )  # fmt: skip


def test_feet_that_are_dragged_slip_as_far_as_the_base_goes():
    """But for those that do not touch, and for the time before they do."""
    way = np.zeros((len(TIMES), 3))
    way[:, 0] = 0.1 * TIMES
    touching = np.ones((len(TIMES), len(FEET)), bool)
    touching[:, 1] = False
    touching[:201, 2] = False  # up to 1 s
    motion = feet_motion(log(way, touching=touching))
    assert motion.slip[-1] == pytest.approx([0.2, 0.0, 0.0995, 0.2], abs=1e-9)
    assert (np.diff(motion.slip, axis=0) >= 0.0).all()


def test_feet_are_dragged_along_circles_by_a_base_that_turns():
    """The way of each is its distance from the axis times the angle, up to the chords of it."""
    turned = Rotation.from_rotvec(np.outer(TIMES, (0.0, 0.0, 0.5))).as_quat()
    motion = feet_motion(log(rotations=turned))
    radius = np.linalg.norm(motion.lowest[0, :, :2], axis=1)
    assert motion.slip[-1] == pytest.approx(radius * 1.0, rel=1e-3)


def test_a_foot_that_rolls_does_not_slip():
    """The base tips over a round foot so that it rolls: its centre goes the angle times radius."""
    still = feet_motion(log())
    angle = 0.1 * TIMES
    foot = still.lowest[0, 0]
    radius = foot_spheres(ROBOT).radius[0]
    assert radius > 0.0
    centre = foot + (0.0, 0.0, radius)
    turned = Rotation.from_rotvec(np.outer(angle, (0.0, 1.0, 0.0)))
    rolled = centre + np.outer(angle * radius, (1.0, 0.0, 0.0))
    motion = feet_motion(log(rolled - turned.apply(centre), turned.as_quat()))
    gone = np.linalg.norm(motion.lowest[-1, 0] - motion.lowest[0, 0])
    assert gone == pytest.approx(0.2 * radius, rel=1e-6)
    assert motion.slip[-1, 0] < 1e-3 * gone
    assert motion.slip[-1].max() > gone  # of one behind it


def test_work_is_effort_times_way_of_each_joint():
    """2 N m at 3 rad/s for 2 s are 12 J; what brakes counts as much."""
    one = log()
    one.efforts[:, 0], one.velocities[:, 0] = 2.0, 3.0
    one.efforts[:, 1], one.velocities[:, 1] = -1.0, 1.0
    spent = energy(one)
    assert spent.power == pytest.approx(7.0)
    assert spent.work[-1] == pytest.approx(14.0)
    assert energy(replace(one, efforts=np.zeros((len(TIMES), 0)))) is None


def test_work_of_a_mechanism_counts_once():
    """The effort of the joint that others mimic is the sum of all, as a simulation tells it."""
    robot = load_robot('shell')
    names = tuple(joint.name for joint in robot.urdf.joints if joint.type != 'fixed')
    followers = [joint.mimic is not None for joint in robot.urdf.joints if joint.name in names]
    assert sum(followers) == 6
    count = np.zeros((len(TIMES), len(names)))
    recording = Recording(TIMES, names, count, np.nan * count, None)
    spent = energy(
        replace(
            log(), urdf=robot.urdf_text, recording=recording, velocities=count + 2.0,
            efforts=count + np.where(followers, 0.5, 3.0),
        )
    )  # fmt: skip
    assert spent.power == pytest.approx(6.0 * (len(names) - 6))


def interrupted(gap):
    """Dragged at 0.1 m/s and 2 W for 2 s, with a gap after 1 s, in which the base goes a metre."""
    after = len(TIMES) // 2 + 1
    way = np.zeros((len(TIMES), 3))
    way[:, 0] = 0.1 * TIMES
    way[after:, 0] += 1.0
    one = log(way)
    one.efforts[:, 0], one.velocities[:, 0] = 1.0, 2.0
    times = TIMES.copy()
    times[after:] += gap
    return replace(one, recording=replace(one.recording, times=times))


@pytest.mark.parametrize('gap', [10.0, 1.7e9])
def test_nothing_is_made_up_of_what_happened_within_a_gap(gap):
    """2 s of 2 W are 4 J and a drag of 0.2 m is no more slip, but for the step of the gap."""
    one = interrupted(gap)
    assert missing_time(one) == pytest.approx(gap + TIMES[1])
    assert energy(one).work[-1] == pytest.approx(4.0, abs=2.1 * TIMES[1])
    slip = feet_motion(one).slip
    assert slip[-1] == pytest.approx([0.2] * len(FEET), abs=0.11 * TIMES[1])
    assert distance(one) == pytest.approx(1.2)
    known = distance(one, gaps=False)
    assert known == pytest.approx(0.2, abs=0.11 * TIMES[1])
    rows = dict(summary(one, feet_motion(one), energy(one)))
    cost = cost_of_transport(one, energy(one).work[-1], known)
    assert rows['cost of transport'] == f'{cost:.2f}'


def test_the_time_that_is_missing_is_told():
    """On the page, and to who asked for it; nothing is told of a log without gaps."""
    told = []
    assert '10.0 s, left out of slip' in page(interrupted(10.0), 'gap', told.append)
    assert told == [
        'no joint_states came for 10.0 s of 12.0 s: slip, work and cost of transport are without '
        'what happened then'
    ]
    whole = log()
    assert missing_time(whole) == 0.0
    assert 'without joint states' not in dict(summary(whole, feet_motion(whole), energy(whole)))


@pytest.mark.parametrize('late', [0.001, 0.002, 0.04])
def test_publishers_that_send_shortly_after_one_another_leave_no_gaps(late):
    """Three, each every 0.05 s, the others that much after the first: all of the time counts."""
    one = log()
    times = (0.05 * np.arange(134)[:, None] + np.array([0.0, late / 2, late])).ravel()[:401]
    one.efforts[:, 0], one.velocities[:, 0] = 1.0, 2.0
    work = energy(replace(one, recording=replace(one.recording, times=times))).work[-1]
    assert work == pytest.approx(2.0 * (times[-1] - times[0]))


def test_a_page_of_a_single_sample_is_drawn_without_a_warning():
    """There is no time to draw over."""
    one = log()
    few = replace(
        one.recording, times=TIMES[:1], joints=one.recording.joints[:1],
        commands=one.recording.commands[:1],
        base=BasePath(np.zeros((1, 3)), np.array([[0.0, 0.0, 0.0, 1.0]])),
    )  # fmt: skip
    touch = Touch(FEET, np.ones((1, len(FEET)), bool), np.zeros((1, len(FEET), 3)))
    single = replace(
        one, recording=few, velocities=one.velocities[:1], efforts=one.efforts[:1], touch=touch
    )
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert 'Gait diagram' in page(single, 'one sample')


@pytest.mark.parametrize('row', [0, 5])
def test_numbers_that_overflow_are_drawn_without_a_warning(row):
    """Their product is more than a number can hold, which is told as what it is."""
    one = log()
    one.efforts[row, 0] = one.velocities[row, 0] = 1e200
    one.recording.commands[:] = one.recording.joints
    one.recording.joints[row, 0] = 1e200
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert 'nan J' not in page(one, 'overflow')
    with np.errstate(over='ignore'):
        assert energy(one).work[-1] == (0.0 if row == 0 else np.inf)


def test_cost_of_transport_is_work_over_weight_and_way():
    way = np.zeros((len(TIMES), 3))
    way[:, 1] = 0.25 * TIMES
    one = log(way)
    assert distance(one) == pytest.approx(0.5)
    mass = sum(link.mass for link in ROBOT.urdf.links)
    assert cost_of_transport(one, 10.0, 0.5) == pytest.approx(10.0 / (mass * GRAVITY * 0.5))
    assert cost_of_transport(one, 10.0, 0.0) is None


def test_a_robot_without_masses_has_no_cost_of_transport():
    """Its weight is not known; all else of the report is."""
    bare = replace(log(), urdf='<robot name="bare"><link name="base"/></robot>')
    assert cost_of_transport(bare, 10.0, 0.5) is None


@pytest.mark.parametrize('begin', [0.0, 1.0, 123.4, 1795720325.237])
def test_a_way_is_as_long_whenever_it_begins(begin):
    """Sampling every 0.1 s may, by rounding, end behind the last sample."""
    for count in range(2, 60):
        one = log()
        times = begin + 0.05 * np.arange(count)
        places = np.zeros((count, 3))
        places[:, 0] = 0.3 * (times - times[0])
        recording = replace(
            one.recording, times=times, base=BasePath(places, np.zeros((count, 4)))
        )
        way = distance(replace(one, recording=recording))
        assert way == pytest.approx(0.3 * (times[-1] - times[0]))


def test_a_way_is_known_although_the_clock_jumps():
    """From 0 to a time of today: the way is that over the ground, and needs no more memory."""
    one = log()
    times = np.append(0.0, 1.7e9 + 0.02 * np.arange(500))
    places = np.zeros((len(times), 3))
    places[:, 1] = 0.01 * np.arange(len(times))
    base = BasePath(places, np.zeros((len(times), 4)))
    way = distance(replace(one, recording=replace(one.recording, times=times, base=base)))
    assert way == pytest.approx(5.0)


@pytest.mark.parametrize('begin', [0.0, 3.21, 1.7e9])
def test_a_way_is_over_the_first_sample_of_each_tenth_of_a_second(begin):
    """The tenths counted one by one, on a base that trembles."""
    one = log()
    random = np.random.default_rng(1)
    times = begin + 0.02 * np.arange(500) + random.uniform(0.0, 0.01, 500)
    places = random.normal(size=(500, 3))
    base = BasePath(places, np.zeros((500, 4)))
    way = distance(replace(one, recording=replace(one.recording, times=times, base=base)))
    rows = [
        next(k for k, time in enumerate(times) if time >= tenth)
        for tenth in np.arange(times[0], times[-1], 0.1)
    ]
    steps = np.diff(places[[*rows, -1], :2], axis=0)
    assert way == pytest.approx(np.hypot(*steps.T).sum())


def test_what_is_not_known_is_not_made_up():
    """Without odometry, contacts, a description or a joint of a leg there is no slip."""
    one = log()
    blind = replace(one, recording=replace(one.recording, base=None))
    fewer = replace(one, recording=replace(one.recording, joint_names=('hip',)))
    for other in (replace(one, touch=None), replace(one, urdf=''), blind, fewer):
        assert feet_motion(other) is None
    assert distance(blind) is None
