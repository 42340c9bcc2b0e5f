"""The shipped file of the simulation's parameters: the world is as it says, in any namespace."""

from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from softshell_sim.ros.sim_bridge import SimParameters
from softshell_sim.settings import WorldSettings

FILE = Path(__file__).resolve().parents[2] / 'examples' / 'simulation.yaml'


@pytest.fixture
def start(simulated):
    """Function: a bridge's node in a namespace, given the file; and what it says."""
    return lambda namespace: simulated(FILE, namespace, robot='arm')


def test_the_file_names_all_that_a_world_has():
    """Every setting of the world but those that are given elsewhere or to programs alone; none is
    as by default."""
    (section,) = yaml.safe_load(FILE.read_text()).values()
    given = section['ros__parameters']
    settings = {field.name: field.default for field in fields(WorldSettings)}
    assert set(given) - {'control_period'} == set(settings) - {
        'gui',
        'sensors',
        'scene',
        'visuals',
    }
    for name in set(given) - {'control_period', 'engine'}:
        assert given[name] != settings[name], name
    assert SimParameters(**given).control_period == given['control_period']


@pytest.mark.parametrize('namespace', ['', '/one'])
def test_the_world_is_as_the_file_says(start, namespace):
    """Step, gravity, friction and the others arrive in the world that the bridge simulates."""
    (section,) = yaml.safe_load(FILE.read_text()).values()
    node = start(namespace)
    settings = node._core.backend.world.settings
    for name, value in section['ros__parameters'].items():
        if name != 'control_period':
            assert getattr(settings, name) == value, name
