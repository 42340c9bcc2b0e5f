"""YAML files into models: every problem with its line."""

from typing import Literal

import pytest
from pydantic import Field, RootModel, model_validator

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
    assert caught.value.problems == (
        "line 1: nam: unknown key; did you mean 'name', which is required?",
        'line 3: wheels.0.radius: is -1; expected more than 0',
        "line 4: wheels.1.radius: is 'round'; expected a number",
    )


def test_keys_given_twice_are_problems(tmp_path):
    """A loader keeps the last value and loses the others: each repetition has its line."""
    text = 'name: a\nwheels:\n  - radius: 1\n    radius: 2\n    radius: -3\nname: b\n'
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, text)
    assert caught.value.problems == (
        'line 4: wheels.0.radius: given twice',
        'line 5: wheels.0.radius: given twice',
        'line 6: name: given twice',
        'line 5: wheels.0.radius: is -3; expected more than 0',
    )


def test_keys_given_twice_are_problems_in_each_of_merged_files(tmp_path):
    """Merging keeps one of each: those of the files below are told with their path."""
    files = []
    for name, text in (
        ('below', 'name: a\nname: b\n'),
        ('middle', 'wheels: []\n\nwheels: []\n'),
        ('above', 'name: c\n\n\nname: d\n'),
    ):
        path = tmp_path / f'{name}.yaml'
        path.write_text(text)
        files.append(YamlFile(path))
    below, middle, above = files
    with pytest.raises(ProblemsError) as caught:
        above.over(middle.over(below)).validate(Cart)
    assert caught.value.subject == str(above.path)
    assert caught.value.problems == (
        f'{below.path}: line 2: name: given twice',
        f'{middle.path}: line 3: wheels: given twice',
        'line 4: name: given twice',
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
        ['line 2', 'b.nam'],
        ['line 3', 'c.name'],
        ['line 3', 'c.wheels'],
        ['line 3', 'c.bell'],
    ]
    assert file.fitting(Cart)[0] is None


class Hook(StrictModel):
    size: Literal['small', 'large'] = 'small'
    links: list[str] | Literal['all'] = 'all'
    count: int = Field(default=1, ge=0)

    @model_validator(mode='after')
    def _few(self) -> 'Hook':
        if self.count > 3:
            raise ValueError(f'count is {self.count}; expected 3 at most')
        return self


class Lorry(StrictModel):
    closed: bool = False
    hook: Hook = Hook()
    load: dict[str, float] = Field(default_factory=dict)
    width: float = Field(default=1.0, strict=True)
    plate: str = Field(default='AB', min_length=2, max_length=4, pattern='^[A-Z]*$')


@pytest.mark.parametrize(
    ('text', 'problem'),
    [
        ('', 'line 1: the file is empty; expected the keys closed, hook, load, width, plate'),
        ('[]', 'line 1: is []; expected the keys closed, hook, load, width, plate'),
        ('closed:', 'line 1: closed: is empty; expected true or false'),
        ('hook: 3', 'line 1: hook: is 3; expected the keys size, links, count'),
        ('hook: {size: huge}', "line 1: hook.size: is 'huge'; expected 'small' or 'large'"),
        ('hook:\n  links: 3', "line 2: hook.links: is 3; expected a list or 'all'"),
        ('hook: {count: 1.5}', 'line 1: hook.count: is 1.5; expected a whole number'),
        ('hook: {count: -1}', 'line 1: hook.count: is -1; expected at least 0'),
        ('hook: {count: 9}', 'line 1: hook: count is 9; expected 3 at most'),
        ('hook: {siez: small}', "line 1: hook.siez: unknown key; did you mean 'size'?"),
        ('wings: 2', 'line 1: wings: unknown key; known: closed, hook, load, width, plate'),
        ('load: [1]', 'line 1: load: is [1]; expected keys with values'),
        ('load: {a: b}', "line 1: load.a: is 'b'; expected a number"),
        (
            'width: 1e9',
            "line 1: width: is '1e9'; expected a number, which YAML reads from 1.0e+09 but not "
            'from 1e9',
        ),
        ('width: 1.2.3e4', "line 1: width: is '1.2.3e4'; expected a number"),
        ('width: 1e999', "line 1: width: is '1e999'; expected a number"),
        ('plate: A', "line 1: plate: is 'A'; expected a text of 2 or more characters"),
        ('plate: ABCDE', "line 1: plate: is 'ABCDE'; expected a text of 4 or fewer characters"),
        (
            'plate: A1',
            "line 1: plate: is 'A1'; expected a text like the regular expression ^[A-Z]*$",
        ),
        ('load: {1: 2.0}', 'line 1: load.1: is 1; expected a text in quotes'),
        (f'closed: {"no" * 99}', f"line 1: closed: is '{'no' * 29}n...; expected true or false"),
    ],
)
def test_a_wrong_entry_is_one_line_in_the_words_of_the_file(tmp_path, text, problem):
    """Place, value and what was expected: no word of pydantic, no name of a class."""
    path = tmp_path / 'lorry.yaml'
    path.write_text(text)
    with pytest.raises(ProblemsError) as caught:
        YamlFile(path).validate(Lorry)
    assert caught.value.problems == (problem,)


