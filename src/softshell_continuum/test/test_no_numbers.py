"""What is given in place of a number, or of numbers, is refused by name with what was expected."""

import numpy as np
import pytest

from softshell_continuum.calibration import actuation_moment, blocked_force, joint_stiffness
from softshell_continuum.fits import root
from softshell_continuum.inverse import tensions_for
from softshell_continuum.rod import Rod
from softshell_continuum.rod_form import rod_form
from softshell_continuum.statics import Load, Statics
from softshell_continuum.tendon import Tendon
from softshell_continuum.workspace import workspace
from softshell_kinematics.errors import OutOfRangeError, SoftshellError

ROD, PAIRS = Rod(0.2, 0.01, 1e6, 0.4e6, 1000.0), ((0.01, 0.0), (0.01, 0.0))
CHAIN = ROD.chain(2)
STATICS = Statics(CHAIN, [Tendon('t', (0.0, 0.2), PAIRS), Tendon('k', (0.0, 0.2), PAIRS, 0, 9)])
along = Tendon.along


@pytest.mark.parametrize(
    ('call', 'said'),
    [
        (lambda: Rod('0.2', 0.01, 1e6, 1e6), "length of a rod is '0.2'; expected a number"),
        (lambda: Rod(0.2, 0.01, 1e6, 1e6, None), 'density of a rod is None; expected a number'),
        (lambda: rod_form('r', ROD, 2, '1'), "damping of a rod is '1'; expected a number"),
        (lambda: ROD.chain('5'), "links of a rod is '5'; expected a number"),
        (lambda: ROD.chain(True), 'links of a rod is True; expected a whole number'),
        (lambda: CHAIN.station('0.1'), "arc length is '0.1'; expected a number"),
        (lambda: CHAIN.frames('a'), "positions: 'a' is no array of numbers"),
        (lambda: CHAIN.frames(np.zeros(8), 'a'), "base: 'a' is no array of numbers"),
        (lambda: Tendon('t', ('a', 'b'), PAIRS), r"arc lengths \['a', 'b'\] .*; expected numbers"),
        (lambda: Tendon('t', 0.1, PAIRS), "tendon 't': 0 arc lengths and 2 offsets; expected"),
        (lambda: Tendon('t', (0, 1), ((0, 1), (0, [1]))), r"offsets .*\[1\].*; expected numbers"),
        (lambda: along('t', 'a', 0.01), "tendon 't': arc lengths: 'a' is no array of numbers"),
        (lambda: along('t', [0, 0.1], '1'), "tendon 't': radius is '1'; expected a number"),
        (lambda: along('t', [0, 0.1], 0.01, friction='x'), "'t': friction is 'x'; expected a num"),
        (lambda: along('t', [0, 0.1], 0.01, friction=np.ones(2)), r'friction is array\(\['),
        (lambda: Statics(CHAIN, masses=[(0.1, 'x')]), 'masses: .* is no array of numbers'),
        (lambda: Statics(CHAIN, masses=[0.1]), r'masses have shape \(1,\); expected \(n, 2\)'),
        (lambda: STATICS.solve({'t': 'a'}), "tension of tendon 't' is 'a'; expected a number"),
        (lambda: STATICS.solve({1: 1.0}), "unknown tendon '1'; known: k, t"),
        (lambda: STATICS.solve([[1.0], [1.0, 2.0]]), 'tensions: .* is no array of numbers'),
        (lambda: STATICS.solve(lengths={'k': None}), "length of tendon 'k' is None; expected"),
        (lambda: STATICS.solve(lengths=[0.1, 0.1]), r'lengths are \[0.1, 0.1\]; expected them by'),
        (lambda: STATICS.solve(start='a'), "start: 'a' is no array of numbers"),
        (lambda: STATICS.solve(efforts='a'), "efforts: 'a' is no array of numbers"),
        (lambda: STATICS.solve(loads=[(0.1, [0, 0, 1])]), r'a load is \(0.1, .*; expected Load\('),
        (lambda: STATICS.solve(loads=Load(0.1, [0, 0, 1])), 'loads are Load.*; expected a list'),
        (lambda: STATICS.solve(loads=[Load('a', [0, 0, 1])]), "arc length is 'a'; expected a num"),
        (lambda: tensions_for(STATICS, ['a', 0, 0]), 'target: .* is no array of numbers'),
        (lambda: tensions_for(STATICS, np.zeros(3), 'a'), "largest tension is 'a'; expected"),
        (lambda: workspace(STATICS, ['a', [1.0]]), "tensions of tendon 't': 'a' is no array"),
        (lambda: workspace(STATICS, 1.0), 'tensions of 0 tendons; expected 2, one row each'),
        (lambda: STATICS.solve().backbone(['a']), r"arc lengths: \['a'\] is no array of numbers"),
        (lambda: joint_stiffness('a', 0.1, 5), "tip stiffness is 'a'; expected a number"),
        (lambda: joint_stiffness(1.0, 0.1, '10'), "number of joints is '10'; expected a number"),
        (lambda: joint_stiffness(1.0, 0.1, True), 'joints is True; expected a whole number'),
        (lambda: joint_stiffness(1.0, 0.1, 5, which=3), 'joints that bend are 3; expected places'),
        (lambda: actuation_moment('1', 0.1, 5), "blocked force is '1'; expected a number"),
        (lambda: blocked_force('1', 1.0, 0.1, 5), "moment is '1'; expected a number"),
        (lambda: root(float, 1.0, ('a', 'b')), 'from a to b; expected finite numbers above 0'),
        (lambda: root(float, 1.0, 5.0), 'from 5.0; expected finite numbers above 0, two of them'),
        (lambda: root(float, '1', (1, 2)), "the measured value is '1'; expected a number"),
        (lambda: root(lambda e: None, 1.0, (1, 2), 'E'), 'of the model for E 1 is None; expected'),
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_by_name(call, said):
    """Scalars, arrays, and what has to be a list or a mapping of them."""
    with pytest.raises(SoftshellError, match=said):
        call()


@pytest.mark.parametrize('links', [2.5, float('nan'), float('inf'), 0, -1])
def test_links_of_a_rod_are_counted(links):
    """Between two numbers, or below 1, there is none; 10.0 is one."""
    with pytest.raises(OutOfRangeError, match=f'links of a rod is {links}; expected'):
        ROD.chain(links)
    assert len(ROD.chain(10.0)) == len(ROD.chain(10))
    assert rod_form('rod', ROD, 10.0) == rod_form('rod', ROD, 10)


def test_numbers_of_numpy_are_numbers():
    """Also those in an array without axes."""
    rod = Rod(np.array(0.2), np.float32(0.01), np.int64(10**6), 0.4e6, 1000.0)
    statics = Statics(rod.chain(np.int64(2)), [Tendon.along('t', [0, 0.2], np.array(0.01))])
    expected = Statics(CHAIN, [Tendon('t', (0.0, 0.2), PAIRS)])
    found = statics.solve({'t': np.array(0.5)}).tip
    assert found == pytest.approx(expected.solve({'t': 0.5}).tip, rel=1e-6)
