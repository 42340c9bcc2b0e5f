"""Soft manipulators in engines: where they come to rest, and that the order of calls is free."""

import numpy as np
import pytest

from softshell_continuum.files import from_data
from softshell_continuum.forms import AssemblyForm, ManipulatorForm
from softshell_continuum.statics import Statics
from softshell_continuum.tendon import Tendon
from softshell_kinematics.errors import SoftshellError, UnknownNameError
from softshell_kinematics.transforms import rotation_about, shift, transform
from softshell_sim.soft.body import SoftBody

LINK = {'shape': 'capsule', 'dimensions': [0.01, 0.006], 'mass': 0.0015}
ABOUT_X = {'axis': [1.0, 0.0, 0.0], 'stiffness': 0.1, 'damping': 0.003}
ABOUT_Y = {'axis': [0.0, 1.0, 0.0], 'stiffness': 0.2, 'damping': 0.006}
FINGER = {
    'name': 'finger',
    'actuators': [
        {
            'length': 0.08, 'n_segments': 8, 'link': LINK, 'joints': [ABOUT_X, ABOUT_Y],
            'arrangement': 'together',
        },
        {'length': 0.04, 'n_segments': 4, 'link': LINK, 'joints': [ABOUT_X]},
    ],
}  # fmt: skip
TENDONS = [
    Tendon.along('pull', np.linspace(0.0, 0.12, 13), 0.006, -np.pi / 2),
    Tendon.along('turn', np.linspace(0.0, 0.08, 9), 0.006, 0.5, 12.0, friction=0.1),
]


def settled(soft, seconds=2.0):
    """The body after some time."""
    for _ in range(round(seconds / soft.engine.time_step)):
        soft.apply()
        soft.engine.step()
    soft.read()
    return soft


def test_a_pulled_finger_comes_to_rest_where_statics_say(start):
    """By two tendons, one of them helical and with friction; hanging askew, under its weight."""
    pose = shift(0.1, 0.2, 0.5) @ transform(rotation_about((0.6, 0.8, 0.0), 2.5))
    form = from_data(ManipulatorForm, FINGER)
    soft = SoftBody(start().engine, form, pose, tendons={'finger': TENDONS})
    soft.pull('finger', [3.0, 2.0])
    settled(soft)
    chain = soft.members['finger'].chain
    rest = Statics(chain, TENDONS, gravity=(0.0, 0.0, -9.81), base=pose).solve([3.0, 2.0])
    assert rest.converged
    assert np.abs(soft.position).sum() > 1.0
    assert soft.position == pytest.approx(rest.positions, abs=2e-3)
    assert soft.tip('finger') == pytest.approx(rest.tip_pose, abs=1e-3)
    arcs = np.linspace(0.0, 0.12, 7)
    for found, expected in zip(soft.backbone('finger', arcs), rest.backbone(arcs), strict=True):
        assert found == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize('self_collision', [False, True])
def test_moments_bend_it_to_arcs(start, self_collision):
    """Without gravity: curvature is moment by stiffness and spacing, in each actuator its own.

    Neighbours do not hinder each other, whose round ends overlap, also beyond joints of two axes.
    """
    form = from_data(ManipulatorForm, FINGER)
    soft = SoftBody(start(gravity=0.0).engine, form, self_collision=self_collision)
    soft.bend('finger', [0.01, 0.0])
    soft.bend('finger', 0.02, actuator=1)
    settled(soft)
    arcs, turns = soft.curvature('finger')
    assert arcs == pytest.approx(0.005 + 0.01 * np.arange(12))
    assert turns[:8, 0] == pytest.approx(0.01 / 0.1 / 0.01, rel=1e-3)
    assert turns[8:, 0] == pytest.approx(0.02 / 0.1 / 0.01, rel=1e-3)
    assert turns[:, 1:] == pytest.approx(0.0, abs=1e-3)


def test_an_arc_has_one_curvature_whatever_its_links(start):
    """Joints on an arc turn by its curvature times the height of a link, in each actuator."""
    heights, counts, bend = [0.01, 0.05, 0.02, 0.03], [10, 2, 1, 1], 2.0
    actuators = [
        {
            'length': height * count, 'n_segments': count, 'joints': [ABOUT_X],
            'link': {'shape': 'cylinder', 'dimensions': [height, 0.005], 'mass': 0.001},
        }
        for height, count in zip(heights, counts, strict=True)
    ]  # fmt: skip
    form = from_data(ManipulatorForm, {'name': 'rod', 'actuators': actuators})
    soft = SoftBody(start(gravity=0.0).engine, form)
    soft.engine.place_joints(soft.body, bend * np.repeat(heights, counts))
    arcs, turns = soft.curvature('rod')
    ends = np.cumsum(np.repeat(heights, counts))
    assert arcs == pytest.approx(ends - 0.5 * np.repeat(heights, counts))
    assert turns == pytest.approx(np.tile([bend, 0.0, 0.0], (14, 1)), abs=1e-6)


