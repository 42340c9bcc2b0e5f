"""Numbers that are not finite, of a wrong shape or out of range are refused by name."""

import numpy as np
import pytest

from softshell_continuum.calibration import actuation_moment, blocked_force, joint_stiffness
from softshell_continuum.files import from_data
from softshell_continuum.forms import DiscForm, ManipulatorForm
from softshell_continuum.recordings import stiffness_by_deflections
from softshell_continuum.rod import Rod
from softshell_continuum.rod_form import rod_form
from softshell_continuum.statics import Load, Statics
from softshell_continuum.tendon import Tendon
from softshell_kinematics.errors import OutOfRangeError, ProblemsError, SoftshellError

CHAIN = Rod(0.25, 0.011, 16.6e6, 7.2e6, 997.7).chain(5)
DISC = DiscForm(at=0.3, link={'shape': 'sphere', 'dimensions': [0.01], 'mass': 0.001})


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        ({'gravity': 9.81}, r'gravity has shape \(\); expected \(3,\)'),
        ({'gravity': [0.0, 0.0]}, r'gravity has shape \(2,\)'),
        ({'base': 2.0 * np.eye(4)}, 'base'),
        ({'base': np.eye(3)}, r'base has shape \(3, 3\); expected \(4, 4\)'),
        ({'masses': [(0.1, -1.0)]}, 'the mass at 0.1 m is -1.0 kg; expected 0 or more'),
    ],
)
def test_numbers_of_a_chain_are_refused_by_name(given, said):
    """Gravity, base and masses."""
    with pytest.raises(SoftshellError, match=said):
        Statics(CHAIN, **given)


@pytest.mark.parametrize('base', [np.eye(3), np.eye(2), np.zeros((1, 1)), np.zeros(16)])
def test_frames_are_those_on_a_pose_alone(base):
    """A base of another shape has none of its own: it is refused with its shape."""
    with pytest.raises(SoftshellError, match=r'base has shape \(.*\); expected \(4, 4\)'):
        CHAIN.frames(np.zeros(len(CHAIN)), base)


def test_forces_of_another_shape_are_refused():
    """At the tip, and anywhere on the backbone."""
    statics = Statics(CHAIN)
    with pytest.raises(SoftshellError, match=r'tip_force has shape \(\); expected \(3,\)'):
        statics.solve(tip_force=1.0)
    with pytest.raises(SoftshellError, match=r'force has shape \(2,\)'):
        statics.solve(loads=[Load(0.1, [0.0, 1.0])])


@pytest.mark.parametrize('offsets', [((0.0, 1.0, 2.0), (0.0, 1.0)), (0.0, 1.0)])
def test_offsets_of_a_tendon_that_are_no_pairs_are_refused(offsets):
    """Three numbers of an eye, and one."""
    with pytest.raises(
        SoftshellError, match=r"tendon 't' has offsets .*; expected a pair \(x, y\)"
    ):
        Tendon('t', (0.0, 0.1), offsets)


def test_numbers_of_a_calibration_are_refused_by_name():
    """Formulas, numbers of joints, forces and stiffness; and recordings with a wrong sign."""
    with pytest.raises(SoftshellError, match='formula'):
        joint_stiffness(6.0, 0.1, 5, 'foo')
    assert joint_stiffness(6.0, 0.1, 5, 'reference') > joint_stiffness(6.0, 0.1, 5)
    with pytest.raises(SoftshellError, match='whole number'):
        joint_stiffness(6.0, 0.1, 2.5)
    with pytest.raises(SoftshellError, match='blocked force'):
        actuation_moment(float('nan'), 0.1, 5)
    with pytest.raises(SoftshellError, match='stiffness is -1'):
        blocked_force(1.0, -1.0, 0.1, 5)
    with pytest.raises(SoftshellError, match='falls by'):
        stiffness_by_deflections([0.0, 0.01, 0.02], [0.0, -1.0, -2.0], 0.1, 5)


def test_one_wrong_entry_is_one_problem():
    """A list with an entry that does not fit is not called too short besides."""
    link = {'shape': 'box', 'dimensions': [0.01, 0.01, 0.01], 'mass': -1.0}
    joint = {'axis': [1, 0, 0], 'stiffness': 0.1}
    actuator = {'length': 0.08, 'n_segments': 8, 'link': link, 'joints': [joint]}
    with pytest.raises(ProblemsError) as caught:
        from_data(ManipulatorForm, {'name': 'finger', 'actuators': [actuator]})
    assert len(caught.value.problems) == 1
    with pytest.raises(ProblemsError, match='actuators'):
        from_data(ManipulatorForm, {'name': 'finger', 'actuators': []})


def test_a_rod_without_links_is_no_manipulator():
    """As it is no chain."""
    with pytest.raises(OutOfRangeError, match='links of a rod is 0; expected 1 or more'):
        rod_form('rod', Rod(0.2, 0.01, 1e6, 1e6, 1e3), links=0)


@pytest.mark.parametrize(
    ('given', 'error', 'said'),
    [
        ({'name': '1st'}, ProblemsError, "name: is '1st'; expected a text"),
        ({'links': 2000}, ProblemsError, 'n_segments: is 2000; expected at most 1000'),
        ({'links': 2.5}, OutOfRangeError, 'links of a rod is 2.5; expected a whole number'),
        ({'discs': [DISC]}, ProblemsError, 'a disc is at 0.3 m; expected 0 to 0.2 m'),
        ({'damping': -1.0}, OutOfRangeError, 'damping of a rod is -1.0; expected 0 or more'),
        ({'damping': float('nan')}, OutOfRangeError, 'damping of a rod is nan; expected 0 or'),
    ],
)
def test_what_makes_no_manipulator_of_a_rod_is_one_error(given, error, said):
    """Its name, its links, a disc beyond its end, and its damping."""
    with pytest.raises(error, match=said) as caught:
        rod_form(**{'name': 'rod', 'rod': Rod(0.2, 0.01, 1e6, 1e6, 1e3), **given})
    assert len(getattr(caught.value, 'problems', [said])) == 1
