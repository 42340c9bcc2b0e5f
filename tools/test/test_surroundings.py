"""What the doctor sees around softshell."""

import os
from pathlib import Path

import pytest

from softshell_bringup.domain import free_domain
from softshell_tools import surroundings
from softshell_tools.surroundings import (
    disk,
    logs,
    memory,
    messages,
    serial_ports,
    workspaces,
)


def test_a_disk_is_that_of_what_is_to_be(tmp_path, monkeypatch):
    """Also if the folder is not there yet; with too little room the finding says how much."""
    found = disk('logs', tmp_path / 'not' / 'yet')
    assert found.ok
    assert f'GB free at {tmp_path}/not/yet' in found.state
    monkeypatch.setattr(surroundings, 'DISK', 1e18)
    assert not disk('logs', tmp_path).ok


def test_a_disk_that_may_not_be_written_to_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(os, 'access', lambda path, mode: False)  # root may do anything
    found = disk('logs', tmp_path / 'folder')
    assert not found.ok
    assert 'may not be written to' in found.state


def test_logs_are_where_ros_puts_them(tmp_path, monkeypatch):
    """A container may run as a user of whom it knows neither a home nor a name."""
    for name in ('ROS_LOG_DIR', 'ROS_HOME', 'HOME'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, 'getuid', lambda: 3141592653)
    found = logs()
    assert not found.ok
    assert 'no home' in found.state
    for name in ('ROS_HOME', 'ROS_LOG_DIR'):
        monkeypatch.setenv(name, str(tmp_path / name))
        assert logs().state.endswith(f'at {tmp_path / name}')


@pytest.mark.parametrize(
    ('text', 'ok', 'state'),
    [
        ('MemTotal: 9 kB\nMemAvailable: 4000000 kB\n', True, '4.1 GB free'),
        ('MemAvailable: 500000 kB\n', False, '0.5 GB free'),
        ('nothing: at all\n', True, 'unknown'),
    ],
)
def test_memory_is_what_programs_may_have(tmp_path, text, ok, state):
    table = tmp_path / 'meminfo'
    table.write_text(text)
    found = memory(table)
    assert (found.ok, found.state) == (ok, state)


def test_another_workspace_counts_if_it_comes_first(tmp_path):
    """With packages of our names; behind ours, or with others, it is in nobody's way."""
    other, ours = tmp_path / 'other', tmp_path / 'checkout' / 'install' / 'softshell_sim'
    for prefix in (other, ours):
        (prefix / 'share' / 'softshell_sim').mkdir(parents=True)

    def found(*prefixes: Path) -> list[str]:
        path = os.pathsep.join(map(str, prefixes))
        return [
            one.state
            for one in workspaces(tmp_path / 'checkout', {'AMENT_PREFIX_PATH': path})
            if not one.ok
        ]

    assert found(other, ours) == [f'{other} also has softshell_sim, and is found first']
    assert found(ours, other) == found(tmp_path, ours) == found() == []


def test_ports_are_told_one_by_one(tmp_path):
    (found,) = serial_ports(tmp_path)
    assert found.ok
    assert 'only bridge:=hardware needs one' in found.state
    for name in ('ttyUSB1', 'ttyACM0', 'tty0'):
        (tmp_path / name).touch()
    assert [one.thing for one in serial_ports(tmp_path)] == [
        'serial port ttyACM0',
        'serial port ttyUSB1',
    ]


def test_a_port_that_may_not_be_opened_comes_with_what_helps(tmp_path, monkeypatch):
    monkeypatch.setattr(os, 'access', lambda path, mode: False)
    (tmp_path / 'ttyUSB0').touch()
    (found,) = serial_ports(tmp_path)
    assert not found.ok
    assert 'dialout' in found.remedy


def test_messages_get_from_node_to_node(monkeypatch):
    """On this machine they do; where none comes the finding says so."""
    domain = free_domain()
    assert messages(domain).ok
    monkeypatch.setattr(surroundings, 'MESSAGE_TIME', -1.0)
    assert 'none arrived' in messages(domain).state
