"""Joints are commanded ahead of where they should be, by what the load makes them give way."""

from dataclasses import replace

import numpy as np
import pytest

from softshell_actions.planning.draft import PlanError
from softshell_actions.rehearsal import Rehearsal
from softshell_actions.robot import body_of
from softshell_actions.trajectories.joint_limits import peak
from softshell_actions.trajectories.leading import FADE, MOST, Leading, Spring
from softshell_actions.trajectories.pacing import joint_limits_of
from softshell_description.load import load_robot


@pytest.fixture(scope='module')
def shell():
    return load_robot('shell')


def first_part(robot, action, **given):
    """The first sub-action of an action of a robot that stands."""
    return next(iter(Rehearsal(robot, robot.legs.stand).perform(action, given)))


def commanded(part, joint):
    """(points,) commands of a joint."""
    return part.motion.positions[:, part.motion.joints.index(joint)]


def test_a_standing_leg_leads_by_its_share_of_the_weight(shell):
    """A sixth of it at rest, on the arm of the foot over the hip; it leads downwards."""
    part = first_part(shell, 'lower', amount=0.0)
    foot_over_hip = 0.1  # [m] between the axis of the pitch and the foot, in the pose
    sixth = shell.urdf.mass * 9.81 / 6.0 * foot_over_hip
    kp = {joint.name: joint.gains.kp for joint in shell.joints}
    for leg in shell.legs.chains:
        name = f'{leg}_pitch'
        lead = commanded(part, name)[0] - part.joints[name][0]
        # The weight of the leg itself takes a part of that torque away.
        assert 0.3 * sixth < lead * kp[name] < sixth


@pytest.mark.parametrize(('action', 'given'), [('walk', {'distance': 0.1}), ('lower', {})])
def test_it_does_not_matter_how_the_axis_of_a_mimic_points(shell, action, given):
    """Turned round, with a multiplier of -1, it is the same robot, and is commanded the same."""
    joints = (
        replace(joint, axis=-joint.axis, mimic=replace(joint.mimic, multiplier=-1.0))
        if joint.mimic
        else joint
        for joint in shell.urdf.joints
    )
    mimics = tuple(replace(mimic, multiplier=-1.0) for mimic in shell.mimics)
    turned = replace(shell, mimics=mimics, urdf=replace(shell.urdf, joints=tuple(joints)))
    ours, theirs = (
        list(Rehearsal(robot, shell.legs.stand).perform(action, given))
        for robot in (shell, turned)
    )
    assert len(theirs) == len(ours)
    for one, other in zip(theirs, ours, strict=True):
        assert one.motion.positions == pytest.approx(other.motion.positions, abs=1e-6)


def test_a_lead_that_was_there_goes_over_to_the_new_one(shell):
    """No jump at the start; after `FADE` nothing of it is left."""
    rehearsal = Rehearsal(shell, shell.legs.stand)
    name = 'lower_2_knee'
    rehearsal.state = replace(rehearsal.state, lead={name: 0.05})
    part = next(iter(rehearsal.perform('lower', {'duration': 1.0})))
    plain = first_part(shell, 'lower', duration=1.0)
    lead = commanded(part, name) - part.joints[name]
    assert lead[0] == pytest.approx(0.05)
    later = part.plan.times > FADE
    assert commanded(part, name)[later] == pytest.approx(commanded(plain, name)[later], abs=1e-9)
    assert rehearsal.state.lead[name] == pytest.approx(lead[-1])


def test_what_carries_nothing_known_does_not_lead():
    """An arm without legs is commanded where it should be."""
    arm = load_robot('arm')
    part = next(iter(Rehearsal(arm).perform('reach')))
    for name, path in part.joints.items():
        assert commanded(part, name) == pytest.approx(path, abs=0.0)
    assert Leading(arm, {}).commanded(part.plan, part.joints) == dict(part.joints)


def test_a_spring_gives_way_by_torque_over_stiffness():
    """Mechanisms share their motor's stiffness; a stop holds; no lead is absurd."""
    spring = Spring(10.0, -1.0, 0.0, {'a': 1.0, 'b': -2.0})
    torques = {'a': np.array([1.0]), 'b': np.array([-2.0])}
    assert spring.lead(torques) == pytest.approx([(1.0 + 4.0) / (10.0 * 5.0)])
    assert spring.lead({'a': np.array([1e3]), 'b': np.zeros(1)}) == pytest.approx([MOST])
    one = np.array([1.0])
    assert spring.gives_way('a', one, -0.5 * one, 0.0) == pytest.approx([-0.1])
    assert spring.gives_way('b', one, -0.5 * one, 0.0) == pytest.approx([0.05])
    assert spring.gives_way('a', -one, 0.0 * one, 0.0) == pytest.approx([0.0]), (
        'the stop at 0 holds it'
    )


@pytest.mark.parametrize('given', [{'step': 0.05, 'period': 0.25}, {'step': 0.08}])
def test_no_walk_is_faster_than_its_joints_may_be(shell, given):
    """What asks for more is slowed down, or refused by the joint, the value and the limit."""
    limits = joint_limits_of(shell)
    rehearsal = Rehearsal(shell, shell.legs.stand)
    parts = list(rehearsal.perform('walk', {'distance': 0.25, **given}))
    worst = max((peak(part.motion, limits) for part in parts), key=lambda found: found.slowdown)
    assert worst.slowdown <= 1.0 + 1e-6
    asked = given.get('period', 0.5)
    if worst.slowdown < 0.95:
        assert [part.motion.duration for part in parts] == pytest.approx([asked] * len(parts))
    strict = body_of(shell).pacing(refuses=True, velocity_scale=0.3)
    with pytest.raises(PlanError, match=r'stride: lower_\d_\w+: (speed|acceleration) is .* at'):
        strict.too_fast(parts[0].call, parts[0].motion, 0)


def test_load_passes_as_slowly_as_the_limit_of_acceleration_asks(shell):
    """The legs swing with 92 rad/s^2; at a limit of 100 the leads add nothing beyond it."""
    part = list(Rehearsal(shell, shell.legs.stand).perform('walk', {'distance': 0.2}))[1]
    usual, gentle = (
        body_of(shell).pacing(acceleration=limit).motion(part.plan, part.joints)[0]
        for limit in (150.0, 100.0)
    )
    limits = joint_limits_of(shell, acceleration=100.0)
    assert peak(usual, limits).slowdown > 1.1
    assert peak(gentle, limits).slowdown <= 1.0


@pytest.mark.parametrize('acceleration', [20.0, 60.0])
def test_legs_take_the_weight_from_the_belly_gradually(shell, acceleration):
    """A slow robot rises as fast: no joint jumps where its feet begin to carry."""
    rehearsal = Rehearsal(shell)
    pacing = body_of(shell).pacing(velocity_scale=0.5, acceleration=acceleration)
    limits = joint_limits_of(shell, velocity_scale=0.5, acceleration=acceleration)
    rise = next(part for part in rehearsal.perform('stand') if part.call.name == 'rise')
    motion, _ = pacing.motion(rise.plan, rise.joints)
    assert motion.duration == pytest.approx(1.2)
    assert peak(motion, limits).slowdown <= 1.0