def test_a_finger_does_not_pass_through_another(start):
    """One that is pressed against another bends it as well, unless self-collision is off."""
    pair = {
        'name': 'pair',
        'members': [
            {'name': 'one', 'manipulator': FINGER, 'pose': [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]},
            {'name': 'other', 'manipulator': FINGER, 'pose': [0.0, 0.02, 0.0, 0.0, 0.0, 0.0]},
        ],
    }
    turned = []
    for self_collision in (False, True):
        engine = start(gravity=0.0).engine
        soft = SoftBody(engine, from_data(AssemblyForm, pair), self_collision=self_collision)
        soft.bend('one', [-0.03, 0.0])
        settled(soft, 0.5)
        turned.append(soft.tip('other')[1, 3] - 0.02)
    assert turned[0] == pytest.approx(0.0, abs=1e-6)
    assert turned[1] > 0.005


def test_the_order_of_calls_does_not_count(start):
    """Two fingers, driven in this order and that: the same to the bit."""
    pair = {
        'name': 'pair',
        'members': [
            {'name': 'left', 'manipulator': FINGER, 'pose': [-0.05, 0, 0.3, 0, 0.2, 0]},
            {'name': 'right', 'manipulator': FINGER, 'pose': [0.05, 0, 0.3, 0, -0.2, 0]},
        ],
    }
    ways = []
    for turn in (1, -1):
        soft = SoftBody(start().engine, from_data(AssemblyForm, pair), tendons={'right': TENDONS})
        calls = [
            lambda soft=soft: soft.bend('left', [0.02, -0.01]),
            lambda soft=soft: soft.pull('right', [2.0, 1.0]),
            lambda soft=soft: soft.bend('right', 0.01, actuator=1),
        ]
        for call in calls[::turn]:
            call()
        ways.append(settled(soft, 0.3).position.copy())
        assert soft.tip('left')[0, 3] < 0.0 < soft.tip('right')[0, 3]
    assert (ways[0] == ways[1]).all()


def test_what_it_does_not_have_is_named(start):
    soft = SoftBody(start().engine, from_data(ManipulatorForm, FINGER))
    with pytest.raises(UnknownNameError, match="manipulator 'fingers'; did you mean finger"):
        soft.bend('fingers', 1.0)
    with pytest.raises(SoftshellError, match='has 2 axes in actuator 0; got 1 moments'):
        soft.bend('finger', 1.0)
    with pytest.raises(SoftshellError, match='no actuator 2; expected 0 to 1'):
        soft.bend('finger', 1.0, actuator=2)
    with pytest.raises(
        SoftshellError, match=r'tensions of finger are \[1\.0\] N; expected 0 numb'
    ):
        soft.pull('finger', [1.0])
    with pytest.raises(UnknownNameError, match="manipulator 'thumb'"):
        SoftBody(start().engine, from_data(ManipulatorForm, FINGER), tendons={'thumb': TENDONS})


@pytest.mark.parametrize(
    ('tendons', 'problem'),
    [
        ([TENDONS[0], TENDONS[0]], "2 tendons are named 'pull'"),
        ([Tendon.along('far', [0.0, 0.2], 0.006)], 'arc length is 0.2'),
    ],
)
def test_a_body_whose_tendons_are_refused_leaves_nothing(start, tendons, problem):
    """With other tendons it can be made at once."""
    engine, form = start().engine, from_data(ManipulatorForm, FINGER)
    with pytest.raises(SoftshellError, match=problem):
        SoftBody(engine, form, tendons={'finger': tendons})
    assert not engine.bodies
    SoftBody(engine, form, tendons={'finger': TENDONS})


def test_tendons_of_one_name_keep_their_lengths_apart(start):
    """By the names of their manipulators; a name that only one has stays as it is."""
    fingers = [{'name': name, 'manipulator': FINGER} for name in ('left', 'right')]
    form = from_data(AssemblyForm, {'name': 'two', 'members': fingers})
    soft = SoftBody(start().engine, form, tendons={'left': TENDONS[:1], 'right': TENDONS})
    soft.pull('left', [2.0])
    settled(soft, 0.2)
    lengths = soft.lengths()
    assert lengths.keys() == {'left.pull', 'right.pull', 'turn'}
    for name, number in (('left', 0), ('right', 0), ('right', 1)):
        member = soft.members[name]
        taken, _ = member.routes.taken(soft.position[member.columns])
        key = 'turn' if number else f'{name}.pull'
        assert lengths[key] == pytest.approx(taken[number], abs=1e-12)
    assert lengths['left.pull'] < lengths['right.pull'] - 1e-3


def test_a_body_that_was_removed_says_so(start):
    """By its name, whatever is asked of it; another of this name does not stand in for it."""
    engine, form = start().engine, from_data(ManipulatorForm, FINGER)
    soft = SoftBody(engine, form, tendons={'finger': TENDONS})
    engine.remove(soft.body)
    for again in (False, True):
        if again:
            SoftBody(engine, form)
        for ask in (soft.apply, soft.read, soft.lengths, lambda: soft.tip('finger')):
            with pytest.raises(UnknownNameError, match="unknown body 'finger'"):
                ask()
        with pytest.raises(UnknownNameError, match="unknown body 'finger'"):
            _ = soft.origin