def test_the_file_that_a_person_edits_is_named_where_a_link_leads_to_it(tmp_path):
    """A build installs links; errors name what they lead to."""
    source = tmp_path / 'source.yaml'
    source.write_text('name: a\nwheels: 3\n')
    (tmp_path / 'link.yaml').symlink_to(source)
    with pytest.raises(ProblemsError) as caught:
        YamlFile(tmp_path / 'link.yaml').validate(Cart)
    assert caught.value.subject == str(source)


@pytest.mark.parametrize(
    'text', ['wheels: [', 'a: b: c', '\x00', '', pytest.param('[' * 3000, id='deep')]
)
def test_what_is_no_such_document_is_one_error_naming_the_file(tmp_path, text):
    """Broken YAML, and none at all, never escape as another exception."""
    with pytest.raises(ProblemsError, match=r'cart\.yaml'):
        read(tmp_path, text)


def test_broken_yaml_is_one_line_with_its_line(tmp_path):
    """Where reading ends, and why."""
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, 'name: a\nwheels: b: c\n')
    [problem] = caught.value.problems
    assert problem.startswith('line 2: is not YAML: mapping values are not allowed ')


@pytest.mark.parametrize(
    ('opening', 'closing'), [('[', ']'), ('{a: ', '}'), ('- ', ''), ('? ', '')]
)
def test_what_is_nested_without_end_is_no_crash(tmp_path, opening, closing):
    """Readers call themselves for each level: such a file ended the process, or its stack."""
    for levels in (1000, 100_000):
        with pytest.raises(ProblemsError, match='nested too deeply: over 200 levels'):
            read(tmp_path, f'{opening * levels}{closing * levels}')


@pytest.mark.parametrize(
    ('value', 'problem'),
    [
        (
            '2020-13-45',
            "'2020-13-45' cannot be read as a date: month must be in 1..12; write a text in "
            'quotes',
        ),
        ('0b_', "'0b_' cannot be read as a whole number; write a text in quotes"),
        ('!!bool x', "'x' cannot be read as true or false; write a text in quotes"),
        ('!!int ""', "'' cannot be read as a whole number; write a text in quotes"),
        ('!!float x', "'x' cannot be read as a number; write a text in quotes"),
        ('!!timestamp x', "'x' cannot be read as a date; write a text in quotes"),
        ('9' * 5001, 'a whole number of 5001 digits; expected 4000 at most'),
        ('-0x' + 'f' * 5000, 'a whole number of 5002 digits; expected 4000 at most'),
    ],
)
def test_a_scalar_that_cannot_be_read_has_its_line(tmp_path, value, problem):
    """It looks like a date or a number to YAML, and is none."""
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, f'wheels: []\nname:\n  - {value}\n')
    assert caught.value.problems == (f'line 3: is not YAML: {problem}',)


def test_a_number_that_is_too_large_is_told_so(tmp_path):
    """A whole number of many digits is a number, but not one to calculate with."""
    with pytest.raises(ProblemsError) as caught:
        read(tmp_path, f'name: a\nwheels: [{{radius: -1{"0" * 400}}}]\n')
    assert caught.value.problems == (
        f'line 2: wheels.0.radius: is -1{"0" * 58}..., which is too large; expected at most '
        '1.8e+308',
    )


def test_a_missing_file_is_named(tmp_path):
    """The error names the file and why it cannot be read."""
    with pytest.raises(ProblemsError, match=r'gone\.yaml.*\n.*No such file'):
        YamlFile(tmp_path / 'gone.yaml')


def test_a_name_that_no_file_can_have_is_told(tmp_path):
    """One with a NUL, one of a character that is none, and a link that leads to itself."""
    ring = tmp_path / 'ring.yaml'
    ring.symlink_to('ring.yaml')
    for path in (tmp_path / 'a\0.yaml', tmp_path / 'a\ud800.yaml', ring):
        with pytest.raises(ProblemsError, match='cannot be read: ') as caught:
            YamlFile(path)
        assert caught.value.subject == str(path).replace('\0', '\\x00').replace(
            '\ud800', '\\ud800'
        )
