"""World scales: their factors are those of dimensional analysis, and what goes in comes out."""

import typing

import numpy as np
import pytest
from definitions import FINGER, STAR, changed

from softshell_common.yaml_file import StrictModel
from softshell_continuum import forms
from softshell_continuum.files import from_data, to_data
from softshell_continuum.forms import AssemblyForm, ManipulatorForm, MaterialForm
from softshell_continuum.scaling import NUMBERS, QUANTITIES, WorldScale
from softshell_kinematics.errors import OutOfRangeError, ProblemsError, UnknownNameError

SCALE = WorldScale(20.0, 3.0)
#: Each quantity as a product of powers of others, in a world whose time is as ours.
LAWS = [
    ('angular velocity', {'angle': 1, 'time': -1}),
    ('angle', {'length': 1, 'length ': -1}),
    ('friction', {'force': 1, 'force ': -1}),
    ('restitution', {'velocity': 1, 'velocity ': -1}),
    ('velocity', {'length': 1, 'time': -1}),
    ('gravity', {'velocity': 1, 'time': -1}),
    ('force', {'mass': 1, 'gravity': 1}),
    ('torque', {'force': 1, 'length': 1}),
    ('inertia', {'mass': 1, 'length': 2}),
    ('rotational stiffness', {'torque': 1, 'angle': -1}),
    ('rotational damping', {'torque': 1, 'angular velocity': -1}),
    ('linear stiffness', {'force': 1, 'length': -1}),
    ('linear damping', {'force': 1, 'velocity': -1}),
    ('density', {'mass': 1, 'length': -3}),
    ('pressure', {'force': 1, 'length': -2}),
    ("Young's modulus", {'rotational stiffness': 1, 'length': -3}),
    ('energy', {'mass': 1, 'velocity': 2}),
    ('power', {'torque': 1, 'angular velocity': 1}),
    ('impulse', {'mass': 1, 'velocity': 1}),
]


@pytest.mark.parametrize(('quantity', 'powers'), LAWS)
def test_laws_hold_in_the_world_as_in_si(quantity, powers):
    """What is computed of a world's numbers is the world's."""
    expected = np.prod([SCALE.factor(name.strip()) ** power for name, power in powers.items()])
    assert SCALE.factor(quantity) == pytest.approx(expected, rel=1e-12)


def test_every_quantity_follows_from_length_mass_and_time():
    """Which are as they are given."""
    assert {law for law, _ in LAWS} | {'length', 'mass', 'time'} == set(QUANTITIES)
    assert [SCALE.factor(name) for name in ('length', 'mass', 'time')] == [20.0, 3.0, 1.0]


@pytest.mark.parametrize('quantity', QUANTITIES)
def test_numbers_come_back(quantity):
    """One, or an array of them."""
    assert SCALE.to_si(quantity, SCALE.to_world(quantity, 0.7)) == pytest.approx(0.7, rel=1e-15)
    values = np.array([[0.1, -2.0], [0.0, 1e9]])
    there = SCALE.to_world(quantity, values)
    assert there == pytest.approx(values * SCALE.factor(quantity))
    assert SCALE.to_si(quantity, there) == pytest.approx(values, rel=1e-15)


INERTIA = [2e-6, 1e-7, 0.0, 2e-6, 0.0, 3e-6]
FULL = changed(
    changed(FINGER, ('tips', 0, 'inertia'), INERTIA),
    ('tips', 0, 'offset'), [0.001, 0.0, 0.002, 0.3, 0.0, -0.1],
)  # fmt: skip


@pytest.mark.parametrize(('kind', 'data'), [(ManipulatorForm, FULL), (AssemblyForm, STAR)])
def test_forms_come_back(kind, data):
    """Each number as it was; the world's form fits as well."""
    form = from_data(kind, data)
    there = SCALE.form_to_world(form)
    assert there != form
    assert from_data(kind, to_data(there)) == there
    back, expected = _flat(to_data(SCALE.form_to_si(there))), _flat(to_data(form))
    assert back.keys() == expected.keys()
    for place, value in expected.items():
        assert back[place] == pytest.approx(value, rel=1e-14), place


def test_a_form_is_scaled_as_the_table_says():
    """By hand, of a finger in a world of lengths 20 times and masses 3 times as large."""
    data = to_data(SCALE.form_to_world(from_data(ManipulatorForm, FULL)))
    actuator, tip = data['actuators'][0], data['tips'][0]
    assert actuator['length'] == pytest.approx(2.0)
    assert actuator['link']['dimensions'] == pytest.approx([0.46, 0.34, 0.2])
    assert actuator['link']['mass'] == pytest.approx(0.009)
    grasp, side = actuator['joints']
    assert (grasp['stiffness'], grasp['damping']) == pytest.approx((240.0, 4.8))
    assert grasp['neutral_axis'] == pytest.approx([0.0, 0.12, 0.0])
    assert side['friction'] == pytest.approx(1.2)
    assert tip['inertia'] == pytest.approx(np.multiply(1200.0, INERTIA))
    assert tip['offset'] == pytest.approx([0.02, 0.0, 0.04, 0.3, 0.0, -0.1])


def test_what_is_too_large_in_the_world_is_named():
    """A ball of a radius that is allowed in SI."""
    ball = from_data(forms.LinkForm, {'shape': 'sphere', 'dimensions': [1e8], 'mass': 1.0})
    with pytest.raises(ProblemsError, match=r'dimensions: is 2000000000\.0; expected at most'):
        WorldScale(20.0).form_to_world(ball)


def test_no_number_of_a_form_is_forgotten():
    """Each that is a float, or some of them, has a quantity; colours and axes have no unit."""
    plain = {(MaterialForm, 'colour'), (forms.JointForm, 'axis')}
    for kind in vars(forms).values():
        if not (isinstance(kind, type) and issubclass(kind, StrictModel)):
            continue
        found = {
            name for name, field in kind.model_fields.items()
            if float in _leaves(field.annotation) and (kind, name) not in plain
        }  # fmt: skip
        assert found == set(NUMBERS.get(kind, {})), kind.__name__


@pytest.mark.parametrize('value', [0.0, -20.0, float('nan'), float('inf'), '20', True])
@pytest.mark.parametrize('name', ['length', 'mass'])
def test_what_is_no_scale_is_refused(name, value):
    """With the entry and its value."""
    with pytest.raises(OutOfRangeError, match=f'{name} of a world scale is {value}; expected a'):
        WorldScale(**{name: value})


def test_a_quantity_that_there_is_not_is_named():
    with pytest.raises(UnknownNameError, match="quantity 'torques'; did you mean torque"):
        SCALE.to_si('torques', 1.0)


def _leaves(annotation):
    """Types that an annotation is made of, but for other forms."""
    inner = typing.get_args(annotation)
    if not inner:
        return {annotation}
    return set().union(*map(_leaves, inner))


def _flat(data, place=()):
    """Numbers and texts of plain data by where they are."""
    if isinstance(data, dict | list):
        rows = data.items() if isinstance(data, dict) else enumerate(data)
        found = {}
        for key, value in rows:
            found |= _flat(value, (*place, key))
        return found
    return {place: data}
