"""YAML files into models: every problem with its line."""

import pytest
from pydantic import Field, RootModel

from softshell_common.yaml_file import StrictModel, YamlFile
from softshell_kinematics.errors import ProblemsError


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


def test_keys_given_twice_are_problems(tmp_path):
    """A loader keeps the last value and loses the others: each repetition has its line."""
    text = 'name: a\nwheels:\n  - radius: 1\n    radius: 2\n    radius: -3\nname: b\n'
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, text)
    assert caught.value.problems == (
        'line 4: wheels.0.radius: given twice',
        'line 5: wheels.0.radius: given twice',
        'line 6: name: given twice',
        'line 5: wheels.0.radius: Input should be greater than 0 (got -3)',
    )


def test_aliases_are_no_repetition(tmp_path):
    """What is written once and used often is fine, and listed once if it is not."""
    cart = read(tmp_path, 'name: a\nwheels:\n  - &w {radius: 1}\n  - *w\n')
    assert cart.wheels[0] == cart.wheels[1]
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, 'name: a\nwheels:\n  - &w {radius: 1, radius: 2}\n  - *w\n')
    assert caught.value.problems == ('line 3: wheels.0.radius: given twice',)


def test_what_fits_is_left_for_further_checks(tmp_path):
    """A wrong entry goes with what cannot be without it; the rest stays, and all is listed."""
    path = tmp_path / 'park.yaml'
    path.write_text('a: {name: x, wheels: []}\nb: {nam: y, wheels: []}\nc: {name: 3, bell: 1}\n')
    file = YamlFile(path)
    carts, problems = file.fitting(RootModel[dict[str, Cart]])
    assert carts is not None
    assert carts.root == {'a': Cart(name='x', wheels=[])}
    assert [problem.split(': ')[:2] for problem in problems] == [
        ['line 2', 'b.name'],
        ['line 2', 'b.nam'],
        ['line 3', 'c.name'],
        ['line 3', 'c.wheels'],
        ['line 3', 'c.bell'],
    ]
    assert file.fitting(Cart)[0] is None


@pytest.mark.parametrize('text', ['wheels: [', 'a: b: c', '\x00', ''])
def test_what_is_no_such_document_is_one_error_naming_the_file(tmp_path, text):
    """Broken YAML, and none at all, never escape as another exception."""
    with pytest.raises(ProblemsError, match=r'cart\.yaml'):
        read(tmp_path, text)


def test_a_missing_file_is_named(tmp_path):
    """The error names the file and why it cannot be read."""
    with pytest.raises(ProblemsError, match=r'gone\.yaml.*\n.*No such file'):
        YamlFile(tmp_path / 'gone.yaml')
