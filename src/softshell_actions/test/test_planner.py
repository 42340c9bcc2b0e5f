"""Plans: where feet, base and joints go during a sub-action."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softshell_actions.curves import footprint
from softshell_actions.language.gait import Gait
from softshell_actions.language.grammar import GaitMove, SubAction, TipMove, TravelMove
from softshell_actions.performing.call import Call
from softshell_actions.performing.walking import stride_call, within_limits
from softshell_actions.planning.draft import PlanError
from softshell_actions.planning.planner import Planner
from softshell_actions.planning.rolling import RollingFeet

sys.path.insert(0, str(Path(__file__).parent))
from planner_rig import (
    FACTS,
    FEET,
    LIBRARY,
    PLANNER,
    POSES,
    STANCE,
    VOCABULARY,
    forward,
    standing,
)
from six_legs import ARMS, LEGS, OWN


def travel_of(plan, state) -> np.ndarray:
    """(points, 3) x, y, yaw of the footprint in the footprint at the start."""
    duration = plan.times[-1]
    return footprint.ramp(state.velocity, plan.end.velocity, duration, len(plan.times))


def feet_on_ground(plan, state) -> np.ndarray:
    """(points, legs, 3) feet in the footprint at the start, from a plan's goals in the base."""
    travel = travel_of(plan, state)
    base = Rotation.from_euler('z', travel[:, 2:])
    offset = np.column_stack([travel[:, :2], np.zeros(len(plan.times))])
    position = base.apply(state.base_origin) + offset
    rotation = base * state.base_rotation
    return np.stack([rotation.apply(plan.limbs[leg][:, :3]) + position for leg in LEGS], axis=1)


VELOCITIES = [(0.18, 0, 0), (0, -0.1, 0), (0, 0, 0.6), (0.12, 0.05, -0.4)]


@pytest.mark.parametrize('velocity', VELOCITIES)
def test_feet_in_stance_stay_where_they_are_on_the_ground(velocity):
    """However the base travels, and tilted as it may be, three feet do not move by 1e-12 m."""
    state = standing(base_rotation=Rotation.from_euler('ZYX', [0.0, 0.1, -0.05]))
    plan = PLANNER.plan(stride_call(LIBRARY, 'tripod', np.array(velocity)), state)
    feet = feet_on_ground(plan, state)
    assert np.abs(feet[:, [1, 3, 5]] - FEET[[1, 3, 5]]).max() < 1e-12


@pytest.mark.parametrize('velocity', VELOCITIES)
def test_stepping_feet_leave_and_land_at_rest_and_rise_to_the_height(velocity):
    """Over the ground a stepping foot starts and ends with zero velocity and rises by `height`."""
    state = standing()
    call = stride_call(LIBRARY, 'tripod', np.array(velocity))
    feet = feet_on_ground(PLANNER.plan(call, state), state)[:, [0, 2, 4]]
    # The top is half-way, between two samples.
    assert feet[..., 2].max() == pytest.approx(call.values['height'], rel=4e-3)
    assert np.abs(feet[[0, -1], :, 2]).max() < 1e-12
    # At rest the first difference is of second order: it falls fourfold when samples are halved.
    assert np.abs(feet[1] - feet[0]).max() < 0.25 * np.abs(feet[5] - feet[4]).max()


@pytest.mark.parametrize('velocity', VELOCITIES)
def test_walking_ends_with_all_feet_at_rest_after_the_commanded_travel(velocity):
    """n strides at v and one to halt travel n v T and leave every foot where it stood."""
    state, travelled = standing(), np.eye(3)
    calls = [stride_call(LIBRARY, 'tripod', np.array(velocity))] * 5
    calls.append(stride_call(LIBRARY, 'tripod', np.zeros(3)))
    for call in calls:
        plan = PLANNER.plan(call, state)
        x, y, yaw = travel_of(plan, state)[-1]
        step = [[np.cos(yaw), -np.sin(yaw), x], [np.sin(yaw), np.cos(yaw), y], [0, 0, 1]]
        travelled, state = travelled @ step, plan.end
    assert np.abs(state.feet - FEET).max() < 1e-12
    assert not state.velocity.any()
    yaw = math.atan2(travelled[1, 0], travelled[0, 0])
    assert yaw == pytest.approx(5 * 0.5 * velocity[2], abs=1e-12)
    if velocity[2] == 0:
        assert travelled[:2, 2] == pytest.approx(2.5 * np.array(velocity[:2]), abs=1e-12)


