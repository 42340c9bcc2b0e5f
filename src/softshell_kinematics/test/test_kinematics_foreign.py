"""URDFs of others: loose joints, mimics of mimics, links without inertia."""

import numpy as np
import pytest

from softshell_kinematics import ParallelMechanism, chain_from_urdf, parse_urdf, solve_ik
from softshell_kinematics.errors import OutOfRangeError, SoftshellError, UnknownNameError
from softshell_kinematics.examples import ARM7, GANTRY
from softshell_kinematics.model.from_urdf import chains_to_leaves, leaves_apart, leaves_refused
from softshell_kinematics.transforms import coordinates_from_pose

LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="2"/>'
#: Two arms: one on a body that floats in the world, and one in the world.
TWO = f"""
<robot name="two">
  <link name="world"/> <link name="body"/> <link name="hand"/> <link name="post"/>
  <link name="finger"/> <link name="eye"/>
  <joint name="swim" type="floating"><parent link="world"/><child link="body"/>
    <origin xyz="0 0 1"/></joint>
  <joint name="arm" type="revolute"><parent link="body"/><child link="hand"/>
    <origin xyz="0.2 0 0"/><axis xyz="0 0 1"/>{LIMIT}</joint>
  <joint name="stand" type="revolute"><parent link="world"/><child link="post"/>
    <axis xyz="0 1 0"/>{LIMIT}</joint>
  <joint name="grip" type="prismatic"><parent link="post"/><child link="finger"/>
    <axis xyz="1 0 0"/>{LIMIT}</joint>
  <joint name="glass" type="fixed"><parent link="body"/><child link="eye"/></joint>
</robot>
"""


def fingers(*mimics):
    """A finger of joints a, b, c ..., each a turn about z after 1 m along x, and what they mimic.

    Args:
        mimics: of each joint its `<mimic>` and its limits, or ''.
    """
    names = 'abcdef'[: len(mimics)]
    parts = ['<link name="palm"/>', *(f'<link name="after_{name}"/>' for name in names)]
    before = 'palm'
    for name, mimic in zip(names, mimics, strict=True):
        limit = '' if '<limit' in mimic else LIMIT
        parts.append(
            f'<joint name="{name}" type="revolute"><parent link="{before}"/>'
            f'<child link="after_{name}"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>'
            f'{mimic}{limit}</joint>'
        )
        before = f'after_{name}'
    return f'<robot name="fingers">{"".join(parts)}</robot>'


def mimic(joint, multiplier=1.0, offset=0.0):
    return f'<mimic joint="{joint}" multiplier="{multiplier}" offset="{offset}"/>'


@pytest.mark.parametrize('kind', ['floating', 'planar'])
@pytest.mark.parametrize(('base', 'tip'), [('world', 'hand'), ('eye', 'finger')])
def test_only_a_chain_across_a_loose_joint_is_refused(kind, base, tip):
    """Up or down across it: the message names joint, type, what is expected and a way out."""
    robot = parse_urdf(TWO.replace('"floating"', f'"{kind}"'))
    with pytest.raises(SoftshellError) as caught:
        chain_from_urdf(robot, base, tip)
    assert str(caught.value) == (
        f"joint 'swim' between '{base}' and '{tip}' is {kind}; expected revolute, continuous, "
        'prismatic, fixed; no chain crosses such a joint, but one may start at its child link '
        "'body'"
    )


def test_chains_beside_a_loose_joint_are_as_without_it():
    """On either side, forward kinematics is that of the robot whose body is bolted on."""
    bolted = TWO.replace('type="floating"', 'type="fixed"')
    for base, tip in (('eye', 'hand'), ('world', 'finger'), ('finger', 'world')):
        chain, expected = (chain_from_urdf(text, base, tip) for text in (TWO, bolted))
        q = expected.random(5, np.random.default_rng(3))
        assert chain.variables == expected.variables
        assert np.array_equal(chain.forward(q), expected.forward(q))


def test_without_a_base_each_leaf_is_served_from_its_own_side():
    """What floats starts at the child of its joint; with a base the other side is left out."""
    chains = chains_to_leaves(TWO)
    assert {name: chain.base for name, chain in chains.items()} == {
        'hand': 'body', 'finger': 'world',
    }  # fmt: skip
    robot = parse_urdf(TWO)
    assert list(chains_to_leaves(TWO, 'world')) == ['finger']
    assert leaves_apart(robot, 'world') == ('hand', 'eye')
    assert list(chains_to_leaves(TWO, 'eye')) == ['hand']
    assert leaves_apart(robot, 'eye') == ('finger',)
    assert leaves_apart(robot, '') == leaves_apart(parse_urdf(ARM7), 'hand') == ()
    with pytest.raises(UnknownNameError, match="unknown link 'nose'"):
        chains_to_leaves(TWO, 'nose')


