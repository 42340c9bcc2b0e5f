"""Files of SoMo: what is read from them, and what is refused."""

import json

import numpy as np
import pytest
from definitions import SOMO, changed

from softshell_continuum.elastic_chain import chain_of
from softshell_continuum.parts import parts_of_manipulator
from softshell_continuum.scaling import WorldScale
from softshell_continuum.somo import from_somo
from softshell_kinematics.errors import ProblemsError

AXES = SOMO['actuator_definitions'][0]['joint_definitions']


def test_a_somo_file_is_scaled_to_si(tmp_path):
    """X = 20: a tenth of a metre, stiffness by 400; its halves have half of the mass."""
    path = tmp_path / 'finger.json'
    path.write_text(json.dumps(SOMO))
    chain = chain_of(parts_of_manipulator(from_somo(path, WorldScale(20.0))))
    assert chain.length == pytest.approx(0.1)
    assert chain.stiffness == pytest.approx(np.tile([87.43, 414.86], 5) / 400.0)
    assert chain.masses == pytest.approx([0.00294] * 9 + [0.00147])
    assert np.abs(chain.axes[:, 0]) == pytest.approx(np.tile([1.0, 0.0], 5))
    assert [joint.friction for joint in chain.joints[:2]] == pytest.approx([0.001, 0.0])


def test_links_of_somo_have_the_inertia_of_their_shape(tmp_path):
    """As in SoMo, whose `inertial_values` PyBullet does not use, be they impossible."""
    path = tmp_path / 'finger.json'
    place = ('actuator_definitions', 0, 'link_definition', 'inertial_values')
    path.write_text(json.dumps(changed(SOMO, place, [0, 0, 0, 0, 0, 9])))
    parts = parts_of_manipulator(from_somo(path))
    for part, sides in ((parts[0], [0.64, 0.64, 0.2]), (parts[3], [0.46, 0.34, 0.2])):
        x, y, z = np.square(sides)
        inertia = part.mass / 12.0 * np.diag([y + z, x + z, x + y])
        assert part.inertia == pytest.approx(inertia)


@pytest.mark.parametrize(
    ('flag', 'joints', 'arrangement'),
    [(False, AXES, 'alternating'), (0, [*AXES, AXES[0]], 'alternating'),
     (True, AXES[:1], 'alternating'), (1, AXES[:1], 'alternating'), (2, AXES[:1] * 10, 'listed')],
)  # fmt: skip
def test_somo_says_the_arrangement_by_a_number_or_a_truth_value(
    tmp_path, flag, joints, arrangement
):
    """With two or three joints, one, or one for each segment."""
    actuator = SOMO['actuator_definitions'][0] | {'planar_flag': flag, 'joint_definitions': joints}
    path = tmp_path / 'finger.json'
    path.write_text(json.dumps(SOMO | {'actuator_definitions': [actuator]}))
    (read,) = from_somo(path).actuators
    assert (read.arrangement.value, len(read.joints)) == (arrangement, len(joints))


@pytest.mark.parametrize(
    ('flag', 'joints', 'words'),
    [
        (0, AXES[:1], '1 joint_definitions; expected 2 or 3, as planar_flag is 0'),
        (False, AXES * 2, '4 joint_definitions; expected 2 or 3, as planar_flag is False'),
        (True, AXES, '2 joint_definitions; expected 1, as planar_flag is True'),
        (2, AXES[:1] * 9, '9 joint_definitions; expected 10, as planar_flag is 2'),
        (2, AXES * 5, r'axes are \[.*\]; expected equal ones, as planar_flag is 2'),
    ],
)
def test_joints_of_somo_that_do_not_fit_their_arrangement_are_refused(
    tmp_path, flag, joints, words
):
    """By their number, and by axes that differ in a list."""
    actuator = SOMO['actuator_definitions'][0] | {'planar_flag': flag, 'joint_definitions': joints}
    path = tmp_path / 'finger.json'
    path.write_text(json.dumps(SOMO | {'actuator_definitions': [actuator]}))
    with pytest.raises(ProblemsError, match=f'actuator_definitions.0.joint_definitions: {words}'):
        from_somo(path)


def test_a_message_about_the_only_tip_of_somo_names_its_entry(tmp_path):
    """Not that of several tips."""
    path, tip = tmp_path / 'finger.json', SOMO['base_definition'] | {'mass': -1.0}
    path.write_text(json.dumps(changed(SOMO, ('tip_definitions',), ...) | {'tip_definition': tip}))
    with pytest.raises(ProblemsError, match=r'line 1: tip_definition.mass: is -1.0; expected at'):
        from_somo(path)


