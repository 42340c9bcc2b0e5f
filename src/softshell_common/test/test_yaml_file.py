"""YAML files into models: every problem with its line."""

import pytest
from pydantic import Field

from softshell_common.errors import ProblemsError
from softshell_common.yaml_file import StrictModel, YamlFile


class Wheel(StrictModel):
    radius: float = Field(gt=0)


class Cart(StrictModel):
    name: str
    wheels: list[Wheel]


def read(tmp_path, text: str) -> Cart:
    path = tmp_path / 'cart.yaml'
    path.write_text(text)
    return YamlFile(path).validate(Cart)


def test_a_valid_file_is_its_model(tmp_path):
    """Values arrive as they are written."""
    cart = read(tmp_path, 'name: a\nwheels:\n  - radius: 0.5\n')
    assert cart == Cart(name='a', wheels=[Wheel(radius=0.5)])


def test_all_problems_are_listed_with_line_place_and_value(tmp_path):
    """One error holds every one of them."""
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, 'nam: a\nwheels:\n  - radius: -1\n  - radius: round\n')
    problems = '\n'.join(caught.value.problems)
    assert 'line 1: nam: Extra inputs' in problems
    assert 'name: Field required' in problems
    assert 'line 3: wheels.0.radius: Input should be greater than 0 (got -1)' in problems
    assert 'line 4: wheels.1.radius: Input should be a valid number' in problems
    assert "(got 'round')" in problems


@pytest.mark.parametrize('text', ['wheels: [', 'a: b: c', '\x00', ''])
def test_what_is_no_such_document_is_one_error_naming_the_file(tmp_path, text):
    """Broken YAML, and none at all, never escape as another exception."""
    with pytest.raises(ProblemsError, match=r'cart\.yaml'):
        read(tmp_path, text)


def test_a_missing_file_is_named(tmp_path):
    """The error names the file and why it cannot be read."""
    with pytest.raises(ProblemsError, match=r'gone\.yaml.*\n.*No such file'):
        YamlFile(tmp_path / 'gone.yaml')