def test_goals_are_continuous_in_position_and_velocity_from_stride_to_stride():
    """Where one stride ends the next begins, as fast: no foot jumps or jerks in base_link."""
    state, call = standing(), stride_call(LIBRARY, 'tripod', np.array([0.15, 0.03, 0.3]))
    first = PLANNER.plan(call, state)
    second = PLANNER.plan(call, first.end)
    step = first.times[1]
    for leg in LEGS:
        a, b = first.limbs[leg][:, :3], second.limbs[leg][:, :3]
        assert np.abs(a[-1] - b[0]).max() < 1e-12
        # One-sided second-order differences.
        leaving = (3 * a[-1] - 4 * a[-2] + a[-3]) / (2 * step)
        entering = (-3 * b[0] + 4 * b[1] - b[2]) / (2 * step)
        assert np.abs(leaving - entering).max() < 0.02


def test_tripods_take_turns():
    """The leg set that steps alternates from stride to stride."""
    call = stride_call(LIBRARY, 'tripod', np.array([0.1, 0.0, 0.0]))
    first = PLANNER.plan(call, standing())
    lifted = [
        leg
        for leg in LEGS
        if np.ptp(feet_on_ground(first, standing())[:, LEGS.index(leg), 2]) > 0.01
    ]
    assert lifted == ['lower_0', 'lower_2', 'lower_4']
    second = PLANNER.plan(call, first.end)
    feet = feet_on_ground(second, first.end)
    assert [leg for k, leg in enumerate(LEGS) if np.ptp(feet[:, k, 2]) > 0.01] == [
        'lower_1',
        'lower_3',
        'lower_5',
    ]


def test_a_relative_base_move_adds_to_the_pose_and_keeps_what_it_does_not_name():
    """Raising by d lifts base_link by d; neither tilt nor feet change."""
    state = standing(base_rotation=Rotation.from_euler('ZYX', [0.0, 0.0, 0.1]))
    (call,) = LIBRARY.call('raise', {'amount': 0.03})
    plan = PLANNER.plan(call, state)
    assert plan.end.base_position == pytest.approx([0.0, 0.0, 0.23], abs=1e-15)
    assert (plan.end.base_rotation.inv() * state.base_rotation).magnitude() < 1e-9
    assert np.abs(plan.end.feet - FEET).max() < 1e-12


def test_a_stance_is_left_alone_by_moves_of_other_groups():
    """Where nothing carries the legs they get no goals."""
    call = Call(
        SubAction(name='wave', duration=1.0, moves=[{'group': 'upper', 'pose': 'idle'}]), {}
    )
    plan = PLANNER.plan(call, standing())
    assert not plan.limbs
    assert set(plan.joints) == {joint for arm in ARMS for joint in OWN[arm]}
    assert all(path[0] == 0.0 and path[-1] == -0.3 for path in plan.joints.values())


def test_a_joint_that_legs_share_takes_their_feet_along():
    """The fold of three legs goes down by 0.1 rad: their feet go with it, and carry no more."""

    def folding(joints):
        tips = forward(joints)
        for leg in LEGS[::2]:
            tips[leg][2, 3] += 0.1 * joints['fold']
        return tips

    planner = Planner(
        STANCE, LIBRARY.gaits, VOCABULARY, POSES, folding, FACTS, RollingFeet({}, {})
    )
    fold = {'group': 'fold', 'joints': [{'fold': -0.1}]}
    plan = planner.plan(Call(SubAction(name='fold', duration=1.0, moves=[fold]), {}), standing())
    assert not plan.limbs
    expected = FEET + np.outer([1, 0, 1, 0, 1, 0], [0.0, 0.0, -0.01])
    assert plan.end.feet == pytest.approx(expected)
    assert plan.standing.burdened[-1] == pytest.approx([0.0, 1.0, 0.0, 1.0, 0.0, 1.0])


