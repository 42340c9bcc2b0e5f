"""Definitions: what fits is kept to the digit, what does not has one error that says why."""

import json

import numpy as np
import pytest
from definitions import FINGER, LINK, SIDE, STAR, changed

from softshell_continuum.files import from_data, read, to_data, write
from softshell_continuum.forms import AssemblyForm, LinkForm, ManipulatorForm
from softshell_continuum.parts import parts_of_assembly
from softshell_continuum.shapes import DIMENSIONS, Shape, gyration
from softshell_kinematics.errors import ProblemsError, SoftshellError

FIRST = 'actuators', 0
LINKS, JOINTS = (*FIRST, 'link'), (*FIRST, 'joints', 0)


@pytest.mark.parametrize('ending', ['.yaml', '.yml', '.json'])
@pytest.mark.parametrize(('kind', 'data'), [(ManipulatorForm, FINGER), (AssemblyForm, STAR)])
def test_what_is_written_is_what_is_read(tmp_path, kind, data, ending):
    """As data, in YAML and in JSON, to the last digit."""
    form = from_data(kind, data)
    assert from_data(kind, to_data(form)) == form
    path = tmp_path / f'definition{ending}'
    write(form, path)
    assert read(kind, path) == form
    assert json.loads(json.dumps(to_data(form))) == to_data(form)


@pytest.mark.parametrize('ending', ['.yaml', '.json'])
@pytest.mark.parametrize(
    'name', ['\U0001f419 soft', 'Gummi ß 橡胶', '\\ud83d\\ude00', '\x7f\x85\u2028']
)
def test_any_name_of_a_material_is_kept(tmp_path, ending, name):
    """Whatever characters it has, also those beyond the first 65 536 and those not printed."""
    form = from_data(ManipulatorForm, changed(FINGER, (*LINKS, 'material'), {'name': name}))
    path = tmp_path / f'definition{ending}'
    write(form, path)
    assert read(ManipulatorForm, path) == form


