"""What is refused in an action by itself: steps of no shape, names of numbers."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_library_problems import STRIDE, WALK, at_line_of, problems_of


@pytest.mark.parametrize(
    ('file', 'old', 'new', 'problem'),
    [
        (
            'actions/idle.yaml',
            '{group: legs, pose: rest}',
            '{legs: all, height: -0.02}',
            'sub_actions.3.moves.0.height: is -0.02; expected at least 0',
        ),
        (
            'actions/idle.yaml',
            '{group: legs, pose: rest}',
            '{legs: all, height: 0.02, slant: 7}',
            'sub_actions.3.moves.0.slant: is 7; expected 0 to 0.5',
        ),
        (
            STRIDE,
            'height: height',
            'height: height, slant: -0.1',
            'sub_actions.0.moves.1.slant: is -0.1; expected 0 to 0.5',
        ),
        (
            STRIDE,
            'height: height',
            'height: 0.02 - height',
            'sub_actions.0.moves.1.height: is -0.01; expected at least 0',
        ),
        (
            STRIDE,
            'height: height',
            'height: 0.035 - height',
            'sub_actions.0.moves.1.height: is -0.005 where height is 0.04; expected at least 0',
        ),
    ],
)
def test_a_step_of_no_shape_is_refused_when_it_is_read(tmp_path, file, old, new, problem):
    """Feet rise, and cover no more than half their way while they do."""
    (found,) = problems_of(tmp_path, 'quadruped', (file, old, new))
    assert found == at_line_of(tmp_path, 'quadruped', file, new, problem)


KNOWN = 'is a name that expressions know already; expected another name'
UNFIT = (
    'cannot stand in an expression; expected letters, digits and underscores, no digit first, '
    "and no word such as 'and'"
)


@pytest.mark.parametrize('key', ['parameters', 'variables'])
@pytest.mark.parametrize(
    ('name', 'problem'),
    [
        ('pi', KNOWN),
        ('max', KNOWN),
        ('stand_height', KNOWN),
        ('trot_parts', KNOWN),
        ('gait_stance', KNOWN),
        ('a b', UNFIT),
        ('2nd', UNFIT),
        ('and', UNFIT),
        ('', UNFIT),
    ],
)
def test_a_name_that_no_number_can_have_is_refused(tmp_path, key, name, problem):
    """It would hide what expressions know by it, or no expression could use it."""
    value = '{default: 1, minimum: 0, maximum: 2, unit: m, meaning: x}'
    if key == 'variables':
        value = '3'
    new = f"{key}:\n  '{name}': {value}\n"
    found = problems_of(tmp_path, 'quadruped', (WALK, f'{key}:\n', new))
    written = f"'{name}': {value}"
    where = f'{key}.{name}: {problem}'
    assert found == (at_line_of(tmp_path, 'quadruped', WALK, written, where),)
