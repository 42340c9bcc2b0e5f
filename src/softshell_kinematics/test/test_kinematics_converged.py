"""CONVERGED is true: whatever comes in, forward kinematics of the answer meets the goal."""

import dataclasses
import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from softshell_kinematics import (
    Coupling,
    IkOptions,
    Joint,
    JointKind,
    Limbs,
    ParallelMechanism,
    SerialChain,
    chain_from_urdf,
    solve_ik,
)
from softshell_kinematics.errors import SoftshellError
from softshell_kinematics.examples import GANTRY, arm7, lower_leg, puma, upper_leg
from softshell_kinematics.transforms import coordinates_from_pose, shift

NAN, INF = float('nan'), float('inf')


def coupled():
    """A variable that turns three joints, one of them fast, and one that slides and turns."""
    joints = (
        Joint('a', JointKind.REVOLUTE, coupling=Coupling('v', 2.0, 0.1)),
        Joint('b', JointKind.REVOLUTE, shift(0.4), coupling=Coupling('v', -1.0)),
        Joint('c', JointKind.REVOLUTE, shift(0.3), (0, 1, 0), coupling=Coupling('v', 30.0, 5.0)),
        Joint('d', JointKind.PRISMATIC, shift(0.1), (1, 0, 0), coupling=Coupling('w', 0.01)),
        Joint('e', JointKind.REVOLUTE, shift(0.1), coupling=Coupling('w')),
    )
    return SerialChain('coupled', joints, shift(0.2))


def rail():
    """A slide and a turntable without limits, and a joint with one limit."""
    joints = (
        Joint('slide', JointKind.PRISMATIC, axis=(1, 0, 0)),
        Joint('turn', JointKind.REVOLUTE, shift(0.2)),
        Joint('bend', JointKind.REVOLUTE, shift(0.2), (0, 1, 0), lower=0.5),
    )
    return SerialChain('rail', joints, shift(0.3))


def wrist():
    """Three axes that meet in the base: its reach is 0."""
    axes = np.eye(3)
    joints = tuple(Joint(f'q{i}', JointKind.REVOLUTE, axis=axis) for i, axis in enumerate(axes))
    return SerialChain('wrist', joints)


CHAINS = [
    lower_leg(), upper_leg(), puma(), arm7(), chain_from_urdf(GANTRY, 'floor', 'tool'), coupled(),
    rail(), wrist(),
]  # fmt: skip

special = st.sampled_from(
    [NAN, INF, -INF, 0.0, -0.0, 5e-324, 1e-12, np.pi, -np.pi, np.pi / 2, -np.pi / 2, 9999.9, 1e4,
     10000.1, -1e6, 1e9, 1e16, 1e20, -1e20, 1e100, 1.7e308, -1.7e308]
)  # fmt: skip
ordinary = st.floats(-4.0, 4.0)
anything = st.one_of(ordinary, ordinary, ordinary, ordinary, ordinary, special, st.floats())


@st.composite
def coordinates(draw, chain):
    """A goal: any numbers, or what some q meets, with some coordinates free or replaced."""
    if draw(st.booleans()):
        return draw(st.lists(anything, min_size=6, max_size=6))
    q = [draw(st.floats(-3.0, 3.0)) for _ in chain.variables]
    goal = coordinates_from_pose(independent_forward(chain, q)).tolist()
    for c in draw(st.sets(st.integers(0, 5), max_size=6)):
        goal[c] = draw(anything) if draw(st.booleans()) else NAN
    return goal


@st.composite
def problems(draw):
    """A chain, goals, a seed, options, locks and a posture."""
    chain = draw(st.sampled_from(CHAINS))
    goals = draw(st.lists(coordinates(chain), min_size=1, max_size=3))
    values = st.lists(anything, min_size=len(chain), max_size=len(chain))
    names = st.sampled_from(chain.variables)
    seed = draw(st.none() | values | st.dictionaries(names, anything))
    posture = draw(st.none() | st.dictionaries(names, ordinary))
    options = IkOptions(
        tolerance=draw(st.sampled_from([1e-12, 1e-8, 1e-3])),
        restarts=draw(st.sampled_from([0, 3])),
        warm_start=draw(st.booleans()),
        allow_jumps=draw(st.booleans()),
        time_step=draw(st.sampled_from([None, 1e-3, 1.0])),
        rotation_weight=draw(st.sampled_from([1.0, 0.01])),
    )
    return chain, goals, seed, options, draw(st.sets(names, max_size=2)), posture


