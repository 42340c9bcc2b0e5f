"""The arguments of the stack: which values are valid, and what is said of those that are not."""

import socket

import pytest

from softshell_bringup.arguments import ARGUMENTS, BY_NAME, FASTEST, Arguments, parse_arguments
from softshell_description.load import load_robot
from softshell_kinematics.errors import ProblemsError
from softshell_sim.physics.engines import default_engine, engine_of


def problem_of(name: str, text: str) -> str:
    """The one line that is said of a value."""
    with pytest.raises(ProblemsError) as caught:
        parse_arguments({name: text})
    (problem,) = caught.value.problems
    return problem


def test_every_problem_is_listed_at_once():
    """Unknown names and bad values come in one error that lists what is valid."""
    given = {
        'wings': '2', 'bridge': 'robot', 'gui': 'yes', 'real_time_factor': '-1',
        'params_file': '/no/such/file', 'log_level': 'loud', 'rviz': 'perhaps', 'robot': 'shall',
        'namespace': 'a b',
    }  # fmt: skip
    with pytest.raises(ProblemsError) as caught:
        parse_arguments(given)
    assert len(caught.value.problems) == len(given)
    text = str(caught.value)
    for valid in (
        "unknown argument 'wings'; did you mean wiring? known: robot, bridge, engine",
        'sim or mock or hardware',
        'none or window or web', 'true or false', '0, or a number from 0.01 to 100',
        "unknown robot 'shall'; did you mean shell? known: arm, finger, hand, quadruped, shell",
        'letters, digits and _',
    ):  # fmt: skip
        assert valid in text


@pytest.mark.parametrize(
    ('typed', 'meant'),
    [('bridg', 'bridge'), ('name_space', 'namespace'), ('realtime_factor', 'real_time_factor')],
)
def test_a_name_that_is_almost_known_is_named(typed, meant):
    """The nearest argument is offered, before all of them."""
    assert problem_of(typed, 'x').startswith(
        f'unknown argument {typed!r}; did you mean {meant}? known: robot, bridge'
    )


@pytest.mark.parametrize('number', ['nan', 'inf', '-0.1', 'fast', '', '1e-9', '0.009', '101'])
def test_a_factor_at_which_the_robot_would_not_move_is_refused(number):
    """A number that is finite and neither 0 nor from 0.01 to 100 is refused."""
    assert problem_of('real_time_factor', number) == (
        f'real_time_factor is {number!r}; expected 0, or a number from 0.01 to 100'
    )


@pytest.mark.parametrize('number', ['0', '0.01', '2', '100'])
def test_factors_of_every_kind_are_taken(number):
    """As fast as possible, slow motion and faster than time are all valid."""
    assert parse_arguments({'real_time_factor': number})['real_time_factor'] == float(number)


@pytest.mark.parametrize('text', ['a b', '1a', 'a//b', 'ä', 'a-b', '//', 'a/1', '~a', 'a\n'])
def test_a_namespace_that_ros_does_not_take_is_one_line(text):
    """It is refused before any node starts, with what is valid."""
    problem = problem_of('namespace', text)
    assert problem.startswith(f'namespace is {text!r}; expected names of letters, digits and _')
    assert '\n' not in problem


@pytest.mark.parametrize('text', ['', '/', 'one', '/one/', 'one/two_2', '_a'])
def test_namespaces_that_ros_takes(text):
    """Levels are apart by slashes, and those at the ends do not matter."""
    assert parse_arguments({'namespace': text})['namespace'] == text


def test_what_is_not_given_has_its_default_and_counts_as_not_given():
    """Values of all arguments are there; those that were given are known as such."""
    values = parse_arguments({'bridge': 'mock', 'publish_tf': 'false'})
    assert dict(values.given) == {'bridge': 'mock', 'publish_tf': False}
    assert dict(values) == {
        **{argument.name: argument.default for argument in ARGUMENTS},
        **values.given,
    }