@pytest.mark.parametrize('order', [1, -1])
def test_a_mimic_of_a_mimic_follows_the_joint_at_the_end(order):
    """c = 2 b + 0.1 and b = -0.5 a + 0.2, so c = -a + 0.5, whatever the order in the file."""
    text = fingers('', mimic('a', -0.5, 0.2), mimic('b', 2.0, 0.1))
    head, *joints = text.removesuffix('</robot>').split('<joint')
    text = '<joint'.join([head, *joints[::order]]) + '</robot>'
    chain = chain_from_urdf(text, 'palm', 'after_c')
    assert chain.variables == ('a',)
    for a in (-0.4, 0.0, 0.3):
        b = -0.5 * a + 0.2
        c = 2.0 * b + 0.1
        turns = np.cumsum([0.0, a, b])
        pose = chain.forward([a])
        assert pose[:2, 3] == pytest.approx([np.cos(turns).sum(), np.sin(turns).sum()])
        assert np.arctan2(pose[1, 0], pose[0, 0]) == pytest.approx(a + b + c)


def test_what_is_skipped_still_limits():
    """A chain of a and c alone keeps to the range and speed of b, which c mimics."""
    slow = '<limit lower="-0.1" upper="0.2" effort="1" velocity="0.5"/>'
    wide = '<limit lower="-9" upper="9" effort="1" velocity="9"/>'
    text = fingers(wide, mimic('a', 0.5) + slow, mimic('b', -4.0, 0.1) + wide)
    joint = parse_urdf(text).joint('c')
    assert (joint.mimic.joint, joint.mimic.multiplier) == ('a', -2.0)
    assert joint.mimic.offset == pytest.approx(0.1)
    assert (joint.lower, joint.upper) == pytest.approx((-0.7, 0.5))
    assert joint.velocity == pytest.approx(2.0)
    alone = chain_from_urdf(text, 'after_b', 'after_c')
    assert (alone.lower[0], alone.upper[0]) == pytest.approx((-0.2, 0.4))
    assert alone.velocity[0] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ('mimics', 'problems'),
    [
        ((mimic('a'),), {'a': "mimics 'a'; expected a joint at the end that mimics none"}),
        (
            (mimic('b'), mimic('a'), mimic('b')),
            {
                'a': "mimics 'b', which mimics 'a'; expected a joint at the end that mimics none",
                'b': "mimics 'a', which mimics 'b'; expected a joint at the end that mimics none",
                'c': "mimics 'b', which cannot follow what it mimics itself",
            },
        ),
        (
            ('', mimic('z'), mimic('b')),
            {
                'b': "mimics unknown 'z'",
                'c': "mimics 'b', which cannot follow what it mimics itself",
            },
        ),
        (
            (
                '',
                mimic('a', 1.0, 0.0) + '<limit lower="0.5" upper="0.6" effort="1" velocity="1"/>',
                mimic('b', 1.0, 5.0),
            ),
            {
                'c': 'has no position at which it and all joints that it mimics are within their '
                'limits; expected one or more'
            },
        ),
        (
            (
                '',
                mimic('a') + '<limit lower="2" upper="3" effort="1" velocity="1"/>',
                mimic('b', 0.0),
            ),
            {
                'b': 'has no position at which it and all joints that it mimics are within their '
                'limits; expected one or more',
                'c': "mimics 'b', which cannot follow what it mimics itself",
            },
        ),
    ],
)
def test_mimics_that_lead_nowhere_cost_only_what_depends_on_them(mimics, problems):
    """Each joint says what is wrong with it; no chain leads across it, and all others work."""
    robot = parse_urdf(fingers(*mimics))
    assert {joint.name: joint.problem for joint in robot.joints if joint.problem} == problems
    for name, problem in problems.items():
        joint = robot.joint(name)
        with pytest.raises(SoftshellError, match=rf'{name}.*{problem[:12]}.*{joint.child}'):
            chain_from_urdf(robot, joint.parent, joint.child)
    for joint in robot.joints:
        if not joint.problem:
            assert len(chain_from_urdf(robot, joint.parent, joint.child)) == 1


def test_a_dangling_mimic_on_a_branch_leaves_the_other_branches():
    """An arm with a gripper whose one finger mimics what is not there: the rest has its chains."""
    text = fingers('', '').replace(
        '</robot>',
        '<link name="x"/><joint name="lost" type="revolute"><parent link="palm"/>'
        f'<child link="x"/><axis xyz="0 0 1"/>{mimic("gone")}{LIMIT}</joint></robot>',
    )
    robot = parse_urdf(text)
    chains = chains_to_leaves(robot)
    assert [len(chain) for chain in chains.values()] == [2]
    assert robot.joint('lost').problem == "mimics unknown 'gone'"