def independent_forward(chain, q):
    """The pose (4, 4) of the tip: the product of the joints' transforms, by scipy's rotations."""
    values = dict(zip(chain.variables, q, strict=True))
    pose = np.eye(4)
    for joint in chain.joints:
        motion = np.eye(4)
        if joint.variable is not None:
            position = joint.multiplier * values[joint.variable] + joint.offset
            if joint.kind is JointKind.REVOLUTE:
                motion[:3, :3] = Rotation.from_rotvec(joint.axis * position).as_matrix()
            else:
                motion[:3, 3] = joint.axis * position
        pose = pose @ joint.origin @ motion
    return pose @ chain.tool


def least_turn(goal, rotation):
    """The smallest rotation [rad] to any with the goal's angles, the free ones as they please.

    Near pitch ±π/2 yaw and roll are one, so the free one makes up for what the other misses.
    """
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)
        here = Rotation.from_matrix(rotation).as_euler('ZYX')
    candidates = []
    # Any angles are one rotation with the two others turned by half and pitch mirrored.
    for angles in (goal, np.array([np.pi, np.pi, np.pi]) + goal * (1.0, -1.0, 1.0)):
        candidate = np.where(np.isnan(angles), here, angles)
        candidates.append(candidate)
        for free, other in ((2, 0), (0, 2)):
            if np.isnan(goal[free]):
                moved = candidate.copy()
                moved[free] += np.sign(here[1]) * (candidate[other] - here[other])
                candidates.append(moved)
    turns = Rotation.from_euler('ZYX', candidates) * Rotation.from_matrix(rotation).inv()
    return turns.magnitude().min()


def miss(chain, goal, q, options):
    """How far the tip is from a goal, weighted as the residual is."""
    goal, pose = np.array(goal), independent_forward(chain, q)
    distance = np.sqrt(np.nansum((goal[:3] - pose[:3, 3]) ** 2))
    angles = goal[3:]
    turn = 0.0 if np.isnan(angles).all() else least_turn(angles, pose[:3, :3])
    return np.hypot(options.position_weight * distance, options.rotation_weight * turn)


def assert_true(chain, goals, q, status, residual, options):
    """Answers are finite and within limits; those that converged meet their goals."""
    assert np.isfinite(q).all()
    assert np.all((q >= chain.lower) & (q <= chain.upper))
    assert np.isfinite(residual).all()
    for goal, values, state in zip(goals, q, status, strict=True):
        if state == 0:
            # Two angles miss by at most √2 of what they miss together.
            rounding = 1e-11 * (1.0 + chain.reach)
            assert miss(chain, goal, values, options) <= 1.5 * options.tolerance + rounding


def start_of(chain, seed):
    """(n,) where a search starts: at the seed, and at the middle for what that leaves out."""
    if isinstance(seed, dict):
        named = {**dict(zip(chain.variables, chain.middle(), strict=True)), **seed}
        return np.array([named[name] for name in chain.variables])
    return chain.middle() if seed is None else np.array(seed)


def is_usable(goals, farthest, start, largest):
    """Whether all numbers are within what is allowed, and no point has all coordinates free."""
    goals = np.array(goals)
    within = np.isnan(goals) | (np.abs(goals) <= farthest)
    empty = np.isnan(goals).reshape(len(goals), -1).all(axis=1)
    return within.all() and not empty.any() and np.all(np.abs(start) <= largest)