@pytest.mark.parametrize(
    ('path', 'value', 'words'),
    [
        ((*FIRST, 'lenght'), 0.1, r"actuators\.0\.lenght: unknown key; known: length, n_seg"),
        ((*FIRST, 'length'), ..., r'actuators\.0\.length: is required'),
        ((*FIRST, 'n_segments'), 9, r'9 links of height 0\.01 m are 0\.09 m long; .*0\.1 m'),
        ((*FIRST, 'n_segments'), 0, r'n_segments: is 0; expected at least 1'),
        ((*FIRST, 'n_segments'), 2.5, r'n_segments: is 2\.5; expected a whole number'),
        ((*LINKS, 'mass'), -1.0, r'link\.mass: is -1\.0; expected at least 0'),
        ((*LINKS, 'mass'), float('nan'), r'link\.mass: is \.nan; expected a finite'),
        ((*LINKS, 'dimensions'), [0.1, 0.1], r'of a stadium are \[0\.1, 0\.1\]; exp'),
        ((*LINKS, 'shape'), 'cone', r"shape: is 'cone'; expected 'box', 'cylinder'"),
        ((*JOINTS, 'axis'), [1, 1, 0], r'axis is .*, of length 1\.41421; expected'),
        ((*JOINTS, 'stiffness'), -0.1, r'stiffness: is -0\.1; expected at least 0'),
        (
            (*JOINTS, 'kind'), 'fixed',
            r"joints\.0\.kind: is 'fixed'; expected 'revolute' or 'continuous'$",
        ),
        ((*FIRST, 'joints'), [], r'joints: is \[\]; expected 1 or more entries'),
        (('actuators', 2, 'joints'), [SIDE], r'1 joints are listed; expected one for each of 2'),
        (('tips', 0, 'inertia'), [1.0, 0, 0, 1.0, 0, 3.0], r'are 1, 1, 3; expected none above'),
        (('tips', 0, 'inertia'), [1.0, 0, 0, -1.0, 0, 1.0], r'are -1, 1, 1; expected none below'),
        (('name',), '2nd', r'name: '),
        (
            ('base', 'offset'), [0, 0, 0, 1e300, 0, 0],
            r'base\.offset\.3: is 1\.0e\+300; expected at most 10000$',
        ),
        (
            ('base', 'offset'), [0, -1e300, 0, 0, 0, 0],
            r'base\.offset\.1: is -1\.0e\+300; expected at least -1e\+09$',
        ),
        (
            ('tips', 0, 'dimensions'), [1e300],
            r'tips\.0\.dimensions\.0: is 1\.0e\+300; expected at most 1e\+09$',
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_its_value(path, value, words):
    """One problem, of the entry that is wrong, with what was expected."""
    with pytest.raises(ProblemsError, match=words) as caught:
        from_data(ManipulatorForm, changed(FINGER, path, value))
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize('ending', ['.yaml', '.json'])
def test_small_and_large_numbers_of_a_file_are_numbers(tmp_path, ending):
    """JSON writes them without a point, as 1e-06."""
    form = from_data(ManipulatorForm, changed(FINGER, ('tips', 0, 'mass'), 1e-6))
    form = from_data(ManipulatorForm, changed(to_data(form), (*JOINTS, 'stiffness'), 1e22))
    write(form, tmp_path / f'finger{ending}')
    assert read(ManipulatorForm, tmp_path / f'finger{ending}') == form


def test_all_problems_of_a_file_have_their_lines(tmp_path):
    path = tmp_path / 'finger.yaml'
    write(from_data(ManipulatorForm, FINGER), path)
    text = path.read_text().replace('mass: 0.02', 'mass: -0.02').replace('name: finger', 'nome: x')
    path.write_text(text)
    with pytest.raises(ProblemsError) as caught:
        read(ManipulatorForm, path)
    assert len(caught.value.problems) == 2
    assert all(problem.startswith('line ') for problem in caught.value.problems)


@pytest.mark.parametrize(
    ('path', 'value', 'words'),
    [
        (
            ('members', 1, 'parent'),
            'arm_4',
            'arm_0 has parent arm_4; expected one before it: body',
        ),
        (('members', 2, 'name'), 'arm_0', 'two members are named arm_0'),
        (
            ('members', 0, 'link'),
            ...,
            'body is expected to have a manipulator or a link, one of both',
        ),
        (
            ('members', 1, 'pose'),
            [0, 0, 0, 0, 0, -20000],
            r'members\.1\.pose\.5: is -20000; expected at least -10000',
        ),
    ],
)
def test_members_hang_on_others_before_them(path, value, words):
    with pytest.raises(ProblemsError, match=words):
        from_data(AssemblyForm, changed(STAR, path, value))


def test_files_of_other_endings_and_folders_that_are_not_there_are_refused(tmp_path):
    """And nothing is left behind."""
    form = from_data(ManipulatorForm, FINGER)
    for act in (lambda path: write(form, path), lambda path: read(ManipulatorForm, path)):
        with pytest.raises(SoftshellError, match=r'expected a file that ends in \.yaml'):
            act(tmp_path / 'finger.urdf')
    with pytest.raises(SoftshellError, match='cannot be written: No such file or directory'):
        write(form, tmp_path / 'none' / 'finger.yaml')
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('shape', Shape)
def test_inertias_are_those_of_many_points(shape):
    """By chance all over the shape, within a percent."""
    dimensions = {1: (0.3,), 2: (0.5, 0.2), 3: (0.3, 0.2, 0.5)}[
        3 if shape in (Shape.BOX, Shape.STADIUM) else 1 if shape is Shape.SPHERE else 2
    ]
    random = np.random.default_rng(1)
    points = random.uniform(-0.5, 0.5, (2_000_000, 3))
    x, y, z = points.T
    if shape in (Shape.BOX, Shape.STADIUM):
        inside = (np.abs(points) < np.array(dimensions) / 2).all(axis=1)
    elif shape is Shape.SPHERE:
        inside = (points**2).sum(axis=1) < 0.09
    else:
        beyond = np.maximum(np.abs(z) - 0.25, 0.0)
        inside = x**2 + y**2 + beyond**2 < 0.04
        if shape is Shape.CYLINDER:
            inside &= np.abs(z) < 0.25
    x, y, z = points[inside].T
    moments = [(y**2 + z**2).mean(), (x**2 + z**2).mean(), (x**2 + y**2).mean()]
    assert gyration(shape, dimensions) == pytest.approx(moments, rel=0.01)


@pytest.mark.parametrize('shape', Shape)
def test_the_largest_links_have_parts(shape):
    """Of the largest size, turned as far as may be: a rotation keeps the trace of an inertia."""
    row = {
        'shape': shape.value, 'dimensions': [1e9] * len(DIMENSIONS[shape]), 'mass': 1.0,
        'offset': [1e9, -1e9, 1e9, 1e4, -1e4, 1e4],
    }  # fmt: skip
    form = from_data(AssemblyForm, {'name': 'one', 'members': [{'name': 'a', 'link': row}]})
    inertia = parts_of_assembly(form)[1].inertia
    assert np.trace(inertia) == pytest.approx(gyration(shape, tuple(row['dimensions'])).sum())


def test_a_link_may_have_the_inertia_of_its_shape_or_its_own():
    plain = from_data(LinkForm, LINK)
    assert np.diag(plain.inertia_matrix) == pytest.approx(
        0.003 / 12.0 * np.array([0.017**2 + 0.01**2, 0.023**2 + 0.01**2, 0.023**2 + 0.017**2])
    )
    own = from_data(LinkForm, LINK | {'inertia': [3e-6, 1e-7, 0, 4e-6, 0, 5e-6]})
    assert own.inertia_matrix[0, 1] == own.inertia_matrix[1, 0] == 1e-7


def test_a_file_is_given_by_its_path_or_the_text_of_it(tmp_path):
    """Written and read back by a text."""
    form, path = from_data(ManipulatorForm, FINGER), str(tmp_path / 'finger.yaml')
    write(form, path)
    assert read(ManipulatorForm, path) == form
