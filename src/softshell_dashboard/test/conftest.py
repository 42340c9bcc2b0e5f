"""A desk, a station and a server without a robot, and a node."""

import sys
from pathlib import Path

import pytest

from softshell_common.ports import free_port
from softshell_dashboard.access import Access
from softshell_dashboard.desk import Desk
from softshell_dashboard.journal import Journal
from softshell_dashboard.settings import load_page_settings
from softshell_dashboard.station import Station
from softshell_teleop.settings import load_settings

sys.path.insert(0, str(Path(__file__).parent))  # the rig
from dashboard_rig import HOLD, Clock, FakeRobot, FakeScene, FakeSource

CONFIG = Path(__file__).resolve().parents[3] / 'config'


@pytest.fixture(scope='session')
def keys():
    return load_settings(CONFIG / 'teleop.yaml')


@pytest.fixture
def robot():
    return FakeRobot()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def desk(keys, robot, clock):
    desk = Desk(keys, robot, Journal(), HOLD, clock)
    desk.step()
    return desk


@pytest.fixture
def node(domains):
    """A node of its own; needs ROS."""
    import rclpy

    context = rclpy.Context()
    rclpy.init(args=[], context=context, domain_id=domains())
    node = rclpy.create_node('page', context=context)
    yield node
    node.destroy_node()
    context.try_shutdown()


@pytest.fixture
def station(keys, robot):
    page = load_page_settings(CONFIG / 'dashboard.yaml')
    return Station(keys, page, robot, FakeSource(), FakeScene(), Journal())


@pytest.fixture
def served(station):
    """A server, and its address."""
    from softshell_dashboard.server import Server

    server = Server(station, Access('127.0.0.1'), '127.0.0.1', free_port('127.0.0.1', 0), 1)
    yield server
    server.close()
    assert server.problem is None
