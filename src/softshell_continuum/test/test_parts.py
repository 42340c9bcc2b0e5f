"""One definition as URDF and as a chain: both are the same manipulator."""

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from definitions import FINGER, SOMO, STAR

from softshell_continuum import measured_rod
from softshell_continuum.elastic_chain import chain_of
from softshell_continuum.files import from_data
from softshell_continuum.forms import AssemblyForm, ManipulatorForm
from softshell_continuum.parts import parts_of_assembly, parts_of_manipulator
from softshell_continuum.somo import from_somo
from softshell_continuum.statics import Statics
from softshell_continuum.urdf import urdf
from softshell_kinematics.errors import ProblemsError, SoftshellError


def test_a_finger_has_its_length_its_masses_and_a_joint_at_each_half_step():
    """Straight along z; two axes at one place share it, but for their neutral axes."""
    form = from_data(ManipulatorForm, FINGER)
    parts = parts_of_manipulator(form)
    chain = chain_of(parts)
    assert chain.length == pytest.approx(form.length) == pytest.approx(0.15)
    assert len(chain) == 10 + 2 * 3 + 2
    between = 2.5 * 1e-3 * 0.003
    links = 0.003 * (10 + 3 + 2) + 0.02 + 0.001 + between
    assert sum(part.mass for part in parts) == pytest.approx(links)
    _, origins, axes = chain.frames(np.zeros(len(chain)))
    places = origins[1:, 2] - 0.01  # above the base
    expected = [*(0.005 + 0.01 * np.arange(10)), *np.repeat(0.105 + 0.01 * np.arange(3), 2)]
    assert places == pytest.approx([*expected, 0.135, 0.145])
    assert origins[1:, 1] == pytest.approx(np.where(axes[:, 0] > 0.5, 0.006, 0.0))
    place, along = chain.station(0.15)
    assert (place, *along) == (len(chain), 0.0, pytest.approx(-0.006), pytest.approx(0.005))


@pytest.mark.needs('pybullet')
@pytest.mark.parametrize('data', [FINGER, SOMO], ids=['ours', 'somo'])
def test_the_urdf_is_where_the_chain_is_in_bullets_eyes(tmp_path, data):
    """Every link, bent by chance; masses and centres too."""
    import pybullet

    path = tmp_path / 'somo.json'
    path.write_text(json.dumps(data))
    form = from_somo(path) if data is SOMO else from_data(ManipulatorForm, data)
    parts = parts_of_manipulator(form)
    chain = chain_of(parts)
    path = tmp_path / 'robot.urdf'
    path.write_text(urdf('robot', parts))
    client = pybullet.connect(pybullet.DIRECT)
    flags = pybullet.URDF_USE_INERTIA_FROM_FILE
    body = pybullet.loadURDF(str(path), useFixedBase=True, flags=flags, physicsClientId=client)
    q = np.random.default_rng(0).uniform(-0.3, 0.3, len(chain))
    numbers = [
        number
        for number in range(pybullet.getNumJoints(body, physicsClientId=client))
        if pybullet.getJointInfo(body, number, physicsClientId=client)[2]
        == pybullet.JOINT_REVOLUTE
    ]
    assert len(numbers) == len(chain)
    for number, value in zip(numbers, q, strict=True):
        pybullet.resetJointState(body, number, value, physicsClientId=client)
    turned, origins, _ = chain.frames(q)
    for place, number in enumerate(numbers):
        state = pybullet.getLinkState(
            body, number, computeForwardKinematics=True, physicsClientId=client
        )
        assert np.array(state[4]) == pytest.approx(origins[place + 1], abs=1e-6)
        axis = pybullet.getMatrixFromQuaternion(state[5])
        assert np.reshape(axis, (3, 3)) == pytest.approx(turned[place + 1], abs=1e-6)
    pybullet.disconnect(client)


