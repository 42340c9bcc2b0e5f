"""What the doctor sees around softshell."""

import os
import sys

import pytest

from softshell_bringup.domain import free_domain
from softshell_tools import doctor, surroundings
from softshell_tools.surroundings import (
    disk,
    logs,
    memory,
    messages,
    serial_ports,
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


def test_a_folder_below_one_that_may_not_be_entered_is_told(tmp_path):
    """The disk is then that of a folder above it."""
    closed = tmp_path / 'closed'
    (closed / 'log').mkdir(parents=True)
    closed.chmod(0)
    user = os.geteuid()
    try:
        if not user:  # root may enter it
            os.seteuid(65534)
        found = disk('logs', closed / 'log')
    finally:
        os.seteuid(user)
        closed.chmod(0o700)
    assert f'free at {closed}/log' in found.state


def test_without_a_build_the_doctor_says_so(monkeypatch, workspace):
    """And everything else that it sees; its packages are none that this Python finds."""
    for name in [*sys.modules]:
        if name.startswith(('softshell_bringup', 'softshell_kinematics', 'softshell_common')):
            monkeypatch.setitem(sys.modules, name, None)
    found = {one.thing: one for one in doctor.find(workspace.root)}
    assert 'the workspace is not built' in found['packages'].remedy
    assert not found['packages'].ok
    assert {'memory', 'display', 'set core'} <= {*found}


@pytest.mark.parametrize('transports', [None, 'UDPv4', 'DEFAULT'])
def test_shared_memory_counts_where_it_is_used(monkeypatch, workspace, transports):
    """By default messages go by UDP alone."""
    monkeypatch.delenv('FASTDDS_BUILTIN_TRANSPORTS', raising=False)
    if transports:
        monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', transports)
    monkeypatch.setattr(doctor, '_domain', lambda: iter(()))
    monkeypatch.setattr(doctor, 'SHARED_MEMORY', 1e18)
    found = {one.thing: one for one in doctor.find(workspace.root)}
    assert ('/dev/shm' in found) == (transports == 'DEFAULT')
    assert transports != 'DEFAULT' or not found['/dev/shm'].ok


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
    found = memory(table, tmp_path / 'no group')
    assert (found.ok, found.state) == (ok, state)


@pytest.mark.parametrize(
    ('limit', 'state'),
    [('2000000000', '0.8 GB free'), ('9000000000', '4.1 GB free'), ('max', '4.1 GB free')],
)
def test_memory_is_what_a_container_may_have(tmp_path, limit, state):
    """The smaller of what is free in it and on the machine; files in memory make room."""
    files = {
        'meminfo': 'MemAvailable: 4000000 kB', 'memory.max': limit,
        'memory.current': '1500000000', 'memory.stat': 'anon 1\ninactive_file 300000000\n',
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert memory(tmp_path / 'meminfo', tmp_path).state == state


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
