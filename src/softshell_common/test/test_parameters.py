"""ROS parameters from a dataclass, on a real node."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

rclpy = pytest.importorskip('rclpy', reason='no ROS here')
from rclpy.context import Context  # noqa: E402
from rclpy.exceptions import InvalidParameterValueException  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402

from softshell_common.ros.parameters import declare, parameter, unknown_parameters  # noqa: E402
from softshell_kinematics.errors import SoftshellError  # noqa: E402


@dataclass(frozen=True)
class Settings:
    gain: float = parameter(1.0, 'proportional gain [N m/rad]', 0.0, 10.0, live=True)
    steps: int = parameter(4, 'sub-steps', 1, 8)
    mode: str = parameter('sim', 'what moves', choices=('sim', 'mock'), live=True)


@pytest.fixture
def node() -> Iterator[Callable[..., Node]]:
    context = Context()
    rclpy.init(context=context)
    nodes = []

    def make(**overrides: object) -> Node:
        given = [Parameter(name, value=value) for name, value in overrides.items()]
        nodes.append(Node('settings', context=context, parameter_overrides=given))
        return nodes[-1]

    yield make
    for made in nodes:
        made.destroy_node()
    context.try_shutdown()


def test_values_are_defaults_and_overrides(node):
    """What is not given keeps its default."""
    assert declare(node(gain=2.5), Settings) == Settings(2.5, 4, 'sim')


@pytest.mark.parametrize('override', [{'gain': 11.0}, {'steps': 0}, {'mode': 'real'}])
def test_an_override_outside_its_range_is_refused_by_name(node, override):
    """A node does not start with nonsense; the error names the parameter."""
    (name,) = override
    with pytest.raises(InvalidParameterValueException, match=name):
        declare(node(**override), Settings)


def test_a_whole_number_stands_for_a_real_one(node):
    """`real_time_factor: 1` is what people write; what is an integer stays one."""
    seen: list[Settings] = []
    made = node(gain=2, steps=3)
    assert declare(made, Settings, seen.append) == Settings(2.0, 3, 'sim')
    assert isinstance(made.get_parameter('gain').value, float)
    (result,) = made.set_parameters([Parameter('gain', value=5)])
    assert result.successful
    assert seen == [Settings(5.0, 3, 'sim')]
    (result,) = made.set_parameters([Parameter('gain', value=11)])
    assert not result.successful


def test_a_number_for_a_text_is_still_refused(node):
    """Only whole numbers stand for something else."""
    with pytest.raises(SoftshellError, match=r'steps is 2\.0; expected a whole number'):
        declare(node(steps=2.0), Settings)


@dataclass(frozen=True)
class Damping:
    damping: float = parameter(1.0, 'derivative gain [N m s/rad]', 0.0, 10.0, live=True)


@dataclass(frozen=True)
class Stiffness:
    stiffness: float = parameter(1.0, 'of a spring [N/m]', 0.0, 10.0, live=True)


@pytest.mark.parametrize('kinds', [(Settings, Damping), (Settings, Damping, Stiffness)])
def test_whole_numbers_are_taken_however_often_is_declared(node, kinds):
    """A node that declares two sets or more takes them in each, once, and keeps what is not
    declared here as it was given."""
    seen: list[object] = []
    made = node()
    made.declare_parameter('count', 1)
    for kind in kinds:
        declare(made, kind, seen.append)
    changes = [Parameter('gain', value=5), Parameter('damping', value=0)]
    assert all(result.successful for result in made.set_parameters(changes))
    assert made.set_parameters_atomically([*changes, Parameter('count', value=7)]).successful
    assert len(seen) == 4
    assert all(seen.count(each) == 2 for each in (Settings(5.0), Damping(0.0)))
    assert made.get_parameter('count').value == 7
    (result,) = made.set_parameters([Parameter('damping', value=11)])
    assert not result.successful


@dataclass(frozen=True)
class Pace:
    factor: float = parameter(1.0, 'pace; 0: any', 0.01, 100.0, live=True, zero=True)


@pytest.mark.parametrize(('value', 'valid'), [(0.0, True), (0.01, True), (1e-9, False), (0, True)])
def test_zero_may_be_valid_apart_from_the_range(node, value, valid):
    """At the start and live; between 0 and the range nothing is."""
    made = node()
    declare(made, Pace)
    (result,) = made.set_parameters([Parameter('factor', value=value)])
    assert result.successful is valid
    if valid:
        assert declare(node(factor=value), Pace) == Pace(float(value))
    else:
        assert 'factor is 1e-09; expected 0, or 0.01 to 100' in result.reason
        with pytest.raises(InvalidParameterValueException, match='expected 0, or'):
            declare(node(factor=value), Pace)


def test_a_parameter_that_there_is_not_is_told_with_the_nearest(node):
    """Whoever misspells a name in a file learns of it; ROS takes it in silence."""
    made = node(gian=2.0, colour='red', gain=1.0)
    declare(made, Settings)
    near, far = sorted(unknown_parameters(made), reverse=True)
    assert near == "'gian' is no parameter of this node; did you mean gain?"
    assert far.startswith("'colour' is no parameter of this node; known: gain, mode, ")


def test_live_changes_arrive_as_whole_valid_sets(node):
    """A valid change is seen once, as a new set; a refused one is not seen at all."""
    seen: list[Settings] = []
    made = node()
    declare(made, Settings, seen.append)
    results = made.set_parameters(
        [Parameter('gain', value=3.0), Parameter('gain', value=30.0), Parameter('mode', value='x')]
    )
    assert [result.successful for result in results] == [True, False, False]
    assert 'expected one of: sim, mock' in results[2].reason
    assert seen == [Settings(gain=3.0)]


def test_a_value_of_the_wrong_type_is_not_seen(node):
    """It is refused when it is set live, and what was there stays."""
    seen: list[Settings] = []
    made = node()
    declare(made, Settings, seen.append)
    (result,) = made.set_parameters([Parameter('gain', value='high')])
    assert not result.successful
    assert seen == []
    assert made.get_parameter('gain').value == 1.0


def test_what_is_not_live_is_read_only(node):
    """It keeps its value, and whoever tries is told."""
    made = node()
    declare(made, Settings)
    (result,) = made.set_parameters([Parameter('steps', value=2)])
    assert not result.successful
    assert made.get_parameter('steps').value == 4


def test_descriptions_and_ranges_are_there_for_tools(node):
    """`ros2 param describe` shows unit and range."""
    made = node()
    declare(made, Settings)
    descriptor = made.describe_parameter('gain')
    assert '[N m/rad]' in descriptor.description
    assert descriptor.floating_point_range[0].to_value == 10.0
