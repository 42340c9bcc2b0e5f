"""The tips of several chains in one call."""

import numpy as np
import pytest

from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.examples import lower_leg
from softshell_kinematics.loops.tip_shifts import TipShifts
from softshell_kinematics.loops.tips import Tips

LEG = lower_leg()
NAMES = ('other', *reversed(LEG.variables))


def place(joints):
    """Rotations, positions and what is known of two equal chains."""
    rotations, positions, known = np.zeros((2, 3, 3)), np.zeros((2, 3)), np.zeros(2, dtype=bool)
    Tips([LEG, LEG], NAMES).forward(joints, rotations, positions, known)
    return rotations, positions, known


def test_tips_are_where_each_chain_has_its_own():
    """Whatever the order of the joints' names."""
    for q in LEG.random(20, np.random.default_rng(2)):
        rotations, positions, known = place(np.array([9.9, *reversed(q)]))
        pose = LEG.forward(q)
        assert known.all()
        assert np.allclose(rotations, pose[:3, :3], atol=1e-14)
        assert np.allclose(positions, pose[:3, 3], atol=1e-14)


@pytest.mark.parametrize('wrong', [np.nan, np.inf, 1e12])
def test_a_tip_of_an_unknown_joint_is_not_written(wrong):
    """Nothing is raised: a control loop goes on without it."""
    rotations, positions, known = place(np.array([0.0, wrong, *([0.1] * (len(LEG) - 1))]))
    assert not known.any()
    assert not rotations.any()
    assert not positions.any()


def test_a_joint_that_is_not_in_the_vector_is_named():
    """When the tips are made, not later."""
    with pytest.raises(UnknownNameError, match=LEG.variables[0]):
        Tips([LEG], ('other',))


def test_arrays_of_another_shape_are_refused():
    """A kernel would read and write beyond their ends."""
    rotations, positions, known = np.zeros((1, 3, 3)), np.zeros((1, 3)), np.zeros(1, dtype=bool)
    tips = Tips([LEG], NAMES)
    with pytest.raises(SoftshellError, match=r'^joints has shape \(2,\); expected \(\d,\)$'):
        tips.forward(np.zeros(2), rotations, positions, known)
    with pytest.raises(SoftshellError, match=r'^positions has shape \(2, 3\); expected \(1, 3\)$'):
        tips.forward(np.zeros(len(NAMES)), rotations, np.zeros((2, 3)), known)


@pytest.mark.parametrize(
    ('moved', 'lower', 'error', 'said'),
    [
        ('q2', np.zeros(2), SoftshellError, r'^lower has shape \(2,\); expected \(5,\)$'),
        ('q2', 0.0, SoftshellError, r'^lower has shape \(\); expected \(5,\)$'),
        ('knee', np.zeros(5), UnknownNameError, "unknown joint 'knee'"),
    ],
)
def test_shifts_refuse_what_their_kernel_cannot_use(moved, lower, error, said):
    """Limits of another shape, and joints that nobody has."""
    with pytest.raises(error, match=said):
        TipShifts([LEG], NAMES, [[moved]], lower, np.ones(5))


def test_shifts_take_limits_of_any_type_of_number():
    """They are numbers of one type in the kernel, which would else be compiled again."""
    answers = []
    for make in (np.float32, np.float64, int):
        shifts = TipShifts([LEG], NAMES, [LEG.variables], np.full(5, -1, make), np.ones(5, make))
        corrections, reached = np.zeros(5), np.zeros((1, 3))
        shifts.solve(np.full(5, 0.1), np.full((1, 3), 0.01), corrections, reached)
        assert shifts._limits.dtype == np.float64
        answers.append(corrections.tobytes())
    assert len(set(answers)) == 1