def test_coordinates_that_no_point_names_are_free():
    """A tip's goal holds numbers for what the points name and NaN for the rest."""
    move = TipMove(group='upper', chains=['upper_2'], points=[{'x': 0.12, 'z': 0.18}])
    plan = PLANNER.plan(Call(SubAction(name='reach', duration=1.0, moves=[move]), {}), standing())
    free = np.isnan(plan.limbs['upper_2']).all(axis=0)
    assert free.tolist() == [False, True, False, True, True, True]
    assert plan.limbs['upper_2'][-1, [0, 2]] == pytest.approx([0.12, 0.18])


def test_two_moves_of_one_limb_are_refused():
    """The error names the limb that two moves claim."""
    moves = [{'group': 'upper', 'pose': 'idle'}, {'group': 'upper', 'pose': 'stand'}]
    call = Call(SubAction(name='both', duration=1.0, moves=moves), {})
    with pytest.raises(PlanError, match='both: two moves claim upper '):
        PLANNER.plan(call, standing())


def test_a_velocity_beyond_the_limits_keeps_its_direction():
    """It is scaled down as a whole until every axis fits."""
    stride = LIBRARY.action('stride')
    slowed = within_limits(np.array([1.0, -0.5, 0.2]), stride)
    assert slowed == pytest.approx(np.array([1.0, -0.5, 0.2]) * 0.35)
    slow = np.array([0.1, 0.0, 0.5])
    assert within_limits(slow, stride) == pytest.approx(slow)


@pytest.mark.parametrize('size', [1.0, 3.7, 1e9, 1e308, 1.7e308])
@pytest.mark.parametrize(
    ('direction', 'fastest'),
    [
        ((1.0, 0.0, 0.0), (0.35, 0.0, 0.0)),
        ((-1.0, 0.5, 0.0), (-0.35, 0.175, 0.0)),
        ((0.25, 0.0, -1.0), (0.175, 0.0, -0.7)),
    ],
)
def test_a_huge_velocity_is_the_fastest_in_its_direction(size, direction, fastest):
    """Also where its share of the limits is too large a number; no axis is beyond its range."""
    slowed = within_limits(np.array(direction) * size, LIBRARY.action('stride'))
    assert slowed == pytest.approx(fastest)
    assert np.all(np.abs(slowed) <= [0.35, 0.35, 0.7])
    call = stride_call(LIBRARY, 'tripod', np.array(direction) * size)
    assert call.velocity == pytest.approx(fastest)


def test_a_velocity_fits_a_range_that_is_not_the_same_both_ways():
    """Backwards the lower end counts; along an axis without a range there is no velocity."""
    stride = LIBRARY.action('stride')
    x, y = stride.parameters['x'], stride.parameters['y']
    parameters = {
        **stride.parameters,
        'x': x.model_copy(update={'minimum': -0.05}),
        'y': y.model_copy(update={'minimum': 0.0, 'maximum': 0.0}),
    }
    stride = stride.model_copy(update={'parameters': parameters})
    assert within_limits(np.array([-0.1, 0.3, 0.2]), stride) == pytest.approx([-0.05, 0.0, 0.1])
    assert within_limits(np.array([0.1, -0.3, 0.2]), stride) == pytest.approx([0.1, 0.0, 0.2])
    assert within_limits(np.zeros(3), stride) == pytest.approx([0.0, 0.0, 0.0])


def test_whether_the_robot_lies_or_is_scattered_decides_what_applies():
    """`gather` is for feet off their places, `place feet` for a robot on its belly."""
    *_, place, rise, gather, _ = LIBRARY.call('stand')
    lying = standing(base_position=np.array([0.0, 0.0, 0.07]))
    scattered = standing(feet=FEET + [0.02, 0.0, 0.0])
    assert [PLANNER.applies(call, lying) for call in (place, gather, rise)] == [True, False, True]
    assert [PLANNER.applies(c, standing()) for c in (place, gather, rise)] == [False, False, True]
    assert [PLANNER.applies(c, scattered) for c in (place, gather, rise)] == [False, True, True]


def gait_of(phases, duty, sway=0.0) -> Gait:
    legs = {leg: {'phase': phase, 'duty': duty} for leg, phase in zip(LEGS, phases, strict=True)}
    return Gait(name='other', description='d', legs=legs, sway=sway, stride='stride')


