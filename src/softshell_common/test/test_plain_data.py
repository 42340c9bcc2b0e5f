"""Plain data as a model: all of it fits, or every problem is named."""

from pathlib import PurePosixPath

import pytest
from pydantic import Field

from softshell_common.plain_data import checked, from_data
from softshell_common.yaml_file import Positive, StrictModel
from softshell_kinematics.errors import ProblemsError


class WheelForm(StrictModel):
    radius: Positive
    spokes: dict[str, Positive] = Field(default_factory=dict)


def test_what_fits_is_the_model():
    assert from_data(WheelForm, {'radius': 0.3}).radius == 0.3


def test_every_problem_names_its_entry_its_value_and_what_was_expected():
    wrong = {'radius': -1.0, 'spokes': {'a': 0.1, 'b': 'thin'}, 'tyre': 1}
    with pytest.raises(ProblemsError, match=r'^wheel: 3 problem') as refused:
        from_data(WheelForm, wrong)
    text = str(refused.value)
    for words in ('radius: is -1', 'more than 0', 'spokes.b:', "'thin'", 'tyre'):
        assert words in text
    with pytest.raises(ProblemsError, match=r'^front wheel: '):
        from_data(WheelForm, wrong, 'front wheel')


def test_what_no_file_could_hold_is_named_as_python_writes_it():
    """Data made by a program may be of any type."""
    with pytest.raises(ProblemsError, match=r"radius: is PurePosixPath\('a'\); expected a num"):
        from_data(WheelForm, {'radius': PurePosixPath('a')})


def test_empty_data_are_no_file():
    """They are told by their name; of a file, the file is said to be empty."""
    with pytest.raises(ProblemsError) as refused:
        from_data(WheelForm, None, 'front wheel')
    name, problem = str(refused.value).splitlines()
    assert name.startswith('front wheel: ')
    assert problem.removeprefix('  - ') == 'is empty; expected the keys radius, spokes'


def test_data_that_is_no_mapping_is_one_problem_without_an_entry():
    fitting, problems = checked(WheelForm, [1, 2])
    assert fitting is None
    assert len(problems) == 1
    assert not problems[0].startswith(':')