def test_an_assembly_has_all_members_where_they_are_attached():
    """Five arms around a body; names tell whose they are."""
    parts = parts_of_assembly(from_data(AssemblyForm, STAR))
    names = [part.name for part in parts]
    assert len(set(names)) == len(names)
    assert [name for name in names if name.endswith('_tip_0')] == [
        f'arm_{k}_tip_0' for k in range(5)
    ]
    poses = {}
    for part in parts:
        poses[part.name] = poses.get(part.parent, np.eye(4)) @ part.pose
    for k in range(5):
        at = poses[f'arm_{k}_base'][:3, 3]
        assert at == pytest.approx([0.04 * np.cos(k), 0.04 * np.sin(k), 0.01])
    with pytest.raises(SoftshellError, match='begins a branch; expected one chain'):
        chain_of(parts)


@pytest.mark.parametrize(
    ('members', 'twice', 'of'),
    [(['base'], 'base', 'base'), (['a', 'a_base'], 'a_base', 'a_base'),
     (['a_0_root', 'a'], 'a_0_root', 'a')],
)  # fmt: skip
def test_a_member_that_repeats_the_name_of_a_body_is_refused(members, twice, of):
    """That of the assembly's origin, and that of a link of another member."""
    kinds = {True: {'manipulator': FINGER}, False: {'link': FINGER['base']}}
    rows = [{'name': name, **kinds[name == 'a']} for name in members]
    form = from_data(AssemblyForm, {'name': 'two', 'members': rows})
    said = f"two bodies of 'two' are named '{twice}', the second in member '{of}'; expected"
    with pytest.raises(SoftshellError, match=said):
        parts_of_assembly(form)


def test_a_chain_without_parts_is_refused():
    """As is one without joints."""
    with pytest.raises(SoftshellError, match='a chain without parts; expected one or more'):
        chain_of([])
    with pytest.raises(SoftshellError, match='a chain without joints; expected one or more'):
        chain_of(parts_of_manipulator(from_data(ManipulatorForm, FINGER))[:1])


def test_discs_hang_on_the_links_that_they_are_on():
    """Their middles are at their arc lengths, bent too; they weigh as masses there would."""
    random = np.random.default_rng(2)
    disc = {'shape': 'cylinder', 'dimensions': [0.002, 0.02], 'mass': 0.004}
    places = [0.0, 0.03, 0.034, 0.11, 0.15]
    plain = from_data(ManipulatorForm, FINGER)
    with_discs = from_data(
        ManipulatorForm, FINGER | {'discs': [{'at': at, 'link': disc} for at in places]}
    )
    parts = parts_of_manipulator(with_discs)
    chain, bare = chain_of(parts), chain_of(parts_of_manipulator(plain))
    q = random.uniform(-0.2, 0.2, len(chain))
    turned, origins, _ = chain.frames(q)
    frames = {part.name: k for k, part in enumerate(p for p in parts if p.joint is not None)}
    for at, part in zip(places, [p for p in parts if '_disc' in f'_{p.name}'], strict=True):
        link, point = bare.station(at)
        middle = (part.pose @ [*part.centre, 1.0])[:3]
        if part.parent in frames:
            assert link == frames[part.parent] + 1
            expected = origins[link] + turned[link] @ point
            assert origins[link] + turned[link] @ middle == pytest.approx(expected)
    masses = [(at, 0.004) for at in places]
    one = Statics(chain).solve(start=q)
    other = Statics(bare, masses=masses).solve(start=q)
    assert one.tip == pytest.approx(other.tip, abs=1e-9)
    assert one.energy != pytest.approx(Statics(bare).solve(start=q).energy, rel=0.01)
    with pytest.raises(ProblemsError, match=r'a disc is at 0\.16 m; expected 0 to 0\.15 m'):
        from_data(ManipulatorForm, FINGER | {'discs': [{'at': 0.16, 'link': disc}]})


