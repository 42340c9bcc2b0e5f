"""Every bridge carries whole robots: they stand up, hold, and walk as planned."""

from dataclasses import replace

import numpy as np
import pytest
from contract_bridges import BRIDGES
from contract_rig import Rig
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from softshell_actions.rehearsal import Rehearsal, joined
from softshell_common.reason import ReasonCode

#: How far each robot walks [m].
WALKS = {'shell': 0.12, 'quadruped': 0.1}


def pairs():
    """Every bridge with every robot; the quadruped's own servos are of X."""
    for name in BRIDGES:
        for robot in WALKS:
            late = robot == 'quadruped' and name not in ('mock', 'sim-mujoco')
            marks = [pytest.mark.long] if late else []
            marks += [pytest.mark.needs('pybullet')] if name == 'sim-pybullet' else []
            yield pytest.param((name, robot), marks=marks, id=f'{name}-{robot}')


@pytest.fixture(scope='module', params=pairs())
def shared(request, tmp_path_factory):
    """A bridge of a robot, driven."""
    name, robot = request.param
    rig = Rig(BRIDGES[name], robot, tmp_path_factory.mktemp('wiring'))
    yield rig
    rig.close()
    rig.check_commands()


@pytest.fixture
def standing(shared):
    """The same, standing; reports and trace begin anew."""
    if shared.mode == 'EMERGENCY_STOP':
        shared.ask('reset')
    shared.ask('activate')
    stand = shared.robot.pose(shared.robot.legs.stand).tolist()
    name = shared.offer(dict(zip(shared.names, stand, strict=True)), 0.8)
    shared.run(1.1)
    assert shared.states(name) == ['ACTIVE', 'REACHED']
    shared.reports, shared.trace = [], []
    return shared


def walk(robot, distance):
    """Parts of a walk, one after the other, from where the robot is commanded to stand.

    And how far forward the base then is [m]: a gait that sways leaves it beside the feet's middle.
    """
    rehearsal = Rehearsal(robot, robot.legs.stand)
    rehearsal.state = rehearsal.state.with_joints({}, dict.fromkeys(robot.joint_names, 0.0))
    parts = list(rehearsal.perform('walk', {'distance': distance}))
    return parts, distance + rehearsal.state.sway[0]


def base_of(rig):
    """What there is to know of the base: of the world behind servos, or as measured."""
    emulated = getattr(rig.plant, 'emulated', None)
    return rig.core.measured.base if emulated is None else emulated.measured.base


def test_a_robot_walks_as_planned(standing):
    """All joints are on their planned ways, within what a goal may be off; the base gets along."""
    rig = standing
    begin = rig.now
    before = None if base_of(rig) is None else base_of(rig).position.copy()
    parts, way = walk(rig.robot, WALKS[rig.robot.name])
    motion = joined([part.motion for part in parts])
    name = rig.offer(
        dict.fromkeys(motion.joints, 0.0), times=motion.times.tolist(),
        values=motion.positions.tolist(), rates=motion.velocities.tolist(),
    )  # fmt: skip
    rig.run(motion.duration + 0.2)
    assert rig.states(name) == ['ACTIVE', 'REACHED']
    planned = joined([as_planned(part) for part in parts]) if rig.kind.sag > 0.0 else motion
    check_planned(rig, planned, begin)
    rig.check_ages()
    rig.check_measured()
    assert ReasonCode.RATE not in rig.codes()
    if before is not None:
        base = base_of(rig)
        assert base.position[0] - before[0] == pytest.approx(way, rel=0.1)
        assert np.abs(base.orientation[:2]).max() < 0.05


def test_queued_strides_follow_each_other_without_a_pause(standing):
    """Each begins when the one before it ends, though what is measured is old and the robot moves.

    What is off its command by no more than a goal may be has reached it, as far as can be known.
    """
    rig = standing
    parts, begun = walk(rig.robot, WALKS[rig.robot.name])[0][:6], []
    motions = [part.motion for part in parts]
    for motion in motions:
        name = rig.offer(
            dict.fromkeys(motion.joints, 0.0), times=motion.times.tolist(),
            values=motion.positions.tolist(), rates=motion.velocities.tolist(), queued=True,
        )  # fmt: skip
        rig.ticks()
        while rig.states(name)[-1] == 'WAITING':
            rig.ticks()
        begun.append(rig.now * 1e-9)
    durations = [motion.duration for motion in motions[:-1]]
    assert np.diff(begun) == pytest.approx(durations, abs=rig.period + 1e-9)
    assert {event.state.name for event in rig.story()} == {'WAITING', 'ACTIVE', 'REACHED'}


def as_planned(part):
    """Where the joints of a part are to be; commands lead by what motors give way."""
    ways = np.column_stack([part.joints[name] for name in part.motion.joints])
    rates = CubicSpline(part.motion.times, ways).derivative()(part.motion.times)
    return replace(part.motion, positions=ways, velocities=rates)


def check_planned(rig, motion, begin):
    """Hold the ways of all joints against the spline of where they are to be.

    Steps bring loads of their own: a motor may sag by the whole goal tolerance.
    """
    places = [rig.place(joint) for joint in motion.joints]
    spline = CubicHermiteSpline(motion.times, motion.positions, motion.velocities)
    tolerance = (rig.kind.rest + (rig.kind.sag > 0.0) * rig.limits.tolerance)[places]
    for moment in rig.trace:
        window = np.linspace(moment.now - 1e9 * rig.kind.lag, moment.now, 5)
        curve = spline(np.clip((window - begin) * 1e-9, 0.0, motion.duration))
        found = moment.truth[places]
        off = np.maximum(curve.min(axis=0) - found, found - curve.max(axis=0))
        assert (off <= tolerance).all(), ((moment.now - begin) * 1e-9, off)


def test_a_robot_that_stands_is_stopped_and_goes_on_standing(standing):
    """An emergency stop holds by default: under its weight no joint gives way."""
    rig = standing
    at = rig.commanded()
    rig.ask('emergency_stop')
    rig.run(0.6)
    assert rig.mode == 'EMERGENCY_STOP'
    rig.check_still(at, 0)