def walk_by(gait, velocity, parts, cycle=1.2, height=0.02):
    """Plans of a walk: so many parts at a velocity, then one to halt, then landing."""
    planner = Planner(
        STANCE, {'other': gait}, VOCABULARY, POSES, forward, FACTS, RollingFeet({}, {})
    )
    state, plans = standing(), []

    def go(velocity, lift=True):
        x, y, yaw = velocity
        moves = [
            TravelMove(velocity={'x': x, 'y': y, 'yaw': yaw}),
            GaitMove(gait='other', cycle=cycle, height=height, slant=0.2, lift=lift),
        ]
        plan = planner.plan(
            Call(SubAction(name='go', moves=moves), {}), plans[-1][1].end if plans else state
        )
        plans.append((plans[-1][1].end if plans else state, plan))

    for _ in range(parts):
        go(velocity)
    go((0.0, 0.0, 0.0))
    while plans[-1][1].end.swings:
        go((0.0, 0.0, 0.0), lift=False)
    return plans


RIPPLE = gait_of([k / 6 for k in (0, 3, 1, 4, 2, 5)], duty=2 / 3)
WAVE = gait_of([k / 6 for k in range(6)], duty=5 / 6)


@pytest.mark.parametrize(('gait', 'parts'), [(RIPPLE, 13), (WAVE, 12)])
@pytest.mark.parametrize('velocity', [(0.05, 0.0, 0.0), (0.03, -0.02, 0.1)])
def test_feet_never_slip_whatever_the_gait(gait, parts, velocity):
    """In any gait a foot is on the ground and still, or moves through the air; swings may overlap.

    On the ground means within 1e-12 m; from one part to the next no foot jumps or jerks.
    """
    before = None
    for state, plan in walk_by(gait, velocity, parts):
        feet = feet_on_ground(plan, state)
        low = feet[..., 2] < 1e-9
        moved = np.abs(np.diff(feet, axis=0)).max(axis=2)
        assert moved[low[1:] & low[:-1]].max(initial=0.0) < 1e-9
        assert feet[..., 2].min() > -1e-12
        if before is not None:
            last = before.limbs['lower_0'][-1, :3]
            assert np.abs(plan.limbs['lower_0'][0, :3] - last).max() < 1e-12
        before = plan
    assert before.end.at_rest


def test_ripple_has_feet_in_the_air_from_part_to_part():
    """With a duty of 2/3 and phases a sixth apart every foot swings for two parts of the cycle."""
    plans = walk_by(RIPPLE, (0.05, 0.0, 0.0), 12)
    in_the_air = [len(plan.end.swings) for _, plan in plans[2:12]]
    assert set(in_the_air) == {1}
    # A foot in mid-swing is as high as it was lifted.
    heights = [state.feet[:, 2].max() for state, _ in plans[2:12]]
    assert heights == pytest.approx([0.02] * 10, rel=1e-6)


def test_the_base_sways_over_the_feet_that_stay():
    """With sway 1 the base is over the middle of the standing feet when the others lift."""
    phases = [0.125 + 0.25 * (k % 4) for k in range(6)]
    gait = gait_of(phases, duty=0.875, sway=1.0)
    for state, plan in walk_by(gait, (0.02, 0.0, 0.0), 16, cycle=4.0):
        feet = feet_on_ground(plan, state)
        lifts = feet[..., 2].max(axis=0) > 0.01
        if lifts.any():
            middle = feet[0, ~lifts, :2].mean(axis=0)
            assert state.base_origin[:2] == pytest.approx(middle, abs=1e-12)


def test_sway_ends_with_the_gait():
    """A sub-action without a gait brings the base back, its feet where they are."""
    state = standing(sway=np.array([0.02, -0.01]))
    (call,) = LIBRARY.call('raise', {'amount': 0.0})
    plan = PLANNER.plan(call, state)
    assert plan.end.sway == pytest.approx([0.0, 0.0])
    assert np.abs(plan.end.feet - FEET).max() < 1e-12
    assert plan.limbs['lower_0'][0, :2] == pytest.approx(FEET[0, :2] - [0.02, -0.01])