#: Joints that no chain can be made of, each with what is said about it.
HOPELESS = {
    '<limit lower="0" upper="0" effort="100" velocity="-1"/>': 'velocity is -1.0; expected 0 or',
    '<limit lower="-1e10" upper="1e10" effort="1" velocity="1"/>': 'reach is 10000000000.0; exp',
}


@pytest.mark.parametrize('limit', HOPELESS)
def test_a_chain_that_cannot_be_made_costs_its_own_leaf_alone(limit):
    """All other leaves have theirs, and the reason is told for the one that has none."""
    text = TWO.replace(f'<axis xyz="1 0 0"/>{LIMIT}', f'<axis xyz="1 0 0"/>{limit}')
    robot = parse_urdf(text)
    assert list(chains_to_leaves(robot)) == ['hand']
    ((leaf, why),) = leaves_refused(robot, '').items()
    assert leaf == 'finger'
    assert HOPELESS[limit] in why
    assert leaves_refused(robot, 'eye') == {}
    with pytest.raises(SoftshellError, match=HOPELESS[limit]):
        chains_to_leaves(robot, robot.path('world', 'finger')[-1].parent)


@pytest.mark.parametrize('kind', ['fixed', 'floating', 'planar'])
def test_what_has_no_single_position_cannot_be_mimicked(kind):
    """A joint without a coordinate, or with several, is no leader, by its type."""
    text = fingers('', mimic('a')).replace('name="a" type="revolute"', f'name="a" type="{kind}"')
    assert parse_urdf(text).joint('b').problem == (
        f"mimics 'a', which is {kind}; expected a revolute, continuous or prismatic joint"
    )


@pytest.mark.parametrize('kind', ['fixed', 'floating', 'planar'])
def test_a_mimic_without_a_single_position_means_nothing(kind):
    """The tag is legal there, and says nothing that a chain could do."""
    text = fingers('', mimic('a')).replace('name="b" type="revolute"', f'name="b" type="{kind}"')
    assert parse_urdf(text).joint('b').mimic is None


@pytest.mark.parametrize('follows', [(0.3, 0.5), (0.1, 1.0), (0.7, 0.2), (-0.3, 0.5)])
def test_a_limit_that_comes_back_rounded_is_still_that_limit(follows):
    """Through a joint that follows, 0.3 may become 0.29999999999999993: it can be held there."""
    wide = '<limit lower="-9" upper="9" effort="1" velocity="9"/>'
    limit = '<limit lower="{}" upper="0.3" effort="1" velocity="9"/>'
    text = fingers(limit.format(-0.3), mimic('a', *follows) + wide)
    chain = chain_from_urdf(text, 'after_a', 'after_b')
    for end in (-0.3, 0.3):
        goal = coordinates_from_pose(chain.forward([end]))
        result = solve_ik(chain, goal, {'a': end}, locked=['a'])
        together = ParallelMechanism([chain]).solve([[goal]], {'a': end}, locked=['a'])
        for q, converged in ((result.q, result.converged), (together.q[0], together.converged)):
            assert converged.all()
            assert q[0] == pytest.approx(end, abs=1e-12)
            assert chain.lower[0] <= q[0] <= chain.upper[0]
    with pytest.raises(OutOfRangeError, match=r'is held, and its seed is 0\.30001'):
        solve_ik(chain, goal, {'a': 0.30001}, locked=['a'])
    pinned = fingers(limit.format(0.3), mimic('a', *follows) + wide)
    parts = [('palm', 'after_b'), ('palm', 'after_a'), ('after_a', 'after_b')]
    chains = [chain_from_urdf(pinned, *ends) for ends in parts]
    for each in (chains[0], ParallelMechanism(chains)):
        assert each.lower[0] == pytest.approx(0.3, abs=1e-12)
        assert each.lower[0] <= each.upper[0]