@pytest.mark.parametrize('argument', ARGUMENTS, ids=lambda argument: argument.name)
def test_a_default_is_a_valid_value(argument):
    """Typing the default gives the default."""
    assert argument.parse(argument.default_text) == argument.default
    assert argument.description


def test_defaults_and_ranges_are_those_of_the_bridges():
    """An argument that is not given is what its node does by itself, and no node refuses one."""
    bridge_node = pytest.importorskip('softshell_control.ros.bridge_node', reason='needs ROS 2')
    parameters, none = bridge_node.BridgeParameters, Arguments({})
    assert none['real_time_factor'] == parameters.real_time_factor
    assert none['publish_tf'] is parameters.publish_tf
    field = parameters.__dataclass_fields__['real_time_factor']
    assert field.metadata['range'][1] == FASTEST


def test_a_window_is_refused_where_there_is_no_simulation():
    """gui:=window goes with bridge:=sim only."""
    with pytest.raises(
        ProblemsError, match='gui is window; expected bridge:=sim with it, not mock'
    ):
        parse_arguments({'bridge': 'mock', 'gui': 'window'})


def test_the_page_in_the_browser_needs_its_libraries(monkeypatch):
    """gui:=web without viser says what to install."""
    monkeypatch.setattr('softshell_bringup.page_arguments.LIBRARIES', ('viser_of_nobody',))
    with pytest.raises(ProblemsError, match='expected viser_of_nobody to be installed'):
        parse_arguments({'gui': 'web'})


@pytest.mark.parametrize(
    ('name', 'text', 'expected'),
    [
        ('web_port', '80.5', '0, or a whole number from 1 to 65535'),
        ('web_port', '70000', '0, or a whole number from 1 to 65535'),
        ('web_port', '-1', '0, or a whole number from 1 to 65535'),
        ('web_host', 'robot', 'an address of this machine'),
        ('web_host', '', 'an address of this machine'),
        ('web_token', 'abc', '8 characters or more, or none'),
    ],
)
def test_where_the_page_is_has_to_be_a_place(name, text, expected):
    with pytest.raises(ProblemsError, match=f"{name} is '{text}'; expected {expected}"):
        parse_arguments({'gui': 'web', name: text})


def test_a_port_is_a_whole_number():
    """So its default is shown as 0, and the page, whose parameter is a whole number, takes it."""
    argument = BY_NAME['web_port']
    assert argument.default_text == '0'
    assert isinstance(argument.parse('8642'), int)


def test_a_place_that_cannot_be_had_is_told_before_anything_starts():
    """A port of somebody else's, an address of another machine (TEST-NET-1)."""
    with socket.create_server(('127.0.0.1', 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ProblemsError, match=f'web_port is {port}; expected one that is free'):
            parse_arguments({'gui': 'web', 'web_port': str(port)})
        parse_arguments({'gui': 'none', 'bridge': 'mock'})
    with pytest.raises(
        ProblemsError, match=r'web_host is 192\.0\.2\.1; expected an address of this'
    ):
        parse_arguments({'gui': 'web', 'web_host': '192.0.2.1'})


def test_the_place_of_a_page_that_there_is_not_is_refused():
    with pytest.raises(ProblemsError, match='expected gui:=web with it, not none'):
        parse_arguments({'web_port': '80'})


def test_rviz_is_refused_where_it_is_not_installed(monkeypatch):
    """rviz:=true without RViz says what to install."""
    monkeypatch.setattr('softshell_bringup.arguments.is_installed', lambda package: False)
    with pytest.raises(ProblemsError, match='expected rviz2 to be installed'):
        parse_arguments({'rviz': 'true'})


def test_the_default_of_the_engine_is_first_that_of_the_robot():
    """Whose file may name one that differs from the default of all others, as a hand's does."""
    hand = load_robot('hand')
    assert engine_of(hand) == hand.engine != ''
    told = BY_NAME['engine'].description.partition('by default ')[2]
    first, _, then = told.partition(', else ')
    assert 'of the robot' in first
    assert default_engine() in then