@pytest.mark.long
@settings(max_examples=400)
@given(problems())
@example((puma(), [[1e20] * 6], None, IkOptions(), (), None))
@example((puma(), [[0.3, 0.2, 0.5, 1e20, 1e20, 1e20]], None, IkOptions(), (), None))
@example((lower_leg(), [[1e100, 0.0, 0.0, NAN, NAN, NAN]], None, IkOptions(), (), None))
@example((rail(), [[0.1, 0.2, 0.0, NAN, NAN, 1e100]], [1e300, 1e17, 1.0], IkOptions(), (), None))
def test_converged_means_that_forward_kinematics_meets_the_goal(problem):
    """For any chain, goal, seed, posture, lock and option: a refusal by name, or the truth."""
    chain, goals, seed, options, locked, posture = problem
    start, held = start_of(chain, seed), [chain.index(name) for name in locked]
    below = start < chain.lower - 1e-9 * (1.0 + np.abs(chain.lower))
    above = start > chain.upper + 1e-9 * (1.0 + np.abs(chain.upper))
    numbers = is_usable(goals, chain.ranges.farthest, start, chain.ranges.largest)
    if not numbers or (below | above)[held].any():
        with pytest.raises(SoftshellError):
            solve_ik(chain, goals, seed, options, locked, posture)
        return
    result = solve_ik(chain, goals, seed, options, locked, posture)
    assert_true(chain, goals, result.q, result.status, result.residual, options)
    kept = np.clip(start, chain.lower, chain.upper)[held]
    assert np.all(result.q[:, held] == kept)


@st.composite
def shared_problems(draw):
    """Goals of two legs that share a variable, and a seed."""
    goals = draw(st.lists(st.tuples(*[coordinates(leg) for leg in LEGS]), min_size=1, max_size=2))
    return goals, draw(st.none() | st.lists(anything, min_size=7, max_size=7))


LEGS = [lower_leg(0), lower_leg(1)]


@settings(max_examples=100)
@given(shared_problems())
@example(([[[1e20] * 6, [0.2, 0.2, -0.2, 1e20, 1e20, 1e20]]], None))
def test_a_mechanism_that_converged_meets_the_goals_of_all_its_limbs(problem):
    """Each of its chains by itself, at the variables that they share."""
    goals, seed = problem
    mechanism, options = ParallelMechanism(LEGS), IkOptions()
    farthest = np.stack([leg.ranges.farthest for leg in LEGS])
    if not is_usable(goals, farthest, start_of(mechanism, seed), 1e4):
        with pytest.raises(SoftshellError):
            mechanism.solve(goals, seed, options)
        return
    result = mechanism.solve(goals, seed, options)
    for k, leg in enumerate(LEGS):
        q = mechanism.limb(result.q, k)
        assert_true(leg, [g[k] for g in goals], q, result.status, result.residual, options)


@pytest.mark.parametrize('make', [puma, arm7, lower_leg, coupled, rail, wrist])
def test_an_answer_never_turns_farther_than_a_number_may_be(make):
    """Far goals and joints without limits: every variable that comes out could be given again."""
    chain = make()
    goals = np.full((200, 6), np.nan)
    goals[:, :3] = np.random.default_rng(1).normal(0.0, 300.0 * max(chain.reach, 1e-3), (200, 3))
    result = Limbs([chain]).solve(goals[None], options=IkOptions(restarts=5))[0]
    chain.forward(result.q)
    assert not result.converged[np.linalg.norm(goals[:, :3], axis=1) > 2.0 * chain.reach].any()


@pytest.mark.parametrize(
    'options', [IkOptions(), IkOptions(restarts=0), IkOptions(warm_start=True, allow_jumps=True)]
)
def test_a_cost_that_is_no_number_is_never_convergence(monkeypatch, options):
    """The solvers themselves, without the checks before them: their answers stay finite too."""
    monkeypatch.setattr(
        'softshell_kinematics.model.mechanism.checked_coordinates', lambda *_: None
    )
    goals = np.array(
        [[1e20] * 6, [0.1, 0.2, 0.3, 1e200, 0.0, 0.0], [1e200, *[NAN] * 5], [INF] * 6]
    )
    chain = arm7()  # 0 is not within its limits
    unlimited = dataclasses.replace(chain.ranges, farthest=np.full(6, INF))
    object.__setattr__(chain, 'ranges', unlimited)
    result = solve_ik(chain, goals, options=options)
    assert not np.isfinite(result.residual).any()
    assert not result.converged.any()
    assert np.all((result.q >= chain.lower) & (result.q <= chain.upper))
    together = ParallelMechanism([chain]).solve(goals[:, None], options=options)
    assert not np.isfinite(together.residual).any()
    assert not together.converged.any()
    assert np.all((together.q >= chain.lower) & (together.q <= chain.upper))