def test_a_rod_as_a_manipulator_rests_where_the_rod_does():
    """All but its stretch: pulled by both tendons of the one that was measured."""
    form = measured_rod.measured_rod_form(25)
    chain = chain_of(parts_of_manipulator(form))
    masses = chain.masses.sum() + 0.5 * 0.01 * measured_rod.DENSITY * np.pi * 0.0055**2 + 0.002
    rod = measured_rod.DENSITY * np.pi * 0.0055**2 * 0.25
    assert masses == pytest.approx(rod + 6 * 0.002, rel=2e-3)  # what is between axes weighs 1e-3
    ours = Statics(chain, measured_rod.TENDONS, base=measured_rod.BASE)
    for trial in measured_rod.TRIALS:
        expected = measured_rod.measured_rod(links=25).solve(trial.tensions)
        shorter = trial.tensions.sum() / (measured_rod.YOUNG * np.pi * 0.0055**2) * 0.25
        off = np.linalg.norm(ours.solve(trial.tensions).tip - expected.tip)
        assert 0.0 < off < 2.0 * shorter < 0.003


@pytest.mark.parametrize(
    'pose', [[0, 0, 0, 0, 0.5, 0], [0, 0, 0, 0.3, 0, 0], [0.01, 0, 0, 0, 0, 0]]
)
def test_a_member_that_is_turned_on_another_makes_no_chain(pose):
    """Its backbone and eyes would be where it is not; in one line both are one chain."""
    bare = {key: value for key, value in FINGER.items() if key not in ('base', 'tips')}
    members = [
        {'name': 'lower', 'manipulator': bare},
        {'name': 'upper', 'manipulator': bare, 'parent': 'lower', 'pose': [0.0] * 6},
    ]
    straight = {'name': 'two', 'members': members}
    chain = chain_of(parts_of_assembly(from_data(AssemblyForm, straight)))
    assert chain.length == pytest.approx(2 * 0.15)
    members[1]['pose'] = pose
    bent = parts_of_assembly(from_data(AssemblyForm, straight))
    with pytest.raises(SoftshellError, match="body 'upper_0_root' is turned or moved against"):
        chain_of(bent)


def test_efforts_and_velocities_of_limits_are_those_of_the_urdf_alone():
    """However small they are, the chain is the same; its URDF has them."""
    joint, chains = FINGER['actuators'][0]['joints'][0], []
    for effort, velocity in ((100.0, 100.0), (1e-6, 1e-3)):
        limits = {'lower': -1.0, 'upper': 2.0, 'effort': effort, 'velocity': velocity}
        row = FINGER['actuators'][0] | {'joints': [joint | {'limits': limits}]}
        form = from_data(ManipulatorForm, FINGER | {'actuators': [row]})
        parts = parts_of_manipulator(form)
        written = ElementTree.fromstring(urdf('finger', parts)).findall('joint/limit')
        assert [(float(each.get('effort')), float(each.get('velocity'))) for each in written] == [
            (effort, velocity)
        ] * 10
        chains.append(chain_of(parts))
    for one, other in zip(*(chain.joints for chain in chains), strict=True):
        assert (one.lower, one.upper) == (other.lower, other.upper) == (-1.0, 2.0)
        assert str(one) == str(other)


def test_materials_of_one_name_keep_their_colours():
    """Each visual has the colour of its link, by whatever name; equal ones share it."""
    links = [
        {'shape': 'sphere', 'dimensions': [0.1], 'mass': 1.0,
         'material': {'name': 'skin', 'colour': colour}}
        for colour in ([1, 0, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1])
    ]  # fmt: skip
    members = [{'name': f'ball_{k}', 'link': link} for k, link in enumerate(links)]
    parts = parts_of_assembly(from_data(AssemblyForm, {'name': 'balls', 'members': members}))
    root = ElementTree.fromstring(urdf('balls', parts))
    colours = {
        each.get('name'): each.find('color').get('rgba')
        for each in root.iter('material')
        if each.find('color') is not None
    }
    used = [colours[each.get('name')] for each in root.iter('material')]
    assert used == ['1.0 0.0 0.0 1.0', '0.0 0.0 1.0 1.0', '1.0 0.0 0.0 1.0']
    assert len(colours) == 2