def test_a_mimic_with_a_multiplier_of_0_stands_still():
    """At its offset, turned or shifted; the limits of what else moves hold, either way round."""
    still = mimic('a', 0.0, 0.4)
    robot = parse_urdf(fingers('', still, ''))
    bent = fingers('', '', '').replace('name="b" type="revolute"', 'name="b" type="fixed"')
    bent = bent.replace(
        '<child link="after_b"/><origin xyz="1 0 0"/>',
        '<child link="after_b"/><origin xyz="1 0 0" rpy="0 0 0.4"/>',
    )
    for ends in (('palm', 'after_c'), ('after_c', 'palm'), ('after_a', 'after_c')):
        chain, expected = chain_from_urdf(robot, *ends), chain_from_urdf(bent, *ends)
        assert chain.variables == expected.variables
        np.testing.assert_array_equal(chain.upper, expected.upper)
        q = expected.random(3, np.random.default_rng(0))
        np.testing.assert_allclose(chain.forward(q), expected.forward(q), atol=1e-15)
    assert robot.independent_joints('after_a', 'after_c') == ('c',)
    slide = fingers('', still, '')
    slide = slide.replace('name="b" type="revolute"', 'name="b" type="prismatic"')
    chain = chain_from_urdf(slide, 'after_a', 'after_c')
    np.testing.assert_allclose(chain.forward([0.0])[:3, 3], (2.0, 0.0, 0.4))
    assert parse_urdf(fingers('', mimic('a', 0.0, 1.5))).joint('b').problem == (
        "mimics 'a' with a multiplier of 0, so that it stands at 1.5; expected an offset within "
        '-1 to 1'
    )
    assert parse_urdf(fingers('', mimic('a', 0.0, 1.00001))).joint('b').problem == ''
    for base, leaves in (('palm', ['after_b']), ('after_a', [])):  # a leaf behind it is no tip
        assert list(chains_to_leaves(fingers('', still), base)) == leaves
        assert leaves_refused(parse_urdf(fingers('', still)), base) == {}


@pytest.mark.parametrize('pinned', [False, True])
def test_limits_that_miss_each_other_by_rounding_meet_at_that_of_the_leader(pinned):
    """1.5708 is above π/2: alone, with its leader, and through another joint."""
    low = f'<limit lower="1.5708" upper="{1.5708 if pinned else 3}" effort="1" velocity="9"/>'
    lead = f'<limit lower="-1" upper="{np.pi / 2}" effort="1" velocity="9"/>'
    robot = parse_urdf(fingers(lead, mimic('a') + low, mimic('b', 1.0, 0.0) + low))
    ends = [('after_a', 'after_b'), ('after_b', 'after_c'), ('palm', 'after_c')]
    chains = [chain_from_urdf(robot, *each) for each in ends]
    for each in (*chains, ParallelMechanism(chains)):
        assert each.lower[0] == each.upper[0] == np.pi / 2


def test_a_default_namespace_changes_nothing():
    """As Drake's models have one; what is no robot is still refused."""
    named = TWO.replace('<robot', '<robot xmlns="http://drake.mit.edu"')
    assert parse_urdf(named).joint('arm').upper == 1.0
    chain, expected = (chain_from_urdf(each, 'world', 'finger') for each in (named, TWO))
    assert np.array_equal(chain.forward([0.3, 0.4]), expected.forward([0.3, 0.4]))
    with pytest.raises(SoftshellError, match='sdf>; expected <robot>'):
        parse_urdf('<sdf xmlns="http://drake.mit.edu"/>')


@pytest.mark.parametrize(
    ('inertial', 'mass', 'centre'),
    [
        ('<mass value="2"/>', 2.0, (0.0, 0.0, 0.0)),
        ('<origin xyz="0.1 0.2 0.3"/><mass value="2"/>', 2.0, (0.1, 0.2, 0.3)),
        ('<origin xyz="0.1 0.2 0.3"/>', 0.0, (0.1, 0.2, 0.3)),
    ],
)
def test_a_link_may_lack_what_only_a_simulation_needs(inertial, mass, centre):
    """Mass and centre are as written, the rest is 0, and chains are the same."""
    text = GANTRY.replace(
        '<link name="tool"/>', f'<link name="tool"><inertial>{inertial}</inertial></link>'
    )
    link = parse_urdf(text).link('tool')
    assert link.mass == mass
    assert tuple(link.com) == centre
    assert not link.inertia.any()
    q = np.full(4, 0.1)
    chain, expected = (chain_from_urdf(each, 'floor', 'tool') for each in (text, GANTRY))
    assert np.array_equal(chain.forward(q), expected.forward(q))


def test_a_variable_has_the_unit_of_its_own_joint():
    """A slide [m] that a turn follows, off its chain and on it; the turn's range is narrowed."""
    text = fingers('', mimic('a')).replace('name="a" type="revolute"', 'name="a" type="prismatic"')
    robot = parse_urdf(text)
    for base in ('palm', 'after_a'):
        ranges = chain_from_urdf(robot, base, 'after_b').ranges
        assert ranges.units == ('m',)
        assert (ranges.lower[0], ranges.upper[0]) == (-1.0, 1.0)


def test_a_slide_may_follow_a_turn_that_is_off_its_chain():
    """As in a rack and pinion: the variable is the turn, in rad, also where it moves no link."""
    text = fingers('', mimic('a')).replace('name="b" type="revolute"', 'name="b" type="prismatic"')
    ranges = chain_from_urdf(parse_urdf(text), 'after_a', 'after_b').ranges
    assert ranges.units == ('rad',)