def test_a_message_about_a_further_file_of_somo_names_it(tmp_path):
    """And the line and the key there, whether it is of a wrong type or out of range."""
    path, link = tmp_path / 'finger.json', tmp_path / 'link.yaml'
    place = ('actuator_definitions', 0, 'link_definition')
    path.write_text(json.dumps(changed(SOMO, place, 'link.yaml')))
    given = SOMO['actuator_definitions'][0]['link_definition']
    for mass, said in (('heavy', "mass of a link is 'heavy'"), (-1.0, 'is -1.0; expected at')):
        rows = [f'{key}: {json.dumps(value)}' for key, value in (given | {'mass': mass}).items()]
        link.write_text('\n'.join(rows))
        with pytest.raises(ProblemsError, match=f'{link}: line 3: mass: {said}') as caught:
            from_somo(path)
        assert caught.value.subject == str(path)


@pytest.mark.parametrize(
    ('path', 'value', 'words'),
    [
        (('n_act',), 2, 'line 1: n_act: n_act is 2; expected 1, as are defined'),
        (('actuator_definitions', 0, 'planar_flag'), 3, 'planar_flag is 3; expected 0, 1 or 2'),
        (('actuator_definitions', 0, 'n_segments'), ..., 'actuator is without n_segments'),
        (('actuator_definitions', 0, 'n_segment'), 1, 'n_segment.*did you mean n_segments'),
        (
            ('actuator_definitions', 0),
            SOMO['actuator_definitions'][0] | {'planar_flag': 2, 'n_segments': 1},
            'n_segments is 1; expected 2 or more, as planar_flag is 2',
        ),
        (('actuator_definitions', 0, 'n_segments'), 9, '9 links of height 0.2 m are 1.8 m long'),
        (('base_definition', 'mass'), 'heavy', "base_definition.mass: mass of a link is 'heavy'"),
        (('base_definition', 'mass'), None, 'mass of a link is None; expected a number'),
        (('actuator_definitions',), None, 'actuator_definitions of a manipulator is None; expec'),
        (('actuator_definitions', 0, 'planar_flag'), 0.7, 'planar_flag is 0.7; expected 0, 1'),
        (
            ('actuator_definitions', 0, 'joint_definitions', 0, 'limits'),
            [1.0, 2.0],
            r'line 1: actuator_definitions.0.joint_definitions.0.limits: limits of a joint is '
            r'\[1.0, 2.0\]; expected 4 numbers',
        ),
        (
            ('actuator_definitions', 0, 'joint_definitions', 1, 'limits'),
            [-1.0, 1.0, -5.0, 1.0],
            r'joint_definitions.1.limits.2: is -5.0; expected more than 0',
        ),
        (
            ('actuator_definitions', 0, 'link_definition', 'material_color'),
            [0.5, 2.0, 0.5, 1.0],
            'line 1: actuator_definitions.0.link_definition.material_color.1: is 2.0; expected',
        ),
        (('manipulator_name',), '1st', "manipulator_name: is '1st'; expected"),
        (
            ('tip_definition',),
            SOMO['base_definition'],
            'tip_definitions: is given beside tip_definition; expected one of both',
        ),
        (('base_definition',), 'a.json', 'line 1: base_definition: .*/a.json: cannot be read'),
        (
            ('base_definition',),
            '\0',
            r'line 1: base_definition: .*/\\x00: cannot be read: embedded',
        ),
        (
            ('actuator_definitions', 0, 'joint_definitions', 1, 'joint_type'),
            'fixed',
            r"joint_definitions.1.joint_type: is 'fixed'; expected 'revolute' or 'continuous'",
        ),
        (
            ('tip_definitions',),
            5,
            'tip_definitions of a manipulator is 5; expected a list',
        ),
    ],
)
def test_somo_files_that_do_not_fit_say_why(tmp_path, path, value, words):
    """The message names the file, the entry, its value and what was expected."""
    file = tmp_path / 'finger.json'
    file.write_text(json.dumps(changed(SOMO, path, value)))
    with pytest.raises(ProblemsError, match=f'(?s){tmp_path}.*{words}'):
        from_somo(file, WorldScale(20.0))
